/**
 * What payments make of an outflow in each of its states, whatever it was in before.
 *
 * @module
 */
import * as Payouts from "@florin/core/domain/books/Payouts"
import * as Refunding from "@florin/core/domain/books/Refunding"
import type * as Obstacle from "@florin/core/domain/chain/Obstacle"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import type * as Outflow from "@florin/core/domain/outflow/Outflow"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Samples from "./samples.ts"

type Of = readonly [payment: Payment.Payment, outflow: Outflow.Outflow]

const sent: Outflow.State = { _tag: "Sent", slot: Samples.slot() }
const paid = (transfer: Transfer.Evidence, paidAt: number): Outflow.State => ({
  _tag: "Paid",
  transfer,
  paidAt,
})
const held = (failure: Transfer.Failure, heldAt: number): Outflow.State => ({
  _tag: "Held",
  ...failure,
  heldAt,
})

const refund = ([payment, outflow]: Of, state: Outflow.State, now: number) =>
  Refunding.follow(payment, { ...outflow, state }, now)

export const refundSent = (...[payment, outflow, now]: [...Of, number]) =>
  refund([payment, outflow], sent, now)

export const refundPaid = (
  ...[payment, outflow, transfer, now]: [...Of, Transfer.Evidence, number]
) => refund([payment, outflow], paid(transfer, now), now)

export const refundHeld = (
  ...[payment, outflow, failure, now]: [...Of, Transfer.Failure, number]
) => refund([payment, outflow], held(failure, now), now)

export const refundWaits = (
  ...[payment, outflow, why, now]: [...Of, Omit<Obstacle.Obstacle, "since">, number]
) => refund([payment, outflow], { _tag: "Waiting", obstacle: { ...why, since: now } }, now)

export const refundReleased = (...[payment, outflow, now]: [...Of, number]) =>
  refund([payment, outflow], { _tag: "Waiting", releasedAt: now }, now)

const share = ([payment, outflow]: Of, state: Outflow.State, now: number, dueAt = now) =>
  Payouts.follow(payment, { ...outflow, state }, now, dueAt)

export const sharePaid = (
  ...[payment, outflow, transfer, now]: [...Of, Transfer.Evidence, number]
) => share([payment, outflow], paid(transfer, now), now)

export const shareHeld = (...[payment, outflow, failure, now]: [...Of, Transfer.Failure, number]) =>
  share([payment, outflow], held(failure, now), now)

export const shareFreed = (
  ...[payment, outflow, dueAt, now]: [...Of, dueAt: number, now: number]
) => share([payment, outflow], { _tag: "Cancelled", cancelledAt: now }, now, dueAt)
