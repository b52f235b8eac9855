/**
 * The payer's side: a wallet asks how it can pay, gets the steps, hands in what was signed, and watches.
 *
 * Order of checks, the same in every call: the request can be read, the payment exists for this caller, its state allows
 * the call, the option is authentic and live, data is complete, and only then is a signature looked at.
 *
 * @module
 */
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Action from "../domain/Action.ts"
import * as ActionResult from "../domain/ActionResult.ts"
import * as Amount from "../domain/Amount.ts"
import type * as Asset from "../domain/Asset.ts"
import * as Caip from "../domain/Caip.ts"
import type * as Change from "../domain/Change.ts"
import * as CollectData from "../domain/CollectData.ts"
import * as Invalid from "../domain/Invalid.ts"
import * as Limits from "../domain/Limits.ts"
import type * as Merchant from "../domain/Merchant.ts"
import * as Network from "../domain/Network.ts"
import * as OptionRouting from "../domain/OptionRouting.ts"
import * as Payment from "../domain/Payment.ts"
import type * as PaymentId from "../domain/PaymentId.ts"
import * as PaymentOption from "../domain/PaymentOption.ts"
import * as PaymentState from "../domain/PaymentState.ts"
import * as PaymentTransition from "../domain/PaymentTransition.ts"
import { AttemptRefused, Chains, type OfferedAsset } from "../ports/Chain.ts"
import { CollectDataPolicy } from "../ports/CollectDataPolicy.ts"
import { RateSource } from "../ports/RateSource.ts"
import { Screening } from "../ports/Screening.ts"
import { Settings } from "../ports/Settings.ts"
import { Signals } from "../ports/Signals.ts"
import { NotFound, Storage } from "../ports/Storage.ts"
import { Vault } from "../ports/Vault.ts"
import * as Cancellation from "./Cancellation.ts"
import type * as Keys from "./Keys.ts"
import * as Lanes from "./Lanes.ts"
import * as LongPoll from "./LongPoll.ts"

/** Screening refused every account that could pay. The payment is not affected: another payer may pay it. */
export class SanctionedUser extends Schema.TaggedError<SanctionedUser>()("SanctionedUser", {
  message: Schema.String,
}) {}

/** A confirm came before the payer's data that this option needs. */
export class DataRequired extends Schema.TaggedError<DataRequired>()("DataRequired", {
  message: Schema.String,
}) {}

const dataRequired = new DataRequired({
  message: "IC data required: collect the payer's data for this account first",
})

/**
 * The payment of a caller: its own mode only; a partner's key reaches its own payments only, and a page the one that it
 * shows.
 */
const paymentFor = Effect.fnUntraced(function* (caller: Keys.Caller, id: PaymentId.PaymentId) {
  const payment = yield* (yield* Storage).payment(id)
  const isForeign =
    payment.mode !== caller.mode ||
    (caller._tag === "Partner" && caller.partner.id !== payment.partnerId) ||
    (caller._tag === "Page" && caller.paymentId !== payment.id)
  return isForeign
    ? yield* new NotFound({ what: "payment", message: "there is no such payment" })
    : payment
})

/** What a payer is told about a payment before paying it. */
export interface Info {
  readonly payment: Payment.Payment
  readonly merchant: Merchant.Merchant
  /** Who pays: the buyer of the accepted confirm, or the first account that asked. */
  readonly buyer: Payment.Buyer | null
  readonly status: PaymentState.Status
}

const buyerOf = (caller: Keys.Caller, accountText: string): Payment.Buyer => ({
  accountText,
  providerName: caller._tag === "Wallet" ? caller.name : null,
  providerIconUrl: caller._tag === "Wallet" ? caller.iconUrl : null,
})

