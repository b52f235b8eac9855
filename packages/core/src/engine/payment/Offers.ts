/**
 * The offers for a payment: which of a wallet's accounts can pay it in which tokens, and at what price.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Action from "../../domain/chain/Action.ts"
import type * as Asset from "../../domain/chain/Asset.ts"
import * as Caip from "../../domain/chain/Caip.ts"
import type * as Catalog from "../../domain/chain/Catalog.ts"
import * as Family from "../../domain/chain/Family.ts"
import * as PaymentOption from "../../domain/chain/PaymentOption.ts"
import * as Invalid from "../../domain/ground/Invalid.ts"
import * as Limits from "../../domain/ground/Limits.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import * as Money from "../../domain/ground/Money.ts"
import * as PayerSession from "../../domain/ground/PayerSession.ts"
import * as Amount from "../../domain/money/Amount.ts"
import * as Fees from "../../domain/money/Fees.ts"
import * as GasCost from "../../domain/money/GasCost.ts"
import * as Rates from "../../domain/money/Rates.ts"
import * as OptionRouting from "../../domain/payment/OptionRouting.ts"
import type * as Payment from "../../domain/payment/Payment.ts"
import * as PaymentTransition from "../../domain/payment/PaymentTransition.ts"
import { Chains, type OfferedAsset } from "../../ports/Chain.ts"
import { CollectDataPolicy } from "../../ports/CollectDataPolicy.ts"
import { Identifiers } from "../../ports/Identifiers.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"
import { RateSource } from "../../ports/RateSource.ts"
import { Settings } from "../../ports/Settings.ts"
import * as World from "../../ports/World.ts"
import * as Lanes from "../chain/Lanes.ts"
import * as OwnAccounts from "../chain/OwnAccounts.ts"
import * as Relaying from "../chain/Relaying.ts"
import * as PayerData from "./PayerData.ts"

/** Screening refused every account that could pay. The payment is not affected: another payer may pay it. */
export class SanctionedUser extends Schema.TaggedError<SanctionedUser>()("SanctionedUser", {
  message: Schema.String,
}) {}

/** What a payer may want to know before choosing an option. */
export interface Costs {
  /** What the account holds of the token. */
  readonly balance: Money.Quantity
  /** What the payer pays the network in addition to the amount; null if there is no estimate. */
  readonly networkFee: Amount.Amount | null
}

/** An option as a wallet sees it. */
export interface Offered {
  readonly id: string
  readonly option: PaymentOption.PaymentOption
  readonly actions: ReadonlyArray<Action.Action>
  readonly etaInS: number
  readonly needsData: boolean
  /** Only if they were asked for. */
  readonly costs?: Costs
}

/** An account that may pay, with the text in which it was received. */
export interface Payer {
  readonly account: Caip.Account
  readonly accountText: string
}

/**
 * The accounts that we can serve, in the order in which they were received. A malformed account is an error; an account
 * of an unserved chain is skipped.
 */
export const readAccounts = (
  accounts: ReadonlyArray<string>,
  catalog: Catalog.Catalog,
): Result.Result<ReadonlyArray<Payer>, Invalid.InvalidInput> => {
  if (accounts.length > Limits.accountsPerCallMax) {
    return Invalid.fail("accounts", `holds at most ${Limits.accountsPerCallMax} accounts`)
  }
  const payers: Array<Payer> = []
  const issues: Array<Invalid.Issue> = []
  for (const [index, accountText] of accounts.entries()) {
    const account = Family.parseAnyAccount(catalog, accountText, "ignored")
    if (Result.isFailure(account)) {
      issues.push(Invalid.issue(`accounts[${index}]`, account.failure.message))
    } else if (account.success !== null && catalog.network(account.success.chainId)) {
      payers.push({ account: account.success, accountText })
    }
  }
  return Result.map(Invalid.check(issues), () => payers)
}

/** Leaves out accounts that screening refuses. */
export const screen = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  payers: ReadonlyArray<Payer>,
) {
  const { refusedPayers } = yield* World.meet(payment)
  const refused = yield* refusedPayers(payers.map((each) => each.account))
  const allowed = payers.filter(
    (each) => !refused.some((account) => Caip.sameAccount(account, each.account)),
  )
  return payers.length > 0 && allowed.length === 0
    ? yield* new SanctionedUser({ message: "payments from these accounts are not possible" })
    : allowed
})

const rateOf = Effect.fnUntraced(function* (currency: Amount.Currency, asset: Asset.Asset) {
  return yield* (yield* RateSource).rate(currency, asset)
})

/** The tokens and prices in which payments of a mode can be paid. */
export const means = Effect.fnUntraced(function* (mode: Mode.Mode) {
  const { catalog, chainIds } = (yield* Chains).of(mode)
  const found: Rates.Means = {
    assets: catalog.assets.filter(
      ({ token }) => chainIds.includes(token.chainId) && catalog.served(token) !== undefined,
    ),
    couldPrice: (yield* RateSource).couldPrice,
  }
  return found
})

/**
 * If a token of the fee's currency has no rate now, the fee counts one to one, so that it hides no token that the
 * payment asks for.
 */
