import { assert, describe, it } from "@effect/vitest"
import * as Audit from "@florin/core/domain/books/Audit"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Limits from "@florin/core/domain/ground/Limits"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Gateway from "@florin/core/engine/payment/Gateway"
import type * as Offers from "@florin/core/engine/payment/Offers"
import * as Writes from "@florin/core/engine/record/Writes"
import { Chains } from "@florin/core/ports/Chain"
import { InflowStore } from "@florin/core/ports/InflowStore"
import { chainState, LaneStore } from "@florin/core/ports/LaneStore"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import * as Auditor from "@florin/core/workers/Auditor"
import * as Collector from "@florin/core/workers/Collector"
import * as LateWatcher from "@florin/core/workers/LateWatcher"
import * as Scanner from "@florin/core/workers/Scanner"
import * as Sentinel from "@florin/core/workers/Sentinel"
import * as Counts from "@florin/testing/Counts"
import * as Eip155Kit from "@florin/testing/Eip155Kit"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Transaction from "@florin/testing/simulated/Transaction"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import * as Stores from "@florin/testing/Stores"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { drawing, failsWith, movementOf, payer, play, shuffling, tokens } = Scene
const token = tokens.transfer
const chainId = 10

const [only = assert.fail()] = collectingWallets
const oneLane = { collectingAccounts: () => [only.address] }

const price = 10_000_000n
const dollars = (cents: string) => ({ amount: { unit: "iso4217/USD", value: cents } })

interface Asked {
  readonly id: PaymentId.PaymentId
  readonly chosen: Offers.Offered
  readonly option: PaymentOption.PaymentOption
}

/** A payment, and the option to pay it with the wallet's own transfer. */
const ask = Effect.fnUntraced(function* (
  world: Scene.World,
  cents = "1000",
  wallet: Wallet.Wallet = payer,
) {
  const { id } = yield* world.create({ ...dollars(cents), expiresAt: Scene.now / 1000 + 3600 })
  const chosen = yield* world.choose(id, token, wallet)
  const asked: Asked = { id, chosen, option: chosen.option }
  return asked
})

const asks = (world: Scene.World, count: number) =>
  Effect.forEach(Array.from({ length: count }), () => ask(world))

/** The payer's statement for an option, by which a transaction pays it. */
const statement = (option: PaymentOption.PaymentOption, wallet: Wallet.Wallet = payer): string => {
  const asset = BuiltIn.catalog.find(option.token)
  assert.isDefined(asset)
  return Eip155Kit.kit.signature(wallet, { asset, option })
}

const confirm = (world: Scene.World, { chosen, option }: Asked, txHash: string, wallet = payer) =>
  world.confirm(chosen, [txHash, statement(option, wallet)])

/** What a contract of the payer's moves to us in one transaction. */
const batch = (world: Scene.World, quantities: ReadonlyArray<bigint>) =>
  Effect.orDie(
    world.chain.batch(payer.address, token, only.address, quantities.map(Fixtures.quantity)),
  )

/** Reports a transfer for a payment that takes no more. */
const report = (world: Scene.World, asked: Asked, txHash: string, wallet = payer) =>
  failsWith("StateRefused", confirm(world, asked, txHash, wallet))

const cancel = (world: Scene.World, { id }: Asked) => Gateway.cancel(world.caller, id)

/** The transfers that payments count: what paid them, and what is in suspense under them. */
const countedBy = Effect.fnUntraced(function* (world: Scene.World, { id }: Pick<Asked, "id">) {
  const { state } = yield* world.get(id)
  return [
    ...(state._tag === "Succeeded" ? [state.transfer] : []),
    ...(yield* world.inflowsOf(id)).map(({ transfer }) => transfer),
  ]
})

const lateOf = (world: Scene.World, { id }: Asked) => world.lateOf(id)

const unsent = Fixtures.hash

