/**
 * A payment: what is asked, what became of it, and every decision about it from creation to success or failure.
 *
 * Decisions are pure. Each takes the payment as it is and answers the whole {@link Change.Change}, or why not. Time is
 * an argument: a payment whose `expiresAt` is reached is expired even where no worker has said so yet.
 *
 * @module
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ActionResult from "./ActionResult.ts"
import * as Amount from "./Amount.ts"
import * as Asset from "./Asset.ts"
import type * as Caip from "./Caip.ts"
import * as Change from "./Change.ts"
import * as Claim from "./Claim.ts"
import * as Fees from "./Fees.ts"
import * as Invalid from "./Invalid.ts"
import * as Lane from "./Lane.ts"
import * as Ledger from "./Ledger.ts"
import * as Limits from "./Limits.ts"
import * as Merchant from "./Merchant.ts"
import * as Mode from "./Mode.ts"
import type * as Money from "./Money.ts"
import * as PaymentId from "./PaymentId.ts"
import * as PaymentOption from "./PaymentOption.ts"
import * as PaymentState from "./PaymentState.ts"
import * as Refund from "./Refund.ts"
import * as Settlement from "./Settlement.ts"
import * as Transfer from "./Transfer.ts"
import * as WebUrl from "./WebUrl.ts"

/** Who paid: the account, and the wallet that spoke for it. */
export interface Buyer extends Schema.Schema.Type<typeof Buyer> {}
export const Buyer = Schema.Struct({
  accountText: Schema.String,
  providerName: Schema.NullOr(Schema.String),
  providerIconUrl: Schema.NullOr(Schema.String),
})

/** An accepted confirm: the option that was chosen and what the wallet signed or sent for it. */
export interface Attempt extends Schema.Schema.Type<typeof Attempt> {}
export const Attempt = Schema.Struct({
  option: PaymentOption.PaymentOption,
  outputs: ActionResult.Outputs,
  excludeFromRelayer: Schema.Boolean,
  buyer: Buyer,
  confirmedAt: Schema.Int,
  /** Tells a repeated confirm from a different one. */
  fingerprint: Schema.String,
})

/** Why a final transfer counts as lost, and since when. */
export interface Loss extends Schema.Schema.Type<typeof Loss> {}
export const Loss = Schema.Struct({ reason: Schema.String, lostAt: Schema.Int })

export type CancelledReason = "cancelled_by_user" | "cancelled_by_merchant"

export type State = typeof State.Type
export const State = Schema.TaggedUnion({
  RequiresAction: {},
  Processing: {
    attempt: Attempt,
    /** Where our transaction that collects the money stands, once it was signed. */
    slot: Schema.NullOr(Lane.Slot),
  },
  Succeeded: {
    attempt: Attempt,
    transfer: Transfer.Evidence,
    charge: Fees.Charge,
    succeededAt: Schema.Int,
    settlement: Settlement.Settlement,
    refund: Schema.NullOr(Refund.Refund),
    /** A deep reorganisation took the payer's transfer back, and it did not return. The payment stays paid. */
    lost: Schema.optionalKey(Loss),
  },
  Failed: {
    failureCode: Schema.NullOr(Schema.Literal("declined_user")),
    reason: Schema.String,
    failedAt: Schema.Int,
    attempt: Schema.NullOr(Attempt),
  },
  Expired: {},
  Cancelled: {
    reason: Schema.Literals(["cancelled_by_user", "cancelled_by_merchant"]),
    cancelledAt: Schema.Int,
  },
})

/** A transfer that was reported for a payment that no longer takes one, and what became of it. */
export type Late = typeof Late.Type
export const Late = Schema.TaggedUnion({
  /** Reported; not yet found on chain. */
  Reported: { txHash: Schema.String, option: PaymentOption.PaymentOption, reportedAt: Schema.Int },
  /** Real: it sits in suspense until an operator returns it. */
  Suspended: { transfer: Transfer.Evidence, suspendedAt: Schema.Int },
  Returning: { transfer: Transfer.Evidence, slot: Lane.Slot },
  Returned: {
    transfer: Transfer.Evidence,
    returnedBy: Transfer.Evidence,
    returnedAt: Schema.Int,
    /** A deep reorganisation took the transfer itself back: it was returned from the operator's money. */
    lost: Schema.optionalKey(Loss),
  },
  /** It never was what it was said to be. */
  Unfounded: { txHash: Schema.String, reason: Schema.String },
})