const feeRateOf = Effect.fnUntraced(function* (currency: Amount.Currency, asset: Asset.Asset) {
  const rate = yield* Effect.result(rateOf(currency, asset))
  return Result.isFailure(rate) && asset.peg === currency
    ? Rates.peg(currency, yield* Clock.currentTimeMillis)
    : yield* Effect.fromResult(rate)
})

/** The rate of the fixed fee in a token; nothing if there is no rate, or none now. */
const feePriceOf = Effect.fnUntraced(
  function* (
    { amount: { unit }, feeTerms }: Payment.Payment,
    asset: Asset.Asset,
    known: Rates.Means,
  ) {
    const way = Fees.wayIn(feeTerms, unit, asset, known)
    if (way === undefined) return undefined
    const { fixed, over } = way
    const { currency, quantity } = fixed
    // Zero is zero at any rate.
    if (quantity === 0n) return Rates.peg(currency, yield* Clock.currentTimeMillis)
    if (over === undefined) return yield* feeRateOf(currency, asset)
    return Rates.crossRate({
      from: yield* feeRateOf(currency, over.asset),
      to: yield* feeRateOf(over.currency, over.asset),
      paid: yield* feeRateOf(over.currency, asset),
    })
  },
  Effect.orElseSucceed(() => undefined),
)

/** A token that is taken, and what it is offered at. */
interface Priced {
  readonly offered: OfferedAsset
  readonly offer: OptionRouting.Offer
}

/**
 * What a payment is offered at in the tokens that are wanted. A token that it does not ask for, or that cannot be
 * priced or collected, is left out.
 */
const offersFor = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  isWanted: (token: Caip.Token) => boolean,
) {
  const { unit } = payment.amount
  const chain = (yield* Chains).of(payment.mode)
  const assets = yield* chain.offered
  const known = Fees.hasNoFixed(payment.feeTerms) ? null : yield* means(payment.mode)
  const collector = OptionRouting.collectingAccount(payment.id)
  const priced: Array<Priced> = []
  for (const offered of assets) {
    const { asset, collectingAccounts, etaInS, flows, large, minimum } = offered
    const isAsked = unit._tag === "Fiat" || Caip.sameToken(unit.token, asset.token)
    if (!isAsked || !isWanted(asset.token)) continue
    const family = Family.of(chain.catalog, asset.token.chainId)
    const payTo = collector(collectingAccounts)
    if (family === undefined || payTo === undefined) continue
    const price =
      unit._tag === "Fiat"
        ? yield* Effect.orElseSucceed(rateOf(unit.currency, asset), () => undefined)
        : undefined
    const feePrice = known === null ? undefined : yield* feePriceOf(payment, asset, known)
    const isPriced = unit._tag === "Token" || price !== undefined
    if (!isPriced || (known !== null && feePrice === undefined)) continue
    const offer: OptionRouting.Offer = {
      asset,
      family,
      flows,
      payTo,
      etaInS,
      ...(large !== undefined && { large }),
      minimum,
      price,
      feePrice,
    }
    priced.push({ offered, offer })
  }
  return priced
})

/** Leaves out chains whose lanes are stopped, because nothing would be collected there in time. */
const withoutHalted = (
  offers: ReadonlyArray<OptionRouting.Offer>,
  halted: ReadonlyArray<Caip.ChainId>,
): ReadonlyArray<OptionRouting.Offer> =>
  offers.filter(({ asset }) => !halted.includes(asset.token.chainId))

/** The accepted payments that take from accounts' allowances; nothing is read if no flow draws on one. */
export const readCommitted = (
  accounts: ReadonlyArray<Caip.Account>,
  drawing: ReadonlyArray<{
    readonly family: Family.Family
    readonly flows: ReadonlyArray<PaymentOption.Flow>
  }>,
) => {
  const flows = drawing.flatMap((each) => {
    const all = Family.drawingFlows(each.family)
    return each.flows.some((flow) => all.includes(flow)) ? all : []
  })
  return flows.length === 0
    ? Effect.succeed([])
    : Effect.flatMap(PaymentStore, (payments) => payments.committed(accounts, [...new Set(flows)]))
}

/**
 * The unit of a payment's network fees, and the currency in which a coin is priced for them. A payment that asks for a
 * token shows them in the currency of its peg; without one, only a fee of nothing can be shown.
 */
const unitOfFees = (
  { amount: { unit } }: Payment.Payment,
  catalog: Catalog.Catalog,
): { readonly unit: Amount.Unit; readonly currency: Amount.Currency | null } => {
  if (unit._tag === "Fiat") return { unit, currency: unit.currency }
  const peg = catalog.find(unit.token)?.peg ?? null
  return peg !== null && Amount.isCurrency(peg)
    ? { unit: Amount.fiat(peg), currency: peg }
    : { unit, currency: null }
}

