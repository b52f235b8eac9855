/** Refunds of parts of a payment, played with its payouts and other payments of its merchant, step by step. */
import { assert, describe, it } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as Consistency from "@florin/core/domain/books/Consistency"
import * as Outgoing from "@florin/core/domain/books/Outgoing"
import * as Payouts from "@florin/core/domain/books/Payouts"
import * as Recording from "@florin/core/domain/books/Recording"
import * as Refunding from "@florin/core/domain/books/Refunding"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Money from "@florin/core/domain/ground/Money"
import type * as OutflowId from "@florin/core/domain/ground/OutflowId"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as OutflowState from "@florin/core/domain/outflow/OutflowState"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import type * as Change from "@florin/core/domain/payment/Change"
import * as Entry from "@florin/core/domain/payment/Entry"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Shares from "@florin/testing/Shares"
import { Result, Schema } from "effect"
import * as Books from "../books.ts"

const { given } = Books
const { now, quantity } = Fixtures
const world = Fixtures.make("partialRefunds")
const { merchantId, payTo, token } = world
const failure: Transfer.Failure = { reason: "blocklisted", code: "payee" }
const reserve = Result.getOrThrow(
  Result.map(PartnerLimits.parseReserve("50% 7d"), (half) => ({ reserve: half })),
)

// --- playing

/** The books, which each step replaces. */
interface Play {
  books: Books.Books
}

const begin = (...paths: ReadonlyArray<ReadonlyArray<Change.Write>>): Play => ({
  books: Books.of(...paths),
})

const paymentOf = ({ books }: Play, id: PaymentId.PaymentId) => given(books.payments.get(id))
const entryOf = (play: Play, id: PaymentId.PaymentId): Entry.Entry =>
  given(Balance.entryOf(paymentOf(play, id)))
const refundsOf = (play: Play, id: PaymentId.PaymentId) => Payment.refunds(paymentOf(play, id))
const outflowOf = ({ books }: Play, id: OutflowId.OutflowId) => given(books.outflows.get(id))
const transactionsOf = ({ books }: Play) => books.lines.map(({ transaction }) => transaction)
const balanceOf = (play: Play, account: Ledger.Account): bigint =>
  Ledger.balanceOf(Ledger.balances(transactionsOf(play)), account, token)
const debtOf = (play: Play): bigint => balanceOf(play, { _tag: "Debt", merchantId })
const isBookedIn =
  ({ books }: Play) =>
  (id: OutflowId.OutflowId): boolean => {
    const outflow = books.outflows.get(id)
    return outflow !== undefined && OutflowState.isBooked[Outflow.status(outflow)]
  }

/** Writes a decision, if it was possible; says whether it was. */
const write = (play: Play, decided: Change.Write | null): boolean => {
  if (decided === null) return false
  play.books = Books.written(play.books, decided)
  return true
}

const ask = (amount: Amount.Amount): Refunding.Ask => Refunding.part(amount, BuiltIn.catalog)
const units = (of: bigint): Amount.Amount => ({
  unit: Amount.token(token),
  quantity: quantity(of),
})
const cents = (of: bigint): Amount.Amount => ({
  unit: Amount.fiat("USD"),
  quantity: quantity(of),
})

/** Requests a refund as the engine does: with the outflow that carries the share, if one does. */
const request = (play: Play, id: PaymentId.PaymentId, amount: Amount.Amount) => {
  const carrying = Entry.going(entryOf(play, id))?.outflowId
  return Outgoing.refund(
    paymentOf(play, id),
    { refund: Refund.RefundId.make(`rfnd_${world.next()}`), outflow: world.outflowId() },
    carrying === undefined ? null : Books.current(play.books, carrying),
    now,
    null,
    ask(amount),
  )
}

/** The refund after it was requested. */
const refund = (play: Play, id: PaymentId.PaymentId, of: bigint): Refund.Refund => {
  const decided = Result.getOrThrow(request(play, id, units(of)))
  write(play, decided)
  return given(refundsOf(play, id).at(-1))
}

