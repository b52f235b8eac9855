/**
 * The payer's side: a wallet reads its options, gets the actions to execute, submits what was signed, and watches the
 * payment.
 *
 * Every call checks in the same order: the request can be read, the payment exists for this caller, its state allows
 * the call, the option is authentic and has not expired, and the data is complete. The signature is checked last.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Action from "../../domain/chain/Action.ts"
import * as ActionResult from "../../domain/chain/ActionResult.ts"
import type * as Caip from "../../domain/chain/Caip.ts"
import * as Family from "../../domain/chain/Family.ts"
import * as PaymentOption from "../../domain/chain/PaymentOption.ts"
import * as Invalid from "../../domain/ground/Invalid.ts"
import * as Limits from "../../domain/ground/Limits.ts"
import * as PayerSession from "../../domain/ground/PayerSession.ts"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import * as OptionRouting from "../../domain/payment/OptionRouting.ts"
import * as PaymentTransition from "../../domain/payment/PaymentTransition.ts"
import { Assets } from "../../ports/Assets.ts"
import { Chains } from "../../ports/Chain.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"
import { Settings } from "../../ports/Settings.ts"
import * as Keys from "../partner/Keys.ts"
import * as Metrics from "../record/Metrics.ts"
import * as Cancellation from "./Cancellation.ts"
import * as Confirmation from "./Confirmation.ts"
import * as Expiry from "./Expiry.ts"
import * as LongPoll from "./LongPoll.ts"
import * as Offers from "./Offers.ts"
import * as PayerData from "./PayerData.ts"
import * as PayersPayment from "./PayersPayment.ts"

/** Basic information to start the payer's flow with. */
export const info = Effect.fn("Gateway.info")(function* (
  caller: Keys.Caller,
  id: PaymentId.PaymentId,
) {
  return yield* PayersPayment.infoOf(yield* PayersPayment.paymentFor(caller, id), null)
})

/** The same for callers that have the payment's link. */
export const infoOfLink = Effect.fn("Gateway.infoOfLink")(function* (id: PaymentId.PaymentId) {
  return yield* PayersPayment.infoOf(yield* Expiry.read(id), null)
})

export interface Options {
  /** Null if the payment takes no option any more; empty if no option fits. */
  readonly options: ReadonlyArray<Offers.Offered> | null
  /** The session in the form's address; null if no form is needed. */
  readonly sealedSession: string | null
  readonly info: PayersPayment.Info | null
}

/** The session of the payment's earlier options, if one of the first few given ids names it. */
const sessionOf = (
  id: PaymentId.PaymentId,
  optionIds: ReadonlyArray<string>,
  sealKey: Settings["Service"]["sealKey"],
): PayerSession.PayerSession | undefined => {
  for (const optionId of optionIds.slice(0, refreshedMax)) {
    const option = PaymentOption.read(optionId, id, sealKey)
    if (Result.isSuccess(option) && option.success.session !== undefined) {
      return option.success.session
    }
  }
  return undefined
}

/** A wallet shows few options at a time, and reading an id takes time. */
const refreshedMax = 16

/**
 * How the wallet's accounts can pay. Every call computes new quotes and writes nothing; earlier ids stay valid until
 * they expire.
 */
export const options = Effect.fnUntraced(function* (
  caller: Keys.Caller,
  id: PaymentId.PaymentId,
  request: {
    readonly accounts: ReadonlyArray<string>
    /** Earlier options: data that was collected for them counts for the new ones. */
    readonly refresh?: ReadonlyArray<string>
    readonly includePaymentInfo: boolean
    /** Whether to add each option's balance and network fee. */
    readonly includeCosts?: boolean
  },
) {
  const { includeCosts = false, refresh = [] } = request
  if (refresh.length > Limits.refreshPerCallMax) {
    return yield* Invalid.of("refresh", `holds at most ${Limits.refreshPerCallMax} option ids`)
  }
  const payers = yield* Effect.fromResult(Offers.readAccounts(request.accounts, yield* Assets))
  const payment = yield* PayersPayment.paymentFor(caller, id)
  const now = yield* Clock.currentTimeMillis
  const open = PaymentTransition.mayConfirm(payment, now)
  if (Result.isFailure(open) && open.failure.refusal === "payment_expired") {
    return yield* open.failure
  }
  const accepted = Result.isSuccess(open) ? yield* Offers.screen(payment, payers) : payers
  const [first] = accepted
  const { sealKey } = yield* Settings
  const session = sessionOf(id, refresh, sealKey)
  const offered = Result.isSuccess(open)
    ? yield* Offers.offer(payment, accepted, session, Keys.keyOf(caller), now, includeCosts)
    : null
  const [asked] = (offered ?? []).flatMap((each) =>
    each.needsData && each.option.session !== undefined ? [each.option.session] : [],
  )
  const response: Options = {
    options: offered,
    sealedSession: asked === undefined ? null : PayerSession.seal(asked, id, sealKey),
    info: request.includePaymentInfo
      ? yield* PayersPayment.infoOf(
          payment,
          first === undefined ? null : PayersPayment.buyerOf(caller, first.accountText),
        )
      : null,
  }
  return response
})