export interface Payment extends Schema.Schema.Type<typeof Payment> {}
export const Payment = Schema.Struct({
  id: PaymentId.PaymentId,
  partnerId: Merchant.PartnerId,
  merchantId: Merchant.MerchantId,
  mode: Mode.Mode,
  referenceId: Schema.String,
  amount: Amount.Amount,
  /** Terms at creation: a later change of terms is for later payments. */
  feeTerms: Fees.FeeTerms,
  checkout: Schema.NullOr(Schema.Struct({ successUrl: Schema.String, errorUrl: Schema.String })),
  createdAt: Schema.Int,
  updatedAt: Schema.Int,
  /** Unix seconds. */
  expiresAt: Schema.Int,
  /** Counts every write, and guards the next one. */
  revision: Schema.Int,
  /** Counts every announced change, from 0. */
  stateVersion: Schema.Int,
  state: State,
  late: Schema.Array(Late),
  /** Since when a transfer of it is missed that was final; absent while none is. */
  auditedSince: Schema.optionalKey(Schema.Int),
})

const statusOf: { readonly [Tag in State["_tag"]]: PaymentState.Status } = {
  RequiresAction: "requires_action",
  Processing: "processing",
  Succeeded: "succeeded",
  Failed: "failed",
  Expired: "expired",
  Cancelled: "cancelled",
}

/** Whether time has run out for a payment that nobody confirmed. */
export const isOverdue = (payment: Payment, now: number): boolean =>
  payment.state._tag === "RequiresAction" && now >= payment.expiresAt * 1000

/** Whether nobody has confirmed, declined or cancelled it yet; its time may be over. */
export const isOpen = (payment: Payment): boolean => payment.state._tag === "RequiresAction"

/** Whether only an operator can move something about it on: a held settlement or refund, or money in suspense. */
export const isStuck = (payment: Payment): boolean =>
  payment.late.some((late) => late._tag === "Suspended") ||
  (payment.state._tag === "Succeeded" &&
    (payment.state.settlement._tag === "Held" || payment.state.refund?.state._tag === "Held"))

/** The status a reader is told at `now`. */
export const status = (payment: Payment, now: number): PaymentState.Status =>
  isOverdue(payment, now) ? "expired" : statusOf[payment.state._tag]

/** What a payment is created from, as it was sent. */
export interface Request {
  readonly referenceId: string
  readonly amount: { readonly unit: string; readonly value: string }
  /** Unix seconds. */
  readonly expiresAt?: number | undefined
  readonly checkout?: { readonly successUrl: string; readonly errorUrl: string } | undefined
}

/** What the service adds to a request. */
export interface Terms {
  readonly id: PaymentId.PaymentId
  readonly partnerId: Merchant.PartnerId
  readonly merchantId: Merchant.MerchantId
  readonly mode: Mode.Mode
  readonly feeTerms: Fees.FeeTerms
  readonly now: number
}

const checkoutIssues = (checkout: Request["checkout"]): ReadonlyArray<Invalid.Issue> =>
  checkout === undefined
    ? []
    : (["successUrl", "errorUrl"] as const).flatMap((name) =>
        Result.match(WebUrl.parseHttps(checkout[name]), {
          onFailure: (error) => [Invalid.issue(`checkout.${name}`, error.message)],
          onSuccess: () => [],
        }),
      )

const expiryIssues = (expiresAt: number, nowInS: number): ReadonlyArray<Invalid.Issue> => {
  if (!Number.isSafeInteger(expiresAt) || expiresAt <= nowInS) {
    return [Invalid.issue("expiresAt", "must be a time in the future, in unix seconds")]
  }
  return expiresAt > nowInS + Limits.paymentLifeMaxInS
    ? [Invalid.issue("expiresAt", `must be at most ${Limits.paymentLifeMaxInS} seconds from now`)]
    : []
}

/** A fiat quantity in the token with the most decimals, at one for one: a payment is not made for one rate. */
const inFinestToken = (quantity: Money.Quantity, unit: Amount.Unit): bigint =>
  quantity * 10n ** BigInt(Asset.decimalsMax - Amount.decimals(unit))