/** The refund that was requested last of those that were sent, as a payout that nets it is given it. */
const lastSent = (play: Play) => {
  const sent = [...play.books.payments.values()].flatMap((payment) =>
    Refunding.sentByMerchant(payment).map(({ id }) => ({ paymentId: payment.id, refundId: id })),
  )
  const last = sent.toSorted((left, right) => (left.refundId < right.refundId ? -1 : 1)).at(-1)
  return new Map(last === undefined ? [] : [[merchantId, last]])
}

/** Gathers all shares that wait with this one. */
const gather = (
  play: Play,
  id: PaymentId.PaymentId,
  limits = PartnerLimits.none,
): OutflowId.OutflowId | null => {
  const group = Balance.groupOf(paymentOf(play, id))
  if (group === null) return null
  const debt = debtOf(play)
  const debts = new Map([[merchantId, quantity(debt > 0n ? debt : 0n)]])
  const terms = { debts, lasts: [], refunds: lastSent(play) }
  const outflowId = world.outflowId()
  const payments = [...play.books.payments.values()]
  write(play, Payouts.gather(payments, group, terms, outflowId, now, { limits, most: null }))
  return play.books.outflows.has(outflowId) ? outflowId : null
}

const steps = {
  send: (current) => Outgoing.send(current, world.sent(), now),
  pay: (current) => Outgoing.pay(current, world.evidenceOf(current.outflow.movement), now),
  hold: (current) => Outgoing.hold(current, failure, now),
  wait: (current) => Outgoing.wait(current, { code: "float", reason: "it is short" }, now, now),
  retry: (current) => Outgoing.retry(current, now),
  regather: (current) => Outgoing.regather(current, now, now),
  revoke: (current) => Outgoing.revoke(current, failure, now),
} satisfies { readonly [name in string]: (current: Outgoing.Current) => Change.Write | null }

const move = (
  play: Play,
  id: OutflowId.OutflowId,
  ...names: ReadonlyArray<keyof typeof steps>
): ReadonlyArray<boolean> =>
  names.map((name) => write(play, steps[name](Books.current(play.books, id))))

const must = (...of: Parameters<typeof move>): void =>
  assert.isTrue(move(...of).every(Boolean), of.slice(2).join(", "))

/** Pays out what waits. */
const payOut = (play: Play, id: PaymentId.PaymentId, limits = PartnerLimits.none): void => {
  const outflowId = given(gather(play, id, limits))
  must(play, outflowId, "send", "pay")
}

/** Keeps what waits for the refunds of a payment. */
const keep = (play: Play, id: PaymentId.PaymentId): boolean =>
  write(play, Balance.keep(paymentOf(play, id), [...play.books.payments.values()], now))

/** Settles a share that paid off a refund, if the refund's transfer is final. */
const settlePaidOff = (play: Play, id: PaymentId.PaymentId): boolean => {
  const awaited = Balance.refundAwaited(paymentOf(play, id))
  if (awaited === null) return false
  const { state } = given(
    refundsOf(play, awaited.paymentId).find((each) => each.id === awaited.refundId),
  )
  if (state._tag !== "Succeeded") return false
  const change = Balance.recordPaidOff(paymentOf(play, id), state.txHash, now)
  return write(play, change === null ? null : Fixtures.writeOf(change))
}

/** Records a payout of so much that only the chain knows. */
const recordPaid = (
  play: Play,
  id: PaymentId.PaymentId,
  of: bigint,
  named: PaymentId.PaymentId | null = id,
): boolean => {
  const movement = {
    token,
    from: payTo,
    to: world.destinationAccount.address,
    quantity: quantity(of),
  }
  const found = {
    transfer: world.evidenceOf(movement),
    outflows: [],
    payments: [paymentOf(play, id)],
    debts: new Map(),
  }
  const { mode, partnerId } = world.tenant
  const terms = { partnerId, mode, outflowId: world.outflowId(), named, advanceTo: null, now }
  return write(play, Recording.record(found, terms))
}

/** Terms by which no refund returns the fee. */
const { returned: _, ...keepingFees } = Fixtures.feeTerms

/** A payment of 10.00 USD and as many units: 100 are the fee, and 9 900 the merchant's. */
const pathOf = (overrides: Fixtures.PaymentOverrides = {}, paid = 10_000n) =>
  world.path("settlementPending", overrides, { quantity: quantity(paid) })

