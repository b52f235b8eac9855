import { assert, describe, it } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Fixtures from "@florin/testing/Fixtures"

describe("Transfer.failureOf", () => {
  it("is the reason if the transfer cannot happen any more", () => {
    assert.deepStrictEqual(
      Transfer.failureOf({ _tag: "Impossible", reason: "it reverted", txHash: "0x1" }),
      { reason: "it reverted", code: "lost" },
    )
  })

  it("S24: names the transaction that moved something else, which an operator must check", () => {
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

describe("Transfer.whyNotRetried", () => {
  it("S24: says what to do, and never suggests a retry", () => {
    const text = Transfer.whyNotRetried("it moved no such money (0x1)")
    assert.match(text, /^it moved no such money \(0x1\), .*look at what it moved/u)
    assert.match(text, /florin payouts accept <payoutId>` or `florin payouts release <payoutId>`/u)
    assert.notMatch(text, /florin payouts retry/u)
  })
})

describe("Transfer.movedBy", () => {
  const world = Fixtures.make("moved")
  const [merchant, feeCollector] = [Fixtures.address("merchant"), Fixtures.address("fees")]
  const sought = world.evidenceOf({
    token: world.token,
    from: world.payTo,
    to: merchant,
    quantity: Fixtures.quantity(100n),
  })
  const log = (to: Caip.Address, quantity: bigint, logIndex: number): Transfer.Evidence => ({
    ...sought,
    logIndex,
    movement: { ...sought.movement, to, quantity: Fixtures.quantity(quantity) },
  })

  it("S24: returns what left, what arrived, and the recipient of each part", () => {
    assert.deepStrictEqual(
      Transfer.movedBy(
        [log(feeCollector, 1n, 3), log(merchant, 90n, 4), log(merchant, 9n, 5)],
        sought,
      ),
      {
        transfer: log(merchant, 99n, 4),
        left: Fixtures.quantity(100n),
        transfers: [
          { to: feeCollector, quantity: Fixtures.quantity(1n) },
          { to: merchant, quantity: Fixtures.quantity(90n) },
          { to: merchant, quantity: Fixtures.quantity(9n) },
        ],
      },
    )
  })

  it("returns that nothing arrived, and nothing without logs", () => {
    assert.deepInclude(Transfer.movedBy([log(feeCollector, 100n, 3)], sought), {
      transfer: log(merchant, 0n, 3),
      left: Fixtures.quantity(100n),
    })
    assert.isNull(Transfer.movedBy([], sought))
  })
})
