import { assert, describe, it } from "@effect/vitest"
import * as Ledger from "@florin/core/domain/Ledger"
import * as Limits from "@florin/core/domain/Limits"
import * as Merchant from "@florin/core/domain/Merchant"
import * as Outflow from "@florin/core/domain/Outflow"
import * as Payment from "@florin/core/domain/Payment"
import * as Refund from "@florin/core/domain/Refund"
import * as Refunding from "@florin/core/domain/Refunding"
import * as Settlement from "@florin/core/domain/Settlement"
import * as SettlementDestination from "@florin/core/domain/SettlementDestination"
import * as SettlementMatching from "@florin/core/domain/SettlementMatching"
import * as Fixtures from "@florin/testing/Fixtures"
import { Result } from "effect"
import * as Books from "./books.ts"
import * as Samples from "./samples.ts"

const { given, settlementOf } = Books
const { now, processing, quantity, slot, succeeded } = Samples
const token = Samples.usdcOnBase.token
const destination = { chainId: token.chainId, address: Samples.destination }
const elsewhere = { ...destination, address: Samples.address("f") }
const wholeShare = 9_800_000n
const outflowId = Outflow.OutflowId.make("out_1")
const refundIds = {
  refund: Refund.RefundId.make("rfnd_1"),
  outflow: Outflow.OutflowId.make("out_refund"),
}

const pending = succeeded(destination)
const groupOf = (payment: Payment.Payment): SettlementMatching.Group =>
  given(SettlementMatching.groupOf(payment))

const owing = (
  ...debts: ReadonlyArray<readonly [Merchant.MerchantId, bigint]>
): SettlementMatching.Debts => new Map(debts.map(([id, debt]) => [id, quantity(debt)]))

const gather = (
  payments: ReadonlyArray<Payment.Payment>,
  debts: SettlementMatching.Debts = owing(),
  group = groupOf(pending),
  lasts: SettlementMatching.Lasts = [],
) => SettlementMatching.gather(payments, group, { debts, lasts }, outflowId, now + 3)

/** The share of the sample payment, on its way, with so much of it netted. */
const carried = (debt = 0n) => {
  const write = given(gather([pending], owing([Samples.merchantId, debt])))
  return {
    payment: given(write.payments[0]).payment,
    outflow: given(write.outflows[0]).outflow,
  }
}
const { outflow, payment: gathered } = carried()
const otherOutflow: Outflow.Outflow = { ...outflow, id: Outflow.OutflowId.make("out_2") }

const failure = { reason: "blocklisted" }
const otherwise = { reason: "x (0x1)", movedOtherwise: true } as const
const held = given(SettlementMatching.held(gathered, outflow, failure, now)).payment
const transfer = Samples.evidence(outflow.movement)
const paid = given(SettlementMatching.paid(gathered, outflow, transfer, now)).payment

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

