import { assert, describe, it } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as Outgoing from "@florin/core/domain/books/Outgoing"
import * as Payouts from "@florin/core/domain/books/Payouts"
import * as Recording from "@florin/core/domain/books/Recording"
import * as Claim from "@florin/core/domain/chain/Claim"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import type * as Change from "@florin/core/domain/payment/Change"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Shares from "@florin/testing/Shares"
import * as Result from "effect/Result"
import * as Books from "../books.ts"

const { given, written } = Books
const { now } = Fixtures
const later = now + 1000
const world = Fixtures.make("recording")
const merchantId = MerchantId.MerchantId.make("mrch_recording")
const debtor = MerchantId.MerchantId.make("mrch_recordingDebtor")

/** A payment of which its merchant is to get 99 of 100, asked for at another time if told so. */
const share = (of = merchantId, ageInMs = 0, total = 100n): Payment.Payment =>
  Fixtures.paymentAfter(
    world.path(
      "settlementPending",
      { merchantId: of, now: now - ageInMs },
      { quantity: Fixtures.quantity(total) },
    ),
  )

const transferOf = (quantity: bigint): Transfer.Evidence =>
  world.evidenceOf({
    token: world.token,
    from: world.payTo,
    to: world.destinationAccount.address,
    quantity: Fixtures.quantity(quantity),
  })

const gather = (
  payments: ReadonlyArray<Payment.Payment>,
  bounds?: Payouts.Bounds,
): Outgoing.Current => {
  const group = given(Balance.groupOf(given(payments[0])))
  const write = given(
    Payouts.gather(
      payments,
      group,
      { debts: new Map(), lasts: [] },
      world.outflowId(),
      now,
      bounds,
    ),
  )
  return {
    outflow: given(write.outflows[0]).outflow,
    payments: write.payments.map(({ payment }) => payment),
  }
}

const after = (current: Outgoing.Current, write: Change.Write | null): Outgoing.Current => ({
  outflow: given(given(write).outflows[0]).outflow,
  payments: current.payments.map(
    (payment) =>
      given(write).payments.find((change) => change.payment.id === payment.id)?.payment ?? payment,
  ),
})

const sentOf = (current: Outgoing.Current) =>
  after(current, Outgoing.send(current, world.sent(), now))
const heldOf = (
  current: Outgoing.Current,
  failure: Transfer.Ending = { reason: "blocklisted", code: "lost" },
) => after(current, Outgoing.hold(current, failure, now))

interface Case {
  readonly quantity: bigint
  readonly payments?: ReadonlyArray<Payment.Payment>
  readonly outflows?: ReadonlyArray<Outgoing.Current>
  readonly debts?: Balance.Debts
  readonly named?: Payment.Payment
  readonly advanceTo?: MerchantId.MerchantId
}

const record = ({
  advanceTo,
  debts = new Map(),
  named,
  outflows = [],
  payments = [],
  quantity,
}: Case) => {
  const transfer = transferOf(quantity)
  const outflowId = world.outflowId()
  const all = [...outflows.flatMap((current) => current.payments), ...payments]
  // Of one that is in several payouts, the last one is the newest.
  const shown = [...new Map(all.map((payment) => [payment.id, payment])).values()]
  const write = Recording.record(
    { transfer, outflows: outflows.map(({ outflow }) => outflow), payments: shown, debts },
    {
      ...world.tenant,
      outflowId,
      named: named?.id ?? null,
      advanceTo: advanceTo ?? null,
      now: later,
    },
  )
  return { outflowId, transfer, write }
}

/** What a record makes of each payment that it writes. */
const tagsIn = (write: Change.Write | null): ReadonlyArray<readonly [string, string]> =>
  given(write).payments.map(({ payment }) => [payment.id, Shares.of(payment).status] as const)

const tagsOf = (tag: string, payments: ReadonlyArray<Payment.Payment>) =>
  payments.map(({ id }) => [id, tag] as const)

const purposeOf = (write: Change.Write | null) => {
  const { purpose } = given(given(write).outflows[0]).outflow
  return purpose._tag === "Settle" ? purpose : assert.fail("it is no payout")
}

