/**
 * The account to which a merchant's share of a token goes. Each merchant has at most one destination per token.
 *
 * A change takes effect after a delay, because a person with a leaked key could request it too. Until then shares in
 * the token wait: the old account may be lost, and the new one a thief's.
 *
 * @module
 */
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Caip from "../chain/Caip.ts"
import * as Catalog from "../chain/Catalog.ts"
import * as DeadEnd from "../chain/DeadEnd.ts"
import * as Family from "../chain/Family.ts"
import * as Conflict from "../ground/Conflict.ts"
import * as Invalid from "../ground/Invalid.ts"
import * as Limits from "../ground/Limits.ts"
import * as Malformed from "../ground/Malformed.ts"
import * as MerchantId from "../ground/MerchantId.ts"
import type * as Mode from "../ground/Mode.ts"

export type SettlementDestinationId = Brand.Branded<string, "SettlementDestinationId">
export const SettlementDestinationId = Schema.String.check(
  Schema.isPattern(/^crypto_[0-9A-Za-z]{1,64}$/u),
).pipe(Schema.fromBrand("SettlementDestinationId", Brand.nominal<SettlementDestinationId>()))

/** An account, and the text in which it was sent. */
const Named = Schema.Struct({ destination: Caip.Account, destinationText: Schema.String })

export interface SettlementDestination extends Schema.Schema.Type<typeof SettlementDestination> {}
export const SettlementDestination = Schema.Struct({
  id: SettlementDestinationId,
  merchantId: MerchantId.MerchantId,
  token: Caip.Token,
  destination: Caip.Account,
  /** The asset as it was sent: responses repeat it letter by letter. */
  assetText: Schema.String,
  /** The destination as it was sent. */
  destinationText: Schema.String,
  createdAt: Schema.Int,
  /** The earliest time at which the account is paid; absent if it is paid since it was named. */
  takesEffectAt: Schema.optionalKey(Schema.Int),
  /** The statement that its account must still sign to prove control; absent if there is none. Until then it waits. */
  statement: Schema.optionalKey(Schema.String),
  /** The account in effect before a waiting change; absent if there was none. Naming it again cancels the change. */
  before: Schema.optionalKey(Named),
  /** How many of its changes were announced; absent if none was. */
  changes: Schema.optionalKey(Schema.Int),
  /**
   * Deleted destinations are kept: a new one for the token counts as a change, and shares that waited by then still go
   * there.
   */
  deletedAt: Schema.optionalKey(Schema.Int),
})

/** The merchant already has a destination for this asset, or the call names the asset twice. */
export class SettlementAssetConflict extends Schema.TaggedError<SettlementAssetConflict>()(
  "SettlementAssetConflict",
  { field: Schema.String, message: Schema.String },
) {}

/** A caller's entry, next to the id that it will have. */
export interface Entry {
  readonly id: SettlementDestinationId
  readonly asset: string
  readonly destination: string
}

const parseDestination = (
  text: string,
  token: Caip.Token | undefined,
  known: DeadEnd.Known,
  advice = "use an account of the merchant",
): Result.Result<Caip.Account, Malformed.Malformed> =>
  Result.flatMap(Family.parseAccount(known.catalog, text), (account) => {
    if (token !== undefined && account.chainId !== token.chainId) {
      return Malformed.fail(`the destination must be on the asset's chain, ${token.chainId}`)
    }
    const deadEnd = DeadEnd.of(account, known)
    return deadEnd === undefined
      ? Result.succeed(account)
      : Malformed.fail(`the destination is ${deadEnd}: ${advice}`)
  })

const key = Caip.tokenKey

/** A decoded entry: the token and its destination. */
export type Read = Pick<
  SettlementDestination,
  "id" | "token" | "destination" | "assetText" | "destinationText"
>

/** Reads 1 to 50 entries, in their order, or reports everything that is wrong with any of them. */
export const read = (
  entries: ReadonlyArray<Entry>,
  known: DeadEnd.Known,
): Result.Result<ReadonlyArray<Read>, Invalid.InvalidInput> => {
  if (entries.length < 1 || entries.length > Limits.settlementsPerCallMax) {
    return Invalid.fail("settlements", `must have 1 to ${Limits.settlementsPerCallMax} entries`)
  }
  const all = entries.map(({ asset: assetText, destination: destinationText, id }, index) => {
    const asset = Catalog.parseServed(known.catalog, assetText)
    const destination = parseDestination(destinationText, Result.getOrUndefined(asset), known)
    const parts = Invalid.all({
      token: Invalid.at(`settlements[${index}].asset`, asset),
      destination: Invalid.at(`settlements[${index}].destination`, destination),
    })
    return Result.map(parts, (parsed) => ({ id, ...parsed, assetText, destinationText }))
  })
  return Invalid.all(all)
}