/** Reads the amount of a payment: more than zero, and no more than fits into any token. */
const readAmount = (
  input: Request["amount"],
): Result.Result<Amount.Amount, Invalid.InvalidInput> => {
  const parsed = Amount.parse(input)
  if (Result.isFailure(parsed)) {
    return Invalid.fail(`amount.${parsed.failure.field}`, parsed.failure.message)
  }
  const { quantity, unit } = parsed.success
  if (quantity === 0n) return Invalid.fail("amount.value", "must be more than zero")
  return unit._tag === "Fiat" && inFinestToken(quantity, unit) > Limits.maxQuantity
    ? Invalid.fail("amount.value", "is more than every token can hold")
    : Result.succeed(parsed.success)
}

/** What a request asks for, once it was read. */
export interface Asked {
  readonly amount: Amount.Amount
  /** Unix seconds. */
  readonly expiresAt: number
}

/** Reads a request for a payment, or tells everything that is wrong with it. */
export const read = (request: Request, now: number): Result.Result<Asked, Invalid.InvalidInput> => {
  const nowInS = Math.floor(now / 1000)
  const expiresAt = request.expiresAt ?? nowInS + Limits.paymentLifeDefaultInS
  const amount = readAmount(request.amount)
  const issues = [
    ...Invalid.textIssues("referenceId", request.referenceId, Limits.referenceIdMaxLength),
    ...(Result.isFailure(amount) ? amount.failure.issues : []),
    ...expiryIssues(expiresAt, nowInS),
    ...checkoutIssues(request.checkout),
  ]
  return Result.flatMap(Invalid.check(issues), () =>
    Result.map(amount, (asked) => ({ amount: asked, expiresAt })),
  )
}

/** A new payment, or everything that is wrong with the request for one. */
export const create = (
  request: Request,
  terms: Terms,
): Result.Result<Change.Change, Invalid.InvalidInput> =>
  Result.map(read(request, terms.now), ({ amount, expiresAt }) =>
    Change.make(
      {
        id: terms.id,
        partnerId: terms.partnerId,
        merchantId: terms.merchantId,
        mode: terms.mode,
        referenceId: request.referenceId,
        amount,
        feeTerms: terms.feeTerms,
        checkout: request.checkout ?? null,
        createdAt: terms.now,
        updatedAt: terms.now,
        expiresAt,
        revision: 0,
        stateVersion: -1,
        state: { _tag: "RequiresAction" },
        late: [],
      },
      terms.now,
      { event: "payment.created", due: { expire: expiresAt * 1000 } },
    ),
  )

/** Tells whether two confirms are the same: the same option with the same outputs, as {@link ActionResult.flatten} reads them. */
export const fingerprint = (
  optionId: PaymentOption.OptionId,
  outputs: ReadonlyArray<string>,
): string => bytesToHex(sha256(utf8ToBytes(JSON.stringify([optionId, outputs]))))

/** Whether this attempt was accepted before: a repeated confirm, which is answered with the current state. */
export const isRepeated = (payment: Payment, attemptFingerprint: string): boolean => {
  const attempt = attemptOf(payment)
  return attempt !== null && attempt.fingerprint === attemptFingerprint
}

/** The accepted confirm of a payment, if there was one. */
export const attemptOf = (payment: Payment): Attempt | null => {
  switch (payment.state._tag) {
    case "Processing":
    case "Succeeded":
    case "Failed":
      return payment.state.attempt
    default:
      return null
  }
}

/** What an event does to the payment at `now`; time alone may have expired it. */
const after = (payment: Payment, event: PaymentState.Event, now: number) =>
  PaymentState.after(status(payment, now), event)

/** Whether a confirm would be taken at `now`, before anything of it is looked at. */
export const mayConfirm = (
  payment: Payment,
  now: number,
): Result.Result<void, PaymentState.StateRefused> =>
  Result.map(after(payment, "confirm", now), () => undefined)

/** Accepts what the wallet signed or sent: from now on only the chain ends the payment. */
export const confirm = (
  payment: Payment,
  attempt: Attempt,
  now: number,
  collected?: Change.Collected,
): Result.Result<Change.Change, PaymentState.StateRefused> =>
  Result.map(after(payment, "confirm", now), () =>
    Change.make({ ...payment, state: { _tag: "Processing", attempt, slot: null } }, now, {
      event: "payment.processing",
      claims: [Claim.ofAuthorization(attempt.option)],
      due: { expire: null, collect: now },
      ...(collected !== undefined && { collected }),
    }),
  )