describe("Recording.record of exactly what is owed", () => {
  const payments = [share(), share(debtor), share()]
  const { outflowId, transfer, write } = record({ quantity: 3n * 99n, payments })

  it("settles every share with the transfer, and announces it", () => {
    assert.deepStrictEqual(tagsIn(write), tagsOf("paid", payments))
    for (const change of given(write).payments) {
      assert.deepInclude(Shares.of(change.payment), {
        status: "paid",
        destination: world.destinationAccount,
        quantity: Fixtures.quantity(99n),
        netted: Fixtures.quantity(0n),
        outflowId,
        txHash: transfer.txHash,
        settledAt: later,
      })
      assert.strictEqual(change.event, "payment.settled")
      assert.deepStrictEqual(change.due, { settle: null })
    }
  })

  it("creates an outflow that is paid already, claims the transfer and books it", () => {
    const [change, ...others] = given(write).outflows
    assert.deepStrictEqual(others, [])
    const { claims, due, ledger, outflow } = given(change)
    assert.deepStrictEqual(outflow, {
      id: outflowId,
      ...world.tenant,
      movement: transfer.movement,
      purpose: {
        _tag: "Settle",
        shares: payments.map((payment) => ({
          paymentId: payment.id,
          merchantId: payment.merchantId,
          quantity: Fixtures.quantity(99n),
          netted: Fixtures.quantity(0n),
        })),
      },
      state: { _tag: "Paid", transfer, paidAt: later },
      sentAt: later,
      createdAt: later,
      updatedAt: later,
      revision: 0,
    })
    assert.deepStrictEqual(claims, [Claim.ofTransfer(transfer)])
    assert.deepStrictEqual(due, { send: null })
    assert.deepStrictEqual(
      ledger.map(({ paymentId }) => paymentId),
      payments.map(({ id }) => id),
    )
    const taken = Ledger.balances(ledger.map(({ transaction }) => transaction))
    const owed = (of: MerchantId.MerchantId) =>
      Ledger.balanceOf(taken, { _tag: "Owed", merchantId: of, address: world.payTo }, world.token)
    assert.deepStrictEqual([owed(merchantId), owed(debtor)], [2n * 99n, 99n])
  })

  it("deducts what merchants owe, as a payout would", () => {
    const one = share(debtor)
    const deducted = record({
      quantity: 94n,
      payments: [one],
      debts: new Map([[debtor, Fixtures.quantity(5n)]]),
    })
    assert.deepStrictEqual(
      purposeOf(deducted.write).shares.map(({ netted, quantity }) => [quantity, netted]),
      [[94n, 5n]],
    )
  })
})

describe("Recording.record of a part", () => {
  it("pays the oldest shares, and does not change the others", () => {
    const [young, oldest, middle] = [share(), share(merchantId, 2000), share(merchantId, 1000)]
    const { write } = record({ quantity: 2n * 99n, payments: [young, oldest, middle] })
    assert.deepStrictEqual(
      purposeOf(write).shares.map(({ paymentId }) => paymentId),
      [oldest.id, middle.id],
    )
    assert.deepStrictEqual(
      new Set(given(write).payments.map(({ payment }) => payment.id)),
      new Set([oldest.id, middle.id]),
    )
  })

  it("pays no older share that goes elsewhere or was paid, and lends nothing", () => {
    const account = { ...world.destinationAccount, address: Fixtures.address("elsewhere") }
    const planned = share(merchantId, 2000)
    const elsewhere = given(Balance.aim(planned, { _tag: "Pays", account }, now)).payment
    const paid = Fixtures.paymentAfter(world.path("settled", { merchantId, now: now - 3000 }))
    const one = share()
    const { write } = record({
      quantity: 99n,
      payments: [elsewhere, paid, one],
      advanceTo: merchantId,
    })
    assert.deepStrictEqual(tagsIn(write), tagsOf("paid", [one]))
    assert.notProperty(purposeOf(write), "advance")
  })

  it("orders equally old shares by their ids", () => {
    const [first, second] = [share(), share()]
    const { write } = record({ quantity: 99n, payments: [second, first] })
    assert.deepStrictEqual(tagsIn(write), tagsOf("paid", [first]))
  })

  it("stops before the first share that is not covered, and never splits a share", () => {
    const [small, large, last] = [
      share(merchantId, 3000),
      share(merchantId, 2000, 1000n),
      share(merchantId, 1000),
    ]
    const { write } = record({
      quantity: 2n * 99n,
      payments: [small, large, last],
      advanceTo: merchantId,
    })
    assert.deepStrictEqual(tagsIn(write), tagsOf("paid", [small]))
    assert.deepStrictEqual(purposeOf(write).advance, {
      merchantId,
      quantity: Fixtures.quantity(99n),
    })
  })

  it("skips a share that the merchant's debt uses up completely", () => {
    const [whole, next] = [share(debtor, 1000), share(merchantId)]
    const { write } = record({
      quantity: 99n,
      payments: [whole, next],
      debts: new Map([[debtor, Fixtures.quantity(99n)]]),
    })
    assert.deepStrictEqual(tagsIn(write), tagsOf("paid", [next]))
  })
})

