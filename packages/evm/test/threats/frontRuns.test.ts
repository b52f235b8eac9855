/**
 * Authorizations that another account submits first, or uses for something else. M22: the ledger is compared with the
 * chain after each test.
 *
 * @module
 */
import { assert, layer } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import * as Effect from "effect/Effect"
import * as Logs from "../../src/read/Logs.ts"
import * as Queries from "../../src/read/Queries.ts"
import * as Calls from "../../src/token/Calls.ts"
import * as Payers from "../../test-support/payers.ts"
import * as Service from "../../test-support/service.ts"
import * as Shop from "../../test-support/shop.ts"
import * as Scene from "./scene.ts"

const { play, tokens, unused } = Scene

/** A third of them honest. */
const mixed = Counts.of({ usual: 9, full: 999 })
const batch = 9
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })

const [transferEvent] = Logs.transferTopics({ from: unused().address, to: unused().address })
const isNoTransfer = ({ topics }: Queries.Log): boolean => topics[0] !== transferEvent

const moments = ["before the confirm", "before we do", "in the place of our transaction"] as const

layer(Scene.World.layer(), { excludeTestServices: true, timeout })("an authorization", (it) => {
  for (const name of ["eip3009", "permit2"] as const) {
    for (const moment of moments) {
      it.effect(
        `M4: ${name}: submitted ${moment} by a thief with the service's key, pays once, in that transaction`,
        () =>
          play((scene) =>
            Effect.gen(function* () {
              const payer = unused()
              const choice = yield* scene.offer(tokens[name], payer.address)
              const outputs = yield* scene.execute(choice, payer)
              const { paymentId, option } = choice
              const ours = Service.collecting.find(({ address }) => address === option.payTo)
              assert.isDefined(ours)
              const call = Calls.collect(option, outputs.at(-1) ?? "", false)
              const before = yield* scene.sent

              const handIn = scene.sendAs(ours, call.to, call.data)
              const accept = Effect.map(scene.attemptWith(choice, outputs), ({ status }) =>
                assert.strictEqual(status, 200),
              )
              const outbidOurs = Effect.gen(function* () {
                yield* scene.round
                const waiting = (yield* scene.committed(option.payTo)).at(-1)
                assert.isDefined(waiting)
                const hash = yield* scene.outbid(waiting)
                assert.notStrictEqual(hash, waiting.hash)
                return hash
              })
              if (moment !== "before the confirm") yield* accept
              const first = yield* moment === "in the place of our transaction"
                ? outbidOurs
                : handIn
              yield* scene.local.mine(1)
              if (moment === "before the confirm") yield* accept
              yield* scene.finish
              // Whoever has our key stops the chain, but for a version of what we sent ourselves, or before we ever did.
              yield* Effect.promise(() =>
                scene.florin.operator.chains.resume({ chainId: Shop.chainId, mode: "live" }),
              )
              yield* scene.finish
              assert.strictEqual(yield* scene.paidBy(paymentId), first)
              // That one, and the settlement: we sent no second one.
              assert.strictEqual(yield* scene.sent, before + 2)
            }),
          ),
      )
    }

    it.effect(`M4: ${name}: submitted by a stranger, moves nothing and harms nothing`, () =>
      play((scene) =>
        Effect.gen(function* () {
          const payer = unused()
          const choice = yield* scene.offer(tokens[name], payer.address)
          const outputs = yield* scene.execute(choice, payer)
          const call = Calls.collect(choice.option, outputs.at(-1) ?? "", false)
          assert.strictEqual((yield* scene.attemptWith(choice, outputs)).status, 200)
          yield* scene.round
          const ours = (yield* scene.committed(choice.option.payTo)).at(-1)
          yield* scene.local.request("anvil_dropTransaction", [ours?.hash])
          const hash = yield* scene.sendAs(unused(), call.to, call.data)
          yield* scene.local.mine(1)
          const receipt = yield* scene.ask(Queries.receipt(hash))
          assert.strictEqual(receipt?.status, 0)
          yield* scene.finish
          assert.strictEqual(yield* scene.paidBy(choice.paymentId), ours?.hash)
        }),
      ),
    )
  }

  it.effect(
    "M5: used for something else, never pays, although the service's transaction succeeds",
    () =>
      play((scene) =>
        Effect.gen(function* () {
          let silent = 0
          for (let index = 0; index < mixed; index += batch) {
            const all = yield* Effect.forEach(Array.from({ length: batch }), () =>
              Effect.gen(function* () {
                const payer = unused()
                const choice = yield* scene.offer(tokens.paxos, payer.address)
                const outputs = yield* scene.execute(choice, payer)
                assert.strictEqual((yield* scene.attemptWith(choice, outputs)).status, 200)
                return { payer, choice }
              }),
            )
            /** The payer uses the same nonce for a transfer to himself, which anybody may send. */
            const use = ({ choice: { option }, payer }: (typeof all)[number]) =>
              scene.sendAs(
                unused(),
                option.token.address,
                Payers.call.transferElsewhere(option, payer, unused().address),
              )
            const kinds = [0, 1, 2].map((kind) => all.filter((_, at) => at % 3 === kind))
            const [honest = [], early = [], racing = []] = kinds
            yield* Effect.forEach(early, use)
            yield* scene.local.mine(1)
            yield* scene.round
            // What we sent arrives after the theft.
            yield* scene.local.request("anvil_dropAllTransactions")
            yield* Effect.forEach(racing, use)
            yield* scene.local.mine(1)
            for (const { address } of Service.collecting) {
              const used = yield* scene.ask(Queries.nonce(address, "latest"))
              for (const { nonce, raw } of yield* scene.committed(address)) {
                if (nonce >= used) yield* scene.ask(Queries.send(raw))
              }
            }
            yield* scene.finish

            for (const { choice } of honest) {
              assert.strictEqual(yield* scene.tagOf(choice.paymentId), "Succeeded")
            }
            for (const { choice } of [...early, ...racing]) {
              assert.strictEqual(yield* scene.tagOf(choice.paymentId), "Failed")
            }
            for (const { address } of Service.collecting) {
              for (const { hash } of yield* scene.committed(address)) {
                const receipt = yield* scene.ask(Queries.receipt(hash))
                if (receipt?.status === 1 && receipt.logs.every(isNoTransfer)) silent++
              }
            }
          }
          assert.isAbove(silent, 0, "no transaction of ours succeeded without a transfer")
        }),
      ),
    timeout,
  )
})
