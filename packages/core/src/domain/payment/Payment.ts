/**
 * A payment: what is requested, and its state.
 *
 * Time is an argument: a payment whose `expiresAt` is reached is expired even if no worker has written so yet.
 *
 * @module
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Schema from "effect/Schema"
import * as ActionResult from "../chain/ActionResult.ts"
import * as PaymentOption from "../chain/PaymentOption.ts"
import * as Transfer from "../chain/Transfer.ts"
import * as MerchantId from "../ground/MerchantId.ts"
import * as Mode from "../ground/Mode.ts"
import * as Money from "../ground/Money.ts"
import type * as OutflowId from "../ground/OutflowId.ts"
import * as PartnerId from "../ground/PartnerId.ts"
import * as PaymentId from "../ground/PaymentId.ts"
import * as Amount from "../money/Amount.ts"
import * as Fees from "../money/Fees.ts"
import * as Lane from "../outflow/Lane.ts"
import * as Entry from "./Entry.ts"
import * as FailureBudget from "./FailureBudget.ts"
import * as LineItem from "./LineItem.ts"
import * as Metadata from "./Metadata.ts"
import * as PaymentState from "./PaymentState.ts"
import * as Refund from "./Refund.ts"

/** Who paid: the account, and its wallet. */
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
  /** Distinguishes a repeated confirm from a different one. */
  fingerprint: Schema.String,
  /** The key that submitted it, or the app: failures are charged to it. */
  key: Schema.optionalKey(Schema.String),
  /** The failure budget that it uses until it ends. */
  reserved: Schema.optionalKey(FailureBudget.Reserved),
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
    /** The slot of our transaction that collects the money, once it was signed. */
    slot: Schema.NullOr(Lane.Slot),
  },
  Succeeded: {
    attempt: Attempt,
    transfer: Transfer.Evidence,
    charge: Fees.Charge,
    succeededAt: Schema.Int,
    /** The merchant's share. */
    entry: Entry.Entry,
    /** In the order in which they were requested. */
    refunds: Schema.Array(Refund.Refund),
    /** A deep reorganisation took the payer's transfer back, and it did not return. The payment stays paid. */
    lost: Schema.optionalKey(Loss),
  },
  Failed: {
    failureCode: Schema.NullOr(Schema.Literal("declined_user")),
    reason: Schema.String,
    attempt: Schema.NullOr(Attempt),
  },
  Expired: {},
  Cancelled: {
    reason: Schema.Literals(["cancelled_by_user", "cancelled_by_merchant"]),
    cancelledAt: Schema.Int,
  },
})

/** A transfer that was reported for a payment that no longer takes one, and that was not found yet. */
export interface LateReport extends Schema.Schema.Type<typeof LateReport> {}
export const LateReport = Schema.Struct({
  txHash: Schema.String,
  option: PaymentOption.PaymentOption,
  reportedAt: Schema.Int,
  /** There is more than the payer's word for it: the chain showed it, or an accepted confirm named it. */
  firm: Schema.optionalKey(Schema.Literal(true)),
})

