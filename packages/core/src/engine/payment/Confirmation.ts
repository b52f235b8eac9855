/**
 * Confirms: what a wallet signed or sent is checked in order, and accepted once. Money for a payment that no longer
 * takes any is recorded, so that it can be sent back.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as ActionResult from "../../domain/chain/ActionResult.ts"
import * as Caip from "../../domain/chain/Caip.ts"
import * as Family from "../../domain/chain/Family.ts"
import * as PaymentOption from "../../domain/chain/PaymentOption.ts"
import * as Invalid from "../../domain/ground/Invalid.ts"
import type * as Change from "../../domain/payment/Change.ts"
import * as FailureBudget from "../../domain/payment/FailureBudget.ts"
import * as Payment from "../../domain/payment/Payment.ts"
import * as PaymentTransition from "../../domain/payment/PaymentTransition.ts"
import { AttemptRefused, Chains } from "../../ports/Chain.ts"
import { Settings } from "../../ports/Settings.ts"
import * as World from "../../ports/World.ts"
import * as Relaying from "../chain/Relaying.ts"
import * as Keys from "../partner/Keys.ts"
import * as CountedLogs from "../record/CountedLogs.ts"
import * as Writes from "../record/Writes.ts"
import * as PayerData from "./PayerData.ts"
import * as PayersFunds from "./PayersFunds.ts"
import * as PayersPayment from "./PayersPayment.ts"

export interface Confirm {
  readonly optionId: string
  readonly results: ReadonlyArray<ActionResult.WalletResult>
  /** What the wallet's own form collected, as it was received. */
  readonly collectedData?: PayerData.Sent | undefined
  readonly excludeFromRelayer: boolean
}

/** Reads an option. A valid seal is not enough: anybody with the seal key could name any account to pay to. */
const readOption = Effect.fnUntraced(function* (payment: Payment.Payment, optionId: string) {
  const { sealKey } = yield* Settings
  const option = yield* Effect.fromResult(PaymentOption.read(optionId, payment.id, sealKey))
  const payTo = { chainId: option.token.chainId, address: option.payTo }
  const { accounts } = (yield* Chains).of(payment.mode)
  return accounts.some((each) => Caip.sameAccount(each, payTo))
    ? option
    : yield* PaymentOption.notFound()
})

/** The family of an option, and how its flow works. */
const familyOf = Effect.fnUntraced(function* (
  { mode }: Payment.Payment,
  { flow, token }: PaymentOption.PaymentOption,
) {
  const family = Family.of((yield* Chains).of(mode).catalog, token.chainId)
  const way = family && Family.wayOf(family, flow)
  return family === undefined || way === undefined
    ? yield* PaymentOption.notFound()
    : { family, way }
})

/** Whether a payment already has this confirm, even if its outputs are spelled differently. */
export const isRepeated = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  { optionId }: Confirm,
  outputs: ReadonlyArray<string>,
) {
  const attempt = Payment.attemptOf(payment)
  if (attempt === null) return false
  const { catalog } = (yield* Chains).of(payment.mode)
  const family = Family.of(catalog, attempt.option.token.chainId)
  const spelled = family === undefined ? outputs : outputs.map(family.spelled)
  return attempt.fingerprint === Payment.fingerprint(optionId, spelled)
})

export const openOption = Effect.fnUntraced(function* (payment: Payment.Payment, optionId: string) {
  const option = yield* readOption(payment, optionId)
  const { now } = yield* World.meet(payment)
  return yield* Effect.fromResult(PaymentOption.requireLive(option, Math.floor(now / 1000)))
})

/** A confirm that was checked against its payment. Only the signature has not been checked yet. */
const readAttempt = Effect.fnUntraced(function* (
  caller: Keys.Caller,
  payment: Payment.Payment,
  option: PaymentOption.PaymentOption,
  request: Confirm,
  outputs: ReadonlyArray<string>,
  now: number,
) {
  const { family, way } = yield* familyOf(payment, option)
  if (request.excludeFromRelayer && way.sentBy === "us") {
    return yield* Invalid.of(
      "excludeFromRelayer",
      "this option can only be sent by the service: leave it out",
    )
  }
  const key = Keys.keyOf(caller)
  const attempt: Payment.Attempt = {
    option,
    outputs: yield* Effect.fromResult(family.readOutputs(option.flow, outputs)),
    excludeFromRelayer: request.excludeFromRelayer,
    buyer: PayersPayment.buyerOf(caller, option.accountText),
    confirmedAt: now,
    fingerprint: Payment.fingerprint(request.optionId, outputs.map(family.spelled)),
    ...(key !== undefined && { key }),
  }
  return { attempt, family, way }
})

/** Whether the transfer is the one that an accepted confirm named. Then it pays, and is not late. */
const isPaying = (payment: Payment.Payment, txHash: string): boolean => {
  const { state } = payment
  return (
    (state._tag === "Processing" || state._tag === "Succeeded") &&
    state.attempt.outputs._tag === "Sent" &&
    state.attempt.outputs.txHash === txHash
  )
}

/**
 * Records the hash of a transfer that a refused confirm names, and that pays nothing, so that it is known what the money
 * was for. Only the payer's own statement may name a transfer, so that nobody can set another's money aside. If the chain
 * or the storage does not respond, the confirm fails with that error, so that the wallet sends it again.
 */
