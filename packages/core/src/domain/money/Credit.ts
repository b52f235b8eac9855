/**
 * The credit that an operator lends a partner. It pays what refunds take beyond the merchant's own shares: what the
 * merchant already had, and the fee.
 *
 * Credit is granted in currencies, for each mode. A merchant's debt in a token counts at the token's peg, one to one,
 * no matter its market price. A debt in a token without a peg has no known value, so it leaves no credit at all.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Asset from "../chain/Asset.ts"
import * as Caip from "../chain/Caip.ts"
import type * as Catalog from "../chain/Catalog.ts"
import * as Invalid from "../ground/Invalid.ts"
import type * as Mode from "../ground/Mode.ts"
import * as Amount from "./Amount.ts"

export type Credit = typeof Credit.Type
export const Credit = Schema.TaggedUnion({
  /** As much as the float holds. */
  Unlimited: {},
  /** A limit for each currency, in its minor units; other currencies have no credit. */
  Limited: { amounts: Schema.Array(Amount.OfCurrency) },
})

export const unlimited: Credit = { _tag: "Unlimited" }
export const none: Credit = { _tag: "Limited", amounts: [] }

/** The credit of each mode. */
export type ByMode = { readonly [M in Mode.Mode]: Credit }

/** What an operator granted one partner; a mode that is absent has the service's default. */
export interface Granted extends Schema.Schema.Type<typeof Granted> {}
export const Granted = Schema.Struct({
  test: Schema.optionalKey(Credit),
  live: Schema.optionalKey(Credit),
})

/** Test money is worth nothing; live money is lent only when the operator decides so. */
export const defaults: ByMode = { test: unlimited, live: none }

/** What a merchant owes in a token. */
export interface Debt {
  readonly merchantId: string
  readonly token: Caip.Token
  readonly quantity: bigint
}

/** A partner's credit, and the assets from which the value of a debt is computed. */
export interface Terms {
  readonly credit: Credit
  readonly assets: Pick<Catalog.Catalog, "find">
}

/** A refund that may leave its merchant with a debt. */
export interface Draw extends Terms, Omit<Debt, "quantity"> {
  /** The part of it that only the operator pays. */
  readonly lent: bigint
}

/** In the smallest parts that any token counts in, so that tokens of all decimals add up. */
const scaled = (quantity: bigint, decimals: number): bigint =>
  quantity * 10n ** BigInt(Asset.decimalsMost - decimals)

/** Whether the credit is enough for all of these debts. */
export const covers = (
  { assets, credit }: Terms,
  debts: ReadonlyArray<Pick<Debt, "quantity" | "token">>,
): boolean => {
  if (credit._tag === "Unlimited") return true
  const owed = new Map<Amount.Currency, bigint>()
  for (const { quantity, token } of debts) {
    if (quantity <= 0n) continue
    const asset = assets.find(token)
    const peg = asset?.peg ?? ""
    if (asset === undefined || !Amount.isCurrency(peg)) return false
    owed.set(peg, (owed.get(peg) ?? 0n) + scaled(quantity, asset.decimals))
  }
  return [...owed].every(([currency, quantity]) => {
    const lent = credit.amounts.find((each) => each.currency === currency)?.quantity ?? 0n
    return quantity <= scaled(lent, Amount.currencies[currency].decimals)
  })
}

/** The most of one token that the credit covers alone; null if there is no limit. */
export const most = (credit: Credit, asset: Asset.Asset | undefined): bigint | null => {
  if (credit._tag === "Unlimited") return null
  const lent = credit.amounts.find(({ currency }) => currency === asset?.peg)
  if (asset === undefined || lent === undefined) return 0n
  return (
    scaled(lent.quantity, Amount.currencies[lent.currency].decimals) / scaled(1n, asset.decimals)
  )
}

/**
 * Whether a refund is within the credit, with all debts of the partner as they will be once it is paid. A merchant in
 * debt cannot use its share beyond the credit either, because the share was to pay off the debt.
 */
export const allows = (draw: Draw, debts: ReadonlyArray<Debt>): boolean =>
  (draw.lent === 0n &&
    !debts.some(
      ({ merchantId, quantity, token }) =>
        merchantId === draw.merchantId && Caip.sameToken(token, draw.token) && quantity > 0n,
    )) ||
  covers(draw, debts)

const expected =
  'must be "unlimited", "none", or amounts with their currencies such as "1000 USD" or "1000 USD, 500 EUR"'

/**
 * Reads a credit in the form that an operator writes.
 *
 * @example
 * Credit.parse("1000 USD, 500 EUR") // 1,000 US dollars for debts in their stablecoins, and 500 euros
 */
export const parse = (text: string): Result.Result<Credit, Invalid.InvalidInput> => {
  if (text === "unlimited") return Result.succeed(unlimited)
  if (text === "none") return Result.succeed(none)
  return Result.flatMap(Amount.parseWritten("credit", text, expected), (amounts) => {
    const isPlain = !/(?:^|,)\s*0[0-9]/u.test(text)
    if (!isPlain || amounts.some(({ quantity }) => quantity === 0n)) {
      return Invalid.fail("credit", expected)
    }
    return new Set(amounts.map(({ currency }) => currency)).size === amounts.length
      ? Result.succeed({ _tag: "Limited", amounts })
      : Invalid.fail("credit", "must name each currency once")
  })
}

/** The text that {@link parse} reads. */
export const format = (credit: Credit): string => {
  if (credit._tag === "Unlimited") return "unlimited"
  return credit.amounts.length === 0 ? "none" : Amount.formatWritten(credit.amounts)
}
