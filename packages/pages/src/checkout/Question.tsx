/**
 * A question before something that cannot be undone. It stays as it is if the payer leaves the dialog.
 *
 * @module
 */
import { useEffect, useId, useRef } from "preact/hooks"

export const Question = ({
  said: { title, text },
  keep,
  act,
  isBusy = false,
  onKeep,
  onAct,
}: {
  readonly said: { readonly title: string; readonly text: string }
  readonly keep: string
  readonly act: string
  readonly isBusy?: boolean
  readonly onKeep: () => void
  readonly onAct: () => void
}) => {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog class="question" ref={dialog} aria-labelledby={id} onClose={onKeep}>
      <h2 id={id}>{title}</h2>
      <p class="text">{text}</p>
      <button class="button" type="button" onClick={() => dialog.current?.close()}>
        {keep}
      </button>
      <button class="button quiet" type="button" disabled={isBusy} onClick={onAct}>
        {act}
      </button>
    </dialog>
  )
}
