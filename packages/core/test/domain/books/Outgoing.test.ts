import { assert, describe, it } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as Outgoing from "@florin/core/domain/books/Outgoing"
import * as Payouts from "@florin/core/domain/books/Payouts"
import * as Refunding from "@florin/core/domain/books/Refunding"
import * as Claim from "@florin/core/domain/chain/Claim"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import type * as OutflowId from "@florin/core/domain/ground/OutflowId"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Credit from "@florin/core/domain/money/Credit"
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
const world = Fixtures.make("outgoing")
const later = now + 1000

const merchants = ["1", "2"].map((which) => MerchantId.MerchantId.make(`mrch_outgoing${which}`))
const [firstMerchant, secondMerchant] = merchants
assert(firstMerchant !== undefined && secondMerchant !== undefined)

const failure: Transfer.Failure = { reason: "blocklisted", code: "lost" }
const otherwise: Transfer.Failure = {
  reason: "it moved something else",
  code: "moved",
  movedOtherwise: true,
}

/** Books in which an outflow waits to be sent. */
interface Begun {
  readonly books: Books.Books
  readonly id: OutflowId.OutflowId
}

const currentOf = ({ books, id }: Begun): Outgoing.Current => Books.current(books, id)
const outflowOf = (begun: Begun): Outflow.Outflow => currentOf(begun).outflow
const stateOf = (begun: Begun) => outflowOf(begun).state._tag

/** What comes after a step that must be allowed. */
const step = (
  { books, id }: Begun,
  decide: (current: Outgoing.Current) => Change.Write | null,
): Begun & { readonly write: Change.Write } => {
  const write = given(decide(Books.current(books, id)))
  return { books: written(books, write), id, write }
}

const isRefused = (
  begun: Begun,
  decide: (current: Outgoing.Current) => Change.Write | null,
): void => assert.isNull(decide(currentOf(begun)))

const slot = world.sent()
const send = (current: Outgoing.Current) => Outgoing.send(current, slot, later)
const evidenceOf = ({ outflow }: Outgoing.Current) => world.evidenceOf(outflow.movement)
const pay = (current: Outgoing.Current) => Outgoing.pay(current, evidenceOf(current), later)
const hold =
  (why: Transfer.Ending = failure) =>
  (current: Outgoing.Current) =>
    Outgoing.hold(current, why, later)
const retry = (current: Outgoing.Current) => Outgoing.retry(current, later)
const regather = (current: Outgoing.Current) => Outgoing.regather(current, later + 60, later)
const revoke =
  (why: Transfer.Ending = failure) =>
  (current: Outgoing.Current) =>
    Outgoing.revoke(current, why, later)

/** Shares of some payments in one payout. */
const gathered = (
  paths: ReadonlyArray<ReadonlyArray<Change.Write>>,
  debts: Balance.Debts = new Map(),
): Begun => {
  const books = Books.of(...paths)
  const payments = [...books.payments.values()]
  const group = given(Balance.groupOf(given(payments[0])))
  const id = world.outflowId()
  return {
    books: written(books, given(Payouts.gather(payments, group, { debts, lasts: [] }, id, now))),
    id,
  }
}

const pendingPath = (merchantId: MerchantId.MerchantId) =>
  world.path("settlementPending", { merchantId })

const settleOne = (): Begun => gathered([pendingPath(firstMerchant)])
const settleMany = (): Begun =>
  gathered([pendingPath(firstMerchant), pendingPath(secondMerchant), pendingPath(firstMerchant)])

const begunAt = (stage: Fixtures.Stage): Begun => {
  const path = world.path(stage)
  return { books: Books.of(path), id: given(Fixtures.statesAfter(path).outflow).id }
}
const refundBefore = (): Begun => begunAt("refundPending")
const refundAfter = (): Begun => begunAt("refundAfterSettlement")

/** The whole net of each payment, as a payout books it. */
const sharesBooked = (begun: Begun): ReadonlyArray<Ledger.Transaction> =>
  currentOf(begun).payments.map((payment) =>
    Fixtures.settlement({
      merchantId: payment.merchantId,
      collecting: world.payTo,
      destination: world.destinationAccount,
      token: world.token,
      quantity: Fixtures.quantity(Books.netOf(payment)),
      netted: Fixtures.quantity(0n),
    }),
  )

