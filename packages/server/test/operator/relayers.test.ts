import { assert, describe, it } from "@effect/vitest"
import { LaneStore } from "@florin/core/ports/LaneStore"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import { Effect } from "effect"
import * as Refunds from "../operations/refunds.ts"
import * as Scene from "../scene.ts"
import * as Calls from "./calls.ts"
import * as Money from "./money.ts"

describe("the operator's relayers", () => {
  it.effect(
    "show the last transactions of a lane, and each version that a higher fee replaced",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make
        const { text: key } = yield* Calls.operatorKey(["read"])
        yield* Refunds.succeeded(scene)
        const lanes = yield* LaneStore
        const sent = yield* Effect.forEach(collectingWallets, ({ address }) =>
          lanes.laneTransactions({ chainId: Money.chainId, sender: address }, 0),
        )
        const [first = assert.fail("nothing was sent")] = sent.flat()
        const { signedAt: _, ...shown } = Object(yield* newest(key))
        const { hash, lane, nonce } = first
        assert.deepStrictEqual(shown, { nonce, txId: hash, earlierTxIds: [], feeMax: null })
        const transaction = {
          ...first,
          hash: Fixtures.hash("second"),
          feeMax: Fixtures.quantity(42n),
          earlierHashes: [hash],
        }
        const state = yield* lanes.laneState("test", lane)
        assert.isTrue(yield* lanes.placeInLane({ transaction, state }, first))
        const { signedAt: __, ...outbid } = Object(yield* newest(key))
        const txId = transaction.hash
        assert.deepStrictEqual(outbid, { nonce, txId, earlierTxIds: [hash], feeMax: "42" })
      }).pipe(Effect.provide(Scene.layer())),
  )
})

/** The newest transaction of the relayer that sent any. */
const newest = (key: string) =>
  Effect.map(Calls.send({ path: "/operator/v1/relayers", key }), ({ body }) => {
    const found = Scene.list(body, "relayers").flatMap((each) => Scene.list(each, "transactions"))
    return found[0] ?? assert.fail("nothing was sent")
  })
