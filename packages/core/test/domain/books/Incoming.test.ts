import { assert, describe, it } from "@effect/vitest"
import * as Incoming from "@florin/core/domain/books/Incoming"
import * as Outgoing from "@florin/core/domain/books/Outgoing"
import * as Claim from "@florin/core/domain/chain/Claim"
import * as InflowId from "@florin/core/domain/chain/InflowId"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Inflow from "@florin/core/domain/outflow/Inflow"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Change from "@florin/core/domain/payment/Change"
import * as Fixtures from "@florin/testing/Fixtures"
import { given } from "../books.ts"
import * as Samples from "../samples.ts"

const { now } = Fixtures
const world = Fixtures.make("inflow")
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
  write?.inflows?.[0] ?? assert.fail("nothing is written")
const after = (write: Change.Write | null): Inflow.Inflow => changeOf(write).inflow

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
  it("is made of the log and its block, because a reorganisation can give the log index to another log", () => {
    const elsewhere = { ...log, blockNumber: 10, blockHash: Fixtures.hash("another") }
    assert.strictEqual(InflowId.of(log), InflowId.of({ ...log }))
    assert.notStrictEqual(InflowId.of(log), InflowId.of(elsewhere))
    assert.notStrictEqual(InflowId.of(log), InflowId.of({ ...log, logIndex: 3 }))
    assert.match(InflowId.of(log), /^unc_[0-9a-f]{32}$/u)
  })
})