export interface Payment extends Schema.Schema.Type<typeof Payment> {}
export const Payment = Schema.Struct({
  id: PaymentId.PaymentId,
  partnerId: PartnerId.PartnerId,
  merchantId: MerchantId.MerchantId,
  mode: Mode.Mode,
  referenceId: Schema.String,
  amount: Amount.Amount,
  /** The terms at creation: a change of terms applies only to later payments. */
  feeTerms: Fees.FeeTerms,
  checkout: Schema.NullOr(Schema.Struct({ successUrl: Schema.String, errorUrl: Schema.String })),
  metadata: Metadata.Metadata,
  /** What the payer pays for; absent if the merchant does not say. */
  description: Schema.optionalKey(Schema.String),
  lineItems: Schema.optionalKey(Schema.Array(LineItem.LineItem)),
  createdAt: Schema.Int,
  updatedAt: Schema.Int,
  /** Unix seconds. */
  expiresAt: Schema.Int,
  /** Counts every write, and guards the next one. */
  revision: Schema.Int,
  /** Counts every announced change, from 0. */
  stateVersion: Schema.Int,
  state: State,
  reports: Schema.Array(LateReport),
  /** Since when one of its final transfers is missing; absent while none is. */
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

/** Whether it is not confirmed, declined or cancelled yet; it may be past its expiry. */
export const isOpen = (payment: Payment): boolean => payment.state._tag === "RequiresAction"

/**
 * Whether an operator can help it proceed: a held settlement or refund, or a share that waits for a change of its
 * destination.
 */
export const isStuck = ({ state }: Payment): boolean =>
  state._tag === "Succeeded" &&
  (Entry.heldOf(state.entry) !== undefined ||
    state.entry.waitsSince !== undefined ||
    state.refunds.some((each) => each.state._tag === "Held"))

/** The status that is stored, which is what readers see. */
export const stored = (payment: Payment): PaymentState.Status => statusOf[payment.state._tag]

/** The status by which requests are decided at `now`: time alone expires a payment. */
export const status = (payment: Payment, now: number): PaymentState.Status =>
  isOverdue(payment, now) ? "expired" : stored(payment)

/** The exact movement that pays an attempt. */
export const movement = ({ option }: Pick<Attempt, "option">): Transfer.Movement => ({
  token: option.token,
  from: option.account.address,
  to: option.payTo,
  quantity: option.quantity,
})

/**
 * Equal for equal confirms: the same option with the same outputs, each in the canonical spelling of the option's
 * family.
 */
export const fingerprint = (optionId: string, outputs: ReadonlyArray<string>): string =>
  bytesToHex(sha256(utf8ToBytes(JSON.stringify([optionId, outputs]))))

/** The accepted confirm of a payment, if there was one. */
export const attemptOf = ({ state }: Payment): Attempt | null =>
  "attempt" in state ? state.attempt : null

/** The refunds of a payment, in the order in which they were requested. */
export const refunds = ({ state }: Payment): ReadonlyArray<Refund.Refund> =>
  state._tag === "Succeeded" ? state.refunds : []

/** The refund that was requested last, if one was. */
export const refundOf = (payment: Payment): Refund.Refund | null => refunds(payment).at(-1) ?? null

/** The sum of its refunds, sent or not yet; null if there are none. */
export const refunded = (payment: Payment): Amount.Amount | null => {
  const all = refunds(payment)
  const [first] = all
  if (first === undefined) return null
  const quantity = Money.clamp(Refund.totals(all).quantity, Money.largest)
  return { unit: Amount.token(first.token), quantity }
}

/** Every outflow that carries money of the payment, or failed to. */
export const outflowIds = ({ state }: Payment): ReadonlyArray<OutflowId.OutflowId> => {
  if (state._tag !== "Succeeded") return []
  return [...Entry.outflowIds(state.entry), ...state.refunds.map(({ outflowId }) => outflowId)]
}

/** What every authorized caller may see of a payment. */
export interface Report {
  readonly status: PaymentState.Status
  readonly isFinal: boolean
  /** When to poll again; null if the state is final. */
  readonly pollInMs: number | null
  readonly failureCode: "declined_user" | null
  /** What was paid, and by which transaction; set exactly when the payment succeeded. */
  readonly info: { readonly optionAmount: Amount.Amount; readonly txId: string } | null
}

/** The longer nothing happened, the longer the interval; it is never zero. */
const pollSteps: ReadonlyArray<{ readonly quietForInMs: number; readonly pollInMs: number }> = [
  { quietForInMs: 60_000, pollInMs: 3000 },
  { quietForInMs: 15_000, pollInMs: 2000 },
]
const pollSoonestInMs = 1000

export const report = (payment: Payment, now: number): Report => {
  const current = stored(payment)
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

/**
 * How the merchant's share was settled: its quantity, transaction and time; null until that is final. If the share was
 * netted in full, the transaction is that of the last refund that it paid off.
 */
export const payoutOf = ({ state }: Payment) => {
  const settled = state._tag === "Succeeded" ? Entry.settledBy(state.entry) : null
  if (settled === null || state._tag !== "Succeeded") return null
  const { at: settledAt, quantity, txId } = settled
  return { amount: { unit: Amount.token(state.attempt.option.token), quantity }, txId, settledAt }
}
