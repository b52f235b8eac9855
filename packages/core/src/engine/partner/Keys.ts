/**
 * Authenticates callers: creates, looks up, rotates and revokes keys.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Limits from "../../domain/ground/Limits.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import type * as PartnerId from "../../domain/ground/PartnerId.ts"
import * as Version from "../../domain/ground/Version.ts"
import * as Credit from "../../domain/money/Credit.ts"
import * as Fees from "../../domain/money/Fees.ts"
import * as ApiKey from "../../domain/partner/ApiKey.ts"
import * as AuditLog from "../../domain/partner/AuditLog.ts"
import * as Merchant from "../../domain/partner/Merchant.ts"
import * as PartnerLimits from "../../domain/partner/PartnerLimits.ts"
import * as PayoutPolicy from "../../domain/partner/PayoutPolicy.ts"
import type * as PageToken from "../../domain/payment/PageToken.ts"
import { AccountStore, findPartner, type KeyWithPartner } from "../../ports/AccountStore.ts"
import { Identifiers } from "../../ports/Identifiers.ts"
import { idReader, requireOne } from "../../ports/StorageError.ts"
import { recordChange, recordDeed } from "../record/AuditLog.ts"
import * as Namesakes from "./Namesakes.ts"

/** A caller with a valid key: its owner, its mode, and the API version it is pinned to. */
export type KeyHolder =
  | {
      readonly _tag: "Partner"
      readonly mode: Mode.Mode
      readonly partner: Merchant.Partner
      /** The key or app that failures of this caller's submissions are charged to. */
      readonly key?: string
    }
  | {
      readonly _tag: "Wallet"
      readonly mode: Mode.Mode
      readonly name: string
      readonly iconUrl: string | null
      readonly versionPin: Version.Version
      readonly profile?: ApiKey.Profile
      readonly key?: string
    }

/** A person or a system of the operator, with a key for the operator's API or in this process. */
export interface Operator {
  readonly _tag: "Operator"
  readonly name: string | null
  readonly scopes: ReadonlyArray<ApiKey.Scope>
}

/** A hosted page of the service: it reaches one payment. */
export interface Page extends PageToken.Pass {
  readonly _tag: "Page"
}

export type Caller = KeyHolder | Page

/**
 * What failures of a caller are charged to, in addition to the payment's own budget; nothing for a hosted page of the service.
 */
export const keyOf = (caller: Caller): string | undefined =>
  caller._tag === "Page" ? undefined : caller.key

export const versionPin = (caller: Caller | Operator): Version.Version => {
  switch (caller._tag) {
    case "Partner":
      return caller.partner.versionPin
    case "Wallet":
      return caller.versionPin
    case "Operator":
    case "Page":
      return Version.newestStable
  }
}

/** The profile of a caller, if it has one. It applies whichever header names the version. */
export const profile = (caller: Caller | Operator): ApiKey.Profile | undefined =>
  caller._tag === "Wallet" ? caller.profile : undefined

/** A caller, and the key that identified it. */
export interface Known {
  readonly caller: KeyHolder | Operator
  readonly keyId: ApiKey.ApiKeyId
  readonly scopes: ReadonlyArray<ApiKey.Scope>
  readonly mayCallFrom: (address: string | null) => boolean
  /** Absent for a key of a program. */
  readonly use?: ApiKey.Use
}

/**
 * Finds the caller of a key that was read, or refuses it. An unknown key is refused in the same way as a revoked one.
 */
export const find = ({ hash }: Pick<ApiKey.Parsed, "hash">) =>
  AccountStore.pipe(
    Effect.flatMap((accounts) => accounts.keyByHash(hash)),
    Effect.catchTag("NotFound", () => Effect.fail(ApiKey.invalid("unknown"))),
    Effect.flatMap((found) => Effect.flatMap(Clock.currentTimeMillis, (now) => admit(found, now))),
  )

const admit = (found: KeyWithPartner, now: number) => {
  const { key } = found
  // Checked at each call, because the storage may remember a key for a moment while time passes.
  const checked = Result.flatMap(ApiKey.check(key, now), () => callerOf(found))
  if (Result.isFailure(checked)) return Effect.fail(checked.failure)
  const caller = checked.success
  const known: Known = {
    caller: caller._tag === "Operator" ? caller : { ...caller, key: key.id },
    keyId: key.id,
    scopes: ApiKey.scopesOf(key),
    mayCallFrom: (address) => ApiKey.mayCallFrom(key, address),
    ...(key.use !== undefined && { use: key.use }),
  }
  return isUseUnknown(key, now) ? Effect.as(noteUse(key, now), known) : Effect.succeed(known)
}