const refundBooked =
  (ownOf: (charge: Ledger.Paid["charge"]) => bigint) =>
  (begun: Begun): ReadonlyArray<Ledger.Transaction> =>
    currentOf(begun).payments.map(({ merchantId, partnerId, state }) => {
      assert(state._tag === "Succeeded")
      const { attempt, charge } = state
      return Ledger.refund({
        payer: attempt.option.account,
        collecting: world.payTo,
        merchantId,
        partnerId,
        token: world.token,
        quantity: attempt.option.quantity,
        own: Fixtures.quantity(ownOf(charge)),
        fee: charge.total,
      })
    })

const settlementTag = (payment: Payment.Payment): string => Shares.of(payment).status
const refundTag = (payment: Payment.Payment): string => given(Payment.refundOf(payment)).state._tag

/** By which transaction a payment was paid out or refunded. */
const hashIn = (payment: Payment.Payment): string => {
  const refund = Payment.refundOf(payment)
  if (refund !== null) {
    return refund.state._tag === "Succeeded" ? refund.state.txHash : assert.fail("not refunded")
  }
  const share = Shares.of(payment)
  return share.status === "paid" ? given(share.txHash) : assert.fail("it was not paid out")
}

type StepName = "waiting" | "sent" | "paid" | "held" | "revoked" | "retried"

interface Row {
  readonly begin: () => Begun
  readonly booked: (begun: Begun) => ReadonlyArray<Ledger.Transaction>
  /** What becomes of each payment. */
  readonly tagOf: (payment: Payment.Payment) => string
  readonly tags: { readonly [S in StepName]: string }
  /** What is announced of each payment. */
  readonly events: { readonly [S in Exclude<StepName, "waiting">]: string | null }
  /** What becomes of the outflow itself once an operator retries it. */
  readonly retried: Outflow.State["_tag"]
}

const share: Pick<Row, "tagOf" | "tags" | "events" | "booked" | "retried"> = {
  booked: sharesBooked,
  tagOf: settlementTag,
  tags: {
    waiting: "processing",
    sent: "processing",
    paid: "paid",
    held: "held",
    revoked: "held",
    retried: "waiting",
  },
  events: {
    sent: null,
    paid: "payment.settled",
    held: "settlement.held",
    revoked: "settlement.held",
    retried: null,
  },
  retried: "Cancelled",
}

const refunded: Pick<Row, "tagOf" | "tags" | "events" | "retried"> = {
  tagOf: refundTag,
  tags: {
    waiting: "Pending",
    sent: "Processing",
    paid: "Succeeded",
    held: "Held",
    revoked: "Held",
    retried: "Pending",
  },
  events: {
    sent: "refund.processing",
    paid: "refund.succeeded",
    held: "refund.held",
    revoked: "refund.held",
    retried: "refund.pending",
  },
  retried: "Waiting",
}

const rows: { readonly [Name in string]: Row } = {
  "a payout of one share": { begin: settleOne, ...share },
  "a payout of many shares": { begin: settleMany, ...share },
  "a refund before the settlement": {
    begin: refundBefore,
    booked: refundBooked(({ net }) => net),
    ...refunded,
  },
  "a refund after the settlement": {
    begin: refundAfter,
    booked: refundBooked(() => 0n),
    ...refunded,
  },
}

/** What a write books. */
const bookedBy = (write: Change.Write) =>
  write.outflows.flatMap(({ ledger }) => ledger.map(({ transaction }) => transaction))