describe("where a share goes", () => {
  const { aim, gather: gatherShares, maySend, routeOf, tokenOfWaiting } = SettlementMatching
  const owed = succeeded()
  const dueAt = (payment: Payment.Payment, last: typeof undefined | ReturnType<typeof changing>) =>
    aim(payment, routeOf(payment, last, now + 3), now + 3)
  const terms = (last: ReturnType<typeof changing>) => ({ debts: owing(), lasts: [last] })

  it("S11: is looked at only while it waits or is owed", () => {
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
      assert.strictEqual(Settlement.waitingSince(settlementOf(noted.payment)), now + 3)
      assert.isTrue(Payment.isStuck(noted.payment))
      assert.isFalse(Payment.isStuck(payment))
      assert.isNull(dueAt(noted.payment, changing(now + 4)))
      // In effect: the share goes there.
      const aimed = given(dueAt(noted.payment, changing(now + 3)))
      assert.deepStrictEqual(settlementOf(aimed.payment), {
        _tag: "Pending",
        destination: elsewhere,
      })
      assert.isNull(dueAt(aimed.payment, changing(now + 3)))
      // Deleted: it goes on as before.
      const gone = SettlementDestination.remove(changing(now + 4), now + 3)
      assert.deepStrictEqual(
        settlementOf(given(dueAt(noted.payment, gone)).payment),
        settlementOf(payment),
      )
    }
    assert.isNull(dueAt(owed, undefined))
    assert.isNull(dueAt(pending, undefined))
    assert.isNull(dueAt(pending, registered(token)))
  })

  it("S11: keeps what is kept of the share for refunds", () => {
    const kept = quantity(7n)
    const { state } = pending
    assert(state._tag === "Succeeded" && state.settlement._tag === "Pending")
    const payment = { ...pending, state: { ...state, settlement: { ...state.settlement, kept } } }
    const noted = given(dueAt(payment, changing(now + 4))).payment
    assert.deepInclude(settlementOf(noted), { kept })
    assert.deepInclude(settlementOf(given(dueAt(noted, changing(now))).payment), { kept })
  })

  it("S11: is decided again when it is gathered, and when it is signed", () => {
    const group = groupOf(pending)
    assert.isNotNull(gatherShares([pending], group, terms(registered(token)), outflowId, now))
    for (const last of [changing(now + 1), changing(now)]) {
      assert.isNull(gatherShares([pending], group, terms(last), outflowId, now))
      assert.isFalse(maySend(outflow, [last], now))
    }
    assert.isTrue(maySend(outflow, [registered(token)], now))
    assert.isTrue(maySend(outflow, [], now))
    const stranger = { ...changing(now), merchantId: Merchant.MerchantId.make("mrch_other") }
    assert.isTrue(maySend(outflow, [stranger], now))
    assert.isNotNull(gatherShares([pending], group, terms(stranger), outflowId, now))
    const own = { ...outflow, purpose: { _tag: "Move" } } as const
    assert.isTrue(maySend(own, [changing(now)], now))
  })

  it("S11: is the account in effect when the payment succeeds", () => {
    assert.deepStrictEqual(SettlementMatching.match(token, [changing(now + 1)], now), destination)
    assert.deepStrictEqual(SettlementMatching.match(token, [changing(now)], now), elsewhere)
  })
})

describe("SettlementMatching.match", () => {
  it("finds the destination of exactly this token on this chain", () => {
    const others = [
      registered(Samples.usdcOnBsc.token),
      registered({ ...token, address: Samples.address("9") }),
      registered({ ...token, chainId: Samples.usdtOnEthereum.token.chainId }),
    ]
    assert.isNull(SettlementMatching.match(token, [], now))
    assert.isNull(SettlementMatching.match(token, others, now))
    assert.deepStrictEqual(
      SettlementMatching.match(token, [...others, registered(token)], now),
      destination,
    )
  })
})

describe("SettlementMatching.groupOf", () => {
  it("is what one transfer can pay: partner, mode, token, and both ends of it", () => {
    assert.deepStrictEqual(groupOf(pending), {
      partnerId: Samples.partnerId,
      mode: "live",
      token,
      from: Samples.collector,
      destination,
    })
  })

  it("is nothing unless a share waits to be gathered", () => {
    for (const payment of [succeeded(), processing(), gathered, held, paid]) {
      assert.isNull(SettlementMatching.groupOf(payment))
      assert.strictEqual(SettlementMatching.pendingQuantity(payment), 0n)
    }
    assert.strictEqual(SettlementMatching.pendingQuantity(pending), wholeShare)
  })

  it("has a key of its own for each group", () => {
    const group = groupOf(pending)
    const groups: ReadonlyArray<SettlementMatching.Group> = [
      group,
      { ...group, partnerId: Merchant.PartnerId.make("prtn_other") },
      { ...group, mode: "test" },
      { ...group, token: Samples.usdtOnEthereum.token },
      { ...group, token: { ...token, chainId: Samples.usdcOnBsc.token.chainId } },
      { ...group, from: Samples.address("9") },
      { ...group, destination: elsewhere },
    ]
    const keys = groups.map(SettlementMatching.groupKey)
    assert.strictEqual(new Set(keys).size, groups.length)
    assert.strictEqual(SettlementMatching.groupKey({ ...group }), keys[0])
  })
})

