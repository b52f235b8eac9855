/**
 * Which options a payer is offered: every accepted token that one of the accounts can pay with now, best first.
 *
 * @module
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import type * as Amount from "./Amount.ts"
import * as Asset from "./Asset.ts"
import * as Caip from "./Caip.ts"
import * as Family from "./Family.ts"
import * as Fees from "./Fees.ts"
import * as Limits from "./Limits.ts"
import * as Money from "./Money.ts"
import type * as PaymentId from "./PaymentId.ts"
import type * as PaymentOption from "./PaymentOption.ts"
import * as Rates from "./Rates.ts"

/** What is asked for, and when it must be there. */
export interface Request {
  readonly paymentId: PaymentId.PaymentId
  readonly amount: Amount.Amount
  readonly feeTerms: Fees.FeeTerms
  readonly expiresAt: number
  readonly nowInS: number
}

/** A token that can be taken now: it passed its checks, has a collecting account, and its rates are known. */
export interface Offer {
  readonly asset: Asset.Asset
  readonly family: Family.Family
  /** How it can be handed over, in the operator's order. */
  readonly flows: PaymentOption.Flows
  readonly payTo: Caip.Address
  readonly etaInS: number
  /** How long it takes from a quantity on, if that is longer. */
  readonly large?: { readonly from: Money.Quantity; readonly etaInS: number }
  /** Below this the gas would eat the payment. */
  readonly minimum: Money.Quantity
  /** Prices the asked currency in this token; absent when the amount is asked in this token itself. */
  readonly price: Rates.Rate | undefined
  /** Prices the currency of the part of the fixed fee that counts here; absent when there is no fixed fee. */
  readonly feePrice: Rates.Rate | undefined
}

/**
 * The account that collects a payment: always the same one of those that are active, whichever process asks.
 */
export const collectingAccount = (
  paymentId: PaymentId.PaymentId,
  active: ReadonlyArray<Caip.Address>,
): Caip.Address | undefined => {
  const [first = 0, second = 0, third = 0] = sha256(utf8ToBytes(paymentId))
  return active[((first << 16) | (second << 8) | third) % Math.max(1, active.length)]
}

/** What an account holds of a token, and what it lets the contract take through which we collect, as Permit2. */
export interface Holding {
  readonly account: Caip.Account
  readonly accountText: string
  readonly token: Caip.Token
  readonly balance: Money.Quantity
  readonly allowance: Money.Quantity
  /**
   * What the account signs with in ways that are numbered. Absent where the token is not taken so or does not tell, and
   * where an account of ours may take something of this one already: an earlier payment may still be collected by that.
   */
  readonly permitNonce?: Money.Quantity
  /** The account has code, which decides whether its signature counts and how much gas that takes. */
  readonly hasCode?: true
}

/** What accepted payments of an account will still take of what it allows of a token. */
export interface Committed {
  readonly account: Caip.Account
  readonly token: Caip.Token
  readonly quantity: Money.Quantity
}

/** What is committed of one account's token. */
export const committedOf = (
  committed: ReadonlyArray<Committed>,
  account: Caip.Account,
  token: Caip.Token,
): Money.Quantity =>
  committed.find(
    (each) => Caip.sameAccount(each.account, account) && Caip.sameToken(each.token, token),
  )?.quantity ?? Money.zero

/** An option with what ranked it. */
export interface Routed {
  readonly option: PaymentOption.PaymentOption
  readonly asset: Asset.Asset
  readonly stepCount: number
  /** Comparable with that of other options of the payment. */
  readonly cost: bigint
  /** Whether it pays in another currency than was asked for, at a rate. */
  readonly isExchanged: boolean
  readonly etaInS: number
}

/**
 * What a payment costs in an offered token, rounded up; undefined where it cannot be priced in it.
 */
export const price = (
  request: Pick<Request, "amount">,
  offer: Offer,
): Money.Quantity | undefined => {
  const { amount } = request
  if (amount.unit._tag === "Token") {
    return Caip.sameToken(amount.unit.token, offer.asset.token) ? amount.quantity : undefined
  }
  if (offer.price === undefined || offer.price.currency !== amount.unit.currency) return undefined
  const converted = Rates.convert(amount.quantity, offer.price, offer.asset, "up")
  return Result.isSuccess(converted) && converted.success > 0n ? converted.success : undefined
}

const fixedFee = (request: Pick<Request, "feeTerms">, offer: Offer): Money.Quantity | undefined => {
  if (Fees.hasNoFixed(request.feeTerms)) return Money.zero
  if (offer.feePrice === undefined) return undefined
  const converted = Fees.fixedIn(request.feeTerms, offer.feePrice, offer.asset)
  return Result.isSuccess(converted) ? converted.success : undefined
}

/** What a payment costs in an offered token. */
export interface Quote {
  readonly offer: Offer
  readonly quantity: Money.Quantity
  /** The fixed part of the fee, in the same token. */
  readonly fee: Money.Quantity
  readonly cost: bigint
}

/** The offers that a payment can be priced in, and that are worth their gas. */
export const quotes = (
  request: Pick<Request, "amount" | "feeTerms">,
  offers: ReadonlyArray<Offer>,
): ReadonlyArray<Quote> =>
  offers.flatMap((offer) => {
    const quantity = price(request, offer)
    const fee = fixedFee(request, offer)
    return quantity === undefined || fee === undefined || quantity < offer.minimum
      ? []
      : [{ offer, quantity, fee, cost: costOf(request, offer, quantity) }]
  })

