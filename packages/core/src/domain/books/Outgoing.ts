/**
 * The effect of each step of an outflow on the payments that it carries: one row for each purpose, and the decisions
 * that all purposes share.
 *
 * @module
 */
import * as Result from "effect/Result"
import type * as Caip from "../chain/Caip.ts"
import type * as ChainState from "../chain/ChainState.ts"
import * as Claim from "../chain/Claim.ts"
import type * as Obstacle from "../chain/Obstacle.ts"
import type * as Transfer from "../chain/Transfer.ts"
import * as Money from "../ground/Money.ts"
import type * as PaymentId from "../ground/PaymentId.ts"
import type * as Credit from "../money/Credit.ts"
import * as Ledger from "../money/Ledger.ts"
import type * as DailyLimit from "../outflow/DailyLimit.ts"
import type * as Inflow from "../outflow/Inflow.ts"
import type * as Lane from "../outflow/Lane.ts"
import * as Outflow from "../outflow/Outflow.ts"
import * as OutflowState from "../outflow/OutflowState.ts"
import type * as Change from "../payment/Change.ts"
import type * as Payment from "../payment/Payment.ts"
import * as Refund from "../payment/Refund.ts"
import * as Incoming from "./Incoming.ts"
import * as OwnMoney from "./OwnMoney.ts"
import * as Payouts from "./Payouts.ts"
import * as Refunding from "./Refunding.ts"
import type * as UncoveredGas from "./UncoveredGas.ts"

/** An outflow with the payments that it carries, or those of them that a decision writes. */
export interface Current {
  readonly outflow: Outflow.Outflow
  readonly payments: ReadonlyArray<Payment.Payment>
  /** The money that it returns: `Outflow.inflowIds`. */
  readonly inflows?: ReadonlyArray<Inflow.Inflow>
  /** Whether later payouts deducted its advance: if its transfer is gone, the operator owes that. */
  readonly isRepaid?: boolean
}

/** What a purpose means to the ledger and to payments. */
interface Row {
  readonly bookings: (current: Current) => ReadonlyArray<Change.Booking>
  /** The payment after the outflow changed. What it carries of the payment is gathered again, if so, from `dueAt` on. */
  readonly follow: (
    payment: Payment.Payment,
    outflow: Outflow.Outflow,
    now: number,
    dueAt?: number,
  ) => Change.Change | null
}

/** The default: money whose progress no payment follows. */
const own: Row = {
  bookings: ({ outflow }) => OwnMoney.departure(outflow),
  follow: () => null,
}

const rows: { readonly [Tag in Outflow.Purpose["_tag"]]: Row } = {
  Settle: {
    bookings: ({ isRepaid, outflow }) => Payouts.bookings(outflow, isRepaid),
    follow: Payouts.follow,
  },
  Refund: {
    bookings: ({ outflow, payments }) =>
      payments.flatMap((payment) => Refunding.bookings(payment, outflow)),
    follow: Refunding.follow,
  },
  Return: { ...own, bookings: ({ outflow }) => Incoming.bookings(outflow) },
  Move: own,
  Withdraw: own,
  Sweep: own,
}

const rowOf = ({ purpose }: Outflow.Outflow): Row => rows[purpose._tag]

const carriesShares = ({ purpose }: Outflow.Outflow): boolean => "shares" in purpose

/**
 * The payments that a decision needs to send an outflow. The bookings of a settlement follow from its shares, so
 * sending a thousand of them reads and writes no payment.
 */
export const shownToSend = (outflow: Outflow.Outflow): ReadonlyArray<PaymentId.PaymentId> =>
  carriesShares(outflow) ? [] : Outflow.paymentIds(outflow)

/**
 * The ledger entries when an outflow changes its status: its bookings, their reversal, or nothing. Null if money would
 * move without a booking.
 */
const booked = (current: Current, next: Outflow.Outflow): ReadonlyArray<Change.Booking> | null => {
  const [before, after] = [Outflow.status(current.outflow), Outflow.status(next)]
  const [wasBooked, isBooked] = [OutflowState.isBooked[before], OutflowState.isBooked[after]]
  const left = wasBooked === isBooked ? [] : rowOf(next).bookings(current)
  if (wasBooked !== isBooked && left.length === 0) return null
  const hasMoved = (before === "paid") !== (after === "paid")
  const moved = [...left, ...(hasMoved ? OwnMoney.arrival(next) : [])]
  return [
    // Its own transfer is gone as well as the money that it returned.
    ...(hasMoved && !isBooked ? goneOf(current).flatMap(Incoming.voided) : []),
    ...reversed(beside(current.outflow)),
    ...(isBooked ? moved : reversed(moved)),
    ...beside(next),
  ]
}

