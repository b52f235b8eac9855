import { assert, layer } from "@effect/vitest"
import * as Sentinel from "@florin/core/workers/Sentinel"
import * as Counts from "@florin/testing/Counts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ByHand from "../test-support/byHand.ts"
import * as Seed from "../test-support/seed.ts"
import * as Service from "../test-support/service.ts"
import * as Shop from "../test-support/shop.ts"

const count = Counts.of({ usual: 15, full: 528 })
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })

class World extends Context.Service<World, Shop.Shop>()("@florin/evm/test/reorgs/World") {
  static readonly layer = Layer.effect(World, Shop.make())
}

/** What the payer does on the new branch. */
const conflicts = ["nothing", "spend", "revoke"] as const

/** One round before each step, at it, and after it: signed, mined, final, the settlement signed, mined, final. */
const rounds = Array.from({ length: 11 }, (_, index) => index)
const depths = Array.from({ length: Shop.finality }, (_, index) => index + 1)

const cases = Shop.flows.flatMap((flow) =>
  conflicts
    // A transfer that the wallet sent itself has no authorization.
    .filter((conflict) => flow !== "transfer" || conflict !== "revoke")
    .flatMap((conflict) =>
      (["forgotten", "waiting"] as const).flatMap((orphans) =>
        depths.flatMap((depth) =>
          rounds.map((after) => ({ flow, conflict, orphans, depth, after })),
        ),
      ),
    ),
)
type Case = (typeof cases)[number]

const run = Effect.fnUntraced(function* ({ after, conflict, depth, flow, orphans }: Case) {
  const shop = yield* World
  const hand = ByHand.make(shop.florin)
  const made = yield* shop.confirmed(flow)
  for (let round = 0; round < after; round++) {
    yield* hand.round
    yield* shop.local.mine(1)
  }
  yield* hand.round
  yield* shop.local.reorg(depth, orphans)
  yield* shop.believed([made])
  if (conflict !== "nothing") yield* shop[conflict](made)
  yield* shop.finish(hand, [made])
  yield* shop.agreed([made])
  const { state } = yield* shop.stored(made.id)
  // What a wallet sent itself, its approval too, nobody else can send again.
  if (conflict === "nothing" && (flow === "eip3009" || orphans === "waiting")) {
    assert.strictEqual(state._tag, "Succeeded")
  }
  return state._tag
})

layer(World.layer, { excludeTestServices: true, timeout })(
  "a reorganisation within the finality policy",
  (it) => {
    it.effect(
      `never contradicts the chain about a payment: ${count} of ${cases.length} ways`,
      () =>
        Effect.gen(function* () {
          const ends = new Set<string>()
          for (const each of Seed.shuffled(cases, Seed.ofRun).slice(0, count)) {
            ends.add(
              yield* run(each).pipe(
                Effect.tapCause(() => Effect.logError("this way failed", each)),
              ),
            )
          }
          // The few of a usual run need not have both ends.
          assert.includeMembers(["Succeeded", "Failed"], [...ends])
          if (count === cases.length) assert.strictEqual(ends.size, 2)
        }),
      timeout,
    )

    it.effect("halts nothing", () =>
      Effect.gen(function* () {
        const { florin, halted } = yield* World
        yield* Effect.promise(() => florin.run(Sentinel.round))
        assert.deepStrictEqual(yield* halted, [])
      }),
    )

    it.effect("leaves no gap in the nonces", () =>
      Effect.gen(function* () {
        const shop = yield* World
        const hand = ByHand.make(shop.florin)
        const unused = new Set(Service.collecting.map(({ address }) => address))
        while (unused.size > 0) {
          const made = yield* shop.confirmed("eip3009")
          yield* shop.finish(hand, [made])
          unused.delete(shop.payTo(made.id))
        }
        yield* shop.contiguous
      }),
    )
  },
)

/** Deep enough to take a payment and its settlement, each with all its confirmations. */
const tooDeep = 3 * Shop.finality

layer(World.layer, { excludeTestServices: true, timeout })(
  "a reorganisation deeper than the finality policy",
  (it) => {
    for (const flow of ["eip3009", "permit2"] as const) {
      it.effect(
        `halts the chain, and is booked as a loss if the payer took the money back (${flow})`,
        () =>
          Effect.gen(function* () {
            const shop = yield* World
            const { balanced, confirmed, finish, florin, halted, local, revoke, stored } = shop
            const hand = ByHand.make(florin)
            const watch = Effect.promise(() => florin.run(Sentinel.round))
            const paid = yield* confirmed(flow)
            yield* finish(hand, [paid])
            yield* watch

            yield* local.reorg(tooDeep, "forgotten")
            yield* revoke(paid)
            yield* local.mine(1)
            const next = yield* confirmed(flow)
            yield* watch
            assert.deepStrictEqual(
              (yield* halted).map(({ chainId }) => chainId),
              [Shop.chainId],
            )

            for (let round = 0; round < 5 * Shop.finality; round++) {
              yield* hand.round
              yield* local.mine(1)
            }
            const { state: waiting } = yield* stored(next.id)
            assert.strictEqual(waiting._tag, "Processing")
            assert.isTrue(waiting._tag === "Processing" && waiting.slot === null)
            const { state: lost } = yield* stored(paid.id)
            assert.isTrue(
              lost._tag === "Succeeded" && lost.lost !== undefined,
              "the loss is booked",
            )
            assert.strictEqual(yield* shop.statusOf(paid.id), "succeeded")
            yield* balanced

            yield* Effect.promise(() =>
              florin.operator.chains.resume({ chainId: Shop.chainId, mode: "live" }),
            )
            yield* finish(hand, [next])
            assert.strictEqual(yield* shop.statusOf(next.id), "succeeded")
            yield* balanced
          }),
      )
    }

    it.effect("books nothing if the transfers are mined again", () =>
      Effect.gen(function* () {
        const shop = yield* World
        const { confirmed, finish, florin, halted, local, stored } = shop
        const hand = ByHand.make(florin)
        const watch = Effect.promise(() => florin.run(Sentinel.round))
        const paid = yield* confirmed("eip3009")
        yield* finish(hand, [paid])
        yield* watch
        const first = (yield* stored(paid.id)).state
        yield* local.reorg(tooDeep, "waiting")
        yield* local.mine(1)
        yield* watch
        assert.strictEqual((yield* halted).length, 1)
        for (let round = 0; round < 5 * Shop.finality; round++) {
          yield* hand.round
          yield* local.mine(1)
        }
        yield* Effect.promise(() =>
          florin.operator.chains.resume({ chainId: Shop.chainId, mode: "live" }),
        )
        const { state } = yield* stored(paid.id)
        assert.isTrue(state._tag === "Succeeded" && state.lost === undefined)
        assert.notDeepEqual(state, first, "its transfers are in other blocks")
        yield* shop.believed([paid])
        yield* shop.balanced
      }),
    )
  },
)
