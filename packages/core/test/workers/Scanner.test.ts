import { assert, describe, it } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as InflowId from "@florin/core/domain/chain/InflowId"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Float from "@florin/core/engine/books/Float"
import * as Inflows from "@florin/core/engine/books/Inflows"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import { Chains } from "@florin/core/ports/Chain"
import { InflowStore } from "@florin/core/ports/InflowStore"
import { chainState } from "@florin/core/ports/LaneStore"
import { findOutflow } from "@florin/core/ports/OutflowStore"
import * as Collector from "@florin/core/workers/Collector"
import * as LateWatcher from "@florin/core/workers/LateWatcher"
import * as Scanner from "@florin/core/workers/Scanner"
import * as Sender from "@florin/core/workers/Sender"
import * as Sentinel from "@florin/core/workers/Sentinel"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import * as Stores from "@florin/testing/Stores"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { floatOf } from "../../src/ports/LedgerStore.ts"
import * as Scene from "./scene.ts"

const { failsWith, play, stranger, tokens } = Scene
const token = tokens.transfer
const { chainId } = token

const [only = assert.fail()] = collectingWallets
const oneLane = { collectingAccounts: () => [only.address] }
const own = only.address

/** Blocks pass, and the chains are scanned. */
const scan = (world: Scene.World) => Effect.andThen(world.settleAll, Scanner.drain)

const send = (world: Scene.World, quantity: bigint, from = stranger.address) =>
  world.chain.transfer(from, token, own, Fixtures.quantity(quantity))

const suspense = (world: Scene.World) =>
  Effect.map(
    Stores.balanceOf(world.ledger, "test", { _tag: "Suspense", address: own }, token),
    (balance) => -balance,
  )

const brought = Effect.fnUntraced(function* (txHash: string) {
  return yield* Inflows.broughtBy(txHash)
})

const statesOf = (txHash: string) =>
  Effect.map(brought(txHash), (all) => all.map(({ state }) => state._tag))

const height = (world: Scene.World) =>
  Effect.map(world.chain.head(chainId), (head) => head?.number ?? 0)

/** The height up to which the chain was scanned, between two looks at what is final. */
const watched = Effect.fnUntraced(function* (world: Scene.World) {
  yield* Sentinel.round
  yield* scan(world)
  yield* Sentinel.round
  return yield* height(world)
})

const soleOf = Effect.fnUntraced(function* (txHash: string) {
  const [first] = yield* brought(txHash)
  return first ?? assert.fail("nothing was found")
})