const paying = (overrides: Fixtures.PaymentOverrides = {}) => {
  const path = pathOf(overrides)
  return { play: begin(path), id: Fixtures.paymentAfter(path).id }
}

/** How much of each refund is the fee's, the payment's own share's, and lent. */
const split = (play: Play, id: PaymentId.PaymentId) =>
  refundsOf(play, id).map((each) => [BigInt(each.fee), BigInt(each.own), BigInt(Refund.lent(each))])

const statusesOf = (play: Play, id: PaymentId.PaymentId) => refundsOf(play, id).map(Refund.status)

describe("a partial refund", () => {
  it("before the payout takes from the share, and the rest of the share is paid out", () => {
    const { id, play } = paying()
    const { outflowId } = refund(play, id, 4000n)
    assert.deepStrictEqual(split(play, id), [[40n, 3960n, 0n]])
    assert.strictEqual(Shares.of(paymentOf(play, id)).status, "waiting")
    assert.strictEqual(Balance.pendingQuantity(paymentOf(play, id)), 5940n)
    payOut(play, id)
    must(play, outflowId, "send", "pay")
    assert.strictEqual(Shares.of(paymentOf(play, id)).status, "paid")
    assert.strictEqual(debtOf(play), 0n)
    assert.strictEqual(Payment.payoutOf(paymentOf(play, id))?.amount.quantity, 5940n)
  })

  it("takes a share out of a payout that waits or is held, and frees the other shares", () => {
    for (const before of [[], ["hold"], ["send", "hold"]] as const) {
      const { id, play } = paying()
      const other = pathOf()
      for (const each of other) write(play, each)
      const otherId = Fixtures.paymentAfter(other).id
      const payout = given(gather(play, id))
      must(play, payout, ...before)
      refund(play, id, 4000n)
      assert.deepStrictEqual(split(play, id), [[40n, 3960n, 0n]])
      assert.strictEqual(outflowOf(play, payout).state._tag, "Cancelled")
      const again = given(gather(play, id))
      assert.strictEqual(outflowOf(play, again).movement.quantity, 5940n + 9900n)
      must(play, again, "send", "pay")
      assert.strictEqual(Payment.payoutOf(paymentOf(play, otherId))?.amount.quantity, 9900n)
    }
  })

  it("of a share that is on its way, or may be, uses the float", () => {
    const moved = { reason: "x (0x1)", code: "moved", movedOtherwise: true } as const
    for (const isHeld of [false, true]) {
      const { id, play } = paying()
      const payout = given(gather(play, id))
      must(play, payout, "send")
      if (isHeld) write(play, Outgoing.hold(Books.current(play.books, payout), moved, now))
      refund(play, id, 4000n)
      assert.deepStrictEqual(split(play, id), [[40n, 0n, 3960n]])
      assert.strictEqual(outflowOf(play, payout).state._tag, isHeld ? "Held" : "Sent")
    }
  })

  it("after a payout becomes the merchant's debt, of that part only", () => {
    const { id, play } = paying()
    payOut(play, id)
    const { outflowId } = refund(play, id, 4000n)
    assert.deepStrictEqual(split(play, id), [[40n, 0n, 3960n]])
    assert.strictEqual(debtOf(play), 0n, "it was not sent yet")
    must(play, outflowId, "send")
    assert.strictEqual(debtOf(play), 3960n)
    must(play, outflowId, "pay")
    assert.strictEqual(Payment.payoutOf(paymentOf(play, id))?.amount.quantity, 9900n)
  })

  it("of a share that was paid in part takes the rest of it first, and lends what is missing", () => {
    const { id, play } = paying()
    payOut(play, id, reserve)
    assert.strictEqual(Entry.left(entryOf(play, id)), 4950n)
    refund(play, id, 3000n)
    refund(play, id, 4000n)
    assert.deepStrictEqual(split(play, id), [
      [30n, 2970n, 0n],
      [40n, 1980n, 1980n],
    ])
    // The next gathering only settles the share: it shows what was sent of it.
    assert.isNull(gather(play, id))
    assert.deepInclude(Shares.of(paymentOf(play, id)), { status: "paid", settledAt: now })
    assert.strictEqual(Payment.payoutOf(paymentOf(play, id))?.amount.quantity, 4950n)
  })

  it("draws the float for its fee, and for what the merchant already has", () => {
    const { id, play } = paying()
    const draws = (outflowId: OutflowId.OutflowId) =>
      Outgoing.drawOf(Books.current(play.books, outflowId))
    assert.strictEqual(draws(refund(play, id, 4000n).outflowId), 40n)
    payOut(play, id)
    assert.strictEqual(draws(refund(play, id, 4000n).outflowId), 4000n)
  })
})

