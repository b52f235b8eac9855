/**
 * Proxies the logos of merchants, so that a payer's browser sends requests to this service only.
 *
 * The first bytes decide the type of a logo, not the type that its host sends. SVG is not passed on: a stranger's
 * document on our own origin is more than a picture.
 *
 * @module
 */
import * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** The bytes at an address; null if they cannot be fetched. */
export type Fetch = (url: string) => Effect.Effect<Uint8Array | null>

export interface Logo {
  readonly contentType: string
  readonly body: Uint8Array
}

/** The logo at an address; null if there is none that we pass on. */
export type Logos = (url: string) => Effect.Effect<Logo | null>

/** With logos of the maximum size this is 25 MiB. */
const keptMax = 100
const keptFor = Duration.hours(1)
/** A logo that could not be fetched may be available soon. */
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

/** Caches logos for a time. At most one fetch of the same logo runs at a time. */
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
