/**
 * Refunds a payment to the account that paid it, or to one that this account named: the whole, or parts of it, together
 * never more than was paid.
 *
 * A refund takes what was not sent of the payment's own share first, in the same decision. For the rest, it takes the
 * merchant's open shares in the token; what is still missing comes from the operator's float, within the partner's
 * credit, and becomes the merchant's debt. It takes nothing from the fee, unless the terms say that refunds return that.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Caip from "../chain/Caip.ts"
import type * as Catalog from "../chain/Catalog.ts"
import * as Invalid from "../ground/Invalid.ts"
import * as Limits from "../ground/Limits.ts"
import type * as MerchantId from "../ground/MerchantId.ts"
import type * as Mode from "../ground/Mode.ts"
import * as Money from "../ground/Money.ts"
import type * as OutflowId from "../ground/OutflowId.ts"
import * as Amount from "../money/Amount.ts"
import * as Ledger from "../money/Ledger.ts"
import * as Outflow from "../outflow/Outflow.ts"
import * as Change from "../payment/Change.ts"
import * as Entry from "../payment/Entry.ts"
import * as Payment from "../payment/Payment.ts"
import * as Refund from "../payment/Refund.ts"
import * as UncoveredGas from "./UncoveredGas.ts"

/** The payment did not succeed, or less of it is left than the refund asks for. */
export class RefundRefused extends Schema.TaggedError<RefundRefused>()("RefundRefused", {
  code: Schema.Literals(["payment_not_succeeded", "already_refunded"]),
  message: Schema.String,
}) {}

const refuse = (code: RefundRefused["code"], message: string) =>
  Result.fail(new RefundRefused({ code, message }))

const notSucceeded = refuse("payment_not_succeeded", "only a succeeded payment can be refunded")

/** Why a refund is not accepted. */
export type Refused = RefundRefused | Invalid.InvalidInput

type Succeeded = Extract<Payment.State, { readonly _tag: "Succeeded" }>

const withRefund = (payment: Payment.Payment, refund: Refund.Refund): Payment.Payment =>
  payment.state._tag === "Succeeded"
    ? {
        ...payment,
        state: {
          ...payment.state,
          refunds: payment.state.refunds.map((each) => (each.id === refund.id ? refund : each)),
        },
      }
    : payment

/** The refund that an outflow carries, if it does. */
export const carriedBy = (
  payment: Payment.Payment,
  id: OutflowId.OutflowId,
): Refund.Refund | null =>
  Payment.refunds(payment).find(({ outflowId }) => outflowId === id) ?? null

// --- how much

/** What a refund returns: in the token in which it was paid, and in the unit of the payment's amount. */
interface Asked {
  readonly quantity: Money.Quantity
  readonly value: Money.Quantity
  readonly reason?: string
  /** Where it goes, if not to the account that paid: only if that account signed for it. */
  readonly to?: Caip.Account
}

/** How much of a payment is asked for, as it is when that is decided. */
export type Ask = (payment: Payment.Payment) => Result.Result<Asked, Refused>

/** What is left to refund of a payment. */
export const left = (payment: Payment.Payment): Asked => {
  if (payment.state._tag !== "Succeeded") return { quantity: Money.zero, value: Money.zero }
  const { attempt, refunds } = payment.state
  const { quantity, value } = Refund.totals(refunds)
  const [paid, amount] = [attempt.option.quantity, payment.amount.quantity]
  return {
    quantity: Money.clamp(paid - quantity, paid),
    value: Money.clamp(amount - value, amount),
  }
}

/** Whether a refund goes to another account than the one that paid. */
export const isElsewhere = ({ state }: Payment.Payment, { to }: Refund.Refund): boolean =>
  state._tag === "Succeeded" && !Caip.sameAccount(to, state.attempt.option.account)

/** Whether a refund is of less than the whole payment. */
export const isPart = ({ state }: Payment.Payment, { quantity }: Refund.Refund): boolean =>
  state._tag === "Succeeded" && quantity < state.attempt.option.quantity

const refuseMore = (payment: Payment.Payment, catalog: Catalog.Catalog) => {
  const { quantity, value } = left(payment)
  const { amount, state } = payment
  const token = state._tag === "Succeeded" ? Amount.token(state.attempt.option.token) : amount.unit
  const text = Amount.toText({ unit: amount.unit, quantity: value }, catalog)
  const inToken = Amount.toText({ unit: token, quantity }, catalog)
  const rest = text === inToken ? text : `${text}, or ${inToken}`
  return refuse(
    "already_refunded",
    quantity === 0n
      ? "the payment was refunded in full already"
      : `less is left of the payment than that: ${rest} can still be refunded`,
  )
}