describe("refunds of all parts of a payment", () => {
  it("cancel a share of which nothing was sent", () => {
    const { id, play } = paying()
    const refunds = [refund(play, id, 4000n), refund(play, id, 5999n), refund(play, id, 1n)]
    assert.isTrue(Balance.isCancelled(paymentOf(play, id)))
    assert.isNull(Balance.groupOf(paymentOf(play, id)))
    for (const { outflowId } of refunds) must(play, outflowId, "send", "pay")
    assert.deepStrictEqual(statusesOf(play, id), ["succeeded", "succeeded", "succeeded"])
    assert.strictEqual(Payment.payoutOf(paymentOf(play, id)), null)
    assert.strictEqual(debtOf(play), 0n)
  })

  it("leave the merchant with a debt of exactly what it was paid", () => {
    const { id, play } = paying()
    const refunds = [refund(play, id, 3333n)]
    payOut(play, id)
    const received = given(Payment.payoutOf(paymentOf(play, id))).amount.quantity
    refunds.push(refund(play, id, 3333n), refund(play, id, 3334n))
    for (const { outflowId } of refunds) must(play, outflowId, "send", "pay")
    assert.strictEqual(debtOf(play), BigInt(received))
    assert.strictEqual(Refund.totals(refundsOf(play, id)).fee, 100n)
    assert.strictEqual(balanceOf(play, { _tag: "Fees", ...world.tenant }), 0n)
  })
})

describe("several refunds in flight", () => {
  it("are sent, held and retried separately, each in its own outflow", () => {
    const { id, play } = paying()
    payOut(play, id)
    const [first, second, third] = [
      refund(play, id, 1000n),
      refund(play, id, 2000n),
      refund(play, id, 3000n),
    ]
    assert.strictEqual(new Set([first, second, third].map((each) => each.outflowId)).size, 3)
    must(play, third.outflowId, "send", "pay")
    must(play, first.outflowId, "send", "hold")
    assert.deepStrictEqual(statusesOf(play, id), ["held", "pending", "succeeded"])
    assert.strictEqual(debtOf(play), 2970n, "what is held is not booked")
    must(play, second.outflowId, "send")
    must(play, first.outflowId, "retry")
    assert.deepStrictEqual(statusesOf(play, id), ["pending", "processing", "succeeded"])
    must(play, first.outflowId, "send", "pay")
    must(play, second.outflowId, "pay")
    assert.deepStrictEqual(statusesOf(play, id), ["succeeded", "succeeded", "succeeded"])
    assert.strictEqual(debtOf(play), 5940n)
  })

  it("count as refunded while they are held, and what is left can be refunded", () => {
    const { id, play } = paying()
    const { outflowId } = refund(play, id, 4000n)
    must(play, outflowId, "hold")
    const more = request(play, id, units(6001n))
    assert.isTrue(Books.isNoRefund(more, "already_refunded"))
    refund(play, id, 6000n)
    assert.deepStrictEqual(statusesOf(play, id), ["held", "pending"])
    must(play, outflowId, "retry", "send", "pay")
    assert.strictEqual(debtOf(play), 0n)
  })
})

