import { assert, describe, it } from "@effect/vitest"
import * as Audit from "@florin/core/domain/books/Audit"
import * as LateMoney from "@florin/core/domain/books/LateMoney"
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
const tagsOf = (payment: Payment.Payment) => Audit.entries(payment).map(({ _tag }) => _tag)
const entryOf = (payment: Payment.Payment, tag: Audit.Entry["_tag"]): Audit.Entry =>
  given(Audit.entries(payment).find(({ _tag }) => _tag === tag))

const succeeded = ({ state }: Payment.Payment) =>
  state._tag === "Succeeded" ? state : assert.fail(`the payment is ${state._tag}`)

const elsewhere = (evidence: Transfer.Evidence): Transfer.Evidence => ({
  ...evidence,
  logIndex: evidence.logIndex + 1,
  blockNumber: evidence.blockNumber + 1,
  blockHash: Fixtures.hash(`elsewhere/${evidence.txHash}`),
})

/** The stages at which something final of the payer's is behind a payment, and what. */
const behind: ReadonlyArray<readonly [Fixtures.Stage, ReadonlyArray<Audit.Entry["_tag"]>]> = [
  ["created", []],
  ["relayed", []],
  ["owed", ["Collected"]],
  ["gathered", ["Collected"]],
  ["settling", ["Collected"]],
  ["settled", ["Collected"]],
  ["netted", ["Collected"]],
  ["refunded", ["Collected"]],
  ["failed", []],
  ["lateReported", []],
  ["lateUnfounded", []],
  ["lateSuspended", ["Late"]],
  ["lateReturning", ["Late"]],
  ["lateReturnSent", ["Late"]],
  ["lateReturned", ["Late"]],
]

/** The stages at which late money is on its way back: what is lost is not known before that ends. */
const inFlight: ReadonlySet<Fixtures.Stage> = new Set(["lateReturning", "lateReturnSent"])

describe("Audit.entries", () => {
  it.each(behind)("of a payment that is %s", (stage, tags) => {
    assert.deepStrictEqual(tagsOf(at(stage)), tags)
  })

  it("names the block that each was found in", () => {
    const { evidence } = entryOf(at("owed"), "Collected")
    assert.deepStrictEqual(Audit.checkpointOf(evidence), {
      number: evidence.blockNumber,
      hash: evidence.blockHash,
    })
  })
})

describe("Audit.request", () => {
  it("has the payment looked at, since the first time it was asked for", () => {
    const payment = at("settled")
    for (const { evidence } of Audit.entries(payment)) {
      const change = given(Audit.request(payment, Audit.checkpointOf(evidence), later))
      assert.deepStrictEqual(change.due, { audit: later })
      assert.strictEqual(change.payment.auditedSince, later)
      assert.isUndefined(change.event)
      const again = given(Audit.request(change.payment, Audit.checkpointOf(evidence), later + 1))
      assert.deepStrictEqual(again.due, { audit: later + 1 })
      assert.strictEqual(again.payment.auditedSince, later)
    }
  })

  it("leaves a payment alone of which nothing was in that block", () => {
    assert.isNull(Audit.request(at("settled"), { number: 100, hash: "0x" }, now))
    assert.isNull(Audit.request(at("created"), { number: 100, hash: "0x" }, now))
  })
})

describe("Audit.checkAgain and Audit.finish", () => {
  it("looks once more, until all stand", () => {
    const payment = at("settled")
    const [{ evidence }] = [entryOf(payment, "Collected")]
    const audited = given(Audit.request(payment, Audit.checkpointOf(evidence), now)).payment
    const again = Audit.checkAgain(audited, later)
    assert.deepStrictEqual(again.due, { audit: later })
    assert.strictEqual(again.payment.auditedSince, now)
    const finished = Audit.finish(audited, later)
    assert.deepStrictEqual(finished.due, { audit: null })
    assert.notProperty(finished.payment, "auditedSince")
    assert.deepStrictEqual(finished.payment.state, payment.state)
  })
})

describe("Audit.isOverdue", () => {
  it("is so once a missing transfer was waited for a day", () => {
    const day = Limits.goneAwaitedInMs
    const payment = { ...at("settled"), auditedSince: now }
    assert.isFalse(Audit.isOverdue(payment, now + day - 1))
    assert.isTrue(Audit.isOverdue(payment, now + day))
    assert.isFalse(Audit.isOverdue(at("owed"), now + 2 * day))
  })
})

