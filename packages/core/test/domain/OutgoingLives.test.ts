/** Random lives of money going out, held to an independent account of who has which money. */
import { assert, describe, it } from "@effect/vitest"
import * as Audit from "@florin/core/domain/Audit"
import type * as Caip from "@florin/core/domain/Caip"
import type * as Change from "@florin/core/domain/Change"
import * as LateMoney from "@florin/core/domain/LateMoney"
import * as Ledger from "@florin/core/domain/Ledger"
import * as Merchant from "@florin/core/domain/Merchant"
import * as Outflow from "@florin/core/domain/Outflow"
import * as OutflowState from "@florin/core/domain/OutflowState"
import * as Outgoing from "@florin/core/domain/Outgoing"
import * as Payment from "@florin/core/domain/Payment"
import type * as PaymentId from "@florin/core/domain/PaymentId"
import * as Recording from "@florin/core/domain/Recording"
import * as Refund from "@florin/core/domain/Refund"
import * as Settlement from "@florin/core/domain/Settlement"
import * as SettlementMatching from "@florin/core/domain/SettlementMatching"
import * as Statement from "@florin/core/domain/Statement"
import type * as Transfer from "@florin/core/domain/Transfer"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Books from "./books.ts"

const { given, settlementOf } = Books
const { now } = Fixtures
const world = Fixtures.make("lives")
const elsewhere = Fixtures.account("elsewhere/lives")

const merchants = ["1", "2"].map((which) => Merchant.MerchantId.make(`mrch_lives${which}`))
const [debtor, other] = merchants
assert(debtor !== undefined && other !== undefined)

const funds = 100_000_000n
const advancedAtFirst = 150n
const held = { collecting: world.payTo, token: world.token }

/**
 * Five shares of two merchants, of whom one owes us and the other's refund waits for a part of them, and late money of two
 * senders.
 */
const atFirst: Books.Books = (() => {
  const share = (merchantId: Merchant.MerchantId, total: bigint) =>
    world.path("settlementPending", { merchantId }, { quantity: Fixtures.quantity(total) })
  const books = Books.of(
    share(debtor, 100n),
    share(other, 1000n),
    share(debtor, 300n),
    share(other, 1n),
    share(debtor, 5000n),
    world.path(
      "refundAfterSettlement",
      { merchantId: other },
      { quantity: Fixtures.quantity(600n) },
    ),
    world.path("lateSuspended"),
    world.path("lateSuspended"),
  )
  const lines = [
    Ledger.funding({ ...held, quantity: Fixtures.quantity(funds) }),
    Ledger.advance({
      ...held,
      merchantId: debtor,
      destination: world.destinationAccount,
      quantity: Fixtures.quantity(advancedAtFirst),
    }),
  ].map((transaction) => ({ outflowId: null, transaction }))
  return { ...books, lines: [...books.lines, ...lines] }
})()

const index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 }))
const Step = Schema.Struct({
  what: Schema.Literals([
    "gather",
    "gather",
    "send",
    "send",
    "resend",
    "pay",
    "pay",
    "hold",
    "wait",
    "retry",
    "regather",
    "refund",
    "keep",
    "giveBack",
    "move",
    "revoke",
    "lose",
    "record",
  ]),
  pick: index,
  many: index,
  isOdd: Schema.Boolean,
})
type Step = typeof Step.Type

const at = <A>(items: ReadonlyArray<A>, pick: number): A | undefined =>
  items[pick % Math.max(items.length, 1)]

const failureOf = ({ isOdd }: Step): Transfer.Failure =>
  isOdd
    ? { reason: "it moved something else", code: "moved", movedOtherwise: true }
    : { reason: "it reverted", code: "lost" }

const transactionsOf = (books: Books.Books) => books.lines.map(({ transaction }) => transaction)

const debtsOf = (books: Books.Books): SettlementMatching.Debts => {
  const balances = Ledger.balances(transactionsOf(books))
  return new Map(
    merchants.map((merchantId) => [
      merchantId,
      Fixtures.quantity(Ledger.balanceOf(balances, { _tag: "Debt", merchantId }, world.token)),
    ]),
  )
}

