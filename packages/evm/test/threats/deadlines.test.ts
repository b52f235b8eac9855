/**
 * Allowances that change and authorizations that expire while the service waits, by the chain's own time. Each test has
 * its own chain, because it moves the time. M22: the ledger is compared with the chain after each test.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Queries from "../../src/read/Queries.ts"
import * as Payers from "../../test-support/payers.ts"
import * as Scene from "./scene.ts"

const { price, tokens, unused } = Scene

const timeout = 240_000

/** Plays an attack in a scene of its own. */
const alone = <E>(attack: (scene: Scene.Scene) => Effect.Effect<void, E, Scope.Scope>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const scene = yield* Scene.alone({})
      yield* attack(scene)
      yield* scene.audit
    }),
  )

/** Lets the chain's time come to a second before or after an authorization's end. */
const comeTo = Effect.fnUntraced(function* (
  { local }: Scene.Scene,
  { option }: Scene.Choice,
  secondsAfterEnd: number,
) {
  const end = PaymentOption.authorizationEndsAt(option)
  yield* local.pass(end + secondsAfterEnd - (yield* local.nowInS))
  yield* local.mine(1)
})

const accepted = Effect.fnUntraced(function* (
  scene: Scene.Scene,
  choice: Scene.Choice,
  outputs: ReadonlyArray<string>,
) {
  assert.strictEqual((yield* scene.attemptWith(choice, outputs)).status, 200)
})

describe("an allowance", () => {
  it.live(
    "M10: that is left from before is set again, and pays",
    () =>
      alone((scene) =>
        Effect.gen(function* () {
          const made = yield* scene.order("permit2")
          yield* scene.sendAs(made.payer, made.token.address, Payers.call.approve(1n))
          yield* scene.local.mine(1)
          const { id, paid } = yield* scene.confirm(made)
          yield* scene.finish
          assert.strictEqual((yield* Effect.promise(() => paid))._tag, "Succeeded")
          // The old one, back to nothing, and what is paid.
          const used = yield* scene.ask(Queries.nonce(made.payer.address, "latest"))
          assert.strictEqual(used, 3)
          assert.strictEqual(yield* scene.tagOf(id), "Succeeded")
        }),
      ),
    timeout,
  )

  it.live(
    "M10: that is mined too low is reported immediately",
    () =>
      alone((scene) =>
        Effect.gen(function* () {
          const payer = unused()
          const choice = yield* scene.offer(tokens.permit2, payer.address)
          const data = Payers.call.approve(price - 1n)
          const hash = yield* scene.sendAs(payer, tokens.permit2.address, data)
          yield* scene.local.mine(1)
          const signature = Payers.sign(choice.option, payer)
          const { status } = yield* scene.attemptWith(choice, [hash, signature])
          assert.strictEqual(status, 422)
          assert.strictEqual(yield* scene.sent, 0)
        }),
      ),
    timeout,
  )

  it.live(
    "M10: that its wallet replaced with a lower one causes no transaction, and the payment fails when it expires",
    () =>
      alone((scene) =>
        Effect.gen(function* () {
          const payer = unused()
          const choice = yield* scene.offer(tokens.permit2, payer.address)
          const signature = Payers.sign(choice.option, payer)
          yield* accepted(scene, choice, [Fixtures.hash("replaced"), signature])
          yield* scene.sendAs(payer, tokens.permit2.address, Payers.call.approve(price - 1n))
          yield* scene.local.mine(1)
          yield* scene.finish
          assert.strictEqual(yield* scene.tagOf(choice.paymentId), "Processing")
          yield* comeTo(scene, choice, 2)
          yield* scene.finish
          assert.strictEqual(yield* scene.tagOf(choice.paymentId), "Failed")
          assert.strictEqual(yield* scene.sent, 0)
          assert.strictEqual(yield* scene.held(tokens.permit2, payer.address), price)
        }),
      ),
    timeout,
  )

  it.live(
    "M10: that is lowered after the confirm is waited for until it is high enough again",
    () =>
      alone((scene) =>
        Effect.gen(function* () {
          const payer = unused()
          const choice = yield* scene.offer(tokens.permit2, payer.address)
          const approve = (value: bigint) =>
            scene.sendAs(payer, tokens.permit2.address, Payers.call.approve(value))
          yield* accepted(scene, choice, yield* scene.execute(choice, payer))
          yield* approve(0n)
          yield* scene.local.mine(1)
          yield* scene.finish
          assert.strictEqual(yield* scene.sent, 0)
          yield* approve(price)
          yield* scene.local.mine(1)
          yield* scene.finish
          assert.strictEqual(yield* scene.tagOf(choice.paymentId), "Succeeded")
        }),
      ),
    timeout,
  )

  it.live(
    "M10: that is lowered in the block before the collection moves nothing, and the payment fails",
    () =>
      alone((scene) =>
        Effect.gen(function* () {
          const payer = unused()
          const choice = yield* scene.offer(tokens.permit2, payer.address)
          yield* accepted(scene, choice, yield* scene.execute(choice, payer))
          yield* scene.round
          assert.strictEqual(yield* scene.sent, 1)
          const [ours] = yield* scene.committed(choice.option.payTo)
          yield* scene.local.request("anvil_dropTransaction", [ours?.hash])
          yield* scene.sendAs(payer, tokens.permit2.address, Payers.call.approve(0n))
          yield* scene.local.mine(1)
          yield* scene.local.request("eth_sendRawTransaction", [ours?.raw])
          yield* scene.local.mine(1)
          assert.strictEqual((yield* scene.ask(Queries.receipt(ours?.hash ?? "")))?.status, 0)
          yield* scene.finish
          assert.strictEqual(yield* scene.tagOf(choice.paymentId), "Failed")
          assert.strictEqual(yield* scene.held(tokens.permit2, payer.address), price)
        }),
      ),
    timeout,
  )
})

describe("an authorization", () => {
  for (const name of ["eip3009", "paxos", "permit2"] as const) {
    const begin = Effect.fnUntraced(function* (scene: Scene.Scene) {
      const payer = unused()
      const choice = yield* scene.offer(tokens[name], payer.address)
      yield* accepted(scene, choice, yield* scene.execute(choice, payer))
      const failed = Effect.gen(function* () {
        yield* scene.finish
        assert.strictEqual(yield* scene.tagOf(choice.paymentId), "Failed")
        assert.strictEqual(yield* scene.held(tokens[name], payer.address), price)
      })
      return { choice, failed }
    })

    it.live(
      `M16: ${name}: that expires while its transaction waits moves nothing, and leaves no gap`,
      () =>
        alone((scene) =>
          Effect.gen(function* () {
            const { choice, failed } = yield* begin(scene)
            yield* scene.round
            assert.strictEqual(yield* scene.sent, 1)
            const [ours] = yield* scene.committed(choice.option.payTo)
            yield* scene.local.request("anvil_dropTransaction", [ours?.hash])
            yield* comeTo(scene, choice, 2)
            yield* failed
            // It went out again all the same: what comes after it on that account could not be mined otherwise.
            assert.strictEqual((yield* scene.ask(Queries.receipt(ours?.hash ?? "")))?.status, 0)
          }),
        ),
      timeout,
    )
  }
})
