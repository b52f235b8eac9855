/**
 * The passkeys of who is signed in: listed, added and removed.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Session"
import { useState } from "preact/hooks"
import { useGet, useRead, useSend } from "./Api.ts"
import { useConsole } from "./Console.tsx"
import { Dialog } from "./Dialog.tsx"
import { Form, useFields, useSubmission } from "./Form.tsx"
import * as Passkey from "./Passkey.ts"
import { at } from "./Path.ts"
import { foreign, Lines, Skeleton, Time } from "./Pieces.tsx"
import { ProblemNote } from "./Problem.tsx"
import * as Texts from "./Texts.ts"

const path = "/session/passkeys"

/** The passkeys of who is signed in. */
export const Passkeys = ({ onClose }: { readonly onClose: () => void }) => {
  const { passkeys: texts } = Texts.texts
  const { session } = useConsole()
  const { error, reload, value } = useRead<Wire.Passkeys>(path, {}, false)
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
    reload()
  }
  const remove = async (id: string): Promise<void> => {
    await send({ method: "DELETE", path: at`/session/passkeys/${id}` })
    reload()
  }
  const isPossible = value !== undefined && value.next !== null && Passkey.isSupported
  const refused = form.submission.issue("passkey")
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <div class="stack">
        <p>{texts.lead}</p>
        {error !== undefined && <ProblemNote error={error} retry={reload} />}
        {value === undefined && error === undefined && <Skeleton rows={2} />}
        {value?.passkeys.length === 0 && <p class="note">{texts.none}</p>}
        {value !== undefined && value.passkeys.length > 0 && (
          <Lines
            of={value.passkeys.map(({ createdAt, id, isShared, lastUsedAt, name }) => (
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
                <button
                  type="button"
                  class="copy"
                  aria-busy={removing.isBusy}
                  onClick={() => removing.submit(() => remove(id))}
                >
                  {texts.remove}
                  <span class="unseen"> {name}</span>
                </button>
              </>
            ))}
          />
        )}
        {removing.error !== undefined && <ProblemNote error={removing.error} />}
        {value !== undefined && !isPossible && <p class="note">{texts.impossible}</p>}
        {isPossible && (
          <Form
            action={texts.add}
            isReady={form.get("name").trim() !== ""}
            submission={form.submission}
            onSubmit={() => form.submit(add)}
          >
            {form.shown}
            {refused !== undefined && <p class="error">{refused}</p>}
          </Form>
        )}
      </div>
    </Dialog>
  )
}
