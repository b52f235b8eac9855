import { assert, describe, it } from "@effect/vitest"
import * as Claim from "@florin/core/domain/Claim"
import * as LateMoney from "@florin/core/domain/LateMoney"
import * as Ledger from "@florin/core/domain/Ledger"
import * as Payment from "@florin/core/domain/Payment"
import * as PaymentTransition from "@florin/core/domain/PaymentTransition"
import * as Samples from "./samples.ts"

const { now, slot } = Samples
const option = Samples.option({ flow: "transfer" })
const transfer = Samples.evidence(Payment.movement(Samples.attempt({ option })))
const otherHash = `0x${"1".repeat(64)}`

const reported = (...hashes: ReadonlyArray<string>): Payment.Payment =>
  hashes.reduce(
    (payment, hash) => PaymentTransition.reportLate(payment, hash, option, now)?.payment ?? payment,
    Samples.created(),
  )

const suspended = (): Payment.Payment =>
  LateMoney.suspend(reported(transfer.txHash), transfer, now)?.payment ?? Samples.created()

const returning = (): Payment.Payment =>
  LateMoney.giveBack(suspended(), transfer.txHash, slot(5), now)?.payment ?? suspended()

const ledgerLine = {
  payer: option.account,
  collecting: option.payTo,
  token: option.token,
  quantity: option.quantity,
}

describe("LateMoney.suspend", () => {
  it("keeps real money apart, books it and claims it", () => {
    const change = LateMoney.suspend(reported(transfer.txHash), transfer, now + 1)
    assert.deepStrictEqual(change?.payment.late, [
      { _tag: "Suspended", transfer, suspendedAt: now + 1 },
    ])
    assert.deepStrictEqual(change?.claims, [Claim.ofTransfer(transfer)])
    assert.deepStrictEqual(change?.ledger, [Ledger.suspended(ledgerLine)])
    assert.deepStrictEqual(change?.due, { watch: null })
    assert.strictEqual(change?.payment.state._tag, "RequiresAction")
  })

  it("goes on looking while another transfer is reported", () => {
    const change = LateMoney.suspend(reported(transfer.txHash, otherHash), transfer, now + 1)
    assert.deepStrictEqual(change?.due, { watch: now + 1 })
    assert.strictEqual(
      change === null ? undefined : LateMoney.reported(change.payment)?.txHash,
      otherHash,
    )
  })

  it("does nothing where nothing was reported", () => {
    assert.isNull(LateMoney.suspend(Samples.created(), transfer, now))
    assert.isNull(LateMoney.suspend(suspended(), transfer, now))
  })
})

describe("LateMoney.dismiss", () => {
  it("remembers why a report was unfounded", () => {
    const change = LateMoney.dismiss(reported(otherHash), "it reverted", now)
    assert.deepStrictEqual(change?.payment.late, [
      { _tag: "Unfounded", txHash: otherHash, reason: "it reverted" },
    ])
    assert.deepStrictEqual(change?.due, { watch: null })
    assert.deepStrictEqual(change?.ledger, [])
    assert.isNull(LateMoney.dismiss(Samples.created(), "x", now))
  })
})

describe("LateMoney.giveBack", () => {
  it("commits to the transfer back to whom it came from", () => {
    const change = LateMoney.giveBack(suspended(), transfer.txHash, slot(5), now)
    assert.deepStrictEqual(change?.payment.late, [{ _tag: "Returning", transfer, slot: slot(5) }])
    assert.deepStrictEqual(change?.ledger, [Ledger.returned(ledgerLine)])
    assert.deepStrictEqual(change?.due, { watch: now })
    assert.deepStrictEqual(LateMoney.returnOf(transfer), {
      token: option.token,
      from: option.payTo,
      to: option.account.address,
      quantity: option.quantity,
    })
  })

  it("gives a transfer back once, by its hash", () => {
    assert.isNull(LateMoney.giveBack(returning(), transfer.txHash, slot(6), now))
    assert.isNull(LateMoney.giveBack(suspended(), otherHash, slot(6), now))
    assert.isUndefined(LateMoney.suspended(suspended(), otherHash))
    assert.isDefined(LateMoney.suspended(suspended(), transfer.txHash))
  })
})

describe("LateMoney on its way back", () => {
  it("is signed again where its nonce was taken, and booked once", () => {
    const change = LateMoney.resend(returning(), slot(6), now)
    assert.deepStrictEqual(
      change === null ? undefined : LateMoney.returning(change.payment)?.slot,
      slot(6),
    )
    assert.deepStrictEqual(change?.ledger, [])
    assert.deepStrictEqual(change?.due, { watch: now })
    assert.isNull(LateMoney.resend(suspended(), slot(6), now))
  })

  it("is done when the transfer back is final", () => {
    const returnedBy = Samples.evidence(LateMoney.returnOf(transfer), 9)
    const change = LateMoney.returned(returning(), returnedBy, now + 2)
    assert.deepStrictEqual(change?.payment.late, [
      { _tag: "Returned", transfer, returnedBy, returnedAt: now + 2 },
    ])
    assert.deepStrictEqual(change?.claims, [Claim.ofTransfer(returnedBy)])
    assert.deepStrictEqual(change?.due, { watch: null })
    assert.isNull(LateMoney.returned(suspended(), returnedBy, now))
  })

  it("goes back into suspense where it can never be", () => {
    const change = LateMoney.takeBack(returning(), { reason: "x" }, now + 3)
    assert.deepStrictEqual(change?.payment.late, [
      { _tag: "Suspended", transfer, suspendedAt: now + 3 },
    ])
    assert.deepStrictEqual(change?.ledger, [Ledger.reversed(Ledger.returned(ledgerLine))])
    assert.deepStrictEqual(change?.due, { watch: null })
    assert.isNull(LateMoney.takeBack(suspended(), { reason: "x" }, now))
  })
  it("S24: is in suspense, and never sent again, where it was mined and moved something else", () => {
    const failure = { reason: "x (0x1)", movedOtherwise: true } as const
    const held = LateMoney.takeBack(returning(), failure, now + 3)?.payment ?? returning()
    assert.deepStrictEqual(held.late, [
      { _tag: "Suspended", transfer, suspendedAt: now + 3, returnHeld: failure.reason },
    ])
    assert.isNull(LateMoney.giveBack(held, transfer.txHash, slot(6), now))
    assert.isTrue(Payment.isStuck(held))
  })
})
