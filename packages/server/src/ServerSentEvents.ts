/**
 * Events on an answer that stays open, as the web's `EventSource` reads them.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/Limits"
import type { StorageUnavailable } from "@florin/core/ports/StorageError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import * as Stream from "effect/Stream"
import * as AccessLog from "./AccessLog.ts"
import type * as Exchange from "./Exchange.ts"
import type * as Problems from "./Problems.ts"

/** What a handler answers with: events, each with the id that a reader goes on from. */
export class ServerSentEvents<A extends object = object> {
  readonly events: Stream.Stream<Sent<A>, StorageUnavailable>

  constructor(events: Stream.Stream<Sent<A>, StorageUnavailable>) {
    this.events = events
  }
}

interface Sent<A> {
  readonly id: string
  readonly data: A
}

/** No proxy keeps it back or stores it. */
const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
} as const

/** Readers skip it. */
const comment = ":\n\n"

/** Last, as Effect's own reader takes it for the word to connect again. */
const retry = Sse.encoder.write(
  new Sse.Retry({
    duration: Duration.millis(Limits.eventStreamRetryInMs),
    lastEventId: undefined,
  }),
)

/** A reader that takes nothing is given up soon after the stream's time was up. */
const givenUpInMs = Limits.eventStreamMaxInMs + Limits.eventStreamHeartbeatInMs

/**
 * The answer. `admit` judges the caller once more before anything is written, so that a stream lasts no longer than its
 * key. Whatever ends it, the reader connects again, and is told then what is wrong.
 */
export const answer = (
  { events }: ServerSentEvents,
  textOf: (data: object) => string,
  admit: Effect.Effect<unknown, Problems.Refusal>,
): Exchange.Outgoing => {
  const written = ({ data, id }: Sent<object>) =>
    Sse.encoder.write({ _tag: "Event", event: "message", id, data: textOf(data) })
  const body: Exchange.Writing = (write) => {
    const send = (text: string) => Effect.andThen(admit, write(text))
    const sending = Stream.runForEachArray(events, (some) => send(some.map(written).join("")))
    const beating = Effect.forever(Effect.delay(send(comment), Limits.eventStreamHeartbeatInMs))
    return write(comment).pipe(
      Effect.andThen(Effect.raceFirst(sending, beating)),
      Effect.andThen(write(retry)),
      Effect.timeoutOption(givenUpInMs),
      Effect.ignore,
      Effect.tapDefect((defect) => Effect.logError("a stream broke", AccessLog.defect(defect))),
    )
  }
  return { status: 200, headers, body }
}