/**
 * Registers destinations of one merchant, all or none of them.
 *
 * @param existing the destinations that the merchant has already registered
 */
export const create = (
  merchantId: MerchantId.MerchantId,
  entries: ReadonlyArray<Read>,
  existing: ReadonlyArray<SettlementDestination>,
  now: number,
): Result.Result<ReadonlyArray<SettlementDestination>, SettlementAssetConflict> => {
  const registered = new Set(existing.map((each) => key(each.token)))
  const seen = new Set<string>()
  for (const [index, { token }] of entries.entries()) {
    const twice = seen.has(key(token))
    if (twice || registered.has(key(token))) {
      return Result.fail(
        new SettlementAssetConflict({
          field: `settlements[${index}].asset`,
          message: twice
            ? "the asset is named twice in this call: name it once"
            : "the merchant already has a destination for this asset: change that one instead",
        }),
      )
    }
    seen.add(key(token))
  }
  return Result.succeed(entries.map((each) => ({ ...each, merchantId, createdAt: now })))
}

/** Reads a new destination, for any asset. `advice` says which account to use instead of one that nobody owns. */
export const readDestination = (
  text: string,
  known: DeadEnd.Known,
  advice?: string,
): Result.Result<Caip.Account, Invalid.InvalidInput> =>
  Invalid.at("destination", parseDestination(text, undefined, known, advice))

/** Reads another account for a destination. */
export const changeDestination = (
  current: SettlementDestination,
  text: string,
  known: DeadEnd.Known,
): Result.Result<SettlementDestination, Invalid.InvalidInput> =>
  Result.map(
    Invalid.at("destination", parseDestination(text, current.token, known)),
    (destination) => ({ ...current, destination, destinationText: text }),
  )

// --- when it takes effect

/** Whether it was not deleted. */
export const isRegistered = ({ deletedAt }: SettlementDestination): boolean =>
  deletedAt === undefined

/** Whether shares go to its account. While a change waits, neither the new nor the old account is paid. */
export const isInEffect = (
  { statement, takesEffectAt }: SettlementDestination,
  now: number,
): boolean => statement === undefined && (takesEffectAt === undefined || takesEffectAt <= now)

/** The destination with its waiting change in effect. */
const effective = (destination: SettlementDestination): SettlementDestination =>
  Struct.omit(destination, ["before", "statement", "takesEffectAt"])

/** A destination at a time: a change whose time has come no longer waits. */
export const asOf = (destination: SettlementDestination, now: number): SettlementDestination =>
  isInEffect(destination, now) ? effective(destination) : destination

/**
 * The account to which shares are to go at a time: while a change waits, the account before it. A first account that
 * has not signed yet is also named, because the shares wait for it. Null if there was none.
 */
export const accountAt = (destination: SettlementDestination, now: number): Caip.Account | null => {
  const { before, destination: account, statement } = destination
  return isInEffect(destination, now) || (before === undefined && statement !== undefined)
    ? account
    : (before?.destination ?? null)
}

/** The same of a merchant's last destination for a token: also null if it has none, or deleted it. */
export const registeredAt = (
  last: SettlementDestination | undefined,
  now: number,
): Caip.Account | null => (last !== undefined && isRegistered(last) ? accountAt(last, now) : null)

/** Counts one more announced change. */
const announced = (destination: SettlementDestination): SettlementDestination => ({
  ...destination,
  changes: (destination.changes ?? 0) + 1,
})

/** How long changes wait, for each mode. */
export type DelayByMode = { readonly [M in Mode.Mode]: number }

/** The service's default: a day is enough to notice an unwanted change, and tests should not wait. */
export const delays: DelayByMode = { live: 24 * 60 * 60_000, test: 0 }

/** The delay after which a change made now takes effect. */
export interface Delay {
  readonly delayInMs: number
  readonly now: number
  /** The mode, if an account must prove control by a signature before it is paid. */
  readonly provenIn?: Mode.Mode
}

/** The statement that an account signs to prove control. The destination's id makes it valid for this one alone. */
const statementOf = (
  { destination, id, merchantId, token }: SettlementDestination,
  mode: Mode.Mode,
): string =>
  [
    "I control this account. The payouts of this merchant are to go to it.",
    `Account: ${Caip.accountKey(destination)}`,
    `Token: ${Caip.tokenKey(token)}`,
    `Merchant: ${merchantId}`,
    `Mode: ${mode}`,
    `Number: ${id}`,
  ].join("\n")

/** A destination whose account must still sign, if proof is required. */
const unproven = (destination: SettlementDestination, { provenIn }: Delay): SettlementDestination =>
  provenIn === undefined
    ? destination
    : { ...destination, statement: statementOf(destination, provenIn) }