const reversed = (bookings: ReadonlyArray<Change.Booking>): ReadonlyArray<Change.Booking> =>
  bookings.toReversed().map(({ paymentId, transaction }) => ({
    paymentId,
    transaction: Ledger.reversal(transaction),
  }))

/** Books the difference between an account's real and booked balance: the operator pays or receives it. */
const corrected = (
  { token }: Transfer.Movement,
  collecting: Caip.Address,
  difference: bigint,
): ReadonlyArray<Change.Booking> => {
  if (difference === 0n) return []
  const quantity = Money.clamp(difference < 0n ? -difference : difference, Money.largest)
  const correct = difference < 0n ? Ledger.disappearance : Ledger.funding
  return [{ paymentId: null, transaction: correct({ collecting, token, quantity }) }]
}

/** What moved beside the bookings of an outflow is the operator's: all of it, until an operator accepts it. */
const beside = (outflow: Outflow.Outflow): ReadonlyArray<Change.Booking> => {
  const { movement, purpose, state } = outflow
  const accepted = state._tag === "Paid" ? state.accepted : undefined
  const moved = accepted ?? Outflow.astrayOf(outflow)
  if (moved === null) return []
  const expected = accepted === undefined ? Money.zero : movement.quantity
  return [
    ...corrected(movement, movement.from, expected - moved.left),
    ...(purpose._tag === "Move"
      ? corrected(movement, movement.to, moved.transfer.movement.quantity - expected)
      : []),
  ]
}

type Extra = Partial<Pick<Change.OutflowChange, "claims" | "due" | "moved">>

/**
 * Writes an outflow, and the payments that follow it. Null if the outflow does not take the step, or if its money would
 * move without a booking.
 */
const write = (
  current: Current,
  next: Outflow.Outflow | null,
  extra: Extra,
  now: number,
  dueAt = now,
): Change.Write | null => {
  const ledger = next === null ? null : booked(current, next)
  return next === null || ledger === null
    ? null
    : {
        payments: current.payments.flatMap(
          (payment) => rowOf(next).follow(payment, next, now, dueAt) ?? [],
        ),
        outflows: [{ outflow: next, ledger, claims: [], due: {}, ...extra }],
      }
}

/** Commits to its signed transaction, which is broadcast only after this is stored. */
export const send = (current: Current, slot: Lane.Slot, now: number): Change.Write | null =>
  write(current, Outflow.send(current.outflow, slot, now), { due: { send: now } }, now)

/** Commits to it in another slot, because another transaction used its nonce. */
export const resend = (current: Current, slot: Lane.Slot, now: number): Change.Write | null =>
  write(current, Outflow.resend(current.outflow, slot, now), { due: { send: now } }, now)

/**
 * Its transfer is final. If an operator accepts what moved instead, its block is checked: until now, nobody looked
 * whether it still stands.
 */
export const pay = (
  current: Current,
  transfer: Transfer.Evidence,
  now: number,
  accepted?: Transfer.Moved,
): Change.Write | null => {
  const due = { send: null, ...(accepted !== undefined && { recheck: now }) }
  const paid = Outflow.pay(current.outflow, transfer, now, accepted)
  return write(current, paid, { claims: [Claim.ofTransfer(transfer)], due }, now)
}

/** It cannot be paid: only an operator can continue it. */
export const hold = (current: Current, ending: Transfer.Ending, now: number): Change.Write | null =>
  write(current, Outflow.hold(current.outflow, ending, now), { due: { send: null } }, now)

/**
 * Records an operator's decision that what moved instead is the intended payment: nothing more is sent, and the payee
 * bears the missing part. Null if nothing left our account, or if it is not known what moved.
 */
export const accept = (current: Current, now: number): Change.Write | null => {
  const moved = Outflow.astrayOf(current.outflow)
  return moved === null || moved.left === 0n ? null : pay(current, moved.transfer, now, moved)
}

/**
 * Retries an outflow that moved something else, on an operator's request. Nothing of it may have arrived, or the payee
 * would be paid twice. What left our account stays lost.
 */