describe("a transaction with transfers for several payments", () => {
  it.effect(
    "S17: pays each payment whose statement names it, with a transfer of its own",
    play(
      (world) =>
        Effect.gen(function* () {
          const all = yield* asks(world, 3)
          const txHash = yield* batch(world, [price, price, price])
          for (const asked of all) yield* confirm(world, asked, txHash)
          yield* world.finish
          const transfers = yield* Effect.forEach(all, ({ id }) =>
            Effect.map(world.succeeded(id), ({ transfer }) => transfer),
          )
          assert.sameMembers(
            transfers.map(({ logIndex }) => logIndex),
            [0, 1, 2],
          )
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "S17: pays no payment whose amount it does not contain, and keeps the other transfer as that payment's late money",
    play(
      (world) =>
        Effect.gen(function* () {
          const [exact, short] = [yield* ask(world, "1000"), yield* ask(world, "2000")]
          const txHash = yield* batch(world, [price, 2n * price - 1n])
          yield* confirm(world, exact, txHash)
          yield* confirm(world, short, txHash)
          yield* world.settleAll
          // Whichever worker is first: what is late is looked for before the other is collected.
          yield* Scanner.drain
          yield* LateWatcher.drain
          yield* world.finish
          assert.strictEqual((yield* world.succeeded(exact.id)).transfer.movement.quantity, price)
          const failed = yield* world.get(short.id)
          assert.strictEqual(failed.state._tag, "Failed")
          assert.deepStrictEqual(
            (yield* countedBy(world, failed)).map(({ movement }) => movement.quantity + 0n),
            [2n * price - 1n],
          )
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "S17: leaves its late money undecided while an accepted confirm names the same transaction",
    play(
      (world) =>
        Effect.gen(function* () {
          const [paying, late] = [yield* ask(world, "1000"), yield* ask(world, "2000")]
          yield* cancel(world, late)
          const txHash = yield* batch(world, [price])
          yield* confirm(world, paying, txHash)
          yield* report(world, late, txHash)
          yield* world.settleAll
          yield* Scanner.drain
          yield* LateWatcher.drain
          assert.deepStrictEqual(yield* lateOf(world, late), ["Reported"])
          yield* world.finish
          assert.strictEqual(yield* world.statusOf(paying.id), "succeeded")
          assert.deepStrictEqual(yield* lateOf(world, late), ["Reported"])
          yield* world.audit
        }),
      oneLane,
    ),
  )

  const runs = Counts.of({ usual: 25, full: 2000 })
  it.effect(
    `S17: pays at most one payment per transfer, and every payment while a transfer is left: ${runs} times`,
    play(
      (world) =>
        Effect.gen(function* () {
          const seen = new Set<string>()
          for (let seed = 0; seed < runs; seed++) {
            const draw = drawing(seed)
            const all = yield* asks(world, 2 + draw(3))
            const logs = 1 + draw(all.length)
            const txHash = yield* batch(
              world,
              Array.from({ length: logs }, () => price),
            )
            const isLate = all.map(() => draw(3) === 0)
            for (const [index, asked] of all.entries()) {
              if (isLate[index] === true) yield* cancel(world, asked)
            }
            const wallets = Effect.forEach(
              all,
              (asked, index) =>
                Effect.gen(function* () {
                  if (draw(2) === 0) yield* world.settleAll
                  if (isLate[index] === true) {
                    yield* report(world, asked, txHash)
                    return
                  }
                  const result = yield* Effect.result(confirm(world, asked, txHash))
                  if (Result.isFailure(result)) {
                    assert.strictEqual(result.failure._tag, "AttemptRefused")
                    seen.add("refused")
                  }
                }),
              { concurrency: "unbounded" },
            )
            const twoWorkers = Effect.all([Scene.work, Scene.work], { concurrency: "unbounded" })
            yield* shuffling(seed)(
              Effect.gen(function* () {
                yield* Effect.all([wallets, draw(2) === 0 ? Effect.void : twoWorkers], {
                  concurrency: "unbounded",
                })
                yield* world.live(Effect.asVoid(twoWorkers), Effect.succeed(false))
              }),
            )
            const payments = yield* Effect.forEach(all, ({ id }) => world.get(id))
            const counted = (yield* Effect.forEach(all, (each) => countedBy(world, each))).flat()
            assert.strictEqual(counted.length, logs, `seed ${seed}`)
            assert.strictEqual(new Set(counted.map(({ logIndex }) => logIndex)).size, logs)
            for (const payment of payments) {
              seen.add(payment.state._tag)
              // One that failed found no log: neither to be paid by, nor to keep.
              if (payment.state._tag === "Failed")
                assert.deepStrictEqual(yield* countedBy(world, payment), [])
            }
            yield* world.audit
          }
          assert.includeMembers([...seen], ["Succeeded", "Failed", "Cancelled"])
        }),
      oneLane,
    ),
    Scene.timeout,
  )

  it.effect(
    "S17: pays each payment again after a deep reorganisation reorders its transfers",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain } = world
          yield* world.fund(token, only.address, 10n ** 12n)
          yield* world.settleAll
          yield* Sentinel.round
          const since = (yield* chain.head(chainId))?.number ?? 0
          // In a block before; mined again, it comes first in the same block.
          yield* chain.transfer(payer.address, token, Scene.stranger.address, Fixtures.quantity(1n))
          yield* chain.mine(chainId)
          const all = [...(yield* asks(world, 2)), yield* ask(world, "2000")]
          const [late] = yield* asks(world, 1)
          assert.isDefined(late)
          yield* cancel(world, late)
          const txHash = yield* batch(world, [price, 1n, price, 2n * price])
          for (const asked of all) yield* confirm(world, asked, txHash)
          yield* report(world, late, txHash)
          yield* world.finish
          const transfers = Effect.map(
            Effect.forEach([...all, late], (each) => countedBy(world, each)),
            (counted) => counted.flat(),
          )
          const before = yield* transfers
          const depth = ((yield* chain.head(chainId))?.number ?? 0) - since
          yield* chain.reorg(chainId, depth)
          for (let round = 0; round < 8; round++) {
            yield* Sentinel.round
            yield* Scene.work
            yield* world.settleAll
            yield* TestClock.adjust("5 seconds")
          }
          const after = yield* transfers
          assert.sameMembers(
            before.map(({ logIndex }) => logIndex),
            [0, 1, 2, 3],
          )
          assert.sameMembers(
            after.map(({ logIndex }) => logIndex),
            [1, 2, 3, 4],
          )
          for (const [index, { movement }] of after.entries()) {
            assert.deepStrictEqual(movement, before[index]?.movement)
          }
          assert.strictEqual(
            yield* Stores.balanceOf(world.ledger, "test", { _tag: "Loss" }, token),
            0n,
          )
          yield* world.auditBooks
        }),
      oneLane,
    ),
  )
})

describe("an exact transfer", () => {
  it.effect(
    "S17: pays the payment that it was reported for, wherever a deep reorganisation puts it",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain } = world
          yield* world.settleAll
          yield* Sentinel.round
          yield* Scanner.drain
          const since = (yield* chain.head(chainId))?.number ?? 0
          // In a block before; mined again, it comes first in the same block.
          yield* chain.transfer(payer.address, token, Scene.stranger.address, Fixtures.quantity(1n))
          yield* chain.mine(chainId)
          const named = yield* ask(world)
          const txHash = yield* batch(world, [1n, price])
          yield* world.settleAll
          yield* Scanner.drain
          const inflow = Effect.map(
            Effect.flatMap(InflowStore, (store) => store.inflows({ _tag: "Transaction", txHash })),
            ([, found]) => found ?? assert.fail("it was not booked"),
          )
          const before = yield* inflow
          yield* chain.reorg(chainId, ((yield* chain.head(chainId))?.number ?? 0) - since)
          for (let round = 0; round < 4; round++) {
            yield* Sentinel.round
            yield* Scanner.drain
            yield* world.settleAll
            yield* TestClock.adjust("5 seconds")
          }
          assert.notStrictEqual((yield* inflow).transfer.logIndex, before.transfer.logIndex)
          yield* confirm(world, named, txHash)
          yield* world.finishUntil(({ state }) => state._tag !== "Processing", named.id)
          assert.strictEqual(yield* world.statusOf(named.id), "succeeded")
          assert.deepStrictEqual((yield* inflow).state, { _tag: "Taken", paymentId: named.id })
          yield* world.auditBooks
        }),
      oneLane,
    ),
  )

  it.effect(
    "S17: pays the payment that the payer's statement names, never another one of the same amount",
    play(
      (world) =>
        Effect.gen(function* () {
          const [older, named] = [yield* ask(world), yield* ask(world)]
          const txHash = yield* batch(world, [price])
          yield* world.finish
          for (const { id } of [older, named]) {
            assert.strictEqual(yield* world.statusOf(id), "requires_action")
          }
          // Nor is a statement for one payment good for the other.
          yield* failsWith(
            "AttemptRefused",
            world.confirm(older.chosen, [txHash, statement(named.option)]),
          )
          yield* confirm(world, named, txHash)
          yield* world.finish
          assert.strictEqual(yield* world.statusOf(named.id), "succeeded")
          assert.strictEqual(yield* world.statusOf(older.id), "requires_action")
          yield* world.audit
        }),
      oneLane,
    ),
  )
})

