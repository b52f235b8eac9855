/**
 * What we can collect for payers now, at our own cost: each chain's gas and each budget for failures is limited, and
 * collecting must not cost more than it earns. Transfers that wallets send themselves cost us nothing, and are never
 * refused here.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as UncoveredGas from "../../domain/books/UncoveredGas.ts"
import type * as Asset from "../../domain/chain/Asset.ts"
import type * as Caip from "../../domain/chain/Caip.ts"
import type * as PaymentOption from "../../domain/chain/PaymentOption.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import * as Amount from "../../domain/money/Amount.ts"
import * as Fees from "../../domain/money/Fees.ts"
import * as GasCost from "../../domain/money/GasCost.ts"
import * as Spending from "../../domain/outflow/Spending.ts"
import * as FailureBudget from "../../domain/payment/FailureBudget.ts"
import * as Payment from "../../domain/payment/Payment.ts"
import { AttemptRefused, type Chain, Chains } from "../../ports/Chain.ts"
import { type Constraints, LaneStore } from "../../ports/LaneStore.ts"
import { RateSource } from "../../ports/RateSource.ts"
import { Settings } from "../../ports/Settings.ts"
import * as Metrics from "../record/Metrics.ts"

type Offering = Pick<Payment.Payment, "feeTerms" | "merchantId" | "mode" | "partnerId">

const another = "pay by a transfer that the wallet sends, or from another account"
const refusals = {
  gas: "the service's gas budget for this network is used up for now: choose another option",
  minimum: "collecting would cost more gas than is paid: choose another option",
  cost: `collecting from an account with code would cost more gas than the payment earns: ${another}`,
  refund: `refunds to this merchant's payers cost the service more gas than it pays for: wait, or ${another}`,
  account: `too many payments of this account are not final yet, or failed and cost the service gas: wait, or ${another}`,
  others: `too many payments of accounts with code failed here: wait, or ${another}`,
} as const

/** The value of a token in the coin of its chain, if a source of prices has it. */
export const valueOf = (
  cost: GasCost.GasCost | null,
  { decimals, peg }: Pick<Asset.Asset, "decimals" | "peg">,
): Effect.Effect<GasCost.Priced, never, RateSource> =>
  cost === null || peg === null || !Amount.isCurrency(peg)
    ? Effect.succeed({ decimals, coinRate: undefined })
    : Effect.flatMap(RateSource, (rates) =>
        Effect.match(rates.coinRate(peg, cost.coin), {
          onFailure: () => ({ decimals, coinRate: undefined }),
          onSuccess: (coinRate) => ({ decimals, coinRate }),
        }),
      )

const feeOf = (
  { feeTerms }: Pick<Offering, "feeTerms">,
  { fixedFee, quantity }: PaymentOption.PaymentOption,
) => Fees.charge({ paid: quantity, fixed: fixedFee, percentage: feeTerms.percentage }).total

/** The most that collecting from an account with code may cost; undefined if gas costs nothing. */
export const costMax = Effect.fnUntraced(function* (
  payment: Pick<Payment.Payment, "feeTerms" | "mode">,
  option: PaymentOption.PaymentOption,
) {
  const chain = (yield* Chains).of(payment.mode)
  const cost = chain.gasCost(option.token.chainId)
  if (option.hasCode !== true || cost === null) return undefined
  const asset = chain.catalog.find(option.token)
  const token = yield* valueOf(cost, asset ?? { decimals: 0, peg: null })
  return GasCost.most(cost, token, feeOf(payment, option))
})

/** What refunds of a payment may cost; null where gas costs nothing, or if nothing was paid. */
export const gasTerms = Effect.fnUntraced(function* (payment: Payment.Payment) {
  const attempt = Payment.attemptOf(payment)
  const cost =
    attempt === null ? null : (yield* Chains).of(payment.mode).gasCost(attempt.option.token.chainId)
  const { failureBudgets: limits } = yield* Settings
  return cost === null ? null : { cost, limits }
})

/** Whether a lane has room for one more transaction within the hourly limit of its chain. */
const hasRoom = (
  chain: Pick<Chain["Service"], "gasCost" | "spendPerHour">,
  { lanes }: Pick<Constraints, "lanes">,
  { address, chainId }: Caip.Account,
  hasCode: boolean,
  now: number,
): boolean => {
  const limit = chain.spendPerHour(chainId)
  if (limit === null) return true
  const cost = chain.gasCost(chainId)
  const { spending = Spending.none } =
    lanes.find(({ lane }) => lane.chainId === chainId && lane.sender === address) ?? {}
  const feeMax = hasCode ? cost?.byCode : cost?.ordinary
  return Spending.hasRoom(
    limit,
    spending,
    // If nothing is spent in this hour, a first transaction is allowed, whatever it costs.
    { feeMax: feeMax ?? 1n, ...(hasCode && { byCode: true }) },
    now,
  )
}

