import { assert, describe, it } from "@effect/vitest"
import * as Lane from "@florin/core/domain/outflow/Lane"
import * as Spending from "@florin/core/domain/outflow/Spending"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import { Schema } from "effect"

const lane = Fixtures.lane("lane")
const count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

describe("Lane.nextNonce", () => {
  it.prop(
    "follows the stored transactions and the chain's nonce, without a gap",
    [Schema.NullOr(count), Schema.NullOr(count)],
    ([nextNonce, floor]) => {
      const state: Lane.State = {
        spending: Spending.none,
        nextNonce,
        acceptedNonce: 0,
        haltedBecause: null,
      }
      const next = Lane.nextNonce(state, floor)
      assert.isAtLeast(next, nextNonce ?? 0)
      assert.isAtLeast(next, floor ?? 0)
      assert.include([nextNonce ?? 0, floor ?? 0], next)
    },
    { arbitrary: { runs: Counts.of({ usual: 200, full: 10_000 }) } },
  )
})

describe("Lane.slotOf", () => {
  it("is the nonce in its lane, with the time when it was signed", () => {
    const signed = Fixtures.laneTransaction(lane, 7, { signedAt: 5 })
    assert.deepStrictEqual(Lane.slotOf(signed), { lane, nonce: 7, takenAt: 5 })
  })
})

describe("Lane.hashes", () => {
  it("lists every version of the transaction, because any of them may be mined", () => {
    const signed = Fixtures.laneTransaction(lane, 0, { hash: "0x3" })
    assert.deepStrictEqual(Lane.hashes(signed), ["0x3"])
    assert.deepStrictEqual(Lane.hashes({ ...signed, earlierHashes: ["0x2", "0x1"] }), [
      "0x3",
      "0x2",
      "0x1",
    ])
  })
})
