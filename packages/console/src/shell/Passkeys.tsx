/**
 * The passkeys of who is signed in: listed, added and removed.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Session"
import { useState } from "preact/hooks"
import { type Act, ActButton } from "./Act.tsx"
import { useGet, useRead, useSend } from "./Api.ts"
import { type DialogOf, useConsole } from "./Console.tsx"
import { Shown } from "./Detail.tsx"
import { Form, useFields } from "./Form.tsx"
import * as Passkey from "./Passkey.ts"
import { at } from "./Path.ts"
import { foreign, list, Time } from "./Pieces.tsx"
import * as Texts from "./Texts.ts"

const path = "/session/passkeys"

const removal = ({ id, name }: Wire.Passkey, isLast: boolean): Act => {
  const { body, last, title, ...remove } = Texts.texts.passkeys.remove
  return {
    ...remove,
    title: title(name),
    method: "DELETE",
    path: at`/session/passkeys/${id}`,
    isDangerous: true,
    body: isLast ? [body, last] : body,
    answer: passkeys,
  }
}

const Passkeys = () => {
  const { passkeys: texts, words } = Texts.texts
  const { session } = useConsole()
  const read = useRead<Wire.Passkeys>(path, {}, { everyInMs: null })
  const get = useGet()
  const send = useSend()
  const [note, setNote] = useState<string>()
  const form = useFields(() => [{ name: "name", label: words.name, hint: note ?? texts.hint }])
  const add = async (): Promise<void> => {
    setNote(undefined)
    // A challenge lasts for minutes, and this list may be older.
    const { next } = await get<Wire.Passkeys>(path, new AbortController().signal)
    const person = [session.person, session.partner?.name, session.mode === "test" ? "test" : null]
    const made =
      next === null ? undefined : await Passkey.make(next, person.filter(Boolean).join(" · "))
    if (made === undefined) return setNote(texts.notAdded)
    const request: Wire.AddPasskeyRequest = { name: form.get("name"), ...made }
    await send({ path, request })
    form.clear()
  }
  const line = (passkey: Wire.Passkey, isLast: boolean) => {
    const { createdAt, isShared, lastUsedAt, name } = passkey
    return (
      <>
        <div class="fields">
          <strong>{foreign(name)}</strong>
          <span class="note">
            {texts.added} <Time at={createdAt} />
            {lastUsedAt !== null && (
              <>
                {" "}
                · {words.used} <Time at={lastUsedAt} />
              </>
            )}
            {isShared && ` · ${texts.shared}`}
          </span>
        </div>
        <ActButton act={removal(passkey, isLast)} about={name} look="small" />
      </>
    )
  }
  const refused = form.submission.issue("passkey")
  return (
    <div class="stack">
      <p>{texts.lead}</p>
      <Shown of={read}>
        {({ next, passkeys }) => (
          <>
            {passkeys.length === 0 && <p class="note">{texts.none}</p>}
            {list(passkeys.map((each) => line(each, passkeys.length === 1)))}
            {next !== null && Passkey.isSupported ? (
              <Form of={form} action={texts.add} isReady={form.get("name").trim() !== ""} run={add}>
                {form.shown}
                {refused !== undefined && <p class="error">{refused}</p>}
              </Form>
            ) : (
              <p class="note">{texts.impossible}</p>
            )}
          </>
        )}
      </Shown>
    </div>
  )
}

/** The dialog with the passkeys of who is signed in. */
export const passkeys = (): DialogOf => ({ title: Texts.texts.passkeys.title, body: <Passkeys /> })