describe("Audit.move", () => {
  for (const [stage, tags] of behind.filter(([, each]) => each.length > 0)) {
    it.each(tags)(`of what is behind a payment that is ${stage}: %s`, (tag) => {
      const payment = at(stage)
      const { evidence: from } = entryOf(payment, tag)
      const to = elsewhere(from)
      const change = given(Audit.move(payment, from, to, later))
      assert.deepStrictEqual(change.moved, { from, to })
      assert.deepStrictEqual(change.due, { audit: later })
      assert.deepStrictEqual(change.ledger, [])
      assert.deepStrictEqual(change.claims, [])
      assert.isUndefined(change.event)
      assert.deepStrictEqual(entryOf(change.payment, tag).evidence, to)
      const others = (of: Payment.Payment) => Audit.entries(of).filter(({ _tag }) => _tag !== tag)
      assert.deepStrictEqual(others(change.payment), others(payment))
      assert.isNull(Audit.move(change.payment, from, to, later), "it is there already")
      const back = given(Audit.move(change.payment, to, from, later)).payment
      assert.deepStrictEqual([back.state, back.late], [payment.state, payment.late])
    })
  }
})

const lose = (payment: Payment.Payment, tag: Audit.Entry["_tag"]): Change.Change | null =>
  Audit.recordLost(payment, entryOf(payment, tag), "it is gone", later)

describe("Audit.lost", () => {
  it("books the payer's transfer as a loss, once; the payment stays paid, and owes what it owed", () => {
    const payment = at("owed")
    const { evidence } = entryOf(payment, "Collected")
    const change = given(lose(payment, "Collected"))
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
    assert.deepStrictEqual(tagsOf(change.payment), [])
    const gone: Audit.Entry = entryOf(payment, "Collected")
    assert.isNull(Audit.recordLost(change.payment, gone, "again", later))
  })

  it("forgets suspended money that never came", () => {
    const payment = at("lateSuspended")
    const { evidence } = entryOf(payment, "Late")
    const change = given(lose(payment, "Late"))
    assert.deepStrictEqual(change.payment.late, [
      { _tag: "Unfounded", txHash: evidence.txHash, reason: "it is gone" },
    ])
    assert.deepStrictEqual(change.moved, { from: evidence, to: null })
  })

  it("waits for a transfer back that is on its way before it tells what is lost", () => {
    assert.isNull(lose(at("lateReturning"), "Late"))
    assert.isNull(lose(at("lateReturnSent"), "Late"))
  })

  it("books what was given back of money that never came as a loss, once", () => {
    const payment = at("lateReturned")
    const change = given(lose(payment, "Late"))
    assert.deepInclude(change.payment.late[0], {
      _tag: "Returned",
      lost: { reason: "it is gone", lostAt: later },
    })
    assert.deepStrictEqual(
      change.ledger.map(({ kind }) => kind),
      ["lose"],
    )
    assert.deepStrictEqual(tagsOf(change.payment), [])
    assert.isNull(
      LateMoney.vanish(change.payment, entryOf(payment, "Late").evidence, "again", later),
    )
  })

  it("leaves alone what the payment does not rest on any more", () => {
    for (const stage of ["settled", "lateReturned"] as const) {
      const payment = at(stage)
      for (const entry of Audit.entries(payment)) {
        const stale = { ...entry, evidence: elsewhere(entry.evidence) }
        assert.isNull(Audit.recordLost(payment, stale, "it is gone", later))
      }
    }
    const { evidence } = entryOf(at("lateReturned"), "Late")
    assert.isNull(LateMoney.vanish(at("created"), evidence, "x", now))
  })
})

/** All ways to choose among some. */
const subsetsOf = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  items.reduce<ReadonlyArray<ReadonlyArray<A>>>(
    (subsets, item) => subsets.flatMap((each) => [each, [...each, item]]),
    [[]],
  )

/** A final transfer that may be gone: one of the payer's, or ours. */
type Gone = Audit.Entry["_tag"] | "Ours"

const goneOf = ({ outflow, payment }: Fixtures.Reached): ReadonlyArray<Gone> => [
  ...tagsOf(payment),
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
    : Fixtures.writeOf(given(lose(payment, gone)))
}

/** What the collecting accounts hold by the books. */
const heldIn = (books: Books.Books): bigint =>
  [...Ledger.balances(books.lines.map(({ transaction }) => transaction)).values()]
    .filter(({ account }) => account._tag === "Collecting")
    .reduce((sum, { balance }) => sum + balance, 0n)

describe("what a deep reorganisation takes, in whatever order", () => {
  it.each(behind.map(([stage]) => stage).filter((stage) => !inFlight.has(stage)))(
    "keeps the books of a payment that is %s in step with what stands",
    (stage) => {
      for (const gone of subsetsOf(goneOf(Fixtures.statesAfter(world.path(stage))))) {
        for (const order of [gone, gone.toReversed()]) {
          const path = [...world.path(stage)]
          const before = Fixtures.statesAfter(path)
          for (const each of order) path.push(vanish(Fixtures.statesAfter(path), each))
          const after = Fixtures.statesAfter(path)
          const broughtIn = Audit.entries(before.payment)
            .filter(({ _tag }) => !gone.includes(_tag))
            .reduce((sum, { evidence }) => sum + evidence.movement.quantity, 0n)
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
