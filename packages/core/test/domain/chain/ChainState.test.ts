import { assert, describe, it } from "@effect/vitest"
import * as ChainState from "@florin/core/domain/chain/ChainState"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Fixtures from "@florin/testing/Fixtures"

const chainId = Eip155.chainId(8453)
const unknown = ChainState.initial(chainId)
const checkpoint = (number: number, fork = "a"): ChainState.Checkpoint => ({
  number,
  hash: `${fork}${number}`,
})

const given = (state: ChainState.ChainState | null): ChainState.ChainState =>
  state ?? assert.fail("nothing changed")

/** The state after looks at a chain that only grows. */
const grown = (numbers: Iterable<number>): ChainState.ChainState => {
  let state = unknown
  for (const number of numbers) {
    state = given(
      ChainState.advance(state, state.checkpoints, state.checkpoints, checkpoint(number)),
    )
  }
  return state
}

describe("ChainState.advance", () => {
  it("adds the first checkpoint, and every newer one", () => {
    const first = given(ChainState.advance(unknown, [], [], checkpoint(7)))
    assert.deepStrictEqual(first, { chainId, checkpoints: [checkpoint(7)], halt: null })
    const second = given(
      ChainState.advance(first, first.checkpoints, first.checkpoints, checkpoint(9)),
    )
    assert.deepStrictEqual(second.checkpoints, [checkpoint(9), checkpoint(7)])
  })

  it("changes nothing if the node is behind or the chain has no new block", () => {
    const state = grown([7])
    for (const number of [6, 7]) {
      assert.isNull(
        ChainState.advance(state, state.checkpoints, state.checkpoints, checkpoint(number)),
      )
    }
  })

  it("changes nothing if another process advanced the state meanwhile", () => {
    const state = grown([7, 9])
    assert.isNull(ChainState.advance(state, [checkpoint(7)], [checkpoint(7)], checkpoint(10)))
    assert.isNull(ChainState.advance(state, [checkpoint(9, "b")], [], checkpoint(10)))
    assert.isNull(ChainState.advance(state, [], [], checkpoint(10)))
    assert.isNull(ChainState.advance(unknown, [checkpoint(7)], [], checkpoint(10)))
  })

  it("removes checkpoints that the chain dropped, even if there is no newer one", () => {
    const state = grown([1, 2, 3, 5, 9])
    const standing = state.checkpoints.filter(({ number }) => number <= 2)
    const next = given(ChainState.advance(state, state.checkpoints, standing, checkpoint(4, "b")))
    assert.deepStrictEqual(next.checkpoints[0], checkpoint(4, "b"))
    assert.isTrue(next.checkpoints.slice(1).every(({ number }) => number <= 2))
    const none = given(ChainState.advance(state, state.checkpoints, [], checkpoint(1, "b")))
    assert.deepStrictEqual(none.checkpoints, [checkpoint(1, "b")])
  })

  it("keeps a checkpoint near every depth, and only a few of them on a long chain", () => {
    const length = 1000
    const steps = [1, 2, 3, 7]
    for (const step of steps) {
      let state = unknown
      for (let number = step; number <= length; number += step) {
        state = given(
          ChainState.advance(state, state.checkpoints, state.checkpoints, checkpoint(number)),
        )
        const distances = state.checkpoints.map((each) => number - each.number)
        assert.strictEqual(distances[0], 0)
        assert.isAtMost(state.checkpoints.length, 2 + Math.ceil(Math.log2(number)))
        // Whatever stands of the chain, the newest checkpoint that stands is not much deeper than it had to be.
        for (const [index, distance] of distances.slice(1).entries()) {
          assert.isAtMost(distance, 8 * ((distances[index] ?? 0) + step))
        }
      }
    }
  })
})

