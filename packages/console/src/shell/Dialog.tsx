/**
 * Dialogs: the browser's own, which keep the focus inside and close with Escape.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { Button } from "./Pieces.tsx"
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
  // Before it is painted, as it may follow another one.
  useLayoutEffect(() => {
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
