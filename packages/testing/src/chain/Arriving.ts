/**
 * Transfers to our accounts, as blocks show them.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Kit } from "../Kit.ts"
import { begin, type It, price } from "./Scene.ts"

export const testArriving = (it: It, kit: Kit): void => {
  if (kit.flows.direct === undefined) return
  it.effect("S17: the blocks contain every transfer to our accounts, with its exact log", () =>
    Effect.gen(function* () {
      const { chain, chainId, harness, optionOf, payer, payTo, sent, settle, signatureOf, payout } =
        yield* begin
      yield* settle
      const before = yield* chain.finalCheckpoint(chainId)
      if (before === null) return assert.fail("the chain is too young")
      const option = yield* optionOf("direct")
      const txHash = yield* harness.submitAuthorization(option, signatureOf(payer, option) ?? "")
      yield* harness.mine(1)
      // Transfers that our own accounts send are not arrivals.
      yield* sent({ _tag: "Send", movement: yield* payout() })
      yield* settle
      const after = yield* chain.finalCheckpoint(chainId)
      if (after === null) return assert.fail("the chain lost its blocks")
      const range = { fromBlock: before.number + 1, toBlock: after.number }
      const found = (yield* chain.arrivals(chainId, range)) ?? assert.fail("nobody has logs")
      const [log, ...others] = found.filter(({ movement }) => movement.from === payer.address)
      if (log === undefined) return assert.fail("the transfer is not there")
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(log.movement, {
        token: option.token,
        from: payer.address,
        to: payTo,
        quantity: price,
      })
      assert.strictEqual(log.txHash, txHash)
      assert.isFalse(found.some(({ movement }) => movement.from === payTo))
      assert.isTrue(yield* chain.shows(log))
      const wrong = [
        { ...log, logIndex: log.logIndex + 1 },
        { ...log, blockHash: kit.hash("another block") },
        { ...log, movement: { ...log.movement, to: payer.address } },
      ]
      for (const each of wrong) assert.isFalse(yield* chain.shows(each))
      const earlier = { fromBlock: before.number, toBlock: before.number }
      const none = (yield* chain.arrivals(chainId, earlier)) ?? []
      assert.isFalse(none.some(({ movement }) => movement.from === payer.address))
    }),
  )

  it.effect("S17: a transfer that is not final yet is not shown", () =>
    Effect.gen(function* () {
      const { chain, chainId, harness, optionOf, payer, signatureOf } = yield* begin
      const option = yield* optionOf("direct")
      const txHash = yield* harness.submitAuthorization(option, signatureOf(payer, option) ?? "")
      yield* harness.mine(1)
      const observation = yield* chain.look({
        movement: {
          token: option.token,
          from: payer.address,
          to: option.payTo,
          quantity: option.quantity,
        },
        relayed: null,
        attempt: { option, outputs: { _tag: "Authorized", signature: "0x", approvals: [] } },
      })
      if (observation._tag !== "Included") return assert.fail(`it is ${observation._tag}`)
      const { txNonce: _, ...log } = observation.evidence
      assert.strictEqual(log.txHash, txHash)
      assert.isFalse(yield* chain.shows(log))
      yield* harness.mine(harness.finalityDepth)
      assert.isTrue(yield* chain.shows(log))
      const final = yield* chain.finalCheckpoint(chainId)
      assert.isAtLeast(final?.number ?? 0, log.blockNumber)
    }),
  )
}
