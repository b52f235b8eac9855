import { assert, describe, it } from "@effect/vitest"
import * as Incoming from "@florin/core/domain/books/Incoming"
import * as Outgoing from "@florin/core/domain/books/Outgoing"
import * as Claim from "@florin/core/domain/chain/Claim"
import * as InflowId from "@florin/core/domain/chain/InflowId"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Ledger from "@florin/core/domain/money/Ledger"
import type * as Inflow from "@florin/core/domain/outflow/Inflow"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Change from "@florin/core/domain/payment/Change"
import * as Fixtures from "@florin/testing/Fixtures"

const { now } = Fixtures
const world = Fixtures.make("unclaimed")
const quantity = Fixtures.quantity(7n)
const { payTo: collecting, token } = world
const from = Fixtures.address("a stranger")
const payer = { chainId: token.chainId, address: from }
const late = { payer, collecting, token, quantity }
const own = { collecting, token, quantity }

const log: Transfer.Log = {
  movement: { token, from, to: collecting, quantity },
  txHash: Fixtures.hash("arrival"),
  logIndex: 2,
  blockNumber: 9,
  blockHash: Fixtures.hash("block"),
}

const changeOf = (write: Change.Write | null): Change.InflowChange =>
  write?.unclaimed?.[0] ?? assert.fail("nothing is written")
const after = (write: Change.Write | null): Inflow.Inflow => changeOf(write).unclaimed

const suspended = after(Incoming.suspend("test", log, now))
const missed = after(Incoming.miss(suspended, log.blockHash, now + 1))
const outflowId = world.outflowId()
const returning = after(Incoming.giveBack(suspended, outflowId, now))
const funded = after(Incoming.fund(suspended, false, now))
const { payment } = world.createPayment()
const taking = Change.make(payment, now, { claims: [Claim.ofTransfer(log)] })
const writeOf = (whole: Incoming.Taking | null): Change.Write =>
  whole?.write ?? assert.fail("it is not taken")
const taken = after(writeOf(Incoming.take(suspended, taking, log, now)))
const gone = after(Incoming.vanish(missed, undefined, now))

const outflowOf = (write: Change.Write | null): Outflow.Outflow =>
  write?.outflows[0]?.outflow ?? assert.fail("nothing goes out")
const waiting = outflowOf(Incoming.giveBack(suspended, outflowId, now))
const sent = Outflow.send(waiting, world.sent(), now) ?? assert.fail("it was not sent")
const paid =
  Outflow.pay(sent, world.evidenceOf(waiting.movement), now) ?? assert.fail("it was not paid")

describe("InflowId", () => {
  it("follows from the log, whatever block it is in", () => {
    const elsewhere = { ...log, blockNumber: 10, blockHash: Fixtures.hash("another") }
    assert.strictEqual(InflowId.of(log), InflowId.of(elsewhere))
    assert.notStrictEqual(InflowId.of(log), InflowId.of({ ...log, logIndex: 3 }))
    assert.match(InflowId.of(log), /^unc_[0-9a-f]{32}$/u)
  })
})

