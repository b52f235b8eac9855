/**
 * Signing in with a one-time link or a passkey.
 *
 * @module
 */
import { Refused } from "@florin/client"
import { Form, type Submission, useFields, useSubmission } from "./Form.tsx"
import * as Passkey from "./Passkey.ts"
import { Button } from "./Pieces.tsx"
import { ProblemNote } from "./Problem.tsx"
import * as Session from "./Session.ts"
import * as Texts from "./Texts.ts"

/** Why somebody is not signed in. A refusal says what to do next, and anything else what happened. */
const failure = ({ error }: Submission, refused: string) => {
  if (error === undefined) return null
  const isRefused = error instanceof Refused && error.status < 500 && error.status !== 429
  return isRefused ? (
    <p class="error" role="alert">
      {refused}
    </p>
  ) : (
    <ProblemNote error={error} />
  )
}

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
  const { get, shown, submission, submit } = useFields(() => [
    {
      name: "link",
      label: texts.label,
      hint: texts.hint,
      kind: "password",
      wrong: (text) => (Session.keyOf(text) === undefined ? texts.invalid : undefined),
    },
  ])
  const passkey = useSubmission()
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
          of={{ submission: { ...submission, error: undefined }, submit }}
          action={texts.button}
          run={() => signIn(Session.keyOf(get("link")))}
        >
          {shown}
          {failure(submission, texts.used)}
        </Form>
        {Passkey.isSupported && (
          <Button
            look="quiet"
            isBusy={passkey.isBusy}
            onClick={() => passkey.submit(() => signIn(undefined))}
          >
            {texts.passkey}
          </Button>
        )}
        {failure(passkey, texts.noPasskey)}
      </section>
    </main>
  )
}
