/**
 * Cancels the payment for the payer, who is asked once before.
 *
 * @module
 */
import { useRef, useState } from "preact/hooks"
import type { Props } from "./Screen.ts"

export const Cancel = ({ view: { messages, page }, session }: Pick<Props, "session" | "view">) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isAsked, setAsked] = useState(false)
  const { title, text } = messages.cancelling(page.info.merchant.name)
  const cancel = async () => {
    setAsked(true)
    await session.cancel()
    // Still here if it failed.
    setAsked(false)
    dialog.current?.close()
  }
  return (
    <>
      <button class="link" type="button" onClick={() => dialog.current?.showModal()}>
        {messages.cancel}
      </button>
      <dialog class="question" ref={dialog} aria-labelledby="cancel-title">
        <h2 id="cancel-title">{title}</h2>
        <p class="text">{text}</p>
        <button class="button" type="button" onClick={() => dialog.current?.close()}>
          {messages.keep}
        </button>
        <button class="button quiet" type="button" disabled={isAsked} onClick={cancel}>
          {messages.cancel}
        </button>
      </dialog>
    </>
  )
}
