import { assert, describe, it } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as Outgoing from "@florin/core/domain/books/Outgoing"
import * as Payouts from "@florin/core/domain/books/Payouts"
import * as Refunding from "@florin/core/domain/books/Refunding"
import * as Terms from "@florin/core/domain/books/Terms"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import type * as Change from "@florin/core/domain/payment/Change"
import * as Entry from "@florin/core/domain/payment/Entry"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Shares from "@florin/testing/Shares"
import { Result, Schema, Struct } from "effect"
import * as Books from "../books.ts"
import * as Following from "../following.ts"
import * as Samples from "../samples.ts"

const { given } = Books
const { now, processing, quantity, slot, succeeded } = Samples
const token = Samples.usdcOnBase.token
const destination = { chainId: token.chainId, address: Samples.destination }
const elsewhere = { ...destination, address: Samples.address("f") }
const wholeShare = 9_800_000n
const outflowId = OutflowId.OutflowId.make("out_1")
const refundIds = {
  refund: Refund.RefundId.make("rfnd_1"),
  outflow: OutflowId.OutflowId.make("out_refund"),
}

const pending = succeeded(destination)
const groupOf = (payment: Payment.Payment): Balance.Group => given(Balance.groupOf(payment))
const entryOf = (payment: Payment.Payment): Entry.Entry => given(Balance.entryOf(payment))

/** How much the payment's refunds need of its merchant. */
const needOf = (payment: Payment.Payment): bigint =>
  Payment.refunds(payment).reduce((sum, refund) => sum + Refund.need(refund), 0n)

/** A refund of its own payment takes all that it can of a share. */
const takenOf = (entry: Entry.Entry, carrying: Outflow.Outflow | null) =>
  Entry.refund(entry, carrying, refundIds.refund, entry.quantity)

type Share = ReturnType<typeof Shares.of>

/** The one change of a payment whose share was paid without a record. */
const recordPaidElsewhere = (...of: Parameters<typeof Payouts.recordPaidElsewhere>) =>
  given(Payouts.recordPaidElsewhere(...of)[0])

const owing = (...debts: ReadonlyArray<readonly [MerchantId.MerchantId, bigint]>): Balance.Debts =>
  new Map(debts.map(([id, debt]) => [id, quantity(debt)]))

const gather = (
  payments: ReadonlyArray<Payment.Payment>,
  debts: Balance.Debts = owing(),
  group = groupOf(pending),
  lasts: Balance.Lasts = [],
) => Payouts.gather(payments, group, { debts, lasts }, outflowId, now + 3)

/** The share of the sample payment, on its way, with so much of it netted. */
const carried = (debt = 0n) => {
  const write = given(gather([pending], owing([Samples.merchantId, debt])))
  return {
    payment: given(write.payments[0]).payment,
    outflow: given(write.outflows[0]).outflow,
  }
}
const { outflow, payment: gathered } = carried()
const otherOutflow: Outflow.Outflow = { ...outflow, id: OutflowId.OutflowId.make("out_2") }

const failure = { reason: "blocklisted", code: "payee" } as const
const vanished = { reason: "a reorganisation removed it", code: "lost" } as const
const otherwise = { reason: "x (0x1)", code: "moved", movedOtherwise: true } as const
const held = given(Following.shareHeld(gathered, outflow, failure, now)).payment
const transfer = Samples.evidence(outflow.movement)
const paid = given(Following.sharePaid(gathered, outflow, transfer, now)).payment

const registered = (of: typeof token): SettlementDestination.SettlementDestination => ({
  id: SettlementDestination.SettlementDestinationId.make("crypto_1"),
  merchantId: Samples.merchantId,
  token: of,
  destination: { chainId: of.chainId, address: Samples.destination },
  assetText: "",
  destinationText: "",
  createdAt: now,
})

/** A change to another account that is in effect from this moment on. */
const changing = (takesEffectAt: number): SettlementDestination.SettlementDestination => ({
  ...registered(token),
  destination: elsewhere,
  takesEffectAt,
  before: { destination, destinationText: "" },
})

describe("the destination of a share", () => {
  const { aim, routeOf, tokenOfWaiting } = Balance
  const { gather: gatherShares, maySend } = Payouts
  const owed = succeeded()
  const dueAt = (payment: Payment.Payment, last: typeof undefined | ReturnType<typeof changing>) =>
    aim(payment, routeOf(payment, last, now + 3), now + 3)
  const terms = (last: ReturnType<typeof changing>) => ({ debts: owing(), lasts: [last] })

  it("S11: is looked up only while the share waits or is owed", () => {
    for (const payment of [pending, owed]) {
      assert.deepStrictEqual(tokenOfWaiting(payment), token)
    }
    for (const payment of [processing(), gathered, held, paid]) {
      assert.isNull(tokenOfWaiting(payment))
      assert.isNull(aim(payment, { _tag: "Waits", until: now }, now))
    }
  })

  it("S11: is noted once while a change waits, and shown as stuck", () => {
    for (const payment of [pending, owed]) {
      const noted = given(dueAt(payment, changing(now + 4)))
      assert.deepStrictEqual(noted.due, { settle: now + 3 })
      assert.isUndefined(noted.event)
      assert.strictEqual(entryOf(noted.payment).waitsSince, now + 3)
      assert.isTrue(Payment.isStuck(noted.payment))
      assert.isFalse(Payment.isStuck(payment))
      assert.isNull(dueAt(noted.payment, changing(now + 4)))
      // In effect: the share goes there.
      const aimed = given(dueAt(noted.payment, changing(now + 3)))
      assert.deepInclude(Shares.of(aimed.payment), {
        status: "waiting",
        destination: elsewhere,
      })
      assert.isNull(dueAt(aimed.payment, changing(now + 3)))
      // Deleted: it goes on as before.
      const gone = SettlementDestination.remove(changing(now + 4), now + 3)
      assert.deepStrictEqual(
        Shares.of(given(dueAt(noted.payment, gone)).payment),
        Shares.of(payment),
      )
    }
    assert.isNull(dueAt(owed, undefined))
    assert.isNull(dueAt(pending, undefined))
    assert.isNull(dueAt(pending, registered(token)))
  })

  it("S11: can change without forgetting what is kept of the share for refunds", () => {
    const { state } = pending
    assert(state._tag === "Succeeded")
    const entry = Entry.take(state.entry, { _tag: "Netted", netted: quantity(7n) })
    const noted = given(
      dueAt({ ...pending, state: { ...state, entry } }, changing(now + 4)),
    ).payment
    assert.deepStrictEqual(entryOf(noted).parts, entry.parts)
    const aimed = given(dueAt(noted, changing(now))).payment
    assert.deepStrictEqual(entryOf(aimed).parts, entry.parts)
  })

  it("S11: is decided again when the share is gathered, and when the payout is signed", () => {
    const group = groupOf(pending)
    assert.isNotNull(gatherShares([pending], group, terms(registered(token)), outflowId, now))
    for (const last of [changing(now + 1), changing(now)]) {
      assert.isNull(gatherShares([pending], group, terms(last), outflowId, now))
      assert.isFalse(maySend(outflow, [last], now))
    }
    assert.isTrue(maySend(outflow, [registered(token)], now))
    assert.isTrue(maySend(outflow, [], now))
    const stranger = { ...changing(now), merchantId: MerchantId.MerchantId.make("mrch_other") }
    assert.isTrue(maySend(outflow, [stranger], now))
    assert.isNotNull(gatherShares([pending], group, terms(stranger), outflowId, now))
    const own = { ...outflow, purpose: { _tag: "Move" } } as const
    assert.isTrue(maySend(own, [changing(now)], now))
  })

  it("S11: is the account in effect when the payment succeeds", () => {
    const { registeredAt } = SettlementDestination
    assert.deepStrictEqual(registeredAt(changing(now + 1), now), destination)
    assert.deepStrictEqual(registeredAt(changing(now), now), elsewhere)
    assert.isNull(registeredAt({ ...changing(now), deletedAt: now }, now))
    assert.isNull(registeredAt(undefined, now))
  })
})

