import { assert, describe, it } from "@effect/vitest"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Float from "@florin/core/engine/books/Float"
import * as Reconciler from "@florin/core/engine/books/Reconciler"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import * as Stores from "@florin/testing/Stores"
import { Effect } from "effect"
import { floatOf } from "../../src/ports/LedgerStore.ts"
import * as Scene from "../workers/scene.ts"

const { failsWith, play, tokens, treasury } = Scene

const token = tokens.eip3009
const [{ address: collecting } = assert.fail(), { address: elsewhere } = assert.fail()] =
  collectingWallets

const moved = (key: string, quantity: bigint, overrides: Partial<Float.Moved> = {}) => ({
  key: Fixtures.key(key),
  token,
  collecting,
  quantity: Fixtures.quantity(quantity),
  ...overrides,
})

const heldBy = (world: Scene.World, address = collecting) =>
  Stores.balanceOf(
    world.ledger,
    "test",
    { _tag: "Collecting", chainId: token.chainId, address },
    token,
  )

/** What the operator put in and did not take out. */
const givenBy = (world: Scene.World) =>
  Effect.map(
    Stores.balanceOf(world.ledger, "test", { _tag: "Operator" }, token),
    (balance) => -balance,
  )

describe("Float.put and Float.take", () => {
  it.effect(
    "books a transfer that the operator made on chain, so that ledger and chain agree again",
    play((world) =>
      Effect.gen(function* () {
        const { chain, ledger } = world
        yield* chain.mint(token, collecting, 500n)
        yield* Float.put("test", moved("put", 500n))
        yield* world.auditBooks
        assert.strictEqual(yield* heldBy(world), 500n)
        assert.strictEqual(yield* givenBy(world), 500n)
        assert.strictEqual(yield* floatOf(ledger, "test", { collecting, token }), 500n)

        yield* chain.transfer(collecting, token, treasury.address, Fixtures.quantity(200n))
        yield* world.settleAll
        const [difference] = (yield* Reconciler.check("test")).differences
        assert.deepInclude(difference, { token, ledger: 500n, chain: 300n })
        yield* Float.take("test", moved("take", 200n))
        yield* world.auditBooks
        assert.strictEqual(yield* heldBy(world), 300n)
        assert.strictEqual(yield* givenBy(world), 300n)
      }),
    ),
  )

  it.effect(
    "books a key once, and refuses it for another movement",
    play((world) =>
      Effect.gen(function* () {
        for (const _ of [1, 2]) yield* Float.put("test", moved("once", 500n))
        for (const _ of [1, 2]) yield* Float.take("test", moved("again", 100n))
        assert.strictEqual(yield* heldBy(world), 400n)
        const others = [
          Float.put("test", moved("once", 501n)),
          Float.put("test", moved("once", 500n, { collecting: elsewhere })),
          Float.put("test", moved("once", 500n, { token: tokens.permit2 })),
          Float.put("live", moved("once", 500n)),
          Float.take("test", moved("once", 500n)),
          Float.put("test", moved("again", 100n)),
        ]
        for (const other of others) yield* failsWith("IdempotencyConflict", other)
        assert.strictEqual(yield* heldBy(world), 400n)
        assert.strictEqual(yield* heldBy(world, elsewhere), 0n)
      }),
    ),
  )

  it.effect(
    "books each account separately, and keeps test and live mode apart",
    play((world) =>
      Effect.gen(function* () {
        const { ledger } = world
        yield* Float.put("test", moved("first", 5n))
        yield* Float.put("test", moved("second", 7n, { collecting: elsewhere }))
        yield* Float.put("live", moved("third", 11n))
        assert.strictEqual(yield* heldBy(world), 5n)
        assert.strictEqual(yield* heldBy(world, elsewhere), 7n)
        assert.strictEqual(yield* floatOf(ledger, "test", { collecting, token }), 5n)
        assert.strictEqual(yield* floatOf(ledger, "live", { collecting, token }), 11n)
        assert.strictEqual(
          yield* floatOf(ledger, "test", { collecting, token: tokens.permit2 }),
          0n,
        )
        yield* Float.take("live", moved("fourth", 11n))
        assert.strictEqual(yield* floatOf(ledger, "live", { collecting, token }), 0n)
        assert.strictEqual(yield* floatOf(ledger, "test", { collecting, token }), 5n)
      }),
    ),
  )

  it.effect(
    "refuses to take money that is owed or not there, and then leaves its key unused",
    play((world) =>
      Effect.gen(function* () {
        const { id, option } = yield* world.pay(token)
        yield* world.live(
          Scene.work,
          Effect.map(Effect.orDie(world.get(id)), ({ state }) => state._tag === "Succeeded"),
        )
        const { charge } = yield* world.succeeded(id)
        // The share is on its way out: of what the account holds, the fee alone is the operator's.
        const own = { collecting: option.payTo }
        const before = yield* world.ledger.balances("test", null)
        yield* failsWith("Overdrawn", Float.take("test", moved("fee", charge.total + 1n, own)))
        assert.deepStrictEqual(yield* world.ledger.balances("test", null), before)
        yield* Float.take("test", moved("fee", charge.total, own))
        yield* failsWith("Overdrawn", Float.take("test", moved("more", 1n, own)))
        yield* world.chain.transfer(option.payTo, token, treasury.address, charge.total)
        yield* world.finish
        assert.strictEqual((yield* world.succeeded(id)).share.status, "paid")
        yield* world.auditBooks
      }),
    ),
  )

  it.effect(
    "sends a refund that waited for money once it is there",
    play((world) =>
      Effect.gen(function* () {
        const { id, option } = yield* world.pay(token)
        yield* world.finish
        yield* world.refund(id)
        const refundOf = Effect.map(world.get(id), (payment) => Payment.refundOf(payment)?.state)
        for (let round = 0; round < 3; round++) {
          yield* Scene.work
          yield* world.toNextWork
        }
        assert.deepStrictEqual(yield* refundOf, { _tag: "Pending", waitsForFloat: true })
        const { charge } = yield* world.succeeded(id)
        const missing = option.quantity - charge.total
        yield* world.chain.mint(token, option.payTo, missing)
        yield* Float.put("test", moved("float", missing, { collecting: option.payTo }))
        yield* world.finish
        assert.strictEqual((yield* refundOf)?._tag, "Succeeded")
        assert.strictEqual(
          yield* world.transfers({
            ...Payment.movement((yield* world.succeeded(id)).attempt),
            from: option.payTo,
            to: option.account.address,
          }),
          1,
        )
        yield* world.audit
      }),
    ),
  )
})
