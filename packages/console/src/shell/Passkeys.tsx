/**
 * The passkeys of who is signed in: listed, added and removed.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Session"
import { useState } from "preact/hooks"
import { Dialog } from "./Dialog.tsx"
import { Form, TextField, useSubmission } from "./Form.tsx"
import { useLoad } from "./Load.ts"
import * as Passkey from "./Passkey.ts"
import { Foreign, Skeleton, Time } from "./Pieces.tsx"
import { ProblemNote } from "./Problem.tsx"
import type { Signed } from "./Session.ts"
import * as Texts from "./Texts.ts"

/** The passkeys of who is signed in. */
export const Passkeys = ({
  of: { call, session },
  onClose,
}: {
  readonly of: Signed
  readonly onClose: () => void
}) => {
  const { passkeys: texts } = Texts.texts()
  const path = `${session.face === "partner" ? "/v1" : "/operator/v1"}/session/passkeys`
  const { error, reload, value } = useLoad("passkeys", (signal) =>
    call<Wire.Passkeys>({ method: "GET", path, responseMembers: ["passkeys", "next"], signal }),
  )
  const [name, setName] = useState("")
  const [note, setNote] = useState<string>()
  const adding = useSubmission()
  const removing = useSubmission()
  const add = async (): Promise<void> => {
    setNote(undefined)
    // A challenge lasts for minutes, and this list may be older.
    const { next } = await call<Wire.Passkeys>({
      method: "GET",
      path,
      responseMembers: ["passkeys", "next"],
    })
    const person = [session.person, session.partner?.name, session.mode === "test" ? "test" : null]
    const made =
      next === null ? undefined : await Passkey.make(next, person.filter(Boolean).join(" · "))
    if (made === undefined) return setNote(texts.notAdded)
    const body: Wire.AddPasskeyRequest = { name, ...made }
    await call({ method: "POST", path, body, responseMembers: ["id"] })
    setName("")
    reload()
  }
  const remove = async (id: string): Promise<void> => {
    await call({ method: "DELETE", path: `${path}/${id}`, responseMembers: [] })
    reload()
  }
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <div class="stack">
        <p>{texts.lead}</p>
        {error !== undefined && <ProblemNote error={error} retry={reload} />}
        {value === undefined && error === undefined && <Skeleton rows={2} />}
        {value?.passkeys.length === 0 && <p class="note">{texts.none}</p>}
        <ul class="lines">
          {value?.passkeys.map(({ createdAt, id, isShared, lastUsedAt, name: own }) => (
            <li key={id}>
              <div class="fields">
                <strong>
                  <Foreign text={own} />
                </strong>
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
                <span class="unseen"> {own}</span>
              </button>
            </li>
          ))}
        </ul>
        {removing.error !== undefined && <ProblemNote error={removing.error} />}
        {value !== undefined && (value.next === null || !Passkey.isSupported) && (
          <p class="note">{texts.impossible}</p>
        )}
        {value !== undefined && value.next !== null && Passkey.isSupported && (
          <Form
            action={texts.add}
            isReady={name.trim() !== ""}
            submission={adding}
            onSubmit={() => adding.submit(add)}
          >
            <TextField
              label={texts.name}
              hint={texts.hint}
              error={note ?? adding.issue("name") ?? adding.issue("passkey")}
              value={name}
              onValue={setName}
            />
          </Form>
        )}
      </div>
    </Dialog>
  )
}
