/**
 * What every screen can reach: the session, messages that go by, and questions that wait for a person.
 *
 * @module
 */
import { type ComponentChildren, createContext } from "preact"
import { useContext } from "preact/hooks"
import type { FieldOf, Get } from "./Form.tsx"
import type { Signed } from "./Session.ts"

export interface Toast {
  readonly text: string
  readonly kind?: "good" | "bad"
}

/** A question before something is done: it says what happens, with the amount spelled out. */
export interface Question {
  readonly title: string
  /** Paragraphs, if they are texts. */
  readonly body?: ComponentChildren | ReadonlyArray<ComponentChildren>
  readonly fields?: ReadonlyArray<FieldOf>
  /** Stands after the fields, and says what follows from them. */
  readonly note?: (get: Get) => ComponentChildren
  /** The button's text, which names what it does: `Refund 12.50 USDC`. By default it is the title. */
  readonly action?: string | ((get: Get) => string)
  readonly isDangerous?: boolean
  readonly isReady?: (get: Get) => boolean
  /** If it rejects, the question stays, with the reason and all that was typed. */
  readonly run: (get: Get) => Promise<Answer | undefined>
}

/** What a question leads to, in the one place that shows it. */
export interface Answer {
  readonly title: string
  readonly body: ComponentChildren
  readonly onClose?: () => void
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
