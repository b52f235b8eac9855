/**
 * The one rule of when a call is tried again: after no answer and after an answer of 5xx. Never after any 4xx, 429
 * included.
 *
 * @module
 */
import { Aborted } from "./Failure.ts"

/** How often a call is tried again after the first time. */
export const retries = 3
const firstDelayInMs = 100

/** The pause before a retry, counted from 0: it doubles, and up to as much again is random. */
export const delayInMs = (retry: number, random: number): number =>
  firstDelayInMs * 2 ** retry * (1 + random)

export const mayPass = (status: number): boolean => status >= 500

/** Time and chance, so that a test needs neither. */
export interface Timing {
  /** Resolves after a time, or at once when the signal aborts. */
  readonly sleep: (forMs: number, signal: AbortSignal | undefined) => Promise<void>
  /** From 0 up to 1. */
  readonly random: () => number
}

export const timing: Timing = {
  sleep: (forMs, signal) =>
    new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        signal?.removeEventListener("abort", wake)
        resolve()
      }
      const timer = setTimeout(wake, forMs)
      signal?.addEventListener("abort", wake)
      if (isAborted(signal)) wake()
    }),
  // @effect-diagnostics-next-line globalRandom:off -- no Effect runtime here, and jitter is no secret.
  random: () => Math.random(),
}

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true

/** Tries until an answer stands; the last answer or error is the caller's. */
export const run = <A extends { readonly status: number }>(
  attempt: () => Promise<A>,
  { sleep, random }: Timing,
  signal: AbortSignal | undefined,
): Promise<A> => {
  const tryFrom = async (retry: number): Promise<A> => {
    if (isAborted(signal)) throw new Aborted()
    try {
      const answer = await attempt()
      if (retry === retries || !mayPass(answer.status)) return answer
    } catch (error) {
      if (isAborted(signal)) throw new Aborted()
      if (retry === retries) throw error
    }
    await sleep(delayInMs(retry, random()), signal)
    return tryFrom(retry + 1)
  }
  return tryFrom(0)
}
