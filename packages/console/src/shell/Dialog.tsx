/**
 * Dialogs: the browser's own, which keep the focus inside and close with Escape.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import type { Answer, Question } from "./Console.tsx"
import { Form, useFields } from "./Form.tsx"
import { Button, Paragraphs } from "./Pieces.tsx"
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
        <Button look="small" onClick={onClose}>
          {Texts.texts.close}
        </Button>
      </div>
      {children}
    </dialog>
  )
}

/** Asks, and shows the answer if there is one. */
export const Ask = ({
  question: { title, body, fields = [], note, action = title, isDangerous = false, isReady, run },
  onClose,
}: {
  readonly question: Question
  readonly onClose: () => void
}) => {
  const [answer, setAnswer] = useState<Answer>()
  const form = useFields(() => fields)
  const parts = [body].flat().filter((part) => part !== undefined)
  const close = () => {
    onClose()
    answer?.onClose?.()
  }
  const ask = async () => {
    const found = await run(form.get)
    if (found === undefined) onClose()
    else setAnswer(found)
  }
  return (
    <Dialog title={answer?.title ?? title} onClose={close}>
      {answer?.body ?? (
        <Form
          of={form}
          action={typeof action === "function" ? action(form.get) : action}
          isDangerous={isDangerous}
          isReady={isReady?.(form.get) ?? true}
          run={ask}
        >
          {parts.length > 0 && (
            <div class="question">
              <Paragraphs of={parts} />
            </div>
          )}
          {form.shown}
          {note?.(form.get)}
        </Form>
      )}
    </Dialog>
  )
}