const infoOf = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  asking: Payment.Buyer | null,
) {
  const merchant = yield* (yield* Storage).merchant(payment, payment.merchantId)
  const now = yield* Clock.currentTimeMillis
  const info: Info = {
    payment,
    merchant,
    buyer: Payment.attemptOf(payment)?.buyer ?? asking,
    status: Payment.status(payment, now),
  }
  return info
})

/** Basic information to start the payer's flow with. */
export const info = Effect.fn("Gateway.info")(function* (
  caller: Keys.Caller,
  id: PaymentId.PaymentId,
) {
  return yield* infoOf(yield* paymentFor(caller, id), null)
})

/** The same for whoever holds the payment's link. */
export const infoOfLink = Effect.fn("Gateway.infoOfLink")(function* (id: PaymentId.PaymentId) {
  return yield* infoOf(yield* (yield* Storage).payment(id), null)
})

/** An option as a wallet is offered it. */
export interface Offered {
  readonly id: PaymentOption.OptionId
  readonly option: PaymentOption.PaymentOption
  readonly actions: ReadonlyArray<Action.Action>
  readonly etaInS: number
  readonly needsData: CollectData.Requirement
}

export interface Options {
  /** Null where the payment takes no option any more; empty where nothing fits. */
  readonly options: ReadonlyArray<Offered> | null
  readonly needsData: CollectData.Requirement
  readonly info: Info | null
}

interface Payer {
  readonly account: Caip.Account
  readonly accountText: string
}

/** Accounts we can serve, in the order they were sent. One that is malformed is an error, a foreign one is skipped. */
const readAccounts = (
  accounts: ReadonlyArray<string>,
): Result.Result<ReadonlyArray<Payer>, Invalid.InvalidInput> => {
  if (accounts.length > Limits.accountsPerCallMax) {
    return Invalid.fail("accounts", `holds at most ${Limits.accountsPerCallMax} accounts`)
  }
  const payers: Array<Payer> = []
  const issues: Array<Invalid.Issue> = []
  for (const [index, accountText] of accounts.entries()) {
    const account = Caip.parseAnyAccount(accountText, "ignored")
    if (Result.isFailure(account)) {
      issues.push(Invalid.issue(`accounts[${index}]`, account.failure.message))
    } else if (!Caip.isForeign(account.success) && Network.find(account.success.chainId)) {
      payers.push({ account: account.success, accountText })
    }
  }
  return Result.map(Invalid.check(issues), () => payers)
}

/** Leaves out accounts that screening refuses. */
const screen = Effect.fnUntraced(function* (payers: ReadonlyArray<Payer>) {
  const screening = yield* Screening
  const refused = yield* screening.refused(payers.map((each) => each.account))
  const allowed = payers.filter(
    (each) => !refused.some((account) => Caip.sameAccount(account, each.account)),
  )
  return payers.length > 0 && allowed.length === 0
    ? yield* new SanctionedUser({ message: "payments from these accounts are not possible" })
    : allowed
})

const rateOf = Effect.fnUntraced(function* (currency: Amount.Currency, asset: Asset.Asset) {
  return yield* Effect.option((yield* RateSource).rate(currency, asset))
})

/** What an asset is offered at, or nothing where it cannot be priced or collected. */
const offerOf = Effect.fnUntraced(function* (payment: Payment.Payment, offered: OfferedAsset) {
  const { asset, collectingAccounts, etaInS, flow, minimum } = offered
  const { amount, feeTerms } = payment
  const payTo = OptionRouting.collectingAccount(payment.id, collectingAccounts)
  if (payTo === undefined) return []
  const price = amount.unit._tag === "Fiat" ? yield* rateOf(amount.unit.currency, asset) : undefined
  const feePrice =
    feeTerms.fixed.quantity > 0n ? yield* rateOf(feeTerms.fixed.currency, asset) : undefined
  const offer: OptionRouting.Offer = {
    asset,
    flow,
    payTo,
    etaInS,
    minimum,
    price: price?._tag === "Some" ? price.value : undefined,
    feePrice: feePrice?._tag === "Some" ? feePrice.value : undefined,
  }
  return [offer]
})

