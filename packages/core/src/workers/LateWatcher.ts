/**
 * Looks for money that came too late, keeps it in suspense, and follows it home once an operator gives it back.
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
import * as Payout from "./Payout.ts"
import * as Worker from "./Worker.ts"

export const handle = Effect.fnUntraced(function* (claimed: Claimed) {
  const { payment } = claimed
  const returning = LateMoney.returning(payment)
  if (returning !== undefined) {
    return yield* Payout.follow(claimed, returning.slot, {
      movement: LateMoney.returnOf(returning.transfer),
      send: () => null,
      resend: LateMoney.resend,
      complete: LateMoney.returned,
      hold: LateMoney.takeBack,
    })
  }
  const reported = LateMoney.reported(payment)
  return reported === undefined ? yield* Payout.nothing(claimed) : yield* find(claimed, reported)
})

/** Whether an accepted confirm still waits for this very transfer: then it is not late, and pays. */
const isAwaited = ({ state }: Payment.Payment, { txHash }: LateMoney.Reported): boolean =>
  state._tag === "Processing" &&
  state.attempt.outputs._tag === "Sent" &&
  state.attempt.outputs.txHash === txHash

const find = Effect.fnUntraced(function* (claimed: Claimed, reported: LateMoney.Reported) {
  const { hold, payment } = claimed
  if (isAwaited(payment, reported)) return yield* Worker.wait(claimed, reported.reportedAt)
  const chain = (yield* Chains).of(payment.mode)
  const sighting = yield* chain.lookLate(reported)
  switch (sighting._tag) {
    case "Final":
      return yield* Worker.write(payment, hold, (current, now) =>
        Result.succeed(LateMoney.suspend(current, sighting.evidence, now)),
      ).pipe(Effect.catchTag("ClaimTaken", () => dismiss(claimed, "it paid another payment")))
    case "Impossible":
      return yield* dismiss(claimed, sighting.reason)
    default: {
      const waitedInMs = (yield* Clock.currentTimeMillis) - reported.reportedAt
      return waitedInMs > Limits.lateWatchedInMs
        ? yield* dismiss(claimed, "it was not found on chain")
        : yield* Worker.wait(claimed, reported.reportedAt)
    }
  }
})

const dismiss = ({ hold, payment }: Claimed, reason: string) =>
  Worker.write(payment, hold, (current, now) =>
    Result.succeed(LateMoney.dismiss(current, reason, now)),
  )

export const drain = Worker.drain("watch", handle)

/** Runs the worker for as long as the layer lives. */
export const layer = (options?: Partial<Worker.Options>) => Worker.layer("watch", handle, options)