/** What limits collecting for some accounts at `now`, read in one statement. */
export const read = Effect.fnUntraced(function* (
  payment: Offering,
  accounts: ReadonlyArray<Caip.Account>,
  key: string | undefined,
  now: number,
) {
  const chain = (yield* Chains).of(payment.mode)
  const { failureBudgets } = yield* Settings
  const budgets = { ...payment, key }
  const context = yield* Effect.context<never>()
  const constraints = yield* (yield* LaneStore).constraints(payment.mode, [
    ...FailureBudget.subjects(budgets, accounts),
    ...new Set(accounts.map(({ chainId }) => UncoveredGas.subject(payment, chainId))),
  ])
  const count = (budget: FailureBudget.Kind): void => {
    const labels = { mode: payment.mode, budget }
    Metrics.counterOf("florin_failure_budget_refusals_total", labels).updateUnsafe(1, context)
  }
  return {
    halted: constraints.halted,
    /** Why an option is not relayed; null if it is. */
    refusal: (option: PaymentOption.PaymentOption, token: GasCost.Priced): string | null => {
      const { account, payTo, quantity } = option
      const { chainId } = option.token
      const hasCode = option.hasCode === true
      const cost = chain.gasCost(chainId)
      if (!hasRoom(chain, constraints, { chainId, address: payTo }, hasCode, now)) {
        return refusals.gas
      }
      if (cost !== null) {
        if (quantity < GasCost.minimum(cost, token)) return refusals.minimum
        if (UncoveredGas.isSpent(payment, chainId, constraints.budgets, now)) {
          count("refund")
          return refusals.refund
        }
        const isDear = cost.byCode > GasCost.most(cost, token, feeOf(payment, option))
        if (hasCode && isDear) return refusals.cost
      }
      const payer = { ...budgets, account }
      const kind = FailureBudget.firstExhausted(
        failureBudgets,
        payer,
        hasCode,
        constraints.budgets,
        now,
      )
      if (kind === null) return null
      count(kind)
      return kind === "account" ? refusals.account : refusals.others
    },
    /** What an accepted collect from an account with code uses until it ends. */
    reserve: (account: Caip.Account) =>
      FailureBudget.reserve(failureBudgets, { ...budgets, account }, constraints.budgets),
  }
})

/**
 * What an attempt that we send charges to the budgets; an account with code may be refused here. For an account without
 * code, nothing is read: the write that accepts the attempt checks its budget.
 */
export const reserve = Effect.fnUntraced(function* (
  payment: Offering,
  { key, option }: Pick<Payment.Attempt, "key" | "option">,
  isOnly: boolean,
  now: number,
) {
  const chain = (yield* Chains).of(payment.mode)
  const cost = chain.gasCost(option.token.chainId)
  if (option.hasCode !== true) {
    // Where gas costs nothing, neither do failures.
    if (cost === null) return []
    const { failureBudgets } = yield* Settings
    return [
      ...FailureBudget.reservePlain(failureBudgets, option.account, isOnly),
      UncoveredGas.requireLeft(payment, option.token.chainId),
    ]
  }
  const asset = chain.catalog.find(option.token)
  const limits = yield* read(payment, [option.account], key, now)
  const token = yield* valueOf(cost, asset ?? { decimals: 0, peg: null })
  const message = limits.refusal(option, token)
  return message === null ? limits.reserve(option.account) : yield* new AttemptRefused({ message })
})

/**
 * Says why the write found no room: a budget was used up after the option was issued, or other confirms were first.
 */
export const usedUp = Effect.fnUntraced(function* (
  payment: Offering,
  { key, option }: Pick<Payment.Attempt, "key" | "option">,
  isOnly: boolean,
  now: number,
) {
  const limits = yield* read(payment, [option.account], key, now)
  const why = limits.refusal(option, { decimals: 0, coinRate: undefined })
  const isOfOthers = option.hasCode === true && !isOnly
  return new AttemptRefused({ message: why ?? (isOfOthers ? refusals.others : refusals.account) })
})

/** What one of our accounts may spend on gas in an hour, and has spent. */
export interface GasBudget {
  readonly account: Caip.Account
  readonly limit: bigint
  readonly spent: bigint
  /** How much of it was spent for accounts with code, which may use a quarter of the limit. */
  readonly spentForCode: bigint
  /** Nothing more is collected with this account until the next hour of the clock. */
  readonly isSpent: boolean
}

/** The budgets of a mode's accounts on chains that have a limit. */
export const gasBudgets = Effect.fn("Relaying.gasBudgets")(function* (
  mode: Mode.Mode,
  now: number,
) {
  const chain = (yield* Chains).of(mode)
  const limited = chain.accounts.flatMap((account) => {
    const limit = chain.spendPerHour(account.chainId)
    return limit === null ? [] : [{ account, limit }]
  })
  if (limited.length === 0) return []
  const constraints = yield* (yield* LaneStore).constraints(mode, [])
  return limited.map(({ account, limit }): GasBudget => {
    const lane = constraints.lanes.find(
      ({ lane: { chainId, sender } }) => chainId === account.chainId && sender === account.address,
    )
    const { byCode = 0n, quantity } = Spending.inHourOf(lane?.spending ?? Spending.none, now)
    const isSpent = !hasRoom(chain, constraints, account, false, now)
    return { account, limit, spent: quantity, spentForCode: byCode, isSpent }
  })
})
