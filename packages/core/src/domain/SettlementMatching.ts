/**
 * What becomes of the merchant's share of a payment: where it goes, what of it pays off an earlier refund, and how it
 * ends.
 *
 * Sending is decided in two steps, so that a crash between them loses nothing: `send` commits to a signed transaction,
 * and `complete` records that it is final.
 *
 * @module
 */
import type * as Caip from "./Caip.ts"
import * as Change from "./Change.ts"
import * as Claim from "./Claim.ts"
import type * as Lane from "./Lane.ts"
import * as Ledger from "./Ledger.ts"
import * as Money from "./Money.ts"
import type * as Payment from "./Payment.ts"
import type * as Settlement from "./Settlement.ts"
import type * as SettlementDestination from "./SettlementDestination.ts"
import type * as Transfer from "./Transfer.ts"

/** The destination of a token among a merchant's, or null where it has none. */
export const match = (
  token: Caip.Token,
  destinations: ReadonlyArray<SettlementDestination.SettlementDestination>,
): Caip.Account | null =>
  destinations.find(
    (each) => each.token.chainId === token.chainId && each.token.address === token.address,
  )?.destination ?? null

/** What is sent, and what of the share the merchant owed already. */
export interface Plan {
  readonly destination: Caip.Account
  readonly quantity: Money.Quantity
  readonly netted: Money.Quantity
  /** The transfer to make; null where nothing is left to send. */
  readonly movement: Transfer.Movement | null
}

const succeeded = (payment: Payment.Payment) =>
  payment.state._tag === "Succeeded" ? payment.state : undefined

const withSettlement = (
  payment: Payment.Payment,
  settlement: Settlement.Settlement,
): Payment.Payment =>
  payment.state._tag === "Succeeded"
    ? { ...payment, state: { ...payment.state, settlement } }
    : payment

const planTo = (
  { attempt, charge: { net } }: Extract<Payment.State, { _tag: "Succeeded" }>,
  destination: Caip.Account,
  debt: Money.Quantity,
): Plan => {
  const netted = Money.min(net, debt)
  const quantity = Money.clamp(net - netted, net)
  const { token, payTo } = attempt.option
  return {
    destination,
    quantity,
    netted,
    movement: quantity === 0n ? null : { token, from: payTo, to: destination.address, quantity },
  }
}

/** How a pending share is paid out, given what the merchant owes in this token. Null where none is pending. */
export const plan = (payment: Payment.Payment, debt: Money.Quantity): Plan | null => {
  const state = succeeded(payment)
  return state?.settlement._tag === "Pending"
    ? planTo(state, state.settlement.destination, debt)
    : null
}

/**
 * How a share was paid out that this ledger did not send. A refund that was asked for since may have cancelled it, and
 * nothing of that refund was sent. Null where there is no such share.
 */
export const planUnknown = (payment: Payment.Payment, debt: Money.Quantity): Plan | null => {
  const state = succeeded(payment)
  if (state?.settlement._tag !== "Cancelled") return plan(payment, debt)
  const { destination } = state.settlement
  return destination === undefined || state.refund?.state._tag !== "Pending"
    ? null
    : planTo(state, destination, debt)
}

type Sent = Pick<Plan, "destination" | "quantity" | "netted">

/** What a transfer to the destination is to the ledger. */
const booked = (
  payment: Payment.Payment,
  { destination, netted, quantity }: Sent,
): ReadonlyArray<Ledger.Transaction> => {
  const state = succeeded(payment)
  if (state === undefined) return []
  const { token, payTo } = state.attempt.option
  const { merchantId } = payment
  return [Ledger.settled({ merchantId, collecting: payTo, destination, token, quantity, netted })]
}

/** Commits to a signed transfer to the destination: it is broadcast only after this is stored. */
export const send = (
  payment: Payment.Payment,
  planned: Plan,
  slot: Lane.Slot,
  now: number,
): Change.Change | null => {
  const state = succeeded(payment)
  if (state?.settlement._tag !== "Pending") return null
  const { destination, quantity, netted } = planned
  return Change.make(
    withSettlement(payment, { _tag: "Processing", destination, quantity, netted, slot }),
    now,
    { ledger: booked(payment, planned), due: { settle: now } },
  )
}

/** The payment, where a refund that is still to be sent finds that the merchant had its share. */
const withRefundFromFloat = (payment: Payment.Payment): Payment.Payment => {
  const state = succeeded(payment)
  return state === undefined || state.refund === null
    ? payment
    : { ...payment, state: { ...state, refund: { ...state.refund, drawsOnFloat: true } } }
}

