/**
 * Chooses the options that a payer is offered: every accepted token with which one of the accounts can pay now, best
 * first.
 *
 * @module
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import * as Asset from "../chain/Asset.ts"
import * as Caip from "../chain/Caip.ts"
import * as Family from "../chain/Family.ts"
import type * as PaymentOption from "../chain/PaymentOption.ts"
import * as Limits from "../ground/Limits.ts"
import * as Money from "../ground/Money.ts"
import type * as PaymentId from "../ground/PaymentId.ts"
import type * as Amount from "../money/Amount.ts"
import * as Fees from "../money/Fees.ts"
import * as Rates from "../money/Rates.ts"

/** The requested amount, and when it must arrive. */
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
  /** How a payer can pay with it, in the operator's order. */
  readonly flows: PaymentOption.Flows
  readonly payTo: Caip.Address
  readonly etaInS: number
  /** How long payments take from this quantity on, if that is longer. */
  readonly large?: { readonly from: Money.Quantity; readonly etaInS: number }
  /** Below this, gas would cost too much of the payment. */
  readonly minimum: Money.Quantity
  /** The price of the requested currency in this token; absent if the amount is in this token itself. */
  readonly price: Rates.Rate | undefined
  /** The price in this token of the currency of the fixed fee that applies; absent if there is no fixed fee. */
  readonly feePrice: Rates.Rate | undefined
}

/** Chooses the account that collects a payment: always the same one of the active accounts, in every process. */
export const collectingAccount = (paymentId: PaymentId.PaymentId) => {
  let known: number | undefined
  const number = (): number => {
    const [first = 0, second = 0, third = 0] = sha256(utf8ToBytes(paymentId))
    return (first << 16) | (second << 8) | third
  }
  return (active: ReadonlyArray<Caip.Address>): Caip.Address | undefined =>
    active.length < 2 ? active[0] : active[(known ??= number()) % active.length]
}

/**
 * The token balance of an account, and how much it lets the contract take through which we collect, such as Permit2.
 */
export interface Holding {
  readonly account: Caip.Account
  readonly accountText: string
  readonly token: Caip.Token
  readonly balance: Money.Quantity
  readonly allowance: Money.Quantity
  /**
   * The account's number for flows with numbered signatures. Absent if the token has no such flow or does not report
   * the number, and if one of our accounts may already take something from this one, because an earlier payment may
   * still be collected by that.
   */
  readonly permitNonce?: Money.Quantity
  /** The account has code, which decides whether its signature is valid and how much gas the check takes. */
  readonly hasCode?: true
}

/** An accepted payment, whose money is still to be taken. */
export type Committed = Pick<PaymentOption.PaymentOption, "account" | "quantity" | "token">

/** How much accepted payments will still take of one account's token. */
export const committedOf = (
  committed: ReadonlyArray<Committed>,
  account: Caip.Account,
  token: Caip.Token,
): Money.Quantity =>
  Money.clamp(
    committed
      .filter(
        (each) => Caip.sameAccount(each.account, account) && Caip.sameToken(each.token, token),
      )
      .reduce((sum, { quantity }) => sum + quantity, 0n),
    Money.largest,
  )

/** An option, and the values that ranked it. */
export interface Routed {
  readonly option: PaymentOption.PaymentOption
  readonly asset: Asset.Asset
  /** What the account holds of the token. */
  readonly balance: Money.Quantity
  readonly stepCount: number
  /** Comparable with other options of the payment. */
  readonly cost: bigint
  /** Whether it pays in another currency than the requested one, at a rate. */
  readonly isExchanged: boolean
  readonly etaInS: number
}

/** What a payment costs in an offered token, rounded up; undefined if it cannot be priced in it. */
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

/** The offers in which a payment can be priced, and that are worth their gas. */
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
 * What a payer gives up, scaled so that all tokens compare: standard units for a token that is pegged to the requested
 * currency or is requested itself, and for any other token what its units are worth by its price. A euro is not cheaper
 * than a dollar because there are fewer units.
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

/**
 * Orders options by fewest wallet steps. Gas-free options come before gas-paid ones automatically: an option with one
 * step only signs, one with more sends a transaction. Then come those in the requested currency, then lowest cost and
 * shortest time. Last the name decides, so that the order is always the same. Two equal flows of one token and account
 * stay in the operator's order.
 */
const compare = (left: Routed, right: Routed): number =>
  left.stepCount - right.stepCount ||
  Number(left.isExchanged) - Number(right.isExchanged) ||
  Order.BigInt(left.cost, right.cost) ||
  left.etaInS - right.etaInS ||
  Order.String(left.option.token.chainId, right.option.token.chainId) ||
  Order.String(left.option.token.address, right.option.token.address) ||
  Order.String(left.option.account.address, right.option.account.address)

/** Keeps one holding per account and token: of several spellings of one account, the first in text order is kept. */
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
 * All options of a payment for the balances of the accounts, one for each flow. No option is beyond its account's
 * balance, no two are equal, and their order does not depend on the order of the accounts. `mayRelay` decides which
 * options we would collect. The others are left out, except that an account with code can send any token itself.
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
      const { account, accountText, allowance, balance, hasCode, permitNonce, token } = holding
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
      // If we do not collect from an account with code, it can always send the token itself.
      const [first, ...rest] =
        relayed.length === 0 && hasCode === true ? Family.flowsSentBy(family, "payer") : relayed
      if (first === undefined) return []
      return [first, ...rest].flatMap((flow) => {
        const chosen = { asset, option: optionOf(flow) }
        const stepCount = family.stepCount(chosen, allowance, taken)
        return family.isOpen(chosen, [first, ...rest], allowance, taken)
          ? [
              {
                ...chosen,
                balance,
                stepCount,
                cost,
                isExchanged: isExchanged(request, asset),
                etaInS,
              },
            ]
          : []
      })
    })
    .toSorted(compare)
}