describe("Unclaimed", () => {
  it("S17: is claimed, and owed to its sender", () => {
    const { claims, ledger, unclaimed } = changeOf(Incoming.suspend("test", log, now))
    assert.deepStrictEqual(claims, [Claim.ofTransfer(log)])
    assert.deepStrictEqual(ledger, [Ledger.suspension(late)])
    assert.deepInclude(unclaimed, { id: InflowId.of(log), foundAt: now, revision: 0 })
  })

  it("S17: a payment takes it with its claim, which it does not make a second time", () => {
    const write = writeOf(Incoming.take(missed, taking, log, now))
    const [change] = write.payments
    assert.deepStrictEqual(change?.claims, [])
    assert.deepStrictEqual(change?.ledger, [Ledger.reversal(Ledger.suspension(late))])
    const next = after(write)
    assert.deepStrictEqual(next.state, { _tag: "Taken", paymentId: payment.id })
    assert.isUndefined(next.missedSince)
  })

  it("is moved first to where the payment found it, so that the payment rests on that block", () => {
    const elsewhere = { ...log, blockNumber: 10, blockHash: Fixtures.hash("another") }
    const first = Incoming.take(missed, taking, elsewhere, now)
    assert.isFalse(first?.isWhole)
    const step = changeOf(writeOf(first))
    assert.deepStrictEqual(writeOf(first).payments, [])
    assert.deepStrictEqual(step.moved, { from: log, to: elsewhere })
    assert.deepStrictEqual([step.ledger, step.unclaimed.missedSince], [[], undefined])
    assert.isTrue(Incoming.take(step.unclaimed, taking, elsewhere, now)?.isWhole)
  })

  it("leaves the books of the other mode first, where both share a chain", () => {
    const other = { ...suspended, mode: "live" } as const
    const first = Incoming.take(other, taking, log, now)
    assert.isFalse(first?.isWhole)
    const step = changeOf(writeOf(first))
    assert.deepStrictEqual(writeOf(first).payments, [])
    assert.deepStrictEqual(step.ledger, [Ledger.reversal(Ledger.suspension(late))])
    const second = Incoming.take(step.unclaimed, taking, log, now)
    assert.isTrue(second?.isWhole)
    assert.deepStrictEqual(writeOf(second), {
      payments: [{ ...taking, claims: [] }],
      outflows: [],
    })
    const elses = { ...taking, payment: { ...payment, id: world.createPayment().payment.id } }
    assert.isNull(Incoming.take(step.unclaimed, elses, log, now))
  })

  it("goes back to its sender in an outflow of no partner", () => {
    assert.deepInclude(waiting, {
      movement: { token, from: collecting, to: from, quantity },
      purpose: { _tag: "GiveBack", unclaimedId: suspended.id },
    })
    assert.isFalse(Outflow.isOwn(waiting))
    assert.isNull(Outflow.turnKey(waiting))
    assert.deepStrictEqual(Outflow.paymentIds(waiting), [])
    const slot = world.sent()
    const [change] = Outgoing.send({ outflow: waiting, payments: [] }, slot, now)?.outflows ?? []
    assert.deepStrictEqual(change?.ledger, [
      { paymentId: null, transaction: Ledger.lateReturn(late) },
    ])
    const held = Outflow.hold(sent, { reason: "blocked", code: "payee" }, now)
    const retried = Outgoing.retry(
      { outflow: held ?? assert.fail("it is not held"), payments: [] },
      new Map(),
      now,
    )
    assert.strictEqual(outflowOf(retried).state._tag, "Waiting")
    assert.isNull(Outgoing.giveUp({ outflow: waiting, payments: [] }, now))
  })

  it("is float where the operator says so, once", () => {
    const back = Ledger.reversal(Ledger.suspension(late))
    assert.deepStrictEqual(changeOf(Incoming.fund(suspended, false, now)).ledger, [
      back,
      Ledger.funding(own),
    ])
    assert.deepStrictEqual(changeOf(Incoming.fund(suspended, true, now)).ledger, [back])
  })

  it("S17: leaves suspense once: whatever is taken, given back, float or gone is neither", () => {
    for (const unclaimed of [returning, funded, taken, gone]) {
      assert.isNull(Incoming.take(unclaimed, taking, log, now))
      assert.isNull(Incoming.giveBack(unclaimed, outflowId, now))
      assert.isNull(Incoming.fund(unclaimed, false, now))
    }
  })
})

describe("unclaimed money that a reorganisation takes", () => {
  it("is missed where its own block is gone, and is not given back then", () => {
    assert.strictEqual(missed.missedSince, now + 1)
    const again = Incoming.miss(missed, log.blockHash, now + 5)
    assert.strictEqual(after(again).missedSince, now + 1)
    assert.isNull(Incoming.miss(suspended, Fixtures.hash("another"), now))
    for (const unclaimed of [taken, gone]) {
      assert.isNull(Incoming.miss(unclaimed, log.blockHash, now))
    }
    assert.isNull(Incoming.giveBack(missed, outflowId, now))
  })

  it("is found where it came again", () => {
    const elsewhere = { ...log, blockNumber: 12 }
    const { moved, unclaimed } = changeOf(Incoming.find(missed, elsewhere, now))
    assert.deepStrictEqual(moved, { from: log, to: elsewhere })
    assert.strictEqual(unclaimed.transfer.blockNumber, 12)
    assert.isUndefined(unclaimed.missedSince)
    assert.isNull(Incoming.find(suspended, elsewhere, now))
  })

  it("is waited for", () => {
    assert.isFalse(Incoming.isOverdue(suspended, now + Limits.goneAwaitedInMs * 2))
    assert.isFalse(Incoming.isOverdue(missed, now + Limits.goneAwaitedInMs))
    assert.isTrue(Incoming.isOverdue(missed, now + 1 + Limits.goneAwaitedInMs))
  })

  it("never was in suspense or float; what was given back of it is the operator's loss", () => {
    const miss = (unclaimed: Inflow.Inflow) => after(Incoming.miss(unclaimed, log.blockHash, now))
    const ledgerOf = (unclaimed: Inflow.Inflow, outflow?: Outflow.Outflow) =>
      changeOf(Incoming.vanish(miss(unclaimed), outflow, now)).ledger
    const unbooked = [Ledger.reversal(Ledger.suspension(late))]
    assert.deepStrictEqual(ledgerOf(suspended), unbooked)
    assert.deepStrictEqual(ledgerOf(funded), [Ledger.reversal(Ledger.funding(own))])
    assert.deepStrictEqual(ledgerOf(returning, paid), [Ledger.disappearance(own)])
    const cancelled = Incoming.vanish(miss(returning), waiting, now)
    assert.deepStrictEqual(changeOf(cancelled).ledger, unbooked)
    assert.strictEqual(outflowOf(cancelled).state._tag, "Cancelled")
  })

  it("is not decided while it is on its way back, nor where it is not missed", () => {
    const lost = after(Incoming.miss(returning, log.blockHash, now))
    assert.isNull(Incoming.vanish(lost, sent, now))
    assert.isNull(Incoming.vanish(lost, undefined, now))
    assert.isNull(Incoming.vanish(lost, { ...paid, auditedSince: now }, now))
    assert.isNull(Incoming.vanish(suspended, undefined, now))
    assert.isNull(Incoming.vanish({ ...taken, missedSince: now }, undefined, now))
  })
})
