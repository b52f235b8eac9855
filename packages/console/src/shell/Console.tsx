/**
 * What every screen can reach: the session, messages that go by, and questions that wait for a person.
 *
 * @module
 */
import { type ComponentChildren, createContext } from "preact"
import { useContext } from "preact/hooks"
import type { Signed } from "./Session.ts"

export interface Toast {
  readonly text: string
  readonly kind?: "good" | "bad"
}

/** The description of a dialog. */
export interface DialogOf {
  readonly title: string
  readonly body: ComponentChildren
  /** What follows when the person closes it. */
  readonly onClose?: () => void
}

export interface Console extends Signed {
  /** Also if none is needed. */
  readonly may: (scope: string | undefined) => boolean
  readonly toast: (toast: Toast) => void
  /** Opens a dialog, and closes the one that is open. */
  readonly open: (dialog: DialogOf | null) => void
}

export const Context = createContext<Console | undefined>(undefined)

export const useConsole = (): Console => {
  const found = useContext(Context)
  if (found === undefined) throw new Error("no session is open")
  return found
}
