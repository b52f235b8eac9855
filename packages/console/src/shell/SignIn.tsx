/**
 * Signing in with a one-time link or a passkey.
 *
 * @module
 */
import { Refused } from "@florin/client"
import { useState } from "preact/hooks"
import { Button } from "./Act.tsx"
import { Field, Form, useSubmission } from "./Form.tsx"
import * as Passkey from "./Passkey.ts"
import { ProblemNote } from "./Problem.tsx"
import * as Session from "./Session.ts"
import * as Texts from "./Texts.ts"

const isRefused = (error: unknown): boolean =>
  error instanceof Refused && error.status < 500 && error.status !== 429

export const SignIn = ({
  signIn,
  signInHere,
}: {
  /** Without a key, a passkey is asked for. */
  readonly signIn: (key: string | undefined) => Promise<void>
  /** Only on a developer's machine. */
  readonly signInHere: (() => Promise<void>) | undefined
}) => {
  const { signIn: texts } = Texts.texts
  const [link, setLink] = useState("")
  const [isWrong, setIsWrong] = useState(false)
  const submission = useSubmission()
  const passkey = useSubmission()
  const refused = isRefused(submission.error) ? texts.used : undefined
  return (
    <main class="signIn">
      <section class="card">
        <h1>{texts.title}</h1>
        <p class="note">{texts.lead}</p>
        {signInHere !== undefined && (
          <Button isBusy={submission.isBusy} onClick={() => submission.submit(signInHere)}>
            {texts.here}
          </Button>
        )}
        <Form
          action={texts.button}
          submission={refused === undefined ? submission : { ...submission, error: undefined }}
          onSubmit={() => {
            const key = Session.keyOf(link)
            setIsWrong(key === undefined)
            if (key !== undefined) submission.submit(() => signIn(key))
          }}
        >
          <Field
            field={{ name: "link", label: texts.label, hint: texts.hint, kind: "password" }}
            error={isWrong ? texts.invalid : refused}
            value={link}
            onValue={setLink}
          />
        </Form>
        {Passkey.isSupported && (
          <button
            type="button"
            class="button quiet"
            aria-busy={passkey.isBusy}
            onClick={() => passkey.submit(() => signIn(undefined))}
          >
            {texts.passkey}
          </button>
        )}
        {isRefused(passkey.error) ? (
          <p class="error" role="alert">
            {texts.noPasskey}
          </p>
        ) : (
          passkey.error !== undefined && <ProblemNote error={passkey.error} />
        )}
      </section>
    </main>
  )
}