describe("shares that pay for two refunds of one payment", () => {
  const twoRefunds = () => {
    const { id, play } = paying()
    payOut(play, id)
    const refunds = [refund(play, id, 5000n), refund(play, id, 5000n)] as const
    const next = pathOf()
    for (const each of next) write(play, each)
    return { play, id, refunds, next: Fixtures.paymentAfter(next).id }
  }

  it("S5: are kept for the first refund before the second, and settled with the last", () => {
    const { id, next, play, refunds } = twoRefunds()
    const [first, second] = refunds
    assert.isTrue(keep(play, id))
    assert.deepStrictEqual(split(play, id), [
      [50n, 0n, 0n],
      [50n, 0n, 4950n],
    ])
    assert.isNull(Balance.refundAwaited(paymentOf(play, next)), "some of it still waits")
    assert.isTrue(keep(play, id))
    assert.isFalse(keep(play, id))
    assert.deepStrictEqual(entryOf(play, next).parts, [
      { _tag: "Netted", netted: quantity(4950n), refundOf: { paymentId: id, refundId: first.id } },
      { _tag: "Netted", netted: quantity(4950n), refundOf: { paymentId: id, refundId: second.id } },
    ])
    must(play, first.outflowId, "send", "pay")
    assert.isFalse(settlePaidOff(play, next), "its last refund is not final")
    must(play, second.outflowId, "send", "pay")
    assert.isTrue(settlePaidOff(play, next))
    const { state } = given(refundsOf(play, id)[1])
    assert.strictEqual(
      Payment.payoutOf(paymentOf(play, next))?.txId,
      state._tag === "Succeeded" ? state.txHash : "",
    )
    assert.strictEqual(Payment.payoutOf(paymentOf(play, next))?.amount.quantity, 9900n)
    assert.strictEqual(debtOf(play), 0n)
  })

  it("pay off the debts of both, and are settled with the refund that was requested last", () => {
    const { id, next, play, refunds } = twoRefunds()
    for (const { outflowId } of refunds) must(play, outflowId, "send")
    assert.strictEqual(debtOf(play), 9900n)
    assert.isNull(gather(play, next))
    assert.deepStrictEqual(Balance.refundAwaited(paymentOf(play, next)), {
      paymentId: id,
      refundId: refunds[1].id,
    })
    for (const { outflowId } of refunds) {
      assert.isFalse(settlePaidOff(play, next))
      must(play, outflowId, "pay")
    }
    assert.isTrue(settlePaidOff(play, next))
    assert.strictEqual(debtOf(play), 0n)
  })

  it("are used in part, and what is left of them is paid out", () => {
    const { id, play } = paying()
    payOut(play, id)
    const refunds = [refund(play, id, 1000n), refund(play, id, 2000n)]
    for (const { outflowId } of refunds) must(play, outflowId, "send", "pay")
    const path = pathOf()
    for (const each of path) write(play, each)
    const next = Fixtures.paymentAfter(path).id
    // A part of the next payment is refunded too: it comes from what the debt leaves.
    refund(play, next, 5000n)
    payOut(play, next)
    assert.strictEqual(debtOf(play), 0n)
    assert.deepInclude(Shares.of(paymentOf(play, next)), {
      status: "paid",
      quantity: 9900n - 4950n - 2970n,
      netted: 2970n,
    })
  })
})