const callerOf = ({
  key,
  partner,
}: KeyWithPartner): Result.Result<KeyHolder | Operator, ApiKey.InvalidApiKey> => {
  const { mode, owner } = key
  if (owner._tag === "Operator") {
    return Result.succeed({ ...owner, scopes: ApiKey.scopesOf(key) })
  }
  if (mode === null) return Result.fail(ApiKey.invalid("unknown"))
  if (owner._tag === "Wallet") return Result.succeed({ mode, ...owner })
  return partner === null
    ? Result.fail(ApiKey.invalid("unknown"))
    : Result.succeed({ _tag: "Partner", mode, partner })
}

const isUseUnknown = ({ lastUsedAt }: ApiKey.ApiKey, now: number): boolean =>
  lastUsedAt === null || now - lastUsedAt >= Limits.keyUseNotedInMs

/** Records that a key is in use. If this cannot be recorded, the caller is let in nevertheless. */
const noteUse = Effect.fnUntraced(function* ({ id }: ApiKey.ApiKey, now: number) {
  yield* Effect.ignore(modify(id, (current) => Result.succeed(ApiKey.recordUse(current, now))))
})

const creditIn =
  (mode: Mode.Mode) =>
  ({ credit }: Merchant.Partner): AuditLog.Value => {
    const granted = credit?.[mode]
    return granted === undefined ? null : Credit.format(granted)
  }

/** The limits of a mode in one text, each as an operator writes it; null if none is set. */
const limitsIn =
  (mode: Mode.Mode) =>
  ({ limits }: Merchant.Partner): AuditLog.Value => {
    const set = Object.entries(PartnerLimits.format(limits?.[mode] ?? PartnerLimits.none))
      .filter(([, value]) => value !== null && value !== false)
      .map(([name, value]) => `${name}: ${value}`)
    return set.length === 0 ? null : set.join("; ")
  }

/** Fees as the audit log shows them. */
export const feeTexts = (terms: Fees.FeeTerms) => ({
  percentage: Fees.formatPercentage(terms.percentage),
  fixed: terms.fixed.map(({ currency, quantity }) => `${quantity} iso4217/${currency}`).join(", "),
  returned: terms.returned ?? "never",
})

const ofPartner = AuditLog.deeds<Merchant.Partner>(
  {
    kept: {
      name: ({ name }) => name,
      versionPin: (partner) => partner.versionPin,
      feePercentage: ({ feeTerms }) => feeTexts(feeTerms).percentage,
      feeFixed: ({ feeTerms }) => feeTexts(feeTerms).fixed,
      feeReturned: ({ feeTerms }) => feeTexts(feeTerms).returned,
      isSuspended: ({ suspendedAt }) => suspendedAt !== undefined,
      isFrozen: ({ frozenAt }) => frozenAt !== undefined,
      secondPerson: ({ secondPerson }) => secondPerson ?? false,
      payouts: ({ payouts }) => (payouts === undefined ? null : PayoutPolicy.format(payouts)),
      testCredit: creditIn("test"),
      liveCredit: creditIn("live"),
      testLimits: limitsIn("test"),
      liveLimits: limitsIn("live"),
    },
  },
  ({ id }) => ({ partnerId: id, mode: null, subject: id }),
)

/** The audit entry for a change of a partner; null if nothing changed. */
export const partnerDeed = (before: Merchant.Partner | null, after: Merchant.Partner) =>
  ofPartner(before === null ? "partner.created" : "partner.changed", before, after)