const isUnsent = (outflow: Outflow.Outflow): boolean =>
  outflow.state._tag === "Waiting" ||
  (outflow.state._tag === "Held" && !Outflow.movedOtherwise(outflow))

/** A transfer to a destination of which the ledger knows nothing: often exactly what some shares are. */
const recordUnknown = (books: Books.Books, { isOdd, many, pick }: Step): Change.Write | null => {
  const payments = [...books.payments.values()]
  const to: Caip.Account = pick % 4 === 0 ? elsewhere : world.destinationAccount
  const outflows = [...books.outflows.values()].filter(
    (each) => each.purpose._tag === "Settle" && each.movement.to === to.address && isUnsent(each),
  )
  const isCarried = (payment: Payment.Payment): boolean =>
    payment.state._tag === "Succeeded" &&
    outflows.some(({ id }) => id === Settlement.outflowOf(settlementOf(payment)))
  const shown = payments.filter(
    (payment) => SettlementMatching.isUnpaid(payment, to) || isCarried(payment),
  )
  const debts = debtsOf(books)
  const named = isOdd ? at(shown, pick) : undefined
  const due = named === undefined ? shown.slice(0, 1 + (many % 3)) : [named]
  const exact = SettlementMatching.sharesOf(due, debts).reduce(
    (sum, each) => sum + each.quantity,
    0n,
  )
  const quantity = exact + (many % 5 === 0 ? BigInt(many) : 0n)
  if (quantity === 0n) return null
  return Recording.record(
    {
      transfer: world.evidenceOf({
        token: world.token,
        from: world.payTo,
        to: to.address,
        quantity: Fixtures.quantity(quantity),
      }),
      outflows,
      payments: payments.filter(
        (payment) =>
          shown.includes(payment) ||
          outflows.some((outflow) => Outflow.paymentIds(outflow).includes(payment.id)),
      ),
      debts,
    },
    {
      ...world.tenant,
      outflowId: world.outflowId(),
      named: named?.id ?? null,
      advanceTo: pick % 2 === 0 ? other : null,
      now,
    },
  )
}

/** What was kept of each share, and for each refund: a test's own account of it. */
interface Kept {
  readonly ofShares: ReadonlyMap<PaymentId.PaymentId, bigint>
  readonly forRefunds: ReadonlyMap<PaymentId.PaymentId, bigint>
}
const nothingKept: Kept = { ofShares: new Map(), forRefunds: new Map() }

const refundedBy = (books: Books.Books, { pick }: Step): Payment.Payment | undefined =>
  at(
    [...books.payments.values()].filter((payment) => Payment.refundOf(payment) !== null),
    pick,
  )

const keptAfter = (
  kept: Kept,
  refunded: Payment.Payment | undefined,
  { payments }: Change.Write,
): Kept => {
  const [ofShares, forRefunds] = [new Map(kept.ofShares), new Map(kept.forRefunds)]
  for (const { ledger, payment } of payments) {
    for (const { delta, account } of ledger.flatMap(({ postings }) => postings)) {
      if (account._tag !== "Kept") continue
      ofShares.set(payment.id, (ofShares.get(payment.id) ?? 0n) - delta)
      const { id } = given(refunded)
      forRefunds.set(id, (forRefunds.get(id) ?? 0n) - delta)
    }
  }
  return { ofShares, forRefunds }
}

/** What of a share is still the merchant's. */
const restOf = ({ ofShares }: Kept, payment: Payment.Payment): bigint =>
  Books.netOf(payment) - (ofShares.get(payment.id) ?? 0n)