const isKnownLate = (payment: Payment, txHash: string): boolean =>
  payment.late.some(
    (late) =>
      (late._tag === "Reported" || late._tag === "Unfounded"
        ? late.txHash
        : late.transfer.txHash) === txHash,
  )

/** What the attempt's transaction may still have moved: it is looked for, to be given back. */
const lateAfter = (
  payment: Payment,
  { option, outputs }: Attempt,
  now: number,
  endedBy?: string,
): ReadonlyArray<Late> => {
  const txHash = outputs._tag === "Sent" ? outputs.txHash : endedBy
  return txHash === undefined || isKnownLate(payment, txHash)
    ? []
    : [{ _tag: "Reported", txHash, option, reportedAt: now }]
}

/** Screening refused the payer. Null where the payment failed already. */
export const decline = (
  payment: Payment,
  refused: Attempt | null,
  now: number,
): Result.Result<Change.Change | null, PaymentState.StateRefused> =>
  Result.map(after(payment, "decline", now), () => {
    if (payment.state._tag === "Failed") return null
    const attempt = refused ?? attemptOf(payment)
    const late = attempt === null ? [] : lateAfter(payment, attempt, now)
    return Change.make(
      {
        ...payment,
        state: {
          _tag: "Failed",
          failureCode: "declined_user",
          reason: "the payer was refused by screening",
          failedAt: now,
          attempt,
        },
        late: [...payment.late, ...late],
      },
      now,
      {
        event: "payment.failed",
        due: { expire: null, collect: null, ...(late.length > 0 && { watch: now }) },
      },
    )
  })

/** Time ran out. Null where it has not yet, or where it is written already. */
export const expire = (
  payment: Payment,
  now: number,
): Result.Result<Change.Change | null, PaymentState.StateRefused> => {
  if (isOverdue(payment, now)) {
    return Result.succeed(
      Change.make({ ...payment, state: { _tag: "Expired" } }, now, {
        event: "payment.expired",
        due: { expire: null },
      }),
    )
  }
  return payment.state._tag === "RequiresAction"
    ? Result.succeed(null)
    : Result.map(after(payment, "expire", now), () => null)
}

/** The payer or the merchant calls it off. Null where it is cancelled already, by either. */
export const cancel = (
  payment: Payment,
  reason: CancelledReason,
  now: number,
): Result.Result<Change.Change | null, PaymentState.StateRefused> =>
  Result.map(
    after(payment, reason === "cancelled_by_user" ? "cancel_by_user" : "cancel_by_merchant", now),
    () =>
      payment.state._tag === "Cancelled"
        ? null
        : Change.make({ ...payment, state: { _tag: "Cancelled", reason, cancelledAt: now } }, now, {
            event: "payment.cancelled",
            due: { expire: null },
          }),
  )

/** Our transaction that collects the money was signed; it is broadcast only after this is stored. */
export const relay = (
  payment: Payment,
  slot: Lane.Slot,
  nextLookAt: number,
  now: number,
): Change.Change | null =>
  payment.state._tag === "Processing"
    ? Change.make({ ...payment, state: { ...payment.state, slot } }, now, {
        due: { collect: nextLookAt },
      })
    : null

/** The exact movement that pays an attempt. */
export const movement = (attempt: Attempt): Transfer.Movement => ({
  token: attempt.option.token,
  from: attempt.option.account.address,
  to: attempt.option.payTo,
  quantity: attempt.option.quantity,
})

/**
 * The money is there, finally. The merchant's share becomes owed, and is due at once where the merchant has a
 * destination for this asset. Null where this is written already.
 */
export const succeed = (
  payment: Payment,
  transfer: Transfer.Evidence,
  destination: Caip.Account | null,
  now: number,
): Result.Result<Change.Change | null, PaymentState.StateRefused> =>
  Result.map(after(payment, "succeed", now), () => {
    if (payment.state._tag !== "Processing") return null
    const { attempt } = payment.state
    const charge = Fees.charge({
      paid: attempt.option.quantity,
      fixed: attempt.option.fixedFee,
      percentage: payment.feeTerms.percentage,
    })
    const settlement: Settlement.Settlement =
      destination === null ? { _tag: "Owed" } : { _tag: "Pending", destination }
    return Change.make(
      {
        ...payment,
        state: {
          _tag: "Succeeded",
          attempt,
          transfer,
          charge,
          succeededAt: now,
          settlement,
          refund: null,
        },
      },
      now,
      {
        event: "payment.succeeded",
        claims: [Claim.ofTransfer(transfer)],
        ledger: [
          Ledger.collected({
            payer: attempt.option.account,
            collecting: attempt.option.payTo,
            merchantId: payment.merchantId,
            partnerId: payment.partnerId,
            token: attempt.option.token,
            charge,
          }),
        ],
        due: { collect: null, settle: destination === null ? null : now },
      },
    )
  })

