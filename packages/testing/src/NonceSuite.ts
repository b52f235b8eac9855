/**
 * Nonce torture: everything that goes wrong with the numbers of our own transactions, as tests. An adapter runs them
 * with the relayer and a storage in memory, on a chain that the suite controls.
 *
 * In each case:
 * - every nonce is used once, and none is left out;
 * - every payout ends on the chain exactly once;
 * - nothing waits forever;
 * - the chain's lanes stop only for transactions that the ledger does not know, and an operator resumes them.
 *
 * @module
 */
import { assert, layer as withLayer } from "@effect/vitest"
import * as ChainState from "@florin/core/domain/chain/ChainState"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import type * as Lane from "@florin/core/domain/outflow/Lane"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import * as Relayer from "@florin/core/engine/chain/Relayer"
import { type Chain, Chains, ChainUnavailable } from "@florin/core/ports/Chain"
import type { Identifiers } from "@florin/core/ports/Identifiers"
import { LaneStore } from "@florin/core/ports/LaneStore"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import { Signals } from "@florin/core/ports/Signals"
import type { Storage } from "@florin/core/ports/Storage"
import * as StorageMemory from "@florin/core/ports/StorageMemory"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { begin, failsWith, timeout } from "./chain/Scene.ts"
import type { ChainHarness } from "./ChainHarness.ts"
import * as Eip155Kit from "./Eip155Kit.ts"
import type { Kit } from "./Kit.ts"
import * as SeededIdentifiers from "./SeededIdentifiers.ts"

type Port = Chain["Service"]

/** A payout that the suite owes to an account of its own. */
interface Owed {
  readonly movement: Transfer.Movement
  slot: Lane.Slot | null
  /** The transaction that paid it finally. */
  txHash: string | null
}

/** More rounds than any case needs. */
const roundsMax = 60

type Ledger = Storage | Signals | Identifiers
const emptyLedger = Layer.build(
  Layer.fresh(
    Layer.mergeAll(StorageMemory.layer, Signals.layerMemory, SeededIdentifiers.layer("nonces")),
  ),
)

/** A clock that only the suite moves, so that a slow machine raises no fees. */
const stoppedClock = (clock: Clock.Clock, now: () => number): Clock.Clock => ({
  currentTimeMillisUnsafe: now,
  currentTimeMillis: Effect.sync(now),
  currentTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => clock.sleep(duration),
})