describe("a refund by terms that do not return the fee", () => {
  const keeping = () => paying({ feeTerms: keepingFees })
  const feesOf = (play: Play) => -balanceOf(play, { _tag: "Fees", ...world.tenant })

  it("never takes from the fee: the payment's share comes first, and the rest is lent", () => {
    const { id, play } = keeping()
    refund(play, id, 4000n)
    refund(play, id, 5950n)
    refund(play, id, 50n)
    assert.deepStrictEqual(split(play, id), [
      [0n, 4000n, 0n],
      [0n, 5900n, 50n],
      [0n, 0n, 50n],
    ])
    for (const { outflowId } of refundsOf(play, id)) must(play, outflowId, "send", "pay")
    assert.strictEqual(feesOf(play), 100n)
    assert.strictEqual(debtOf(play), 100n, "the merchant owes what is not its own")
  })

  it("takes from the merchant's other shares before anything is lent", () => {
    const { id, play } = keeping()
    const other = pathOf({ feeTerms: keepingFees })
    for (const each of other) write(play, each)
    const { outflowId } = refund(play, id, 10_000n)
    assert.deepStrictEqual(split(play, id), [[0n, 9900n, 100n]])
    assert.isTrue(keep(play, id))
    assert.deepStrictEqual(split(play, id), [[0n, 9900n, 0n]])
    must(play, outflowId, "send", "pay")
    assert.strictEqual(feesOf(play), 200n)
    assert.strictEqual(debtOf(play), 0n)
    const otherId = Fixtures.paymentAfter(other).id
    payOut(play, otherId)
    assert.strictEqual(Payment.payoutOf(paymentOf(play, otherId))?.amount.quantity, 9800n)
  })

  it("takes nothing from the fee after the payout either", () => {
    const { id, play } = keeping()
    payOut(play, id)
    const refunds = [refund(play, id, 4000n), refund(play, id, 6000n)]
    assert.deepStrictEqual(split(play, id), [
      [0n, 0n, 4000n],
      [0n, 0n, 6000n],
    ])
    for (const { outflowId } of refunds) must(play, outflowId, "send", "pay")
    assert.strictEqual(feesOf(play), 100n)
    assert.strictEqual(debtOf(play), 10_000n)
  })

  it("needs all of its amount of the merchant if the share turns out to be paid", () => {
    const { id, play } = keeping()
    refund(play, id, 4000n)
    refund(play, id, 6000n)
    assert.isTrue(recordPaid(play, id, 9900n))
    assert.deepStrictEqual(split(play, id), [
      [0n, 0n, 4000n],
      [0n, 0n, 6000n],
    ])
  })
})

describe("a payout that was recorded after refunds were requested", () => {
  it("of a cancelled share counts, and unsent refunds use the float", () => {
    const { id, play } = paying()
    refund(play, id, 4000n)
    refund(play, id, 6000n)
    assert.isTrue(recordPaid(play, id, 9900n))
    assert.deepStrictEqual(split(play, id), [
      [40n, 0n, 3960n],
      [60n, 0n, 5940n],
    ])
    assert.strictEqual(Payment.payoutOf(paymentOf(play, id))?.amount.quantity, 9900n)
  })

  it("of a cancelled share pays only what sent refunds left of it", () => {
    const { id, play } = paying()
    const { outflowId } = refund(play, id, 4000n)
    refund(play, id, 6000n)
    must(play, outflowId, "send")
    assert.isFalse(recordPaid(play, id, 9900n))
    assert.isTrue(recordPaid(play, id, 5940n))
    assert.deepStrictEqual(split(play, id), [
      [40n, 3960n, 0n],
      [60n, 0n, 5940n],
    ])
    assert.strictEqual(Payment.payoutOf(paymentOf(play, id))?.amount.quantity, 5940n)
  })

  it("of a whole share counts, if no refund that took a part of it was sent", () => {
    const { id, play } = paying()
    refund(play, id, 4000n)
    assert.isTrue(recordPaid(play, id, 9900n), "it was paid before the refund was requested")
    assert.deepStrictEqual(split(play, id), [[40n, 0n, 3960n]])
    assert.strictEqual(Payment.payoutOf(paymentOf(play, id))?.amount.quantity, 9900n)
  })

  it("of the rest of a share leaves what an unsent refund took of it", () => {
    const { id, play } = paying()
    const { outflowId } = refund(play, id, 4000n)
    assert.isTrue(recordPaid(play, id, 5940n))
    assert.strictEqual(Entry.paid(entryOf(play, id)), 5940n)
    assert.strictEqual(Balance.pendingQuantity(paymentOf(play, id)), 0n)
    assert.deepStrictEqual(split(play, id), [[40n, 3960n, 0n]])
    must(play, outflowId, "send", "pay")
    assert.strictEqual(debtOf(play), 0n)
    assert.strictEqual(Payment.payoutOf(paymentOf(play, id))?.amount.quantity, 5940n)
  })
})

// --- histories

const sum = (each: ReadonlyArray<bigint>): bigint => each.reduce((total, next) => total + next, 0n)

const inflight = ({ books }: Play): ReadonlyArray<OutflowId.OutflowId> => [...books.outflows.keys()]