/** What a step decides; null if nothing is to be done, or it may not. */
const decide = (books: Books.Books, step: Step): Change.Write | null => {
  const payments = [...books.payments.values()]
  const outflow = at([...books.outflows.values()], step.pick)
  const current = outflow === undefined ? null : Books.current(books, outflow.id)
  switch (step.what) {
    case "gather": {
      const waiting = payments.filter((payment) => SettlementMatching.groupOf(payment) !== null)
      const group = SettlementMatching.groupOf(at(waiting, step.pick) ?? given(payments[0]))
      return group === null
        ? null
        : SettlementMatching.gather(
            waiting.slice(0, 1 + (step.many % 5)),
            group,
            { debts: debtsOf(books), lasts: [] },
            world.outflowId(),
            now,
          )
    }
    case "refund": {
      const payment = given(at(payments, step.pick))
      const carrying =
        payment.state._tag === "Succeeded" ? Settlement.outflowOf(payment.state.settlement) : null
      const ids = {
        refund: Refund.RefundId.make(`rfnd_${world.next()}`),
        outflow: world.outflowId(),
      }
      return Result.getOrNull(
        Outgoing.refund(
          payment,
          ids,
          carrying === null ? null : Books.current(books, carrying),
          now,
        ),
      )
    }
    case "keep": {
      const refunded = refundedBy(books, step)
      const shares = step.isOdd ? payments : payments.toReversed()
      return refunded === undefined ? null : SettlementMatching.keep(refunded, shares, now)
    }
    case "giveBack": {
      const payment = given(at(payments, step.pick))
      const late = payment.late[0]
      return late?._tag === "Suspended"
        ? LateMoney.giveBack(payment, late.transfer.txHash, world.outflowId(), now)
        : null
    }
    case "lose": {
      const payment = given(at(payments, step.pick))
      const entry = at(Audit.entries(payment), step.many)
      const change =
        entry === undefined ? null : Audit.recordLost(payment, entry, "it is gone", now)
      return change === null ? null : Fixtures.writeOf(change)
    }
    case "record":
      return recordUnknown(books, step)
    default: {
      if (current === null) return null
      switch (step.what) {
        case "send":
          return Outgoing.send(current, world.sent(), now)
        case "resend":
          return Outgoing.resend(current, world.sent(), now)
        case "pay":
          return Outgoing.pay(current, world.evidenceOf(current.outflow.movement), now)
        case "hold":
          return Outgoing.hold(current, failureOf(step), now)
        case "wait":
          return Outgoing.wait(
            current,
            { code: step.isOdd ? "float" : "paused", reason: "not now" },
            now,
            now,
          )
        case "retry":
          return Outgoing.retry(current, new Map(step.isOdd ? [[other, elsewhere]] : []), now)
        case "regather":
          return Outgoing.regather(current, now, now)
        case "revoke":
          return Outgoing.revoke(current, failureOf(step), now)
        case "move": {
          const { state } = current.outflow
          return state._tag === "Paid"
            ? Outgoing.move(
                current,
                state.transfer,
                world.evidenceOf(current.outflow.movement),
                now,
              )
            : null
        }
      }
    }
  }
}

/** What an outflow books while it is sent or paid, told from what it carries. */
const bookingsOf = (
  books: Books.Books,
  { forRefunds }: Kept,
  { movement, purpose }: Outflow.Outflow,
): ReadonlyArray<Ledger.Transaction> => {
  const { quantity, to: address, token } = movement
  const account = { chainId: token.chainId, address }
  switch (purpose._tag) {
    case "Settle":
      return [
        ...purpose.shares.map(({ merchantId, netted, quantity: sent }) =>
          Ledger.settlementOf({
            ...held,
            merchantId,
            destination: account,
            quantity: sent,
            netted,
          }),
        ),
        ...(purpose.advance === undefined
          ? []
          : [Ledger.advance({ ...held, ...purpose.advance, destination: account })]),
      ]
    case "Refund": {
      const { merchantId, partnerId, state } = given(books.payments.get(purpose.paymentId))
      assert(state._tag === "Succeeded")
      const { charge, refund } = state
      const paid = { ...held, payer: account, merchantId, partnerId, charge }
      return [
        given(refund).drawsOnFloat
          ? Ledger.refundedAfterSettlement({
              ...paid,
              kept: [
                {
                  collecting: world.payTo,
                  quantity: Fixtures.quantity(forRefunds.get(purpose.paymentId) ?? 0n),
                },
              ],
            })
          : Ledger.refundedBeforeSettlement(paid),
      ]
    }
    case "GiveBack":
    case "Move":
    case "Withdraw":
    case "Sweep":
      return assert.fail("no merchant's money")
    case "Return":
      return [Ledger.lateReturn({ ...held, payer: account, quantity })]
  }
}

