/**
 * Answers that are given once per Idempotency-Key, and how they are remembered.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Idempotency from "../domain/Idempotency.ts"
import type { Tenant } from "../ports/AccountStore.ts"
import type { Once } from "../ports/AnswerStore.ts"

/** The request must name an Idempotency-Key, and does not. */
export class MissingIdempotencyKey extends Schema.TaggedError<MissingIdempotencyKey>()(
  "MissingIdempotencyKey",
  { message: Schema.String },
) {}

/** A request as far as its answer is concerned. */
export interface Request {
  readonly tenant: Tenant
  /** Method and path, with the ids in it. */
  readonly endpoint: string
  /** Everything that makes it this request and no other. */
  readonly body: Schema.Json
}

/**
 * Makes the bodies of requests of one kind, by their schema: everything that such a request may say, and nothing else.
 * What is undefined is not there.
 */
export const bodyOf = <A, I>(schema: Schema.Codec<A, I>) => {
  const encode = Schema.encodeSync(schema, { disableChecks: true })
  return (request: A): Schema.Json => JSON.parse(JSON.stringify(encode(request)))
}

/** Reads the key of a request that is answered once. */
export const once = (
  key: string,
  { body, endpoint, tenant }: Request,
): Result.Result<Once, Idempotency.InvalidIdempotencyKey | Idempotency.BodyTooDeep> =>
  Result.all({
    scope: Result.succeed({ partnerId: tenant.partnerId, mode: tenant.mode, endpoint }),
    key: Idempotency.parseKey(key),
    fingerprint: Idempotency.fingerprint(body),
  })

/** The same where a key is required. */
export const requireOnce = (
  key: string | undefined,
  request: Request,
): Result.Result<
  Once,
  MissingIdempotencyKey | Idempotency.InvalidIdempotencyKey | Idempotency.BodyTooDeep
> =>
  key === undefined
    ? Result.fail(
        new MissingIdempotencyKey({ message: "send an Idempotency-Key: one for each new object" }),
      )
    : once(key, request)

/**
 * How answers of one kind are kept as text. Text that does not read was not written by this release: a defect, as the
 * object exists and must not be made again.
 */
export const codec = <A, I>(schema: Schema.Codec<A, I>) => {
  const text = Schema.fromJsonString(Schema.toCodecJson(schema))
  return { decode: Schema.decodeSync(text), encode: Schema.encodeSync(text) }
}