describe("Balance.groupOf", () => {
  it("contains what one transfer can pay: partner, mode, token, sender and destination", () => {
    assert.deepStrictEqual(groupOf(pending), {
      partnerId: Samples.partnerId,
      mode: "live",
      token,
      from: Samples.collector,
      destination,
    })
  })

  it("is null unless the share waits to be gathered", () => {
    for (const payment of [succeeded(), processing(), gathered, held, paid]) {
      assert.isNull(Balance.groupOf(payment))
      assert.strictEqual(Balance.pendingQuantity(payment), 0n)
    }
    assert.strictEqual(Balance.pendingQuantity(pending), wholeShare)
  })

  it("has a different key for each group", () => {
    const group = groupOf(pending)
    const groups: ReadonlyArray<Balance.Group> = [
      group,
      { ...group, partnerId: PartnerId.PartnerId.make("prtn_other") },
      { ...group, mode: "test" },
      { ...group, token: Samples.usdtOnEthereum.token },
      { ...group, token: { ...token, chainId: Samples.usdcOnBsc.token.chainId } },
      { ...group, from: Samples.address("9") },
      { ...group, destination: elsewhere },
    ]
    const keys = groups.map(Balance.groupKey)
    assert.strictEqual(new Set(keys).size, groups.length)
    assert.strictEqual(Balance.groupKey({ ...group }), keys[0])
  })
})

describe("Balance.sharesOf", () => {
  it("pays the whole net if the merchant owes nothing", () => {
    assert.deepStrictEqual(Balance.sharesOf([pending], owing()), [
      {
        paymentId: pending.id,
        merchantId: Samples.merchantId,
        quantity: quantity(wholeShare),
        netted: quantity(0n),
      },
    ])
  })

  it("pays off debt first, to the unit, and sends the rest", () => {
    for (const debt of [1n, wholeShare - 1n, wholeShare, wholeShare + 1n, 10n * wholeShare]) {
      const [share] = Balance.sharesOf([pending], owing([Samples.merchantId, debt]))
      const { netted, quantity: sent } = given(share)
      assert.strictEqual(sent + netted, wholeShare)
      assert.strictEqual(netted, debt < wholeShare ? debt : wholeShare)
    }
  })
})

