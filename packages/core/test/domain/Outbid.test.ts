import { assert, describe, it } from "@effect/vitest"
import type * as Change from "@florin/core/domain/Change"
import * as LateMoney from "@florin/core/domain/LateMoney"
import * as Outbid from "@florin/core/domain/Outbid"
import * as Payment from "@florin/core/domain/Payment"
import * as Refund from "@florin/core/domain/Refund"
import * as Transfer from "@florin/core/domain/Transfer"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Result from "effect/Result"

const { now } = Fixtures
const later = now + 600_000

/** The same transaction with a higher fee. */
const nextOf = (last: Transfer.Relayed): Transfer.Relayed => ({
  ...last,
  hash: Fixtures.hash(`next of ${last.hash}`),
  raw: `${last.raw}01`,
  signedAt: later,
  feeMax: Fixtures.quantity(2n * (last.feeMax ?? 1n)),
  earlierHashes: Transfer.hashes(last),
})

const made = <A>(of: A | null): A => of ?? assert.fail("there is no change")

/** What each part of a payment waits for, told part by part. */
const awaited = ({ late, state }: Payment.Payment) => ({
  collect: state._tag === "Processing" ? state.relayed : null,
  settle:
    state._tag === "Succeeded" && state.settlement._tag === "Processing"
      ? state.settlement.relayed
      : null,
  refund:
    state._tag === "Succeeded" && state.refund?.state._tag === "Processing"
      ? state.refund.state.relayed
      : null,
  late: late.map((each) => (each._tag === "Returning" ? each.relayed : null)),
})

/** A payment that was settled and refunded at once, while two late transfers are on their way back. */
const busy = (): Payment.Payment => {
  const world = Fixtures.make("busy")
  const refundId = Refund.RefundId.make("rfnd_busy")
  let payment = Fixtures.reached(world.path("settling"))
  const go = (change: Change.Change | null) => {
    payment = made(change).payment
  }
  const attempt = made(Payment.attemptOf(payment))
  go(Result.getOrThrow(Refund.request(payment, refundId, now)))
  go(Refund.send(payment, world.sent(), now))
  for (const name of ["first", "second", "third"]) {
    const txHash = Fixtures.hash(name)
    go(Payment.reportLate(payment, txHash, attempt.option, now))
    go(LateMoney.suspend(payment, world.evidence(attempt, { txHash }), now))
    if (name !== "third") go(LateMoney.giveBack(payment, txHash, world.sent(), now))
  }
  return payment
}

const waiting = [
  ["relayed", "collect"],
  ["settling", "settle"],
  ["refunding", "refund"],
] as const

