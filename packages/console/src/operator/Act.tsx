/**
 * Writes of the operator. Each asks first, with what it does spelled out, and takes the reason for the audit log.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import { useRef, useState } from "preact/hooks"
import { useConsole } from "../shell/Console.tsx"
import { TextField, useOnce } from "../shell/Form.tsx"
import type { Scope } from "./Operations.ts"
import * as Texts from "./Texts.ts"

export interface Write {
  readonly method?: "POST" | "PATCH" | "DELETE"
  /** Below the operator's API, such as `/outflows/out_1/retry`. */
  readonly path: string
  readonly request?: object
}

export interface Deed extends Write {
  /** The scope that it needs. It is not offered to those who lack it. */
  readonly scope: Scope
  readonly title: string
  readonly body: ComponentChildren
  /** The button's text, which names what it does. */
  readonly action: string
  readonly isDangerous?: boolean
  /** What goes by on the screen when it is done. */
  readonly said: string
}

/** As long as the service takes it. */
const reasonMaxLength = 500

/** The field for the reason. */
export const Reason = ({ onValue }: { readonly onValue: (reason: string) => void }) => {
  const { reason: texts } = Texts.texts()
  const [value, setValue] = useState("")
  return (
    <TextField
      label={texts.label}
      hint={texts.hint}
      maxLength={reasonMaxLength}
      value={value}
      onValue={(next) => {
        setValue(next)
        onValue(next.trim())
      }}
    />
  )
}

/** Sends a write. Attempts with the same count are one: they do nothing twice. */
export const useSend = () => {
  const { call } = useConsole()
  const once = useOnce()
  return <A extends object>(
    { method = "POST", path, request = {} }: Write,
    reason: string,
    count: number,
  ): Promise<A> =>
    call<A>({
      method,
      path: `/operator/v1${path}`,
      headers: {
        "Florin-Reason": reason === "" ? undefined : encodeURIComponent(reason),
        ...(method === "POST" && { "Idempotency-Key": once({ count, path, request }) }),
      },
      ...(method !== "DELETE" && { body: request }),
      responseMembers: [],
    })
}

/** Asks, and acts if the person says so. */
export const useAct = (): (<A extends object>(
  deed: Deed,
  onDone?: (response: A) => void,
) => void) => {
  const { ask, toast } = useConsole()
  const send = useSend()
  const asked = useRef(0)
  return <A extends object>(deed: Deed, onDone?: (response: A) => void) => {
    const { action, body, isDangerous = false, said, title } = deed
    const count = ++asked.current
    let reason = ""
    ask({
      title,
      action,
      isDangerous,
      body: (
        <>
          {body}
          <Reason
            onValue={(value) => {
              reason = value
            }}
          />
        </>
      ),
      run: async () => {
        const response = await send<A>(deed, reason, count)
        toast({ text: said })
        onDone?.(response)
      },
    })
  }
}

/** A button that asks. It is not there for those who may not do it. */
export const Act = ({
  deed,
  name,
  isQuiet = false,
  onDone,
}: {
  readonly deed: Deed
  /** The button's text before the question, if the action's own is too long. */
  readonly name?: string
  readonly isQuiet?: boolean
  readonly onDone?: () => void
}) => {
  const { may } = useConsole()
  const act = useAct()
  if (!may(deed.scope)) return null
  const look = isQuiet ? " quiet" : ""
  return (
    <button
      type="button"
      class={`button${look}${deed.isDangerous === true && !isQuiet ? " dangerous" : ""}`}
      onClick={() => act(deed, onDone)}
    >
      {name ?? deed.action}
    </button>
  )
}
