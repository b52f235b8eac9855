/**
 * Payments that are signed for the same allowance. M22: the ledger is compared with the chain after each test.
 *
 * @module
 */
import { assert, layer } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import * as Effect from "effect/Effect"
import * as Payers from "../../test-support/payers.ts"
import * as Scene from "./scene.ts"

const { play, price, tokens, unused } = Scene
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })

layer(Scene.World.layer(), { excludeTestServices: true, timeout })("an allowance", (it) => {
  it.effect(
    "S29: for one payment collects one of two that were signed for it, and costs no more gas",
    () =>
      play((scene) =>
        Effect.gen(function* () {
          const payer = unused()
          const first = yield* scene.offer(tokens.permit2, payer.address)
          const second = yield* scene.offer(tokens.permit2, payer.address)
          const outputs = yield* scene.execute(first, payer)
          const signature = Payers.sign(second.option, payer)
          const before = yield* scene.sent
          const answers = [
            yield* scene.attemptWith(first, outputs),
            yield* scene.attemptWith(second, [signature]),
          ]
          assert.deepStrictEqual(
            answers.map(({ status }) => status),
            [200, 422],
          )
          // An approval that nobody mines changes nothing of that.
          const pretended = `0x${"ab".repeat(32)}`
          const late = yield* scene.attemptWith(second, [pretended, signature])
          assert.strictEqual(late.status, 422)
          yield* scene.finish
          assert.strictEqual(yield* scene.tagOf(first.paymentId), "Succeeded")
          assert.strictEqual(yield* scene.tagOf(second.paymentId), "RequiresAction")
          // What collected the first, and its settlement.
          assert.strictEqual(yield* scene.sent, before + 2)

          const again = yield* scene.execute(second, payer)
          assert.strictEqual((yield* scene.attemptWith(second, again)).status, 200)
          yield* scene.finish
          assert.strictEqual(yield* scene.tagOf(second.paymentId), "Succeeded")
        }),
      ),
  )

  it.effect("S29: for both payments collects both immediately", () =>
    play((scene) =>
      Effect.gen(function* () {
        const payer = unused()
        const choices = [
          yield* scene.offer(tokens.permit2, payer.address),
          yield* scene.offer(tokens.permit2, payer.address),
        ]
        yield* scene.local.mine(1)
        yield* scene.sendAs(payer, tokens.permit2.address, Payers.call.approve(2n * price))
        yield* scene.local.mine(1)
        const answers = yield* Effect.forEach(
          choices,
          (choice) => scene.attemptWith(choice, [Payers.sign(choice.option, payer)]),
          { concurrency: "unbounded" },
        )
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          [200, 200],
        )
        yield* scene.finish
        for (const { paymentId } of choices) {
          assert.strictEqual(yield* scene.tagOf(paymentId), "Succeeded")
        }
      }),
    ),
  )
})