/** Whether this account must tell who it is before it pays, and has not. */
const dataNeeded = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  account: Caip.Account,
  collected: ReadonlyArray<Change.Collected>,
) {
  const asked = yield* (yield* CollectDataPolicy).isNeeded({
    merchantId: payment.merchantId,
    amount: payment.amount,
    account,
  })
  return CollectData.requirement({
    asked,
    collected: collected.some((each) => Caip.sameAccount(each.account, account)),
  })
})

/** What a payment can be priced in, and the assets it was chosen from. */
const offersFor = Effect.fnUntraced(function* (payment: Payment.Payment) {
  const assets = yield* (yield* Chains).of(payment.mode).offered
  return {
    assets,
    offers: (yield* Effect.forEach(assets, (each) => offerOf(payment, each))).flat(),
  }
})

/** Leaves out chains whose lanes are stopped: nothing would be collected there in time. */
const withoutHalted = (
  offers: ReadonlyArray<OptionRouting.Offer>,
  halted: ReadonlyArray<{ readonly chainId: Caip.ChainId }>,
): ReadonlyArray<OptionRouting.Offer> =>
  offers.filter(({ asset }) => !halted.some(({ chainId }) => chainId === asset.token.chainId))

const offer = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  payers: ReadonlyArray<Payer>,
  now: number,
) {
  if (payers.length === 0) return []
  const chain = (yield* Chains).of(payment.mode)
  const { assets, offers } = yield* offersFor(payment)
  const priced = assets.filter((each) =>
    offers.some((one) => Caip.sameToken(one.asset.token, each.asset.token)),
  )
  const [holdings, halted] = yield* Effect.all(
    [chain.holdings(payers, priced), Lanes.halted(payment.mode)],
    { concurrency: "unbounded" },
  )
  const routed = OptionRouting.route(
    {
      paymentId: payment.id,
      amount: payment.amount,
      feeTerms: payment.feeTerms,
      expiresAt: payment.expiresAt,
      nowInS: Math.floor(now / 1000),
    },
    withoutHalted(offers, halted),
    holdings,
  )
  const { sealKey } = yield* Settings
  const collected = yield* (yield* Storage).collected(payment.id)
  return yield* Effect.forEach(routed, ({ etaInS, option }) =>
    Effect.map(dataNeeded(payment, option.account, collected), (needsData): Offered => ({
      id: PaymentOption.id(option, sealKey),
      option,
      actions: Action.offered(option),
      etaInS,
      needsData,
    })),
  )
})

/** What a payment costs in each token that is taken now, whoever pays; nothing where it takes none any more. */
export const prices = Effect.fn("Gateway.prices")(function* (payment: Payment.Payment) {
  const now = yield* Clock.currentTimeMillis
  if (Result.isFailure(PaymentTransition.mayConfirm(payment, now))) return []
  const { offers } = yield* offersFor(payment)
  const open = withoutHalted(offers, yield* Lanes.halted(payment.mode))
  return OptionRouting.quotes(payment, open).map(
    ({ offer: { asset }, quantity }): Amount.Amount => ({
      unit: Amount.token(asset.token),
      quantity,
    }),
  )
})

/**
 * How the wallet's accounts can pay. Every call quotes anew and writes nothing; ids given out before stay good until
 * they expire.
 */
