/**
 * Looks for money that arrived too late, and keeps it in suspense until an operator sends it back.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as LateMoney from "../domain/books/LateMoney.ts"
import * as Limits from "../domain/ground/Limits.ts"
import type * as LateReports from "../domain/payment/LateReports.ts"
import * as CountedLogs from "../engine/CountedLogs.ts"
import { Chains } from "../ports/Chain.ts"
import type { Claimed } from "../ports/DueWork.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import * as Worker from "./Worker.ts"

export const handle = Effect.fnUntraced(function* (claimed: Claimed) {
  const reported = LateMoney.reportInTurn(claimed.payment, yield* Clock.currentTimeMillis)
  return reported === undefined ? yield* Worker.endWork(claimed) : yield* find(claimed, reported)
})

const find = Effect.fnUntraced(function* (claimed: Claimed, reported: LateReports.Reported) {
  const { option, reportedAt, txHash } = reported
  const again = Worker.wait(claimed, reportedAt)
  // An accepted confirm names the same transaction: its transfers first pay that payment, and the rest is late.
  if (yield* (yield* PaymentStore).isAwaited(option.account, txHash)) return yield* again
  const except = yield* CountedLogs.of(option.token.chainId, txHash)
  const chain = (yield* Chains).of(claimed.payment.mode)
  const observation = yield* chain.lookLate({ txHash, option, except })
  switch (observation._tag) {
    case "Final":
      return yield* Worker.writeWithClaim(claimed, observation.evidence, (current, now) =>
        Result.succeed(LateMoney.suspend(current, reported, observation.evidence, now)),
      ).pipe(
        // Another worker was faster. Only a new look that skips its log shows what is left.
        Effect.catchTag("ClaimTaken", () => again),
      )
    case "Impossible":
      return yield* dismiss(
        claimed,
        reported,
        except.length === 0 ? observation.reason : "it counts for another payment",
      )
    default: {
      const waitedInMs = (yield* Clock.currentTimeMillis) - reportedAt
      // A transfer that one look missed is looked for again.
      const isOverdue = waitedInMs > Limits.lateWatchedInMs
      return isOverdue &&
        (yield* chain.lookLate({ txHash, option, except, isLast: true }))._tag === "Unseen"
        ? yield* dismiss(claimed, reported, "it was not found on chain")
        : yield* again
    }
  }
})

const dismiss = (claimed: Claimed, reported: LateReports.Reported, reason: string) =>
  Worker.write(claimed, (current, now) =>
    Result.succeed(LateMoney.dismiss(current, reported, reason, now)),
  )

const work = Worker.payments("watch")

export const drain = Worker.drain(work, handle)

/** Runs the worker until the layer's scope closes. */
export const layer = (options?: Partial<Worker.Options>) => Worker.layer(work, handle, options)
