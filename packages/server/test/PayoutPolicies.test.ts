import { assert, describe, it } from "@effect/vitest"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import { AccountStore, findMerchant, findPartner } from "@florin/core/ports/AccountStore"
import { createFlorin, type Florin } from "@florin/server/Florin"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect, Result } from "effect"

const everyHour = Result.getOrThrow(PayoutPolicy.parse("60m/500"))

/** By which policy a merchant is paid out in the end. */
const policyOf = (florin: Florin, { id, mode, partnerId }: Merchant.Merchant) =>
  florin.run(
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const merchant = yield* findMerchant(accounts, { partnerId, mode }, id)
      const partner = yield* findPartner(accounts, partnerId)
      return PayoutPolicy.format(Merchant.payoutsOf(merchant, partner, PayoutPolicy.defaults))
    }),
  )

describe("an operator's payout policies", () => {
  it("apply to a merchant, else to its partner, else to the service", async () => {
    const florin = createFlorin({
      payLinkHost: "pay.example.com",
      pages: false,
      chains: SimulatedChain.layerChains({}),
    })
    const { operator } = florin
    const { id: partnerId } = await operator.partners.create({ name: "Partner" })
    const tenant = { partnerId: PartnerId.PartnerId.make(partnerId), mode: "live" } as const
    const { merchant } = await florin.run(
      Merchants.create({
        tenant,
        name: "Bakery",
        email: "bread@example.com",
        idempotencyKey: "bakery",
      }),
    )
    assert.strictEqual(await policyOf(florin, merchant), "15m")
    await operator.partners.change({ partnerId, payouts: PayoutPolicy.format(everyHour) })
    assert.strictEqual(await policyOf(florin, merchant), "60m/500")
    await operator.merchants.change({ merchantId: merchant.id, payouts: "immediate" })
    assert.strictEqual(await policyOf(florin, merchant), "immediate")

    await operator.merchants.change({ merchantId: merchant.id, payouts: null })
    assert.strictEqual(await policyOf(florin, merchant), "60m/500")
    await operator.partners.change({ partnerId, payouts: null })
    assert.strictEqual(await policyOf(florin, merchant), "15m")

    const refused = await operator.merchants
      .change({ merchantId: "mrch_0", payouts: null })
      .catch(String)
    assert.include(`${refused}`, "no such merchant")
    await florin.dispose()
  })
})
