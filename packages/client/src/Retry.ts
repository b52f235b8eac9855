/**
 * The one rule for retries of a call: after no response and after a 5xx response. Never after any 4xx, 429 included.
 *
 * @module
 */
import { Aborted } from "./Failure.ts"

/** How often a call is retried. */
export const retries = 3
const firstDelayInMs = 100

/** The pause before a retry, counted from 0: it doubles each time, and up to the same time again is added at random. */
export const delayInMs = (retry: number, random: number): number =>
  firstDelayInMs * 2 ** retry * (1 + random)

export const mayPass = (status: number): boolean => status >= 500

/** Time and randomness, which a test replaces. */
export interface Timing {
  /** Resolves after a time, or immediately when the signal aborts. */
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

/** Retries until a response is final. The caller gets the last response or error. */
export const run = <A extends { readonly status: number }>(
  attempt: () => Promise<A>,
  { sleep, random }: Timing,
  signal: AbortSignal | undefined,
): Promise<A> => {
  const tryFrom = async (retry: number): Promise<A> => {
    if (isAborted(signal)) throw new Aborted()
    try {
      const response = await attempt()
      if (retry === retries || !mayPass(response.status)) return response
    } catch (error) {
      if (isAborted(signal)) throw new Aborted()
      if (retry === retries) throw error
    }
    await sleep(delayInMs(retry, random()), signal)
    return tryFrom(retry + 1)
  }
  return tryFrom(0)
}