/** A service with an empty ledger, and an account that other cases have used. */
const makeService = Effect.gen(function* () {
  const scene = yield* begin
  const { chain, chainId, harness, lane, next, payout } = scene
  const clock = yield* Clock.Clock
  let now = yield* Clock.currentTimeMillis
  let ledger: Context.Context<Ledger> = yield* emptyLedger
  let halts = 0
  const owed: Array<Owed> = []
  const foreign = new Set<number>()
  const warnings: Array<unknown> = []
  const errors: Array<unknown> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel === "Warn") warnings.push(message)
    if (logLevel === "Error") errors.push(message)
  })

  /** Runs an effect in a process of the service, some of whose calls to the chain may go wrong. */
  const run = <A, E>(effect: Effect.Effect<A, E, Chains | Ledger>, instead: Partial<Port> = {}) =>
    effect.pipe(
      Effect.provideService(Chains, { of: () => ({ ...chain, ...instead }) }),
      Effect.provideContext(ledger),
      Effect.provideService(
        Clock.Clock,
        stoppedClock(clock, () => now),
      ),
      Effect.provide(Logger.layer([logger])),
    )

  const send = Effect.fnUntraced(function* (each: Owed, replaced?: Lane.Transaction) {
    const before = each.slot
    yield* Relayer.send({
      mode: "test",
      order: { _tag: "Send", movement: each.movement },
      subjects: { outflows: [], payments: [] },
      commit: (_, slot) => {
        each.slot = slot
        return { outflows: [], payments: [] }
      },
      lease: null,
      ...(replaced !== undefined && { replaced }),
    }).pipe(
      Effect.tapError(() =>
        Effect.sync(() => {
          each.slot = before
        }),
      ),
    )
  })

  /** What a worker does when a payout is due. */
  const work = Effect.fnUntraced(function* (each: Owed) {
    if (each.txHash !== null) return
    if (each.slot === null) return yield* send(each)
    const relayed = yield* Relayer.transactionAt(each.slot)
    const observation = yield* (yield* Chains)
      .of("test")
      .look({ movement: each.movement, relayed, attempt: null })
    switch (observation._tag) {
      case "Unseen":
        return yield* Relayer.sendAgain("test", relayed)
      case "Replaced":
        return yield* send(each, relayed)
      case "Final":
        each.txHash = observation.evidence.txHash
        return
      case "Impossible":
        return assert.fail(`a payout failed: ${observation.reason}`)
    }
  })
  /** Workers wait if the chain does not respond, and if nothing may be sent on it. */
  const round = (instead: Partial<Port> = {}) =>
    Effect.forEach(
      owed,
      (each) =>
        run(work(each), instead).pipe(
          Effect.catchTag(["ChainUnavailable", "SendingHalted"], () => Effect.void),
        ),
      { discard: true },
    )

  const halted = Effect.suspend(() => run(Lanes.listHalted("test")))
  const resume = Effect.gen(function* () {
    if (!(yield* Effect.suspend(() => run(Lanes.resume("test", chainId))))) return
    halts += 1
  })
  const stored = Effect.suspend(() =>
    run(Effect.flatMap(LaneStore, (lanes) => lanes.laneTransactions(lane, 0))),
  )

  /** Every nonce from the first one of the ledger on is used once, and every payout was paid once. */
  const audit = Effect.fnUntraced(function* (haltsExpected: number) {
    for (const { movement } of owed) {
      const held = yield* chain.balance(movement.token, movement.to)
      assert.strictEqual(held, movement.quantity, `${movement.to} is paid exactly once`)
    }
    const nonces = (yield* stored).map(({ nonce }) => nonce)
    const floor = yield* chain.nonceFloor(lane)
    const from = nonces[0] ?? 0
    const until = floor ?? from + nonces.length
    const used = floor === null ? nonces : [...new Set([...nonces, ...foreign])]
    assert.deepStrictEqual(
      used.filter((nonce) => nonce >= from).toSorted((one, other) => one - other),
      Array.from({ length: until - from }, (_, index) => from + index),
      "every nonce is used",
    )
    assert.strictEqual(halts, haltsExpected, "how often sending stopped")
    assert.strictEqual(errors.length, haltsExpected, "each stop is logged once")
  })

  return {
    ...scene,
    run,
    send,
    round,
    halted,
    resume,
    stored,
    owed,
    warnings,
    /** Owes some payouts more. */
    owe: (count: number) =>
      Effect.forEach(Array.from({ length: count }), () =>
        Effect.map(payout(), (movement) => {
          const each: Owed = { movement, slot: null, txHash: null }
          owed.push(each)
          return each
        }),
      ),
    /** Lets the service's time pass. */
    pass: (ms: number) => {
      now += ms
    },
    /** The account sends something that the ledger does not know. */
    sendElsewhere: Effect.fnUntraced(function* (count: number) {
      for (let sent = 0; sent < count; sent++) {
        const movement = yield* payout()
        const relayed = yield* chain.sign(lane, yield* next, { _tag: "Send", movement })
        yield* chain.broadcast(relayed)
        yield* harness.mine(1)
        foreign.add(relayed.nonce)
      }
    }),
    /** Keeps the ledger as it is, to restore it later. */
    backUp: Effect.gen(function* () {
      const transactions = yield* stored
      const backup = yield* emptyLedger
      const copy = Effect.forEach(transactions, (transaction) =>
        Effect.gen(function* () {
          const state = yield* (yield* LaneStore).laneState("test", lane)
          const write = { outflows: [], payments: [] }
          yield* (yield* OutflowStore).modify(
            write,
            () => Result.succeed({ result: undefined, write }),
            null,
            { transaction, state },
          )
        }),
      )
      yield* Effect.provideContext(copy, backup)
      return backup
    }),
    /** Restores a ledger. An operator takes care of the payouts that it does not know. */
    restore: Effect.fnUntraced(function* (backup: typeof ledger) {
      for (const { nonce } of yield* stored) foreign.add(nonce)
      ledger = backup
      for (const each of owed) each.txHash ??= "taken care of"
    }),
    /** Works until everything is paid, while blocks are made and an operator resumes what stopped; then audits. */
    finish: Effect.fnUntraced(function* (
      haltsExpected = 0,
      eachRound: Effect.Effect<void, unknown> = Effect.void,
    ) {
      const isOver = () => owed.every(({ txHash }) => txHash !== null)
      for (let rounds = 0; rounds < roundsMax && !isOver(); rounds++) {
        yield* round()
        yield* eachRound
        // Workers ask again and again while nothing is sent; the operator is notified once.
        if ((yield* halted).length > 0) yield* round()
        yield* resume
        yield* harness.mine(1)
      }
      assert.isTrue(isOver(), "nothing waits forever")
      yield* audit(haltsExpected)
    }),
  }
})

