import { assert, describe, it } from "@effect/vitest"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as Statement from "@florin/core/domain/list/Statement"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Fixtures from "@florin/testing/Fixtures"
import { Result } from "effect"

const world = Fixtures.make("statement")
const { merchantId, payTo: collecting, token } = world
const other = MerchantId.MerchantId.make("mrch_other")
const quantity = Fixtures.quantity
const held = { collecting, token }
const paid = {
  ...held,
  payer: Fixtures.account("payer"),
  merchantId,
  partnerId: world.tenant.partnerId,
  charge: { total: quantity(3n), fixed: quantity(1n), net: quantity(97n) },
}
const out = { ...held, merchantId, destination: Fixtures.account("shop") }
const settled = Fixtures.settlement({ ...out, quantity: quantity(40n), netted: quantity(7n) })
const back = { ...paid, quantity: quantity(100n), own: quantity(0n), fee: quantity(3n) }
const refunded = Ledger.refund({ ...back, kept: [{ collecting, quantity: quantity(90n) }] })
const none = {
  paidIn: 0n,
  fees: 0n,
  refunds: 0n,
  debt: 0n,
  kept: 0n,
  paidOut: 0n,
  transferred: 0n,
}

describe("a line of a statement", () => {
  const rows: ReadonlyArray<
    readonly [what: string, of: Ledger.Transaction, lines: Partial<Statement.Lines>]
  > = [
    ["a payment", Ledger.collection(paid), { paidIn: 100n, fees: -3n }],
    [
      "a refund before the payout",
      Ledger.refund({ ...back, own: quantity(97n) }),
      { refunds: -100n, fees: 3n },
    ],
    [
      "a refund of a part after a part was paid out",
      Ledger.refund({ ...back, quantity: quantity(50n), own: quantity(20n), fee: quantity(1n) }),
      { refunds: -50n, fees: 1n, debt: 29n },
    ],
    ["a refund after the payout", refunded, { refunds: -100n, fees: 3n, kept: 90n, debt: 7n }],
    [
      "a refund that did not happen",
      Ledger.reversal(refunded),
      { refunds: 100n, fees: -3n, kept: -90n, debt: -7n },
    ],
    ["a payout that nets", settled, { paidOut: -40n, debt: -7n }],
    ["a payout that was taken back", Ledger.reversal(settled), { paidOut: 40n, debt: 7n }],
    [
      "a payout of more than was owed",
      Fixtures.advance({ ...out, quantity: quantity(5n) }),
      { paidOut: -5n, debt: 5n },
    ],
    ["netting", Ledger.netting({ ...held, merchantId, quantity: quantity(7n) }), { debt: -7n }],
    ["keeping", Ledger.keptBack({ ...held, merchantId, quantity: quantity(7n) }), { kept: -7n }],
    [
      "keeping for another merchant",
      Ledger.keptBack({ ...held, from: merchantId, merchantId: other, quantity: quantity(7n) }),
      { transferred: -7n },
    ],
    [
      "keeping of another merchant's",
      Ledger.keptBack({ ...held, from: other, merchantId, quantity: quantity(7n) }),
      { kept: -7n, transferred: 7n },
    ],
  ]
  for (const [what, transaction, lines] of rows) {
    it(`shows ${what} with its effect on the merchant`, () => {
      assert.deepStrictEqual(Statement.movement(transaction, merchantId, token), {
        ...none,
        ...lines,
      })
    })
  }

  it("is absent for transactions that move no money of the merchant, or another token", () => {
    const funded = Ledger.funding({ ...held, quantity: quantity(1n) })
    assert.isNull(Statement.movement(funded, merchantId, token))
    assert.isNull(Statement.movement(settled, other, token))
    assert.isNull(Statement.movement(settled, merchantId, Fixtures.token("other")))
  })
})

describe("the period of a statement", () => {
  const parse = (from: string, to: string) => Statement.parsePeriod({ from, to })

  it("is whole days in UTC, including the last one", () => {
    assert.deepStrictEqual(Result.getOrThrow(parse("2026-02-28", "2026-03-01")), {
      from: Date.UTC(2026, 1, 28),
      before: Date.UTC(2026, 2, 2),
    })
  })

  it("is refused if a day does not exist, or the last day is before the first", () => {
    const fields = (from: string, to: string) => {
      const parsed = parse(from, to)
      return Result.isFailure(parsed) ? parsed.failure.issues.map(({ field }) => field) : []
    }
    assert.deepStrictEqual(fields("2026-02-30", "2026-3-1"), ["from", "to"])
    assert.deepStrictEqual(fields("2026-03-02", "2026-03-01"), ["to"])
    assert.deepStrictEqual(fields("2026-03-01T00:00:00Z", "2026-03-01"), ["from"])
  })
})
