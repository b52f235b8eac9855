/**
 * Who is calling: keys are made, looked up, rotated and revoked here.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as ApiKey from "../domain/ApiKey.ts"
import type * as Fees from "../domain/Fees.ts"
import * as Merchant from "../domain/Merchant.ts"
import type * as Mode from "../domain/Mode.ts"
import type * as Version from "../domain/Version.ts"
import { Identifiers } from "../ports/Identifiers.ts"
import { Storage } from "../ports/Storage.ts"

/** A caller whose key is good: whose it is, in which mode, and which version it is pinned to. */
export type Caller =
  | {
      readonly _tag: "Partner"
      readonly mode: Mode.Mode
      readonly partner: Merchant.Partner
    }
  | {
      readonly _tag: "Wallet"
      readonly mode: Mode.Mode
      readonly name: string
      readonly iconUrl: string | null
      readonly versionPin: Version.Version
    }

export const versionPin = (caller: Caller): Version.Version =>
  caller._tag === "Partner" ? caller.partner.versionPin : caller.versionPin

/** Finds the caller of a key, or refuses it; an unknown key is refused like a revoked one. */
export const authenticate = Effect.fn("Keys.authenticate")(function* (text: string) {
  const storage = yield* Storage
  const parsed = yield* Effect.fromResult(ApiKey.parse(text))
  const key = yield* storage
    .keyByHash(parsed.hash)
    .pipe(Effect.catchTag("NotFound", () => Effect.fail(ApiKey.invalid("unknown"))))
  yield* Effect.fromResult(ApiKey.check(key, yield* Clock.currentTimeMillis))
  return yield* callerOf(key)
})

const callerOf = Effect.fnUntraced(function* (key: ApiKey.ApiKey) {
  const { mode, owner } = key
  if (owner._tag === "Wallet") {
    const caller: Caller = { mode, ...owner }
    return caller
  }
  const storage = yield* Storage
  const partner = yield* storage
    .partner(owner.partnerId)
    .pipe(Effect.catchTag("NotFound", () => Effect.fail(ApiKey.invalid("unknown"))))
  const caller: Caller = { _tag: "Partner", mode, partner }
  return caller
})

export const createPartner = Effect.fn("Keys.createPartner")(function* (input: {
  readonly name: string
  readonly feeTerms: Fees.FeeTerms
  readonly versionPin?: Version.Version
}) {
  const storage = yield* Storage
  const id = yield* (yield* Identifiers).partner
  const partner = yield* Effect.fromResult(Merchant.createPartner({ ...input, id }))
  yield* storage.putPartner(partner)
  return partner
})

/** Makes a key. Its text is in the answer and nowhere else. */
export const issue = Effect.fn("Keys.issue")(function* (input: {
  readonly mode: Mode.Mode
  readonly owner: ApiKey.Owner
  readonly name: string
  /** Epoch milliseconds, or null for a key without end. */
  readonly expiresAt: number | null
}) {
  const storage = yield* Storage
  const fresh = yield* freshKey(input.expiresAt)
  const issued = yield* Effect.fromResult(
    ApiKey.issue({ ...fresh, ...input }, yield* Clock.currentTimeMillis),
  )
  yield* storage.putKeys([issued.record])
  return issued
})

const freshKey = Effect.fnUntraced(function* (expiresAt: number | null) {
  const identifiers = yield* Identifiers
  return {
    id: yield* identifiers.key,
    random: yield* identifiers.randomBytes(ApiKey.randomBytesMin),
    expiresAt,
  }
})

/** Gives a key a successor; both are good for the grace period. */
export const rotate = Effect.fn("Keys.rotate")(function* (
  id: ApiKey.ApiKeyId,
  expiresAt: number | null,
) {
  const storage = yield* Storage
  const key = yield* storage.key(id)
  const fresh = yield* freshKey(expiresAt)
  const rotated = yield* Effect.fromResult(
    ApiKey.rotate(key, fresh, yield* Clock.currentTimeMillis),
  )
  yield* storage.putKeys([rotated.previous, rotated.next.record])
  return rotated.next
})

/** Ends a key at once. */
export const revoke = Effect.fn("Keys.revoke")(function* (id: ApiKey.ApiKeyId) {
  const storage = yield* Storage
  const revoked = ApiKey.revoke(yield* storage.key(id), yield* Clock.currentTimeMillis)
  yield* storage.putKeys([revoked])
  return revoked
})

/** A partner's keys, or every wallet's where there is no partner; newest first, without their text. */
export const list = Effect.fn("Keys.list")(function* (partnerId: Merchant.PartnerId | null) {
  return yield* (yield* Storage).keys(partnerId)
})