for (const [name, row] of Object.entries(rows)) {
  const isSettle = outflowOf(row.begin()).purpose._tag === "Settle"
  /** What a step announces, and what it makes of each payment. */
  const becomes = (
    { books, id, write }: Begun & { readonly write: Change.Write },
    after: Exclude<StepName, "waiting">,
  ): void => {
    const { payments } = Books.current(books, id)
    for (const payment of payments) assert.strictEqual(row.tagOf(payment), row.tags[after])
    const event = row.events[after]
    assert.deepStrictEqual(
      Books.announced(write).map(([paymentId, type]) => [paymentId, String(type)]),
      event === null ? [] : payments.map(({ id: paymentId }) => [paymentId, event]),
    )
    for (const { ledger } of write.payments) assert.deepStrictEqual(ledger, [])
  }
  const changeOf = (write: Change.Write) => given(write.outflows[0])

  describe(name, () => {
    it("is booked, in its payments' history, when it is sent, and due to be checked", () => {
      const begun = row.begin()
      for (const payment of currentOf(begun).payments) {
        assert.strictEqual(row.tagOf(payment), row.tags.waiting)
      }
      const sent = step(begun, send)
      assert.deepStrictEqual(outflowOf(sent).state, { _tag: "Sent", slot })
      assert.deepStrictEqual(
        changeOf(sent.write).ledger,
        row.booked(begun).map((transaction, index) => ({
          paymentId: given(currentOf(begun).payments[index]).id,
          transaction,
        })),
      )
      assert.deepStrictEqual(changeOf(sent.write).due, { send: later })
      assert.deepStrictEqual(changeOf(sent.write).claims, [])
      becomes(sent, "sent")
      isRefused(sent, send)
    })

    it("can be sent with only the payments that it asks to read", () => {
      const { outflow, payments } = currentOf(row.begin())
      const ids = Outgoing.shownToSend(outflow)
      const shown = payments.filter(({ id }) => ids.includes(id))
      const [few, all] = [shown, payments].map((each) => send({ outflow, payments: each }))
      assert.deepStrictEqual(few, all)
      assert.strictEqual(ids.length, isSettle ? 0 : 1)
    })

    it("does not move money without its booking, such as when its payment was not read", () => {
      const unseen = (begun: Begun): Outgoing.Current => ({ ...currentOf(begun), payments: [] })
      const begun = row.begin()
      const sent = step(begun, send)
      for (const write of [send(unseen(begun)), pay(unseen(begun)), hold()(unseen(sent))]) {
        assert.strictEqual(write !== null, isSettle, "a payout's shares say what is booked")
      }
    })

    it("is sent under another nonce if its own was used, and booked once", () => {
      const sent = step(row.begin(), send)
      const another = world.sent()
      const again = step(sent, (current) => Outgoing.resend(current, another, later))
      assert.deepStrictEqual(outflowOf(again).state, { _tag: "Sent", slot: another })
      assert.deepStrictEqual(bookedBy(again.write), [])
      assert.deepStrictEqual(again.write.payments, [])
      assert.deepStrictEqual(changeOf(again.write).due, { send: later })
      isRefused(row.begin(), (current) => Outgoing.resend(current, another, later))
    })

    it("claims its transfer when it is paid, and announces it once in each payment", () => {
      const sent = step(row.begin(), send)
      const transfer = evidenceOf(currentOf(sent))
      const paid = step(sent, (current) => Outgoing.pay(current, transfer, later))
      assert.deepStrictEqual(outflowOf(paid).state, { _tag: "Paid", transfer, paidAt: later })
      assert.deepStrictEqual(changeOf(paid.write).claims, [Claim.ofTransfer(transfer)])
      assert.deepStrictEqual(changeOf(paid.write).due, { send: null })
      assert.deepStrictEqual(bookedBy(paid.write), [])
      becomes(paid, "paid")
      isRefused(paid, pay)
    })

    it("is booked if it is paid without being sent, as when an operator records it", () => {
      for (const begun of [row.begin(), step(row.begin(), hold())]) {
        const paid = step(begun, pay)
        assert.deepStrictEqual(bookedBy(paid.write), row.booked(begun))
        becomes(paid, "paid")
      }
    })

    it("is booked back only when it is held", () => {
      const begun = row.begin()
      const unsent = step(begun, hold())
      assert.deepStrictEqual(bookedBy(unsent.write), [])
      const sent = step(begun, send)
      const held = step(sent, hold())
      assert.deepStrictEqual(
        bookedBy(held.write),
        row.booked(begun).map((transaction) => Ledger.reversal(transaction)),
      )
      for (const each of [unsent, held]) {
        assert.deepStrictEqual(outflowOf(each).state, { _tag: "Held", ...failure, heldAt: later })
        assert.deepStrictEqual(changeOf(each.write).due, { send: null })
        becomes(each, "held")
        for (const payment of currentOf(each).payments) assert.isTrue(Payment.isStuck(payment))
        isRefused(each, hold())
        isRefused(each, send)
      }
    })

    it("can be retried only while it is held", () => {
      const held = step(step(row.begin(), send), hold())
      const retried = step(held, retry)
      assert.strictEqual(stateOf(retried), row.retried)
      assert.deepStrictEqual(bookedBy(retried.write), [])
      becomes(retried, "retried")
      for (const begun of [row.begin(), step(row.begin(), send), retried]) {
        isRefused(begun, retry)
      }
      isRefused(step(step(row.begin(), send), pay), retry)
    })

    it("S24: can be neither retried nor gathered again if it moved another amount", () => {
      for (const begun of [
        step(step(row.begin(), send), hold(otherwise)),
        step(step(step(row.begin(), send), pay), revoke(otherwise)),
      ]) {
        assert.isTrue(Outflow.movedOtherwise(outflowOf(begun)))
        for (const payment of currentOf(begun).payments) assert.isTrue(Payment.isStuck(payment))
        isRefused(begun, retry)
        isRefused(begun, regather)
        isRefused(begun, send)
        assert.strictEqual(stateOf(step(begun, pay)), "Paid", "an operator may record it")
      }
    })

    describe("S24: an outflow that moved another amount", () => {
      const quantity = outflowOf(row.begin()).movement.quantity
      /** What our account has less of after it, by all that is booked. */
      const goneBy = ({ books: { lines }, id }: Begun) =>
        -Ledger.balanceOf(
          Ledger.balances(
            lines.flatMap(({ outflowId, transaction }) => (outflowId === id ? [transaction] : [])),
          ),
          { _tag: "Collecting", chainId: world.token.chainId, address: world.payTo },
          world.token,
        )
      const moves = [
        { name: "a fee was kept", left: quantity, arrived: quantity - 1n },
        { name: "a fee came on top", left: quantity + 5n, arrived: quantity - 5n },
        { name: "less left", left: quantity - 1n, arrived: quantity - 1n },
        { name: "all of it went to others", left: quantity, arrived: 0n },
      ]
      const astray =
        ({ arrived, left }: { readonly arrived: bigint; readonly left: bigint }) =>
        (current: Outgoing.Current): Transfer.Ending => {
          const transfer = evidenceOf(current)
          const movement = { ...transfer.movement, quantity: Fixtures.quantity(arrived) }
          const moved = {
            transfer: { ...transfer, movement },
            left: Fixtures.quantity(left),
            transfers: [],
          }
          return { ...otherwise, moved }
        }
      for (const move of moves) {
        const how = astray(move)
        const sent = () => step(row.begin(), send)
        const held = () => step(sent(), (current) => hold(how(current))(current))

        it(`${move.name}: is booked as a loss, and announced to its payments only as held`, () => {
          const paid = step(sent(), pay)
          const revoked = step(paid, (current) => revoke(how(current))(current))
          for (const each of [held(), revoked]) {
            assert.strictEqual(goneBy(each), move.left)
            for (const payment of currentOf(each).payments) {
              assert.notNestedProperty(payment, "state.entry.moved")
              assert.notNestedProperty(payment, "state.refund.state.moved")
              assert.notNestedProperty(payment, "late[0].held.moved")
            }
          }
          becomes(held(), "held")
        })

        it(`${move.name}: is paid if it is accepted, and the ledger then matches the chain`, () => {
          const accepted = step(held(), (current) => Outgoing.accept(current, later))
          assert.strictEqual(goneBy(accepted), move.left)
          becomes(accepted, "paid")
          const transfer = given(Outflow.astrayOf(outflowOf(held()))).transfer.movement
          assert.strictEqual(transfer.quantity, move.arrived)
          isRefused(accepted, (current) => Outgoing.accept(current, later))
        })

        it(`${move.name}: loses nothing if it is recorded, mined again with its amount`, () => {
          const recorded = step(held(), pay)
          assert.strictEqual(goneBy(recorded), quantity)
          becomes(recorded, "paid")
        })

        it(`${move.name}: is sent again only if nothing arrived`, () => {
          const again = (current: Outgoing.Current) => Outgoing.retryAstray(current, later)
          if (move.arrived > 0n) return isRefused(held(), again)
          const retried = step(held(), again)
          assert.strictEqual(goneBy(retried), move.left)
          becomes(retried, "retried")
        })
      }

      it("is not accepted if nothing left our account, or if what left is unknown", () => {
        const accept = (current: Outgoing.Current) => Outgoing.accept(current, later)
        const nothing = astray({ left: 0n, arrived: 0n })
        isRefused(
          step(step(row.begin(), send), (current) => hold(nothing(current))(current)),
          accept,
        )
        isRefused(step(step(row.begin(), send), hold(otherwise)), accept)
        isRefused(step(step(row.begin(), send), hold()), accept)
      })
    })

    it("is gathered again only if it pays shares and was not sent", () => {
      isRefused(step(row.begin(), send), regather)
      isRefused(step(step(row.begin(), send), pay), regather)
      for (const begun of [row.begin(), step(step(row.begin(), send), hold())]) {
        if (isSettle) assert.strictEqual(stateOf(step(begun, regather)), "Cancelled")
        else isRefused(begun, regather)
      }
    })

    it("S7: waits with a reason, and stays due; a refund shows whether it waits for the float", () => {
      const begun = row.begin()
      const obstacle = { code: "float", reason: "too little" } as const
      const write = given(Outgoing.wait(currentOf(begun), obstacle, later + 5, later))
      const [change = assert.fail()] = write.outflows
      assert.deepStrictEqual(change.outflow.state, {
        _tag: "Waiting",
        obstacle: { ...obstacle, since: later },
      })
      assert.deepStrictEqual([change.due, change.ledger], [{}, []])
      assert.deepStrictEqual(
        write.payments.map(({ payment }) => Payment.refundOf(payment)?.state),
        outflowOf(begun).purpose._tag === "Refund"
          ? [{ _tag: "Pending", waitsForFloat: true }]
          : [],
      )
    })

    it("S7: is booked back and waits again if its transaction reverted", () => {
      const begun = row.begin()
      const sent = step(begun, send)
      const obstacle = { code: "paused", reason: "the token is paused" } as const
      const write = given(Outgoing.wait(currentOf(sent), obstacle, later + 5, later))
      const [change = assert.fail()] = write.outflows
      assert.strictEqual(Outflow.status(change.outflow), "waiting")
      assert.deepStrictEqual(change.due, { send: later + 5 })
      assert.deepStrictEqual(
        change.ledger.map(({ transaction }) => transaction),
        given(sent.write).outflows.flatMap(({ ledger }) =>
          ledger.map(({ transaction }) => Ledger.reversal(transaction)),
        ),
      )
      assert.deepStrictEqual(
        write.payments.map(({ event }) => event),
        outflowOf(begun).purpose._tag === "Refund" ? ["refund.pending"] : [],
      )
    })

    it("is held and booked back if a reorganisation removes its transfer for good", () => {
      const begun = row.begin()
      const paid = step(step(begun, send), pay)
      const { state } = outflowOf(paid)
      assert(state._tag === "Paid")
      const revoked = step(paid, revoke())
      assert.deepStrictEqual(outflowOf(revoked).state, { _tag: "Held", ...failure, heldAt: later })
      assert.deepStrictEqual(
        bookedBy(revoked.write),
        row.booked(begun).map((transaction) => Ledger.reversal(transaction)),
      )
      assert.deepStrictEqual(changeOf(revoked.write).moved, {
        from: state.transfer,
        to: null,
        isFreed: true,
      })
      assert.deepStrictEqual(changeOf(revoked.write).due, { recheck: null })
      becomes(revoked, "revoked")
      for (const each of [begun, step(begun, send), step(begun, hold()), revoked]) {
        isRefused(each, revoke())
      }
      assert.strictEqual(stateOf(step(revoked, retry)), row.retried)
    })

    it("is due to be checked from when its block is gone until its transfer exists again", () => {
      const paid = step(step(row.begin(), send), pay)
      const { state } = outflowOf(paid)
      assert(state._tag === "Paid")
      const checkpoint = Books.checkpointOf(state.transfer)
      const missed = step(paid, (current) => Outgoing.recheck(current, checkpoint, later))
      const again = step(missed, (current) => Outgoing.recheck(current, checkpoint, later + 1))
      assert.deepStrictEqual(changeOf(again.write).due, { recheck: later + 1 })
      assert.strictEqual(outflowOf(again).auditedSince, later, "since the first time")
      const stands = step(again, (current) => Outgoing.stands(current, later + 2))
      assert.notProperty(outflowOf(stands), "auditedSince")
      assert.deepStrictEqual(changeOf(stands.write).due, { recheck: null })
      for (const each of [missed, again, stands]) {
        assert.deepStrictEqual(each.write.payments, [])
        assert.deepStrictEqual(bookedBy(each.write), [])
        assert.deepStrictEqual(outflowOf(each).state, state)
      }
      isRefused(paid, (current) => Outgoing.recheck(current, { ...checkpoint, hash: "0x" }, later))
      isRefused(row.begin(), (current) => Outgoing.recheck(current, checkpoint, later))
    })

    it("is paid by the transfer that was found under another hash, and records that hash", () => {
      const paid = step(step(row.begin(), send), pay)
      const { state } = outflowOf(paid)
      assert(state._tag === "Paid")
      const from = state.transfer
      const block = { blockNumber: from.blockNumber + 1, blockHash: Fixtures.hash("elsewhere") }
      for (const to of [
        { ...from, ...block },
        { ...from, ...block, txHash: Fixtures.hash("a higher bid") },
      ]) {
        const moved = step(paid, (current) => Outgoing.move(current, from, to, later))
        assert.deepStrictEqual(outflowOf(moved).state, { ...state, transfer: to })
        assert.deepStrictEqual(changeOf(moved.write).moved, { from, to })
        assert.deepStrictEqual(changeOf(moved.write).due, { recheck: later })
        assert.deepStrictEqual(bookedBy(moved.write), [])
        assert.deepStrictEqual(Books.announced(moved.write), [])
        const isOther = to.txHash !== from.txHash
        assert.lengthOf(moved.write.payments, isOther ? currentOf(paid).payments.length : 0)
        for (const payment of currentOf(moved).payments) {
          assert.strictEqual(hashIn(payment), to.txHash)
        }
        isRefused(moved, (current) => Outgoing.move(current, from, to, later))
      }
      isRefused(row.begin(), (current) => Outgoing.move(current, from, from, later))
    })

    it("has no work left once that is written", () => {
      const paid = step(step(row.begin(), send), pay)
      for (const kind of ["send", "recheck"] as const) {
        const done = step(paid, (current) => Outgoing.finishWork(current, kind, later))
        assert.deepStrictEqual(changeOf(done.write).due, { [kind]: null })
        assert.deepStrictEqual(outflowOf(done).state, outflowOf(paid).state)
        assert.deepStrictEqual([done.write.payments, bookedBy(done.write)], [[], []])
      }
    })
  })
}

