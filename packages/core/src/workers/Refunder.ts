/**
 * Pays payers back. A refund of money that the merchant already has waits until the operator's own money suffices.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Payment from "../domain/Payment.ts"
import type * as Refund from "../domain/Refund.ts"
import * as Refunding from "../domain/Refunding.ts"
import type { Claimed } from "../ports/DueWork.ts"
import { LedgerStore } from "../ports/LedgerStore.ts"
import * as Payout from "./Payout.ts"
import * as Worker from "./Worker.ts"

export const handle = Effect.fnUntraced(function* (claimed: Claimed) {
  const refund = Payment.refundOf(claimed.payment)
  const movement = Refunding.movement(claimed.payment)
  if (refund === null || movement === null) return yield* Payout.nothing(claimed)
  const payout: Payout.Payout = {
    movement,
    send: Refunding.send,
    resend: Refunding.resend,
    complete: Refunding.complete,
    hold: Refunding.hold,
  }
  if (refund.state._tag === "Processing") {
    return yield* Payout.follow(claimed, refund.state.slot, payout)
  }
  if (yield* mustWait(claimed.payment, refund)) return yield* wait(claimed)
  yield* Payout.begin(claimed, payout).pipe(
    // Somebody else drew on the same money first, or it is not on this account.
    Effect.catchIf(
      (error) =>
        error._tag === "Overdrawn" ||
        (error._tag === "TransferRefused" && error.reason === "short"),
      () => wait(claimed),
    ),
  )
})

const mustWait = Effect.fnUntraced(function* (payment: Payment.Payment, refund: Refund.Refund) {
  if (!refund.drawsOnFloat || payment.state._tag !== "Succeeded") return false
  const float = yield* (yield* LedgerStore).float(payment.mode, payment.state.attempt.option.token)
  return float < refund.quantity
})

const wait = (claimed: Claimed) =>
  Worker.write(claimed.payment, claimed.hold, (current, now) =>
    Result.succeed(Refunding.wait(current, now + Worker.pauseLongestInMs, now)),
  )

export const drain = Worker.drain("refund", handle)

/** Runs the worker for as long as the layer lives. */
export const layer = (options?: Partial<Worker.Options>) => Worker.layer("refund", handle, options)
