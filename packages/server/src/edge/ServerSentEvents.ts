/**
 * Server-sent events on a response that stays open, as the web's `EventSource` reads them.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import type { StorageUnavailable } from "@florin/core/ports/StorageError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import * as Stream from "effect/Stream"
import type * as Exchange from "../http/Exchange.ts"
import * as AccessLog from "./AccessLog.ts"
import { credentialHeaders } from "./Authentication.ts"
import type * as Problems from "./Problems.ts"

/** The response of a handler that streams: events, each with the id from which a reader resumes, if it can. */
export class ServerSentEvents<A extends object = object> {
  readonly events: Stream.Stream<Sent<A>, StorageUnavailable>

  /** A connection whose reader takes nothing is dropped after this time. */
  readonly maxInMs: number

  constructor(
    events: Stream.Stream<Sent<A>, StorageUnavailable>,
    maxInMs: number = Limits.eventStreamMaxInMs + Limits.eventStreamHeartbeatInMs,
  ) {
    this.events = events
    this.maxInMs = maxInMs
  }
}

interface Sent<A> {
  readonly id?: string
  readonly data: A
}

/**
 * Nothing on the way may buffer the stream: neither a proxy, nor what compresses the responses of an app around us, as
 * it holds events back until it has enough of them.
 */
const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-store, no-transform",
  vary: credentialHeaders.join(", "),
  "x-accel-buffering": "no",
}

/** A comment, which readers skip. */
const comment = ":\n\n"

/** Sent last, as Effect's own reader takes it as the instruction to reconnect. */
const retry = Sse.encoder.write(
  new Sse.Retry({
    duration: Duration.millis(Limits.eventStreamRetryInMs),
    lastEventId: undefined,
  }),
)

/**
 * The streaming response. `admit` authorizes the caller again before anything is written, so that a stream lasts no
 * longer than its key. If the stream ends for any reason, the reader reconnects and then gets the error.
 */
export const respond = (
  { events, maxInMs }: ServerSentEvents,
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
      Effect.timeoutOption(maxInMs),
      Effect.ignore,
      Effect.tapDefect((defect) => Effect.logError("a stream broke", AccessLog.defect(defect))),
    )
  }
  return { status: 200, headers, body }
}
