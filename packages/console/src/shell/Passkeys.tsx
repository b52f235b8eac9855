/**
 * The passkeys of who is signed in: listed, added and removed.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Session"
import { useState } from "preact/hooks"
import { useGet, useRead, useSend } from "./Api.ts"
import { useConsole } from "./Console.tsx"
import { Shown } from "./Detail.tsx"
import { Dialog } from "./Dialog.tsx"
import { Form, useFields, useSubmission } from "./Form.tsx"
import * as Passkey from "./Passkey.ts"
import { at } from "./Path.ts"
import { Button, foreign, list, Time } from "./Pieces.tsx"
import { ProblemNote } from "./Problem.tsx"
import * as Texts from "./Texts.ts"

const path = "/session/passkeys"

/** The passkeys of who is signed in. */
export const Passkeys = ({ onClose }: { readonly onClose: () => void }) => {
  const { passkeys: texts } = Texts.texts
  const { session } = useConsole()
  const read = useRead<Wire.Passkeys>(path, {}, { everyInMs: null })
  const get = useGet()
  const send = useSend()
  const [note, setNote] = useState<string>()
  const removing = useSubmission()
  const form = useFields(() => [{ name: "name", label: texts.name, hint: note ?? texts.hint }])
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
  const remove = async (id: string): Promise<void> => {
    await send({ method: "DELETE", path: at`/session/passkeys/${id}` })
  }
  const line = ({ createdAt, id, isShared, lastUsedAt, name }: Wire.Passkey) => (
    <>
      <div class="fields">
        <strong>{foreign(name)}</strong>
        <span class="note">
          {texts.added} <Time at={createdAt} />
          {lastUsedAt !== null && (
            <>
              {" "}
              · {texts.used} <Time at={lastUsedAt} />
            </>
          )}
          {isShared && ` · ${texts.shared}`}
        </span>
      </div>
      <Button
        look="small"
        about={name}
        isBusy={removing.isBusy}
        onClick={() => removing.submit(() => remove(id))}
      >
        {texts.remove}
      </Button>
    </>
  )
  const refused = form.submission.issue("passkey")
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <div class="stack">
        <p>{texts.lead}</p>
        <Shown of={read}>
          {({ next, passkeys }) => (
            <>
              {passkeys.length === 0 && <p class="note">{texts.none}</p>}
              {list(passkeys.map(line))}
              {removing.error !== undefined && <ProblemNote error={removing.error} />}
              {next !== null && Passkey.isSupported ? (
                <Form
                  of={form}
                  action={texts.add}
                  isReady={form.get("name").trim() !== ""}
                  run={add}
                >
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
    </Dialog>
  )
}