export const options = Effect.fn("Gateway.options")(function* (
  caller: Keys.Caller,
  id: PaymentId.PaymentId,
  request: {
    readonly accounts: ReadonlyArray<string>
    readonly includePaymentInfo: boolean
  },
) {
  const payers = yield* Effect.fromResult(readAccounts(request.accounts))
  const payment = yield* paymentFor(caller, id)
  const now = yield* Clock.currentTimeMillis
  const open = PaymentTransition.mayConfirm(payment, now)
  if (Result.isFailure(open) && open.failure.refusal === "payment_expired") {
    return yield* open.failure
  }
  const accepted = Result.isSuccess(open) ? yield* screen(payers) : payers
  const [first] = accepted
  const offered = Result.isSuccess(open) ? yield* offer(payment, accepted, now) : null
  const answer: Options = {
    options: offered,
    needsData: CollectData.topLevelRequirement((offered ?? []).map((each) => each.needsData)),
    info: request.includePaymentInfo
      ? yield* infoOf(payment, first === undefined ? null : buyerOf(caller, first.accountText))
      : null,
  }
  return answer
})

const openOption = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  optionId: string,
  now: number,
) {
  const { sealKey } = yield* Settings
  const option = yield* Effect.fromResult(PaymentOption.read(optionId, payment.id, sealKey))
  return yield* Effect.fromResult(PaymentOption.requireLive(option, Math.floor(now / 1000)))
})

/** Resolves a build action into the steps to execute now. */
export const fetch = Effect.fn("Gateway.fetch")(function* (
  caller: Keys.Caller,
  id: PaymentId.PaymentId,
  request: {
    readonly optionId: string
    readonly data: string
    /** Refuses to tell the steps before the payer's data is there. */
    readonly requiresData?: boolean
  },
) {
  const payment = yield* paymentFor(caller, id)
  const now = yield* Clock.currentTimeMillis
  yield* Effect.fromResult(PaymentTransition.mayConfirm(payment, now))
  const option = yield* openOption(payment, request.optionId, now)
  yield* Effect.fromResult(Action.checkBuildData(option, request.data))
  if (request.requiresData === true) yield* requireData(payment, option)
  const allowance = yield* (yield* Chains).of(payment.mode).allowance(option.account, option.token)
  return Action.executable(option, allowance)
})

export interface Confirm {
  readonly optionId: string
  readonly results: ReadonlyArray<ActionResult.WalletResult>
  /** What the wallet's own form collected, as it was sent. */
  readonly collectedData?:
    | { readonly fields: ReadonlyArray<{ readonly id: string; readonly value: string }> }
    | undefined
  readonly excludeFromRelayer: boolean
  readonly maxPollInMs: number
}

/** A confirm that was read against its payment: everything but the signature has been checked. */
const readAttempt = Effect.fnUntraced(function* (
  caller: Keys.Caller,
  option: PaymentOption.PaymentOption,
  request: Confirm,
  outputs: ReadonlyArray<string>,
  now: number,
) {
  if (request.excludeFromRelayer && option.flow !== "transfer") {
    return yield* Effect.fromResult(
      Invalid.fail(
        "excludeFromRelayer",
        "this option can only be sent by the service: leave it out",
      ),
    )
  }
  const attempt: Payment.Attempt = {
    option,
    outputs: yield* Effect.fromResult(ActionResult.read(option.flow, outputs)),
    excludeFromRelayer: request.excludeFromRelayer,
    buyer: buyerOf(caller, option.accountText),
    confirmedAt: now,
    fingerprint: Payment.fingerprint(request.optionId, outputs),
  }
  return attempt
})

const requireData = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  option: PaymentOption.PaymentOption,
) {
  const collected = yield* (yield* Storage).collected(payment.id)
  const needed = yield* dataNeeded(payment, option.account, collected)
  return needed === "needed" ? yield* dataRequired : undefined
})

/** The data that goes with a confirm, sealed; undefined where none was sent and none is needed. */
const readData = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  option: PaymentOption.PaymentOption,
  request: Confirm,
  now: number,
) {
  if (request.collectedData === undefined) return yield* requireData(payment, option)
  const data = yield* Effect.fromResult(CollectData.fromFields(request.collectedData.fields))
  return yield* sealData(payment.id, option.account, data, now)
})