describe("Outgoing.retry of a payout", () => {
  it("frees its shares to be gathered again", () => {
    const held = step(step(settleMany(), send), hold())
    const retried = step(held, retry)
    for (const payment of currentOf(retried).payments) {
      assert.deepInclude(Shares.of(payment), {
        status: "waiting",
        destination: world.destinationAccount,
      })
    }
    for (const { due } of retried.write.payments) assert.deepStrictEqual(due, { settle: later })
  })
})

describe("Outgoing.regather", () => {
  it("cancels a payout that cannot be sent as it was gathered; its shares wait a while", () => {
    const again = step(settleMany(), regather)
    assert.deepStrictEqual(outflowOf(again).state, { _tag: "Cancelled", cancelledAt: later })
    assert.deepStrictEqual(given(again.write.outflows[0]).due, { send: null })
    for (const { due, payment } of again.write.payments) {
      assert.deepStrictEqual(due, { settle: later + 60 })
      assert.deepInclude(Shares.of(payment), {
        status: "waiting",
        destination: world.destinationAccount,
      })
    }
    assert.lengthOf(again.write.payments, 3)
  })
})

describe("Outgoing.refund", () => {
  const refundOf = (
    { books, id }: Begun,
    paymentId: PaymentId.PaymentId,
    outflow = world.outflowId(),
  ) =>
    Outgoing.refund(
      given(books.payments.get(paymentId)),
      { refund: Refund.RefundId.make(`rfnd_${world.next()}`), outflow },
      Books.current(books, id),
      later,
    )

  const firstOf = (begun: Begun): PaymentId.PaymentId => given(currentOf(begun).payments[0]).id

  it("takes a share out of a payout that was not sent, and frees the others", () => {
    for (const begun of [
      settleMany(),
      step(step(settleMany(), send), hold({ ...failure, code: "payee" })),
    ]) {
      const refundedId = firstOf(begun)
      const write = Result.getOrThrow(refundOf(begun, refundedId))
      const after = { books: written(begun.books, write), id: begun.id }
      assert.strictEqual(stateOf(after), "Cancelled")
      assert.deepStrictEqual(currentOf(after).payments.map(settlementTag), [
        "cancelled",
        "waiting",
        "waiting",
      ])
      const refund = given(Payment.refundOf(given(after.books.payments.get(refundedId))))
      assert.isFalse(Refund.drawsOnFloat(refund))
      assert.deepStrictEqual(Books.announced(write), [[refundedId, "refund.pending"]])
      assert.deepStrictEqual(bookedBy(write), [])
      for (const { due } of write.payments.slice(1)) {
        assert.deepStrictEqual(due, { settle: later })
      }
    }
  })

  it("pays nobody twice: the others are paid by a new payout, and the payer by the refund", () => {
    const begun = settleMany()
    const refundedId = firstOf(begun)
    const refundId = world.outflowId()
    const refunding = written(begun.books, Result.getOrThrow(refundOf(begun, refundedId, refundId)))
    isRefused({ books: refunding, id: begun.id }, send)
    isRefused({ books: refunding, id: begun.id }, pay)
    const payments = [...refunding.payments.values()]
    const group = given(payments.map(Balance.groupOf).find((each) => each !== null))
    const id = world.outflowId()
    const again = given(Payouts.gather(payments, group, { debts: new Map(), lasts: [] }, id, later))
    assert.notInclude(
      again.payments.map(({ payment }) => payment.id),
      refundedId,
    )
    const paidOut = step(step({ books: written(refunding, again), id }, send), pay)
    const paidBack = step(step({ books: paidOut.books, id: refundId }, send), pay)
    const { books } = paidBack
    assert.deepStrictEqual([...books.payments.values()].map(settlementTag), [
      "cancelled",
      "paid",
      "paid",
    ])
    const owed = merchants.map((merchantId) =>
      Ledger.balanceOf(
        Ledger.balances(books.lines.map(({ transaction }) => transaction)),
        { _tag: "Owed", merchantId, address: world.payTo },
        world.token,
      ),
    )
    assert.deepStrictEqual(owed, [0n, 0n])
  })

  it("does not change a payout that was sent, or may have been: the refund uses the float", () => {
    for (const begun of [
      step(settleMany(), send),
      step(step(settleMany(), send), pay),
      step(step(settleMany(), send), hold(otherwise)),
      step(step(step(settleMany(), send), pay), revoke(failure)),
    ]) {
      const refundedId = firstOf(begun)
      const write = Result.getOrThrow(refundOf(begun, refundedId))
      const { books } = { books: written(begun.books, write) }
      assert.strictEqual(stateOf({ books, id: begun.id }), stateOf(begun))
      assert.lengthOf(write.payments, 1)
      assert.lengthOf(write.outflows, 1)
      const payment = given(books.payments.get(refundedId))
      assert.isTrue(Refund.drawsOnFloat(given(Payment.refundOf(payment))))
      assert.strictEqual(
        settlementTag(payment),
        settlementTag(given(begun.books.payments.get(refundedId))),
      )
    }
  })

  it("needs no payout if the share waits, is owed, or was netted", () => {
    const cases = [
      ["settlementPending", "cancelled", false],
      ["owed", "cancelled", false],
      ["netted", "netted", true],
    ] as const
    for (const [stage, tag, drawsOnFloat] of cases) {
      const payment = Fixtures.paymentAfter(world.path(stage))
      const ids = {
        refund: Refund.RefundId.make(`rfnd_${world.next()}`),
        outflow: world.outflowId(),
      }
      const write = Result.getOrThrow(Outgoing.refund(payment, ids, null, later))
      assert.lengthOf(write.payments, 1)
      assert.lengthOf(write.outflows, 1)
      const next = given(write.payments[0]).payment
      assert.strictEqual(settlementTag(next), tag)
      assert.strictEqual(Refund.drawsOnFloat(given(Payment.refundOf(next))), drawsOnFloat)
    }
  })

  it("is refused if the payment has not succeeded, or was refunded already", () => {
    const begun = settleMany()
    const refundedId = firstOf(begun)
    const books = written(begun.books, Result.getOrThrow(refundOf(begun, refundedId)))
    const twice = refundOf({ books, id: begun.id }, refundedId)
    assert.isTrue(Books.isNoRefund(twice, "already_refunded"))
    const ids = { refund: Refund.RefundId.make("rfnd_1"), outflow: world.outflowId() }
    const early = Outgoing.refund(Fixtures.paymentAfter(world.path("confirmed")), ids, null, later)
    assert.isTrue(Books.isNoRefund(early, "payment_not_succeeded"))
  })
})

