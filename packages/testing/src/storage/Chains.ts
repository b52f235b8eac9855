/**
 * The remembered state of chains, and the transfers that payments rest on: moved if a chain moves them, and never
 * counted twice.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as ChainState from "@florin/core/domain/chain/ChainState"
import * as Claim from "@florin/core/domain/chain/Claim"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Mode from "@florin/core/domain/ground/Mode"
import type * as Outflow from "@florin/core/domain/outflow/Outflow"
import type * as Change from "@florin/core/domain/payment/Change"
import * as Payment from "@florin/core/domain/payment/Payment"
import type { Resting } from "@florin/core/ports/PaymentStore"
import * as Effect from "effect/Effect"
import * as Fixtures from "../Fixtures.ts"
import {
  atOnce,
  begin,
  applyEffects,
  failsWith,
  type It,
  lookalikes,
  range,
  type Scene,
} from "./Scene.ts"

const { now } = Fixtures

let chains = 900_000_000

/** A chain that no other test used in this storage. */
export const unusedChain = Effect.fnUntraced(function* ({
  lanes,
  payments,
}: Pick<Scene, "lanes" | "payments">) {
  for (;;) {
    const chainId = Eip155.chainId(++chains)
    const states = yield* lanes.chainStates("test")
    const known = yield* payments.resting("test", chainId, { fromBlock: 0, after: null, limit: 1 })
    if (known.length === 0 && !states.some((each) => each.chainId === chainId)) return chainId
  }
})

const stateOf = Effect.fnUntraced(function* (
  { lanes }: Scene,
  mode: Mode.Mode,
  chainId: Caip.ChainId,
) {
  const states = yield* lanes.chainStates(mode)
  return states.find((each) => each.chainId === chainId)
})

/** A transfer on a chain, in a block. */
const found = (
  { world }: Scene,
  chainId: Caip.ChainId,
  blockNumber: number,
  overrides: Partial<Transfer.Evidence> = {},
): Transfer.Evidence => {
  const name = world.next()
  return {
    movement: {
      token: { ...world.token, chainId },
      from: Fixtures.address(name),
      to: world.payTo,
      quantity: Fixtures.quantity(1n),
    },
    txHash: Fixtures.hash(name),
    logIndex: 2,
    blockNumber,
    blockHash: Fixtures.hash(`block ${chainId} ${blockNumber}`),
    txNonce: 0,
    ...overrides,
  }
}

export const restingOf = (
  subject: Pick<Payment.Payment | Outflow.Outflow, "id">,
  { blockHash: hash, blockNumber: number, ...evidence }: Transfer.Evidence,
): Resting => ({
  claim: Claim.key(Claim.ofTransfer({ ...evidence, blockHash: hash, blockNumber: number })),
  id: subject.id,
  checkpoint: { number, hash },
})

/** Everything that rests on a chain, read in pages. */
export const restingOn = Effect.fnUntraced(function* (
  { payments }: Scene,
  chainId: Caip.ChainId,
  {
    fromBlock = 0,
    limit = 1000,
    mode = "test",
  }: { readonly fromBlock?: number; readonly limit?: number; readonly mode?: Mode.Mode } = {},
) {
  const all: Array<Resting> = []
  for (;;) {
    const after = all.at(-1) ?? null
    const page = yield* payments.resting(mode, chainId, { fromBlock, after, limit })
    assert.isAtMost(page.length, limit)
    all.push(...page)
    if (page.length < limit) return all
  }
})

const claim = ({ payments }: Scene, { id }: Payment.Payment, evidence: Transfer.Evidence) =>
  payments.modifyPayment(id, applyEffects({ claims: [Claim.ofTransfer(evidence)] }))

const move = ({ payments }: Scene, { id }: Payment.Payment, moved: Change.Moved) =>
  payments.modifyPayment(id, applyEffects({ moved }))

