/**
 * Watches a payment's status as long as the page is open: a payment that was made from a phone shows here.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"
import { Aborted, Refused } from "@florin/client"

export interface Watching {
  readonly ask: (signal: AbortSignal) => Promise<Payment.StatusResponse>
  readonly heard: (status: Payment.StatusResponse) => void
  /** Called when the page's token is too old to ask again. */
  readonly stale: () => void
  readonly sleep: (forMs: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
}

const defaultPauseInMs = 1000
const firstPauseInMs = 2000
const longestPauseInMs = 30_000

/**
 * Asks until the payment is final or the signal aborts. Without a connection it continues, with longer and longer
 * pauses.
 */
export const watch = async ({ ask, heard, stale, sleep, signal }: Watching): Promise<void> => {
  const askFrom = async (failures: number): Promise<void> => {
    if (signal.aborted) return
    try {
      const status = await ask(signal)
      // The signal may have aborted while the response was on its way.
      if (isAborted(signal)) return
      heard(status)
      if (status.isFinal) return
      await sleep(status.pollInMs ?? defaultPauseInMs, signal)
    } catch (error) {
      if (error instanceof Aborted || isAborted(signal)) return
      if (error instanceof Refused && error.status === 401) {
        stale()
        return
      }
      await sleep(Math.min(firstPauseInMs * 2 ** failures, longestPauseInMs), signal)
      return askFrom(failures + 1)
    }
    return askFrom(0)
  }
  await askFrom(0)
}

const isAborted = (signal: AbortSignal): boolean => signal.aborted