export const keyDeed = AuditLog.deeds<ApiKey.ApiKey>(
  {
    kept: {
      hint: ({ hint }) => hint,
      kind: ({ owner }) => ApiKey.kindOf(owner),
      name: ({ name }) => name,
      wallet: ({ owner }) => (owner._tag === "Wallet" ? owner.name : null),
      operator: ({ owner }) => (owner._tag === "Operator" ? owner.name : null),
      iconUrl: ({ owner }) => (owner._tag === "Wallet" ? owner.iconUrl : null),
      profile: ({ owner }) => (owner._tag === "Wallet" ? (owner.profile ?? null) : null),
      scopes: (key) => ApiKey.scopesOf(key).join(","),
      from: ({ from }) => from?.join(",") ?? null,
      use: ({ use }) => use ?? null,
      passkey: ({ passkey }) => passkey?.label ?? null,
      freshUntil: ({ freshUntil }) => freshUntil ?? null,
      expiresAt: ({ expiresAt }) => expiresAt,
      isRevoked: ({ revokedAt }) => revokedAt !== null,
      madeBy: ({ madeBy }) => madeBy?.at(-1) ?? null,
      successor: ({ rotation }) => rotation?.to ?? null,
      goodUntil: ({ rotation }) => rotation?.graceEndsAt ?? null,
    },
  },
  (key) => ({ partnerId: ApiKey.partnerIdOf(key), mode: key.mode, subject: key.id }),
)

const readId = idReader("key", ApiKey.ApiKeyId)

/** A key, also one that has ended. Text that cannot be a key's id is treated like an unknown id. */
export const get = Effect.fnUntraced(function* (text: string) {
  const id = yield* Effect.fromResult(readId(text))
  return yield* requireOne("key", (yield* AccountStore).keys({ id }, null))
})

/** Changes one key by a decision. */
export const modify = <E>(
  id: ApiKey.ApiKeyId,
  decide: (current: ApiKey.ApiKey) => Result.Result<ApiKey.ApiKey, E>,
) =>
  Effect.flatMap(AccountStore, (accounts) =>
    accounts.modifyKey(id, (current) =>
      Result.map(decide(current), (changed) => ({ result: changed, keys: [changed] })),
    ),
  )

/** Changes one key by a decision, and records it. */
export const change = <E>(
  id: ApiKey.ApiKeyId,
  action: AuditLog.Action,
  decide: (current: ApiKey.ApiKey) => Result.Result<ApiKey.ApiKey, E>,
) =>
  recordChange(
    (decided) => modify(id, decided),
    decide,
    (before, after) => keyDeed(action, before, after),
  )

/** Reads a key, and keeps others from changing it until the transaction ends. */
export const lock = (id: ApiKey.ApiKeyId) =>
  Effect.flatMap(AccountStore, (accounts) =>
    accounts.modifyKey(id, (current) => Result.succeed({ result: current, keys: [] })),
  )

interface NewPartner {
  readonly name: string
  readonly feeTerms: Fees.FeeTerms
  readonly versionPin?: Version.Version
  readonly payouts?: PayoutPolicy.PayoutPolicy
  readonly credit?: Credit.Granted
  readonly limits?: PartnerLimits.ByMode
}

/** Adds a partner, and records it. If a partner with its id exists, nothing is written. */
const addPartner = Effect.fnUntraced(function* (id: PartnerId.PartnerId, input: NewPartner) {
  const accounts = yield* AccountStore
  // A name that is refused is not compared.
  const named = yield* Effect.fromResult(Merchant.createPartner({ ...input, id }))
  const comparing = Namesakes.find(id, input.name)
  const added = yield* Namesakes.naming(id, comparing, ({ likenesses }) => {
    const partner: Merchant.Partner = { ...named, likenesses }
    return Effect.map(accounts.addPartner(partner), (isNamed) => ({
      written: isNamed ? partner : null,
      isNamed,
      deed: isNamed ? partnerDeed(null, partner) : null,
    }))
  })
  return added ?? (yield* findPartner(accounts, id))
})

export const createPartner = Effect.fn("Keys.createPartner")(function* (input: NewPartner) {
  return yield* addPartner(yield* (yield* Identifiers).partner, input)
})

/**
 * Returns the partner that an embedder identifies by its own key, and creates it the first time. An existing partner is
 * not changed, because the operator may have changed it since.
 */
export const ensurePartner = Effect.fn("Keys.ensurePartner")(function* (
  key: string,
  input: NewPartner,
) {
  const id = yield* Effect.fromResult(Merchant.partnerIdOfKey(key))
  const [known] = yield* (yield* AccountStore).partners([id])
  return known ?? (yield* addPartner(id, input))
})

