/**
 * Pays merchants out: each share once, to the destination fixed when its payment succeeded.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Caip from "../domain/Caip.ts"
import * as Money from "../domain/Money.ts"
import type * as Payment from "../domain/Payment.ts"
import * as SettlementMatching from "../domain/SettlementMatching.ts"
import type * as Transfer from "../domain/Transfer.ts"
import type { Claimed } from "../ports/DueWork.ts"
import { LedgerStore } from "../ports/LedgerStore.ts"
import * as Payout from "./Payout.ts"
import * as Worker from "./Worker.ts"

const payout = (movement: Transfer.Movement, send: Payout.Payout["send"]): Payout.Payout => ({
  movement,
  send,
  resend: SettlementMatching.resend,
  complete: SettlementMatching.complete,
  hold: SettlementMatching.hold,
})

export const handle = Effect.fnUntraced(function* (claimed: Claimed) {
  const { payment } = claimed
  const { state } = payment
  if (state._tag !== "Succeeded") return yield* Payout.nothing(claimed)
  const { payTo, token } = state.attempt.option
  const { settlement } = state
  if (settlement._tag === "Pending") return yield* begin(claimed, token)
  if (settlement._tag !== "Processing") return yield* Payout.nothing(claimed)
  const { destination, quantity, slot } = settlement
  const movement = { token, from: payTo, to: destination.address, quantity }
  yield* Payout.follow(claimed, slot, payout(movement, SettlementMatching.resend))
})

/** Sends what is left of the share once the merchant's debt is paid off. */
const begin = Effect.fnUntraced(function* (claimed: Claimed, token: Caip.Token) {
  const { hold, payment } = claimed
  const planned = SettlementMatching.plan(payment, yield* debtOf(payment, token))
  if (planned === null) return yield* Payout.nothing(claimed)
  if (planned.movement === null) {
    return yield* Worker.write(payment, hold, (current, now) =>
      Result.succeed(SettlementMatching.net(current, planned, now)),
    )
  }
  yield* Payout.begin(
    claimed,
    payout(planned.movement, (current, slot, now) =>
      SettlementMatching.send(current, planned, slot, now),
    ),
  )
})

const debtOf = Effect.fnUntraced(function* (payment: Payment.Payment, token: Caip.Token) {
  const debt = yield* (yield* LedgerStore).balance(
    payment.mode,
    { _tag: "Debt", merchantId: payment.merchantId },
    token,
  )
  return Result.getOrElse(Money.fromBigInt(debt), () => Money.zero)
})

export const drain = Worker.drain("settle", handle)

/** Runs the worker for as long as the layer lives. */
export const layer = (options?: Partial<Worker.Options>) => Worker.layer("settle", handle, options)