describe("Outgoing.drawOf", () => {
  const drawOf = (stage: Fixtures.Stage): bigint => Outgoing.drawOf(currentOf(begunAt(stage)))

  it("S4: is null for a share or late money, which is the payee's own", () => {
    assert.strictEqual(Outgoing.drawOf(currentOf(settleMany())), 0n)
    assert.strictEqual(drawOf("lateReturning"), 0n)
  })

  it("S4: is what the operator adds to a refund: the fee, or all of it after a payout", () => {
    const { payments } = currentOf(refundBefore())
    const { quantity } = outflowOf(refundBefore()).movement
    assert.strictEqual(drawOf("refundPending"), quantity - Books.netOf(given(payments[0])))
    assert.strictEqual(drawOf("refundAfterSettlement"), quantity)
  })

  it("S5: is reduced by what is kept for a refund on the account that it leaves, but not on others", () => {
    const { outflow, payments } = currentOf(refundAfter())
    const keeping = (collecting: typeof world.payTo, quantity: bigint) =>
      Outgoing.drawOf({
        outflow,
        payments: payments.map((payment) =>
          Refunding.keepShares(payment, given(Payment.refundOf(payment)), [
            { collecting, quantity: Fixtures.quantity(quantity) },
          ]),
        ),
      })
    const all = drawOf("refundAfterSettlement")
    assert.strictEqual(keeping(world.payTo, 7n), all - 7n)
    assert.strictEqual(keeping(Fixtures.address("elsewhere"), 7n), all)
  })
})