/** The ledger has every outflow as gone exactly once while it is sent or paid, and not at all otherwise. */
const checkOutflow = (books: Books.Books, kept: Kept, outflow: Outflow.Outflow): void => {
  const lines = books.lines
    .filter(({ outflowId }) => outflowId === outflow.id)
    .map(({ transaction }) => transaction)
  const isBooked = OutflowState.isBooked[Outflow.status(outflow)]
  const expected = isBooked ? bookingsOf(books, kept, outflow) : []
  assert.deepStrictEqual(Books.balances(lines), Books.balances(expected))
  const reversals = lines.filter(({ kind }) => kind === "reverse").length
  assert.strictEqual(lines.length - 2 * reversals, expected.length)
  if (outflow.purpose._tag === "Settle") {
    const { advance, shares } = outflow.purpose
    const sent = shares.reduce((sum, { quantity }) => sum + quantity, advance?.quantity ?? 0n)
    assert.strictEqual(outflow.movement.quantity, sent)
    for (const { netted, paymentId, quantity } of shares) {
      assert.isTrue(quantity > 0n)
      if (outflow.state._tag === "Cancelled") continue
      assert.strictEqual(quantity + netted, restOf(kept, given(books.payments.get(paymentId))))
    }
  }
}

const statusesOf = (outflows: ReadonlyArray<Outflow.Outflow>) => outflows.map(Outflow.status)

/** The statuses that what carries a share may have, for each thing that a share may be. */
const carriers: {
  readonly [Tag in Settlement.Settlement["_tag"]]: ReadonlyArray<OutflowState.Status>
} = {
  Owed: [],
  Pending: [],
  Processing: ["waiting", "sent"],
  Successful: ["paid"],
  Netted: [],
  Held: ["held"],
  Cancelled: [],
}

const refundCarriers: { readonly [S in Refund.Status]: OutflowState.Status } = {
  pending: "waiting",
  processing: "sent",
  succeeded: "paid",
  held: "held",
}

/** No share is lost, or carried twice; no payer is paid back what the merchant has, but from the float. */
const checkPayment = (books: Books.Books, kept: Kept, payment: Payment.Payment): void => {
  const live = [...books.outflows.values()].filter(
    (outflow) =>
      outflow.state._tag !== "Cancelled" && Outflow.paymentIds(outflow).includes(payment.id),
  )
  const settling = live.filter(({ purpose }) => purpose._tag === "Settle")
  const refunding = live.filter(({ purpose }) => purpose._tag === "Refund")
  const settlement = settlementOf(payment)
  const allowed = carriers[settlement._tag]
  assert.lengthOf(settling, allowed.length === 0 ? 0 : 1)
  for (const status of statusesOf(settling)) assert.include(allowed, status)
  assert.strictEqual(settling[0]?.id ?? null, Settlement.outflowOf(settlement))
  if (["Pending", "Processing", "Held"].includes(settlement._tag)) {
    assert.strictEqual(Settlement.keptOf(settlement), kept.ofShares.get(payment.id) ?? 0n)
  }
  if (settlement._tag === "Netted") assert.strictEqual(settlement.netted, Books.netOf(payment))
  const refund = Payment.refundOf(payment)
  assert.deepStrictEqual(
    statusesOf(refunding),
    refund === null ? [] : [refundCarriers[Refund.status(refund)]],
  )
  assert.strictEqual(
    settlement._tag === "Cancelled",
    refund !== null && !refund.drawsOnFloat,
    "a refund that does not draw on the float is of a share that was taken back",
  )
}

/** No late money is given back twice, or while nothing carries it. */
const checkLate = (books: Books.Books, payment: Payment.Payment): void => {
  const late = given(payment.late[0])
  const statuses = statusesOf(
    [...books.outflows.values()].filter((outflow) =>
      Outflow.paymentIds(outflow).includes(payment.id),
    ),
  )
  const allowed: ReadonlyArray<OutflowState.Status> = (() => {
    switch (late._tag) {
      case "Reported":
        return []
      case "Suspended":
        return late.held === undefined ? [] : ["held"]
      case "Returning":
        return ["waiting", "sent"]
      case "Returned":
        return ["paid"]
      case "Unfounded":
        return ["held", "cancelled"]
    }
  })()
  assert.isTrue(statuses.length <= 1)
  assert.isTrue(statuses.every((status) => allowed.includes(status)))
  if (late._tag !== "Unfounded") assert.lengthOf(statuses, allowed.length === 0 ? 0 : 1)
}