export const retryAstray = (current: Current, now: number): Change.Write | null =>
  Outflow.astrayOf(current.outflow)?.transfer.movement.quantity === 0n
    ? retry({ ...current, outflow: Outflow.lookedAt(current.outflow) }, now)
    : null

/** A commitment with what the storage checks when it is written. */
const checked = (
  sent: Change.Write | null,
  check: Pick<Change.OutflowChange, "credit" | "limit">,
): Change.Write | null =>
  sent && { ...sent, outflows: sent.outflows.map((change) => ({ ...change, ...check })) }

/** Commits to a refund that may leave its merchant with a debt, if its partner's credit covers that. */
export const sendOnCredit =
  (terms: Credit.Terms): typeof send =>
  (current, slot, now) => {
    const sent = send(current, slot, now)
    const [payment] = current.payments
    if (payment === undefined) return sent
    const { token } = current.outflow.movement
    const { merchantId, partnerId } = payment
    const refund = Refunding.carriedBy(payment, current.outflow.id)
    const lent = refund === null ? Money.zero : Refund.need(refund)
    return checked(sent, { credit: { ...terms, partnerId, merchantId, token, lent } })
  }

/** Commits to an outflow within its partner's daily limit; null if there is no limit. */
export const sendWithin = (limit: DailyLimit.Draw | null, commit: typeof send): typeof send =>
  limit === null ? commit : (...sending) => checked(commit(...sending), { limit })

/**
 * Lets an outflow that cannot be sent now wait with a reason. If its transaction reverted, the ledger has its money
 * again, and it is due at `dueAt`; if it was not sent, its scheduled work stays.
 */
export const wait = (
  current: Current,
  obstacle: Omit<Obstacle.Obstacle, "since">,
  dueAt: number,
  now: number,
): Change.Write | null => {
  const { outflow } = current
  const due = outflow.state._tag === "Sent" ? { send: dueAt } : {}
  return write(current, Outflow.wait(outflow, obstacle, now), { due }, now)
}

/** Cancels an outflow. If it pays shares, each of them waits to be gathered again from `dueAt` on. */
const cancel = (current: Current, now: number, dueAt = now): Change.Write | null =>
  write(current, Outflow.cancel(current.outflow, now), { due: { send: null } }, now, dueAt)

/** Cancels a payout that cannot be sent as it was gathered. Its shares are gathered again at `dueAt`. */
export const regather = (current: Current, dueAt: number, now: number): Change.Write | null =>
  carriesShares(current.outflow) ? cancel(current, now, dueAt) : null

const goneOf = ({ inflows = [] }: Current): ReadonlyArray<Inflow.Inflow> =>
  inflows.filter(({ state }) => state._tag === "Gone")

/**
 * Retries a held outflow on an operator's request. A refund or a return is retried unchanged; shares are gathered again,
 * as they are always for the current destinations of their merchants. A return whose money is itself gone is cancelled. Null if it is not
 * held, or if it moved something else, because it may then be paid twice.
 */
export const retry = (current: Current, now: number): Change.Write | null => {
  const { outflow } = current
  if (outflow.state._tag !== "Held") return null
  // If the return of money that is gone were sent nevertheless, it would take money that was never booked.
  return carriesShares(outflow) || goneOf(current).length > 0
    ? cancel(current, now)
    : write(current, Outflow.release(outflow, now), { due: { send: now } }, now)
}

/**
 * Gives up an outflow of the operator's own money: the money stays where it is. Null if it was sent, or carries other
 * people's money.
 */
export const giveUp = (current: Current, now: number): Change.Write | null =>
  Outflow.isOwn(current.outflow) ? cancel(current, now) : null

/** A refund or an advance as it is taken back after its merchant paid back all of its debt but `debt`. */
export const repaid = (current: Current, debt: Money.Quantity): Current => ({
  ...current,
  isRepaid: "advance" in current.outflow.purpose,
  payments: current.payments.map((payment) => Refunding.keepRepaid(payment, current.outflow, debt)),
})

/** How much float an outflow takes from its account. It needs the outflow's payments. */
export const drawOf = (current: Current): bigint => {
  const { from: collecting, token } = current.outflow.movement
  const transactions = rowOf(current.outflow)
    .bookings(current)
    .map(({ transaction }) => transaction)
  return -Ledger.float(Ledger.balances(transactions), { collecting, token })
}

/**
 * Requests a refund of a payment, which takes of its share first. If that was in an outflow that was not sent, the other
 * shares of the outflow are gathered again. `carrying` needs all of its payments.
 */