describe("Payouts.gather", () => {
  const world = Fixtures.make("gather")
  const [left, right] = ["L", "R"].map((which) => MerchantId.MerchantId.make(`mrch_gather${which}`))
  assert(left !== undefined && right !== undefined)

  /** A payment of which a merchant is to get 99, unless told otherwise. */
  const share = (merchantId: MerchantId.MerchantId, total = 100n): Payment.Payment =>
    Fixtures.paymentAfter(
      world.path("settlementPending", { merchantId }, { quantity: Fixtures.quantity(total) }),
    )
  const gatherAll = (payments: ReadonlyArray<Payment.Payment>, debts: Balance.Debts = owing()) =>
    given(gather(payments, debts, groupOf(given(payments[0]))))
  const settlements = (payments: ReadonlyArray<Payment.Payment>, debts: Balance.Debts) =>
    gatherAll(payments, debts).payments.map(({ payment }) => Shares.of(payment))
  const sharesIn = (write: ReturnType<typeof gatherAll>): ReadonlyArray<Outflow.Share> => {
    const { purpose } = given(write.outflows[0]).outflow
    return purpose._tag === "Settle" ? purpose.shares : assert.fail("it is no payout")
  }
  const nettedOf = (payment: Payment.Payment): Share => ({
    status: "netted",
    destination: world.destinationAccount,
    quantity: 0n,
    netted: Books.netOf(payment),
    outflowId: null,
    settledAt: now + 3,
  })

  it("creates one outflow of all shares, in the order of the payments", () => {
    const payments = [share(right), share(left), share(right)]
    const write = gatherAll(payments)
    assert.deepStrictEqual(
      sharesIn(write).map(({ paymentId }) => paymentId),
      payments.map(({ id }) => id),
    )
    const { claims, due, ledger, outflow: made } = given(write.outflows[0])
    assert.deepStrictEqual(made, {
      id: outflowId,
      ...world.tenant,
      movement: {
        token: world.token,
        from: world.payTo,
        to: world.destinationAccount.address,
        quantity: quantity(3n * 99n),
      },
      purpose: {
        _tag: "Settle",
        shares: payments.map(({ id, merchantId }) => ({
          paymentId: id,
          merchantId,
          quantity: quantity(99n),
          netted: quantity(0n),
        })),
      },
      state: { _tag: "Waiting" },
      createdAt: now + 3,
      updatedAt: now + 3,
      revision: 0,
    })
    assert.deepStrictEqual(due, { send: now + 3 })
    // Nothing is booked or claimed before it is sent.
    assert.deepStrictEqual([ledger, claims], [[], []])
    for (const change of write.payments) {
      assert.deepInclude(Shares.of(change.payment), {
        status: "processing",
        destination: world.destinationAccount,
        quantity: quantity(99n),
        netted: quantity(0n),
        outflowId,
      })
      assert.deepStrictEqual([change.ledger, change.claims], [[], []])
      assert.deepStrictEqual(change.due, { settle: null })
      assert.isFalse("event" in change)
    }
  })

  it("deducts each merchant's debt only from that merchant's shares, the first ones first", () => {
    const payments = [share(left), share(right), share(left), share(right), share(left)]
    const write = gatherAll(payments, owing([left, 100n], [right, 5n]))
    assert.deepStrictEqual(
      sharesIn(write).map(({ netted, paymentId, quantity: sent }) => [paymentId, sent, netted]),
      [
        [payments[1]?.id, 94n, 5n],
        [payments[2]?.id, 98n, 1n],
        [payments[3]?.id, 99n, 0n],
        [payments[4]?.id, 99n, 0n],
      ],
    )
    assert.strictEqual(given(write.outflows[0]).outflow.movement.quantity, 390n)
    assert.deepStrictEqual(
      Shares.of(given(write.payments[0]).payment),
      nettedOf(given(payments[0])),
    )
  })

  it("uses a whole share to pay off debt, and announces it as settled", () => {
    const payment = share(left)
    const write = gatherAll([payment], owing([left, 99n]))
    const [change] = write.payments
    assert.deepStrictEqual(Shares.of(given(change).payment), nettedOf(payment))
    assert.deepStrictEqual(change?.ledger, [
      Ledger.netting({
        collecting: world.payTo,
        merchantId: left,
        token: world.token,
        quantity: quantity(99n),
      }),
    ])
    assert.strictEqual(change?.event, "payment.settled")
    assert.deepStrictEqual(change?.due, { settle: null })
    assert.deepStrictEqual(write.outflows, [], "nothing is left to send")
  })

  it("books nothing if fees took everything", () => {
    const payment = share(left)
    const { state } = payment
    assert(state._tag === "Succeeded")
    const nothing: Payment.Payment = {
      ...payment,
      state: { ...state, entry: Entry.make(quantity(0n), state.entry.destination) },
    }
    const write = gatherAll([nothing])
    assert.deepInclude(Shares.of(given(write.payments[0]).payment), {
      status: "netted",
      netted: quantity(0n),
      settledAt: now + 3,
    })
    assert.deepStrictEqual(write.payments[0]?.ledger, [])
    assert.deepStrictEqual(write.outflows, [])
  })

  it("leaves out shares with another destination, and shares that do not wait any more", () => {
    const first = share(left)
    const others = [
      Fixtures.paymentAfter(world.path("owed")),
      Fixtures.paymentAfter(world.path("gathered")),
      Fixtures.paymentAfter(world.path("settled")),
      Fixtures.paymentAfter(world.path("refundPending")),
      Fixtures.paymentAfter(world.path("confirmed")),
      Fixtures.paymentAfter(
        world.path("settlementPending", {}, { token: Fixtures.token("other") }),
      ),
      Fixtures.paymentAfter(world.path("settlementPending", {}, { payTo: Samples.address("9") })),
      Fixtures.paymentAfter(world.path("settlementPending", { mode: "live" })),
    ]
    const write = gatherAll([first, ...others])
    assert.deepStrictEqual(
      write.payments.map(({ payment }) => payment.id),
      [first.id],
    )
    assert.deepStrictEqual(
      sharesIn(write).map(({ paymentId }) => paymentId),
      [first.id],
    )
    assert.isNull(gather(others, owing(), groupOf(first)))
    assert.isNull(gather([], owing(), groupOf(first)))
  })

  it("gathers a share once", () => {
    assert.isNull(gather([gathered]))
    assert.isNull(gather([held]))
    assert.isNull(gather([paid]))
  })

  describe("of more than one transfer can move", () => {
    const huge = share(left, Limits.maxQuantity)
    const most = Books.netOf(huge)
    const rest = Limits.maxQuantity - most

    it("stops before the share that does not fit, and leaves it and all later ones waiting", () => {
      const fits = share(left, 100n)
      const write = gatherAll([fits, huge, share(left, Limits.maxQuantity), share(left)])
      assert.deepStrictEqual(
        write.payments.map(({ payment }) => payment.id),
        [fits.id, huge.id],
      )
      assert.strictEqual(given(write.outflows[0]).outflow.movement.quantity, 99n + most)
    })

    it("takes what fits to the last unit", () => {
      const { state } = huge
      assert(state._tag === "Succeeded")
      const withNet = (whole: bigint): Payment.Payment => ({
        ...share(left),
        state: { ...state, entry: { ...state.entry, quantity: quantity(whole) } },
      })
      const exactly = gatherAll([huge, withNet(rest)])
      assert.strictEqual(given(exactly.outflows[0]).outflow.movement.quantity, Limits.maxQuantity)
      assert.lengthOf(gatherAll([huge, withNet(rest + 1n)]).payments, 1)
    })

    it("counts what is sent, after debt is deducted", () => {
      const write = gatherAll(
        [share(left, Limits.maxQuantity), share(left, Limits.maxQuantity)],
        owing([left, most]),
      )
      assert.lengthOf(write.payments, 2)
      assert.strictEqual(given(write.outflows[0]).outflow.movement.quantity, most)
    })
  })

  it("mixes shares that are sent, partly netted, and fully netted", () => {
    const payments = [share(left), share(left), share(right)]
    assert.deepStrictEqual(
      settlements(payments, owing([left, 100n], [right, 0n])).map(({ status }) => status),
      ["netted", "processing", "processing"],
    )
    const write = gatherAll(payments, owing([left, 100n]))
    const total =
      sharesIn(write).reduce((sum, each) => sum + each.quantity + each.netted, 0n) +
      Books.netOf(given(payments[0]))
    assert.strictEqual(
      total,
      payments.reduce((sum, payment) => sum + Books.netOf(payment), 0n),
    )
  })
})

