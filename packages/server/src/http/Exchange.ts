/**
 * A request and its response, independent of what carries them: the web's `Request` and `Response`, or Node's streams.
 *
 * @module
 */
import type * as Problem from "@florin/api/Problem"
import * as Limits from "@florin/core/domain/ground/Limits"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The body is longer than the limit. */
export class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()("BodyTooLarge", {
  message: Schema.String,
}) {}

export const bodyTooLarge = new BodyTooLarge({
  message: `the body is longer than ${Limits.bodyMaxBytes} bytes`,
})

/** The body did not arrive whole: the caller disconnected, or sent invalid HTTP. */
export class BodyLost extends Schema.TaggedError<BodyLost>()("BodyLost", {
  message: Schema.String,
}) {}

export const bodyLost = new BodyLost({ message: "the body did not arrive whole: send it again" })

/** Another parser has read the body before us, and left nothing that can be written as JSON. */
export const bodyAlreadyRead = new BodyLost({
  message:
    "another part of this server has already read the body: put Florin before every body parser except one for JSON",
})

/** The body did not arrive in time. */
export class BodyTooSlow extends Schema.TaggedError<BodyTooSlow>()("BodyTooSlow", {
  message: Schema.String,
}) {}

export interface Incoming {
  readonly method: string
  /** As it was sent, without the query. */
  readonly path: string
  /** What follows the question mark. */
  readonly query: string
  /** A header by its name in lower case; several of one name are joined by commas. */
  readonly header: (name: string) => string | undefined
  /** The address at the other end of the connection, if there is one. */
  readonly address?: string | undefined
  /** Whether another part of the server may respond if the path is not ours. */
  readonly mayPassOn?: boolean
  /** The whole body, read at most once. */
  readonly body: Effect.Effect<Uint8Array, BodyTooLarge | BodyLost | BodyTooSlow>
}

/** From the scheme to the path, for requests that name their host too. */
const beforePath = /^[a-z]+:\/\/[^/?]*/iu

/** The path and the query of a request's target. */
export const locate = (target: string): Pick<Incoming, "path" | "query"> => {
  const location = target.startsWith("/") ? target : target.replace(beforePath, "")
  const queryAt = location.indexOf("?")
  return queryAt === -1
    ? { path: location, query: "" }
    : { path: location.slice(0, queryAt), query: location.slice(queryAt + 1) }
}

/** What was percent-encoded; undefined if it cannot be decoded. */
export const decoded = (text: string): string | undefined =>
  Result.getOrUndefined(Result.try(() => decodeURIComponent(text)))

/**
 * A body that is written piece by piece while the effect runs. Each write waits until the reader has room, so nothing
 * piles up for a slow reader. Interrupting the effect releases what it holds.
 */
export type Writing = (write: (text: string) => Effect.Effect<void>) => Effect.Effect<void>

export interface Outgoing {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | Writing
  /** The code of the problem in the body. */
  readonly code?: Problem.Code
  /** Whether the request is not for this service. */
  readonly isPassedOn?: boolean
}

/** For another part of the server, if {@link Incoming.mayPassOn}. It is in none of our logs. */
export const passedOn: Outgoing = { status: 404, headers: {}, body: "", isPassedOn: true }

/** A response with a complete body. */
export interface OutgoingWhole extends Outgoing {
  readonly body: string | Uint8Array
}

/** A response in text: every response except files. */
export interface OutgoingText extends OutgoingWhole {
  readonly body: string
}

/** Whether a response has no body, by the rules of HTTP. */
export const isBodiless = (method: string, status: number): boolean =>
  method === "HEAD" || status === 204

/** A response whose body is already JSON text. */
export const jsonText = (
  status: number,
  body: string,
  headers?: Outgoing["headers"],
): OutgoingText => ({ status, headers: { "content-type": "application/json", ...headers }, body })

/** A response for spreadsheets. From the byte order mark they recognize UTF-8. */
export const csv = (status: number, body: string, headers?: Outgoing["headers"]): OutgoingText => ({
  status,
  headers: { "content-type": "text/csv; charset=utf-8", ...headers },
  body: `\uFEFF${body}`,
})

export const json = (status: number, body: object, headers?: Outgoing["headers"]): OutgoingText =>
  jsonText(status, JSON.stringify(body), headers)