describe("Recording.record of more than is owed", () => {
  it("books the rest as a debt of the named merchant, without a payment", () => {
    const payment = share()
    const { transfer, write } = record({ quantity: 150n, payments: [payment], advanceTo: debtor })
    assert.deepStrictEqual(purposeOf(write).advance, {
      merchantId: debtor,
      quantity: Fixtures.quantity(51n),
    })
    const ledger = given(given(write).outflows[0]).ledger
    assert.deepStrictEqual(ledger[1], {
      paymentId: null,
      transaction: Fixtures.advance({
        merchantId: debtor,
        collecting: world.payTo,
        destination: world.destinationAccount,
        token: world.token,
        quantity: Fixtures.quantity(51n),
      }),
    })
    const all = Ledger.balances(ledger.map(({ transaction }) => transaction))
    const collecting = { chainId: world.token.chainId, address: world.payTo }
    assert.strictEqual(
      Ledger.balanceOf(all, { _tag: "Collecting", ...collecting }, world.token),
      -transfer.movement.quantity,
    )
  })

  it("is refused if no merchant is named who owes the rest", () => {
    assert.isNull(record({ quantity: 150n, payments: [share()] }).write)
    assert.isNull(record({ quantity: 150n, payments: [] }).write)
  })

  it("books everything as an advance if no share is covered", () => {
    const { write } = record({ quantity: 50n, payments: [share()], advanceTo: merchantId })
    assert.deepStrictEqual(given(write).payments, [])
    assert.deepStrictEqual(purposeOf(write), {
      _tag: "Settle",
      shares: [],
      advance: { merchantId, quantity: Fixtures.quantity(50n) },
    })
  })
})

describe("Recording.record for a named payment", () => {
  it("pays only that payment's share, if it is the whole transfer", () => {
    const [older, named] = [share(merchantId, 1000), share()]
    const { write } = record({ quantity: 99n, payments: [older, named], named })
    assert.deepStrictEqual(tagsIn(write), tagsOf("paid", [named]))
  })

  it("frees the other shares of the payout that contained it", () => {
    const current = gather([share(merchantId, 1000), share(merchantId, 500), share()])
    const [first, second, named] = current.payments
    const { write } = record({ quantity: 99n, outflows: [current], named: given(named) })
    assert.deepStrictEqual(tagsIn(write), [
      ...tagsOf("paid", [given(named)]),
      ...tagsOf("waiting", [given(first), given(second)]),
    ])
  })

  it("books nothing if the transfer is not exactly the share of that payment", () => {
    const [older, named] = [share(merchantId, 1000), share(merchantId, 0, 1000n)]
    for (const quantity of [98n, 99n, 100n]) {
      assert.isNull(record({ quantity, payments: [older, named], named }).write)
    }
  })

  const cancelled = (payment: Payment.Payment): Payment.Payment => {
    const ids = { refund: Refund.RefundId.make(`rfnd_${world.next()}`), outflow: world.outflowId() }
    const write = Result.getOrThrow(Outgoing.refund(payment, ids, null, now))
    return given(write.payments[0]).payment
  }

  it("pays a share that a refund took, and lets the refund use the float", () => {
    const named = cancelled(share())
    const { write } = record({ quantity: 99n, payments: [named], named })
    assert.deepStrictEqual(tagsIn(write), tagsOf("paid", [named]))
    const [change] = given(write).payments
    assert.isTrue(Refund.drawsOnFloat(given(Payment.refundOf(given(change).payment))))
  })

  it("pays a cancelled share only if its payment is named", () => {
    const [taken, other] = [cancelled(share(merchantId, 1000)), share()]
    const { write } = record({ quantity: 99n, payments: [taken, other] })
    assert.deepStrictEqual(tagsIn(write), tagsOf("paid", [other]))
    assert.isNull(record({ quantity: 99n, payments: [taken] }).write)
  })
})