/** How a request asks for a refund: without an amount, for the whole payment. */
export interface Request {
  readonly amount?: { readonly unit: string; readonly value: string } | undefined
  readonly reason?: string | undefined
}

/** Reads how much a request asks for, or reports everything that is wrong with it. */
export const read = (
  { amount, reason }: Request,
  catalog: Catalog.Catalog,
): Result.Result<Ask, Invalid.InvalidInput> => {
  const asked = Invalid.all({
    amount: Invalid.ifSent(amount, (sent) => Amount.readPositive("amount", sent, catalog)),
    reason: Invalid.check(
      reason === undefined
        ? []
        : Invalid.textIssues("reason", reason, Limits.refundReasonMaxLength),
    ),
  })
  return Result.map(asked, ({ amount: wanted }) => {
    const ask = wanted === undefined ? whole : part(wanted, catalog)
    return (payment) =>
      Result.map(ask(payment), (found) => (reason === undefined ? found : { ...found, reason }))
  })
}

/** The whole payment, of which nothing may have been refunded. */
export const whole: Ask = (payment) => {
  if (payment.state._tag !== "Succeeded") return notSucceeded
  return payment.state.refunds.length > 0
    ? refuse("already_refunded", "the payment was refunded already")
    : Result.succeed(left(payment))
}

/**
 * An amount in the unit that the payment asked for, or in the token in which it was paid. It is converted at the rate of
 * the payment, rounded down; what takes all that is left in one unit takes all that is left in the other, too.
 */
export const part =
  ({ quantity: wanted, unit }: Amount.Amount, catalog: Catalog.Catalog): Ask =>
  (payment) => {
    const { amount, state } = payment
    if (state._tag !== "Succeeded") return notSucceeded
    const { quantity: paid, token } = state.attempt.option
    const rest = left(payment)
    const isOfToken = unit._tag === "Token" && Caip.sameToken(unit.token, token)
    if (!isOfToken && !Amount.sameUnit(unit, amount.unit)) {
      return Invalid.fail(
        "amount.unit",
        `must be ${Amount.formatUnit(amount.unit, catalog)}, which was asked, or ${Amount.formatUnit(Amount.token(token), catalog)}, which was paid`,
      )
    }
    const most = isOfToken ? rest.quantity : rest.value
    if (state.refunds.length >= Limits.refundsPerPaymentMax) {
      return refuse(
        "already_refunded",
        `the payment has ${Limits.refundsPerPaymentMax} refunds, which is the most that it can have`,
      )
    }
    if (wanted > most || rest.quantity === 0n) return refuseMore(payment, catalog)
    if (wanted === most) return Result.succeed(rest)
    const before = Refund.totals(state.refunds)
    // Rounded as the sum of all refunds, so that small parts of a cent are a cent together.
    const value = ((before.quantity + wanted) * amount.quantity) / paid - before.value
    const asked = isOfToken
      ? { quantity: wanted, value: Money.clamp(value, rest.value) }
      : { quantity: Money.clamp((wanted * paid) / amount.quantity, rest.quantity), value: wanted }
    return asked.quantity > 0n
      ? Result.succeed(asked)
      : Invalid.fail("amount.value", "is less than the smallest part of the token that was paid")
  }

/**
 * How much of the fee a refund gives back: nothing, unless the terms say so. Refunds of all that was paid then give back
 * all of it.
 */
const feeOf = (
  { feeTerms }: Payment.Payment,
  { attempt, charge, refunds }: Succeeded,
  quantity: Money.Quantity,
): Money.Quantity => {
  if (feeTerms.returned !== "withRefund") return Money.zero
  const before = Refund.totals(refunds)
  const due = (charge.total * (before.quantity + quantity)) / attempt.option.quantity
  return Money.clamp(due - before.fee, quantity)
}

// --- the request

/**
 * The gas of the refund and, with the first one and if we sent them, of the collect and the payout. Many small parts
 * would cost more than the payment was worth, so only what leaves nothing needs no budget.
 */
