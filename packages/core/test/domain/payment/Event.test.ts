import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import * as Event from "@florin/core/domain/payment/Event"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Samples from "../samples.ts"

describe("Event.make", () => {
  it("contains the payment right after the change, the time of the change, and its version", () => {
    const payment = { ...Samples.processing(), stateVersion: 12, updatedAt: Samples.now + 7 }
    assert.deepStrictEqual(Event.make("payment.processing", payment), {
      id: "evt_0000000000test0012",
      type: "payment.processing",
      stateVersion: 12,
      createdAt: Samples.now + 7,
      payment,
    })
  })
})

describe("the terms of a payment", () => {
  const progress = new Set(["revision", "stateVersion", "updatedAt", "state", "reports"])
  const promiseOf = (payment: Payment.Payment) =>
    Object.entries(payment).filter(([name]) => !progress.has(name) && name !== "auditedSince")

  it.each(Fixtures.stages)(
    "stay the same at every step until it is %s, as does the accepted confirm",
    (stage) => {
      const path = Fixtures.make("promise").path(stage)
      const payments = path.flatMap((write) => write.payments.map(({ payment }) => payment))
      for (const [index, payment] of payments.entries()) {
        const before = payments[index - 1] ?? payment
        assert.deepStrictEqual(promiseOf(payment), promiseOf(before))
        const attempt = Payment.attemptOf(before)
        if (attempt !== null) assert.deepStrictEqual(Payment.attemptOf(payment), attempt)
      }
    },
  )
})

describe("Event.ofDestination", () => {
  const { token } = Samples.usdcOnBase
  const [old, next] = [Samples.address("a"), Samples.address("b")].map((address) => {
    const destination = { chainId: token.chainId, address }
    return { destination, destinationText: Eip155.formatAccount(destination) }
  })
  const before: SettlementDestination.SettlementDestination = {
    id: SettlementDestination.SettlementDestinationId.make("crypto_00000000test"),
    merchantId: Samples.merchantId,
    token,
    assetText: "usdc",
    createdAt: 1,
    ...(old ?? assert.fail()),
  }
  const acting = {
    actor: { _tag: "Operator", name: "ada", processId: 7 },
    requestId: null,
  } as const
  const by = { partnerId: Samples.partnerId, mode: "live", acting, now: Samples.now } as const
  const delay = { delayInMs: 60, now: Samples.now }

  it("S11: contains both accounts, when the new one takes effect, who changed it, and its number", () => {
    const after = SettlementDestination.change(before, next ?? assert.fail(), delay)
    const event = Event.ofDestination(before, after, by)
    const told = {
      id: "evt_00000000test0000",
      type: "settlement_destination.changed",
      stateVersion: 0,
      createdAt: Samples.now,
      partnerId: Samples.partnerId,
      mode: "live",
      merchantId: Samples.merchantId,
      destinationId: before.id,
      assetText: "usdc",
      from: old?.destinationText,
      to: next?.destinationText,
      takesEffectAt: Samples.now + 60,
      ...acting,
    }
    assert.deepStrictEqual<unknown>(event, told)
    assert.deepStrictEqual(event && Event.tenantOf(event), event)
    assert.isFalse(event !== null && Event.isOfPayment(event))
    const gone = SettlementDestination.remove(after, Samples.now + 1)
    assert.deepStrictEqual<unknown>(Event.ofDestination(after, gone, by), {
      ...told,
      id: "evt_00000000test0001",
      stateVersion: 1,
      from: next?.destinationText,
      to: null,
      takesEffectAt: null,
    })
    // Another one for the token counts from the start.
    const id = SettlementDestination.SettlementDestinationId.make("crypto_other")
    const again = SettlementDestination.register(
      { ...before, id },
      { deleted: [gone], owed: [] },
      delay,
    )
    assert.deepInclude(Event.ofDestination(gone, again, by), {
      id: "evt_other0000",
      from: before.destinationText,
    })
  })

  it("S11: is null for a first registration, and for the same account in another spelling", () => {
    assert.isNull(Event.ofDestination(null, before, by))
    const spelled = { ...before, destinationText: "another spelling" }
    const after = SettlementDestination.change(before, spelled, delay)
    assert.strictEqual(after.destinationText, "another spelling")
    assert.isNull(Event.ofDestination(before, after, by))
  })

  it("S11: of a payment belongs to its partner", () => {
    const payment = Samples.processing()
    const event = Event.make("payment.processing", payment)
    assert.isTrue(Event.isOfPayment(event))
    assert.strictEqual(Event.tenantOf(event), payment)
  })
})
