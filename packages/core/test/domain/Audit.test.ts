import { assert, describe, it } from "@effect/vitest"
import * as Audit from "@florin/core/domain/Audit"
import type * as Change from "@florin/core/domain/Change"
import * as LateMoney from "@florin/core/domain/LateMoney"
import * as Ledger from "@florin/core/domain/Ledger"
import * as Limits from "@florin/core/domain/Limits"
import * as Money from "@florin/core/domain/Money"
import * as Payment from "@florin/core/domain/Payment"
import * as Refunding from "@florin/core/domain/Refunding"
import * as SettlementMatching from "@florin/core/domain/SettlementMatching"
import type * as Transfer from "@florin/core/domain/Transfer"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Result from "effect/Result"

const { now } = Fixtures
const world = Fixtures.make("audit")
const later = now + 1000

const given = <A>(value: A | null | undefined): A => value ?? assert.fail("there is none")
const at = (stage: Fixtures.Stage): Payment.Payment => Fixtures.reached(world.path(stage))
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

/** The stages at which something final is behind a payment, and what: ours first. */
const behind: ReadonlyArray<readonly [Fixtures.Stage, ReadonlyArray<Audit.Entry["_tag"]>]> = [
  ["created", []],
  ["relayed", []],
  ["owed", ["Collected"]],
  ["settling", ["Collected"]],
  ["settled", ["Settled", "Collected"]],
  ["netted", ["Collected"]],
  ["refunded", ["Refunded", "Collected"]],
  ["failed", []],
  ["lateReported", []],
  ["lateUnfounded", []],
  ["lateSuspended", ["Late"]],
  ["lateReturning", ["Late"]],
  ["lateReturned", ["Returned", "Late"]],
]

describe("Audit.entries", () => {
  it.each(behind)("of a payment that is %s", (stage, tags) => {
    assert.deepStrictEqual(tagsOf(at(stage)), tags)
  })

  it("names the block that each was found in", () => {
    const { evidence } = entryOf(at("owed"), "Collected")
    assert.deepStrictEqual(Audit.markOf(evidence), {
      number: evidence.blockNumber,
      hash: evidence.blockHash,
    })
  })
})

describe("Audit.request", () => {
  it("has the payment looked at, since the first time it was asked for", () => {
    const payment = at("settled")
    for (const { evidence } of Audit.entries(payment)) {
      const change = given(Audit.request(payment, Audit.markOf(evidence), later))
      assert.deepStrictEqual(change.due, { audit: later })
      assert.strictEqual(change.payment.auditedSince, later)
      assert.isUndefined(change.event)
      const again = given(Audit.request(change.payment, Audit.markOf(evidence), later + 1))
      assert.deepStrictEqual(again.due, { audit: later + 1 })
      assert.strictEqual(again.payment.auditedSince, later)
    }
  })

  it("leaves a payment alone of which nothing was in that block", () => {
    assert.isNull(Audit.request(at("settled"), { number: 100, hash: "0x" }, now))
    assert.isNull(Audit.request(at("created"), { number: 100, hash: "0x" }, now))
  })
})

describe("Audit.again and Audit.finish", () => {
  it("looks once more, until all stand", () => {
    const payment = at("settled")
    const [{ evidence }] = [entryOf(payment, "Settled")]
    const audited = given(Audit.request(payment, Audit.markOf(evidence), now)).payment
    const again = Audit.again(audited, later)
    assert.deepStrictEqual(again.due, { audit: later })
    assert.strictEqual(again.payment.auditedSince, now)
    const finished = Audit.finish(audited, later)
    assert.deepStrictEqual(finished.due, { audit: null })
    assert.notProperty(finished.payment, "auditedSince")
    assert.deepStrictEqual(finished.payment.state, payment.state)
  })
})

