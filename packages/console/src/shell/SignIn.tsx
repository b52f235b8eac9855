/**
 * Signing in with a one-time link.
 *
 * @module
 */
import { Refused } from "@florin/client"
import { useState } from "preact/hooks"
import { Field, Form, useSubmission } from "./Form.tsx"
import * as Session from "./Session.ts"
import * as Texts from "./Texts.ts"

export const SignIn = ({ signIn }: { readonly signIn: (key: string) => Promise<void> }) => {
  const { signIn: texts } = Texts.texts
  const [link, setLink] = useState("")
  const [isWrong, setIsWrong] = useState(false)
  const submission = useSubmission()
  const { error } = submission
  const refused =
    error instanceof Refused && error.status < 500 && error.status !== 429 ? texts.used : undefined
  return (
    <main class="signIn">
      <section class="card">
        <h1>{texts.title}</h1>
        <p class="note">{texts.lead}</p>
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
      </section>
    </main>
  )
}