const sealData = Effect.fnUntraced(function* (
  id: PaymentId.PaymentId,
  account: Caip.Account,
  data: CollectData.CollectedData,
  now: number,
) {
  const vault = yield* Vault
  const { collectedKeptInMs } = yield* Settings
  const sealed = yield* vault.seal(
    `${id}/${Caip.formatAccount(account)}/collected`,
    utf8ToBytes(JSON.stringify(data)),
  )
  const collected: Change.Collected = { account, sealed, deleteAt: now + collectedKeptInMs }
  return collected
})

/** What the hosted form asks for some accounts. */
export interface Form {
  readonly info: Info
  /** Those that we serve. */
  readonly accounts: ReadonlyArray<Caip.Account>
  /** Whether one of them must tell who it is, and has not. */
  readonly needsData: CollectData.Requirement
  /** Whether the payment still takes it. */
  readonly isOpen: boolean
}

/** What to ask in the hosted form of a payment. Whoever holds its link may ask. */
export const form = Effect.fn("Gateway.form")(function* (
  id: PaymentId.PaymentId,
  accountTexts: ReadonlyArray<string>,
) {
  const payers = yield* Effect.fromResult(readAccounts(accountTexts))
  const told = yield* infoOfLink(id)
  const collected = yield* (yield* Storage).collected(id)
  const needs = yield* Effect.forEach(payers, ({ account }) =>
    dataNeeded(told.payment, account, collected),
  )
  const now = yield* Clock.currentTimeMillis
  const answer: Form = {
    info: told,
    accounts: payers.map(({ account }) => account),
    needsData: CollectData.topLevelRequirement(needs),
    isOpen: Result.isSuccess(PaymentTransition.mayConfirm(told.payment, now)),
  }
  return answer
})

/**
 * Keeps what a payer told in the hosted form, for this payment and account. What was told first stays: a second page
 * changes nothing.
 */
export const collect = Effect.fn("Gateway.collect")(function* (
  id: PaymentId.PaymentId,
  account: Caip.Account,
  fields: ReadonlyArray<{ readonly id: string; readonly value: string }>,
) {
  const storage = yield* Storage
  const payment = yield* storage.payment(id)
  const now = yield* Clock.currentTimeMillis
  yield* Effect.fromResult(PaymentTransition.mayConfirm(payment, now))
  const data = yield* Effect.fromResult(CollectData.fromFields(fields))
  yield* storage.putCollected(id, yield* sealData(id, account, data, now))
})

/** Whether the transfer is the very one that an accepted confirm named: it pays, and is not late. */
const isPaying = (payment: Payment.Payment, txHash: string): boolean => {
  const { state } = payment
  return (
    (state._tag === "Processing" || state._tag === "Succeeded") &&
    state.attempt.outputs._tag === "Sent" &&
    state.attempt.outputs.txHash === txHash
  )
}

/** Keeps the hash of a transfer that pays nothing, so that the money can be given back. */
const keepLate = Effect.fnUntraced(function* (
  id: PaymentId.PaymentId,
  { option, outputs }: Pick<Payment.Attempt, "option" | "outputs">,
  now: number,
) {
  if (outputs._tag !== "Sent") return
  const { txHash } = outputs
  yield* (yield* Storage).modifyPayment(id, (current) =>
    Result.succeed({
      answer: undefined,
      change: isPaying(current, txHash)
        ? null
        : PaymentTransition.reportLate(current, txHash, option, now),
    }),
  )
})

/**
 * The same for a confirm that was refused. Only the payer's own statement may name a transfer: nobody can put another's
 * money aside. Where the chain or the storage does not answer, the confirm fails with that, so that it is sent again.
 */