/** The transfer was made without this ledger's knowing, and is final. A refund draws on the float from then on. */
export const record = (
  payment: Payment.Payment,
  planned: Plan,
  transfer: Transfer.Evidence,
  now: number,
): Change.Change | null => {
  if (planUnknown(payment, Money.zero) === null) return null
  const { quantity, netted } = planned
  return Change.make(
    withSettlement(withRefundFromFloat(payment), {
      _tag: "Successful",
      quantity,
      netted,
      transfer,
      settledAt: now,
    }),
    now,
    {
      event: "payment.settled",
      claims: [Claim.ofTransfer(transfer)],
      ledger: booked(payment, planned),
      due: { settle: null },
    },
  )
}

/** Pays off debt with the whole share: nothing is sent. */
export const net = (payment: Payment.Payment, planned: Plan, now: number): Change.Change | null => {
  const state = succeeded(payment)
  if (state?.settlement._tag !== "Pending") return null
  const { netted } = planned
  return Change.make(withSettlement(payment, { _tag: "Netted", netted, settledAt: now }), now, {
    event: "payment.settled",
    ledger:
      netted === 0n
        ? []
        : [
            Ledger.netted({
              merchantId: payment.merchantId,
              token: state.attempt.option.token,
              quantity: netted,
            }),
          ],
    due: { settle: null },
  })
}

/** Another transaction used the nonce: the same transfer takes another slot. */
export const resend = (
  payment: Payment.Payment,
  slot: Lane.Slot,
  now: number,
): Change.Change | null => {
  const state = succeeded(payment)
  if (state?.settlement._tag !== "Processing") return null
  return Change.make(withSettlement(payment, { ...state.settlement, slot }), now, {
    due: { settle: now },
  })
}

/** The transfer is final. */
export const complete = (
  payment: Payment.Payment,
  transfer: Transfer.Evidence,
  now: number,
): Change.Change | null => {
  const state = succeeded(payment)
  if (state?.settlement._tag !== "Processing") return null
  const { quantity, netted } = state.settlement
  return Change.make(
    withSettlement(payment, { _tag: "Successful", quantity, netted, transfer, settledAt: now }),
    now,
    { event: "payment.settled", claims: [Claim.ofTransfer(transfer)], due: { settle: null } },
  )
}

/** Takes back what was booked when the transfer was committed to. */
const unbooked = (payment: Payment.Payment, transfer: Sent): ReadonlyArray<Ledger.Transaction> =>
  booked(payment, transfer).map(Ledger.reversed)

/** The destination cannot be paid: the share is kept, visibly, until somebody asks again. */
export const hold = (
  payment: Payment.Payment,
  failure: Transfer.Failure,
  now: number,
): Change.Change | null => {
  const settlement = succeeded(payment)?.settlement
  if (settlement?._tag !== "Pending" && settlement?._tag !== "Processing") return null
  const { destination } = settlement
  return Change.make(
    withSettlement(payment, { _tag: "Held", destination, ...failure, heldAt: now }),
    now,
    {
      ledger: settlement._tag === "Processing" ? unbooked(payment, settlement) : [],
      due: { settle: null },
    },
  )
}

/** The transfer was final, and is gone for good: we still hold the share, until somebody asks again. */
export const revoke = (
  payment: Payment.Payment,
  failure: Transfer.Failure,
  now: number,
): Change.Change | null => {
  const settlement = succeeded(payment)?.settlement
  if (settlement?._tag !== "Successful") return null
  const { to: address, token } = settlement.transfer.movement
  const destination = { chainId: token.chainId, address }
  return Change.make(
    withSettlement(payment, { _tag: "Held", destination, ...failure, heldAt: now }),
    now,
    { ledger: unbooked(payment, { ...settlement, destination }) },
  )
}

/**
 * Tries a held or owed share again, to the destination that the merchant has now. Null where there is none, or where its
 * payout moved something else: sent again, it may be paid twice.
 */
export const retry = (
  payment: Payment.Payment,
  destination: Caip.Account,
  now: number,
): Change.Change | null => {
  const settlement = succeeded(payment)?.settlement
  const mayRetry =
    settlement?._tag === "Owed" ||
    (settlement?._tag === "Held" && settlement.movedOtherwise === undefined)
  return mayRetry
    ? Change.make(withSettlement(payment, { _tag: "Pending", destination }), now, {
        due: { settle: now },
      })
    : null
}
