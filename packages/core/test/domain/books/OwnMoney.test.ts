import { assert, describe, it } from "@effect/vitest"
import * as Outgoing from "@florin/core/domain/books/Outgoing"
import * as OwnMoney from "@florin/core/domain/books/OwnMoney"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import type * as Change from "@florin/core/domain/payment/Change"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import { Schema } from "effect"
import * as Books from "../books.ts"

const { given } = Books
const { now, quantity } = Fixtures
const world = Fixtures.make("ownMoney")
const later = now + 1000
const failure = { reason: "it reverted", code: "lost" } as const
const purposes = ["Move", "Withdraw", "Sweep"] as const

const movement = {
  token: world.token,
  from: world.payTo,
  to: Fixtures.address("ownMoney/to"),
  quantity: quantity(40n),
}
const left = { collecting: movement.from, token: movement.token, quantity: movement.quantity }
const reached = { ...left, collecting: movement.to }
/** What its leaving is in the ledger, and what its being final is besides. */
const ledger = {
  Move: { departure: [Ledger.departure(left)], arrival: [Ledger.arrival(reached)] },
  Withdraw: { departure: [Ledger.withdrawal(left)], arrival: [] },
  Sweep: { departure: [Ledger.withdrawal(left)], arrival: [] },
}

const request = (purpose: Outflow.OwnTag, claims: Change.OutflowChange["claims"] = []) =>
  OwnMoney.request({ id: world.outflowId(), mode: "test", movement, purpose }, claims, now)

const begin = (purpose: Outflow.OwnTag): Outgoing.Current => ({
  outflow: given(request(purpose).outflows[0]).outflow,
  payments: [],
})

interface Stepped extends Outgoing.Current {
  readonly booked: ReadonlyArray<Ledger.Transaction>
}
const stepped = (write: Change.Write | null): Stepped => {
  const [change] = given(write).outflows
  const { ledger: bookings, outflow } = given(change)
  assert.deepStrictEqual(given(write).payments, [])
  for (const { paymentId } of bookings) assert.isNull(paymentId)
  return { outflow, payments: [], booked: bookings.map(({ transaction }) => transaction) }
}

const slot = world.sent()
const transfer = world.evidenceOf(movement)
const steps = {
  send: (current: Outgoing.Current) => Outgoing.send(current, slot, later),
  pay: (current: Outgoing.Current) => Outgoing.pay(current, transfer, later),
  hold: (current: Outgoing.Current) => Outgoing.hold(current, failure, later),
  retry: (current: Outgoing.Current) => Outgoing.retry(current, later),
  revoke: (current: Outgoing.Current) => Outgoing.revoke(current, failure, later),
  giveUp: (current: Outgoing.Current) => Outgoing.giveUp(current, later),
  wait: (current: Outgoing.Current) =>
    Outgoing.wait(current, { code: "reverted", reason: "it reverted" }, later, later),
}
type Step = keyof typeof steps

/** What the last of some steps made of it; each of them must be allowed. */
const after = (purpose: Outflow.OwnTag, ...taken: ReadonlyArray<Step>): Stepped => {
  let current: Stepped = { ...begin(purpose), booked: [] }
  for (const step of taken) current = stepped(steps[step](current))
  return current
}

const reversed = (transactions: ReadonlyArray<Ledger.Transaction>) =>
  transactions.toReversed().map(Ledger.reversal)

describe("OwnMoney.request", () => {
  it.each(purposes)(
    "to %s creates an outflow without a partner, due now, and not booked yet",
    (purpose) => {
      const claims: Change.OutflowChange["claims"] = [
        { _tag: "Sweep", mode: "test", token: world.token, address: movement.from, period: 7 },
      ]
      const { outflows, payments } = request(purpose, claims)
      assert.deepStrictEqual(payments, [])
      const { outflow, ...effects } = given(outflows[0])
      assert.deepStrictEqual(effects, { ledger: [], claims, due: { send: now } })
      assert.deepStrictEqual(outflow, {
        id: outflow.id,
        mode: "test",
        movement,
        purpose: { _tag: purpose },
        state: { _tag: "Waiting" },
        createdAt: now,
        updatedAt: now,
        revision: 0,
      })
      assert.isTrue(Outflow.isOwn(outflow))
      assert.deepStrictEqual(Outflow.paymentIds(outflow), [])
    },
  )
})

