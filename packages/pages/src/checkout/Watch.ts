/**
 * Watches a payment's status as long as the page is open: a payment that was made from a phone shows here.
 *
 * The status comes as a stream of server-sent events. If there is none, or nothing comes through, the page polls and
 * then tries the stream again. `fetch` reads the stream, because an `EventSource` cannot send the page's token.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import type * as Payment from "@florin/api/wire/Payment"
import { Aborted, Refused, Unreadable } from "@florin/client"
import * as EventStream from "@florin/client/EventStream"

export interface Watching {
  /** Opens the stream. */
  readonly open: (signal: AbortSignal) => Promise<Response>
  /** Polls the status. */
  readonly ask: (signal: AbortSignal) => Promise<Payment.StatusResponse>
  /** `progress` is undefined if only the status is known. */
  readonly heard: (
    status: Payment.StatusResponse,
    progress: HostedPage.Progress | null | undefined,
  ) => void
  /** Called when the page's token is too old to ask again. */
  readonly stale: () => void
  readonly sleep: (forMs: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
}

const defaultPauseInMs = 1000
const firstPauseInMs = 2000
const longestPauseInMs = 30_000

/** The stream begins with the present state. If that does not come, something on the way holds it back. */
const firstWithinInMs = 5000
/** The stream sends a heartbeat every 15 s. */
const nextWithinInMs = 40_000
/** The number of polls between two streams of which nothing came doubles up to this many times. */
const doublingsMax = 6

const isAborted = (signal: AbortSignal): boolean => signal.aborted

/** Whether the page's token is too old. */
const isStale = (error: unknown): boolean =>
  (error instanceof Refused || error instanceof Unreadable) && error.status === 401

/** Whether watching continues. If a stream sent nothing, another way is better for some time. */
type Outcome = "over" | "heard" | "silent"

/** Follows one stream until it ends. */
const listen = async ({ open, heard, stale, sleep, signal }: Watching): Promise<Outcome> => {
  const controller = new AbortController()
  const stop = () => controller.abort()
  const within = <A>(step: Promise<A>, forMs: number): Promise<A> =>
    Promise.race([
      step,
      sleep(forMs, controller.signal).then(() => Promise.reject(new Error("nothing came"))),
    ])
  signal.addEventListener("abort", stop)
  let outcome: Outcome = "silent"
  try {
    const stream = EventStream.listen(open, nextWithinInMs, controller.signal)
    for (;;) {
      const forMs = outcome === "silent" ? firstWithinInMs : nextWithinInMs
      // oxlint-disable-next-line no-await-in-loop -- What comes next comes later.
      const { done, value } = await within(stream.next(), forMs)
      if (isAborted(signal)) return "over"
      if (done === true) return outcome
      if (value.data === undefined) continue
      const watched: HostedPage.Watched = JSON.parse(value.data)
      // An unknown state fails here, before the page shows it.
      const { isFinal } = watched.status
      outcome = "heard"
      heard(watched.status, watched.progress)
      if (isFinal || isAborted(signal)) return "over"
    }
  } catch (error) {
    if (isAborted(signal)) return "over"
    if (!isStale(error)) return outcome
    stale()
    return "over"
  } finally {
    signal.removeEventListener("abort", stop)
    stop()
  }
}

/** Polls this many times. Without a connection it continues, with longer and longer pauses. */
const poll = async (
  { ask, heard, stale, sleep, signal }: Watching,
  times: number,
): Promise<"over" | "polled"> => {
  const askFrom = async (left: number, failures: number): Promise<"over" | "polled"> => {
    if (left === 0) return "polled"
    if (signal.aborted) return "over"
    try {
      const status = await ask(signal)
      // The signal may have aborted while the response was on its way.
      if (isAborted(signal)) return "over"
      heard(status, undefined)
      if (status.isFinal) return "over"
      await sleep(status.pollInMs ?? defaultPauseInMs, signal)
    } catch (error) {
      if (error instanceof Aborted || isAborted(signal)) return "over"
      if (isStale(error)) {
        stale()
        return "over"
      }
      await sleep(Math.min(firstPauseInMs * 2 ** failures, longestPauseInMs), signal)
      return askFrom(left, failures + 1)
    }
    return askFrom(left - 1, 0)
  }
  return askFrom(times, 0)
}

/** Watches until the payment is final or the signal aborts. */
export const watch = async (watching: Watching): Promise<void> => {
  const streamFrom = async (silences: number): Promise<void> => {
    if (isAborted(watching.signal)) return
    const outcome = await listen(watching)
    if (outcome === "over") return
    const now = outcome === "heard" ? 0 : silences
    if ((await poll(watching, 2 ** now)) === "over") return
    return streamFrom(Math.min(outcome === "heard" ? 0 : now + 1, doublingsMax))
  }
  await streamFrom(0)
}
