/**
 * Accounts that sign more payments than they can pay. Signing costs them nothing; collecting costs the service gas.
 *
 * @module
 */
import { assert, it as alone, layer } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Money from "@florin/core/domain/ground/Money"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Counts from "@florin/testing/Counts"
import type * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import * as Payers from "../../test-support/payers.ts"
import * as Scene from "./scene.ts"

const { play, price, tokens, unused } = Scene
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })
const attackers = Counts.of({ usual: 2, full: 5 })
const signedByEach = Counts.of({ usual: 12, full: 100 })
/** Seconds from block to block; 0 if the test mines. */
const intervals = Counts.full ? [0, 2, 12] : [0]
const roundsMax = 2_000

const make = (scene: Scene.Scene) => {
  const { local } = scene

  /** A confirm that an account without code can make for nothing. */
  const confirm = (choice: Scene.Choice, payer: Wallet.Wallet) =>
    scene.attemptWith(choice, [Payers.sign(choice.option, payer)])

  /** An account's options for some payments, of which its balance covers one at a time. */
  const optionsOf = Effect.fnUntraced(function* (
    payer: Wallet.Wallet,
    count: number,
    token: Caip.Token = tokens.eip3009,
  ) {
    const choices: Array<Scene.Choice> = []
    for (let index = 0; index < count; index++) {
      choices.push(yield* scene.choose(yield* scene.create(token), payer.address))
    }
    return choices
  })

  /** Lets workers and blocks follow each other until these payments are over. */
  const settle = Effect.fnUntraced(function* (
    ids: ReadonlyArray<PaymentId.PaymentId>,
    every: number,
  ) {
    for (let round = 0; round < roundsMax; round++) {
      yield* scene.round
      if (every === 0) yield* local.mine(1)
      else yield* Effect.sleep("200 millis")
      const tags = yield* Effect.forEach(ids, scene.tagOf)
      if (tags.every((tag) => tag !== "Processing")) return
    }
  })

  return { confirm, optionsOf, settle }
}

const statuses = (replies: ReadonlyArray<Scene.Reply>) => replies.map(({ status }) => status)
const accepted = (replies: ReadonlyArray<Scene.Reply>) =>
  replies.filter(({ status }) => status === 200).length