/** Makes the function that estimates the costs of options from memory, with one look at the price of each coin. */
const costing = Effect.fnUntraced(function* (payment: Payment.Payment) {
  const chain = (yield* Chains).of(payment.mode)
  const { coinRate } = yield* RateSource
  const { currency, unit } = unitOfFees(payment, chain.catalog)
  const rates = new Map<string, Rates.Rate | null>()
  const rateIn = Effect.fnUntraced(function* (coin: string) {
    if (currency === null) return null
    const known = rates.get(coin)
    if (known !== undefined) return known
    const rate = yield* Effect.orElseSucceed(coinRate(currency, coin), () => null)
    rates.set(coin, rate)
    return rate
  })
  const feeOf = Effect.fnUntraced(function* (each: OptionRouting.Routed) {
    const cost = chain.payerCost(each, each.stepCount)
    if (cost === null) return null
    if (cost.quantity === 0n) return { unit, quantity: Money.zero }
    const rate = yield* rateIn(cost.coin)
    return rate === null ? null : { unit, quantity: GasCost.worth(cost, rate) }
  })
  return (each: OptionRouting.Routed) =>
    Effect.map(feeOf(each), (networkFee): Costs => ({ balance: each.balance, networkFee }))
})

const newSession = Effect.flatMap(Identifiers, (identifiers) =>
  Effect.map(identifiers.randomBytes(PayerSession.byteCount), PayerSession.ofBytes),
)

export const offer = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  candidates: ReadonlyArray<Payer>,
  earlier: PayerSession.PayerSession | undefined,
  key: string | undefined,
  now: number,
  includeCosts = false,
) {
  const ours = yield* OwnAccounts.all
  // A payment from our own account is not a payment.
  const payers = candidates.filter(
    ({ account }) => !ours.some(({ address }) => address === account.address),
  )
  if (payers.length === 0) return []
  const chain = (yield* Chains).of(payment.mode)
  const accounts = payers.map(({ account }) => account)
  const chainIds = new Set(accounts.map(({ chainId }) => chainId))
  const priced = yield* offersFor(payment, ({ chainId }) => chainIds.has(chainId))
  const offers = priced.map(({ offer: each }) => each)
  const assets = priced.map(({ offered }) => offered)
  const [holdings, relaying, taken] = yield* Effect.all(
    [
      Effect.flatMap(World.meet(payment), (met) => met.holdings(payers, assets)),
      Relaying.read(payment, accounts, key, now),
      readCommitted(accounts, offers),
    ],
    { concurrency: "unbounded" },
  )
  const worth = new Map<string, GasCost.Priced>()
  for (const { asset } of offers) {
    const cost = chain.gasCost(asset.token.chainId)
    worth.set(Caip.tokenKey(asset.token), yield* Relaying.valueOf(cost, asset))
  }
  const mayRelay = (option: PaymentOption.PaymentOption): boolean => {
    const token = worth.get(Caip.tokenKey(option.token))
    return token !== undefined && relaying.refusal(option, token) === null
  }
  const routed = OptionRouting.route(
    {
      paymentId: payment.id,
      amount: payment.amount,
      feeTerms: payment.feeTerms,
      expiresAt: payment.expiresAt,
      nowInS: Math.floor(now / 1000),
    },
    withoutHalted(offers, relaying.halted),
    holdings,
    taken,
    mayRelay,
  )
  const { sealKey } = yield* Settings
  const policy = yield* CollectDataPolicy
  const { amount, merchantId } = payment
  const asked = new Set<OptionRouting.Routed>()
  for (const each of routed) {
    const { account } = each.option
    if (yield* policy.isNeeded({ merchantId, amount, account })) asked.add(each)
  }
  const session = asked.size === 0 ? undefined : (earlier ?? (yield* newSession))
  const collected = asked.size === 0 ? [] : yield* (yield* PaymentStore).collected(payment.id)
  const costsOf = includeCosts ? yield* costing(payment) : null
  const offered: Array<Offered> = []
  for (const each of routed) {
    const { asset, etaInS, option: own } = each
    const isAsked = asked.has(each)
    const option = isAsked && session !== undefined ? { ...own, session } : own
    const isCollected = PayerData.find(collected, option.account, session) !== undefined
    const costs = costsOf === null ? null : yield* costsOf(each)
    offered.push({
      id: PaymentOption.id(option, sealKey),
      option,
      actions: Family.of(chain.catalog, option.token.chainId)?.offered({ asset, option }) ?? [],
      etaInS,
      needsData: isAsked && !isCollected,
      ...(costs !== null && { costs }),
    })
  }
  return offered
})

/** What a payment costs in each token that is taken now, for any payer; nothing if it takes no token any more. */
export const prices = Effect.fn("Offers.prices")(function* (payment: Payment.Payment) {
  const now = yield* Clock.currentTimeMillis
  if (Result.isFailure(PaymentTransition.mayConfirm(payment, now))) return []
  const offers = (yield* offersFor(payment, () => true)).map(({ offer: each }) => each)
  const halted = yield* Lanes.listHalted(payment.mode)
  const open = withoutHalted(
    offers,
    halted.map(({ chainId }) => chainId),
  )
  return OptionRouting.quotes(payment, open).map(
    ({ offer: { asset }, quantity }): Amount.Amount => ({
      unit: Amount.token(asset.token),
      quantity,
    }),
  )
})