type Service = Effect.Success<typeof makeService>

/** A chain whose nodes report this much too high a nonce, for a number of calls. */
const lying = ({ chain }: Service, by: number, calls = Number.POSITIVE_INFINITY): Partial<Port> => {
  let left = calls
  return {
    nonceFloor: (lane) =>
      Effect.map(chain.nonceFloor(lane), (floor) => {
        left -= 1
        return floor === null || left < 0 ? floor : floor + by
      }),
  }
}

/** No node takes a transaction. */
const refusing = ({ chainId }: Service): Partial<Port> => ({
  broadcast: () => new ChainUnavailable({ chainId, message: "no node took it" }),
})

const play =
  <E>(body: (service: Service) => Effect.Effect<void, E, Chain | ChainHarness | Scope.Scope>) =>
  () =>
    Effect.scoped(Effect.flatMap(makeService, body))

/**
 * Registers the suite for an adapter. The layer is built once, and may be that of the chain suite.
 *
 * @example
 * NonceSuite.suite("anvil", anvilLayer)
 */
export const suite = (
  name: string,
  chain: Layer.Layer<Chain | ChainHarness, unknown>,
  kit: Kit = Eip155Kit.kit,
): void =>
  withLayer(chain, { excludeTestServices: true, timeout })(`Nonces: ${name}`, (it) => {
    it.effect(
      "M13: what nodes dropped is sent again, as the same bytes",
      play((service) =>
        Effect.gen(function* () {
          const { finish, harness, owe, round, stored } = service
          yield* owe(3)
          yield* round()
          const before = yield* stored
          assert.strictEqual(before.length, 3)
          yield* harness.mine(1)
          yield* harness.reorg(1, "forgotten")
          yield* finish()
          assert.deepStrictEqual(yield* stored, before)
        }),
      ),
    )

    it.effect(
      "M13: what a process stored before it died is sent by the next one, as the same bytes",
      play((service) =>
        Effect.gen(function* () {
          const { finish, owe, run, send, stored } = service
          for (const each of yield* owe(2)) {
            const died = yield* Effect.exit(run(send(each), { broadcast: () => Effect.interrupt }))
            assert.isTrue(Exit.isFailure(died))
          }
          const before = yield* stored
          assert.strictEqual(before.length, 2)
          yield* finish()
          assert.deepStrictEqual(yield* stored, before)
        }),
      ),
    )

    it.effect(
      "M15: two processes with one key use every nonce once",
      play((service) =>
        Effect.gen(function* () {
          const { chain: port, finish, owe, run, send } = service
          const all = yield* owe(8)
          /** Processes do not wait for each other's turn, and sign at the same time: only the storage decides. */
          const process = (some: typeof all) =>
            run(
              Effect.flatMap(LaneStore, (lanes) =>
                Effect.forEach(some, (each) => send(each), { concurrency: 2 }).pipe(
                  Effect.provideService(LaneStore, { ...lanes }),
                ),
              ),
              { sign: (...order) => Effect.tap(port.sign(...order), () => Effect.yieldNow) },
            )
          yield* Effect.all([process(all.slice(0, 4)), process(all.slice(4))], {
            concurrency: "unbounded",
          })
          yield* finish()
        }),
      ),
    )

    it.effect(
      "M15: what the account sends elsewhere is never overwritten, and takes no payout's place",
      play((service) =>
        Effect.gen(function* () {
          const { finish, halted, owe, round, sendElsewhere, stored } = service
          yield* owe(1)
          yield* finish()
          for (const times of [1, 2]) {
            yield* sendElsewhere(times)
            const before = yield* stored
            yield* owe(2)
            yield* round()
            // On a chain without nonces, foreign transactions take none of our numbers.
            const isStopped = kit.isNumbered
            const floor = yield* service.next
            assert.deepStrictEqual(
              (yield* halted).map(({ reason }) => reason),
              isStopped
                ? [ChainState.foreignReason({ ...service.lane, fromNonce: floor - times })]
                : [],
            )
            assert.strictEqual((yield* stored).length, before.length + (isStopped ? 0 : 2))
            yield* finish(isStopped ? times : 0)
          }
        }),
      ),
    )

    if (!kit.isNumbered) return

    for (const [what, count] of [
      ["exactly the nonces of ours", 2],
      ["these, and one more", 3],
    ] as const) {
      it.effect(
        `M15: others use ${what}: they are reported once, and what we owe is sent with new nonces`,
        play((service) =>
          Effect.gen(function* () {
            const { finish, owe, round, sendElsewhere, stored } = service
            yield* owe(2)
            yield* round(refusing(service))
            assert.strictEqual((yield* stored).length, 2)
            yield* sendElsewhere(count)
            yield* finish(1)
            assert.strictEqual((yield* stored).length, 4)
          }),
        ),
      )
    }

    for (const when of ["mined", "waiting"] as const) {
      it.effect(
        `M15: a ledger restored to a time before transactions that are ${when} pays nothing twice`,
        play((service) =>
          Effect.gen(function* () {
            const { backUp, finish, harness, owe, restore, round } = service
            yield* owe(1)
            yield* finish()
            const backup = yield* backUp
            yield* owe(2)
            yield* round()
            if (when === "mined") yield* harness.mine(1)
            yield* restore(backup)
            yield* owe(2)
            yield* finish(1)
          }),
        ),
      )
    }

    for (const width of [1, 20]) {
      it.effect(
        `M15: a gap of ${width} is filled, and what waits behind it goes through`,
        play((service) =>
          Effect.gen(function* () {
            const { finish, next, owe, round, stored } = service
            const floor = yield* next
            yield* owe(2)
            yield* round(lying(service, width))
            assert.strictEqual((yield* stored)[0]?.nonce, floor + width)
            yield* finish()
            assert.strictEqual((yield* stored).length, width + 2)
          }),
        ),
      )
    }

    it.effect(
      "M15: several gaps are filled, also one that an operator let pass",
      play((service) =>
        Effect.gen(function* () {
          const { finish, next, owe, resume, round, stored } = service
          const floor = yield* next
          yield* owe(1)
          yield* round(lying(service, 2))
          yield* owe(1)
          yield* round(lying(service, 6))
          yield* resume
          yield* round(lying(service, 6))
          assert.deepStrictEqual(
            (yield* stored).map(({ nonce }) => nonce - floor),
            [2, 6],
          )
          yield* finish(1)
        }),
      ),
    )

    it.effect(
      "M15: one count that is too high stops nothing, and one that is too low uses no nonce again",
      play((service) =>
        Effect.gen(function* () {
          const { finish, halted, owe, round, run, send, stored } = service
          yield* owe(1)
          yield* round()
          const [high] = yield* owe(1)
          if (high === undefined) return assert.fail("nothing is owed")
          yield* failsWith(run(send(high), lying(service, 3, 1)), "ChainUnavailable")
          assert.deepStrictEqual(yield* halted, [])
          assert.strictEqual((yield* stored).length, 1)
          yield* owe(2)
          yield* round({
            nonceFloor: (lane, belief) =>
              belief === "agreed" ? service.chain.nonceFloor(lane, belief) : Effect.succeed(0),
          })
          yield* finish()
          assert.strictEqual((yield* stored).length, 4)
        }),
      ),
    )

    it.effect(
      "M14: a payout is paid once where an older version of its transaction is mined",
      play((service) =>
        Effect.gen(function* () {
          const { chain: port, finish, harness, owe, owed, pass, round, stored } = service
          yield* owe(1)
          yield* round()
          const [first] = yield* stored
          if (first === undefined) return assert.fail("nothing was signed")
          pass(600_000)
          yield* round()
          const [newest, ...others] = yield* stored
          assert.deepStrictEqual(others, [])
          assert.strictEqual(newest?.nonce, first.nonce)
          yield* harness.mine(1)
          yield* harness.reorg(1, "forgotten")
          yield* port.broadcast(first)
          yield* harness.mine(1)
          yield* finish()
          assert.strictEqual(owed[0]?.txHash, first.hash)
        }),
      ),
    )

    it.effect(
      "M15: a gap of an account that delegates is filled one by one",
      play((service) =>
        Effect.gen(function* () {
          const { finish, harness, lane, owe, round, stored } = service
          const { delegate } = harness
          if (delegate === undefined) return
          yield* Effect.acquireUseRelease(
            delegate(lane.sender, true),
            () =>
              Effect.gen(function* () {
                yield* owe(2)
                yield* round(lying(service, 2))
                yield* finish()
                assert.strictEqual((yield* stored).length, 4)
              }),
            () => delegate(lane.sender, false),
          )
        }),
      ),
    )

    it.effect(
      "M15: an account that delegates has one transaction in flight, and the others wait",
      play((service) =>
        Effect.gen(function* () {
          const { chain: port, finish, harness, lane, owe, pass, round, stored, warnings } = service
          const { delegate } = harness
          if (delegate === undefined) return
          yield* Effect.acquireUseRelease(
            delegate(lane.sender, true),
            () =>
              Effect.gen(function* () {
                const floor = yield* service.next
                yield* owe(4)
                yield* round()
                const [first, second] = yield* stored
                if (first === undefined || second === undefined) {
                  return assert.fail("later transactions are signed and wait")
                }
                yield* failsWith(port.broadcast(second), "InFlightLimit")
                yield* port.broadcast(first)
                const last = (yield* stored).at(-1) ?? first
                let refused = 0
                yield* service.run(Relayer.sendAgain("test", last), {
                  broadcast: (relayed) =>
                    Effect.tapErrorTag(port.broadcast(relayed), "InFlightLimit", () =>
                      Effect.sync(() => {
                        refused += 1
                      }),
                    ),
                })
                assert.strictEqual(refused, 1, "none is tried behind the first one that waits")
                // A higher bid replaces the one in flight.
                pass(600_000)
                yield* round()
                let mined = floor
                yield* finish(
                  0,
                  Effect.gen(function* () {
                    const now = yield* service.next
                    assert.isAtMost(now - mined, 1, "one for each block")
                    mined = now
                  }),
                )
              }),
            () => delegate(lane.sender, false),
          )
          // The adapter may say once that the account is slow. No transaction counts as refused.
          assert.notInclude(JSON.stringify(warnings), "not accepted")
          const floor = yield* service.next
          yield* owe(3)
          yield* round()
          yield* harness.mine(1)
          assert.strictEqual(yield* service.next, floor + 3, "without the delegation none waits")
          yield* finish()
        }),
      ),
    )
  })