describe("ChainState.checkedFrom", () => {
  it("starts at the checkpoint before the last, so that no block in between is missed", () => {
    assert.strictEqual(ChainState.checkedFrom(unknown, [], checkpoint(7)), 0)
    const first = grown([7])
    assert.strictEqual(ChainState.checkedFrom(first, first.checkpoints, checkpoint(9)), 0)
    const second = grown([7, 9])
    assert.strictEqual(ChainState.checkedFrom(second, second.checkpoints, checkpoint(11)), 7)
  })

  it("starts after the newest checkpoint while there is no newer one", () => {
    const state = grown([7, 9])
    for (const next of [checkpoint(9), checkpoint(8), null]) {
      assert.strictEqual(ChainState.checkedFrom(state, state.checkpoints, next), 10)
    }
  })

  it("starts at the newest checkpoint that still exists, or at the first block", () => {
    const state = grown([1, 2, 4, 8])
    const standing = state.checkpoints.slice(1)
    for (const next of [checkpoint(9, "b"), checkpoint(3, "b"), null]) {
      assert.strictEqual(ChainState.checkedFrom(state, standing, next), standing[0]?.number)
      assert.strictEqual(ChainState.checkedFrom(state, [], next), 0)
    }
  })
})

describe("ChainState.halt and ChainState.resume", () => {
  it("halts a chain's lanes once, and resumes them", () => {
    const halted = given(ChainState.halt(grown([7]), "blocks are gone", 5))
    assert.deepStrictEqual(halted.halt, { reason: "blocks are gone", haltedAt: 5 })
    assert.isNull(ChainState.halt(halted, "blocks are gone", 6))
    assert.deepStrictEqual(ChainState.resume(halted), grown([7]))
    assert.isNull(ChainState.resume(grown([7])))
  })

  it("lists every reason, with the time of the first one", () => {
    const halted = given(ChainState.halt(grown([7]), "blocks are gone", 5))
    const again = given(ChainState.halt(halted, "a node lies", 6))
    assert.deepStrictEqual(again.halt, { reason: "blocks are gone; a node lies", haltedAt: 5 })
    assert.isNull(ChainState.halt(again, "blocks are gone", 7))
    assert.deepStrictEqual(ChainState.resume(again), grown([7]))
  })

  it("stays halted while checkpoints advance", () => {
    const halted = given(ChainState.halt(grown([7]), "blocks are gone", 5))
    const next = given(ChainState.advance(halted, halted.checkpoints, [], checkpoint(9)))
    assert.isNotNull(next.halt)
  })
})

describe("ChainState.haltForeign", () => {
  const [sender, other] = [Fixtures.address("sender"), Fixtures.address("other")]
  const foreign: ChainState.Foreign = { sender, fromNonce: 5, untilNonce: 8 }
  const halted = given(ChainState.haltForeign(grown([7]), foreign, 5))

  it("names the account, the nonce since when it is used elsewhere, and what to do", () => {
    assert.strictEqual(halted.halt?.haltedAt, 5)
    const { reason = "" } = halted.halt ?? {}
    assert.include(reason, `account ${sender} sent what`)
    assert.include(reason, "from nonce 5 on")
    assert.include(reason, "compare its transfers with the ledger")
  })

  it("halts once for each account, in addition to other reasons", () => {
    assert.isNull(ChainState.haltForeign(halted, { ...foreign, untilNonce: 9 }, 6))
    const both = given(ChainState.haltForeign(halted, { ...foreign, sender: other }, 6))
    assert.deepStrictEqual(both.halt?.foreign, { [sender]: 8, [other]: 8 })
    assert.strictEqual(both.halt?.haltedAt, 5)
    for (const account of [sender, other]) {
      assert.include(both.halt?.reason, account)
    }
    const reorganised = given(ChainState.halt(grown([7]), "blocks are gone", 1))
    const mixed = given(ChainState.haltForeign(reorganised, foreign, 6))
    assert.strictEqual(mixed.halt?.reason, `blocks are gone; ${ChainState.foreignReason(foreign)}`)
  })

  it("after a resume, ignores only the transactions that the operator saw", () => {
    const accepted = given(ChainState.resume(halted))
    assert.isNull(accepted.halt)
    assert.deepStrictEqual(accepted.accepted, { [sender]: 8 })
    assert.isNull(ChainState.haltForeign(accepted, foreign, 9))
    const later = given(ChainState.haltForeign(accepted, { ...foreign, untilNonce: 9 }, 9))
    assert.deepStrictEqual(ChainState.resume(later)?.accepted, { [sender]: 9 })
    const others = given(ChainState.haltForeign(accepted, { ...foreign, sender: other }, 9))
    assert.deepStrictEqual(ChainState.resume(others)?.accepted, { [sender]: 8, [other]: 8 })
    const reorganised = given(ChainState.halt(accepted, "blocks are gone", 9))
    assert.deepStrictEqual(ChainState.resume(reorganised), accepted)
  })
})

