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
  /** A button on it, such as `Undo`. */
  readonly action?: { readonly name: string; readonly run: () => void }
}

/** A question before something that cannot be undone: it says what happens, with the amount spelled out. */
export interface Question {
  readonly title: string
  readonly body: ComponentChildren
  /** The button's text, which names what it does: `Refund 12.50 USDC`. */
  readonly action: string
  readonly isDangerous?: boolean
  /** If it rejects, the question stays, with the reason. */
  readonly run: () => Promise<void>
}

export interface Console extends Signed {
  /** Whether the session's key has a scope. */
  readonly may: (scope: string) => boolean
  readonly toast: (toast: Toast) => void
  readonly ask: (question: Question) => void
}

export const Context = createContext<Console | undefined>(undefined)

export const useConsole = (): Console => {
  const found = useContext(Context)
  if (found === undefined) throw new Error("no session is open")
  return found
}