describe("SettlementMatching.sharesOf", () => {
  it("sends the net where the merchant owes nothing", () => {
    assert.deepStrictEqual(SettlementMatching.sharesOf([pending], owing()), [
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
      const [share] = SettlementMatching.sharesOf([pending], owing([Samples.merchantId, debt]))
      const { netted, quantity: sent } = given(share)
      assert.strictEqual(sent + netted, wholeShare)
      assert.strictEqual(netted, debt < wholeShare ? debt : wholeShare)
    }
  })
})

describe("SettlementMatching.gather", () => {
  const world = Fixtures.make("gather")
  const [left, right] = ["L", "R"].map((which) => Merchant.MerchantId.make(`mrch_gather${which}`))
  assert(left !== undefined && right !== undefined)

  /** A payment of which a merchant is to get 99, unless told otherwise. */
  const share = (merchantId: Merchant.MerchantId, total = 100n): Payment.Payment =>
    Fixtures.reached(
      world.path("settlementPending", { merchantId }, { quantity: Fixtures.quantity(total) }),
    )
  const gatherAll = (
    payments: ReadonlyArray<Payment.Payment>,
    debts: SettlementMatching.Debts = owing(),
  ) => given(gather(payments, debts, groupOf(given(payments[0]))))
  const settlements = (payments: ReadonlyArray<Payment.Payment>, debts: SettlementMatching.Debts) =>
    gatherAll(payments, debts).payments.map(({ payment }) => settlementOf(payment))
  const sharesIn = (write: ReturnType<typeof gatherAll>): ReadonlyArray<Outflow.Share> => {
    const { purpose } = given(write.outflows[0]).outflow
    return purpose._tag === "Settle" ? purpose.shares : assert.fail("it is no payout")
  }
  const nettedOf = (payment: Payment.Payment): Settlement.Settlement => ({
    _tag: "Netted",
    netted: quantity(Books.netOf(payment)),
    settledAt: now + 3,
  })

  it("makes one outflow of all shares, in the order of the payments", () => {
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
      assert.deepStrictEqual(settlementOf(change.payment), {
        _tag: "Processing",
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

  it("nets each merchant's shares against that merchant's debt alone, the first ones first", () => {
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
      settlementOf(given(write.payments[0]).payment),
      nettedOf(given(payments[0])),
    )
  })

  it("pays off debt with a whole share, and announces it as settled", () => {
    const payment = share(left)
    const write = gatherAll([payment], owing([left, 99n]))
    const [change] = write.payments
    assert.deepStrictEqual(settlementOf(given(change).payment), nettedOf(payment))
    assert.deepStrictEqual(change?.ledger, [
      Ledger.netted({
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

  it("books nothing where fees took everything", () => {
    const payment = share(left)
    const { state } = payment
    assert(state._tag === "Succeeded")
    const nothing: Payment.Payment = {
      ...payment,
      state: { ...state, charge: { ...state.charge, net: quantity(0n) } },
    }
    const write = gatherAll([nothing])
    assert.deepStrictEqual(settlementOf(given(write.payments[0]).payment), {
      _tag: "Netted",
      netted: quantity(0n),
      settledAt: now + 3,
    })
    assert.deepStrictEqual(write.payments[0]?.ledger, [])
    assert.deepStrictEqual(write.outflows, [])
  })

  it("leaves out what goes elsewhere, and what waits no more", () => {
    const first = share(left)
    const others = [
      Fixtures.reached(world.path("owed")),
      Fixtures.reached(world.path("gathered")),
      Fixtures.reached(world.path("settled")),
      Fixtures.reached(world.path("refundPending")),
      Fixtures.reached(world.path("confirmed")),
      Fixtures.reached(world.path("settlementPending", {}, { token: Fixtures.token("other") })),
      Fixtures.reached(world.path("settlementPending", {}, { payTo: Samples.address("9") })),
      Fixtures.reached(world.path("settlementPending", { mode: "live" })),
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

    it("stops before the share that does not fit, and leaves it and all after it waiting", () => {
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
        state: { ...state, charge: { ...state.charge, net: quantity(whole) } },
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

  it("mixes shares that are sent, netted in part, and netted whole", () => {
    const payments = [share(left), share(left), share(right)]
    assert.deepStrictEqual(
      settlements(payments, owing([left, 100n], [right, 0n])).map(({ _tag }) => _tag),
      ["Netted", "Processing", "Processing"],
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

describe("SettlementMatching.paid", () => {
  it("settles the share, and announces it", () => {
    const { outflow: sent, payment } = carried(5n)
    const change = given(SettlementMatching.paid(payment, sent, transfer, now + 4))
    assert.deepStrictEqual(settlementOf(change.payment), {
      _tag: "Successful",
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

  it("settles a share that was held, once it proves to be paid", () => {
    const change = given(SettlementMatching.paid(held, outflow, transfer, now + 4))
    assert.deepInclude(settlementOf(change.payment), {
      _tag: "Successful",
      quantity: quantity(wholeShare),
      netted: quantity(0n),
    })
  })

  it("settles a share once, and only one that this outflow carries", () => {
    assert.isNull(SettlementMatching.paid(paid, outflow, transfer, now))
    assert.isNull(SettlementMatching.paid(pending, outflow, transfer, now))
    assert.isNull(SettlementMatching.paid(gathered, otherOutflow, transfer, now))
    const without: Outflow.Outflow = { ...outflow, purpose: { _tag: "Settle", shares: [] } }
    assert.isNull(SettlementMatching.paid(gathered, without, transfer, now))
  })
})

describe("SettlementMatching.held", () => {
  it("keeps the share and where it goes, and tells why it was not paid", () => {
    for (const payment of [gathered, paid]) {
      const change = given(SettlementMatching.held(payment, outflow, failure, now + 5))
      assert.deepStrictEqual(settlementOf(change.payment), {
        _tag: "Held",
        destination,
        outflowId,
        reason: "blocklisted",
        heldAt: now + 5,
      })
      assert.deepStrictEqual(change.ledger, [])
      assert.deepStrictEqual(change.due, { settle: null })
      assert.strictEqual(change.event, "settlement.held")
    }
  })

  it("S24: remembers that something else was moved", () => {
    const change = given(SettlementMatching.held(gathered, outflow, otherwise, now))
    assert.deepInclude(settlementOf(change.payment), otherwise)
  })

  it("leaves a share alone that is owed, waits, is not there yet, or is another outflow's", () => {
    for (const payment of [succeeded(), pending, processing(), held]) {
      assert.isNull(SettlementMatching.held(payment, outflow, failure, now))
    }
    assert.isNull(SettlementMatching.held(gathered, otherOutflow, failure, now))
  })
})

describe("SettlementMatching.released", () => {
  it("waits to be gathered again, for the same destination or another one", () => {
    for (const payment of [gathered, held]) {
      const same = given(
        SettlementMatching.released(payment, outflow, { dueAt: now + 60 }, now + 6),
      )
      assert.deepStrictEqual(settlementOf(same.payment), { _tag: "Pending", destination })
      assert.deepStrictEqual(same.due, { settle: now + 60 })
      assert.isFalse("event" in same)
      const other = given(
        SettlementMatching.released(
          payment,
          outflow,
          { destination: elsewhere, dueAt: now + 60 },
          now + 6,
        ),
      )
      assert.deepStrictEqual(settlementOf(other.payment), {
        _tag: "Pending",
        destination: elsewhere,
      })
    }
  })

  it("leaves every other share alone", () => {
    for (const payment of [succeeded(), pending, paid, processing()]) {
      assert.isNull(SettlementMatching.released(payment, outflow, { dueAt: now }, now))
    }
    assert.isNull(SettlementMatching.released(gathered, otherOutflow, { dueAt: now }, now))
  })
})

describe("SettlementMatching.due", () => {
  it("has an owed share gathered once the merchant has a destination, and no other", () => {
    const change = given(SettlementMatching.due(succeeded(), destination, now + 7))
    assert.deepStrictEqual(settlementOf(change.payment), { _tag: "Pending", destination })
    assert.deepStrictEqual(change.due, { settle: now + 7 })
    for (const payment of [pending, gathered, held, paid, processing()]) {
      assert.isNull(SettlementMatching.due(payment, elsewhere, now))
    }
  })
})

describe("SettlementMatching.moved", () => {
  it("names the hash under which the transfer was found instead", () => {
    const found = { ...transfer, txHash: `0x${"2".repeat(64)}` }
    const change = given(SettlementMatching.moved(paid, outflow, found, now))
    const settlement = settlementOf(paid)
    assert(settlement._tag === "Successful")
    assert.deepStrictEqual(settlementOf(change.payment), { ...settlement, txHash: found.txHash })
    assert.isFalse("event" in change)
    assert.isNull(SettlementMatching.moved(gathered, outflow, found, now))
    assert.isNull(SettlementMatching.moved(paid, otherOutflow, found, now))
  })
})

describe("SettlementMatching.bookings", () => {
  it("is one for each share, in its payment's history, and one for what is owed back", () => {
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
      transaction: Ledger.settled({
        ...paidTo,
        quantity: quantity(wholeShare - 5n),
        netted: quantity(5n),
      }),
    }
    assert.deepStrictEqual(SettlementMatching.bookings(sent, sent.purpose), [booked])
    const advance = { merchantId: Samples.merchantId, quantity: quantity(7n) }
    assert.deepStrictEqual(SettlementMatching.bookings(sent, { ...sent.purpose, advance }), [
      booked,
      {
        paymentId: null,
        transaction: Ledger.advanced({ ...paidTo, quantity: quantity(7n) }),
      },
    ])
  })
})

describe("SettlementMatching.isUnpaid", () => {
  const cancelled = Result.getOrThrow(Refunding.request(pending, refundIds, null, now))
  const isUnpaid = (payment: Payment.Payment, to = destination, outflows = [outflow]) =>
    SettlementMatching.isUnpaid(payment, to, outflows)

  it("is a share that waits for that destination", () => {
    assert.isTrue(isUnpaid(pending))
    assert.isFalse(isUnpaid(pending, elsewhere))
  })

  it("is a share that one of these outflows carries", () => {
    for (const payment of [gathered, held]) {
      assert.isTrue(isUnpaid(payment))
      assert.isFalse(isUnpaid(payment, destination, []))
      assert.isFalse(isUnpaid(payment, destination, [otherOutflow]))
    }
  })

  it("is a share that a refund cancelled of which nothing was sent", () => {
    const { payment } = cancelled.change
    assert.isTrue(isUnpaid(payment))
    assert.isFalse(isUnpaid(payment, elsewhere))
    assert.isTrue(SettlementMatching.isCancelled(payment))
    assert.isFalse(SettlementMatching.isCancelled(pending))
    const refunding = given(Refunding.sent(payment, cancelled.outflow.outflow, now)).payment
    assert.isFalse(isUnpaid(refunding))
  })

  it("is nothing where the share went nowhere, or was paid", () => {
    const owed = Result.getOrThrow(Refunding.request(succeeded(), refundIds, null, now)).change
    for (const payment of [owed.payment, succeeded(), paid, processing()]) {
      assert.isFalse(isUnpaid(payment))
    }
  })
})

describe("SettlementMatching.recorded", () => {
  const share = given(SettlementMatching.sharesOf([pending], owing())[0])
  const recordedOf = (payment: Payment.Payment) =>
    SettlementMatching.recorded(payment, share, { outflowId, transfer }, now + 8)

  it("settles the share by the transfer, and announces it", () => {
    const change = recordedOf(pending)
    assert.deepStrictEqual(settlementOf(change.payment), {
      _tag: "Successful",
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

  it("has a refund draw on the float that is still to be sent", () => {
    const { payment } = Result.getOrThrow(Refunding.request(pending, refundIds, null, now)).change
    const { state } = recordedOf(payment).payment
    assert(state._tag === "Succeeded")
    assert.isFalse(
      payment.state._tag === "Succeeded" && payment.state.refund?.drawsOnFloat === true,
    )
    assert.isTrue(state.refund?.drawsOnFloat)
    assert.strictEqual(state.settlement._tag, "Successful")
  })
})

describe("Settlement.cancelled", () => {
  const waiting = outflow
  const sent = given(Outflow.send(outflow, slot(1), now))

  it("is a share that a refund takes back, with where it would have gone", () => {
    assert.deepStrictEqual(
      [succeeded(), pending, gathered, held].map((payment) =>
        Settlement.cancelled(settlementOf(payment), waiting),
      ),
      [
        { _tag: "Cancelled" },
        { _tag: "Cancelled", destination },
        { _tag: "Cancelled", destination },
        { _tag: "Cancelled", destination },
      ],
    )
  })

  it("is null once the share was sent, or may have been", () => {
    for (const carrying of [sent, null]) {
      assert.isNull(Settlement.cancelled(settlementOf(gathered), carrying))
    }
    const maybePaid = given(SettlementMatching.held(gathered, outflow, otherwise, now)).payment
    const { outflow: netting, payment: withDebt } = carried(5n)
    assert.strictEqual(netting.id, outflowId)
    for (const settlement of [
      settlementOf(maybePaid),
      settlementOf(paid),
      { _tag: "Cancelled" } as const,
      { _tag: "Netted", netted: quantity(1n), settledAt: now } as const,
    ]) {
      assert.isNull(Settlement.cancelled(settlement, waiting))
    }
    assert.isNull(Settlement.cancelled(settlementOf(withDebt), sent))
  })
})

describe("Settlement.outflowOf", () => {
  it("is what carries the share, or failed to pay it", () => {
    assert.deepStrictEqual(
      [succeeded(), pending, gathered, held, paid].map((payment) =>
        Settlement.outflowOf(settlementOf(payment)),
      ),
      [null, null, outflowId, outflowId, outflowId],
    )
  })
})
