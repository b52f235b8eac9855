/**
 * Money going out, whatever for: it is rehearsed, signed and stored, broadcast, and followed until it is final or can
 * never be.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Change from "../domain/Change.ts"
import type * as Lane from "../domain/Lane.ts"
import type * as Payment from "../domain/Payment.ts"
import * as Transfer from "../domain/Transfer.ts"
import * as Relayer from "../engine/Relayer.ts"
import { Chains } from "../ports/Chain.ts"
import type { Claimed } from "../ports/DueWork.ts"
import * as Worker from "./Worker.ts"

type Decision<A> = (current: Payment.Payment, input: A, now: number) => Change.Change | null

/** What an outgoing transfer means to the payment it belongs to. */
export interface Payout {
  readonly movement: Transfer.Movement
  /** Commits to it. */
  readonly send: Decision<Lane.Slot>
  /** Commits to it anew, after its nonce went to another transaction. */
  readonly resend: Decision<Lane.Slot>
  readonly complete: Decision<Transfer.Evidence>
  /** It cannot be paid: only an operator moves it on. */
  readonly hold: Decision<Transfer.Failure>
}

const decide = <A>(claimed: Claimed, decision: Decision<A>, input: A) =>
  Worker.write(claimed.payment, claimed.hold, (current, now) =>
    Result.succeed(decision(current, input, now)),
  )

/** Nothing is left to do. */
export const nothing = (claimed: Claimed) => decide(claimed, () => null, undefined)

/** Sends a transfer for the first time, unless the token would refuse it for good. */
export const begin = Effect.fnUntraced(function* (claimed: Claimed, payout: Payout) {
  const order = { _tag: "Send", movement: payout.movement } as const
  const chain = (yield* Chains).of(claimed.payment.mode)
  const rehearsal = yield* Effect.result(chain.rehearse(order))
  if (Result.isFailure(rehearsal)) {
    const { failure } = rehearsal
    return failure._tag === "TransferRefused" && failure.reason === "blocked"
      ? yield* decide(claimed, payout.hold, { reason: failure.message })
      : yield* failure
  }
  yield* Relayer.send({
    payment: claimed.payment,
    order,
    commit: payout.send,
    hold: claimed.hold,
  })
})

/** Looks for a transfer that was sent, and sends the same bytes again where it is not there. */
export const follow = Effect.fnUntraced(function* (
  claimed: Claimed,
  slot: Lane.Slot,
  payout: Payout,
) {
  const chain = (yield* Chains).of(claimed.payment.mode)
  const relayed = yield* Relayer.transactionAt(slot)
  const sighting = yield* chain.look({ movement: payout.movement, relayed, attempt: null })
  switch (sighting._tag) {
    case "Final":
      return yield* decide(claimed, payout.complete, sighting.evidence)
    case "Impossible":
      return yield* decide(claimed, payout.hold, Transfer.failureOf(sighting))
    case "Replaced":
      yield* Relayer.send({
        payment: claimed.payment,
        order: { _tag: "Send", movement: payout.movement },
        commit: payout.resend,
        hold: claimed.hold,
        replaced: relayed,
      })
      return
    case "Unseen":
      yield* Effect.ignore(Relayer.sendAgain(claimed.payment.mode, relayed))
      return yield* Worker.wait(claimed, slot.takenAt)
    case "Included":
      return yield* Worker.wait(claimed, slot.takenAt)
  }
})