/** What must hold of a payment after every step. */
const checkPayment = (play: Play, payment: Payment.Payment): void => {
  const { state } = payment
  if (state._tag !== "Succeeded") return
  const { attempt, charge, entry, refunds } = state
  const paid = attempt.option.quantity
  const totals = Refund.totals(refunds)
  assert.isTrue(totals.quantity <= paid, "refunds more than was paid")
  assert.isTrue(totals.value <= payment.amount.quantity, "refunds more than was asked")
  assert.isTrue(totals.fee <= charge.total, "returns more than the fee")
  if (payment.feeTerms.returned !== "withRefund") {
    assert.strictEqual(totals.fee, 0n, "returns a fee that the terms keep")
  }
  if (totals.quantity === paid) {
    if (payment.feeTerms.returned === "withRefund") assert.strictEqual(totals.fee, charge.total)
    assert.strictEqual(totals.value, BigInt(payment.amount.quantity))
  }
  const taken = entry.parts.map((part) => part.netted + ("quantity" in part ? part.quantity : 0n))
  assert.isTrue(sum(taken) <= entry.quantity, "the parts of a share exceed it")
  for (const { fee, id, kept = [], own, quantity: of } of refunds) {
    assert.isTrue(fee + own + sum(kept.map((each) => each.quantity)) <= of)
    const ofShare = entry.parts.filter((part) => part._tag === "Refunded" && part.refundId === id)
    assert.strictEqual(sum(ofShare.map(({ netted }) => netted)), BigInt(own))
  }
  if (entry.settled !== undefined) {
    assert.strictEqual(Entry.left(entry), 0n, "a share is settled, and something of it is left")
  }
  const settled = Entry.settledBy(entry)
  const shown: Consistency.Payment = {
    id: payment.id,
    status: Payment.stored(payment),
    paid,
    fee: charge.total,
    settled: settled && {
      txId: settled.txId,
      sent: Entry.paid(entry),
      netted: Entry.netted(entry),
    },
    refunds: refunds.map((each) => ({ status: Refund.status(each), quantity: each.quantity })),
    carried: [],
    outflowIds: Payment.outflowIds(payment),
  }
  for (const rule of [Consistency.refundsWhatWasPaid, Consistency.paysWhatIsOwed]) {
    assert.deepStrictEqual([...rule(shown)], [])
  }
  if (settled !== null && Entry.paid(entry) > 0n) {
    assert.strictEqual(settled.quantity, Entry.paid(entry), "what is shown is what was sent")
  }
  for (const { id, outflowId } of refunds) {
    const { movement } = outflowOf(play, outflowId)
    const of = given(refunds.find((each) => each.id === id))
    assert.strictEqual(movement.quantity, of.quantity)
  }
}

/** What must hold of the merchant after every step: the ledger says what the payments say. */
const check = (play: Play): void => {
  const payments = [...play.books.payments.values()]
  for (const payment of payments) checkPayment(play, payment)
  const isBooked = isBookedIn(play)
  const owed = sum(payments.map((payment) => Balance.owed(payment, isBooked)))
  assert.strictEqual(owed, Balance.owedBy(transactionsOf(play), merchantId))
  // All that the merchant has and will get, less its debt, is its part of what was not refunded.
  const received = -sum(
    transactionsOf(play)
      .filter(({ postings }) => postings.some(({ account }) => account._tag === "Settled"))
      .flatMap(({ postings }) => postings)
      .map(({ account, delta }) => (account._tag === "Collecting" ? delta : 0n)),
  )
  const kept = -balanceOf(play, { _tag: "Kept", merchantId, address: payTo })
  const returned = payments.flatMap((payment) =>
    Payment.refunds(payment).map((each) =>
      isBooked(each.outflowId) ? each.quantity - each.fee : 0n,
    ),
  )
  const nets = payments.map(Books.netOf)
  assert.strictEqual(received + owed + kept - debtOf(play), sum(nets) - sum(returned))
}

const Step = Schema.Struct({
  does: Schema.Literals([
    "refund",
    "refund",
    "refundCents",
    "refundAllButOneCent",
    "refundRest",
    "gather",
    "gather",
    "gatherHalf",
    "keep",
    "settle",
    "record",
    "send",
    "send",
    "pay",
    "pay",
    "hold",
    "wait",
    "retry",
    "regather",
    "revoke",
  ]),
  /** Which of the payments, or of the outflows, the newest first. */
  which: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })),
  /** How much of what there is, in thousandths. */
  part: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 1100n })),
})
type Step = typeof Step.Type