describe("Recording.record of shares in payouts that were not sent", () => {
  for (const [name, current] of [
    ["waits", gather([share(), share(), share()])],
    ["is held", heldOf(sentOf(gather([share(), share(), share()])))],
  ] as const) {
    it(`pays shares of a payout that ${name}, and frees the others`, () => {
      const { outflowId, write } = record({ quantity: 2n * 99n, outflows: [current] })
      const paid = current.payments.slice(0, 2)
      const freed = current.payments.slice(2)
      assert.deepStrictEqual(tagsIn(write), [...tagsOf("paid", paid), ...tagsOf("waiting", freed)])
      const { outflows, payments } = given(write)
      assert.deepStrictEqual(
        outflows.map(({ outflow }) => [outflow.id, outflow.state._tag]),
        [
          [outflowId, "Paid"],
          [current.outflow.id, "Cancelled"],
        ],
      )
      assert.deepStrictEqual(outflows[1]?.ledger, [])
      assert.deepStrictEqual(outflows[1]?.due, { send: null })
      assert.deepStrictEqual(given(payments[2]).due, { settle: later })
    })

    it(`writes each record of a payout that ${name} once, as its next revision`, () => {
      const before: Books.Books = {
        payments: new Map(current.payments.map((payment) => [payment.id, payment])),
        outflows: new Map([[current.outflow.id, current.outflow]]),
        lines: [],
      }
      const { outflowId, write } = record({ quantity: 3n * 99n, outflows: [current] })
      const books = written(before, given(write))
      assert.deepStrictEqual([...books.outflows.keys()], [current.outflow.id, outflowId])
      for (const payment of books.payments.values()) {
        assert.strictEqual(Shares.of(payment).status, "paid")
        assert.deepStrictEqual(Payment.outflowIds(payment), [outflowId])
      }
    })
  }

  for (const [name, isGathered] of [
    ["waits", false],
    ["is in another payout", true],
  ] as const) {
    it(`does not count a part as paid that a held payout failed to pay, if the rest ${name}`, () => {
      const reserve = { percentage: Fees.Percentage.make(50_000_000), forInMs: 1000 }
      const sent = sentOf(gather([share()], { limits: { reserve }, most: null }))
      const paid = after(sent, Outgoing.pay(sent, world.evidenceOf(sent.outflow.movement), now))
      // The other 50 were held back.
      const others = isGathered ? [gather(paid.payments)] : []
      const current = { ...paid, payments: others[0]?.payments ?? paid.payments }
      const gone = { reason: "it is gone", code: "lost" } as const
      const held = after(current, Outgoing.revoke(current, gone, now))
      const { write } = record({
        quantity: 50n,
        outflows: [...others, held],
        payments: [],
        advanceTo: merchantId,
      })
      assert.deepStrictEqual(purposeOf(write), {
        _tag: "Settle",
        shares: [],
        advance: { merchantId, quantity: Fixtures.quantity(50n) },
      })
      const [change, ...more] = given(write).payments
      assert.lengthOf(more, 0)
      const { payment } = given(change)
      assert.strictEqual(Shares.of(payment).status, "waiting")
      assert.strictEqual(Balance.pendingQuantity(payment), 99n)
      assert.strictEqual(payment.revision, given(held.payments[0]).revision + 1)
    })
  }

  it("pays shares of several payouts, and waiting shares, the oldest first", () => {
    const old = gather([share(merchantId, 3000)])
    const held = heldOf(gather([share(merchantId, 1000)]))
    const waiting = share(merchantId, 2000)
    const { write } = record({ quantity: 2n * 99n, outflows: [held, old], payments: [waiting] })
    assert.deepStrictEqual(
      purposeOf(write).shares.map(({ paymentId }) => paymentId),
      [given(old.payments[0]).id, waiting.id],
    )
    assert.include(
      given(write).payments.map(({ payment }) => Shares.of(payment).status),
      "waiting",
    )
  })

  it("S24: does not change a payout that moved another amount", () => {
    const maybePaid = heldOf(sentOf(gather([share()])), {
      reason: "it moved something else",
      code: "moved",
      movedOtherwise: true,
    })
    assert.isNull(record({ quantity: 99n, outflows: [maybePaid] }).write)
    assert.isNull(record({ quantity: 99n, outflows: [maybePaid], payments: [share()] }).write)
  })

  it("does not change a payout that was sent, because its own transaction may still be mined", () => {
    const sent = sentOf(gather([share()]))
    assert.isNull(record({ quantity: 99n, outflows: [sent] }).write)
    assert.isNull(record({ quantity: 99n, outflows: [sent], payments: [share()] }).write)
  })

  it("pays no share whose payout was not read", () => {
    const { payments } = gather([share()])
    assert.isNull(record({ quantity: 99n, payments }).write)
    assert.strictEqual(Outflow.status(gather([share()]).outflow), "waiting")
  })
})

