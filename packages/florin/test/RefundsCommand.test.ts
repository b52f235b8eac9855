import { assert, describe, it } from "@effect/vitest"
import * as Beside from "./beside.ts"

const beside = Beside.dev()

describe("florin refunds create and show", () => {
  it("give a payment back once, and tell how it stands", { timeout: Beside.timeout }, async () => {
    const { gatewayUrl, paymentId } = await beside.partner().payments.create({
      referenceId: "back",
      amount: { unit: "iso4217/USD", value: "300" },
    })
    assert.include(await beside.fails(1, "refunds", "create", paymentId), "asking for the refund: ")
    await beside.run("pay", gatewayUrl, "--yes")

    const created = await beside.run("refunds", "create", paymentId)
    assert.include(created, "3 USDC on Base goes back to the payer")
    const [, refundId = ""] = /florin refunds show (\S+)/u.exec(created) ?? []
    const { refund } = await beside.partner().payments.get(paymentId)
    assert.strictEqual(refund?.refundId, refundId)
    const shown = await beside.run("refunds", "show", refundId)
    assert.include(shown, paymentId)
    assert.match(shown, /amount +3 USDC on Base\n/u)
    assert.match(shown, /status +(?:pending|processing|succeeded)\n/u)
    assert.include(await beside.fails(1, "refunds", "create", paymentId), "asking for the refund: ")
  })
})
