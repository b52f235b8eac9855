/**
 * Looks for money that came too late, and keeps it in suspense until an operator gives it back.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as LateMoney from "../domain/LateMoney.ts"
import * as Limits from "../domain/Limits.ts"
import type * as Payment from "../domain/Payment.ts"
import { Chains } from "../ports/Chain.ts"
import type { Claimed } from "../ports/DueWork.ts"
import * as Worker from "./Worker.ts"

export const handle = Effect.fnUntraced(function* (claimed: Claimed) {
  const reported = LateMoney.reported(claimed.payment)
  return reported === undefined ? yield* Worker.nothing(claimed) : yield* find(claimed, reported)
})

/** Whether an accepted confirm still waits for this very transfer: then it is not late, and pays. */
const isAwaited = ({ state }: Payment.Payment, { txHash }: LateMoney.Reported): boolean =>
  state._tag === "Processing" &&
  state.attempt.outputs._tag === "Sent" &&
  state.attempt.outputs.txHash === txHash

const find = Effect.fnUntraced(function* (claimed: Claimed, reported: LateMoney.Reported) {
  const { payment } = claimed
  if (isAwaited(payment, reported)) return yield* Worker.wait(claimed, reported.reportedAt)
  const chain = (yield* Chains).of(payment.mode)
  const sighting = yield* chain.lookLate(reported)
  switch (sighting._tag) {
    case "Final":
      return yield* Worker.write(claimed, (current, now) =>
        Result.succeed(LateMoney.suspend(current, sighting.evidence, now)),
      ).pipe(Effect.catchTag("ClaimTaken", () => dismiss(claimed, "it paid another payment")))
    case "Impossible":
      return yield* dismiss(claimed, sighting.reason)
    default: {
      const waitedInMs = (yield* Clock.currentTimeMillis) - reported.reportedAt
      // What one look missed is looked for again.
      const isOverdue = waitedInMs > Limits.lateWatchedInMs
      return isOverdue && (yield* chain.lookLate({ ...reported, isLast: true }))._tag === "Unseen"
        ? yield* dismiss(claimed, "it was not found on chain")
        : yield* Worker.wait(claimed, reported.reportedAt)
    }
  }
})

const dismiss = (claimed: Claimed, reason: string) =>
  Worker.write(claimed, (current, now) => Result.succeed(LateMoney.dismiss(current, reason, now)))

const work = Worker.payments("watch")

export const drain = Worker.drain(work, handle)

/** Runs the worker for as long as the layer lives. */
export const layer = (options?: Partial<Worker.Options>) => Worker.layer(work, handle, options)