const gasOf = (
  payment: Payment.Payment,
  { attempt: { option, outputs }, refunds }: Succeeded,
  { isRest, wasPaidOut }: { readonly isRest: boolean; readonly wasPaidOut: boolean },
  gas: UncoveredGas.Terms,
) => {
  const others = refunds.length > 0 ? 0 : Number(outputs._tag === "Authorized") + Number(wasPaidOut)
  const charge = UncoveredGas.charge(payment, option.token.chainId, gas, 1 + others)
  return isRest ? charge : UncoveredGas.requiringLeft(charge)
}

/**
 * Requests a refund, in an outflow of its own. `carrying` is the outflow that carries the merchant's share, if one does;
 * it is freed if the refund takes something of it. `gas` is null where gas costs nothing.
 */
export const request = (
  payment: Payment.Payment,
  ids: { readonly refund: Refund.RefundId; readonly outflow: OutflowId.OutflowId },
  carrying: Outflow.Outflow | null,
  now: number,
  gas: UncoveredGas.Terms | null = null,
  ask: Ask = whole,
) => {
  const { state } = payment
  if (state._tag !== "Succeeded") return notSucceeded
  return Result.map(ask(payment), ({ quantity, reason, to, value }) => {
    const { attempt } = state
    const isRest = quantity === left(payment).quantity
    const fee = feeOf(payment, state, quantity)
    const wanted = Money.clamp(quantity - fee, quantity)
    const taken = Entry.refund(state.entry, carrying, ids.refund, wanted)
    const wasPaidOut = Entry.inPayouts(taken.entry).length > 0
    const refund: Refund.Refund = {
      id: ids.refund,
      requestedAt: now,
      outflowId: ids.outflow,
      to: to ?? attempt.option.account,
      token: attempt.option.token,
      quantity,
      value,
      ...(reason !== undefined && { reason }),
      fee,
      own: taken.quantity,
      state: { _tag: "Pending", waitsForFloat: false },
    }
    const outflow = Outflow.make(
      {
        id: ids.outflow,
        partnerId: payment.partnerId,
        mode: payment.mode,
        movement: {
          token: refund.token,
          from: attempt.option.payTo,
          to: refund.to.address,
          quantity,
        },
        purpose: { _tag: "Refund", paymentId: payment.id },
      },
      now,
    )
    const next = { ...state, entry: taken.entry, refunds: [...state.refunds, refund] }
    // A share without a destination may be the one that is due for others of its merchant: it hands that on.
    const isDone = Entry.isRefunded(taken.entry) && state.entry.destination !== null
    const settle = isDone ? null : now
    return {
      change: Change.make({ ...payment, state: next }, now, {
        event: "refund.pending",
        refundId: refund.id,
        // What is left of its share is gathered again, or is settled.
        due: taken.entry === state.entry ? {} : { settle },
        ...(gas !== null && {
          charges: {
            at: now,
            entries: [gasOf(payment, state, { isRest, wasPaidOut }, gas)],
          },
        }),
      }),
      outflow: { outflow, ledger: [], claims: [], due: { send: now } },
      freed: taken.freed,
    }
  })
}

/** The ledger's bookings of the refund that an outflow carries. */
export const bookings = (
  payment: Payment.Payment,
  { id }: Outflow.Outflow,
): ReadonlyArray<Change.Booking> => {
  const refund = carriedBy(payment, id)
  if (payment.state._tag !== "Succeeded" || refund === null) return []
  const { option } = payment.state.attempt
  const transaction = Ledger.refund({
    payer: refund.to,
    collecting: option.payTo,
    merchantId: payment.merchantId,
    partnerId: payment.partnerId,
    token: option.token,
    quantity: refund.quantity,
    own: refund.own,
    fee: refund.fee,
    ...(refund.kept !== undefined && { kept: refund.kept }),
  })
  return [{ paymentId: payment.id, transaction }]
}

// --- on its way

/** How far a refund is, by the outflow that carries it. Null if that says nothing. */
const stateOf = ({ state }: Outflow.Outflow): Refund.State | null => {
  switch (state._tag) {
    case "Waiting": {
      const { code, until } = state.obstacle ?? {}
      return {
        _tag: "Pending",
        waitsForFloat: code === "float",
        ...(code === "credit" && { waitsForCredit: true }),
        ...(code === "limit" && { limitedUntil: until ?? null }),
      }
    }
    case "Sent":
      return { _tag: "Processing" }
    case "Paid":
      return { _tag: "Succeeded", txHash: state.transfer.txHash, succeededAt: state.paidAt }
    case "Held": {
      // What moved instead is between the operator and the chain.
      const { moved: _, ...held } = state
      return held
    }
    case "Cancelled":
      return null
  }
}