export const refund = (
  payment: Payment.Payment,
  ids: Parameters<typeof Refunding.request>[1],
  carrying: Current | null,
  now: number,
  gas: UncoveredGas.Terms | null = null,
  ask: Refunding.Ask = Refunding.whole,
): Result.Result<Change.Write, Refunding.Refused> =>
  Result.map(
    Refunding.request(payment, ids, carrying?.outflow ?? null, now, gas, ask),
    ({ change, freed: outflowId, outflow }): Change.Write => {
      const freed =
        carrying?.outflow.id === outflowId
          ? cancel(
              {
                outflow: carrying.outflow,
                payments: carrying.payments.filter(({ id }) => id !== payment.id),
              },
              now,
            )
          : null
      return {
        payments: [change, ...(freed?.payments ?? [])],
        outflows: [outflow, ...(freed?.outflows ?? [])],
      }
    },
  )

// --- reorganisations

/** Requests a new search for its transfer, because the block that held it is gone. Null if it was in another. */
export const recheck = (
  { outflow }: Current,
  { hash }: ChainState.Checkpoint,
  now: number,
): Change.Write | null =>
  outflow.state._tag === "Paid" && outflow.state.transfer.blockHash === hash
    ? audited(outflow, outflow.auditedSince ?? now, { due: { recheck: now } }, now)
    : null

const audited = (
  outflow: Outflow.Outflow,
  auditedSince: number | undefined,
  extra: Extra,
  now: number,
): Change.Write => {
  const { auditedSince: _, ...rest } = outflow
  const next: Outflow.Outflow = {
    ...rest,
    ...(auditedSince !== undefined && { auditedSince }),
    updatedAt: Math.max(now, outflow.updatedAt),
    revision: outflow.revision + 1,
  }
  return { payments: [], outflows: [{ outflow: next, ledger: [], claims: [], due: {}, ...extra }] }
}

/** Ends the search: its transfer is still there. */
export const stands = ({ outflow }: Current, now: number): Change.Write =>
  audited(outflow, undefined, { due: { recheck: null } }, now)

/** If a decision on outgoing money is refused, the work is not dropped: it is tried again after this time. */
const refusedPauseInMs = 60_000

/** Nothing of this kind is left to do: the work is done, and must not return. */
export const finishWork = (
  { outflow }: Current,
  kind: Change.OutflowWorkKind,
  now: number,
): Change.Write => {
  const { _tag } = outflow.state
  const isUnderWay = kind === "send" && (_tag === "Waiting" || _tag === "Sent")
  const dueAt = isUnderWay ? now + refusedPauseInMs : null
  return audited(outflow, outflow.auditedSince, { due: { [kind]: dueAt } }, now)
}

/** Its transfer is final in another place: it is checked there once more. */
export const move = (
  current: Current,
  from: Transfer.Evidence,
  to: Transfer.Evidence,
  now: number,
): Change.Write | null => {
  const { outflow, payments } = current
  const { state } = outflow
  if (state._tag !== "Paid" || state.transfer.blockHash !== from.blockHash) return null
  const next = { ...outflow, state: { ...state, transfer: to } }
  const extra = { moved: { from, to }, due: { recheck: now } }
  return {
    ...audited(next, outflow.auditedSince, extra, now),
    payments: payments.flatMap((payment) => rowOf(outflow).follow(payment, next, now) ?? []),
  }
}

/** Its transfer is gone for good: we still hold the money. */
export const revoke = (
  current: Current,
  ending: Transfer.Ending,
  now: number,
): Change.Write | null => {
  const { outflow } = current
  const { state } = outflow
  if (state._tag !== "Paid") return null
  const owing = "; payouts deduct the advance in it from its merchant, so pay that by hand"
  const reason = `${ending.reason}${current.isRepaid === true ? owing : ""}`
  const revoked = Outflow.revoke(outflow, { ...ending, reason }, now)
  // If the money that it returned is gone as well, nothing is left to send. An outflow that moved something else stays
  // held nevertheless.
  const cancelled =
    goneOf(current).length > 0 && revoked !== null ? Outflow.cancel(revoked, now) : null
  const ended = cancelled ?? revoked
  const next = ended && { ...ended, revision: outflow.revision + 1 }
  const moved = { from: state.transfer, to: null, isFreed: true } as const
  return write(current, next, { moved, due: { recheck: null } }, now)
}