export const chainStates = (it: It): void => {
  it.effect("stores the decisions on a chain, separately for each mode", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { lanes } = scene
      const chainId = yield* unusedChain(scene)
      const checkpoints = [
        { number: 9, hash: "0x9" },
        { number: 7, hash: "0x7" },
      ]
      const seen: Array<ChainState.ChainState> = []
      const write = lanes.modifyChainState("test", chainId, (current) => {
        seen.push(current)
        return { ...current, checkpoints }
      })
      assert.isTrue(yield* write)
      assert.deepStrictEqual(seen, [ChainState.initial(chainId)])
      assert.deepStrictEqual(yield* stateOf(scene, "test", chainId), {
        chainId,
        checkpoints,
        halt: null,
      })
      assert.isUndefined(yield* stateOf(scene, "live", chainId))
      assert.isFalse(yield* lanes.modifyChainState("test", chainId, () => null))
      assert.isTrue(
        yield* lanes.modifyChainState("test", chainId, (current) =>
          ChainState.halt(current, "blocks are gone", now),
        ),
      )
      assert.deepStrictEqual(yield* stateOf(scene, "test", chainId), {
        chainId,
        checkpoints,
        halt: { reason: "blocks are gone", haltedAt: now },
      })
    }),
  )

  it.effect("stores what accounts sent without it, and what of that an operator accepted", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { lanes, world } = scene
      const chainId = yield* unusedChain(scene)
      const { sender } = world.lane
      const write = (decide: (current: ChainState.ChainState) => ChainState.ChainState | null) =>
        lanes.modifyChainState("test", chainId, decide)
      const stop = (untilNonce: number) =>
        write((current) =>
          ChainState.haltForeign(current, { sender, fromNonce: 2, untilNonce }, now),
        )
      assert.isTrue(yield* stop(4))
      assert.isFalse(yield* stop(4))
      const stopped = yield* stateOf(scene, "test", chainId)
      assert.deepStrictEqual(stopped?.halt?.foreign, { [sender]: 4 })
      assert.isTrue(yield* write(ChainState.resume))
      assert.deepStrictEqual(yield* stateOf(scene, "test", chainId), {
        chainId,
        checkpoints: [],
        halt: null,
        accepted: { [sender]: 4 },
      })
      assert.isFalse(yield* stop(4))
      assert.isTrue(yield* stop(5))
    }),
  )

  it.effect("S24: stores which tokens are stopped, separately for each mode", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { lanes, world } = scene
      const chainId = yield* unusedChain(scene)
      const { address } = world.token
      const stop: ChainState.TokenStop = { reason: "it moved something else", stoppedAt: now }
      const stopping = lanes.modifyChainState("test", chainId, (current) =>
        ChainState.stopToken(current, address, stop),
      )
      assert.isTrue(yield* stopping)
      assert.isFalse(yield* stopping)
      assert.deepStrictEqual((yield* stateOf(scene, "test", chainId))?.stopped, { [address]: stop })
      assert.isUndefined(yield* stateOf(scene, "live", chainId))
      const resuming = lanes.modifyChainState("test", chainId, (current) =>
        ChainState.resumeToken(current, address),
      )
      assert.isTrue(yield* resuming)
      assert.deepStrictEqual((yield* stateOf(scene, "test", chainId))?.stopped, {})
    }),
  )

  it.effect("runs decisions one after another: each sees what the previous one wrote", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { lanes } = scene
      const chainId = yield* unusedChain(scene)
      const written = yield* atOnce(range(40), (index) =>
        lanes.modifyChainState("test", chainId, (current) => ({
          ...current,
          checkpoints: [...current.checkpoints, { number: index, hash: "" }],
        })),
      )
      assert.isTrue(written.every(Boolean))
      const state = yield* stateOf(scene, "test", chainId)
      assert.deepStrictEqual(
        state?.checkpoints.map(({ number }) => number).toSorted((left, right) => left - right),
        range(40),
      )
      const halted = yield* atOnce(range(20), () =>
        lanes.modifyChainState("test", chainId, (current) =>
          ChainState.halt(current, "blocks are gone", now),
        ),
      )
      assert.strictEqual(halted.filter(Boolean).length, 1)
    }),
  )

  it.effect(
    "keeps how far a chain was scanned while others stop and resume it, and look at it",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { lanes, world } = scene
        const chainId = yield* unusedChain(scene)
        const { address } = world.token
        const write = (decide: (current: ChainState.ChainState) => ChainState.ChainState | null) =>
          lanes.modifyChainState("test", chainId, decide)
        yield* write((current) => ChainState.moveScan(current, {}, 0))
        const scans = yield* atOnce(range(30), (index) =>
          Effect.gen(function* () {
            const seen = (yield* stateOf(scene, "test", chainId)) ?? assert.fail()
            yield* write((current) => ChainState.halt(current, `stopped ${index}`, now))
            yield* write((current) =>
              ChainState.stopToken(current, address, {
                reason: "it moved too little",
                stoppedAt: now,
              }),
            )
            const next = { number: index, hash: String(index) }
            yield* write((current) =>
              ChainState.advance(current, current.checkpoints, current.checkpoints, next),
            )
            const isMoved = yield* write((current) =>
              ChainState.moveScan(current, seen, (seen.scannedTo ?? 0) + 1),
            )
            if (index % 2 === 0) yield* write(ChainState.resume)
            return isMoved
          }),
        )
        const state = (yield* stateOf(scene, "test", chainId)) ?? assert.fail()
        assert.strictEqual(state.scannedTo, scans.filter(Boolean).length)
        assert.isTrue(scans.some(Boolean))
        assert.strictEqual(state.checkpoints[0]?.number, 29)
        assert.property(state.stopped, address)
        yield* write((current) => ChainState.scanAgain(current, 1))
        assert.isFalse(yield* write((current) => ChainState.moveScan(current, state, 99)))
        assert.strictEqual((yield* stateOf(scene, "test", chainId))?.scannedTo, 0)
      }),
  )

  it.effect(
    "reports to a signer on a lane whether its chain is stopped, in the payment's mode",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { lanes, world } = scene
        const chainId = yield* unusedChain(scene)
        const lane = { ...world.lane, chainId }
        const reported = Effect.map(lanes.laneState("test", lane), (state) => state.haltedBecause)
        const halt = (mode: Mode.Mode) =>
          lanes.modifyChainState(mode, chainId, (current) =>
            ChainState.halt(current, `stopped in ${mode} mode`, now),
          )
        assert.isNull(yield* reported)
        yield* halt("live")
        assert.isNull(yield* reported)
        yield* halt("test")
        assert.strictEqual(yield* reported, "stopped in test mode")
        yield* lanes.modifyChainState("test", chainId, ChainState.resume)
        assert.isNull(yield* reported)
      }),
  )

  it.effect("lists the transfers on which payments depend, newest block first, in pages", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const [chainId, otherChain] = [yield* unusedChain(scene), yield* unusedChain(scene)]
      const payments = yield* scene.createMany(12)
      const live = yield* scene.create({ mode: "live" })
      const expected: Array<Resting> = []
      for (const [index, payment] of payments.entries()) {
        const evidence = found(scene, chainId, 100 + (index % 4))
        yield* claim(scene, payment, evidence)
        expected.push(restingOf(payment, evidence))
        yield* claim(scene, payment, found(scene, otherChain, 200))
      }
      yield* claim(scene, live, found(scene, chainId, 300))
      expected.sort(
        (left, right) =>
          right.checkpoint.number - left.checkpoint.number || (left.claim > right.claim ? -1 : 1),
      )
      for (const limit of [1, 3, 5, 1000]) {
        assert.deepStrictEqual(yield* restingOn(scene, chainId, { limit }), expected)
      }
      assert.deepStrictEqual(
        yield* restingOn(scene, chainId, { fromBlock: 102, limit: 2 }),
        expected.filter(({ checkpoint }) => checkpoint.number >= 102),
      )
      assert.deepStrictEqual(yield* restingOn(scene, chainId, { fromBlock: 104 }), [])
      assert.strictEqual((yield* restingOn(scene, otherChain)).length, 12)
      assert.strictEqual((yield* restingOn(scene, chainId, { mode: "live" })).length, 1)
    }),
  )

  it.effect("moves a transfer to another position, together with its claim", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const chainId = yield* unusedChain(scene)
      const [payment, other] = yield* scene.createMany(2)
      if (payment === undefined || other === undefined) return assert.fail("no payments")
      const from = found(scene, chainId, 100)
      yield* claim(scene, payment, from)
      // The same position in another block of the same height: the claim stays the same.
      const beside = { ...from, blockHash: Fixtures.hash("beside") }
      yield* move(scene, payment, { from, to: beside })
      assert.deepStrictEqual(yield* restingOn(scene, chainId), [restingOf(payment, beside)])
      yield* failsWith("ClaimTaken", claim(scene, other, from))
      const to = { ...from, logIndex: 7, blockNumber: 102, blockHash: Fixtures.hash("to") }
      yield* move(scene, payment, { from: beside, to })
      assert.deepStrictEqual(yield* restingOn(scene, chainId), [restingOf(payment, to)])
      yield* failsWith("ClaimTaken", claim(scene, other, to))
      // The position that was left is free for another transfer.
      yield* claim(scene, other, from)
      assert.strictEqual((yield* restingOn(scene, chainId)).length, 2)
    }),
  )

  it.effect(
    "does not move a transfer to the position of another one, and then writes nothing",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const chainId = yield* unusedChain(scene)
        const [payment, other] = yield* scene.createMany(2)
        if (payment === undefined || other === undefined) return assert.fail("no payments")
        const [from, to] = [found(scene, chainId, 100), found(scene, chainId, 101)]
        yield* claim(scene, payment, from)
        yield* claim(scene, other, to)
        const before = yield* scene.payments.payment(payment.id)
        const resting = yield* restingOn(scene, chainId)
        yield* failsWith("ClaimTaken", move(scene, payment, { from, to }))
        assert.deepStrictEqual(yield* scene.payments.payment(payment.id), before)
        assert.deepStrictEqual(yield* restingOn(scene, chainId), resting)
        yield* failsWith("ClaimTaken", claim(scene, other, from))
      }),
  )

  it.effect(
    "omits a transfer that is permanently gone, and keeps its claim unless that is freed",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const chainId = yield* unusedChain(scene)
        const [payment, other] = yield* scene.createMany(2)
        if (payment === undefined || other === undefined) return assert.fail("no payments")
        const [gone, stays] = [found(scene, chainId, 100), found(scene, chainId, 100)]
        for (const each of [gone, stays]) yield* claim(scene, payment, each)
        yield* move(scene, payment, { from: gone, to: null })
        assert.deepStrictEqual(yield* restingOn(scene, chainId), [restingOf(payment, stays)])
        yield* failsWith("ClaimTaken", claim(scene, other, gone))
        yield* move(scene, payment, { from: stays, to: null, isFreed: true })
        assert.deepStrictEqual(yield* restingOn(scene, chainId), [])
        yield* claim(scene, other, stays)
        assert.deepStrictEqual(yield* restingOn(scene, chainId), [restingOf(other, stays)])
      }),
  )

  it.effect("S17: returns the claimed logs of a transaction, each with its payment", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { payments, world } = scene
      const [chainId, otherChain] = [yield* unusedChain(scene), yield* unusedChain(scene)]
      const [one, two] = yield* scene.createMany(2)
      if (one === undefined || two === undefined) return assert.fail("no payments")
      const log = (logIndex: number, overrides: Partial<Transfer.Evidence> = {}) => ({
        ...found(scene, chainId, 100, { txHash: Fixtures.hash("several"), logIndex }),
        ...overrides,
      })
      const { txHash } = log(0)
      const reported = payments.claimsOf(chainId, txHash)
      assert.deepStrictEqual(yield* reported, [])
      yield* claim(scene, one, log(10))
      yield* claim(scene, two, log(9))
      // A log that is equal only in part belongs to another transaction.
      yield* claim(scene, two, log(1, { txHash: `${txHash}0` }))
      yield* claim(scene, two, log(2, { txHash: txHash.slice(0, -1) }))
      yield* claim(scene, two, found(scene, otherChain, 100, { txHash, logIndex: 3 }))
      yield* payments.modifyPayment(
        one.id,
        applyEffects({ claims: [Claim.ofAuthorization(world.attempt(one).option)] }),
      )
      const paid = yield* scene.reach("settled")
      const claimed = [
        { txHash, logIndex: 9, paymentId: two.id },
        { txHash, logIndex: 10, paymentId: one.id },
      ]
      assert.deepStrictEqual(yield* reported, claimed)
      yield* move(scene, one, { from: log(10), to: log(4) })
      assert.deepStrictEqual(yield* reported, [
        { txHash, logIndex: 4, paymentId: one.id },
        { txHash, logIndex: 9, paymentId: two.id },
      ])
      // A transfer that is gone for good stays claimed. A claim of an outflow belongs to no payment.
      yield* move(scene, two, { from: log(9), to: null })
      assert.strictEqual((yield* reported).length, 2)
      const settled = Payment.payoutOf(paid)
      assert.isNotNull(settled)
      const [outflow] = yield* payments.claimsOf(world.token.chainId, settled.txId)
      assert.deepInclude(outflow, { txHash: settled.txId, paymentId: null })
    }),
  )

  it.effect("stores chains separately if two families use the same chain id", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { lanes } = scene
      const [one, two, other] = lookalikes(scene, yield* unusedChain(scene))
      const stopped = (untilNonce: number) => (current: ChainState.ChainState) =>
        ChainState.haltForeign(
          current,
          { sender: two.address, fromNonce: untilNonce - 1, untilNonce },
          now,
        )
      const seen = ({ address: sender, chainId }: Caip.Account) =>
        Effect.map(
          lanes.laneState("test", { chainId, sender }),
          ({ acceptedNonce, haltedBecause }) => [acceptedNonce, haltedBecause !== null] as const,
        )
      yield* lanes.modifyChainState("test", two.chainId, stopped(5))
      assert.isUndefined(yield* stateOf(scene, "test", one.chainId))
      assert.deepStrictEqual(yield* seen(one), [0, false])
      assert.deepStrictEqual(yield* seen(two), [0, true])
      yield* lanes.modifyChainState("test", one.chainId, stopped(9))
      yield* lanes.modifyChainState("test", two.chainId, ChainState.resume)
      assert.deepStrictEqual(yield* seen(one), [0, true])
      assert.deepStrictEqual(yield* seen(two), [5, false])
      assert.deepStrictEqual(yield* seen(other), [0, false])
      yield* lanes.modifyChainState("test", one.chainId, ChainState.resume)
      for (const [chainId, nonce] of [
        [one.chainId, 9],
        [two.chainId, 5],
      ] as const) {
        assert.deepStrictEqual(yield* stateOf(scene, "test", chainId), {
          chainId,
          checkpoints: [],
          halt: null,
          accepted: { [two.address]: nonce },
        })
      }
    }),
  )

  it.effect("lists chains in the order of their ids", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { lanes } = scene
      const [one, two] = lookalikes(scene, yield* unusedChain(scene))
      const more = ["b", "Z", "-", "_", "a", "0", "9"].map((end) =>
        Caip.ChainId.make(`${two.chainId}${end}`),
      )
      const chainIds = [two.chainId, ...more, one.chainId]
      for (const chainId of chainIds) {
        yield* lanes.modifyChainState("test", chainId, (current) => current)
      }
      const listed = (yield* lanes.chainStates("test")).map(({ chainId }) => chainId)
      assert.includeMembers(listed, chainIds)
      assert.deepStrictEqual(listed, listed.toSorted())
    }),
  )

  it.effect("depends on a transfer of its own chain, even if another chain has an equal one", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const [one, two, other] = lookalikes(scene, yield* unusedChain(scene))
      const [payment, its, late] = yield* scene.createMany(3)
      if (payment === undefined || its === undefined || late === undefined) {
        return assert.fail("no payments")
      }
      const here = found(scene, one.chainId, 100)
      const on = (token: Caip.Token) => ({ ...here, movement: { ...here.movement, token } })
      const [from, beside] = [on(one), on(two)]
      yield* claim(scene, payment, from)
      yield* claim(scene, its, beside)
      // A claim belongs to a chain, whatever its token.
      for (const taken of [from, beside, on(other)]) {
        yield* failsWith("ClaimTaken", claim(scene, late, taken))
      }
      assert.deepStrictEqual(yield* restingOn(scene, one.chainId), [restingOf(payment, from)])
      assert.deepStrictEqual(yield* restingOn(scene, two.chainId), [restingOf(its, beside)])
      const to = { ...from, blockNumber: 101, blockHash: Fixtures.hash("to") }
      yield* move(scene, payment, { from, to })
      assert.deepStrictEqual(yield* restingOn(scene, one.chainId), [restingOf(payment, to)])
      assert.deepStrictEqual(yield* restingOn(scene, two.chainId), [restingOf(its, beside)])
      yield* move(scene, its, { from: beside, to: null })
      assert.deepStrictEqual(yield* restingOn(scene, one.chainId), [restingOf(payment, to)])
      assert.deepStrictEqual(yield* restingOn(scene, two.chainId), [])
    }),
  )
}