const isSame = Schema.toEquivalence(Refund.State)

/** The payment with the refund that an outflow carries, as far as that is now. Null if it carries none, or nothing changes. */
export const follow = (
  payment: Payment.Payment,
  outflow: Outflow.Outflow,
  now: number,
): Change.Change | null => {
  const refund = carriedBy(payment, outflow.id)
  const state = stateOf(outflow)
  if (refund === null || state === null || isSame(refund.state, state)) return null
  const next = { ...refund, state }
  const isNews = Refund.status(next) !== Refund.status(refund)
  const effects: Change.Effects = isNews
    ? { event: `refund.${Refund.status(next)}`, refundId: refund.id }
    : {}
  return Change.make(withRefund(payment, next), now, effects)
}

// --- what it needs of its merchant

/** The refunds that were sent with money that the merchant already had: that is what it owes from then on. */
export const sentByMerchant = (payment: Payment.Payment): ReadonlyArray<Refund.Refund> =>
  Payment.refunds(payment).filter(
    (each) =>
      Refund.drawsOnFloat(each) &&
      (each.state._tag === "Processing" || each.state._tag === "Succeeded"),
  )

/** The refund of a payment that was requested first among those that need something of its merchant. */
export const inNeed = (payment: Payment.Payment): Refund.Refund | null =>
  Payment.refunds(payment).find((each) => Refund.need(each) > 0n) ?? null

/** The payment after more of the merchant's shares was kept for one of its refunds. */
export const keepShares = (
  payment: Payment.Payment,
  refund: Refund.Refund,
  more: ReadonlyArray<Ledger.Kept>,
): Payment.Payment => {
  const kept = new Map<Caip.Address, Ledger.Kept>()
  for (const { collecting, quantity } of [...(refund.kept ?? []), ...more]) {
    const total = (kept.get(collecting)?.quantity ?? 0n) + quantity
    kept.set(collecting, { collecting, quantity: Money.clamp(total, refund.quantity) })
  }
  return withRefund(payment, { ...refund, kept: [...kept.values()] })
}

/**
 * The payment whose refund is not sent after all, if its merchant owes only `debt` by now. What the merchant paid back of
 * the debt that the refund made was for this refund, so it is kept for it.
 */
export const keepRepaid = (
  payment: Payment.Payment,
  { id }: Outflow.Outflow,
  debt: Money.Quantity,
): Payment.Payment => {
  const refund = carriedBy(payment, id)
  if (payment.state._tag !== "Succeeded" || refund === null) return payment
  const lent = Refund.lent(refund)
  const quantity = Money.clamp(lent - debt, lent)
  const { payTo: collecting } = payment.state.attempt.option
  return quantity === 0n ? payment : keepShares(payment, refund, [{ collecting, quantity }])
}

/** Text that every {@link needKey} in a token begins with. */
export const needKeyPrefix = (mode: Mode.Mode, token: Caip.Token): string =>
  `${mode}/${Caip.tokenKey(token)}/`

/** A key shared by the refunds for which one merchant's shares in a token are kept. */
export const needKey = (
  mode: Mode.Mode,
  token: Caip.Token,
  merchantId: MerchantId.MerchantId,
): string => `${needKeyPrefix(mode, token)}${merchantId}`

/** The {@link needKey} of a payment whose refund needs something of its merchant. */
export const needKeyOf = (payment: Payment.Payment): string | null => {
  const refund = inNeed(payment)
  return refund === null ? null : needKey(payment.mode, refund.token, payment.merchantId)
}

/** The refunds of a payment of which nothing was sent. */
export const unsent = (payment: Payment.Payment): ReadonlyArray<Refund.Refund> =>
  Payment.refunds(payment).filter(({ state }) => state._tag === "Pending")

/** The payment as if its unsent refunds had taken nothing of its share, because the merchant had that after all. */
export const withoutOwn = (payment: Payment.Payment): Payment.Payment => {
  const all = unsent(payment)
  const free = all.reduce((next, each) => withRefund(next, { ...each, own: Money.zero }), payment)
  if (free.state._tag !== "Succeeded") return payment
  const ids = all.map(({ id }) => id)
  return { ...free, state: { ...free.state, entry: Entry.unrefunded(free.state.entry, ids) } }
}