describe("Outgoing.sendOnCredit", () => {
  const terms: Credit.Terms = { credit: Credit.none, assets: BuiltIn.catalog }
  const onCredit = Outgoing.sendOnCredit(terms)

  it("S3: sends an outflow, and counts what the operator lends against the partner's credit", () => {
    const current = currentOf(refundAfter())
    const [payment] = current.payments
    const { merchantId, partnerId } = given(payment)
    const plain = given(send(current))
    const credit = {
      ...terms,
      partnerId,
      merchantId,
      token: world.token,
      lent: Refund.need(given(Payment.refundOf(given(payment)))),
    }
    assert.isTrue(credit.lent > 0n)
    assert.deepStrictEqual(onCredit(current, slot, later), {
      ...plain,
      outflows: [{ ...given(plain.outflows[0]), credit }],
    })
  })

  it("S3: lends nothing for a refund that took the payment's own share", () => {
    const write = given(onCredit(currentOf(refundBefore()), slot, later))
    assert.strictEqual(write.outflows[0]?.credit?.lent, 0n)
  })

  it("does not send what could not be sent without credit", () => {
    assert.isNull(onCredit(currentOf(step(refundAfter(), send)), slot, later))
    assert.isNull(onCredit({ ...currentOf(refundAfter()), payments: [] }, slot, later))
  })
})

describe("Outgoing.finishWork", () => {
  it("checks an outflow under way again, because a refused decision is no reason to forget money", () => {
    for (const begun of [settleOne(), step(settleOne(), send)]) {
      const write = Outgoing.finishWork(currentOf(begun), "send", later)
      const [due] = write.outflows.map((change) => change.due.send)
      assert.isTrue(typeof due === "number" && due > later)
    }
  })
})