describe("Outbid.outbid", () => {
  for (const [stage, part] of waiting) {
    it(`${stage}: the payment waits for the next version`, () => {
      const payment = Fixtures.reached(Fixtures.make("w").path(stage))
      const last = made(awaited(payment)[part])
      const next = nextOf(last)
      const change = made(Outbid.outbid(payment, last, next, later))
      assert.deepStrictEqual(awaited(change.payment), { ...awaited(payment), [part]: next })
      assert.strictEqual(change.placed, next)
    })
  }

  it("a late transfer on its way back waits for the next version", () => {
    const payment = Fixtures.reached(Fixtures.make("w").path("lateReturning"))
    const [last = null] = awaited(payment).late
    const next = nextOf(made(last))
    const change = made(Outbid.outbid(payment, made(last), next, later))
    assert.deepStrictEqual(awaited(change.payment).late, [next])
    assert.strictEqual(change.placed, next)
  })

  it("of a payment that waits for several, only one is replaced", () => {
    const payment = busy()
    const before = awaited(payment)
    const [first = null, second = null, third = null] = before.late
    assert.isNull(third)
    const cases = [
      [before.settle, (next: Transfer.Relayed) => ({ ...before, settle: next })],
      [before.refund, (next: Transfer.Relayed) => ({ ...before, refund: next })],
      [first, (next: Transfer.Relayed) => ({ ...before, late: [next, second, null] })],
      [second, (next: Transfer.Relayed) => ({ ...before, late: [first, next, null] })],
    ] as const
    for (const [last, expected] of cases) {
      const next = nextOf(made(last))
      const change = made(Outbid.outbid(payment, made(last), next, later))
      assert.deepStrictEqual(awaited(change.payment), expected(next))
    }
  })

  it("announces, books, claims and schedules nothing, and counts as a write", () => {
    for (const stage of [...waiting.map(([each]) => each), "lateReturning"] as const) {
      const payment = Fixtures.reached(Fixtures.make("w").path(stage))
      const { collect, late, refund, settle } = awaited(payment)
      const last = made(collect ?? settle ?? refund ?? late[0] ?? null)
      const next = nextOf(last)
      const change = made(Outbid.outbid(payment, last, next, later))
      assert.deepStrictEqual(change, {
        payment: {
          ...payment,
          state: change.payment.state,
          late: change.payment.late,
          revision: payment.revision + 1,
          updatedAt: later,
        },
        ledger: [],
        claims: [],
        due: {},
        placed: next,
        outbid: last,
      })
    }
  })

  it("is refused to whoever comes second, also by way of several versions", () => {
    for (const [stage, part] of waiting) {
      const payment = Fixtures.reached(Fixtures.make("w").path(stage))
      const first = made(awaited(payment)[part])
      const second = nextOf(first)
      const third = nextOf(second)
      const once = made(Outbid.outbid(payment, first, second, later)).payment
      assert.isNull(Outbid.outbid(once, first, nextOf(first), later))
      const twice = made(Outbid.outbid(once, second, third, later)).payment
      assert.strictEqual(awaited(twice)[part], third)
      assert.deepStrictEqual(Transfer.hashes(third), [third.hash, second.hash, first.hash])
      assert.isNull(Outbid.outbid(twice, first, nextOf(first), later))
      assert.isNull(Outbid.outbid(twice, second, nextOf(second), later))
    }
  })

  it("is refused to whoever comes second with a late transfer on its way back", () => {
    const payment = busy()
    for (const last of awaited(payment).late) {
      if (last === null) continue
      const once = made(Outbid.outbid(payment, last, nextOf(last), later)).payment
      assert.isNull(Outbid.outbid(once, last, nextOf(last), later))
    }
  })

  it("a transaction that its payment no longer waits for is replaced in its lane alone", () => {
    for (const stage of Fixtures.stages) {
      const world = Fixtures.make("w")
      const payment = Fixtures.reached(world.path(stage))
      const orphan = world.sent()
      const next = nextOf(orphan)
      const change = made(Outbid.outbid(payment, orphan, next, later))
      assert.deepStrictEqual(change.payment, {
        ...payment,
        revision: payment.revision + 1,
        updatedAt: later,
      })
      assert.strictEqual(change.placed, next)
    }
  })

  it("another nonce, account or chain is another transaction", () => {
    const payment = Fixtures.reached(Fixtures.make("w").path("relayed"))
    const ours = made(awaited(payment).collect)
    const others = [
      { ...ours, nonce: ours.nonce + 1 },
      { ...ours, lane: { ...ours.lane, sender: Fixtures.address("another") } },
      { ...ours, lane: { ...ours.lane, chainId: Fixtures.otherChainId } },
    ]
    for (const [index, each] of others.entries()) {
      const other = { ...each, hash: Fixtures.hash(`other ${index}`) }
      const change = made(Outbid.outbid(payment, other, nextOf(other), later))
      assert.strictEqual(awaited(change.payment).collect, ours)
    }
    // The same nonce in the same lane, under a hash of which the payment does not know.
    const foreign = { ...ours, hash: Fixtures.hash("foreign") }
    assert.isNull(Outbid.outbid(payment, foreign, nextOf(foreign), later))
  })
})

describe("Outbid.fill", () => {
  it("puts a transaction into the lane, and leaves the payment as it is", () => {
    const world = Fixtures.make("w")
    const payment = Fixtures.reached(world.path("relayed"))
    const filler = world.sent()
    assert.deepStrictEqual(Outbid.fill(payment, filler, later), {
      payment: { ...payment, revision: payment.revision + 1, updatedAt: later },
      ledger: [],
      claims: [],
      due: {},
      placed: filler,
    })
  })
})

describe("Transfer.hashes", () => {
  it("are the last version's and every earlier one's", () => {
    const first = Fixtures.make("w").sent()
    assert.deepStrictEqual(Transfer.hashes(first), [first.hash])
    const second = nextOf(first)
    assert.deepStrictEqual(Transfer.hashes(second), [second.hash, first.hash])
  })
})