/** What a merchant still has coming is kept for a refund of money that it was paid out already. */
describe("Balance.keep", () => {
  const world = Fixtures.make("keep")
  const stranger = MerchantId.MerchantId.make("mrch_keepStranger")
  const farAccount = Fixtures.address("payTo/keepFar")
  const priced = (total: bigint) => ({ quantity: quantity(total) })

  /** Paths of shares, by what they are to a refund of the world's merchant. */
  const paths = {
    own: (total: bigint) => world.path("settlementPending", {}, priced(total)),
    ownFarAway: (total: bigint) =>
      world.path("settlementPending", {}, { ...priced(total), payTo: farAccount }),
    ofStranger: (total: bigint) =>
      world.path("settlementPending", { merchantId: stranger }, priced(total)),
    live: (total: bigint) => world.path("settlementPending", { mode: "live" }, priced(total)),
    otherToken: (total: bigint) =>
      world.path("settlementPending", {}, { ...priced(total), token: Fixtures.token("other") }),
    gathered: (total: bigint) => world.path("gathered", {}, priced(total)),
    owed: (total: bigint) => world.path("owed", {}, priced(total)),
  }
  type Kind = keyof typeof paths
  const ownKinds = new Set<Kind>(["own", "ownFarAway", "owed"])
  const isOwn = (kind: Kind): boolean => ownKinds.has(kind)
  const leftOf = (payment: Payment.Payment): bigint => Entry.left(given(Balance.entryOf(payment)))

  /** A refund after the settlement, of a payment of so much, and the shares of other payments. */
  const scene = (total: bigint, shares: ReadonlyArray<readonly [Kind, bigint]>) => {
    const refunded = world.path("refundAfterSettlement", {}, priced(total))
    const others = shares.map(([kind, each]) => ({ kind, path: paths[kind](each) }))
    return {
      books: Books.of(refunded, ...others.map(({ path }) => path)),
      refundedId: Fixtures.paymentAfter(refunded).id,
      shares: others.map(({ kind, path }) => ({ kind, id: Fixtures.paymentAfter(path).id })),
    }
  }
  type Scene = ReturnType<typeof scene>
  const at = ({ books }: Pick<Scene, "books">, id: Payment.Payment["id"]): Payment.Payment =>
    given(books.payments.get(id))
  const keep = (played: Scene, when = now) =>
    Balance.keep(
      at(played, played.refundedId),
      played.shares.map(({ id }) => at(played, id)),
      when,
    )
  const kept = (played: Scene): Scene => ({
    ...played,
    books: Books.written(played.books, given(keep(played))),
  })
  const keptFor = (played: Scene) => Payment.refundOf(at(played, played.refundedId))?.kept

  it("S5: keeps the shares in order, and only as much as needed of the last one", () => {
    const before = scene(100n, [
      ["own", 60n],
      ["own", 60n],
      ["own", 60n],
    ])
    const write = given(keep(before, now + 9))
    const after = { ...before, books: Books.written(before.books, write) }
    const [whole, cut, untouched] = after.shares.map(({ id }) => at(after, id))
    const wholeNet = Books.netOf(given(whole))
    const need = Books.netOf(at(before, before.refundedId))
    assert.deepInclude(Shares.of(given(whole)), {
      status: "netted",
      netted: wholeNet,
    })
    assert.deepInclude(Shares.of(given(cut)), {
      status: "waiting",
      destination: world.destinationAccount,
      netted: need - wholeNet,
    })
    assert.strictEqual(untouched, at(before, given(before.shares[2]).id))
    // A share that is gone is settled only once the refund's transfer is final.
    assert.deepStrictEqual(Books.announced(write), [])
    const paidOff = given(Balance.recordPaidOff(given(whole), "0xrefund", now + 20))
    assert.strictEqual(paidOff.event, "payment.settled")
    assert.deepStrictEqual(Payment.payoutOf(paidOff.payment), {
      amount: { unit: Amount.token(world.token), quantity: quantity(wholeNet) },
      txId: "0xrefund",
      settledAt: now + 20,
    })
    assert.isNull(Balance.recordPaidOff(paidOff.payment, "0xother", now + 30))
    const dues = write.payments.map(({ due, payment }) => [payment.id, due])
    assert.deepStrictEqual(dues, [
      [after.refundedId, {}],
      [given(whole).id, { settle: now + 9 }],
      [given(cut).id, {}],
    ])
    assert.deepStrictEqual(write.outflows, [], "nothing is sent")
  })

  it("holds back what is left of a share that was, and nothing once all of it is kept", () => {
    const before = scene(100n, [
      ["own", 60n],
      ["own", 60n],
    ])
    const hold = (payment: Payment.Payment) =>
      given(Balance.holdBack(payment, { from: now + 1000, dueAt: now }, now))
    const all = {
      ...before,
      books: before.shares.reduce(
        (books, { id }) =>
          Books.written(books, Fixtures.writeOf(hold(given(books.payments.get(id))))),
        before.books,
      ),
    }
    const after = kept(all)
    const untils = after.shares.map(({ id }) => Balance.entryOf(at(after, id))?.heldUntil)
    assert.deepStrictEqual(untils, [undefined, now + 1000])
  })

  it("S5: keeps each share on the account where it was collected", () => {
    const after = kept(
      scene(100n, [
        ["own", 40n],
        ["ownFarAway", 40n],
        ["own", 10n],
      ]),
    )
    const [near, far, more] = after.shares.map(({ id }) => Books.netOf(at(after, id)))
    assert.deepStrictEqual(keptFor(after), [
      { collecting: world.payTo, quantity: quantity(given(near) + given(more)) },
      { collecting: farAccount, quantity: quantity(given(far)) },
    ])
  })

  it("S5: uses no shares of other merchants, modes or tokens, or that do not wait", () => {
    const kinds = ["ofStranger", "live", "otherToken", "gathered"] as const
    for (const kind of kinds) assert.isNull(keep(scene(100n, [[kind, 100n]])), kind)
    assert.isNull(keep(scene(100n, [])))
  })

  it("keeps nothing if no refund needs it", () => {
    const waiting = Fixtures.paymentAfter(world.path("settlementPending"))
    for (const stage of ["created", "settled", "refundPending", "refunding"] as const) {
      const payment = Fixtures.paymentAfter(world.path(stage))
      assert.isNull(Balance.keep(payment, [waiting], now), stage)
    }
  })

  it("S5: also keeps the refunded payment's own share if it is free again", () => {
    const path = world.path("settling")
    const { outflow: payout, payment } = Fixtures.statesAfter(path)
    const id = given(payout).id
    const current = (books: Books.Books) => Books.current(books, id)
    let books = Books.of(path)
    const ids = { refund: Refund.RefundId.make("rfnd_keep"), outflow: world.outflowId() }
    const refunded = Outgoing.refund(payment, ids, current(books), now)
    books = Books.written(books, Result.getOrThrow(refunded))
    books = Books.written(books, given(Outgoing.hold(current(books), failure, now)))
    books = Books.written(books, given(Outgoing.retry(current(books), now)))
    const free = given(books.payments.get(payment.id))
    assert.strictEqual(Shares.of(free).status, "waiting")
    const write = given(Balance.keep(free, [free], now))
    const after = given(Books.written(books, write).payments.get(payment.id))
    assert.lengthOf(write.payments, 1)
    assert.strictEqual(Shares.of(after).status, "netted")
    assert.strictEqual(needOf(after), 0n)
  })

  const part = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 300n }))
  const Share = Schema.Tuple([Schema.Literals(Struct.keys(paths)), part])

  it.prop(
    "S5: keeps exactly what the refund needs, and pays out every other unit",
    [part, Schema.Array(Share).check(Schema.isMaxLength(6))],
    ([total, drawn]) => {
      const before = scene(total, drawn)
      const need = needOf(at(before, before.refundedId))
      const own = before.shares.filter(({ kind }) => isOwn(kind))
      const nets = own.map(({ id }) => Books.netOf(at(before, id)))
      const available = nets.reduce((sum, net) => sum + net, 0n)
      const taken = available < need ? available : need
      if (taken === 0n) {
        assert.isNull(keep(before))
        return
      }
      const after = kept(before)
      const refund = given(Payment.refundOf(at(after, after.refundedId)))
      assert.strictEqual(Refund.keptOf(refund), taken)
      assert.strictEqual(needOf(at(after, after.refundedId)), need - taken)
      const left = own.map(({ id }) => leftOf(at(after, id)))
      for (const [index, rest] of left.entries()) {
        const net = nets[index] ?? 0n
        const isLater = left.slice(0, index).some((each) => each > 0n)
        assert.isTrue(rest >= 0n && rest <= net)
        assert.isTrue(!isLater || rest === net, "a later share is taken only after the ones before")
      }
      assert.strictEqual(
        left.reduce((sum, each) => sum + each, 0n),
        available - taken,
      )
      for (const { id, kind } of before.shares) {
        if (!isOwn(kind)) assert.strictEqual(at(after, id), at(before, id))
      }
      // The ledger says the same: what was owed is kept, account by account.
      const balances = Ledger.balances(after.books.lines.map(({ transaction }) => transaction))
      assert.deepStrictEqual(Ledger.unsound(balances), [])
      for (const { collecting, quantity: keptThere } of refund.kept ?? []) {
        const account = { _tag: "Kept", merchantId: world.merchantId, address: collecting } as const
        assert.strictEqual(Ledger.balanceOf(balances, account, world.token), -keptThere)
      }
      assert.isTrue(need > taken || keep(after) === null, "a second time, it keeps nothing more")
    },
    { arbitrary: { runs: Counts.of({ usual: 200, full: 3_000 }) } },
  )

  describe("afterwards", () => {
    /** A share of which a part is kept, and what is left of it. */
    const cutShare = () => {
      const after = kept(scene(50n, [["own", 100n]]))
      const share = at(after, given(after.shares[0]).id)
      return { ...after, share, left: Balance.pendingQuantity(share) }
    }
    const gatherIn = (books: Books.Books, share: Payment.Payment) => {
      const id = world.outflowId()
      const group = groupOf(share)
      const write = Payouts.gather([share], group, { debts: owing(), lasts: [] }, id, now)
      return { id, books: Books.written(books, given(write)) }
    }

    it("S5: pays out the rest of a share", () => {
      const { books, left, share } = cutShare()
      const gatheredShare = gatherIn(books, share)
      const { outflow: payout } = Books.current(gatheredShare.books, gatheredShare.id)
      assert.strictEqual(left, Books.netOf(share) - Shares.of(share).netted)
      assert.strictEqual(payout.movement.quantity, left)
    })

    it("S5: remembers what is kept through every later state, and never pays it out", () => {
      const { books, left, share } = cutShare()
      const step = (
        { books: from, id }: { readonly books: Books.Books; readonly id: OutflowId.OutflowId },
        decide: (current: Outgoing.Current) => Change.Write | null,
      ) => ({ id, books: Books.written(from, given(decide(Books.current(from, id)))) })
      const waits = gatherIn(books, share)
      const sent = step(waits, (current) => Outgoing.send(current, world.sent(), now))
      const paidOut = step(sent, (current) =>
        Outgoing.pay(current, world.evidenceOf(current.outflow.movement), now),
      )
      const retried = (stopped: typeof sent) =>
        step(stopped, (current) => Outgoing.retry(current, now))
      const ways = {
        "gathered again": step(waits, (current) => Outgoing.regather(current, now, now)),
        held: retried(step(sent, (current) => Outgoing.hold(current, failure, now))),
        "taken by a reorganisation": retried(
          step(paidOut, (current) => Outgoing.revoke(current, failure, now)),
        ),
      }
      for (const [way, { books: after }] of Object.entries(ways)) {
        const again = given(after.payments.get(share.id))
        assert.strictEqual(Balance.pendingQuantity(again), left, way)
      }
    })

    it("S5: remembers what is kept of a share whose payout was recorded later", () => {
      const { share } = cutShare()
      const own = given(Balance.sharesOf([share], owing())[0])
      const carrying = { ...outflow, id: outflowId }
      const { payment } = recordPaidElsewhere(share, own, { outflowId, transfer }, now)
      const revoked = given(Following.shareHeld(payment, carrying, failure, now)).payment
      const again = Following.shareFreed(revoked, carrying, now, now)
      assert.strictEqual(Balance.pendingQuantity(given(again).payment), own.quantity)
    })
  })
})

