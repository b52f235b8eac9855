import { assert, describe, it } from "@effect/vitest"
import * as Audit from "@florin/core/domain/books/Audit"
import * as Outgoing from "@florin/core/domain/books/Outgoing"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as OutflowState from "@florin/core/domain/outflow/OutflowState"
import type * as Change from "@florin/core/domain/payment/Change"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Books from "../books.ts"

const { given } = Books
const { now } = Fixtures
const world = Fixtures.make("audit")
const later = now + 1000

const at = (stage: Fixtures.Stage): Payment.Payment => Fixtures.paymentAfter(world.path(stage))
const transferOf = (payment: Payment.Payment): Transfer.Evidence =>
  given(Audit.entryOf(payment)).transfer

const succeeded = ({ state }: Payment.Payment) =>
  state._tag === "Succeeded" ? state : assert.fail(`the payment is ${state._tag}`)

const elsewhere = (evidence: Transfer.Evidence): Transfer.Evidence => ({
  ...evidence,
  logIndex: evidence.logIndex + 1,
  blockNumber: evidence.blockNumber + 1,
  blockHash: Fixtures.hash(`elsewhere/${evidence.txHash}`),
})

/** The stages at which a payment rests on a final transfer of the payer, and some at which it does not. */
const paid: ReadonlyArray<Fixtures.Stage> = [
  "owed",
  "gathered",
  "settling",
  "settled",
  "netted",
  "refunded",
]
const unpaid: ReadonlyArray<Fixtures.Stage> = ["created", "relayed", "failed", "lateReturned"]

describe("Audit.entryOf", () => {
  it("is the transfer that paid the payment", () => {
    for (const stage of paid) {
      const payment = at(stage)
      assert.deepStrictEqual(transferOf(payment), succeeded(payment).transfer)
    }
    for (const stage of unpaid) assert.isNull(Audit.entryOf(at(stage)))
  })
})

describe("Audit.request", () => {
  it("makes the check of the payment due, and records when it was first asked for", () => {
    const payment = at("settled")
    const checkpoint = Books.checkpointOf(transferOf(payment))
    const change = given(Audit.request(payment, checkpoint, later))
    assert.deepStrictEqual(change.due, { audit: later })
    assert.strictEqual(change.payment.auditedSince, later)
    assert.isUndefined(change.event)
    const again = given(Audit.request(change.payment, checkpoint, later + 1))
    assert.deepStrictEqual(again.due, { audit: later + 1 })
    assert.strictEqual(again.payment.auditedSince, later)
  })

  it("does not change a payment without a transfer in that block", () => {
    assert.isNull(Audit.request(at("settled"), { number: 100, hash: "0x" }, now))
    assert.isNull(Audit.request(at("created"), { number: 100, hash: "0x" }, now))
  })
})

describe("Audit.checkAgain and Audit.finish", () => {
  it("repeats the check until every transfer exists again", () => {
    const payment = at("settled")
    const evidence = transferOf(payment)
    const audited = given(Audit.request(payment, Books.checkpointOf(evidence), now)).payment
    const again = Audit.checkAgain(audited, later)
    assert.deepStrictEqual(again.due, { audit: later })
    assert.strictEqual(again.payment.auditedSince, now)
    const finished = Audit.finish(audited, later)
    assert.deepStrictEqual(finished.due, { audit: later }, "once more, for what waited for it")
    assert.notProperty(finished.payment, "auditedSince")
    assert.deepStrictEqual(finished.payment.state, payment.state)
    assert.deepStrictEqual(Audit.finish(finished.payment, later).due, { audit: null })
  })
})

describe("Audit.isOverdue", () => {
  it("is true once a missing transfer was waited for a day", () => {
    const day = Limits.goneAwaitedInMs
    const payment = { ...at("settled"), auditedSince: now }
    assert.isFalse(Audit.isOverdue(payment, now + day - 1))
    assert.isTrue(Audit.isOverdue(payment, now + day))
    assert.isFalse(Audit.isOverdue(at("owed"), now + 2 * day))
  })
})