describe("Audit.isOverdue", () => {
  it("is so for the payer's transfers after a day, and never for one of ours", () => {
    const overdue = (stage: Fixtures.Stage, waitedInMs: number) => {
      const payment = { ...at(stage), auditedSince: now }
      return Audit.entries(payment)
        .filter((entry) => Audit.isOverdue(payment, entry, now + waitedInMs))
        .map(({ _tag }) => _tag)
    }
    const day = Limits.goneAwaitedInMs
    for (const stage of ["settled", "refunded", "lateReturned"] as const) {
      assert.deepStrictEqual(overdue(stage, day - 1), [])
    }
    assert.deepStrictEqual(overdue("settled", day), ["Collected"])
    assert.deepStrictEqual(overdue("refunded", day), ["Collected"])
    assert.deepStrictEqual(overdue("lateReturned", day), ["Late"])
    const unasked = at("owed")
    assert.isFalse(Audit.isOverdue(unasked, entryOf(unasked, "Collected"), now + 2 * day))
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
  Audit.lost(payment, entryOf(payment, tag), { reason: "it is gone" }, later)

describe("Audit.lost", () => {
  it("books the payer's transfer as a loss, once; the payment stays paid, and owes what it owed", () => {
    const payment = at("owed")
    const { evidence } = entryOf(payment, "Collected")
    const change = given(lose(payment, "Collected"))
    assert.deepStrictEqual(change.ledger, [
      Ledger.lost({
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
    assert.isNull(Audit.lost(change.payment, gone, { reason: "again" }, later))
  })

  it("holds a settlement that is gone, and takes back what was booked for it", () => {
    const payment = at("settled")
    const { evidence } = entryOf(payment, "Settled")
    const { to: address, token } = evidence.movement
    const destination = { chainId: token.chainId, address }
    const change = given(lose(payment, "Settled"))
    assert.deepStrictEqual(succeeded(change.payment).settlement, {
      _tag: "Held",
      destination,
      reason: "it is gone",
      heldAt: later,
    })
    assert.deepStrictEqual(change.due, { audit: later })
    assert.isTrue(Payment.isStuck(change.payment))
    const { charge } = succeeded(payment)
    assert.deepStrictEqual(change.ledger, [
      Ledger.reversed(
        Ledger.settled({
          merchantId: payment.merchantId,
          collecting: world.payTo,
          destination,
          token: world.token,
          quantity: charge.net,
          netted: Money.zero,
        }),
      ),
    ])
  })

  it("holds a refund that is gone, and says so", () => {
    const change = given(lose(at("refunded"), "Refunded"))
    assert.deepStrictEqual(Payment.refundOf(change.payment)?.state, {
      _tag: "Held",
      reason: "it is gone",
      heldAt: later,
    })
    assert.strictEqual(change.event, "refund.held")
    assert.deepStrictEqual(change.due, { refund: null, audit: later })
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
    assert.deepStrictEqual(tagsOf(change.payment), ["Returned"])
    assert.isNull(
      LateMoney.vanish(change.payment, entryOf(payment, "Late").evidence, "again", later),
    )
  })

  it("has a transfer back that is gone in suspense again", () => {
    const payment = at("lateReturned")
    const { evidence } = entryOf(payment, "Late")
    const change = given(lose(payment, "Returned"))
    assert.deepStrictEqual(change.payment.late, [
      { _tag: "Suspended", transfer: evidence, suspendedAt: later },
    ])
    assert.isTrue(Payment.isStuck(change.payment))
  })

  it("S24: what a reorganisation made move something else is not sent again", () => {
    const failure = { reason: "x (0x1)", movedOtherwise: true } as const
    const lostOf = (stage: Fixtures.Stage, tag: Audit.Entry["_tag"]) => {
      const payment = at(stage)
      return given(Audit.lost(payment, entryOf(payment, tag), failure, later)).payment
    }
    const settled = lostOf("settled", "Settled")
    assert.isNull(SettlementMatching.retry(settled, world.destinationAccount, later))
    assert.isNull(Refunding.retry(lostOf("refunded", "Refunded"), later))
    const returned = lostOf("lateReturned", "Returned")
    const { txHash } = entryOf(returned, "Late").evidence
    assert.deepInclude(returned.late[0], { _tag: "Suspended", returnHeld: failure.reason })
    assert.isNull(LateMoney.giveBack(returned, txHash, world.sent(), later))
  })

  it("leaves alone what the payment does not rest on any more", () => {
    const payment = at("settled")
    for (const entry of Audit.entries(payment)) {
      const stale = { ...entry, evidence: elsewhere(entry.evidence) }
      assert.isNull(Audit.lost(payment, stale, { reason: "it is gone" }, later))
    }
    const { evidence } = entryOf(at("lateReturned"), "Returned")
    assert.isNull(SettlementMatching.revoke(at("created"), { reason: "x" }, now))
    assert.isNull(SettlementMatching.revoke(at("settling"), { reason: "x" }, now))
    assert.isNull(Refunding.revoke(at("refunding"), { reason: "x" }, now))
    assert.isNull(Refunding.revoke(at("created"), { reason: "x" }, now))
    assert.isNull(LateMoney.revoke(at("lateSuspended"), evidence, { reason: "x" }, now))
    assert.isNull(LateMoney.vanish(at("created"), evidence, "x", now))
  })
})

/** All ways to choose among some. */
const subsetsOf = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  items.reduce<ReadonlyArray<ReadonlyArray<A>>>(
    (subsets, item) => subsets.flatMap((each) => [each, [...each, item]]),
    [[]],
  )

const netOf = ({ state }: Payment.Payment): bigint =>
  state._tag === "Succeeded" ? state.charge.net : 0n

/** What a transfer brought to the collecting account, or took from it. */
const broughtIn = (payment: Payment.Payment, { _tag, evidence }: Audit.Entry): bigint => {
  const { quantity } = evidence.movement
  switch (_tag) {
    case "Collected":
    case "Late":
      return quantity
    case "Settled":
      return -netOf(payment)
    default:
      return -quantity
  }
}

describe("Audit.lost, whatever is gone and in whatever order", () => {
  it.each(behind.map(([stage]) => stage).filter((stage) => stage !== "lateReturning"))(
    "keeps the books of a payment that is %s in step with what stands",
    (stage) => {
      for (const gone of subsetsOf(tagsOf(at(stage)))) {
        for (const order of [gone, gone.toReversed()]) {
          const path = [...world.path(stage)]
          const before = Fixtures.reached(path)
          const standing = Audit.entries(before).filter(({ _tag }) => !gone.includes(_tag))
          for (const tag of order) path.push(given(lose(Fixtures.reached(path), tag)))
          const after = Fixtures.reached(path)
          const ledger = path.flatMap((change) => change.ledger)
          for (const { kind, postings } of ledger) {
            assert.isTrue(Result.isSuccess(Ledger.transaction(kind, postings)))
          }
          const held = [...Ledger.balances(ledger).values()].filter(
            ({ account }) => account._tag === "Collecting",
          )
          assert.strictEqual(
            held.reduce((sum, { balance }) => sum + balance, 0n),
            standing.reduce((sum, entry) => sum + broughtIn(before, entry), 0n) -
              (stage === "settling" ? netOf(before) : 0n),
          )
          assert.deepStrictEqual(Audit.entries(after), standing)
          assert.strictEqual(Payment.status(after, now), Payment.status(before, now))
        }
      }
    },
  )
})