describe("a share whose payout is final", () => {
  it("settles the share, and announces it", () => {
    const { outflow: sent, payment } = carried(5n)
    const change = given(Following.sharePaid(payment, sent, transfer, now + 4))
    assert.deepInclude(Shares.of(change.payment), {
      status: "paid",
      destination,
      quantity: quantity(wholeShare - 5n),
      netted: quantity(5n),
      outflowId,
      txHash: transfer.txHash,
      settledAt: now + 4,
    })
    // What is booked and claimed is the outflow's.
    assert.deepStrictEqual([change.ledger, change.claims], [[], []])
    assert.strictEqual(change.event, "payment.settled")
    assert.deepStrictEqual(change.due, { settle: null })
  })

  it("settles a share that was held if it turns out to be paid", () => {
    const change = given(Following.sharePaid(held, outflow, transfer, now + 4))
    assert.deepInclude(Shares.of(change.payment), {
      status: "paid",
      quantity: quantity(wholeShare),
      netted: quantity(0n),
    })
  })

  it("settles a share once, and only by its own outflow", () => {
    assert.isNull(Following.sharePaid(paid, outflow, transfer, now))
    assert.isNull(Following.sharePaid(pending, outflow, transfer, now))
    assert.isNull(Following.sharePaid(gathered, otherOutflow, transfer, now))
  })
})