export const noteLate = Effect.fnUntraced(
  function* (
    payment: Payment.Payment,
    request: Confirm,
    outputs: ReadonlyArray<string>,
    now: number,
  ) {
    const option = yield* readOption(payment, request.optionId)
    const { family } = yield* familyOf(payment, option)
    const read = family.readOutputs(option.flow, outputs)
    if (Result.isFailure(read) || read.success._tag !== "Sent") return
    const { txHash } = read.success
    const chain = (yield* Chains).of(payment.mode)
    const except = yield* CountedLogs.of(option.token.chainId, txHash)
    yield* chain.verify({ option, outputs: read.success, except })
    const { _tag: seen } = yield* chain.lookLate({ txHash, option, except })
    if (seen === "Impossible") return
    const isFirm = seen === "Included" || seen === "Final"
    yield* Writes.decidePayment(payment.id, (current) =>
      Result.succeed(
        isPaying(current, txHash)
          ? null
          : PaymentTransition.reportLate(current, { txHash, option, isFirm }, now),
      ),
    )
  },
  Effect.catchTag(["AttemptRefused", "ClaimTaken", "OptionNotFound"], () => Effect.void),
)

const alreadyUsed = new AttemptRefused({
  message: "the authorization was used for another payment: choose another option",
})

/** Accepts a confirm, or returns the result of the same confirm that was accepted before. */
const accept = Effect.fnUntraced(
  function* (
    payment: Payment.Payment,
    attempt: Payment.Attempt,
    data: Change.Collected | undefined,
    draws: ReadonlyArray<Change.Draw>,
    entries: ReadonlyArray<FailureBudget.Entry>,
    now: number,
  ) {
    const { refusedPayer } = yield* World.meet(payment)
    const refused = yield* refusedPayer([attempt.option.account])
    // Screening may be slow, and readers may see the payment as expired by now.
    const screenedAt = yield* Clock.currentTimeMillis
    const accepted = yield* Writes.writePayment(payment.id, (current) => {
      // The response to a repeated confirm is the current state.
      if (Payment.attemptOf(current)?.fingerprint === attempt.fingerprint)
        return Result.succeed(null)
      // A payment that another payer's confirm is paying now is not declined.
      return Result.flatMap(PaymentTransition.mayConfirm(current, screenedAt), () =>
        refused.length > 0
          ? PaymentTransition.decline(current, attempt, now)
          : PaymentTransition.confirm(current, attempt, now, data, draws, entries),
      )
    })
    return accepted.payment
  },
  Effect.catchTag("ClaimTaken", () => alreadyUsed),
)

/** Accepts an attempt that we send, with what else its account has in progress; null if that may be too much. */
const acceptWith = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  attempt: Payment.Attempt,
  family: Family.Family,
  data: Change.Collected | undefined,
  funds: PayersFunds.Funds | null,
) {
  const now = yield* Clock.currentTimeMillis
  // A payment in progress that takes no more may have been cancelled in front of our transaction: only the end shows.
  const isOnly = funds === null
  const entries = yield* Relaying.reserve(payment, attempt, isOnly, now)
  const reserved = FailureBudget.reservedBy(entries)
  const judged = reserved.length === 0 ? attempt : { ...attempt, reserved }
  const draws = PayersFunds.draws(attempt.option, family, funds)
  const accepted = yield* Effect.result(accept(payment, judged, data, draws, entries, now))
  if (Result.isSuccess(accepted)) return accepted.success
  const { failure } = accepted
  if (failure._tag !== "Uncovered") return yield* failure
  return failure.what === "failures"
    ? yield* yield* Relaying.usedUp(payment, attempt, isOnly, now)
    : null
})

/**
 * Accepts an attempt that we send, if its account has enough for all that it has in progress. Usually that is only this
 * attempt: its own check was enough, and the write that accepts it finds no other. Only if there are others, they are
 * read, and the chain is asked about them.
 */
const acceptRelayed = Effect.fnUntraced(function* (
  payment: Payment.Payment,
  attempt: Payment.Attempt,
  family: Family.Family,
  data: Change.Collected | undefined,
) {
  const accepted = yield* acceptWith(payment, attempt, family, data, null)
  if (accepted !== null) return accepted
  const funds = yield* PayersFunds.read(payment, attempt, family)
  return (
    (yield* acceptWith(payment, attempt, family, data, funds)) ??
    (yield* PayersFunds.short(attempt.option, funds))
  )
})

/** Takes a new confirm: checks it in order, and accepts it. */
export const take = Effect.fnUntraced(function* (
  caller: Keys.Caller,
  payment: Payment.Payment,
  request: Confirm,
  given: ReadonlyArray<string>,
  now: number,
) {
  yield* Effect.fromResult(PaymentTransition.mayConfirm(payment, now))
  const option = yield* openOption(payment, request.optionId)
  const { attempt, family, way } = yield* readAttempt(caller, payment, option, request, given, now)
  const data = yield* PayerData.readSent(payment, option, request.collectedData, now)
  // The logs of the transaction that a wallet names, and that count for something already.
  const except =
    attempt.outputs._tag === "Sent"
      ? yield* CountedLogs.of(option.token.chainId, attempt.outputs.txHash)
      : []
  const outputs = yield* (yield* Chains).of(payment.mode).verify({ ...attempt, except })
  return yield* way.sentBy === "us"
    ? acceptRelayed(payment, { ...attempt, outputs }, family, data)
    : accept(payment, { ...attempt, outputs }, data, [], [], yield* Clock.currentTimeMillis)
})