describe("Recording.release", () => {
  /** A payout of three shares of 99, of two merchants, of which so much arrived and all left. */
  const astray = (arrived: bigint) => {
    const payments = [share(merchantId, 3000), share(debtor, 2000), share(merchantId, 1000)]
    const sent = sentOf(gather(payments))
    return heldOf(sent, {
      reason: "it moved something else (0x1)",
      code: "moved",
      movedOtherwise: true,
      moved: { transfer: transferOf(arrived), left: Fixtures.quantity(3n * 99n), transfers: [] },
    })
  }
  const release = (current: Outgoing.Current) => {
    const outflowId = world.outflowId()
    return given(Recording.release(current, new Map(), outflowId, later))
  }
  const debtOf = (write: Change.Write, of: MerchantId.MerchantId) =>
    Ledger.balanceOf(bookedOf(write), { _tag: "Debt", merchantId: of }, world.token)
  const ledgerOf = ({ outflows }: Change.Write) =>
    outflows.flatMap(({ ledger }) => ledger.map(({ transaction }) => transaction))
  const bookedOf = (write: Change.Write) => Ledger.balances(ledgerOf(write))
  const held = { token: world.token, collecting: world.payTo }

  it("S24: pays the shares that the transfer covers; the others wait, less the rest of it", () => {
    const current = astray(2n * 99n - 10n)
    const write = release(current)
    const [first, second, third] = current.payments.map(({ id }) => id)
    assert.sameDeepMembers(
      [...tagsIn(write)],
      [
        [given(first), "paid"],
        [given(second), "waiting"],
        [given(third), "waiting"],
      ],
    )
    assert.deepStrictEqual(
      write.outflows.map(({ outflow }) => outflow.state._tag),
      ["Paid", "Cancelled"],
    )
    assert.deepStrictEqual([debtOf(write, merchantId), debtOf(write, debtor)], [0n, 89n])
  })

  it("S24: keeps what left the account without arriving as a loss, and takes nothing else from the account", () => {
    for (const arrived of [1n, 99n, 3n * 99n - 1n, 3n * 99n]) {
      const booked = bookedOf(release(astray(arrived)))
      const collecting: Ledger.Account = {
        _tag: "Collecting",
        chainId: world.token.chainId,
        address: world.payTo,
      }
      assert.strictEqual(Ledger.balanceOf(booked, collecting, world.token), 0n)
      assert.strictEqual(Ledger.balanceOf(booked, { _tag: "Loss" }, world.token), -arrived)
    }
  })

  it("S24: books nothing as lost any more if a deep reorganisation takes it back", () => {
    for (const arrived of [1n, 99n, 3n * 99n - 1n, 3n * 99n]) {
      const current = astray(arrived)
      const write = release(current)
      const { outflow } = given(write.outflows[0])
      const payments = write.payments.map(({ payment }) => payment)
      const gone = { reason: "it is gone", code: "lost" } as const
      const revoked = given(Outgoing.revoke({ outflow, payments }, gone, later))
      // With what was lost when it was held.
      const left = Ledger.disappearance({ ...held, quantity: Fixtures.quantity(3n * 99n) })
      const booked = Ledger.balances([left, ...ledgerOf(write), ...ledgerOf(revoked)])
      assert.deepStrictEqual(
        [...booked.values()].filter(({ balance }) => balance !== 0n),
        [],
      )
    }
  })

  it("S24: does nothing if the payout moved the right amount, or if nothing arrived", () => {
    const id = world.outflowId()
    assert.isNull(Recording.release(astray(0n), new Map(), id, later))
    assert.isNull(Recording.release(heldOf(gather([share()])), new Map(), id, later))
  })
})