describe("a share whose payout is held", () => {
  it("keeps the share and its destination, and records why it was not paid", () => {
    for (const payment of [gathered, paid]) {
      const change = given(Following.shareHeld(payment, outflow, failure, now + 5))
      assert.deepInclude(Shares.of(change.payment), {
        status: "held",
        destination,
        outflowId,
        reason: "blocklisted",
        code: "payee",
      })
      assert.strictEqual(Entry.heldOf(entryOf(change.payment))?.heldAt, now + 5)
      assert.deepStrictEqual(change.ledger, [])
      assert.deepStrictEqual(change.due, { settle: null })
      assert.strictEqual(change.event, "settlement.held")
    }
  })

  it("S24: remembers that the transaction moved another amount", () => {
    const change = given(Following.shareHeld(gathered, outflow, otherwise, now))
    assert.deepInclude(Shares.of(change.payment), otherwise)
  })

  it("does not change a share that is owed, waits, does not exist yet, or belongs to another outflow", () => {
    for (const payment of [succeeded(), pending, processing(), held]) {
      assert.isNull(Following.shareHeld(payment, outflow, failure, now))
    }
    assert.isNull(Following.shareHeld(gathered, otherOutflow, failure, now))
  })
})

describe("a share whose payout is cancelled", () => {
  it("makes the share wait to be gathered again", () => {
    for (const payment of [gathered, held]) {
      const same = given(Following.shareFreed(payment, outflow, now + 60, now + 6))
      assert.deepInclude(Shares.of(same.payment), { status: "waiting", destination })
      assert.deepStrictEqual(same.due, { settle: now + 60 })
      assert.isFalse("event" in same)
    }
  })

  it("does not change any other share", () => {
    for (const payment of [succeeded(), pending, paid, processing()]) {
      assert.isNull(Following.shareFreed(payment, outflow, now, now))
    }
    assert.isNull(Following.shareFreed(gathered, otherOutflow, now, now))
  })
})

describe("a share whose payout was found again", () => {
  it("records the other hash under which the transfer was found", () => {
    const found = { ...transfer, txHash: `0x${"2".repeat(64)}` }
    const change = given(Following.sharePaid(paid, outflow, found, now))
    const share = Shares.of(paid)
    assert(share.status === "paid")
    assert.deepStrictEqual(Shares.of(change.payment), { ...share, txHash: found.txHash })
    assert.isFalse("event" in change)
    assert.isNull(Following.sharePaid(paid, otherOutflow, found, now))
  })
})

describe("Payouts.bookings", () => {
  it("returns one booking for each share, in its payment's history, and one for an advance", () => {
    const { outflow: sent, payment } = carried(5n)
    assert(sent.purpose._tag === "Settle")
    const paidTo = {
      merchantId: Samples.merchantId,
      collecting: Samples.collector,
      destination,
      token,
    }
    const booked = {
      paymentId: payment.id,
      transaction: Fixtures.settlement({
        ...paidTo,
        quantity: quantity(wholeShare - 5n),
        netted: quantity(5n),
      }),
    }
    assert.deepStrictEqual(Payouts.bookings(sent), [booked])
    const advance = { merchantId: Samples.merchantId, quantity: quantity(7n) }
    assert.deepStrictEqual(Payouts.bookings({ ...sent, purpose: { ...sent.purpose, advance } }), [
      booked,
      {
        paymentId: null,
        transaction: Fixtures.advance({ ...paidTo, quantity: quantity(7n) }),
      },
    ])
  })
})

describe("Balance.isUnpaid", () => {
  const cancelled = Result.getOrThrow(Refunding.request(pending, refundIds, null, now))
  const isUnpaid = (payment: Payment.Payment, to = destination) =>
    Balance.isUnpaid(payment, to.address)

  it("is true for a share that waits for that destination", () => {
    assert.isTrue(isUnpaid(pending))
    assert.isFalse(isUnpaid(pending, elsewhere))
  })

  it("is true for a share that a refund cancelled before any of it was sent", () => {
    const { payment } = cancelled.change
    assert.isTrue(isUnpaid(payment))
    assert.isFalse(isUnpaid(payment, elsewhere))
    assert.isTrue(Balance.isCancelled(payment))
    assert.isFalse(Balance.isCancelled(pending))
    const refunding = given(Following.refundSent(payment, cancelled.outflow.outflow, now)).payment
    assert.isFalse(isUnpaid(refunding))
  })

  it("is false for a share without a destination, in a payout, or paid", () => {
    const owed = Result.getOrThrow(Refunding.request(succeeded(), refundIds, null, now)).change
    for (const payment of [owed.payment, succeeded(), gathered, held, paid, processing()]) {
      assert.isFalse(isUnpaid(payment))
    }
  })
})

