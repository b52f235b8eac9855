/**
 * Money that is collected by a permit: two of our transactions, of which only the second pays.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Money from "@florin/core/domain/ground/Money"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Effect from "effect/Effect"
import type { Kit } from "../Kit.ts"
import { begin, evidenceOf, failsWith, type It, price, tag } from "./Scene.ts"

const first = { permitNonce: Money.zero }

/** Registers no rules if the family has no such flow. */
export const testPermitting = (it: It, { flows }: Kit): void => {
  if (flows.permitted === undefined) return
  it.effect("a permit is submitted, then the money is taken, and only that is a payment", () =>
    Effect.gen(function* () {
      const { attempted, chain, harness, held, isCounted, lane, look, payer, payTo, sent } =
        yield* begin
      const before = { payer: yield* held(payer.address), payTo: yield* held(payTo) }
      const attempt = yield* attempted("permitted", first)
      const order = { _tag: "Collect", attempt } as const
      yield* chain.verify(attempt)
      const floor = yield* chain.nonceFloor(lane)
      const permit = yield* sent(order)
      assert.strictEqual(tag(yield* look(attempt, permit)), "Unseen")
      yield* harness.mine(1 + harness.finalityDepth)
      assert.strictEqual(tag(yield* look(attempt, permit)), "Due")
      assert.strictEqual(yield* held(payer.address), before.payer)
      yield* failsWith(chain.verify(attempt), "AttemptRefused")

      const take = yield* sent(order)
      assert.notStrictEqual(take.raw, permit.raw)
      assert.strictEqual(tag(yield* look(attempt, take)), "Unseen")
      yield* harness.mine(1)
      assert.strictEqual(tag(yield* look(attempt, take)), "Included")
      yield* harness.mine(harness.finalityDepth)
      const final = yield* look(attempt, take)
      assert.strictEqual(tag(final), "Final")
      assert.deepStrictEqual(evidenceOf(final).movement, Payment.movement(attempt))
      assert.strictEqual(evidenceOf(final).txHash, take.hash)
      assert.strictEqual(yield* held(payer.address), before.payer - price)
      assert.strictEqual(yield* held(payTo), before.payTo + price)
      yield* isCounted(floor, 2)
      assert.deepInclude(yield* failsWith(chain.rehearse(order), "TransferRefused"), {
        reason: "spent",
      })
    }),
  )

  it.effect("a permit that somebody else submitted counts, and ours is not sent", () =>
    Effect.gen(function* () {
      const { attempted, harness, look, sent } = yield* begin
      const attempt = yield* attempted("permitted", first)
      yield* harness.submitAuthorization(attempt.option, attempt.outputs.signature)
      yield* harness.mine(1)
      assert.strictEqual(tag(yield* look(attempt, null)), "Due")
      const take = yield* sent({ _tag: "Collect", attempt })
      yield* harness.mine(1)
      assert.strictEqual(tag(yield* look(attempt, take)), "Included")
    }),
  )

  for (const orphans of ["forgotten", "waiting"] as const) {
    it.effect(
      `transactions of a permit that were reorganised and are ${orphans} are sent again in order`,
      () =>
        Effect.gen(function* () {
          const { attempted, chain, harness, held, look, payer, sent } = yield* begin
          const before = yield* held(payer.address)
          const attempt = yield* attempted("permitted", first)
          yield* harness.mine(1)
          const order = { _tag: "Collect", attempt } as const
          const permit = yield* sent(order)
          yield* harness.mine(1)
          const take = yield* sent(order)
          yield* harness.mine(1)
          yield* harness.reorg(2, orphans)
          assert.strictEqual(tag(yield* look(attempt, take)), "Unseen")
          yield* chain.broadcast(take)
          yield* chain.broadcast(permit)
          yield* harness.mine(1)
          assert.strictEqual(tag(yield* look(attempt, take)), "Included")
          assert.strictEqual(yield* held(payer.address), before - price)
        }),
    )
  }

  it.effect(
    "a permit that was never sent expires with the first final block after its deadline, and not before",
    () =>
      Effect.gen(function* () {
        const { attempted, chain, harness, look } = yield* begin
        const attempt = yield* attempted("permitted", first)
        const left = PaymentOption.authorizationEndsAt(attempt.option) - (yield* harness.nowInS)
        yield* harness.pass(left - Limits.authorizationSendMarginInS)
        yield* harness.mine(1)
        const refused = yield* failsWith(
          chain.rehearse({ _tag: "Collect", attempt }),
          "TransferRefused",
        )
        assert.deepInclude(refused, { reason: "late" })
        assert.strictEqual(tag(yield* look(attempt, null)), "Due")
        yield* harness.pass(2 * Limits.authorizationSendMarginInS)
        yield* harness.mine(1 + harness.finalityDepth)
        assert.strictEqual(tag(yield* look(attempt, null)), "Impossible")
      }),
  )
}
