/**
 * What a person can do. Each act asks first, with what it does spelled out. The operator can say why, for the audit log.
 *
 * @module
 */
import type * as Key from "@florin/api/wire/Key"
import { Refused } from "@florin/client"
import { useRef } from "preact/hooks"
import { useSend, type Write } from "./Api.ts"
import { type Answer, type Question, useConsole } from "./Console.tsx"
import type { FieldOf, Get } from "./Form.tsx"
import * as Path from "./Path.ts"
import { Button, ButtonLink } from "./Pieces.tsx"
import * as Texts from "./Texts.ts"

/** The description of an act: its question, its request, and what is said when it is done. */
export interface Act<A extends object = object>
  extends Omit<Question, "run">, Omit<Write, "request"> {
  /** The scope that it needs. It is not offered to those who lack it. */
  readonly scope: Key.OwnedKey["scopes"][number]
  /** The button's text before the question, if the action's own does not fit. */
  readonly name?: string
  /** The values of the fields by their names, and these; or something else that is made of them. */
  readonly request?: object | ((get: Get) => object) | undefined
  /** What goes by on the screen when it is done. */
  readonly said?: string | ((response: A, get: Get) => string)
  /** What stands in place of the question when it is done, such as a secret. */
  readonly answer?: (response: A, get: Get) => Answer | undefined
}

/** The values of fields as the API has them, by their names. Empty ones are left out. */
const valuesOf = (fields: ReadonlyArray<FieldOf>, get: Get): object =>
  Object.fromEntries(
    fields
      .map(({ kind, name }) => [name, kind, get(name).trim()] as const)
      .filter(([, , value]) => value !== "")
      .map(([name, kind, value]) => {
        if (kind === "checks") return [name, value.split(" ")]
        return [name, kind === "datetime-local" ? new Date(value).toISOString() : value]
      }),
  )

/** What follows if a second person must approve it first: the service has the request, so nothing failed or is lost. */
const requested = (error: unknown): Answer => {
  if (!(error instanceof Refused && error.code === "approval_required")) throw error
  const { link, text, title } = Texts.texts.requested
  return {
    title,
    body: (
      <div class="stack" role="status">
        <p>{text}</p>
        <p>
          <ButtonLink to={Path.approvals} name={link} />
        </p>
      </div>
    ),
  }
}

/** As long as the service takes it. */
const reasonMaxLength = 500

/** Asks, and acts if the person says so. */
export const useAct = () => {
  const { ask, session, toast } = useConsole()
  const send = useSend()
  const asked = useRef(0)
  return <A extends object>(act: Act<A>, onDone?: (response: A) => void): void => {
    const { answer, fields = [], request, said } = act
    const count = ++asked.current
    const reason = { name: "reason", ...Texts.texts.reason, maxLength: reasonMaxLength }
    const isOperator = session.face === "operator"
    ask({
      ...act,
      fields: isOperator ? [...fields, reason] : fields,
      run: (get) => {
        const body =
          typeof request === "function" ? request(get) : { ...valuesOf(fields, get), ...request }
        const why = isOperator ? get("reason").trim() : ""
        return send<A>({ ...act, request: body }, count, why).then((response) => {
          if (said !== undefined) {
            toast({ text: typeof said === "string" ? said : said(response, get) })
          }
          onDone?.(response)
          return answer?.(response, get)
        }, requested)
      },
    })
  }
}

/** The button of an act. It is not there for those who may not do it. */
export const ActButton = <A extends object>({
  act,
  onDone,
  ...button
}: {
  readonly act: Act<A>
  readonly onDone?: (response: A) => void
} & Pick<Parameters<typeof Button>[0], "about" | "look">) => {
  const { may } = useConsole()
  const run = useAct()
  if (!may(act.scope)) return null
  return (
    <Button
      look="quiet"
      isDangerous={act.isDangerous ?? false}
      {...button}
      onClick={() => run(act, onDone)}
    >
      {act.name ?? (typeof act.action === "string" ? act.action : act.title)}
    </Button>
  )
}
