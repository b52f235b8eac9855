/**
 * Who is calling: keys are made, looked up, rotated and revoked here.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as ApiKey from "../domain/ApiKey.ts"
import type * as Fees from "../domain/Fees.ts"
import * as Limits from "../domain/Limits.ts"
import * as Merchant from "../domain/Merchant.ts"
import type * as Mode from "../domain/Mode.ts"
import type * as PageToken from "../domain/PageToken.ts"
import * as Version from "../domain/Version.ts"
import { AccountStore, type KeyWithPartner } from "../ports/AccountStore.ts"
import { Identifiers } from "../ports/Identifiers.ts"
import type { NotFound, StorageUnavailable } from "../ports/StorageError.ts"

/** A caller whose key is good: whose it is, in which mode, and which version it is pinned to. */
export type KeyHolder =
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

/** A hosted page of ours: it reaches one payment. */
export interface Page extends PageToken.Pass {
  readonly _tag: "Page"
}

export type Caller = KeyHolder | Page

export const versionPin = (caller: Caller): Version.Version => {
  switch (caller._tag) {
    case "Partner":
      return caller.partner.versionPin
    case "Wallet":
      return caller.versionPin
    case "Page":
      return Version.newestStable
  }
}

/** A caller, and the key that told who it is. */
export interface Known {
  readonly caller: KeyHolder
  readonly keyId: ApiKey.ApiKeyId
}

/** Finds the caller of a key that was read, or refuses it; an unknown key is refused like a revoked one. */
export const find = Effect.fn("Keys.find")(function* ({ hash }: ApiKey.Parsed) {
  const found = yield* Effect.mapError((yield* AccountStore).keyByHash(hash), asInvalid)
  const { key } = found
  const now = yield* Clock.currentTimeMillis
  // Judged at each call: storage may remember a key for a moment, and time goes on.
  yield* Effect.fromResult(ApiKey.check(key, now))
  const caller = yield* Effect.fromResult(callerOf(found))
  if (isUseUnknown(key, now)) yield* noteUse(key, now)
  const known: Known = { caller, keyId: key.id }
  return known
})

const callerOf = ({
  key: { mode, owner },
  partner,
}: KeyWithPartner): Result.Result<KeyHolder, ApiKey.InvalidApiKey> => {
  if (owner._tag === "Wallet") return Result.succeed({ mode, ...owner })
  return partner === null
    ? Result.fail(ApiKey.invalid("unknown"))
    : Result.succeed({ _tag: "Partner", mode, partner })
}

/** The same for the text of a key. */
export const authenticate = (text: string) =>
  Effect.flatMap(Effect.fromResult(ApiKey.parse(text)), find)

const asInvalid = (
  error: NotFound | StorageUnavailable,
): ApiKey.InvalidApiKey | StorageUnavailable =>
  error._tag === "NotFound" ? ApiKey.invalid("unknown") : error

const isUseUnknown = ({ lastUsedAt }: ApiKey.ApiKey, now: number): boolean =>
  lastUsedAt === null || now - lastUsedAt >= Limits.keyUseNotedInMs

/** Notes that a key is in use. That it cannot be noted keeps nobody out. */
const noteUse = Effect.fnUntraced(function* ({ id }: ApiKey.ApiKey, now: number) {
  const noted = (yield* AccountStore).modifyKey(id, (current) =>
    Result.succeed({ answer: undefined, keys: [ApiKey.used(current, now)] }),
  )
  yield* Effect.ignore(noted)
})

export const createPartner = Effect.fn("Keys.createPartner")(function* (input: {
  readonly name: string
  readonly feeTerms: Fees.FeeTerms
  readonly versionPin?: Version.Version
}) {
  const accounts = yield* AccountStore
  const id = yield* (yield* Identifiers).partner
  const partner = yield* Effect.fromResult(Merchant.createPartner({ ...input, id }))
  yield* accounts.putPartner(partner)
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
  const accounts = yield* AccountStore
  const fresh = yield* freshKey(input.expiresAt)
  const issued = yield* Effect.fromResult(
    ApiKey.issue({ ...fresh, ...input }, yield* Clock.currentTimeMillis),
  )
  yield* accounts.putKeys([issued.record])
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
  const fresh = yield* freshKey(expiresAt)
  const now = yield* Clock.currentTimeMillis
  return yield* (yield* AccountStore).modifyKey(id, (current) =>
    Result.map(ApiKey.rotate(current, fresh, now), ({ next, previous }) => ({
      answer: next,
      keys: [previous, next.record],
    })),
  )
})

/** Ends a key at once. */
export const revoke = Effect.fn("Keys.revoke")(function* (id: ApiKey.ApiKeyId) {
  const now = yield* Clock.currentTimeMillis
  return yield* (yield* AccountStore).modifyKey(id, (current) => {
    const revoked = ApiKey.revoke(current, now)
    return Result.succeed({ answer: revoked, keys: [revoked] })
  })
})

/** A partner's keys, or every wallet's where there is no partner; newest first, without their text. */
export const list = Effect.fn("Keys.list")(function* (partnerId: Merchant.PartnerId | null) {
  return yield* (yield* AccountStore).keys(partnerId)
})