/** Resolves a build action into the steps to execute now. */
export const fetch = Effect.fn("Gateway.fetch")(function* (
  caller: Keys.Caller,
  id: PaymentId.PaymentId,
  request: {
    readonly optionId: string
    readonly data: string
    /** Whether to refuse the actions until the payer's data is there. */
    readonly requiresData?: boolean
  },
) {
  const payment = yield* PayersPayment.paymentFor(caller, id)
  const now = yield* Clock.currentTimeMillis
  yield* Effect.fromResult(PaymentTransition.mayConfirm(payment, now))
  const option = yield* Confirmation.openOption(payment, request.optionId)
  const { account, flow, token } = option
  const catalog = yield* Assets
  const asset = catalog.find(token)
  const family = Family.of(catalog, token.chainId)
  if (asset === undefined || family === undefined) return yield* PaymentOption.notFound()
  const chosen = { option, asset }
  if (!Action.isBuildData(family.offered(chosen), request.data)) {
    return yield* Invalid.of("data", "data is not the data of this option's build action")
  }
  if (request.requiresData === true) yield* PayerData.requireCollected(payment, option)
  const taken = yield* Offers.readCommitted([account], [{ family, flows: [flow] }])
  return yield* (yield* Chains)
    .of(payment.mode)
    .actions(chosen, OptionRouting.committedOf(taken, account, token))
    .pipe(
      Effect.catchTag(
        "AttemptRefused",
        ({ message }) => new PaymentOption.OptionExpired({ message }),
      ),
    )
})

/** What the hosted form asks for some accounts. */
export interface Form {
  readonly info: PayersPayment.Info
  /** The accounts among these that we serve. */
  readonly accounts: ReadonlyArray<Caip.Account>
  /** Whether one of the payers must identify themselves and has not done so. */
  readonly needsData: boolean
  /** Whether the payment still takes the data. */
  readonly isOpen: boolean
}

/** What the hosted form of a payment must ask for. Any caller with the payment's link may call this. */
export const form = Effect.fn("Gateway.form")(function* (
  id: PaymentId.PaymentId,
  accountTexts: ReadonlyArray<string>,
  session: PayerSession.PayerSession,
) {
  const payers = yield* Effect.fromResult(Offers.readAccounts(accountTexts, yield* Assets))
  const linked = yield* infoOfLink(id)
  const collected = yield* (yield* PaymentStore).collected(id)
  const needs = yield* Effect.forEach(payers, ({ account }) =>
    Effect.map(
      PayerData.isAsked(linked.payment, account),
      (isAsked) => isAsked && PayerData.find(collected, account, session) === undefined,
    ),
  )
  const now = yield* Clock.currentTimeMillis
  const response: Form = {
    info: linked,
    accounts: payers.map(({ account }) => account),
    needsData: needs.includes(true),
    isOpen: Result.isSuccess(PaymentTransition.mayConfirm(linked.payment, now)),
  }
  return response
})

/** Takes a confirm, unless it was taken before, and counts how that ended. */
const take = Effect.fnUntraced(function* (
  caller: Keys.Caller,
  id: PaymentId.PaymentId,
  request: Confirmation.Confirm,
  outputs: ReadonlyArray<string>,
) {
  const payment = yield* PayersPayment.paymentFor(caller, id)
  const now = yield* Clock.currentTimeMillis
  const { mode } = payment
  const counted = (outcome: string) => Metrics.count("florin_confirms_total", { mode, outcome })
  if (yield* Confirmation.isRepeated(payment, request, outputs)) {
    return yield* Effect.as(counted("repeated"), payment)
  }
  const taken = yield* Confirmation.take(caller, payment, request, outputs, now).pipe(
    Effect.tapErrorTag(["StateRefused", "OptionExpired"], () =>
      Confirmation.noteLate(payment, request, outputs, now),
    ),
    Effect.tapError(({ _tag }) => counted(Metrics.labelOf(_tag))),
  )
  yield* counted(taken.state._tag === "Failed" ? "declined" : "accepted")
  return taken
})

/** Takes what the wallet signed or sent. If the same confirm is sent again, it returns the current state. */
export const confirm = Effect.fnUntraced(function* (
  caller: Keys.Caller,
  id: PaymentId.PaymentId,
  request: Confirmation.Confirm,
) {
  const outputs = yield* Effect.fromResult(ActionResult.flatten(request.results))
  return yield* Expiry.settle(id, take(caller, id, request, outputs))
})

/** The status of a payment. With a wait, it responds as soon as the status changes. */
export const status = (caller: Keys.Caller, id: PaymentId.PaymentId, maxPollInMs: number) =>
  Effect.flatMap(PayersPayment.paymentFor(caller, id), (payment) =>
    LongPoll.untilChange(payment, maxPollInMs),
  )

/** The payer cancels the payment. Cancelling again returns the same result. */
export const cancel = Effect.fn("Gateway.cancel")(function* (
  caller: Keys.Caller,
  id: PaymentId.PaymentId,
) {
  yield* PayersPayment.paymentFor(caller, id)
  return yield* Cancellation.cancel(id, "cancelled_by_user")
})