const delayed = (destination: SettlementDestination, delay: Delay): SettlementDestination => {
  const rest = Struct.omit(destination, ["statement", "takesEffectAt"])
  const { delayInMs, now } = delay
  const waits = delayInMs === 0 ? rest : { ...rest, takesEffectAt: now + delayInMs }
  return announced(asOf(unproven(waits, delay), now))
}

/** A merchant's history before it registers a destination. */
export interface Past {
  /** The last destination of each token without a current one. */
  readonly deleted: ReadonlyArray<SettlementDestination>
  /** The tokens in which it has open shares. */
  readonly owed: ReadonlyArray<Caip.Token>
}

/** The merchant's earlier destination for the same token. */
export const predecessor = (
  { token }: Pick<SettlementDestination, "token">,
  { deleted }: Past,
): SettlementDestination | undefined => deleted.find((each) => Caip.sameToken(each.token, token))

/**
 * Registers a new destination. It counts as a change, unless the merchant never had one for the token and is owed
 * nothing.
 */
export const register = (
  created: SettlementDestination,
  past: Past,
  delay: Delay,
): SettlementDestination =>
  predecessor(created, past) === undefined &&
  !past.owed.some((token) => Caip.sameToken(token, created.token))
    ? unproven(created, delay)
    : delayed(created, delay)

/** Changes the account of a destination. Naming the account in effect cancels a waiting change. */
export const change = (
  current: SettlementDestination,
  { destination, destinationText }: typeof Named.Type,
  delay: Delay,
): SettlementDestination => {
  const at = asOf(current, delay.now)
  const next = { ...at, destination, destinationText }
  if (Caip.sameAccount(at.destination, destination)) return next
  const inEffect = accountAt(at, delay.now)
  if (inEffect !== null && Caip.sameAccount(inEffect, destination)) {
    return announced(effective(next))
  }
  const { destination: account, destinationText: text } = at
  return delayed(
    isInEffect(at, delay.now)
      ? { ...next, before: { destination: account, destinationText: text } }
      : next,
    delay,
  )
}

/**
 * Makes a change take effect now. The account must be named, so that nobody confirms a change that came after the
 * review.
 */
export const confirm = (
  current: SettlementDestination,
  account: Caip.Account,
  now: number,
): Result.Result<SettlementDestination, Conflict.Conflict> => {
  if (isInEffect(current, now)) {
    return Result.fail(
      Conflict.of("this destination has no pending change: there is nothing to confirm"),
    )
  }
  return Caip.sameAccount(current.destination, account)
    ? Result.succeed(announced(effective(current)))
    : Result.fail(
        Conflict.of(
          "the pending change has another account: look at the merchant's destinations again",
        ),
      )
}

/** Its account signed: it is in effect when its change is. The account must be named, so that no other is meant. */
export const prove = (
  current: SettlementDestination,
  account: Caip.Account,
  now: number,
): Result.Result<SettlementDestination, Invalid.InvalidInput> => {
  if (!Caip.sameAccount(current.destination, account)) {
    return Invalid.fail(
      "destination",
      "the proof is for another account: send the registered destination",
    )
  }
  const { statement, ...rest } = current
  return Result.succeed(statement === undefined ? current : announced(asOf(rest, now)))
}

/**
 * Deletes it. The account in effect is kept for waiting shares; an account that never was in effect never gets them.
 */
export const remove = (current: SettlementDestination, now: number): SettlementDestination => {
  const at = asOf(current, now)
  const gone = announced({ ...at, deletedAt: now })
  return at.before === undefined ? gone : effective({ ...gone, ...at.before })
}

/** Where a share goes. */
export type Route =
  | { readonly _tag: "Pays"; readonly account: Caip.Account }
  /** Not before this time. */
  | { readonly _tag: "Waits"; readonly until: number }
  | { readonly _tag: "Owed" }

/**
 * Where a share goes now, by the merchant's last destination for the token, deleted or not. `planned` is its
 * destination when it succeeded; null if it had none.
 */
export const routeOf = (
  planned: Caip.Account | null,
  last: SettlementDestination | undefined,
  now: number,
): Route => {
  if (last !== undefined && isRegistered(last)) {
    if (isInEffect(last, now)) return { _tag: "Pays", account: last.destination }
    const until = last.statement === undefined ? last.takesEffectAt : undefined
    return { _tag: "Waits", until: until ?? Infinity }
  }
  const isUnproven = last?.statement !== undefined
  if (planned === null) return { _tag: "Owed" }
  // The account did not sign: the share waits until another account is registered.
  if (isUnproven && Caip.sameAccount(last.destination, planned)) {
    return { _tag: "Waits", until: Infinity }
  }
  const wasInEffect = last !== undefined && last.takesEffectAt === undefined && !isUnproven
  return { _tag: "Pays", account: wasInEffect ? last.destination : planned }
}