describe("a transfer that was used already", () => {
  it.effect(
    "S17: is looked up once for an option that a wallet sends, and never for one that it signs",
    play((world) =>
      Effect.gen(function* () {
        for (const [each, reads] of [
          [tokens.transfer, 1],
          [tokens.eip3009, 0],
          [tokens.permit, 0],
        ] as const) {
          const signed = yield* world.sign(each)
          let count = 0
          yield* Scene.tapping((name, call) =>
            Effect.suspend(() => {
              if (name === "claimsOf") count++
              return call
            }),
          )(world.confirm(signed.chosen, signed.outputs))
          assert.strictEqual(count, reads)
        }
      }),
    ),
  )

  it.effect(
    "S17: is refused for another payment before that is accepted, which can still be paid",
    play(
      (world) =>
        Effect.gen(function* () {
          const [first, second] = [yield* ask(world), yield* ask(world)]
          const txHash = yield* batch(world, [price])
          yield* confirm(world, first, txHash)
          yield* world.finish
          const { message } = yield* failsWith("AttemptRefused", confirm(world, second, txHash))
          assert.include(message, "counts already")
          assert.strictEqual(yield* world.statusOf(second.id), "requires_action")
          yield* confirm(world, second, yield* batch(world, [price]))
          yield* world.finish
          assert.strictEqual(yield* world.statusOf(second.id), "succeeded")
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "S17: is refused while it is in suspense, and pays nothing after it was returned",
    play(
      (world) =>
        Effect.gen(function* () {
          const [late, open] = [yield* ask(world), yield* ask(world)]
          yield* cancel(world, late)
          const txHash = yield* batch(world, [price])
          yield* report(world, late, txHash)
          yield* world.finish
          yield* failsWith("AttemptRefused", confirm(world, open, txHash))
          yield* world.giveBack(late.id)
          yield* world.finish
          yield* failsWith("AttemptRefused", confirm(world, open, txHash))
          assert.strictEqual(yield* world.statusOf(open.id), "requires_action")
          yield* world.audit
        }),
      oneLane,
    ),
  )
})

describe("9.99 USD sent for 10 USD", () => {
  const short = Fixtures.quantity(price - 10_000n)

  it.effect(
    "S17: fails the payment, is kept in suspense for it, and is returned",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain } = world
          const asked = yield* ask(world)
          // No node knows the transaction yet when it is confirmed.
          const call = { _tag: "Transfer", token: token.address, to: only.address, quantity: short }
          const { hash } = Transaction.encode(Eip155Kit.kit, {
            chainId: token.chainId,
            sender: payer.address,
            nonce: 0,
            call: { ...call, _tag: "Transfer" },
          })
          yield* confirm(world, asked, hash)
          const sent = yield* chain.transfer(payer.address, token, only.address, short)
          assert.strictEqual(sent, hash)
          yield* world.finish
          assert.strictEqual(yield* world.statusOf(asked.id), "failed")
          assert.deepStrictEqual(yield* lateOf(world, asked), ["Suspended"])
          assert.strictEqual((yield* countedBy(world, asked))[0]?.movement.quantity, short)
          yield* world.auditBooks
          yield* world.giveBack(asked.id)
          yield* world.finish
          assert.deepStrictEqual(yield* lateOf(world, asked), ["ReturnPaid"])
          const back = { ...movementOf(asked.option), quantity: short }
          assert.strictEqual(yield* world.transfers({ ...back, from: back.to, to: back.from }), 1)
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "S17: is refused once it is mined, and the payment can still be paid",
    play(
      (world) =>
        Effect.gen(function* () {
          const asked = yield* ask(world)
          const txHash = yield* batch(world, [short])
          yield* world.settleAll
          yield* failsWith("AttemptRefused", confirm(world, asked, txHash))
          assert.strictEqual(yield* world.statusOf(asked.id), "requires_action")
        }),
      oneLane,
    ),
  )
})

describe("reports of late transfers", () => {
  it.effect(
    "S17: find a second transfer of the same transaction, for the same payment or another",
    play(
      (world) =>
        Effect.gen(function* () {
          const [one, two] = [yield* ask(world), yield* ask(world)]
          for (const each of [one, two]) yield* cancel(world, each)
          const txHash = yield* batch(world, [price, price, price])
          yield* report(world, one, txHash)
          yield* report(world, two, txHash)
          yield* world.finish
          assert.deepStrictEqual(yield* lateOf(world, one), ["Suspended"])
          assert.deepStrictEqual(yield* lateOf(world, two), ["Suspended"])
          yield* report(world, one, txHash)
          yield* world.finish
          assert.deepStrictEqual(yield* lateOf(world, one), ["Suspended", "Suspended"])
          yield* world.auditBooks
          // Nothing is left in it.
          const before = yield* Scene.traces(two.id)
          yield* report(world, two, txHash)
          assert.deepStrictEqual(yield* Scene.traces(two.id), before)
          // One by one, each log goes back.
          for (let left = 2; left > 0; left--) {
            yield* world.giveBack(one.id)
            yield* world.finish
          }
          assert.deepStrictEqual(yield* lateOf(world, one), ["ReturnPaid", "ReturnPaid"])
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "S17: by strangers do not hide the payer's transfer, mined before or after the report",
    play(
      (world) =>
        Effect.gen(function* () {
          for (const isMined of [true, false]) {
            const asked = yield* ask(world)
            const strangers = Array.from(
              // The payer's hash may come before it is mined: then there must be a place.
              { length: Limits.lateUnprovenPerPaymentMax - (isMined ? 0 : 1) },
              (_, index) => Wallet.make(5_000 + index),
            )
            const theirs = yield* Effect.forEach(strangers, (wallet) =>
              Effect.map(world.choose(asked.id, token, wallet), (chosen): Asked => ({
                ...asked,
                chosen,
                option: chosen.option,
              })),
            )
            yield* cancel(world, asked)
            const txHash = yield* batch(world, [price])
            for (const [index, wallet] of strangers.entries()) {
              const [own = assert.fail()] = theirs.slice(index)
              yield* report(world, own, unsent(`${isMined} made up ${index}`), wallet)
            }
            if (isMined) yield* world.settleAll
            yield* report(world, asked, txHash)
            yield* world.finishUntil(
              ({ reports }) => reports.every((each) => each.txHash !== txHash),
              asked.id,
            )
            const [counted] = yield* countedBy(world, asked)
            assert.deepStrictEqual(counted?.movement, movementOf(asked.option))
            assert.strictEqual(counted?.txHash, txHash)
          }
          yield* world.audit
        }),
      oneLane,
    ),
    Scene.timeout,
  )

  it.effect(
    "S17: by strangers of the same transaction do not replace the payer's report",
    play(
      (world) =>
        Effect.gen(function* () {
          const asked = yield* ask(world)
          const chosen = yield* world.choose(asked.id, token, Scene.stranger)
          yield* cancel(world, asked)
          const { hash } = Transaction.encode(Eip155Kit.kit, {
            chainId: token.chainId,
            sender: payer.address,
            nonce: 0,
            call: {
              _tag: "Batch",
              transfers: [
                { token: token.address, to: only.address, quantity: Fixtures.quantity(price) },
              ],
            },
          })
          const theirs = { ...asked, chosen, option: chosen.option }
          yield* report(world, theirs, hash, Scene.stranger)
          assert.strictEqual(yield* batch(world, [price]), hash)
          yield* report(world, asked, hash)
          yield* world.finish
          assert.deepStrictEqual(yield* lateOf(world, asked), ["Reported", "Suspended"])
          const [counted] = yield* countedBy(world, asked)
          assert.strictEqual(counted?.movement.from, payer.address)
          yield* world.audit
        }),
      oneLane,
    ),
  )
})

describe("a transaction whose payment is audited", () => {
  /** A payment that one of two transfers paid, and whose audit has begun; the other one is not booked yet. */
  const beginAudit = Effect.fnUntraced(function* (world: Scene.World) {
    yield* Effect.andThen(world.settleAll, Scanner.drain)
    const asked = yield* ask(world)
    yield* confirm(world, asked, yield* batch(world, [price, 7n]))
    yield* world.settleAll
    yield* Collector.drain
    const { transfer } = yield* world.succeeded(asked.id)
    const { blockHash: hash, blockNumber: number } = transfer
    yield* Writes.decidePayment(asked.id, (current) =>
      Result.succeed(Audit.request(current, { hash, number }, Scene.now)),
    )
    return { ...asked, transfer }
  })
  /** Runs something with the stores as they are, within another that has them changed. */
  const keepStores = Effect.gen(function* () {
    const [lanes, outflows] = [yield* LaneStore, yield* OutflowStore]
    return <A, E, R>(first: Effect.Effect<A, E, R>) =>
      first.pipe(
        Effect.provideService(LaneStore, lanes),
        Effect.provideService(OutflowStore, outflows),
        Effect.orDie,
      )
  })
  const check = Effect.fnUntraced(function* (world: Scene.World) {
    yield* Scanner.drain
    const balance = yield* Stores.balanceOf(
      world.ledger,
      "test",
      { _tag: "Suspense", address: only.address },
      token,
    )
    assert.strictEqual(-balance, 7n)
    yield* world.auditBooks
  })

  it.effect(
    "has its other transfers booked, even if the chain is scanned just before the audit ends",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* beginAudit(world)
          const asIs = yield* keepStores
          const store = yield* OutflowStore
          yield* Effect.provideService(Auditor.drain, OutflowStore, {
            ...store,
            modify: (...deciding) => Effect.andThen(asIs(Scanner.drain), store.modify(...deciding)),
          })
          yield* check(world)
        }),
      oneLane,
    ),
  )

  it.effect(
    "has its other transfers booked, even if the audit ends between a scan of their block and its end",
    play(
      (world) =>
        Effect.gen(function* () {
          yield* beginAudit(world)
          const asIs = yield* keepStores
          const lanes = yield* LaneStore
          yield* Effect.provideService(Scanner.drain, LaneStore, {
            ...lanes,
            modifyChainState: (mode, chain, decide) =>
              Effect.andThen(
                chain === token.chainId ? asIs(Auditor.drain) : Effect.void,
                lanes.modifyChainState(mode, chain, decide),
              ),
          })
          yield* check(world)
        }),
      oneLane,
    ),
  )

  it.effect(
    "has its other transfers booked, even if they are in an earlier block than its own when the audit ends",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id, transfer } = yield* beginAudit(world)
          yield* Effect.andThen(world.settleAll, Scanner.drain)
          const { leftFrom } = yield* chainState("test", token.chainId)
          assert.strictEqual(leftFrom, transfer.blockNumber)
          // In form only: it moved to a later block than the others.
          const { hash: blockHash, number: blockNumber } =
            (yield* (yield* Chains).of("test").finalCheckpoint(token.chainId)) ?? assert.fail()
          assert.isAbove(blockNumber, transfer.blockNumber)
          const later = { ...transfer, blockNumber, blockHash }
          yield* Writes.decidePayment(id, (current) =>
            Result.succeed(Audit.move(current, transfer, later, Scene.now)),
          )
          yield* Auditor.drain
          yield* check(world)
        }),
      oneLane,
    ),
  )
})