describe("an inflow", () => {
  it("S17: is claimed, and owed to its sender", () => {
    const { claims, inflow, ledger } = changeOf(Incoming.suspend("test", log, now))
    assert.deepStrictEqual(claims, [Claim.ofTransfer(log)])
    assert.deepStrictEqual(ledger, [Ledger.suspension(late)])
    assert.deepInclude(inflow, { id: InflowId.of(log), foundAt: now, revision: 0 })
  })

  it("S17: is taken by a payment together with its claim, which is not made twice", () => {
    const write = writeOf(Incoming.take(missed, taking, log, now))
    const [change] = write.payments
    assert.deepStrictEqual(change?.claims, [])
    assert.deepStrictEqual(change?.ledger, [Ledger.reversal(Ledger.suspension(late))])
    const next = after(write)
    assert.deepStrictEqual(next.state, { _tag: "Taken", paymentId: payment.id })
    assert.isUndefined(next.missedSince)
  })

  it("is moved to the block where the payment found it before the payment takes it", () => {
    const elsewhere = { ...log, blockNumber: 10, blockHash: Fixtures.hash("another") }
    const first = Incoming.take(missed, taking, elsewhere, now)
    assert.isFalse(first?.isWhole)
    const step = changeOf(writeOf(first))
    assert.deepStrictEqual(writeOf(first).payments, [])
    assert.deepStrictEqual(step.moved, { from: log, to: elsewhere })
    assert.deepStrictEqual([step.ledger, step.inflow.missedSince], [[], undefined])
    assert.isTrue(Incoming.take(step.inflow, taking, elsewhere, now)?.isWhole)
  })

  it("is first booked back in the other mode if both modes share a chain", () => {
    const other = { ...suspended, mode: "live" } as const
    const first = Incoming.take(other, taking, log, now)
    assert.isFalse(first?.isWhole)
    const step = changeOf(writeOf(first))
    assert.deepStrictEqual(writeOf(first).payments, [])
    assert.deepStrictEqual(step.ledger, [Ledger.reversal(Ledger.suspension(late))])
    const second = Incoming.take(step.inflow, taking, log, now)
    assert.isTrue(second?.isWhole)
    assert.deepStrictEqual(writeOf(second), {
      payments: [{ ...taking, claims: [] }],
      outflows: [],
    })
    const elses = { ...taking, payment: { ...payment, id: world.createPayment().payment.id } }
    assert.isNull(Incoming.take(step.inflow, elses, log, now))
  })

  it("is returned to its sender in an outflow without a partner", () => {
    assert.deepInclude(waiting, {
      movement: { token, from: collecting, to: from, quantity },
      purpose: { _tag: "Return", inflowId: suspended.id },
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
      now,
    )
    assert.strictEqual(outflowOf(retried).state._tag, "Waiting")
    assert.isNull(Outgoing.giveUp({ outflow: waiting, payments: [] }, now))
  })

  it("becomes float once the operator says so", () => {
    const back = Ledger.reversal(Ledger.suspension(late))
    assert.deepStrictEqual(changeOf(Incoming.fund(suspended, false, now)).ledger, [
      back,
      Ledger.funding(own),
    ])
    assert.deepStrictEqual(changeOf(Incoming.fund(suspended, true, now)).ledger, [back])
  })

  it("S17: leaves suspense once: after it was taken, returned, booked as float or removed, it cannot again", () => {
    for (const inflow of [returning, funded, taken, gone]) {
      assert.isNull(Incoming.take(inflow, taking, log, now))
      assert.isNull(Incoming.giveBack(inflow, outflowId, now))
      assert.isNull(Incoming.fund(inflow, false, now))
    }
  })
})

describe("an inflow that a reorganisation removes", () => {
  it("is missing if its own block is gone, and is not returned then", () => {
    assert.strictEqual(missed.missedSince, now + 1)
    const again = Incoming.miss(missed, log.blockHash, now + 5)
    assert.strictEqual(after(again).missedSince, now + 1)
    assert.isNull(Incoming.miss(suspended, Fixtures.hash("another"), now))
    for (const inflow of [taken, gone]) {
      assert.isNull(Incoming.miss(inflow, log.blockHash, now))
    }
    assert.isNull(Incoming.giveBack(missed, outflowId, now))
  })

  it("is found in its new block", () => {
    const elsewhere = { ...log, blockNumber: 12 }
    const { inflow, moved } = changeOf(Incoming.find(missed, elsewhere, now))
    assert.deepStrictEqual(moved, { from: log, to: elsewhere })
    assert.strictEqual(inflow.transfer.blockNumber, 12)
    assert.isUndefined(inflow.missedSince)
    assert.isNull(Incoming.find(suspended, elsewhere, now))
  })

  it("is booked with its new quantity if that changed, unless the old one was used", () => {
    const less = { ...log, movement: { ...log.movement, quantity: Fixtures.quantity(3n) } }
    assert.deepStrictEqual(changeOf(Incoming.find(missed, less, now)).ledger, [
      Ledger.reversal(Ledger.suspension(late)),
      Ledger.suspension({ ...late, quantity: less.movement.quantity }),
    ])
    for (const used of [returning, funded]) {
      assert.isNull(Incoming.find({ ...used, missedSince: now }, less, now))
    }
  })

  it("is waited for", () => {
    assert.isFalse(Incoming.isOverdue(suspended, now + Limits.goneAwaitedInMs * 2))
    assert.isFalse(Incoming.isOverdue(missed, now + Limits.goneAwaitedInMs))
    assert.isTrue(Incoming.isOverdue(missed, now + 1 + Limits.goneAwaitedInMs))
  })

  it("is booked out of suspense or float; if it was returned, that is the operator's loss", () => {
    const miss = (inflow: Inflow.Inflow) => after(Incoming.miss(inflow, log.blockHash, now))
    const ledgerOf = (inflow: Inflow.Inflow, outflow?: Outflow.Outflow) =>
      changeOf(Incoming.vanish(miss(inflow), outflow, now)).ledger
    const unbooked = [Ledger.reversal(Ledger.suspension(late))]
    assert.deepStrictEqual(ledgerOf(suspended), unbooked)
    assert.deepStrictEqual(ledgerOf(funded), [Ledger.reversal(Ledger.funding(own))])
    assert.deepStrictEqual(ledgerOf(returning, paid), [Ledger.disappearance(own)])
    const cancelled = Incoming.vanish(miss(returning), waiting, now)
    assert.deepStrictEqual(changeOf(cancelled).ledger, unbooked)
    assert.strictEqual(outflowOf(cancelled).state._tag, "Cancelled")
  })

  it("cannot be removed while its return is under way, or if it is not missing", () => {
    const lost = after(Incoming.miss(returning, log.blockHash, now))
    assert.isNull(Incoming.vanish(lost, sent, now))
    assert.isNull(Incoming.vanish(lost, undefined, now))
    assert.isNull(Incoming.vanish(lost, { ...paid, auditedSince: now }, now))
    assert.isNull(Incoming.vanish(suspended, undefined, now))
    assert.isNull(Incoming.vanish({ ...taken, missedSince: now }, undefined, now))
  })
})

describe("the return of an inflow that was removed", () => {
  const otherwise = { reason: "it moved less", code: "moved", movedOtherwise: true } as const
  const lost = after(
    Incoming.vanish(after(Incoming.miss(returning, log.blockHash, now)), paid, now),
  )
  const revoked = (failure: Transfer.Ending) =>
    Outgoing.revoke({ outflow: paid, payments: [], inflows: [lost] }, failure, now)
  const ledgerOf = (write: Change.Write | null) =>
    (write?.outflows[0]?.ledger ?? []).map(({ transaction }) => transaction)
  const before = [Ledger.suspension(late), Ledger.lateReturn(late), Ledger.disappearance(own)]
  const sums = (all: ReadonlyArray<Ledger.Transaction>) =>
    [...Ledger.balances(all).values()].filter(({ balance }) => balance !== 0n)

  it("leaves no bookings if both transfers were removed", () => {
    const write = revoked({ reason: "it is gone", code: "lost" })
    assert.strictEqual(outflowOf(write).state._tag, "Cancelled")
    assert.deepStrictEqual(sums([...before, ...ledgerOf(write)]), [])
  })

  it("S24: stays held if it moved another amount, and is never sent again", () => {
    const write = revoked(otherwise)
    assert.isTrue(Outflow.movedOtherwise(outflowOf(write)))
    assert.deepStrictEqual(sums([...before, ...ledgerOf(write)]), [])
    const current = { outflow: outflowOf(write), payments: [], inflows: [lost] }
    assert.isNull(Outgoing.retry(current, now))
    const looked = { ...current, outflow: Outflow.lookedAt(current.outflow) }
    assert.strictEqual(outflowOf(Outgoing.retry(looked, now)).state._tag, "Cancelled")
  })

  it("is cancelled if the inflow was lost while the return was held", () => {
    const held = given(Outflow.hold(sent, { reason: "blocked", code: "payee" }, now))
    const write = Incoming.vanish(after(Incoming.miss(returning, log.blockHash, now)), held, now)
    assert.strictEqual(outflowOf(write).state._tag, "Cancelled")
    assert.deepStrictEqual(changeOf(write).ledger, [Ledger.reversal(Ledger.suspension(late))])
  })
})

describe("the payment of an inflow", () => {
  const option = Samples.option({
    token,
    payTo: collecting,
    account: payer,
    quantity: Fixtures.quantity(7n),
  })
  const report = { txHash: log.txHash, option }
  const reported = { ...payment, reports: [{ ...report, reportedAt: now }] }
  const recognized = given(Incoming.recognize(suspended, reported, report, now))
  const hinted = after(recognized)

  it("is the one whose payer reported it, which then forgets the report", () => {
    assert.deepStrictEqual(hinted.hint, { paymentId: payment.id, partnerId: payment.partnerId })
    assert.deepStrictEqual(hinted.state, { _tag: "Suspended" })
    assert.deepStrictEqual(recognized.payments[0]?.payment.reports, [])
    assert.isNull(Incoming.recognize(suspended, payment, report, now), "it was not reported")
    assert.isNull(Incoming.recognize(hinted, reported, report, now), "it was for another")
  })

  it("S17: is the only payment that can take the inflow", () => {
    assert.isNull(Incoming.take(hinted, taking, log, now))
  })

  it("decides with its merchant and partner whether the return has to wait", () => {
    const outflow = outflowOf(Incoming.giveBack(hinted, outflowId, now))
    assert.strictEqual(outflow.partnerId, payment.partnerId)
    assert.deepStrictEqual(Outflow.paymentIds(outflow), [payment.id])
    assert.deepStrictEqual(Outflow.inflowIds(outflow), [hinted.id])
  })

  it("S17: is found by account, token and transaction: first inflows in suspense, then those of its amount", () => {
    const other = { ...suspended, transfer: { ...log, logIndex: 1 } }
    const less = Fixtures.quantity(3n)
    const short = { ...other, transfer: { ...log, movement: { ...log.movement, quantity: less } } }
    assert.strictEqual(Incoming.match(report, [returning, short, suspended]), suspended)
    assert.strictEqual(Incoming.match(report, [suspended, other]), other)
    assert.strictEqual(Incoming.match(report, [returning, short]), short)
    assert.strictEqual(Incoming.match(report, [returning, taken, hinted]), returning)
    for (const named of [
      { ...report, txHash: Fixtures.hash("another") },
      { ...report, option: { ...option, payTo: Fixtures.address("another") } },
      { ...report, option: { ...option, account: Fixtures.account("another") } },
      { ...report, option: { ...option, token: { ...token, address: from } } },
    ]) {
      assert.isUndefined(Incoming.match(named, [suspended, other]))
    }
  })
})

describe("Inflow.follows", () => {
  /** Written by hand: the states that each decision leads to from each state. */
  const all = {
    Suspended: suspended,
    Taken: taken,
    Returning: returning,
    Funded: funded,
    Gone: gone,
  }
  const expected: { readonly [Tag in Inflow.State["_tag"]]: ReadonlyArray<Inflow.State["_tag"]> } =
    {
      Suspended: ["Taken", "Returning", "Funded", "Gone"],
      Taken: [],
      Returning: ["Gone"],
      Funded: ["Gone"],
      Gone: [],
    }

  it("lists exactly the states that decisions can reach", () => {
    for (const inflow of Object.values(all)) {
      const missing = { ...inflow, missedSince: now }
      const reached = [
        Incoming.take(inflow, taking, log, now)?.write ?? null,
        Incoming.giveBack(inflow, outflowId, now),
        Incoming.fund(inflow, false, now),
        Incoming.vanish(missing, waiting, now),
      ].flatMap((write) => write?.inflows?.map((each) => each.inflow.state._tag) ?? [])
      assert.deepStrictEqual(reached, [...expected[inflow.state._tag]])
      assert.deepStrictEqual(Inflow.follows[inflow.state._tag], expected[inflow.state._tag])
      for (const { state } of Object.values(all)) {
        const next = Inflow.moved(inflow, state, now)
        const isAllowed = state === inflow.state || expected[inflow.state._tag].includes(state._tag)
        assert.strictEqual(next !== null, isAllowed)
      }
    }
  })
})