describe("Balance.recorded", () => {
  const share = given(Balance.sharesOf([pending], owing())[0])
  const recordedOf = (payment: Payment.Payment) =>
    recordPaidElsewhere(payment, share, { outflowId, transfer }, now + 8)

  it("settles the share with the transfer, and announces it", () => {
    const change = recordedOf(pending)
    assert.deepInclude(Shares.of(change.payment), {
      status: "paid",
      destination,
      quantity: quantity(wholeShare),
      netted: quantity(0n),
      outflowId,
      txHash: transfer.txHash,
      settledAt: now + 8,
    })
    assert.strictEqual(change.event, "payment.settled")
    assert.deepStrictEqual(change.due, { settle: null })
  })

  it("lets a refund that is not sent yet use the float", () => {
    const { payment } = Result.getOrThrow(Refunding.request(pending, refundIds, null, now)).change
    const { state } = recordedOf(payment).payment
    assert(state._tag === "Succeeded")
    assert.isFalse(Refund.drawsOnFloat(given(Payment.refundOf(payment))))
    assert.isTrue(state.refunds.every(Refund.drawsOnFloat))
    assert.lengthOf(state.refunds, 1)
    assert.strictEqual(Shares.ofEntry(state.entry).status, "paid")
  })
})

describe("Entry.refund", () => {
  const waiting = outflow
  const sent = given(Outflow.send(outflow, slot(1), now))

  it("takes a share back, and remembers its destination", () => {
    for (const payment of [succeeded(), pending, gathered, held]) {
      const { destination: to, quantity: netted } = entryOf(payment)
      const isCarried = payment === gathered || payment === held
      assert.deepStrictEqual(takenOf(entryOf(payment), waiting), {
        entry: {
          quantity: netted,
          destination: to,
          parts: [{ _tag: "Refunded", netted, refundId: refundIds.refund }],
        },
        quantity: netted,
        freed: isCarried ? outflowId : null,
      })
    }
  })

  const takesNothing = (entry: Entry.Entry, carrying: Outflow.Outflow | null) =>
    assert.deepStrictEqual(takenOf(entry, carrying), { entry, quantity: quantity(0n), freed: null })

  it("takes nothing once the share was sent, or may have been, or was refunded", () => {
    for (const carrying of [sent, null]) takesNothing(entryOf(gathered), carrying)
    const [maybePaid, removed] = [otherwise, vanished].map(
      (why) => given(Following.shareHeld(gathered, outflow, why, now)).payment,
    )
    const { outflow: netting, payment: withDebt } = carried(5n)
    assert.strictEqual(netting.id, outflowId)
    for (const share of [
      entryOf(given(maybePaid)),
      entryOf(given(removed)),
      entryOf(paid),
      takenOf(entryOf(pending), null).entry,
      Entry.take(entryOf(pending), { _tag: "Netted", netted: quantity(wholeShare) }),
    ]) {
      takesNothing(share, waiting)
    }
    takesNothing(entryOf(withDebt), sent)
  })
})

describe("Entry.outflowOf", () => {
  it("is the payout that contains the share, or that failed to pay it", () => {
    assert.deepStrictEqual(
      [succeeded(), pending, gathered, held, paid].map((payment) => Shares.of(payment).outflowId),
      [null, null, outflowId, outflowId, outflowId],
    )
  })
})

