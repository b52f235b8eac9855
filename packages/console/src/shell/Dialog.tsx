/**
 * Dialogs: the browser's own, which keep the focus inside and close with Escape.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import type { Question } from "./Console.tsx"
import { Form, useSubmission } from "./Form.tsx"
import * as Texts from "./Texts.ts"

export const Dialog = ({
  title,
  onClose,
  children,
}: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}) => {
  const id = useId()
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    element.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog ref={element} aria-labelledby={id} onClose={onClose}>
      <div class="dialogHead">
        <h2 id={id}>{title}</h2>
        <button type="button" class="copy" onClick={onClose}>
          {Texts.texts().close}
        </button>
      </div>
      {children}
    </dialog>
  )
}

/** Asks before something that cannot be undone. */
export const Ask = ({
  question,
  onClose,
}: {
  readonly question: Question
  readonly onClose: () => void
}) => {
  const submission = useSubmission()
  return (
    <Dialog title={question.title} onClose={onClose}>
      <Form
        action={question.action}
        isDangerous={question.isDangerous ?? false}
        submission={submission}
        onSubmit={() => submission.submit(() => question.run().then(onClose))}
      >
        <div class="question">{question.body}</div>
      </Form>
    </Dialog>
  )
}
