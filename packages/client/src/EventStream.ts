/**
 * Events as they happen, over a stream that reconnects by itself and resumes after the last event.
 *
 * @module
 */
import * as Connection from "./Connection.ts"
import * as Event from "./Event.ts"
import { Aborted, Refused, Unreadable } from "./Failure.ts"
import * as Retry from "./Retry.ts"

/** An event, and the cursor from which to resume once it is handled. */
export interface Entry {
  readonly cursor: string
  readonly event: Event.FlorinEvent
}

/** The pause after a stream that ended normally, if the service did not set one. */
const pauseInMs = 2000
/** Pauses after failures double up to this many times. */
const doublingsMax = 7

interface Heard {
  readonly id: string | undefined
  readonly data: string | undefined
  readonly retry: string | undefined
}

/** Parses one block of lines: an event, a comment, or a pause. */
const heardOf = (block: string): Heard => {
  const lines = block.split("\n")
  const field = (name: string) =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  return { id: field("id"), data: field("data"), retry: field("retry") }
}

const entryOf = ({ data, id }: Heard): Entry | undefined => {
  if (data === undefined) return undefined
  const event = Connection.parse(data)
  if (id === undefined || !Event.isEvent(event)) throw new Unreadable(200)
  return { cursor: id, event }
}

/** Reads one connection. It is dropped if nothing arrives for a time, as the service sends heartbeats often. */
export async function* listen(
  send: Connection.Send,
  timeoutInMs: number | undefined = Connection.defaultTimeoutInMs,
  signal: AbortSignal | undefined,
): AsyncGenerator<Heard, void> {
  const { end, within, ...steps } = Connection.makeSteps(timeoutInMs, signal)
  try {
    const response = await within(() => send(steps.signal))
    const { body, headers, status } = response
    // A proxy may add parameters to the type.
    const isStream = headers.get("content-type")?.split(";")[0]?.trim() === "text/event-stream"
    if (status >= 300 || !isStream || body === null) {
      const text = await within(() => response.text())
      throw Connection.failureOf({ status, text, retryAfter: headers.get("retry-after") })
    }
    const reader = body.getReader()
    const decoder = new TextDecoder()
    let rest = ""
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- What comes next comes later.
      const { done, value } = await within(() => reader.read())
      if (done) return
      const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n")
      rest = blocks.pop() ?? ""
      for (const block of blocks) yield heardOf(block)
    }
  } finally {
    end()
    steps.stop()
  }
}

/** The pause before the next attempt; undefined if another attempt would get the same response. */
const pauseAfter = (error: unknown, failures: number, random: number): number | undefined => {
  const doubled = Retry.delayInMs(Math.min(failures, doublingsMax), random)
  if (error instanceof Refused && error.status === 429) {
    return Math.max(doubled, (error.retryAfterInS ?? 0) * 1000)
  }
  const isFinal =
    (error instanceof Refused || error instanceof Unreadable) && !Retry.mayPass(error.status)
  return isFinal ? undefined : doubled
}

/** Yields every event after a cursor until the caller stops. Throws if the service refuses the call. */
export async function* follow(
  sendFrom: (cursor: string | undefined) => Connection.Send,
  { timeoutInMs, timing = Retry.timing }: Connection.Options,
  start: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Entry, never> {
  let cursor = start
  let failures = 0
  const isStopped = () => signal?.aborted === true
  for (;;) {
    if (isStopped()) throw new Aborted()
    let wait: number | undefined = pauseInMs
    try {
      // oxlint-disable-next-line no-await-in-loop -- One connection after the other.
      for await (const heard of listen(sendFrom(cursor), timeoutInMs, signal)) {
        failures = 0
        if (heard.retry !== undefined) wait = Number(heard.retry)
        const entry = entryOf(heard)
        if (entry === undefined) continue
        cursor = entry.cursor
        yield entry
      }
    } catch (error) {
      if (isStopped()) throw new Aborted()
      wait = pauseAfter(error, failures, timing.random())
      if (wait === undefined) throw error
      failures += 1
    }
    // oxlint-disable-next-line no-await-in-loop -- A pause between two connections.
    await timing.sleep(wait, signal)
  }
}