/** Whether the ledger has the merchant's share of a payment as still owed. */
const isOwed = (books: Books.Books, payment: Payment.Payment): boolean => {
  const settlement = settlementOf(payment)
  const outflowId = Settlement.outflowOf(settlement)
  const refund = Payment.refundOf(payment)
  switch (settlement._tag) {
    case "Netted":
      return false
    case "Cancelled": {
      const carrying = given(books.outflows.get(given(refund).outflowId))
      return !OutflowState.isBooked[Outflow.status(carrying)]
    }
    default:
      return outflowId === null
        ? true
        : !OutflowState.isBooked[Outflow.status(given(books.outflows.get(outflowId)))]
  }
}

const isRefundBooked = (books: Books.Books, payment: Payment.Payment): boolean => {
  const refund = Payment.refundOf(payment)
  return (
    refund !== null &&
    OutflowState.isBooked[Outflow.status(given(books.outflows.get(refund.outflowId)))]
  )
}

const sum = (quantities: Iterable<bigint>): bigint => {
  let total = 0n
  for (const quantity of quantities) total += quantity
  return total
}

/** The ledger holds what came in less what went out, and owes each merchant what was not paid out. */
const checkLedger = (books: Books.Books, kept: Kept): void => {
  const balances = Ledger.balances(transactionsOf(books))
  assert.deepStrictEqual(Ledger.unsound(balances), [])
  const payments = [...books.payments.values()]
  const collected = payments
    .flatMap(Audit.entries)
    .map(({ evidence }) => evidence.movement.quantity)
  const out = [...books.outflows.values()]
    .filter((outflow) => OutflowState.isBooked[Outflow.status(outflow)])
    .map(({ movement }) => movement.quantity)
  assert.strictEqual(
    Ledger.balanceOf(
      balances,
      { _tag: "Collecting", chainId: world.token.chainId, address: world.payTo },
      world.token,
    ),
    funds - advancedAtFirst + sum(collected) - sum(out),
  )
  for (const merchantId of merchants) {
    const owed = payments
      .filter((payment) => payment.merchantId === merchantId && isOwed(books, payment))
      .map((payment) => restOf(kept, payment))
    assert.strictEqual(
      Ledger.balanceOf(balances, { _tag: "Owed", merchantId, address: world.payTo }, world.token),
      -sum(owed),
    )
    const waiting = payments
      .filter((payment) => payment.merchantId === merchantId && !isRefundBooked(books, payment))
      .map(({ id }) => kept.forRefunds.get(id) ?? 0n)
    assert.strictEqual(
      Ledger.balanceOf(balances, { _tag: "Kept", merchantId, address: world.payTo }, world.token),
      -sum(waiting),
      "what is kept pays for its refund, and for nothing else",
    )
  }
}

/** Plays the steps that are allowed; a write that the books forbid is refused, as storage does. */
const play = (steps: ReadonlyArray<Step>): Books.Books => {
  let books = atFirst
  let kept = nothingKept
  for (const step of steps) {
    const write = decide(books, step)
    if (write === null) continue
    const next = Books.written(books, write)
    const unsound = Ledger.unsound(Ledger.balances(transactionsOf(next)))
    if (unsound.length > 0) {
      // A debt was paid off otherwise since it was deducted: nothing else is ever overdrawn here.
      assert.deepStrictEqual([...new Set(unsound.map(({ account }) => account._tag))], ["Debt"])
      continue
    }
    kept = keptAfter(kept, refundedBy(books, step), write)
    books = next
    for (const outflow of books.outflows.values()) checkOutflow(books, kept, outflow)
    for (const payment of books.payments.values()) {
      assert.isTrue((kept.forRefunds.get(payment.id) ?? 0n) <= Books.netOf(payment))
      assert.isTrue(restOf(kept, payment) >= 0n)
      if (payment.state._tag === "Succeeded") checkPayment(books, kept, payment)
      else checkLate(books, payment)
    }
    checkLedger(books, kept)
  }
  return books
}

