import { assert, describe, it } from "@effect/vitest"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import * as AuditLog from "@florin/core/engine/record/AuditLog"
import { Effect } from "effect"
import * as Scene from "./scene.ts"

const { alone, begin, failsWith, first } = Scene

describe("the fees of a merchant", () => {
  it.effect(
    "are its partner's until it has its own, which apply to payments created later",
    alone(
      Effect.gen(function* () {
        const { addMerchant, partner, pay, shop, tenant } = yield* begin
        const other = yield* addMerchant({ name: "Other" })
        const before = (yield* pay()).payment
        assert.deepStrictEqual(before.feeTerms, partner.feeTerms)
        const percentage = yield* Effect.fromResult(Fees.parsePercentage("0.2"))
        const own = { ...partner.feeTerms, percentage }
        const changed = yield* Merchants.changeAsOperator(tenant, shop.id, { fees: { percentage } })
        assert.deepStrictEqual(changed.feeTerms, own)
        assert.deepStrictEqual((yield* pay()).payment.feeTerms, own)
        const elsewhere = yield* pay({ merchantId: other.id })
        assert.deepStrictEqual(elsewhere.payment.feeTerms, partner.feeTerms)
        const { items } = yield* AuditLog.list(tenant, undefined, 100)
        const entry = first(items.filter(({ action }) => action === "merchant.changed"))
        assert.strictEqual(entry.subject, shop.id)
        assert.deepInclude([...entry.changes], { field: "feePercentage", from: null, to: "0.2" })

        const fixed = yield* Effect.fromResult(Fees.parseFixed("0.30 EUR"))
        const both = yield* Merchants.changeAsOperator(tenant, shop.id, { fees: { fixed } })
        assert.deepStrictEqual(both.feeTerms, { ...partner.feeTerms, fixed, percentage })
        assert.notProperty(
          yield* Merchants.changeAsOperator(tenant, shop.id, { fees: null }),
          "feeTerms",
        )
        assert.deepStrictEqual((yield* pay()).payment.feeTerms, partner.feeTerms)
        yield* failsWith(
          "NotFound",
          Merchants.changeAsOperator(tenant, "mrch_nobody", { fees: null }),
        )
      }),
    ),
  )

  it.effect(
    "apply to a payment without a merchant id if the partner has only one merchant",
    alone(
      Effect.gen(function* () {
        const { pay, shop, tenant } = yield* begin
        const fixed = yield* Effect.fromResult(Fees.parseFixed("1 USD"))
        const { feeTerms } = yield* Merchants.changeAsOperator(tenant, shop.id, { fees: { fixed } })
        const { payment } = yield* pay({ merchantId: undefined })
        assert.deepStrictEqual(payment.feeTerms, feeTerms)
      }),
    ),
  )

  it.effect(
    "decide instead of the partner's whether an amount is too small to be paid",
    alone(
      Effect.gen(function* () {
        const { pay, partner, shop, tenant } = yield* begin
        const inYen = yield* Effect.fromResult(Fees.parseFixed("10 JPY"))
        const costly = { ...partner, feeTerms: Fees.change(partner.feeTerms, { fixed: inYen }) }
        yield* failsWith("InvalidInput", pay({ partner: costly }))
        const fixed = yield* Effect.fromResult(Fees.parseFixed("0.10 USD"))
        yield* Merchants.changeAsOperator(tenant, shop.id, { fees: { fixed } })
        yield* pay({ partner: costly })
        yield* Merchants.changeAsOperator(tenant, shop.id, { fees: { fixed: inYen } })
        yield* failsWith("InvalidInput", pay())
      }),
    ),
  )
})