/**
 * It can finally never be paid by this attempt; `endedBy` is the transaction that shows it, where one does, such as one
 * in which the token kept a part. Null where this is written already.
 */
export const fail = (
  payment: Payment,
  reason: string,
  now: number,
  endedBy?: string,
): Result.Result<Change.Change | null, PaymentState.StateRefused> =>
  Result.map(after(payment, "fail", now), () => {
    if (payment.state._tag !== "Processing") return null
    const { attempt } = payment.state
    const late = lateAfter(payment, attempt, now, endedBy)
    return Change.make(
      {
        ...payment,
        state: { _tag: "Failed", failureCode: null, reason, failedAt: now, attempt },
        late: [...payment.late, ...late],
      },
      now,
      { event: "payment.failed", due: { collect: null, ...(late.length > 0 && { watch: now }) } },
    )
  })

/** Whether a transfer that the wallet says it sent was waited for long enough. A payment must end. */
export const isOverdueTransfer = (attempt: Attempt, now: number): boolean =>
  attempt.outputs._tag === "Sent" && now - attempt.confirmedAt >= Limits.sentAwaitedInMs

/** Keeps the hash of a transfer that was reported for a payment that takes no more. Null where it is known. */
export const reportLate = (
  payment: Payment,
  txHash: string,
  option: PaymentOption.PaymentOption,
  now: number,
): Change.Change | null => {
  return isKnownLate(payment, txHash) || payment.late.length >= Limits.latePerPaymentMax
    ? null
    : Change.make(
        {
          ...payment,
          late: [...payment.late, { _tag: "Reported", txHash, option, reportedAt: now }],
        },
        now,
        { due: { watch: now } },
      )
}

/** What anybody who may ask is told of a payment. */
export interface Report {
  readonly status: PaymentState.Status
  readonly isFinal: boolean
  /** When to ask again; null when final. */
  readonly pollInMs: number | null
  readonly failureCode: "declined_user" | null
  /** What was paid, and by which transaction; set exactly when the payment succeeded. */
  readonly info: { readonly optionAmount: Amount.Amount; readonly txId: string } | null
}

/** Longer the longer nothing happened, and never at once. */
const pollSteps: ReadonlyArray<{ readonly quietForInMs: number; readonly pollInMs: number }> = [
  { quietForInMs: 60_000, pollInMs: 3000 },
  { quietForInMs: 15_000, pollInMs: 2000 },
]
const pollSoonestInMs = 1000

export const report = (payment: Payment, now: number): Report => {
  const current = status(payment, now)
  const isFinal = PaymentState.isFinal(current)
  const quietForInMs = now - payment.updatedAt
  const { state } = payment
  return {
    status: current,
    isFinal,
    pollInMs: isFinal
      ? null
      : (pollSteps.find((step) => quietForInMs >= step.quietForInMs)?.pollInMs ?? pollSoonestInMs),
    failureCode: state._tag === "Failed" ? state.failureCode : null,
    info:
      state._tag === "Succeeded"
        ? {
            optionAmount: {
              unit: Amount.token(state.attempt.option.token),
              quantity: state.attempt.option.quantity,
            },
            txId: state.transfer.txHash,
          }
        : null,
  }
}

/** What the merchant was paid out, by which transaction, and when; null until it is final. */
export const settled = (
  payment: Payment,
): { readonly amount: Amount.Amount; readonly txId: string; readonly settledAt: number } | null => {
  const { state } = payment
  return state._tag === "Succeeded" && state.settlement._tag === "Successful"
    ? {
        amount: {
          unit: Amount.token(state.attempt.option.token),
          quantity: state.settlement.quantity,
        },
        txId: state.settlement.transfer.txHash,
        settledAt: state.settlement.settledAt,
      }
    : null
}