const upTo = (maximum: bigint) =>
  Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum }))
/** Also tokens that have fewer units than a dollar has cents. */
const Paid = Schema.Union([upTo(20n), upTo(20_000_000n)])
const History = Schema.Struct({
  /** How much was paid for 10.00 USD, payment by payment. */
  paid: Schema.NonEmptyArray(Paid).check(Schema.isMaxLength(3)),
  percentage: Schema.Literals(["0", "1", "33.333333", "100"]),
  returnsFees: Schema.Boolean,
  steps: Schema.Array(Step).check(Schema.isMaxLength(40)),
})

const take = (play: Play, { does, part, which }: Step): void => {
  const { payments } = play.books
  const ids = [...payments.keys()]
  const id = given(ids[which % ids.length])
  const payment = paymentOf(play, id)
  const left = Refunding.left(payment)
  const asking = (amount: Amount.Amount) => {
    const decided = request(play, id, amount)
    if (Result.isSuccess(decided)) write(play, decided.success)
  }
  switch (does) {
    case "refund":
      return asking(units((left.quantity * part) / 1000n))
    case "refundCents":
      return asking(cents((left.value * part) / 1000n))
    case "refundAllButOneCent":
      return left.value > 1n ? asking(cents(left.value - 1n)) : undefined
    case "refundRest":
      return asking(units(left.quantity))
    case "gather":
      gather(play, id)
      return
    case "gatherHalf":
      gather(play, id, reserve)
      return
    case "keep":
      keep(play, id)
      return
    case "settle":
      settlePaidOff(play, id)
      return
    case "record": {
      const [share] = Balance.sharesOf([payment], new Map())
      if (share !== undefined && share.quantity > 0n) recordPaid(play, id, share.quantity)
      return
    }
    default: {
      const outflow = inflight(play).at(-1 - which)
      if (outflow !== undefined) move(play, outflow, does)
    }
  }
}

/** Sends and pays whatever can be, until nothing is left to do. */
const finish = (play: Play): void => {
  for (let round = 0; round < 10; round++) {
    for (const id of inflight(play)) move(play, id, "retry", "send", "pay")
    for (const id of play.books.payments.keys()) {
      gather(play, id)
      settlePaidOff(play, id)
    }
  }
}

describe("random histories of partial refunds and payouts", () => {
  it.prop(
    "never refund more than was paid, and the ledger owes what is left of the shares at any time",
    [History],
    ([{ paid, percentage, returnsFees, steps: all }]) => {
      const feeTerms: Fees.FeeTerms = {
        fixed: [{ currency: "USD", quantity: Money.zero }],
        percentage: Result.getOrThrow(Fees.parsePercentage(percentage)),
        ...(returnsFees && { returned: "withRefund" }),
      }
      const play = begin(...paid.map((each) => pathOf({ feeTerms }, each)))
      for (const each of all) {
        take(play, each)
        check(play)
      }
      // Then everything that was not refunded yet is, and all of it arrives.
      const [first] = [...play.books.payments.keys()]
      take(play, { does: "refundRest", which: 0, part: 0n })
      finish(play)
      check(play)
      const { option } = given(Payment.attemptOf(paymentOf(play, given(first))))
      if (refundsOf(play, given(first)).length < 100) {
        assert.strictEqual(Refund.totals(refundsOf(play, given(first))).quantity, option.quantity)
      }
      for (const payment of play.books.payments.values()) {
        const entry = given(Balance.entryOf(payment))
        assert.isTrue(
          entry.settled !== undefined || Entry.isRefunded(entry),
          "a share is stuck although nothing hinders it",
        )
        for (const each of Payment.refunds(payment)) {
          assert.strictEqual(Refund.status(each), "succeeded")
        }
      }
    },
    {
      arbitrary: { runs: Counts.of({ usual: 300, full: 100_000 }) },
      timeout: Counts.of({ usual: 240_000, full: 3_600_000 }),
    },
  )
})
