import { assert, describe, it } from "@effect/vitest"
import * as Transfer from "@florin/core/domain/Transfer"

describe("Transfer.failureOf", () => {
  it("is the reason, of a transfer that is gone", () => {
    assert.deepStrictEqual(
      Transfer.failureOf({ _tag: "Impossible", reason: "it reverted", txHash: "0x1" }),
      { reason: "it reverted", code: "lost" },
    )
  })

  it("S24: names the transaction that moved something else: somebody must look at it", () => {
    const failure = Transfer.failureOf({
      _tag: "Impossible",
      reason: "it moved no such money",
      movedOtherwise: true,
      txHash: "0x1",
    })
    assert.deepStrictEqual(failure, {
      reason: "it moved no such money (0x1)",
      code: "moved",
      movedOtherwise: true,
    })
  })
})

describe("Transfer.notSentAgain", () => {
  it("S24: says what to do, and that the service will not do it by itself", () => {
    const text = Transfer.notSentAgain("it moved no such money (0x1)")
    assert.match(text, /^it moved no such money \(0x1\), .*look at what it moved/u)
    assert.match(text, /nothing is sent again by itself$/u)
  })
})
