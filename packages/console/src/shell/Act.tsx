/**
 * What a person can do. Each act asks first, with what it does spelled out. The operator can say why, for the audit log.
 *
 * @module
 */
import type * as Key from "@florin/api/wire/Key"
import { Refused } from "@florin/client"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { useSend, type Write } from "./Api.ts"
import { type DialogOf, useConsole } from "./Console.tsx"
import { type FieldOf, Form, type Get, useFields } from "./Form.tsx"
import * as Path from "./Path.ts"
import { Button, ButtonLink, Paragraphs } from "./Pieces.tsx"
import { sentence } from "./Problem.tsx"
import * as Texts from "./Texts.ts"

/** The description of an act: its question, its request, and what is said when it is done. */
export interface Act<A extends object = object> extends Omit<Write, "request"> {
  /** The scope that it needs, if any. It is not offered to those who lack it. */
  readonly scope?: Key.OwnedKey["scopes"][number]
  readonly title: string
  /** Paragraphs, if they are texts. */
  readonly body?: ComponentChildren | ReadonlyArray<ComponentChildren>
  /** They may depend on what was typed. */
  readonly fields?: ReadonlyArray<FieldOf> | ((typed: Get) => ReadonlyArray<FieldOf>)
  /** Stands after the fields, and says what follows from them. */
  readonly note?: (get: Get) => ComponentChildren
  /** The button's text, which names what it does: `Refund 12.50 USDC`. By default it is the title. */
  readonly action?: string | ((get: Get) => string)
  /** The button's text before the question, if the action's own does not fit. */
  readonly name?: string
  readonly isDangerous?: boolean
  readonly isReady?: (get: Get) => boolean
  /** The values of the fields by their names, and these; or something else that is made of them. */
  readonly request?: object | ((get: Get) => object) | undefined
  /** What goes by on the screen when it is done. */
  readonly said?: string | ((response: A, get: Get) => string)
  /** What stands in place of the question when it is done, such as a secret. */
  readonly answer?: (response: A, get: Get) => DialogOf | undefined
  /** What follows when it is done, such as another screen. What is shown is loaded again in any case. */
  readonly onDone?: (response: A) => void
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
const requested = (error: unknown): DialogOf | undefined => {
  if (!(error instanceof Refused && error.code === "approval_required")) return undefined
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

/**
 * Asks, and acts if the person says so. If it fails, the question stays, with the reason and all that was typed. If the
 * person closed it meanwhile, a message says what failed, and a dialog that was opened since stays.
 */
const Ask = <A extends object>({ act }: { readonly act: Act<A> }) => {
  const { action = act.title, body, fields = [], request, said } = act
  const { open, session, toast } = useConsole()
  const send = useSend()
  const isOpen = useRef(true)
  useEffect(
    () => () => {
      isOpen.current = false
    },
    [],
  )
  const own = (typed: Get) => (typeof fields === "function" ? fields(typed) : fields)
  const reason = { name: "reason", ...Texts.texts.reason, maxLength: reasonMaxLength }
  const isOperator = session.face === "operator"
  const form = useFields((typed) => [...own(typed), ...(isOperator ? [reason] : [])])
  const { get } = form
  const parts = [body].flat().filter((part) => part !== undefined)
  const finish = (found: DialogOf | undefined) => {
    if (found !== undefined || isOpen.current) open(found ?? null)
  }
  const run = async () => {
    const made =
      typeof request === "function" ? request(get) : { ...valuesOf(own(get), get), ...request }
    const why = isOperator ? get("reason").trim() : ""
    try {
      const response = await send<A>({ ...act, request: made }, why)
      if (said !== undefined) toast({ text: typeof said === "string" ? said : said(response, get) })
      act.onDone?.(response)
      finish(act.answer?.(response, get))
    } catch (error) {
      const found = requested(error)
      if (found !== undefined) finish(found)
      else if (isOpen.current) throw error
      else toast({ text: sentence(error), kind: "bad" })
    }
  }
  return (
    <Form
      of={form}
      action={typeof action === "function" ? action(get) : action}
      isDangerous={act.isDangerous ?? false}
      isReady={act.isReady?.(get) ?? true}
      run={run}
    >
      {parts.length > 0 && (
        <div class="question">
          <Paragraphs of={parts} />
        </div>
      )}
      {form.shown}
      {act.note?.(get)}
    </Form>
  )
}

/** Asks a person whether to act. */
export const useAsk = () => {
  const { open } = useConsole()
  return <A extends object>(act: Act<A>): void =>
    open({ title: act.title, body: <Ask act={act} /> })
}

/** The button of an act. It is not there for those who may not do it. */
export const ActButton = <A extends object>({
  act,
  ...button
}: { readonly act: Act<A> } & Pick<Parameters<typeof Button>[0], "about" | "look">) => {
  const { may } = useConsole()
  const ask = useAsk()
  if (!may(act.scope)) return null
  return (
    <Button
      look="quiet"
      isDangerous={act.isDangerous ?? false}
      {...button}
      onClick={() => ask(act)}
    >
      {act.name ?? (typeof act.action === "string" ? act.action : act.title)}
    </Button>
  )
}
