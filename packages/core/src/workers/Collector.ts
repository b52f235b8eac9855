/**
 * Collects the payer's money: from an accepted confirm to a final transfer, or to the proof that there will be none.
 *
 * Every round first looks at the chain. Nothing is concluded from silence: a transaction that is not there yet is sent
 * again, with the same bytes, until the chain shows that it is final or can never be.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Incoming from "../domain/books/Incoming.ts"
import * as Claim from "../domain/chain/Claim.ts"
import * as Transfer from "../domain/chain/Transfer.ts"
import type * as Lane from "../domain/outflow/Lane.ts"
import * as SettlementDestination from "../domain/partner/SettlementDestination.ts"
import * as Payment from "../domain/payment/Payment.ts"
import * as PaymentTransition from "../domain/payment/PaymentTransition.ts"
import * as Relayer from "../engine/chain/Relayer.ts"
import * as Relaying from "../engine/chain/Relaying.ts"
import * as CountedLogs from "../engine/record/CountedLogs.ts"
import * as Writes from "../engine/record/Writes.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { Chains, type Sought } from "../ports/Chain.ts"
import type { Claimed } from "../ports/DueWork.ts"
import { InflowStore } from "../ports/InflowStore.ts"
import { Screening } from "../ports/Screening.ts"
import { Settings } from "../ports/Settings.ts"
import type { ClaimTaken } from "../ports/StorageError.ts"
import * as World from "../ports/World.ts"
import * as Worker from "./Worker.ts"

export const handle = Effect.fnUntraced(function* (claimed: Claimed) {
  const { payment } = claimed
  const { state } = payment
  if (state._tag !== "Processing") {
    return yield* Worker.write(claimed, (current, now) => PaymentTransition.expire(current, now))
  }
  const { attempt, slot } = state
  const relayed = slot === null ? null : yield* Relayer.transactionAt(slot)
  const { look } = yield* World.meet(payment)
  const sought: Sought = {
    movement: Payment.movement(attempt),
    relayed,
    attempt,
  }
  const observation = yield* look({ ...sought, waitingSince: attempt.confirmedAt })
  switch (observation._tag) {
    case "Final":
      return yield* succeed(claimed, attempt, observation.evidence).pipe(
        Effect.catchTag("ClaimTaken", () => pass(claimed, attempt, sought, observation.evidence)),
      )
    case "Impossible":
      return yield* fail(claimed, observation.reason, observation.txHash)
    case "Included":
      return yield* Worker.wait(claimed, slot?.takenAt ?? attempt.confirmedAt)
    case "Replaced":
      return yield* send(claimed, attempt, relayed)
    case "Due":
      return yield* send(claimed, attempt, null)
    case "Unseen": {
      if (attempt.outputs._tag === "Sent")
        return yield* wait(claimed, attempt, look({ ...sought, isLast: true }))
      if (slot === null || relayed === null) return yield* send(claimed, attempt, null)
      yield* Effect.ignore(Relayer.sendAgain(payment.mode, relayed))
      return yield* Worker.wait(claimed, slot.takenAt)
    }
  }
})

/**
 * Only the wallet can send this transfer, so the worker waits for it, but not forever. A transfer that one look missed
 * is looked for again.
 */
const wait = Effect.fnUntraced(function* <E>(
  claimed: Claimed,
  attempt: Payment.Attempt,
  look: Effect.Effect<Transfer.Observation, E>,
) {
  const isOverdue = PaymentTransition.isOverdueTransfer(attempt, yield* Clock.currentTimeMillis)
  yield* isOverdue && (yield* look)._tag === "Unseen"
    ? fail(claimed, "the transfer was not found on chain")
    : Worker.wait(claimed, attempt.confirmedAt)
})

const fail = Effect.fnUntraced(function* (claimed: Claimed, reason: string, endedBy?: string) {
  const { failureBudgets } = yield* Settings
  yield* Worker.write(claimed, (current, now) =>
    PaymentTransition.fail(current, reason, now, endedBy, failureBudgets),
  )
})

/**
 * Ends the payment as succeeded: the money is there. The destination of its share is decided again when the share is
 * gathered.
 */
const succeed = Effect.fnUntraced(function* (
  claimed: Claimed,
  attempt: Payment.Attempt,
  evidence: Transfer.Evidence,
) {
  const { payment } = claimed
  const { token } = attempt.option
  const [last] = yield* (yield* AccountStore).destinations([payment.merchantId], token)
  const isRegistered = last !== undefined && SettlementDestination.isRegistered(last)
  const decide = (current: Payment.Payment, now: number) => {
    const destination = SettlementDestination.registeredAt(last, now)
    return PaymentTransition.succeed(current, evidence, destination, now, isRegistered)
  }
  yield* Worker.write(claimed, decide).pipe(
    Effect.catchTag("ClaimTaken", (taken) => takeOver(claimed, evidence, decide, taken)),
  )
})