describe.each(purposes)("an outflow of the operator's own money: %s", (purpose) => {
  const { arrival, departure } = ledger[purpose]

  it("S6: is booked when it is sent, and leaves the float completely", () => {
    assert.deepStrictEqual(after(purpose, "send").booked, departure)
    assert.strictEqual(Outgoing.drawOf(begin(purpose)), movement.quantity)
  })

  it("S6: can be spent at its destination only once it is final there", () => {
    assert.deepStrictEqual(after(purpose, "send", "pay").booked, arrival)
    const recorded = after(purpose, "pay").booked
    assert.deepStrictEqual(recorded, [...departure, ...arrival], "as an operator records it")
  })

  it("is booked back if it fails, and waits to be sent if it is retried", () => {
    assert.deepStrictEqual(after(purpose, "hold").booked, [])
    for (const step of ["hold", "wait"] as const) {
      assert.deepStrictEqual(after(purpose, "send", step).booked, reversed(departure))
    }
    const retried = after(purpose, "send", "hold", "retry")
    assert.strictEqual(Outflow.status(retried.outflow), "waiting")
    assert.deepStrictEqual(retried.booked, [])
    for (const taken of [[], ["send"], ["send", "pay"]] satisfies ReadonlyArray<Array<Step>>) {
      assert.isNull(steps.retry(after(purpose, ...taken)))
    }
  })

  it("is booked back completely if a reorganisation removes its transfer", () => {
    const booked = [...departure, ...arrival]
    assert.deepStrictEqual(after(purpose, "send", "pay", "revoke").booked, reversed(booked))
  })

  it("can be cancelled only while nothing was sent", () => {
    const ended = after(purpose, "giveUp")
    assert.strictEqual(Outflow.status(ended.outflow), "cancelled")
    assert.deepStrictEqual(ended.booked, [])
    assert.isNull(steps.send(ended))
    for (const taken of [["send"], ["send", "pay"]] satisfies ReadonlyArray<Array<Step>>) {
      assert.isNull(steps.giveUp(after(purpose, ...taken)))
    }
  })

  it("changes no payment if its transfer is found under another hash", () => {
    const paid = after(purpose, "send", "pay")
    const found = { ...transfer, txHash: Fixtures.hash("ownMoney/found") }
    assert.deepStrictEqual(stepped(Outgoing.move(paid, transfer, found, later)).booked, [])
  })
})

describe("Outgoing.giveUp", () => {
  it("never cancels a payout or a refund", () => {
    for (const stage of ["gathered", "refundPending", "lateReturning"] as const) {
      const { outflow, payment } = Fixtures.statesAfter(world.path(stage))
      assert.isNull(Outgoing.giveUp({ outflow: given(outflow), payments: [payment] }, now))
    }
  })
})

describe("the books of the operator's own money", () => {
  const Life = Schema.Struct({
    purpose: Schema.Literals(purposes),
    steps: Schema.Array(
      Schema.Literals(["send", "pay", "hold", "retry", "revoke", "wait", "giveUp"]),
    ),
  })

  it.prop(
    "S6: contain it exactly once at any time, however often it fails and is retried",
    [Life],
    ([life]) => {
      let current = begin(life.purpose)
      const lines = [Ledger.funding(left)]
      for (const name of life.steps) {
        const write = steps[name](current)
        if (write === null) continue
        const next = stepped(write)
        lines.push(...next.booked)
        current = next
        const balances = Ledger.balances(lines)
        const heldBy = (collecting: typeof movement.from) =>
          Ledger.float(balances, { collecting, token: movement.token })
        assert.deepStrictEqual(Ledger.unsound(balances), [])
        const status = Outflow.status(current.outflow)
        const isAway = status === "sent" || status === "paid"
        assert.strictEqual(heldBy(movement.from), isAway ? 0n : movement.quantity)
        const isThere = status === "paid" && life.purpose === "Move"
        assert.strictEqual(heldBy(movement.to), isThere ? movement.quantity : 0n)
      }
    },
    { arbitrary: { runs: Counts.of({ usual: 300, full: 30_000 }) } },
  )
})

describe("an outflow of the operator's own money that moved another amount", () => {
  const arrived = { ...transfer, movement: { ...movement, quantity: quantity(39n) } }
  const astray = {
    reason: "it moved something else (0x1)",
    code: "moved",
    movedOtherwise: true,
    moved: { transfer: arrived, left: movement.quantity, transfers: [] },
  } as const
  const balanceOn = (collecting: typeof movement.from, booked: ReadonlyArray<Ledger.Transaction>) =>
    Ledger.balanceOf(
      Ledger.balances(booked),
      { _tag: "Collecting", chainId: movement.token.chainId, address: collecting },
      movement.token,
    )

  for (const purpose of purposes) {
    it(`S24: ${purpose}: leaves a ledger that matches the chain for both accounts, before and after it is accepted`, () => {
      const sent = after(purpose, "send")
      const held = stepped(Outgoing.hold(sent, astray, later))
      const accepted = stepped(Outgoing.accept(held, later))
      const isOurs = purpose === "Move"
      for (const booked of [
        [...sent.booked, ...held.booked],
        [...sent.booked, ...held.booked, ...accepted.booked],
      ]) {
        assert.strictEqual(balanceOn(movement.from, booked), -40n)
        assert.strictEqual(balanceOn(movement.to, booked), isOurs ? 39n : 0n)
      }
      assert.strictEqual(accepted.outflow.state._tag, "Paid")
      assert.isNull(Outgoing.retryAstray(held, later), "a part of it arrived")
      assert.isNull(Outgoing.giveUp(held, later))
    })

    it(`S24: ${purpose}: is as if it had never left, if the chain takes the accepted transfer back`, () => {
      for (const leaving of [40n, 41n]) {
        const ending = { ...astray, moved: { ...astray.moved, left: quantity(leaving) } }
        const sent = after(purpose, "send")
        const held = stepped(Outgoing.hold(sent, ending, later))
        const accepted = stepped(Outgoing.accept(held, later))
        const revoked = stepped(Outgoing.revoke(accepted, failure, later))
        const booked = [sent, held, accepted, revoked].flatMap((each) => each.booked)
        assert.strictEqual(balanceOn(movement.from, booked), 0n)
        assert.strictEqual(balanceOn(movement.to, booked), 0n)
        assert.deepStrictEqual(revoked.outflow.state, {
          _tag: "Held",
          ...failure,
          heldAt: later,
        })
      }
    })
  }
})