layer(Scene.World.layer(), { excludeTestServices: true, timeout })("a balance", (it) => {
  for (const every of intervals) {
    it.effect(
      `S31: pays for as many payments as it covers of those signed within a block, with ${every === 0 ? "blocks by hand" : `a block every ${every} s`}`,
      () =>
        play((scene) =>
          Effect.gen(function* () {
            const { confirm, optionsOf, settle } = make(scene)
            const { local } = scene
            const before = yield* scene.losses
            const thieves = Array.from({ length: attackers }, unused)
            const signed: Array<{ readonly payer: Wallet.Wallet; readonly choice: Scene.Choice }> =
              []
            for (const payer of thieves) {
              yield* local.fund(tokens.eip3009.address, payer.address, price)
              const choices = yield* optionsOf(payer, signedByEach)
              signed.push(...choices.map((choice) => ({ payer, choice })))
            }
            // Honest payers pay several payments that they have the money for, in both ways that only sign.
            const rich = unused()
            yield* local.fund(tokens.eip3009.address, rich.address, 3n * price)
            const several = yield* optionsOf(rich, 3)
            const approver = unused()
            yield* local.fund(tokens.permit2.address, approver.address, 2n * price)
            yield* scene.sendAs(approver, tokens.permit2.address, Payers.call.approve(2n * price))
            yield* local.mine(1)
            const allowed = yield* optionsOf(approver, 2, tokens.permit2)
            yield* local.request("evm_setIntervalMining", [every])

            const honest = [
              ...several.map((choice) => confirm(choice, rich)),
              ...allowed.map((choice) => confirm(choice, approver)),
            ]
            const [own, theirs] = yield* Effect.all(
              [
                Effect.all(honest, { concurrency: "unbounded" }),
                Effect.forEach(signed, ({ choice, payer }) => confirm(choice, payer), {
                  concurrency: "unbounded",
                }),
              ],
              { concurrency: "unbounded" },
            )
            assert.deepStrictEqual(statuses(own), [200, 200, 200, 200, 200])
            assert.strictEqual(accepted(theirs), attackers)
            assert.isTrue(theirs.every(({ status }) => status === 200 || status === 422))

            const paid = [...several, ...allowed].map(({ paymentId }) => paymentId)
            yield* settle([...paid, ...signed.map(({ choice }) => choice.paymentId)], every)
            yield* local.request("evm_setIntervalMining", [0])
            for (const id of paid) assert.strictEqual(yield* scene.tagOf(id), "Succeeded")
            const tags = yield* Effect.forEach(signed, ({ choice }) =>
              scene.tagOf(choice.paymentId),
            )
            assert.lengthOf(
              tags.filter((tag) => tag === "Succeeded"),
              attackers,
            )
            // The money is gone now, and older options are as dead as it.
            const again = yield* Effect.forEach(signed, ({ choice, payer }) =>
              confirm(choice, payer),
            )
            assert.strictEqual(accepted(again), attackers, "repeats of those that were accepted")
            const lost = yield* scene.losses
            yield* Effect.logInfo(
              `${signed.length} payments signed by ${attackers} accounts: ${accepted(theirs)} accepted, ${lost.reverted - before.reverted} reverted, ${lost.gas - before.gas} units of gas lost; ${paid.length} honest ones paid`,
            )
            assert.strictEqual(lost.reverted, before.reverted)
          }),
        ),
    )
  }

  it.effect(
    "S31: that covers all payments but moves away costs as many reverts as the budget, and then older options are refused",
    () =>
      play((scene) =>
        Effect.gen(function* () {
          const { confirm, optionsOf, settle } = make(scene)
          const { local } = scene
          const before = yield* scene.losses
          const payer = unused()
          yield* local.fund(tokens.eip3009.address, payer.address, 8n * price)
          const choices = yield* optionsOf(payer, 8)
          const replies = yield* Effect.forEach(
            choices.slice(0, 7),
            (choice) => confirm(choice, payer),
            { concurrency: "unbounded" },
          )
          // One for nothing, and four that its budget of two failures has room for.
          assert.strictEqual(accepted(replies), 5)
          yield* scene.round
          const away = Payers.call.transfer(unused().address, Money.Quantity.make(8n * price))
          yield* scene.sendAs(payer, tokens.eip3009.address, away)
          yield* settle(
            choices.map(({ paymentId }) => paymentId),
            0,
          )
          const lost = yield* scene.losses
          assert.isAtMost(lost.reverted - before.reverted, 5)
          // With the money back, its older options are still refused: the budget is gone.
          yield* local.fund(tokens.eip3009.address, payer.address, 2n * price)
          const [last = assert.fail()] = choices.slice(-1)
          assert.strictEqual((yield* confirm(last, payer)).status, 422)
        }),
      ),
  )

  it.effect("S31: counts earlier collected payments before they are final", () =>
    play((scene) =>
      Effect.gen(function* () {
        const { confirm, optionsOf, settle } = make(scene)
        const payer = unused()
        yield* scene.local.fund(tokens.eip3009.address, payer.address, 2n * price)
        const [first = assert.fail(), second = assert.fail()] = yield* optionsOf(payer, 2)
        assert.strictEqual((yield* confirm(first, payer)).status, 200)
        yield* scene.round
        yield* scene.local.mine(1)
        assert.strictEqual(yield* scene.tagOf(first.paymentId), "Processing")
        assert.strictEqual((yield* confirm(second, payer)).status, 200)
        yield* settle([first.paymentId, second.paymentId], 0)
        assert.strictEqual(yield* scene.tagOf(first.paymentId), "Succeeded")
        assert.strictEqual(yield* scene.tagOf(second.paymentId), "Succeeded")
      }),
    ),
  )

  it.effect("S31: is not spent again on other payments after one was collected", () =>
    play((scene) =>
      Effect.gen(function* () {
        const { confirm, optionsOf, settle } = make(scene)
        const payer = unused()
        yield* scene.local.fund(tokens.eip3009.address, payer.address, 9n * price)
        const [first = assert.fail(), ...next] = yield* optionsOf(payer, 9)
        assert.strictEqual((yield* confirm(first, payer)).status, 200)
        yield* scene.round
        yield* scene.local.mine(1)
        assert.strictEqual(yield* scene.tagOf(first.paymentId), "Processing")
        const replies = yield* Effect.forEach(next, (choice) => confirm(choice, payer), {
          concurrency: "unbounded",
        })
        assert.isTrue(replies.every(({ status }) => status === 200 || status === 422))
        assert.strictEqual(accepted(replies), 4)
        const all = [first, ...next.filter((_, index) => replies[index]?.status === 200)]
        yield* settle(
          all.map(({ paymentId }) => paymentId),
          0,
        )
        for (const { paymentId } of all) {
          assert.strictEqual(yield* scene.tagOf(paymentId), "Succeeded")
        }
      }),
    ),
  )
})

/** More than this test mines, as on a chain whose blocks take minutes to be final. */
const slowFinality = 40

alone.live(
  "S31: a balance whose authorizations are cancelled before each collection costs no more reverts",
  () =>
    Effect.scoped(
      Effect.gen(function* () {
        const scene = yield* Scene.alone({ finality: slowFinality })
        const { confirm, optionsOf } = make(scene)
        const before = yield* scene.losses
        const payer = unused()
        yield* scene.local.fund(tokens.eip3009.address, payer.address, price)
        const replies: Array<Scene.Reply> = []
        for (const choice of yield* optionsOf(payer, 10)) {
          replies.push(yield* confirm(choice, payer))
          yield* scene.round
          const { option } = choice
          const cancel = Payers.call.cancel(option, Payers.cancellation(option, payer))
          yield* scene.sendAs(payer, tokens.eip3009.address, cancel)
          yield* scene.local.mine(1)
        }
        const lost = yield* scene.losses
        assert.strictEqual(accepted(replies), 5)
        assert.isAtMost(lost.reverted - before.reverted, 5)
      }),
    ),
  timeout,
)