/**
 * What a payer gives up, scaled so that all tokens compare: standard units of a token that is pegged to the asked currency
 * or asked for itself, and what its price says they are worth of any other. A euro is no cheaper than a dollar for being
 * fewer units.
 */
const costOf = (
  request: Pick<Request, "amount">,
  { asset, price: rate }: Offer,
  quantity: Money.Quantity,
): bigint => {
  const units = quantity * 10n ** BigInt(Asset.decimalsMost - asset.decimals)
  return isExchanged(request, asset) && rate !== undefined
    ? (units * rate.denominator) / rate.numerator
    : units
}

const isExchanged = (
  { amount: { unit } }: Pick<Request, "amount">,
  { peg }: Pick<Asset.Asset, "peg">,
): boolean => unit._tag === "Fiat" && peg !== unit.currency

const compareText = (left: string, right: string): number =>
  left < right ? -1 : left > right ? 1 : 0

const compareBigInt = (left: bigint, right: bigint): number =>
  left < right ? -1 : left > right ? 1 : 0

/**
 * Fewest wallet steps, cheapest, fastest; then what pays in the asked currency; then by name, so that the order is always
 * one. Gas-free comes before gas-paid by itself: what takes one step only signs, and what takes more sends a transaction.
 * Two flows of one token and account that are equal in all that stay in the operator's order.
 */
const compare = (left: Routed, right: Routed): number =>
  left.stepCount - right.stepCount ||
  compareBigInt(left.cost, right.cost) ||
  left.etaInS - right.etaInS ||
  Number(left.isExchanged) - Number(right.isExchanged) ||
  compareText(left.option.token.chainId, right.option.token.chainId) ||
  compareText(left.option.token.address, right.option.token.address) ||
  compareText(left.option.account.address, right.option.account.address)

/** One holding per account and token: of several spellings of one account the first in order of text is kept. */
const distinct = (holdings: ReadonlyArray<Holding>): ReadonlyArray<Holding> => {
  const kept = new Map<string, Holding>()
  for (const holding of holdings) {
    const key = `${Caip.tokenKey(holding.token)}:${holding.account.address}`
    const earlier = kept.get(key)
    if (earlier === undefined || holding.accountText < earlier.accountText) kept.set(key, holding)
  }
  return [...kept.values()]
}

/**
 * Every option of a payment for what the accounts hold, one for each flow: never one that its account cannot pay, never
 * two equal ones, and in an order that does not depend on the order of the accounts. `mayRelay` says which options we would
 * collect; the others are left out, but for an account with code, which can send any token itself.
 */
export const route = (
  request: Request,
  offers: ReadonlyArray<Offer>,
  holdings: ReadonlyArray<Holding>,
  committed: ReadonlyArray<Committed> = [],
  mayRelay: (option: PaymentOption.PaymentOption) => boolean = () => true,
): ReadonlyArray<Routed> => {
  const priced = new Map(
    quotes(request, offers).map(
      (quote) => [Caip.tokenKey(quote.offer.asset.token), quote] as const,
    ),
  )
  const expiresAt = Math.min(request.expiresAt, request.nowInS + Limits.optionLifeMaxInS)
  return distinct(holdings)
    .flatMap((holding): ReadonlyArray<Routed> => {
      const found = priced.get(Caip.tokenKey(holding.token))
      if (
        found === undefined ||
        holding.account.chainId !== holding.token.chainId ||
        holding.balance < found.quantity
      ) {
        return []
      }
      const { cost, fee, offer, quantity } = found
      const { asset, family, flows, large, payTo } = offer
      const { etaInS } = large !== undefined && quantity >= large.from ? large : offer
      const { account, accountText, allowance, hasCode, permitNonce, token } = holding
      const taken = committedOf(committed, account, token)
      const optionOf = (flow: PaymentOption.Flow): PaymentOption.PaymentOption => {
        const way = Family.wayOf(family, flow)
        return {
          paymentId: request.paymentId,
          account,
          accountText,
          token,
          flow,
          quantity,
          fixedFee: fee,
          payTo,
          issuedAt: request.nowInS,
          expiresAt,
          ...(way?.isNumbered === true && permitNonce !== undefined && { permitNonce }),
          ...(way?.sentBy === "us" && hasCode === true && { hasCode: true }),
        }
      }
      const relayed = flows.filter(
        (flow) => Family.wayOf(family, flow)?.sentBy !== "us" || mayRelay(optionOf(flow)),
      )
      // What we do not collect from an account with code, it can always send itself.
      const [first, ...rest] =
        relayed.length === 0 && hasCode === true ? Family.payersFlows(family) : relayed
      if (first === undefined) return []
      return [first, ...rest].flatMap((flow) => {
        const chosen = { asset, option: optionOf(flow) }
        const stepCount = family.stepCount(chosen, allowance, taken)
        return family.isOpen(chosen, [first, ...rest], allowance, taken)
          ? [{ ...chosen, stepCount, cost, isExchanged: isExchanged(request, asset), etaInS }]
          : []
      })
    })
    .toSorted(compare)
}
