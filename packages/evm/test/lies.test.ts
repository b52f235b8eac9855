import { assert, layer } from "@effect/vitest"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Money from "@florin/core/domain/ground/Money"
import * as Inflows from "@florin/core/engine/books/Inflows"
import * as Scanner from "@florin/core/workers/Scanner"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { toHex } from "viem/utils"
import type * as Evm from "../src/Evm.ts"
import * as Logs from "../src/read/Logs.ts"
import * as Queries from "../src/read/Queries.ts"
import * as ByHand from "../test-support/byHand.ts"
import * as Lies from "../test-support/lies.ts"
import * as Payers from "../test-support/payers.ts"
import * as Shop from "../test-support/shop.ts"

/** A shop whose first node may lie; a second one, where there is one, is honest. */
const make = Effect.fnUntraced(function* (
  evm: (urls: ReadonlyArray<Redacted.Redacted>) => Partial<Evm.Options> = () => ({}),
) {
  const urls: Array<Redacted.Redacted> = []
  let tell: Lies.Liar["tell"] = () => undefined
  const shop = yield* Shop.make({
    finality: Shop.finality,
    urlOf: (local) =>
      Effect.map(Lies.make(local), (liar) => {
        tell = liar.tell
        urls.push(Redacted.make(liar.url), Redacted.make(local.rpcUrl))
        return liar.url
      }),
    evm: () => evm(urls),
  })
  return { ...shop, tell }
})
type World = Effect.Success<ReturnType<typeof make>>

class Single extends Context.Service<Single, World>()("@florin/evm/test/lies/Single") {
  static readonly layer = Layer.effect(Single, make())
}
class Pair extends Context.Service<Pair, World>()("@florin/evm/test/lies/Pair") {
  static readonly layer = Layer.effect(
    Pair,
    make((rpcUrls) => ({ rpcUrls })),
  )
}

const timeout = 240_000
const manyRounds = 30

/** What collects a payment, as it is stored. */
const relayedOf = Effect.fnUntraced(function* (world: World, { id }: Shop.Order) {
  const { state } = yield* world.stored(id)
  const slot = state._tag === "Processing" ? state.slot : null
  assert.isNotNull(slot)
  return yield* world.transactionAt(slot)
})

/** A chain that goes on from a block as nobody else knows it, with a transfer in its first block that never was. */
const forgery = (from: Queries.Block, hash: string, movement: Transfer.Movement): Lies.Lie => {
  const first = from.number + 1
  const newest = from.number + 10
  const hashOf = (number: number) => toHex(number, { size: 32 })
  const place = { blockNumber: toHex(first), blockHash: hashOf(first) }
  const log = {
    ...place,
    address: movement.token.address,
    topics: Logs.transferTopics(movement),
    data: toHex(movement.quantity, { size: 32 }),
    logIndex: "0x0",
    transactionHash: hash,
  }
  const receipt = {
    ...place,
    transactionHash: hash,
    status: "0x1",
    from: movement.to,
    logs: [log],
  }
  return ({ method, params: [of] }) => {
    if (method === "eth_getTransactionReceipt" && of === hash) return { result: receipt }
    if (method !== "eth_getBlockByNumber") return undefined
    const number = of === "latest" ? newest : Number(of)
    if (!(number > from.number && number <= newest)) return undefined
    const { timestamp, baseFeePerGas = 0n } = from
    return {
      result: {
        number: toHex(number),
        hash: hashOf(number),
        timestamp: toHex(timestamp + number - from.number),
        baseFeePerGas: toHex(baseFeePerGas),
      },
    }
  }
}

layer(Pair.layer, { excludeTestServices: true, timeout })("a node that forges receipts", (it) => {
  it.effect("C2: is not believed if a second node must agree", () =>
    Effect.gen(function* () {
      const world = yield* Pair
      const { confirmed, local, stored, tell } = world
      const hand = ByHand.make(world.florin)
      const made = yield* confirmed("eip3009")
      yield* hand.round
      const { hash } = yield* relayedOf(world, made)
      const newest = yield* world.ask(Queries.block("latest"))
      assert.isNotNull(newest)
      tell(
        forgery(newest, hash, {
          token: made.token,
          from: made.payer.address,
          to: world.payTo(made.id),
          quantity: Payers.price,
        }),
      )
      for (let round = 0; round < manyRounds; round++) {
        yield* hand.round
        assert.strictEqual((yield* stored(made.id)).state._tag, "Processing")
      }
      tell(null)
      yield* local.mine(1)
      yield* world.finish(hand, [made])
      assert.strictEqual(yield* world.statusOf(made.id), "succeeded")
      yield* world.agreed([made])
    }),
  )
})

