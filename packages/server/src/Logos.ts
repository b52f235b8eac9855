/**
 * The logos of merchants, passed on from wherever merchants keep them, so that a payer's browser asks nobody but us.
 *
 * What is passed on is told by its first bytes, whatever its sender calls it. SVG is not: a document of a stranger on
 * our own origin is more than a picture.
 *
 * @module
 */
import * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** The bytes at an address; null where none can be had. */
export type Fetch = (url: string) => Effect.Effect<Uint8Array | null>

export interface Logo {
  readonly contentType: string
  readonly body: Uint8Array
}

/** The logo at an address; null where there is none that we pass on. */
export type Logos = (url: string) => Effect.Effect<Logo | null>

/** With the longest logos this is 25 MiB. */
const keptMax = 100
const keptFor = Duration.hours(1)
/** What could not be had may be there soon. */
const missedFor = Duration.minutes(1)

const kinds: ReadonlyArray<readonly [contentType: string, beginning: RegExp]> = [
  ["image/png", /^\x89PNG\r\n/u],
  ["image/jpeg", /^\xff\xd8\xff/u],
  ["image/gif", /^GIF8[79]a/u],
  ["image/webp", /^RIFF.{4}WEBP/su],
]
const beginningLength = 12

const logoOf = (body: Uint8Array): Logo | null => {
  const text = String.fromCharCode(...body.subarray(0, beginningLength))
  const [contentType] = kinds.find(([, beginning]) => beginning.test(text)) ?? []
  return contentType === undefined ? null : { contentType, body }
}

/** Keeps logos for a time, and fetches each once at a time. */
export const make = (fetch: Fetch): Effect.Effect<Logos> =>
  Effect.map(
    Cache.makeWith(
      (url: string) => Effect.map(fetch(url), (body) => (body === null ? null : logoOf(body))),
      {
        capacity: keptMax,
        timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value !== null ? keptFor : missedFor),
      },
    ),
    (kept): Logos =>
      (url) =>
        Cache.get(kept, url),
  )
