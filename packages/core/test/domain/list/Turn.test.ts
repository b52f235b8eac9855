import { assert, describe, it } from "@effect/vitest"
import * as OwnMoney from "@florin/core/domain/books/OwnMoney"
import * as Turn from "@florin/core/domain/list/Turn"
import * as Change from "@florin/core/domain/payment/Change"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Fixtures from "@florin/testing/Fixtures"
import { given } from "../books.ts"

const { chainId, now, otherChainId } = Fixtures
const world = Fixtures.make("turn")
const member = world.tenant.partnerId
const otherToken = Fixtures.token("turn", otherChainId)

const at = (
  stage: Fixtures.Stage,
  overrides?: Fixtures.PaymentOverrides,
  chosen?: Fixtures.OptionOverrides,
) => Fixtures.paymentAfter(world.path(stage, overrides, chosen))

const groupsOf = (payment: Payment.Payment) =>
  Object.fromEntries(Change.workKinds.map((kind) => [kind, Turn.ofPayment(payment, kind).group]))

describe("Turn.ofPayment", () => {
  it("S9: groups work by its chain, so that a chain that hangs delays no other", () => {
    for (const stage of ["relayed", "settlementPending", "refundAfterSettlement"] as const) {
      const [here, there] = [at(stage), at(stage, {}, { token: otherToken })]
      for (const kind of ["collect", "settle", "audit"] as const) {
        assert.deepStrictEqual(Turn.ofPayment(here, kind), { group: chainId, member })
        assert.deepStrictEqual(Turn.ofPayment(there, kind), { group: otherChainId, member })
      }
    }
  })

  it("S9: separates work without a chain from all chains", () => {
    const none = groupsOf(at("created"))["collect"]
    assert.deepStrictEqual(
      new Set(Object.values(groupsOf(at("created")))),
      new Set([none]),
      "a payment that nobody confirmed is on no chain",
    )
    for (const payment of [at("relayed"), at("relayed", {}, { token: otherToken })]) {
      assert.strictEqual(groupsOf(payment)["expire"], none)
    }
    assert.notInclude<unknown>([chainId, otherChainId, ""], none)
  })

  it("S9: looks for reports in the store, without a chain, and audits where the payment was paid", () => {
    assert.strictEqual(groupsOf(at("lateReported"))["watch"], groupsOf(at("created"))["watch"])
    assert.strictEqual(groupsOf(at("settled"))["audit"], chainId)
    assert.strictEqual(groupsOf(at("settled", {}, { token: otherToken }))["audit"], otherChainId)
  })

  it("has a separate queue for each partner on a chain", () => {
    const other = at("relayed", world.other)
    assert.deepStrictEqual(Turn.ofPayment(other, "collect"), {
      group: chainId,
      member: world.other.partnerId,
    })
  })
})

describe("Turn.ofOutflow", () => {
  it("uses the queue of the outflow's partner on its token's chain", () => {
    for (const stage of ["gathered", "refundPending", "lateReturning"] as const) {
      const { outflow } = Fixtures.statesAfter(world.path(stage))
      assert.deepStrictEqual(Turn.ofOutflow(given(outflow)), { group: chainId, member })
    }
  })

  it("uses a separate queue for the operator's own money", () => {
    const movement = {
      token: world.token,
      from: world.payTo,
      to: Fixtures.address("turn/other"),
      quantity: Fixtures.quantity(1n),
    }
    const write = OwnMoney.request(
      { id: world.outflowId(), mode: "test", movement, purpose: "Move" },
      [],
      now,
    )
    const queue = Turn.ofOutflow(given(write.outflows[0]).outflow)
    assert.strictEqual(queue.group, chainId)
    assert.notMatch(queue.member, /^(?:prtn_.*)?$/u)
  })
})