describe("ChainState.stopToken and ChainState.resumeToken", () => {
  const [one, other] = [Fixtures.address("a token"), Fixtures.address("another token")]
  const stop: ChainState.TokenStop = { reason: "it moved something else", stoppedAt: 1 }
  const stopped = ChainState.stopToken(ChainState.initial(chainId), one, stop)

  it("S24: stops a token once, and keeps the first reason", () => {
    assert.deepStrictEqual(stopped?.stopped, { [one]: stop })
    assert.isNull(stopped?.halt)
    assert.isNull(
      ChainState.stopToken(stopped ?? assert.fail(), one, { ...stop, reason: "it did so again" }),
    )
  })

  it("S24: resumes one token, if it is stopped", () => {
    const both = ChainState.stopToken(stopped ?? assert.fail(), other, stop) ?? assert.fail()
    assert.deepStrictEqual(ChainState.resumeToken(both, one)?.stopped, { [other]: stop })
    assert.isNull(ChainState.resumeToken(stopped ?? assert.fail(), other))
    assert.isNull(ChainState.resumeToken(ChainState.initial(chainId), one))
  })
})

describe("ChainState.moveScan and ChainState.scanAgain", () => {
  const begun = ChainState.moveScan(unknown, {}, 10) ?? assert.fail()

  it("a scan moves only from its expected position", () => {
    assert.strictEqual(begun.scannedTo, 10)
    assert.isNull(ChainState.moveScan(begun, {}, 11))
    assert.isNull(ChainState.moveScan(begun, { scannedTo: 9 }, 90))
    assert.strictEqual(ChainState.moveScan(begun, begun, 20)?.scannedTo, 20)
  })

  it("only blocks that were scanned are scanned again", () => {
    assert.strictEqual(ChainState.scanAgain(begun, 10)?.scannedTo, 9)
    assert.strictEqual(ChainState.scanAgain(begun, 6)?.scannedTo, 5)
    assert.strictEqual(ChainState.scanAgain(begun, 11)?.scannedTo, 10)
    assert.isNull(ChainState.scanAgain(unknown, 0))
  })

  it("what scans left to audits is scanned again from its first block on, and once", () => {
    const left = given(ChainState.moveScan(begun, begun, 20, [17, 14]))
    const more = given(ChainState.moveScan(left, left, 30, [25]))
    assert.strictEqual(ChainState.scanLeft(more, 12)?.scannedTo, 11)
    const again = given(ChainState.scanLeft(more, 28))
    assert.strictEqual(again.scannedTo, 13)
    const moved = given(ChainState.moveScan(again, again, 30))
    const after = given(ChainState.scanLeft(moved, 28))
    assert.strictEqual(after.scannedTo, 27)
    assert.isNull(ChainState.moveScan(after, moved, 40))
  })

  it("a scan that began earlier moves nothing, wherever the blocks are that are scanned again", () => {
    for (const fromBlock of [6, 11, 15]) {
      const again = given(ChainState.scanAgain(begun, fromBlock))
      assert.isNull(ChainState.moveScan(again, begun, 20))
      const moved = given(ChainState.moveScan(again, again, 10))
      assert.isNull(ChainState.moveScan(moved, begun, 20), "another scan came back to its place")
    }
  })
})
