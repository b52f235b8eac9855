/**
 * Looks again for final transfers that a deep reorganisation removed, until each is found elsewhere, or is gone for
 * good and booked. Payments rest on payers' transfers, and outflows on ours.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Audit from "../domain/books/Audit.ts"
import * as Outgoing from "../domain/books/Outgoing.ts"
import * as ChainState from "../domain/chain/ChainState.ts"
import * as Transfer from "../domain/chain/Transfer.ts"
import type * as Mode from "../domain/ground/Mode.ts"
import * as Lane from "../domain/outflow/Lane.ts"
import * as Outflow from "../domain/outflow/Outflow.ts"
import type * as Payment from "../domain/payment/Payment.ts"
import * as Lanes from "../engine/chain/Lanes.ts"
import * as Relayer from "../engine/chain/Relayer.ts"
import * as CountedLogs from "../engine/record/CountedLogs.ts"
import { Chains, type Sought } from "../ports/Chain.ts"
import type { Claimed, ClaimedOutflow, Leased } from "../ports/DueWork.ts"
import { LaneStore } from "../ports/LaneStore.ts"
import * as Worker from "./Worker.ts"

interface Missed {
  readonly mode: Mode.Mode
  readonly evidence: Transfer.Evidence
  /** The attempt of the payer who made it; null if we did. */
  readonly attempt: Payment.Attempt | null
  /** Whether it was looked for long enough to give it up if nobody sees it. */
  readonly isOverdue: boolean
}

/** The transfer is elsewhere on chain, or never will be there. */
type Displaced =
  | { readonly _tag: "Moved"; readonly to: Transfer.Evidence }
  | { readonly _tag: "Lost"; readonly failure: Transfer.Ending }

type Verdict = { readonly _tag: "Stands" } | { readonly _tag: "Wait" } | Displaced

const stands: Verdict = { _tag: "Stands" }
const wait: Verdict = { _tag: "Wait" }
const lost = (failure: Transfer.Ending): Verdict => ({ _tag: "Lost", failure })
const gone = (reason: string) => lost({ reason, code: "lost" })

/** Our transaction that made a transfer, as it was stored; null if the ledger does not know the transaction. */
const transactionOf = Effect.fnUntraced(function* ({ attempt, evidence }: Missed) {
  const { from, to, token } = evidence.movement
  const lane = { chainId: token.chainId, sender: attempt === null ? from : to }
  const { txHash, txNonce } = evidence
  const stored = yield* (yield* LaneStore).laneTransactions(lane, txNonce, txNonce)
  // A payer's own transaction may have the same nonce, and so may a payout that an operator recorded.
  return stored.find((each) => Lane.hashes(each).includes(txHash)) ?? null
})

/**
 * The logs of its transaction that count for others. The position of its own claim is not among them: the transfer may
 * be found there again.
 */
const othersOf = Effect.fnUntraced(function* ({ attempt, evidence }: Missed) {
  const { logIndex, movement, txHash } = evidence
  return attempt === null
    ? []
    : (yield* CountedLogs.of(movement.token.chainId, txHash)).filter(
        (each) => each.logIndex !== logIndex,
      )
})

const look = Effect.fnUntraced(function* (
  { attempt, evidence, mode }: Missed,
  relayed: Lane.Transaction | null,
  past: Pick<Sought, "except" | "isLast">,
) {
  const { movement, txHash } = evidence
  const chain = (yield* Chains).of(mode)
  if (attempt !== null || relayed !== null) {
    return yield* chain.look({ movement, relayed, attempt, ...past })
  }
  // An operator recorded it.
  const { from: address, quantity, to: payTo, token } = movement
  const option = { account: { chainId: token.chainId, address }, payTo, token, quantity }
  return yield* chain.lookLate({ txHash, option, ...past })
})

const judge = Effect.fnUntraced(function* (missed: Missed) {
  const { evidence, isOverdue, mode } = missed
  const { blockHash: hash, blockNumber: number } = evidence
  const chain = (yield* Chains).of(mode)
  if (yield* chain.stands(evidence.movement.token.chainId, { number, hash })) return stands
  const relayed = yield* transactionOf(missed)
  const except = yield* othersOf(missed)
  const observation = yield* look(missed, relayed, { except })
  switch (observation._tag) {
    case "Final": {
      const found = observation.evidence
      // Two nodes disagree because one of them is behind: look again later.
      if (found.blockHash === evidence.blockHash) return wait
      const { quantity, to } = found.movement
      if (Transfer.isSameMovement(found.movement, evidence.movement)) {
        return { _tag: "Moved", to: found } as const
      }
      // Only what an operator recorded is found in another quantity. Its payee has that now.
      return lost({
        reason: `the transaction moved something else after a reorganisation (${found.txHash})`,
        code: "moved",
        movedOtherwise: true,
        moved: { transfer: found, left: quantity, transfers: [{ to, quantity }] },
      })
    }
    case "Impossible": {
      // The logs that others count may be gone as well. If those are found elsewhere, their positions are free for this
      // one.
      const isThere =
        except.length > 0 && !isOverdue && (yield* look(missed, relayed, {}))._tag !== "Impossible"
      return isThere ? wait : lost(Transfer.failureOf(observation))
    }
    case "Replaced":
      return gone("after a reorganisation its transaction can never be mined")
    case "Due":
    case "Unseen":
      if (relayed !== null) yield* Effect.ignore(Relayer.sendAgain(mode, relayed))
      // A transfer that one look missed is looked for again.
      return isOverdue && (yield* look(missed, relayed, { except, isLast: true }))._tag === "Unseen"
        ? gone("it was not found on chain again after a reorganisation")
        : wait
    case "Included":
      return wait
  }
})