const noteLate = Effect.fnUntraced(
  function* (
    payment: Payment.Payment,
    request: Confirm,
    outputs: ReadonlyArray<string>,
    now: number,
  ) {
    const { sealKey } = yield* Settings
    const option = PaymentOption.read(request.optionId, payment.id, sealKey)
    if (Result.isFailure(option)) return
    const read = ActionResult.read(option.success.flow, outputs)
    if (Result.isFailure(read) || read.success._tag !== "Sent") return
    const sent = { option: option.success, outputs: read.success }
    yield* (yield* Chains).of(payment.mode).verify(sent)
    yield* keepLate(payment.id, sent, now)
  },
  Effect.catchTag(["AttemptRefused", "ClaimTaken"], () => Effect.void),
)

/** What one confirm did: accepted now, or accepted before by the same confirm. */
const accept = Effect.fnUntraced(
  function* (
    payment: Payment.Payment,
    attempt: Payment.Attempt,
    data: Change.Collected | undefined,
    now: number,
  ) {
    const storage = yield* Storage
    const refused = yield* (yield* Screening).refused([attempt.option.account])
    const accepted = yield* storage.modifyPayment(payment.id, (current) => {
      if (Payment.isRepeated(current, attempt.fingerprint)) {
        return Result.succeed({ answer: current })
      }
      const decided =
        refused.length > 0
          ? PaymentTransition.decline(current, attempt, now)
          : PaymentTransition.confirm(current, attempt, now, data)
      return Result.map(decided, (change) => ({ answer: change?.payment ?? current, change }))
    })
    yield* (yield* Signals).changed(payment.id)
    return accepted
  },
  Effect.catchTag("ClaimTaken", () =>
    Effect.fail(new AttemptRefused({ message: "the authorization was used for another payment" })),
  ),
)

const isFinal = (payment: Payment.Payment, now: number): boolean =>
  PaymentState.isFinal(Payment.status(payment, now))

/** A confirm that is new: checked in order, and accepted. */
const take = Effect.fnUntraced(function* (
  caller: Keys.Caller,
  payment: Payment.Payment,
  request: Confirm,
  outputs: ReadonlyArray<string>,
  now: number,
) {
  yield* Effect.fromResult(PaymentTransition.mayConfirm(payment, now))
  const option = yield* openOption(payment, request.optionId, now)
  const attempt = yield* readAttempt(caller, option, request, outputs, now)
  const data = yield* readData(payment, option, request, now)
  yield* (yield* Chains).of(payment.mode).verify(attempt)
  return yield* accept(payment, attempt, data, yield* Clock.currentTimeMillis)
})

/**
 * Takes what the wallet signed or sent. The same confirm again, also while the first is held, answers the current state.
 * Holds until the payment is final or the time is up.
 */
export const confirm = Effect.fn("Gateway.confirm")(function* (
  caller: Keys.Caller,
  id: PaymentId.PaymentId,
  request: Confirm,
) {
  const outputs = yield* Effect.fromResult(ActionResult.flatten(request.results))
  const payment = yield* paymentFor(caller, id)
  const now = yield* Clock.currentTimeMillis
  const isRepeated = Payment.isRepeated(payment, Payment.fingerprint(request.optionId, outputs))
  const accepted = isRepeated
    ? payment
    : yield* take(caller, payment, request, outputs, now).pipe(
        Effect.tapErrorTag(["StateRefused", "OptionExpired"], () =>
          noteLate(payment, request, outputs, now),
        ),
      )
  return yield* LongPoll.hold(accepted, request.maxPollInMs, isFinal)
})

/** Where a payment stands; with a wait, as soon as that changes. */
export const status = Effect.fn("Gateway.status")(function* (
  caller: Keys.Caller,
  id: PaymentId.PaymentId,
  maxPollInMs: number,
) {
  return yield* LongPoll.untilChange(yield* paymentFor(caller, id), maxPollInMs)
})

/** The payer calls it off. Calling it off again answers the same. */
export const cancel = Effect.fn("Gateway.cancel")(function* (
  caller: Keys.Caller,
  id: PaymentId.PaymentId,
) {
  yield* paymentFor(caller, id)
  return yield* Cancellation.cancel(id, "cancelled_by_user")
})