/** Scans the chain for money that no payment claims; returns what a transaction brought. */
const scanFor = (world: World, hash: string) =>
  Effect.promise(() =>
    world.florin.run(Effect.andThen(Effect.result(Scanner.drain), Inflows.broughtBy(hash))),
  )

layer(Pair.layer, { excludeTestServices: true, timeout })(
  "a node that lies about transfers to the service's accounts",
  (it) => {
    it.effect("S17: can neither hide a transfer that a second node shows, nor invent one", () =>
      Effect.gen(function* () {
        const world = yield* Pair
        const { local, order, payTo, sendAs, tell } = world
        const { id, payer, token } = yield* order("eip3009")
        const ours = payTo(id)
        const none = toHex(1, { size: 32 })
        yield* local.mine(Shop.finality + 1)
        yield* scanFor(world, none)
        const send = (quantity: bigint) =>
          sendAs(payer, token.address, Payers.call.transfer(ours, Money.Quantity.make(quantity)))

        const hidden = yield* send(3n)
        yield* local.mine(Shop.finality + 1)
        tell(({ method }) => (method === "eth_getLogs" ? { result: [] } : undefined))
        const [found, ...others] = yield* scanFor(world, hidden)
        assert.deepStrictEqual(others, [])
        assert.deepStrictEqual(found?.transfer.movement, {
          token,
          from: payer.address,
          to: ours,
          quantity: 3n,
        })

        const beside = yield* send(4n)
        yield* local.mine(Shop.finality + 1)
        const forged = toHex(99, { size: 32 })
        const truth = yield* world.ask(Queries.receipt(beside))
        if (truth === null) return assert.fail("it was not mined")
        const receipt = {
          transactionHash: forged,
          blockNumber: toHex(truth.blockNumber),
          blockHash: truth.blockHash,
          status: "0x1",
          from: truth.from,
          logs: truth.logs.map(({ address, data, logIndex, topics }) => ({
            address,
            data,
            topics,
            transactionHash: forged,
            blockNumber: toHex(truth.blockNumber),
            blockHash: truth.blockHash,
            logIndex: toHex(logIndex),
          })),
        }
        const forge = (log: object) => ({ ...log, transactionHash: forged })
        tell(({ method, params: [of] }, logs) => {
          if (method === "eth_getLogs" && Array.isArray(logs)) {
            return { result: [...logs, ...logs.map(forge)] }
          }
          return method === "eth_getTransactionReceipt" && of === forged
            ? { result: receipt }
            : undefined
        })
        assert.deepStrictEqual(yield* scanFor(world, forged), [])
        assert.strictEqual((yield* scanFor(world, beside)).length, 1)
        tell(null)
        assert.deepStrictEqual(yield* scanFor(world, forged), [])
        assert.strictEqual((yield* scanFor(world, beside)).length, 1)
      }),
    )
  },
)

layer(Single.layer, { excludeTestServices: true, timeout })(
  "a chain whose clock is wrong",
  (it) => {
    for (const [name, skewInS] of [
      ["ahead of ours", 90],
      ["behind ours", -90],
    ] as const) {
      it.effect(`still processes payments while it is ${name}`, () =>
        Effect.gen(function* () {
          const world = yield* Single
          const hand = ByHand.make(world.florin)
          const made = [yield* world.order("eip3009"), yield* world.order("permit2")]
          const nowInS = yield* world.local.nowInS
          yield* world.local.request("evm_setTime", [nowInS + skewInS])
          yield* world.local.mine(1)
          for (const each of made) yield* world.confirm(each)
          yield* world.finish(hand, made)
          for (const { id } of made) assert.strictEqual(yield* world.statusOf(id), "succeeded")
          yield* world.agreed(made)
        }),
      )
    }
  },
)
