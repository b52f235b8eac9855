/**
 * Where a merchant's share of a token goes. Each merchant has at most one destination per token.
 *
 * @module
 */
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Caip from "./Caip.ts"
import type * as Catalog from "./Catalog.ts"
import * as DeadEnd from "./DeadEnd.ts"
import * as Family from "./Family.ts"
import * as Invalid from "./Invalid.ts"
import * as Limits from "./Limits.ts"
import * as Merchant from "./Merchant.ts"

export type SettlementDestinationId = Brand.Branded<string, "SettlementDestinationId">
export const SettlementDestinationId = Schema.String.check(
  Schema.isPattern(/^crypto_[0-9A-Za-z]{1,64}$/u),
).pipe(Schema.fromBrand("SettlementDestinationId", Brand.nominal<SettlementDestinationId>()))

export interface SettlementDestination extends Schema.Schema.Type<typeof SettlementDestination> {}
export const SettlementDestination = Schema.Struct({
  id: SettlementDestinationId,
  merchantId: Merchant.MerchantId,
  token: Caip.Token,
  destination: Caip.Account,
  /** The asset as it was sent: answers repeat it letter by letter. */
  assetText: Schema.String,
  /** The destination as it was sent. */
  destinationText: Schema.String,
  createdAt: Schema.Int,
})

/** The merchant already has a destination for this asset, or the call names the asset twice. */
export class SettlementAssetConflict extends Schema.TaggedError<SettlementAssetConflict>()(
  "SettlementAssetConflict",
  { field: Schema.String, message: Schema.String },
) {}

/** What a caller asks for, beside the id that it will have. */
export interface Entry {
  readonly id: SettlementDestinationId
  readonly asset: string
  readonly destination: string
}

const parseAsset = (text: string, catalog: Catalog.Catalog): Result.Result<Caip.Token, string> =>
  Result.match(Family.parseToken(catalog, text, "ignored"), {
    onFailure: (error) => Result.fail(error.message),
    onSuccess: (token) =>
      catalog.served(token) === undefined
        ? Result.fail("the token is not supported on this chain")
        : Result.succeed(token),
  })

const parseDestination = (
  text: string,
  token: Caip.Token | undefined,
  known: DeadEnd.Known,
): Result.Result<Caip.Account, string> =>
  Result.match(Family.parseAccount(known.catalog, text, "enforced"), {
    onFailure: (error) => Result.fail(error.message),
    onSuccess: (account) => {
      if (token !== undefined && account.chainId !== token.chainId) {
        return Result.fail(`the destination must be on the asset's chain, ${token.chainId}`)
      }
      const deadEnd = DeadEnd.of(account, known)
      return deadEnd === undefined
        ? Result.succeed(account)
        : Result.fail(`the destination is ${deadEnd}: use an account of the merchant`)
    },
  })

const key = Caip.tokenKey

/** An entry that was read: where which token goes. */
export type Read = Omit<SettlementDestination, "merchantId" | "createdAt">

/** Reads 1 to 50 entries, in their order, or tells everything that is wrong with any of them. */
export const read = (
  entries: ReadonlyArray<Entry>,
  known: DeadEnd.Known,
): Result.Result<ReadonlyArray<Read>, Invalid.InvalidInput> => {
  if (entries.length < 1 || entries.length > Limits.settlementsPerCallMax) {
    return Invalid.fail("settlements", `must have 1 to ${Limits.settlementsPerCallMax} entries`)
  }
  const issues: Array<Invalid.Issue> = []
  const readable: Array<Read> = []
  for (const [index, entry] of entries.entries()) {
    const asset = parseAsset(entry.asset, known.catalog)
    const token = Result.isSuccess(asset) ? asset.success : undefined
    const destination = parseDestination(entry.destination, token, known)
    if (Result.isFailure(asset)) {
      issues.push(Invalid.issue(`settlements[${index}].asset`, asset.failure))
    }
    if (Result.isFailure(destination)) {
      issues.push(Invalid.issue(`settlements[${index}].destination`, destination.failure))
    }
    if (token !== undefined && Result.isSuccess(destination)) {
      readable.push({
        id: entry.id,
        token,
        destination: destination.success,
        assetText: entry.asset,
        destinationText: entry.destination,
      })
    }
  }
  return Result.map(Invalid.check(issues), () => readable)
}

/**
 * Registers 1 to 50 destinations of one merchant, all or none of them.
 *
 * @param existing what the merchant has registered so far
 */
export const create = (
  merchantId: Merchant.MerchantId,
  entries: ReadonlyArray<Entry>,
  existing: ReadonlyArray<SettlementDestination>,
  known: DeadEnd.Known,
  now: number,
): Result.Result<
  ReadonlyArray<SettlementDestination>,
  Invalid.InvalidInput | SettlementAssetConflict
> => {
  const readable = read(entries, known)
  if (Result.isFailure(readable)) return Result.fail(readable.failure)

  const registered = new Set(existing.map((each) => key(each.token)))
  const seen = new Set<string>()
  for (const [index, { token }] of readable.success.entries()) {
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
  return Result.succeed(
    readable.success.map(({ id, token, destination, assetText, destinationText }) => ({
      id,
      merchantId,
      token,
      destination,
      assetText,
      destinationText,
      createdAt: now,
    })),
  )
}

/** Reads a new destination, whichever asset it is for. */
export const readDestination = (
  text: string,
  known: DeadEnd.Known,
): Result.Result<Caip.Account, Invalid.InvalidInput> =>
  Result.match(parseDestination(text, undefined, known), {
    onFailure: (message) => Invalid.fail("destination", message),
    onSuccess: (account) => Result.succeed(account),
  })

/** Sends future settlements elsewhere. What is already on its way keeps its destination. */
export const changeDestination = (
  current: SettlementDestination,
  text: string,
  known: DeadEnd.Known,
): Result.Result<SettlementDestination, Invalid.InvalidInput> =>
  Result.match(parseDestination(text, current.token, known), {
    onFailure: (message) => Invalid.fail("destination", message),
    onSuccess: (destination) => Result.succeed({ ...current, destination, destinationText: text }),
  })