describe("Audit.move", () => {
  it.each(paid)("records the new block of the transfer that paid a payment that is %s", (stage) => {
    const payment = at(stage)
    const from = transferOf(payment)
    const to = elsewhere(from)
    const change = given(Audit.move(payment, from, to, later))
    assert.deepStrictEqual(change.moved, { from, to })
    assert.deepStrictEqual(change.due, { audit: later })
    assert.deepStrictEqual([change.ledger, change.claims], [[], []])
    assert.isUndefined(change.event)
    assert.deepStrictEqual(transferOf(change.payment), to)
    assert.isNull(Audit.move(change.payment, from, to, later), "it is there already")
    const back = given(Audit.move(change.payment, to, from, later)).payment
    assert.deepStrictEqual(back.state, payment.state)
  })
})

const lose = (payment: Payment.Payment): Change.Change | null =>
  Audit.recordLost(payment, transferOf(payment), "it is gone", later)

describe("Audit.recordLost", () => {
  it("books the payer's transfer as a loss, once; the payment stays paid, and the share stays owed", () => {
    const payment = at("owed")
    const evidence = transferOf(payment)
    const change = given(lose(payment))
    assert.deepStrictEqual(change.ledger, [
      Ledger.disappearance({
        collecting: evidence.movement.to,
        token: evidence.movement.token,
        quantity: evidence.movement.quantity,
      }),
    ])
    assert.deepStrictEqual(change.moved, { from: evidence, to: null })
    assert.deepStrictEqual(change.due, { audit: later })
    assert.isUndefined(change.event)
    const { lost, ...state } = succeeded(change.payment)
    assert.deepStrictEqual(lost, { reason: "it is gone", lostAt: later })
    assert.deepStrictEqual(state, succeeded(payment))
    assert.strictEqual(Payment.status(change.payment, later), "succeeded")
    assert.isNull(Audit.entryOf(change.payment))
    assert.isNull(Audit.recordLost(change.payment, evidence, "again", later))
  })

  it("does not change a payment whose transfer was found elsewhere", () => {
    const payment = at("settled")
    const stale = elsewhere(transferOf(payment))
    assert.isNull(Audit.recordLost(payment, stale, "it is gone", later))
    assert.isNull(Audit.recordLost(at("created"), stale, "it is gone", later))
  })
})

/** All ways to choose among some. */
const subsetsOf = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  items.reduce<ReadonlyArray<ReadonlyArray<A>>>(
    (subsets, item) => subsets.flatMap((each) => [each, [...each, item]]),
    [[]],
  )

/** A final transfer that may be gone: one of the payer's, or ours. */
type Gone = "Collected" | "Ours"

const goneOf = ({ outflow, payment }: Fixtures.Reached): ReadonlyArray<Gone> => [
  ...(Audit.entryOf(payment) === null ? [] : (["Collected"] as const)),
  ...(outflow?.state._tag === "Paid" ? (["Ours"] as const) : []),
]

const vanish = (reached: Fixtures.Reached, gone: Gone): Change.Write => {
  const { outflow, payment } = reached
  return gone === "Ours"
    ? given(
        Outgoing.revoke(
          { outflow: given(outflow), payments: [payment] },
          { reason: "it is gone", code: "lost" },
          later,
        ),
      )
    : Fixtures.writeOf(given(lose(payment)))
}

/** What the collecting accounts hold by the books. */
const heldIn = (books: Books.Books): bigint =>
  [...Ledger.balances(books.lines.map(({ transaction }) => transaction)).values()]
    .filter(({ account }) => account._tag === "Collecting")
    .reduce((sum, { balance }) => sum + balance, 0n)

describe("a deep reorganisation that removes transfers in any order", () => {
  it.each(paid)(
    "leaves books that match the remaining transfers of a payment that is %s",
    (stage) => {
      for (const gone of subsetsOf(goneOf(Fixtures.statesAfter(world.path(stage))))) {
        for (const order of [gone, gone.toReversed()]) {
          const path = [...world.path(stage)]
          const before = Fixtures.statesAfter(path)
          for (const each of order) path.push(vanish(Fixtures.statesAfter(path), each))
          const after = Fixtures.statesAfter(path)
          const broughtIn = gone.includes("Collected")
            ? 0n
            : transferOf(before.payment).movement.quantity
          const { outflow } = before
          const isOut =
            outflow !== null &&
            OutflowState.isBooked[Outflow.status(outflow)] &&
            !gone.includes("Ours")
          const paidOut = isOut ? outflow.movement.quantity : 0n
          assert.strictEqual(heldIn(Books.of(path)), broughtIn - paidOut)
          assert.strictEqual(
            Payment.status(after.payment, now),
            Payment.status(before.payment, now),
          )
        }
      }
    },
  )
})