/** Creates a key. Its text is only in the response. */
export const issue = Effect.fn("Keys.issue")(function* (
  input: ApiKey.Restriction & {
    readonly mode: Mode.Mode | null
    readonly owner: ApiKey.Owner
    readonly name: string
    /** Epoch milliseconds, or null for a key that does not expire. */
    readonly expiresAt: number | null
    readonly madeBy?: ReadonlyArray<ApiKey.ApiKeyId>
  },
) {
  const accounts = yield* AccountStore
  const fresh = yield* freshKey(input.expiresAt)
  const issued = yield* Effect.fromResult(
    ApiKey.issue({ ...fresh, ...input }, yield* Clock.currentTimeMillis),
  )
  yield* recordDeed(accounts.putKeys([issued.record]), () =>
    keyDeed("key.created", null, issued.record),
  )
  return issued
})

export const freshKey = Effect.fnUntraced(function* (expiresAt: number | null) {
  const identifiers = yield* Identifiers
  return {
    id: yield* identifiers.key,
    random: yield* identifiers.randomBytes(ApiKey.randomBytesMin),
    expiresAt,
  }
})

/** Gives a key a successor; both are valid during the grace period. It is of the key `by` that requests it, if one does. */
export const rotate = Effect.fn("Keys.rotate")(function* (
  id: ApiKey.ApiKeyId,
  expiresAt: number | null,
  by?: ApiKey.ApiKey,
) {
  const fresh = yield* freshKey(expiresAt)
  const now = yield* Clock.currentTimeMillis
  const accounts = yield* AccountStore
  const { next } = yield* recordChange(
    (decide) => accounts.modifyKey(id, decide),
    (current: ApiKey.ApiKey) =>
      Result.map(ApiKey.rotate(current, fresh, now, by), (rotated) => ({
        result: rotated,
        keys: [rotated.previous, rotated.next.record],
      })),
    (before, { previous }) => keyDeed("key.rotated", before, previous),
  )
  return next
})

/** Changes the name and the icon of a wallet, as merchants see them. The wallet's other keys have their own. */
export const changeWallet = Effect.fn("Keys.changeWallet")(function* (
  id: ApiKey.ApiKeyId,
  shown: ApiKey.Shown,
) {
  return yield* change(id, "key.changed", (current) => ApiKey.changeWallet(current, shown))
})

export const revokeOne = (
  id: ApiKey.ApiKeyId,
  now: number,
  action: AuditLog.Action = "key.revoked",
) => change(id, action, (current) => Result.succeed(ApiKey.revoke(current, now)))

/** What a revocation affects: the current key, the valid keys of its partner, and those of them that end. */
export interface Ending {
  readonly key: ApiKey.ApiKey
  readonly good: ReadonlyArray<ApiKey.ApiKey>
  readonly ends: ReadonlyArray<ApiKey.ApiKey>
}

/** Ends a key immediately, together with the keys that it created, in one transaction, if `judge` allows it. */
export const revoke = Effect.fn("Keys.revoke")(function* <E = never, R = never>(
  id: ApiKey.ApiKeyId,
  judge: (ending: Ending) => Effect.Effect<void, E, R> = () => Effect.void,
) {
  const now = yield* Clock.currentTimeMillis
  const accounts = yield* AccountStore
  const write = Effect.gen(function* () {
    // Locked first, so that the key creates no more keys after its keys were read.
    const key = yield* lock(id)
    const all = yield* accounts.keys(ApiKey.partnerIdOf(key), null)
    const good = all.filter((each) => Result.isSuccess(ApiKey.check(each, now)))
    const ends = ApiKey.endingWith(key, all, now).filter((each) => each.id !== id)
    yield* judge({ key, good, ends })
    yield* Effect.forEach(ends, (each) => revokeOne(each.id, now), { discard: true })
    return { revoked: yield* revokeOne(id, now), ends }
  })
  return yield* recordDeed(write, () => null)
})

/** A partner's keys, or those of all wallets and operators if no partner is given; newest first, without their text. */
export const list = Effect.fn("Keys.list")(function* (partnerId: PartnerId.PartnerId | null) {
  const all = yield* (yield* AccountStore).keys(partnerId, null)
  return all.filter(({ approval }) => approval === undefined)
})
