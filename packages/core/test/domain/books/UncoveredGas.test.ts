import { assert, describe, it } from "@effect/vitest"
import * as UncoveredGas from "@florin/core/domain/books/UncoveredGas"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import type * as GasCost from "@florin/core/domain/money/GasCost"
import * as FailureBudget from "@florin/core/domain/payment/FailureBudget"

const spender = { mode: "live", partnerId: PartnerId.PartnerId.make("prtn_one") } as const
const chainId = Caip.ChainId.make("eip155:8453")
const costOf = (ordinary: bigint, allowance: bigint): GasCost.GasCost => ({
  coin: "ETH",
  unitsPerCoin: 10n ** 18n,
  ordinary,
  byCode: ordinary,
  allowance,
})
const charge = (ordinary: bigint, allowance: bigint, transactions = 3) =>
  UncoveredGas.charge(
    spender,
    chainId,
    { cost: costOf(ordinary, allowance), limits: FailureBudget.defaults },
    transactions,
  ).byInMs

describe("The gas of refunds", () => {
  it("uses a part of an hour for each transaction", () => {
    assert.strictEqual(charge(2n, 10n, 1), FailureBudget.hourInMs / 200)
    assert.strictEqual(charge(2n, 10n, 3), (3 * FailureBudget.hourInMs) / 200)
  })

  it("is compared with a usual cost if the operator allows nothing, and ignored if gas is free", () => {
    assert.strictEqual(charge(2n, 0n, 2), FailureBudget.hourInMs / 20)
    assert.strictEqual(charge(0n, 0n), 0)
  })

  it("S32: never blocks a partner for longer than a few hours by one refund, whatever gas costs", () => {
    for (const ordinary of [10n ** 6n, 10n ** 15n, 10n ** 30n, 10n ** 400n]) {
      assert.strictEqual(charge(ordinary, 1n), 3 * FailureBudget.hourInMs)
    }
  })

  it("S32: closes a partner on a chain once its hour is used up, until time gives some of it back", () => {
    const now = 1_000_000_000_000
    const { hourInMs } = FailureBudget
    const levelOf = (of: UncoveredGas.Spender, emptyAt: number) => ({
      subject: UncoveredGas.subject(of, chainId),
      emptyAt,
      hasPaid: false,
    })
    const isSpent = (...levels: ReadonlyArray<FailureBudget.Level>) =>
      UncoveredGas.isSpent(spender, chainId, levels, now)
    const other = { ...spender, partnerId: PartnerId.PartnerId.make("prtn_other") }
    const used = levelOf(other, now + 5 * hourInMs)
    assert.isFalse(isSpent())
    assert.isFalse(isSpent(used), "of another partner")
    assert.isFalse(isSpent(used, levelOf(spender, now + hourInMs)))
    assert.isTrue(isSpent(used, levelOf(spender, now + hourInMs + 1)))
  })

  it("S32: uses up all of it with any refund if the operator allows none", () => {
    const limits = { ...FailureBudget.defaults, refund: 0 }
    const entry = UncoveredGas.charge(spender, chainId, { cost: costOf(2n, 10n), limits }, 1)
    const subject = UncoveredGas.subject(spender, chainId)
    assert.deepStrictEqual(entry, { subject, byInMs: FailureBudget.costOf(limits, "refund") })
    assert.deepStrictEqual(UncoveredGas.requiringLeft(entry), {
      ...entry,
      mostInMs: FailureBudget.hourInMs + entry.byInMs,
    })
  })
})
