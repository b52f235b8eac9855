/**
 * Looks again for transfers that were final, and that a deep reorganisation took: until each of them is found elsewhere,
 * or is gone for good and booked.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Audit from "../domain/Audit.ts"
import type * as Change from "../domain/Change.ts"
import * as Lane from "../domain/Lane.ts"
import type * as Payment from "../domain/Payment.ts"
import * as Transfer from "../domain/Transfer.ts"
import * as Relayer from "../engine/Relayer.ts"
import { Chains } from "../ports/Chain.ts"
import type { Claimed } from "../ports/DueWork.ts"
import { LaneStore } from "../ports/LaneStore.ts"
import * as Worker from "./Worker.ts"

/** What an audit found out about a transfer. */
type Decision = (current: Payment.Payment, now: number) => Change.Change | null

/** The transaction of ours that made a transfer, as it was stored; null where another account's did. */
const transactionOf = Effect.fnUntraced(function* ({ _tag, evidence }: Audit.Entry) {
  const { from, to, token } = evidence.movement
  const isPayers = _tag === "Collected" || _tag === "Late"
  const lane = { chainId: token.chainId, sender: isPayers ? to : from }
  const stored = yield* (yield* LaneStore).laneTransaction(lane, evidence.txNonce)
  // The nonce of a payer's own transaction is none of our lane's.
  return stored === null || (isPayers && !Lane.hashes(stored).includes(evidence.txHash))
    ? null
    : stored
})

const look = Effect.fnUntraced(function* (
  { mode }: Payment.Payment,
  entry: Audit.Entry,
  relayed: Lane.Transaction | null,
) {
  const { movement, txHash } = entry.evidence
  const chain = (yield* Chains).of(mode)
  if (entry._tag !== "Late") {
    const attempt = entry._tag === "Collected" ? entry.attempt : null
    return yield* chain.look({ movement, relayed, attempt })
  }
  const { from: address, to: payTo, token } = movement
  const option = { account: { chainId: token.chainId, address }, payTo, token }
  return yield* chain.lookLate({ txHash, option })
})

const isSameMovement = (left: Transfer.Movement, right: Transfer.Movement): boolean =>
  left.quantity === right.quantity && left.from === right.from && left.to === right.to

/** What is to be written about one transfer; null where it stands, and "wait" where it may come back. */
const judge = Effect.fnUntraced(function* (payment: Payment.Payment, entry: Audit.Entry) {
  const { evidence } = entry
  const chain = (yield* Chains).of(payment.mode)
  if (yield* chain.stands(evidence.movement.token.chainId, Audit.markOf(evidence))) return null
  const relayed = yield* transactionOf(entry)
  const sighting = yield* look(payment, entry, relayed)
  const now = yield* Clock.currentTimeMillis
  const lost = (failure: Transfer.Failure): Decision | "wait" =>
    Audit.lost(payment, entry, failure, now) === null
      ? "wait"
      : (current, at) => Audit.lost(current, entry, failure, at)
  switch (sighting._tag) {
    case "Final": {
      const found = sighting.evidence
      // Two nodes, of which one is behind: ask again.
      if (found.blockHash === evidence.blockHash) return "wait"
      return isSameMovement(found.movement, evidence.movement)
        ? (current: Payment.Payment, at: number) => Audit.move(current, evidence, found, at)
        : lost({ reason: "the transaction moved something else after a reorganisation" })
    }
    case "Impossible":
      return lost(Transfer.failureOf(sighting))
    case "Replaced":
      return lost({ reason: "a reorganisation put another transaction in its place" })
    case "Unseen":
      if (relayed !== null) yield* Effect.ignore(Relayer.sendAgain(payment.mode, relayed))
      return Audit.isOverdue(payment, entry, now)
        ? lost({ reason: "it was not found on chain again after a reorganisation" })
        : "wait"
    case "Included":
      return "wait"
  }
})

/**
 * Writes what was found out; tells whether it could be. What the books do not hold yet waits for what else is to be booked,
 * for this payment or another: a loss waits for what was sent out of it.
 */
const book = ({ hold, payment }: Claimed, decision: Decision) =>
  Worker.write(payment, hold, (current, now) =>
    Result.succeed(decision(current, now) ?? Audit.again(current, now)),
  ).pipe(
    Effect.as(true),
    Effect.catchTag("Overdrawn", ({ account }) =>
      Effect.as(
        Effect.logWarning("an audit waits for the books", { paymentId: payment.id, account }),
        false,
      ),
    ),
  )

/** One transfer is written at a time, and all of them are looked at again after that. */
export const handle = Effect.fnUntraced(function* (claimed: Claimed) {
  const { hold, payment } = claimed
  let isWaiting = false
  for (const entry of Audit.entries(payment)) {
    const judged = yield* judge(payment, entry)
    if (judged === null) continue
    if (judged !== "wait" && (yield* book(claimed, judged))) return
    isWaiting = true
  }
  if (isWaiting) return yield* Worker.wait(claimed, payment.auditedSince ?? payment.updatedAt)
  yield* Worker.write(payment, hold, (current, now) => Result.succeed(Audit.finish(current, now)))
})

export const drain = Worker.drain("audit", handle)

/** Runs the worker for as long as the layer lives. */
export const layer = (options?: Partial<Worker.Options>) => Worker.layer("audit", handle, options)