describe("S3: a partner's reserve", () => {
  const day = 24 * 60 * 60 * 1000
  const limits = Result.getOrThrow(
    Result.map(PartnerLimits.parseReserve("10% 7d"), (reserve) => ({ reserve })),
  )
  const bounds = { limits, most: null }
  const [first, second] = ["out_first", "out_second"].map((id) => OutflowId.OutflowId.make(id))
  if (first === undefined || second === undefined) assert.fail("two ids")
  const at = now + 8 * day

  /** Gathers the payment alone. */
  const into = (payment: Payment.Payment, id: OutflowId.OutflowId, time: number, debt = 0n) =>
    Payouts.gather(
      [payment],
      groupOf(payment),
      { debts: owing([Samples.merchantId, debt]), lasts: [] },
      id,
      time,
      bounds,
    )
  const gathering = (payment: Payment.Payment, id: OutflowId.OutflowId, time: number) => {
    const write = given(into(payment, id, time))
    return {
      payment: given(write.payments[0]).payment,
      outflow: given(write.outflows[0]).outflow,
    }
  }
  const pay = (payment: Payment.Payment, carrying: Outflow.Outflow) =>
    given(Following.sharePaid(payment, carrying, Samples.evidence(carrying.movement), now + 4))
  const begun = gathering(pending, first, now + 3)
  const part = pay(begun.payment, begun.outflow)
  const ending = gathering(part.payment, second, at)
  const end = pay(ending.payment, ending.outflow)

  it("S11: is not forgotten, nor what was paid before it, while a changed destination waits", () => {
    const change = changing(at + 9)
    const aimed = (payment: Payment.Payment, time: number) =>
      given(Balance.aim(payment, Balance.routeOf(payment, change, time), time)).payment
    const waiting = aimed(part.payment, now + 5)
    const terms = { debts: owing(), lasts: [change] }
    assert.isNull(
      Payouts.gather([waiting], groupOf(waiting), terms, second, at, bounds),
      "its time is over, and it goes nowhere yet",
    )
    const next = aimed(waiting, at + 9)
    assert.deepStrictEqual(entryOf(next).parts, entryOf(part.payment).parts)
    const last = given(into(next, second, at + 9)).outflows[0]
    assert.strictEqual(given(last).outflow.movement.quantity, 980_000n)
    assert.strictEqual(given(last).outflow.movement.to, elsewhere.address)
  })

  it("is kept of the share, and paid out once its time is over", () => {
    assert.strictEqual(begun.outflow.movement.quantity, 8_820_000n)
    assert.isFalse("event" in part)
    assert.deepStrictEqual(part.due, { settle: now + 4 })
    assert.strictEqual(Balance.pendingQuantity(part.payment), 980_000n)
    assert.isNull(into(part.payment, second, now + 5))
    const { succeededAt } = given(
      part.payment.state._tag === "Succeeded" ? part.payment.state : null,
    )
    const payableAt = Terms.payableAt(part.payment, limits, now + 5)
    assert.strictEqual(payableAt, succeededAt + 7 * day)
    assert.strictEqual(ending.outflow.movement.quantity, 980_000n)
    assert.strictEqual(end.event, "payment.settled")
    assert.deepInclude(Shares.of(end.payment), {
      status: "paid",
      quantity: quantity(wholeShare),
      netted: quantity(0n),
      outflowId: second,
    })
    assert.includeMembers([...Payment.outflowIds(end.payment)], [first, second])
  })

  it("is used first by a refund, which does not cancel what was paid out", () => {
    const ids = { refund: refundIds.refund, outflow: refundIds.outflow }
    const { change } = given(Result.getOrThrow(Refunding.request(part.payment, ids, null, now + 5)))
    const refund = given(Payment.refundOf(change.payment))
    assert.isTrue(Refund.drawsOnFloat(refund))
    assert.strictEqual(refund.own, 980_000n, "the reserve is taken in the same decision")
    assert.strictEqual(needOf(change.payment), 8_820_000n)
    // Nothing of it is left to pay, so it is settled instead of gathered.
    assert.deepStrictEqual(change.due, { settle: now + 5 })
    assert.isNull(Balance.keep(change.payment, [change.payment], now + 6))
    const write = given(into(change.payment, second, now + 6))
    assert.deepStrictEqual(write.outflows, [])
    const [own] = write.payments
    assert.strictEqual(needOf(given(own).payment), 8_820_000n)
    assert.deepInclude(Shares.of(given(own).payment), {
      status: "paid",
      quantity: quantity(8_820_000n),
      netted: quantity(0n),
      outflowId: first,
    })
    assert.strictEqual(given(own).event, "payment.settled")
    assert.deepStrictEqual(given(own).due, { settle: null })
    assert.deepStrictEqual(given(own).ledger, [])
  })

  it("remains after a debt took the rest of the share, and pays off the remaining debt later", () => {
    const netted = given(given(into(pending, first, now + 3, wholeShare)).payments[0])
    assert.isFalse("event" in netted)
    assert.strictEqual(Balance.pendingQuantity(netted.payment), 980_000n)
    const later = given(given(into(netted.payment, second, at, 980_000n)).payments[0])
    assert.deepInclude(Shares.of(later.payment), {
      status: "netted",
      netted: quantity(wholeShare),
    })
  })

  it("is not forgotten if the payout of the rest is cancelled or held", () => {
    const freed = given(Following.shareFreed(ending.payment, ending.outflow, at, at))
    assert.strictEqual(Balance.pendingQuantity(freed.payment), 980_000n)
    const stopped = given(Following.shareHeld(ending.payment, ending.outflow, failure, at))
    const retried = given(Following.shareFreed(stopped.payment, ending.outflow, at, at))
    assert.strictEqual(Balance.pendingQuantity(retried.payment), 980_000n)
    const gone = given(Following.shareHeld(end.payment, ending.outflow, failure, at))
    const again = given(Following.shareFreed(gone.payment, ending.outflow, at, at))
    assert.strictEqual(Balance.pendingQuantity(again.payment), 980_000n)
  })

  it("pays a part again that a reorganisation removed", () => {
    for (const [payment, left] of [
      [part.payment, wholeShare],
      [end.payment, wholeShare - 980_000n],
    ] as const) {
      const lost = given(Following.shareHeld(payment, begun.outflow, failure, at)).payment
      assert.strictEqual(Shares.of(lost).status, "held")
      const freed = given(Following.shareFreed(lost, begun.outflow, at, at))
      assert.strictEqual(Balance.pendingQuantity(freed.payment), left)
      assert.deepStrictEqual(freed.due, { settle: at })
      assert.isNull(Following.shareFreed(freed.payment, begun.outflow, at, at))
    }
    // While the rest is on its way, it stays there, and the part waits again after it.
    const lost = given(Following.shareHeld(ending.payment, begun.outflow, failure, at)).payment
    assert.strictEqual(Shares.of(lost).status, "held", "although another payout carries the rest")
    // The rest is on its way, so a refund of the payment takes nothing back.
    assert.strictEqual(takenOf(entryOf(lost), null).quantity, 0n)
    const freed = given(Following.shareFreed(lost, begun.outflow, at, at))
    const rest = pay(freed.payment, ending.outflow)
    assert.strictEqual(Balance.pendingQuantity(rest.payment), wholeShare - 980_000n)
  })

  it("delays the share until it can be gathered, as a payout delay does", () => {
    const back = { from: at, dueAt: at + 1 }
    const change = given(Balance.holdBack(part.payment, back, now + 5))
    assert.strictEqual(Balance.heldUntil(change.payment), at)
    assert.deepStrictEqual(change.due, { settle: at + 1 })
    const free = given(Balance.holdBack(change.payment, { from: null, dueAt: at }, now + 6))
    assert.isNull(Balance.heldUntil(free.payment))
    for (const payment of [gathered, succeeded()]) {
      assert.isNull(Balance.holdBack(payment, back, now))
      assert.isNull(Balance.heldUntil(payment))
    }
    assert.strictEqual(Terms.payableAt(processing(), limits, now), now)
  })
})

describe("S3: the maximum of a payout", () => {
  const other = (id: string) => ({ ...pending, id: PaymentId.PaymentId.make(id) })
  const others = [other("pay_a"), other("pay_b")]
  const carrying = (most: bigint) =>
    given(
      Payouts.gather(
        [pending, ...others],
        groupOf(pending),
        { debts: owing(), lasts: [] },
        outflowId,
        now + 3,
        {
          limits: PartnerLimits.none,
          most,
        },
      ),
    ).payments.length

  it("is the daily limit, and at least one share", () => {
    assert.strictEqual(carrying(3n * wholeShare), 3)
    assert.strictEqual(carrying(3n * wholeShare - 1n), 2)
    assert.strictEqual(carrying(0n), 1)
  })
})

describe("S3: Balance.keep, over several merchants", () => {
  const other = MerchantId.MerchantId.make("mrch_other")
  const share = { ...pending, id: PaymentId.PaymentId.make("pay_other"), merchantId: other }
  const { change } = given(Result.getOrThrow(Refunding.request(paid, refundIds, null, now)))
  const keep = (from: Payment.Payment, nets?: boolean) =>
    Balance.keep(change.payment, [from], now, nets)

  it("uses shares of others only if the operator allows it, and only of the same partner", () => {
    assert.isNull(keep(share))
    const stranger = { ...share, partnerId: PartnerId.PartnerId.make("prtn_other") }
    assert.isNull(keep(stranger, true))
    const write = given(keep(share, true))
    const ledger = write.payments.flatMap((each) => each.ledger)
    const accounts = ledger.flatMap(({ postings }) =>
      postings.map(({ account }) => Ledger.accountKey(account)),
    )
    assert.deepStrictEqual(accounts, [
      `owed:${other}:${Samples.collector}`,
      `kept:${Samples.merchantId}:${Samples.collector}`,
    ])
    const [refunded] = write.payments
    assert.strictEqual(needOf(given(refunded).payment), 0n)
  })
})