/**
 * Judges, and does what follows. If the ledger does not hold the money yet, the write waits for other bookings of this
 * payment or another. For example, a loss waits for the booking of what was sent out of it.
 */
const audit = Effect.fnUntraced(function* <E extends { readonly _tag: string }, R>(
  claimed: Leased,
  since: number,
  missed: Missed,
  finish: Effect.Effect<void, E, R>,
  write: (verdict: Displaced) => Effect.Effect<void, E, R>,
) {
  const verdict = yield* judge(missed)
  if (verdict._tag === "Stands") return yield* finish
  const waiting = Worker.wait(claimed, since)
  if (verdict._tag === "Wait") return yield* waiting
  const { id } = claimed.lease
  const early = Effect.logWarning("an audit waits until the ledger and the chain agree", { id })
  return yield* Effect.catchIf(
    write(verdict),
    (error) => error._tag === "Overdrawn",
    () => Effect.andThen(early, waiting),
  )
})

/** Looks again for the transfer of a payment. After a write, it is looked at once more. */
export const handle = Effect.fnUntraced(function* (claimed: Claimed) {
  const { payment } = claimed
  const { auditedSince, mode, state } = payment
  const finish = Worker.write(claimed, (current, at) => Result.succeed(Audit.finish(current, at)))
  if (auditedSince === undefined && state._tag === "Succeeded") {
    // Scans left other transfers in this transaction alone until the audit was over.
    const { blockNumber, movement } = state.transfer
    yield* (yield* LaneStore).modifyChainState(mode, movement.token.chainId, (current) =>
      ChainState.scanLeft(current, blockNumber),
    )
  }
  const entry = Audit.entryOf(payment)
  if (auditedSince === undefined || entry === null) return yield* finish
  const { attempt, transfer: evidence } = entry
  const isOverdue = Audit.isOverdue(payment, yield* Clock.currentTimeMillis)
  const missed = { mode, evidence, attempt, isOverdue }
  return yield* audit(claimed, auditedSince, missed, finish, (verdict) =>
    Worker.write(claimed, (current, at) => {
      const change =
        verdict._tag === "Moved"
          ? Audit.move(current, evidence, verdict.to, at)
          : Audit.recordLost(current, evidence, verdict.failure.reason, at)
      return Result.succeed(change ?? Audit.checkAgain(current, at))
    }),
  )
})

/** Looks again for the transfer of an outflow. One of our transfers is never given up while it may still be mined. */
export const handleOutflow = Effect.fnUntraced(function* (claimed: ClaimedOutflow) {
  const { outflow } = claimed
  const { auditedSince = outflow.updatedAt, mode, movement, state } = outflow
  const finish = Worker.writeOutflow(claimed, [], Outgoing.stands)
  if (state._tag !== "Paid") return yield* finish
  const { transfer: evidence } = state
  const missed = { mode, evidence, attempt: null, isOverdue: false }
  return yield* audit(
    claimed,
    auditedSince,
    missed,
    finish,
    Effect.fnUntraced(function* (verdict) {
      if (verdict._tag === "Lost" && verdict.failure.movedOtherwise === true) {
        const reason = `${outflow.id}: ${verdict.failure.reason}`
        yield* Lanes.stopToken(mode, movement.token, reason)
      }
      yield* Worker.writeOutflow(claimed, Outflow.paymentIds(outflow), (current, at) =>
        verdict._tag === "Moved"
          ? Outgoing.move(current, evidence, verdict.to, at)
          : Outgoing.revoke(current, verdict.failure, at),
      )
    }),
  )
})

const outflows = Worker.of(Worker.outflows("recheck"), handleOutflow)
const payments = Worker.of(Worker.payments("audit"), handle)

export const drain = Effect.andThen(outflows.drain, payments.drain)

/** Runs the worker until the layer's scope closes. */
export const layer = (options?: Partial<Worker.Options>) =>
  Layer.merge(outflows.layer(options), payments.layer(options))
