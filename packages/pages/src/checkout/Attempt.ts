/**
 * One attempt to pay: how far it is, and what it asks the payer. Once it was left, it shows nothing more.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import type * as Option from "@florin/api/wire/Option"
import type { Asks, Resume } from "@florin/client"
import * as Machine from "./Machine.ts"

export interface Attempt {
  readonly signal: AbortSignal
  phase: Machine.Phase
  /** What the wallet has done, and what the payer chose. */
  own?: Resume | undefined
  amount?: Amount.Amount | undefined
  /** When the chosen offer ends. An attempt is only resumed after its first step, and that is the one that sends. */
  expiresAt: number
  asks: Asks
  /** Answers to what the payer is asked. */
  pick: (option: Option.PaymentOption | undefined) => void
  close: (outcome: "completed" | undefined) => void
  readonly retry: () => Promise<void>
  /** Ends it. If the payer was choosing, that is as if nothing was chosen. */
  readonly abort: () => void
  readonly go: (to: Machine.Step) => void
  readonly dispatch: (event: Machine.Event) => void
  readonly note: (happening: Machine.Happening) => void
}

export const make = (
  dispatch: (event: Machine.Event) => void,
  retry: () => Promise<void> = () => Promise.resolve(),
): Attempt => {
  const controller = new AbortController()
  const { signal } = controller
  const dispatchIfShown = (event: Machine.Event) => {
    if (!signal.aborted) dispatch(event)
  }
  const attempt: Attempt = {
    signal,
    phase: "connecting",
    expiresAt: Infinity,
    asks: "sign",
    pick: () => undefined,
    close: () => undefined,
    retry,
    abort: () => {
      controller.abort()
      attempt.pick(undefined)
      attempt.close(undefined)
    },
    go: (to) => dispatchIfShown({ _tag: "Went", to }),
    dispatch: dispatchIfShown,
    note: (happening) => {
      attempt.phase = Machine.phases[attempt.phase].on[happening] ?? attempt.phase
    },
  }
  return attempt
}