/** Takes a transfer that a scan found first, and that lies in suspense. */
const takeOver = Effect.fnUntraced(function* (
  { lease, payment }: Claimed,
  transfer: Transfer.Evidence,
  decide: (current: Payment.Payment, now: number) => ReturnType<typeof PaymentTransition.succeed>,
  taken: ClaimTaken,
) {
  const now = yield* Clock.currentTimeMillis
  const { txHash } = transfer
  const brought = yield* (yield* InflowStore).inflows({ _tag: "Transaction", txHash })
  const found = brought.find((each) => Claim.isSameLog(each.transfer, transfer))
  if (found === undefined) return yield* taken
  const step = Writes.modify(
    { outflows: [], payments: [payment.id], inflows: [found.id] },
    ({ payments: [current], inflows: [inflow] }) =>
      current === undefined || inflow === undefined
        ? Result.succeed({ result: null, write: null })
        : Result.map(decide(current, now), (change) => {
            const result = change === null ? null : Incoming.take(inflow, change, transfer, now)
            return { result, write: result?.write ?? null }
          }),
    lease,
  )
  const taking = yield* Effect.repeat(step, { until: (each) => each?.isWhole !== false })
  if (taking === null) return yield* taken
  yield* Writes.announce(taking.write.payments)
})

/**
 * Handles a log that counts for another payment. Its transaction may hold another equal log, as contracts that send
 * batches do. Only if none is left, the transaction pays nothing.
 */
const pass = Effect.fnUntraced(function* (
  claimed: Claimed,
  attempt: Payment.Attempt,
  sought: Sought,
  taken: Transfer.Evidence,
) {
  const { movement, txHash } = taken
  const except = [...(yield* CountedLogs.of(movement.token.chainId, txHash)), taken]
  const chain = (yield* Chains).of(claimed.payment.mode)
  const observation = yield* chain.look({ ...sought, except })
  const again = Worker.wait(claimed, attempt.confirmedAt)
  const isLeft = observation._tag === "Final" && !Transfer.isOneOf(except, observation.evidence)
  if (isLeft) {
    // If another worker is faster again, the next round skips that log, too.
    return yield* succeed(claimed, attempt, observation.evidence).pipe(
      Effect.catchTag("ClaimTaken", () => again),
    )
  }
  return observation._tag === "Final" || observation._tag === "Impossible"
    ? yield* fail(claimed, "the transfer pays another payment", txHash)
    : yield* again
})

/**
 * Signs and sends the authorization, unless screening refuses the payer now or the token would refuse the transfer. If
 * the token refuses the payer for good, the payment fails before its authorization expires.
 */
const send = Effect.fnUntraced(function* (
  claimed: Claimed,
  attempt: Payment.Attempt,
  replaced: Lane.Transaction | null,
) {
  const { lease, payment } = claimed
  const refused = yield* (yield* Screening).refused([attempt.option.account])
  if (refused.length > 0) {
    const { failureBudgets } = yield* Settings
    return yield* Worker.write(claimed, (current, now) =>
      PaymentTransition.decline(current, null, now, failureBudgets),
    )
  }
  const chain = (yield* Chains).of(payment.mode)
  const rehearsal = yield* Effect.result(chain.rehearse({ _tag: "Collect", attempt }))
  if (Result.isFailure(rehearsal)) {
    const { failure } = rehearsal
    // As long as we sent nothing, nobody else can collect the money.
    const isUnsent = payment.state._tag === "Processing" && payment.state.slot === null
    if (isUnsent && failure._tag === "TransferRefused" && failure.reason === "barred") {
      return yield* fail(claimed, "the token's issuer blocks the payer's account")
    }
    return yield* failure
  }
  const costMax = yield* Relaying.costMax(payment, attempt.option)
  yield* Relayer.send({
    mode: payment.mode,
    order: { _tag: "Collect", attempt, ...(costMax !== undefined && { costMax }) },
    subjects: { outflows: [], payments: [payment.id] },
    commit: ({ payments }, slot, now) => {
      const changes = payments.flatMap(
        (current) => PaymentTransition.relay(current, slot, now + Worker.pauseInMs(0), now) ?? [],
      )
      return changes.length === 0 ? null : { payments: changes, outflows: [] }
    },
    lease,
    ...(replaced !== null && { replaced }),
  })
})

export const { drain, layer } = Worker.of(Worker.payments("collect"), handle)
