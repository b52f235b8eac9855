/**
 * Responses that are given once per Idempotency-Key, and how they are remembered.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Invalid from "../../domain/ground/Invalid.ts"
import type * as AuditLog from "../../domain/partner/AuditLog.ts"
import * as Idempotency from "../../domain/partner/Idempotency.ts"
import type { Tenant } from "../../ports/AccountStore.ts"
import { type Once, ResponseStore } from "../../ports/ResponseStore.ts"
import { recordDeed } from "./AuditLog.ts"

/** The request must name an Idempotency-Key but does not. */
export class MissingIdempotencyKey extends Schema.TaggedError<MissingIdempotencyKey>()(
  "MissingIdempotencyKey",
  { message: Schema.String },
) {}

/** The parts of a request that determine its response. */
export interface Request {
  readonly tenant: Tenant
  /** Method and path, with the ids in it. */
  readonly endpoint: string
  /** Everything that distinguishes this request from others. */
  readonly body: Schema.Json
}

/**
 * Returns a function that builds the bodies of one kind of request, by their schema. A body holds exactly the members
 * of the schema. Undefined members are left out.
 */
export const bodyOf = <A, I>(schema: Schema.Codec<A, I>) => {
  const encode = Schema.encodeSync(schema, { disableChecks: true })
  return (request: A): Schema.Json => JSON.parse(JSON.stringify(encode(request)))
}

/** Reads the idempotency key of a request. */
export const once = (
  key: string,
  { body, endpoint, tenant }: Request,
): Result.Result<Once, Invalid.InvalidInput | Idempotency.BodyTooDeep> =>
  Result.all({
    scope: Result.succeed({ partnerId: tenant.partnerId, mode: tenant.mode, endpoint }),
    key: Invalid.at("Idempotency-Key", Idempotency.parseKey(key)),
    fingerprint: Idempotency.fingerprint(body),
  })

/** The same for a request that requires a key. */
export const requireOnce = (
  key: string | undefined,
  request: Request,
): Result.Result<Once, MissingIdempotencyKey | Invalid.InvalidInput | Idempotency.BodyTooDeep> =>
  key === undefined
    ? Result.fail(
        new MissingIdempotencyKey({ message: "send an Idempotency-Key: one for each new object" }),
      )
    : once(key, request)

/** How responses of one kind are stored as text. */
interface Codec<A> {
  readonly decode: (text: string) => A
  readonly encode: (written: A) => string
}

/** What a request wrote, and whether an earlier one with its key wrote it. */
export interface Responded<A> {
  readonly written: A
  readonly replayed: boolean
}

/** What an earlier request with the key wrote; null if there was none, as without a key. */
export const earlier = Effect.fnUntraced(function* <A>(asked: Once | null, stored: Codec<A>) {
  if (asked === null) return null
  const now = yield* Clock.currentTimeMillis
  const response = yield* (yield* ResponseStore).storedResponse(asked, now)
  if (response === null) return null
  const responded: Responded<A> = { written: stored.decode(response), replayed: true }
  return responded
})

/** Runs a write once per key, if there is one, and remembers what it wrote. A repeated request gets that. */
export const respondOnce = Effect.fnUntraced(function* <A, E, R>(
  asked: Once | null,
  stored: Codec<A>,
  write: Effect.Effect<A, E, R>,
) {
  if (asked === null) {
    const responded: Responded<A> = { written: yield* write, replayed: false }
    return responded
  }
  const now = yield* Clock.currentTimeMillis
  const { replayed, response } = yield* (yield* ResponseStore).respondOnce(
    asked,
    now,
    Effect.map(write, stored.encode),
  )
  const responded: Responded<A> = { written: stored.decode(response), replayed }
  return responded
})

/** The same, and records it the first time. */
export const respond = <A, E, R>(
  asked: Once | null,
  stored: Codec<A>,
  write: Effect.Effect<A, E, R>,
  deedOf: (written: A) => AuditLog.Deed | null,
) =>
  recordDeed(respondOnce(asked, stored, write), ({ replayed, written }) =>
    replayed ? null : deedOf(written),
  )

/**
 * How responses of one kind are stored as text. Text that cannot be read was not written by this release. That is a
 * defect, because the object exists and must not be created again.
 */
export const codec = <A, I>(schema: Schema.Codec<A, I>) => {
  const text = Schema.fromJsonString(Schema.toCodecJson(schema))
  return { decode: Schema.decodeSync(text), encode: Schema.encodeSync(text) }
}