describe("money that no payment claims", () => {
  it.effect(
    "S17: finds a transfer that nobody reported, books it once, and returns it once",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* scan(world)
          const before = yield* world.chain.balanceOf(token, stranger.address)
          const txHash = yield* send(world, 7_000_000n)
          yield* Scanner.drain
          assert.deepStrictEqual(yield* statesOf(txHash), [], "it is not final")
          yield* scan(world)
          yield* scan(world)
          assert.strictEqual(yield* suspense(world), 7_000_000n)
          yield* world.auditBooks
          const [listed] = yield* Inflows.list("test")
          assert.deepStrictEqual(
            listed?.transfers.map(({ transfer }) => transfer.txHash),
            [txHash],
          )
          const { id } = yield* soleOf(txHash)
          const outflowId = yield* Inflows.giveBack(id)
          yield* failsWith("Conflict", Inflows.giveBack(id))
          yield* world.finish
          const { state } = yield* findOutflow(world.outflows, outflowId)
          assert.strictEqual(state._tag, "Paid")
          assert.strictEqual(yield* suspense(world), 0n)
          assert.strictEqual(yield* world.chain.balanceOf(token, stranger.address), before)
          assert.deepStrictEqual(yield* Inflows.list("test"), [])
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "S17: pays no payment with 9.99 for 10, or with the right amount from an account that signed nothing",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* scan(world)
          const { chosen, id, option, outputs } = yield* world.sign(token)
          for (const quantity of [option.quantity, option.quantity - 10_000n]) {
            yield* send(world, quantity, stranger.address)
          }
          yield* scan(world)
          yield* Collector.drain
          assert.strictEqual(yield* world.statusOf(id), "requires_action")
          yield* world.confirm(chosen, outputs)
          yield* world.finish
          assert.strictEqual(yield* world.statusOf(id), "succeeded")
          assert.strictEqual(yield* suspense(world), 2n * option.quantity - 10_000n)
          yield* world.auditBooks
        }),
      oneLane,
    ),
  )

  it.effect(
    "S17: pays a payment with the transfer that its payer's statement names, even if it was booked before",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* scan(world)
          const signed = yield* world.sign(token)
          const [txHash = ""] = signed.outputs
          // The payer's wallet sent it, and did not say so for a while.
          yield* scan(world)
          assert.deepStrictEqual(yield* statesOf(txHash), ["Suspended"])
          yield* world.confirm(signed.chosen, signed.outputs)
          yield* world.finish
          assert.strictEqual(yield* world.statusOf(signed.id), "succeeded")
          assert.deepStrictEqual(yield* statesOf(txHash), ["Taken"])
          assert.strictEqual(yield* suspense(world), 0n)
          const { id } = yield* soleOf(txHash)
          yield* failsWith("Conflict", Inflows.giveBack(id))
          yield* scan(world)
          yield* world.audit
          // From now on the payment rests on it: a reorganisation is the payment's matter.
          const resting = yield* world.payments.resting("test", chainId, {
            fromBlock: 0,
            after: null,
            limit: 10,
          })
          assert.isTrue(resting.some((each) => each.id === signed.id))
          assert.isFalse(resting.some((each) => each.id === id))
        }),
      oneLane,
    ),
  )

  it.effect(
    "S36: does not report a transfer of our own collection as unclaimed while the collector is slow",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* scan(world)
          const { chosen, id, option, outputs } = yield* world.sign(tokens.eip3009)
          yield* world.confirm(chosen, outputs)
          yield* Collector.drain
          const reported: Array<string> = []
          const logger = Logger.make(({ logLevel, message }) => {
            if (logLevel === "Warn") reported.push(String(message))
          })
          yield* Effect.provide(scan(world), Logger.layer([logger]))
          assert.deepStrictEqual(reported, [])
          // Its money is booked nevertheless: nothing is lost if the collector never comes.
          const { token: paid } = option
          const booked = Stores.balanceOf(
            world.ledger,
            "test",
            { _tag: "Suspense", address: own },
            paid,
          )
          assert.strictEqual(yield* booked, -option.quantity)
          yield* world.finish
          assert.strictEqual(yield* world.statusOf(id), "succeeded")
          assert.strictEqual(yield* booked, 0n)
          yield* world.audit
          // Money that nobody waits for is reported as before.
          yield* send(world, 7_000_000n)
          yield* Effect.provide(scan(world), Logger.layer([logger]))
          assert.strictEqual(reported.length, 1)
        }),
      oneLane,
    ),
  )

  it.effect(
    "S17: assigns a late transfer to its payment even if it was booked before the report",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* scan(world)
          const signed = yield* world.sign(token)
          const [txHash = ""] = signed.outputs
          yield* TestClock.adjust(`${Limits.paymentLifeDefaultInS} seconds`)
          yield* scan(world)
          assert.deepStrictEqual(yield* statesOf(txHash), ["Suspended"])
          yield* failsWith("StateRefused", world.confirm(signed.chosen, signed.outputs))
          yield* LateWatcher.drain
          assert.deepStrictEqual(yield* world.lateOf(signed.id), ["Suspended"])
          assert.strictEqual(yield* suspense(world), signed.option.quantity)
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "S17: pays nothing with a transfer that was returned",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* scan(world)
          const signed = yield* world.sign(token)
          const [txHash = ""] = signed.outputs
          yield* scan(world)
          yield* Inflows.giveBack((yield* soleOf(txHash)).id)
          yield* failsWith("AttemptRefused", world.confirm(signed.chosen, signed.outputs))
          yield* world.finish
          assert.strictEqual(yield* world.statusOf(signed.id), "requires_action")
          assert.strictEqual(yield* suspense(world), 0n)
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "S17: books dust to the last unit, and reports it as a sum",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* scan(world)
          for (let index = 1; index <= 30; index++) yield* send(world, BigInt(index))
          yield* send(world, 1_000_000n)
          yield* scan(world)
          const [listed] = yield* Inflows.list("test")
          assert.strictEqual(listed?.transfers.length, 1)
          assert.deepStrictEqual(listed?.others, { count: 30, quantity: 465n })
          assert.strictEqual(yield* suspense(world), 1_000_465n)
          yield* world.auditBooks
        }),
      oneLane,
    ),
  )

  it.effect(
    "takes a transfer that arrives while it is listed from no sum",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* scan(world)
          yield* send(world, 5n)
          yield* scan(world)
          const inflows = yield* InflowStore
          const before = yield* inflows.sums("test")
          for (const quantity of [1_000_000n, 2_000_000n]) yield* send(world, quantity)
          yield* scan(world)
          const listing = Effect.provideService(Inflows.list("test"), InflowStore, {
            ...inflows,
            sums: () => Effect.succeed(before),
          })
          const [listed] = yield* listing
          assert.strictEqual(listed?.transfers.length, 2)
          assert.deepStrictEqual(listed?.others, { count: 0, quantity: 0n })
        }),
      oneLane,
    ),
  )

  it.effect(
    "ignores transfers between our accounts, and transfers that pay a payment",
    play((world) =>
      Effect.gen(function* () {
        yield* scan(world)
        const { id } = yield* world.pay(token)
        yield* world.finish
        assert.strictEqual(yield* world.statusOf(id), "succeeded")
        yield* scan(world)
        assert.deepStrictEqual(yield* Inflows.list("test"), [])
      }),
    ),
  )

  for (const first of ["the scan", "the operator"] as const) {
    it.effect(
      `books the operator's own transfer as float once, whether ${first} is first`,
      play(
        (world) =>
          Effect.gen(function* () {
            yield* scan(world)
            const txHash = yield* send(world, 5_000_000n)
            const key = Fixtures.key(txHash)
            const quantity = Fixtures.quantity(5_000_000n)
            const put = Float.put("test", { key, token, collecting: own, quantity })
            if (first === "the scan") yield* scan(world)
            yield* put
            yield* put
            yield* scan(world)
            yield* put
            assert.deepStrictEqual(yield* statesOf(txHash), ["Funded"])
            assert.strictEqual(yield* suspense(world), 0n)
            assert.strictEqual(
              yield* floatOf(world.ledger, "test", { collecting: own, token }),
              5_000_000n,
            )
            yield* world.auditBooks
          }),
        oneLane,
      ),
    )
  }

  it.effect(
    "continues an interrupted scan, and counts no transfer twice",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* scan(world)
          const hashes = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => send(world, 2_000_000n))
          yield* world.settleAll
          yield* world.chain.disturb({ perMille: 400, seed: 17 })
          for (let round = 0; round < 40; round++) yield* Effect.ignore(Scanner.drain)
          yield* world.chain.heal
          yield* Effect.all([Scanner.drain, Scanner.drain, Scanner.drain], { concurrency: 3 })
          const found = yield* Effect.forEach(hashes, statesOf)
          assert.deepStrictEqual(
            found,
            hashes.map(() => ["Suspended"]),
          )
          assert.strictEqual(yield* suspense(world), 12_000_000n)
        }),
      oneLane,
    ),
  )

  it.effect(
    "S17: does not book a transfer that only one source reports, stops the scan there, and reports it",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* scan(world)
          const txHash = yield* send(world, 3_000_000n)
          yield* world.settleAll
          const chains = yield* Chains
          const of = (mode: "live" | "test") => {
            const chain = chains.of(mode)
            return {
              ...chain,
              arrivals: (id: Caip.ChainId, range: { fromBlock: number; toBlock: number }) =>
                Effect.map(chain.arrivals(id, range), (logs) =>
                  (logs ?? []).flatMap((log) => [
                    { ...log, txHash: Fixtures.hash("made up"), logIndex: 9 },
                    log,
                  ]),
                ),
            }
          }
          const failure = yield* failsWith(
            "ChainUnavailable",
            Scanner.drain.pipe(Effect.provideService(Chains, { of })),
          )
          assert.include(failure.message, "that others do not")
          // What is there was booked all the same.
          assert.deepStrictEqual(yield* statesOf(txHash), ["Suspended"])
          assert.strictEqual(yield* suspense(world), 3_000_000n)
          yield* scan(world)
          assert.strictEqual(yield* suspense(world), 3_000_000n)
        }),
      oneLane,
    ),
  )

  it.effect(
    "after a deep reorganisation keeps transfers that were mined again, and removes the others",
    play(
      (world) =>
        Effect.gen(function* () {
          const since = yield* watched(world)
          const [stays, goes] = [yield* send(world, 3_000_000n), yield* send(world, 4_000_000n)]
          yield* scan(world)
          yield* Sentinel.round
          const depth = (yield* height(world)) - since
          yield* world.chain.reorg(chainId, depth, { drop: [goes] })
          for (let round = 0; round < 4; round++) {
            yield* scan(world)
            yield* Sentinel.round
            yield* TestClock.adjust("5 seconds")
          }
          const { id, missedSince } = yield* soleOf(goes)
          assert.isDefined(missedSince)
          yield* failsWith("Conflict", Inflows.giveBack(id))
          assert.isUndefined((yield* soleOf(stays)).missedSince)
          yield* TestClock.adjust(`${Limits.goneAwaitedInMs} millis`)
          yield* scan(world)
          assert.deepStrictEqual(
            [yield* statesOf(stays), yield* statesOf(goes)],
            [["Suspended"], ["Gone"]],
          )
          assert.strictEqual(yield* suspense(world), 3_000_000n)
          assert.isTrue((yield* Lanes.listHalted("test")).some((each) => each.chainId === chainId))
          yield* world.auditBooks
        }),
      oneLane,
    ),
  )

  it.effect(
    "records the block where a payment found its transfer, even if the scan saw another block",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* scan(world)
          const since = yield* height(world)
          const signed = yield* world.sign(token)
          const [txHash = ""] = signed.outputs
          yield* scan(world)
          const before = (yield* soleOf(txHash)).transfer.blockHash
          // Nobody looked at the chain's blocks in between.
          const depth = (yield* height(world)) - since
          yield* world.chain.reorg(chainId, depth, {})
          yield* world.confirm(signed.chosen, signed.outputs)
          yield* world.finish
          const { state } = yield* world.get(signed.id)
          const found = state._tag === "Succeeded" ? state.transfer.blockHash : assert.fail()
          assert.notStrictEqual(found, before)
          assert.strictEqual((yield* soleOf(txHash)).transfer.blockHash, found)
          const resting = yield* world.payments.resting("test", chainId, {
            fromBlock: 0,
            after: null,
            limit: 10,
          })
          const checkpoints = resting
            .filter(({ id }) => id === signed.id)
            .map(({ checkpoint }) => checkpoint.hash)
          assert.deepStrictEqual(checkpoints, [found])
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "keeps booked float that a reorganisation removed after it was spent, and continues the scan",
    play(
      (world) =>
        Effect.gen(function* () {
          const since = yield* watched(world)
          const txHash = yield* send(world, 5_000_000n)
          yield* scan(world)
          yield* Sentinel.round
          const quantity = Fixtures.quantity(5_000_000n)
          const moved = { token, collecting: own, quantity }
          yield* Float.put("test", { ...moved, key: Fixtures.key(txHash) })
          yield* Float.take("test", { ...moved, key: Fixtures.key("spent") })
          const depth = (yield* height(world)) - since
          yield* world.chain.reorg(chainId, depth, { drop: [txHash] })
          for (let round = 0; round < 4; round++) {
            yield* scan(world)
            yield* Sentinel.round
            yield* TestClock.adjust("5 seconds")
          }
          yield* TestClock.adjust(`${Limits.goneAwaitedInMs} millis`)
          const other = yield* send(world, 2_000_000n)
          yield* scan(world)
          assert.deepStrictEqual(
            [yield* statesOf(txHash), yield* statesOf(other)],
            [["Funded"], ["Suspended"]],
          )
          yield* Float.put("test", { ...moved, key: Fixtures.key("put again") })
          yield* scan(world)
          assert.deepStrictEqual(yield* statesOf(txHash), ["Gone"])
          assert.strictEqual(yield* floatOf(world.ledger, "test", { collecting: own, token }), 0n)
        }),
      oneLane,
    ),
  )

  it.effect(
    "starts the scan of a new chain at its current block",
    play(
      (world) =>
        Effect.gen(function* () {
          const earlier = yield* send(world, 1_000_000n)
          yield* world.settleAll
          const upTo = yield* height(world)
          yield* Scanner.scan("live", chainId, upTo)
          assert.deepStrictEqual(yield* statesOf(earlier), [])
          const { scannedTo } = yield* chainState("live", chainId)
          assert.strictEqual(scannedTo, upTo)
          const later = yield* send(world, 1_000_000n)
          yield* scan(world)
          assert.deepStrictEqual(yield* statesOf(later), ["Suspended"])
          const { id, transfer } = yield* soleOf(later)
          assert.strictEqual(InflowId.of(transfer), id)
          assert.isTrue(Payment.isOpen(yield* world.get((yield* world.sign(token)).id)))
          yield* Sender.drain
        }),
      oneLane,
    ),
  )
})