/** What the ledger has of a merchant, in whichever accounts. */
const ledgerOf = (
  transactions: ReadonlyArray<Ledger.Transaction>,
  merchantId: Merchant.MerchantId,
): Statement.Balance => {
  const of = (tag: Ledger.Account["_tag"]) =>
    transactions
      .flatMap(({ postings }) => postings)
      .reduce(
        (total, { account, delta }) =>
          account._tag === tag && "merchantId" in account && account.merchantId === merchantId
            ? total + delta
            : total,
        0n,
      )
  return { owed: -of("Owed"), kept: -of("Kept"), debt: of("Debt") }
}

/** The statement of each part of time between two splits, and what the ledger says at its ends. */
const checkStatements = (books: Books.Books, splits: ReadonlyArray<number>): void => {
  const booked = transactionsOf(books).map((transaction, bookedAt) => ({ transaction, bookedAt }))
  const ends = [...new Set([0, ...splits, booked.length])].toSorted((a, b) => a - b)
  const moved = merchants.flatMap((merchantId) =>
    ends.slice(1).flatMap((before, part) => {
      const period = { from: ends[part] ?? 0, before }
      const [told, ...others] = Statement.of(booked, merchantId, period)
      assert.lengthOf(others, 0)
      const until = (end: number) =>
        ledgerOf(
          booked.slice(0, end).map(({ transaction }) => transaction),
          merchantId,
        )
      if (told === undefined) {
        assert.deepStrictEqual(until(period.from), { owed: 0n, kept: 0n, debt: 0n })
        assert.deepStrictEqual(until(before), { owed: 0n, kept: 0n, debt: 0n })
        return []
      }
      assert.deepStrictEqual(told.opening, until(period.from))
      assert.deepStrictEqual(told.closing, until(before))
      assert.strictEqual(told.opening.owed + Statement.total(told), told.closing.owed)
      assert.strictEqual(told.opening.debt + told.debt, told.closing.debt)
      assert.strictEqual(told.opening.kept - told.kept, told.closing.kept)
      return [told]
    }),
  )
  const lineSum = (line: Statement.Line) => moved.reduce((total, each) => total + each[line], 0n)
  const delta = (tag: Ledger.Account["_tag"], kinds: ReadonlyArray<Ledger.Kind>) =>
    transactionsOf(books)
      .filter(({ kind, postings }) =>
        kind === "reverse"
          ? postings.some(({ account: { _tag } }) => ["Owed", "Kept", "Debt"].includes(_tag))
          : kinds.includes(kind),
      )
      .flatMap(({ postings }) => postings)
      .reduce((total, each) => (each.account._tag === tag ? total + each.delta : total), 0n)
  const kinds = ["collect", "refund", "settle"] as const
  assert.strictEqual(
    lineSum("paidIn") + lineSum("refunds") + lineSum("paidOut"),
    delta("Collecting", kinds),
  )
  assert.strictEqual(lineSum("fees"), delta("Fees", kinds))
  assert.strictEqual(lineSum("transferred"), 0n)
  assert.isTrue(lineSum("paidIn") >= 0n && lineSum("refunds") <= 0n && lineSum("paidOut") <= 0n)
}

describe("Statements over the lives of outflows", () => {
  it.prop(
    "add up to the ledger to the last unit, however time is split",
    [
      Arbitrary.array(Arbitrary.schema(Step), { minLength: 20, maxLength: 60 }),
      Arbitrary.array(Arbitrary.schema(index), { maxLength: 8 }),
    ],
    ([steps, splits]) => {
      const books = play(steps)
      checkStatements(
        books,
        splits.map((each) => each % (books.lines.length + 1)),
      )
    },
    { arbitrary: { runs: Counts.of({ usual: 100, full: 3000 }) } },
  )
})

describe("Outgoing over the lives of outflows", () => {
  it.prop(
    "M22: books each outflow once or not at all, and loses or doubles no share, refund or return",
    [Arbitrary.array(Arbitrary.schema(Step), { minLength: 20, maxLength: 60 })],
    ([steps]) => {
      play(steps)
    },
    { arbitrary: { runs: Counts.of({ usual: 60, full: 3000 }) } },
  )
})
