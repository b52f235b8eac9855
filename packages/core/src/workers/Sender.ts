/**
 * Sends all money that goes out, whatever it is for: rehearses, signs, stores and broadcasts each outflow, and follows it
 * until it is paid or can never be.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Lane from "../domain/Lane.ts"
import * as Outflow from "../domain/Outflow.ts"
import * as Outgoing from "../domain/Outgoing.ts"
import * as Payment from "../domain/Payment.ts"
import * as Transfer from "../domain/Transfer.ts"
import * as Relayer from "../engine/Relayer.ts"
import { Chains } from "../ports/Chain.ts"
import { type ClaimedOutflow, DueWork } from "../ports/DueWork.ts"
import { LedgerStore } from "../ports/LedgerStore.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { Screening } from "../ports/Screening.ts"
import * as Worker from "./Worker.ts"

export const handle = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { state } = claimed.outflow
  switch (state._tag) {
    case "Waiting":
      return yield* begin(claimed)
    case "Sent":
      return yield* follow(claimed, state.slot)
    default:
      return yield* Worker.writeOutflow(claimed, [], () => null)
  }
})

/** Runs a decision on the outflow and all payments that it carries money of. */
const decide = (claimed: ClaimedOutflow, decision: Worker.OutflowDecision) =>
  Worker.writeOutflow(claimed, Outflow.paymentIds(claimed.outflow), decision)

const orderOf = ({ movement }: Outflow.Outflow) => ({ _tag: "Send", movement }) as const

/** Commits to the outflow that is shown. */
const committing =
  (commit: typeof Outgoing.send): Relayer.Sending["commit"] =>
  ({ outflows: [outflow], payments }, slot, now) =>
    outflow === undefined ? null : commit({ outflow, payments }, slot, now)

/** Holds what may not go where it is to go. Lists change, so it is asked whenever something is signed. */
const isBarred = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { to, token } = claimed.outflow.movement
  const account = { chainId: token.chainId, address: to }
  const refused = yield* (yield* Screening).refused([account])
  if (refused.length === 0) return false
  yield* decide(claimed, (current, now) =>
    Outgoing.hold(current, { reason: "screening refuses the account that it goes to" }, now),
  )
  return true
})

/** Sends it for the first time, unless screening or the token would refuse it for good. */
const begin = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { outflow } = claimed
  if (yield* isBarred(claimed)) return
  if (yield* mustWait(outflow)) return yield* wait(claimed)
  const chain = (yield* Chains).of(outflow.mode)
  const rehearsal = yield* Effect.result(chain.rehearse(orderOf(outflow)))
  if (Result.isFailure(rehearsal)) {
    const { failure } = rehearsal
    if (failure._tag !== "TransferRefused") return yield* failure
    const { message, reason } = failure
    if (reason === "blocked") {
      return yield* decide(claimed, (current, now) =>
        Outgoing.hold(current, { reason: message }, now),
      )
    }
    return reason === "short" && outflow.purpose._tag === "Refund"
      ? yield* wait(claimed)
      : yield* failure
  }
  yield* Relayer.send({
    mode: outflow.mode,
    order: orderOf(outflow),
    subjects: { outflows: [outflow.id], payments: Outgoing.shownToSend(outflow) },
    commit: committing(Outgoing.send),
    hold: claimed.hold,
  }).pipe(Effect.catchTag("Overdrawn", (error) => overdrawn(claimed, error)))
})

/**
 * The ledger does not hold what the outflow takes. A payout was gathered when the merchant owed another amount, so its
 * shares are gathered again; a refund waits for the operator's money.
 */
const overdrawn = Effect.fnUntraced(function* <E>(claimed: ClaimedOutflow, error: E) {
  const { _tag } = claimed.outflow.purpose
  if (_tag === "Refund") return yield* wait(claimed)
  if (_tag !== "Settle") return yield* Effect.fail(error)
  yield* decide(claimed, (current, now) =>
    Outgoing.regather(current, now + Worker.pauseInMs(claimed.failures), now),
  )
})

/** Whether a refund draws on money that the operator does not have now. */
const mustWait = Effect.fnUntraced(function* ({ mode, movement, purpose }: Outflow.Outflow) {
  if (purpose._tag !== "Refund") return false
  const refund = Payment.refundOf(yield* (yield* PaymentStore).payment(purpose.paymentId))
  if (refund?.drawsOnFloat !== true) return false
  return (yield* (yield* LedgerStore).float(mode, movement.token)) < movement.quantity
})

/** Says that the money is not there, and looks again later. */
const wait = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const now = yield* Clock.currentTimeMillis
  yield* decide(claimed, (current) => Outgoing.wait(current, now))
  yield* (yield* DueWork).postpone(claimed.hold, now + Worker.pauseLongestInMs)
})

/** Looks for what was sent, and sends the same bytes again if it is not there. */
const follow = Effect.fnUntraced(function* (claimed: ClaimedOutflow, slot: Lane.Slot) {
  const { outflow } = claimed
  const { mode, movement } = outflow
  const chain = (yield* Chains).of(mode)
  const relayed = yield* Relayer.transactionAt(slot)
  const sighting = yield* chain.look({ movement, relayed, attempt: null })
  switch (sighting._tag) {
    case "Final":
      return yield* decide(claimed, (current, now) => Outgoing.pay(current, sighting.evidence, now))
    case "Impossible":
      return yield* decide(claimed, (current, now) =>
        Outgoing.hold(current, Transfer.failureOf(sighting), now),
      )
    case "Replaced":
      if (yield* isBarred(claimed)) return
      yield* Relayer.send({
        mode,
        order: orderOf(outflow),
        subjects: { outflows: [outflow.id], payments: [] },
        commit: committing(Outgoing.resend),
        hold: claimed.hold,
        replaced: relayed,
      })
      return
    case "Unseen":
      yield* Effect.ignore(Relayer.sendAgain(mode, relayed))
      return yield* Worker.wait(claimed, slot.takenAt)
    case "Included":
      return yield* Worker.wait(claimed, slot.takenAt)
  }
})

const work = Worker.outflows("send")

export const drain = Worker.drain(work, handle)

/** Runs the worker for as long as the layer lives. */
export const layer = (options?: Partial<Worker.Options>) => Worker.layer(work, handle, options)
