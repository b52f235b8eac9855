/**
 * Transfers that are claimed more than once, or by another payer. M22: the ledger is compared with the chain after each
 * test.
 *
 * @module
 */
import { assert, layer } from "@effect/vitest"
import * as Postgres from "@florin/postgres/Postgres"
import { createFlorin } from "@florin/server/Florin"
import * as Counts from "@florin/testing/Counts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Databases from "../../../postgres/test-support/databases.ts"
import * as ByHand from "../../test-support/byHand.ts"
import * as Payers from "../../test-support/payers.ts"
import * as Service from "../../test-support/service.ts"
import * as Shop from "../../test-support/shop.ts"
import * as Scene from "./scene.ts"

const { areRefused, play, price, tokens, unused } = Scene

const rounds = Counts.of({ usual: 2, full: 100 })
const claimsPerRound = Counts.of({ usual: 20, full: 100 })
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })

/** Other services over the same database and chain. */
class Others extends Context.Service<
  Others,
  ReadonlyArray<Pick<ReturnType<typeof createFlorin>, "handler" | "run">>
>()("@florin/evm/test/threats/Others") {}

const world = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* Databases.address("migrated")
    // Workers that are moved by hand run ahead of any clock.
    const database = Layer.provide(
      Postgres.layer({ url: Redacted.make(url) }),
      Postgres.layerUncheckedTime,
    )
    const florin = {
      storage: database,
      signals: database,
      sealKey: Service.sealKey,
      vault: Service.vault,
    }
    const others = Layer.effect(
      Others,
      Effect.flatMap(Scene.World, ({ chains }) =>
        Effect.acquireRelease(
          Effect.sync(() =>
            Array.from({ length: 2 }, () =>
              createFlorin({
                payLinkHost: Service.payLinkHost,
                pages: false,
                chains: Service.chainsOf(chains, { finality: Shop.finality, flow: Shop.flowOf }),
                ...florin,
              }),
            ),
          ),
          (made) => Effect.promise(() => Promise.all(made.map((each) => each.dispose()))),
        ),
      ),
    )
    return Layer.provideMerge(others, Scene.World.layer({ florin }))
  }),
)

/** An option of an account in a new payment that the same account of ours collects. */
const beside = Effect.fnUntraced(function* (
  scene: Scene.Scene,
  { option }: Scene.Choice,
  address = option.account.address,
) {
  for (;;) {
    const choice = yield* scene.choose(yield* scene.create(tokens.transfer), address)
    if (choice.option.payTo === option.payTo) return choice
  }
})

layer(world, { excludeTestServices: true, timeout })("a transfer", (it) => {
  it.effect(
    `M6: claimed by ${claimsPerRound} payments of its payer at three services together, pays one of them`,
    () =>
      play((scene) =>
        Effect.gen(function* () {
          const services = [scene.florin, ...(yield* Others)]
          const hands = services.map((each) => ByHand.make(each))
          for (let round = 0; round < rounds; round++) {
            const payer = unused()
            const real = yield* scene.offer(tokens.transfer, payer.address)
            const claims = yield* Effect.forEach(Array.from({ length: claimsPerRound - 1 }), () =>
              beside(scene, real),
            )
            const [hash = ""] = yield* scene.execute(real, payer)
            yield* Effect.forEach(
              [...claims, real],
              (choice, index) =>
                scene.attempt(choice, [[hash], [Payers.sign(choice.option, payer)]], {
                  service: services[index % services.length] ?? scene.florin,
                }),
              { concurrency: "unbounded" },
            )
            for (let step = 0; step < 6; step++) {
              yield* Effect.all(
                hands.map((each) => each.round),
                { concurrency: "unbounded" },
              )
              yield* scene.local.mine(1)
            }
            yield* scene.finish
            const ends = yield* Effect.forEach([...claims, real], ({ paymentId }) =>
              scene.tagOf(paymentId),
            )
            assert.strictEqual(ends.filter((each) => each === "Succeeded").length, 1)
          }
        }),
      ),
    timeout,
  )

  const moments = [
    "before anybody saw it",
    "while it waits",
    "before its payer confirms",
    "after its payer confirmed",
    "after it paid",
  ] as const
  for (const moment of moments) {
    it.effect(`M7: stolen ${moment}, pays the payment of its payer and never the thief's`, () =>
      play((scene) =>
        Effect.gen(function* () {
          const [victim, thief] = [unused(), unused()]
          const theirs = yield* scene.offer(tokens.transfer, victim.address)
          // The thief's own payment, by the victim's account and by his own.
          const asVictim = yield* beside(scene, theirs)
          yield* scene.local.fund(tokens.transfer.address, thief.address, price)
          const asThief = yield* beside(scene, theirs, thief.address)
          const { option } = theirs
          const data = Payers.call.transfer(option.payTo, option.quantity)
          const hash = yield* scene.sendAs(victim, option.token.address, data)
          const raw = yield* scene.local.request("eth_getRawTransactionByHash", [hash])
          const statement = Payers.sign(option, victim)
          const steal = Effect.gen(function* () {
            areRefused(
              yield* Effect.forEach(
                [
                  Payers.sign(asVictim.option, thief),
                  statement,
                  Payers.sign(asThief.option, thief),
                ],
                (signature) => scene.attemptWith(asVictim, [hash, signature]),
              ),
              422,
            )
            const signature = Payers.sign(asThief.option, thief)
            return (yield* scene.attemptWith(asThief, [hash, signature])).status
          })

          if (moment === "before anybody saw it") {
            yield* scene.local.request("anvil_dropTransaction", [hash])
            // What nobody knows yet may be his: only its mining tells.
            assert.strictEqual(yield* steal, 200)
            yield* scene.local.request("eth_sendRawTransaction", [raw])
          }
          if (moment === "while it waits") assert.strictEqual(yield* steal, 422)
          yield* scene.local.mine(1)
          if (moment === "before its payer confirms") assert.strictEqual(yield* steal, 422)
          const confirmed = yield* scene.attemptWith(theirs, [hash, statement])
          assert.strictEqual(confirmed.status, 200)
          if (moment === "after its payer confirmed") assert.strictEqual(yield* steal, 422)
          yield* scene.finish
          if (moment === "after it paid") assert.strictEqual(yield* steal, 422)
          yield* scene.finish

          assert.strictEqual(yield* scene.paidBy(theirs.paymentId), hash)
          assert.strictEqual(yield* scene.tagOf(asVictim.paymentId), "RequiresAction")
          assert.strictEqual(
            yield* scene.tagOf(asThief.paymentId),
            moment === "before anybody saw it" ? "Failed" : "RequiresAction",
          )
        }),
      ),
    )
  }
})
