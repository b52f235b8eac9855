import { assert, describe, it } from "@effect/vitest"
import * as InflowId from "@florin/core/domain/chain/InflowId"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as OutflowState from "@florin/core/domain/outflow/OutflowState"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Schema from "effect/Schema"
import { given } from "../books.ts"

const { now, quantity } = Fixtures
const world = Fixtures.make("outflow")
const later = now + 1000

const [first, second] = [world.createPayment(), world.createPayment()].map(
  ({ payment }) => payment.id,
)
assert(first !== undefined && second !== undefined)

const share = (paymentId: typeof first): Outflow.Share => ({
  paymentId,
  merchantId: world.merchantId,
  quantity: quantity(5n),
  netted: quantity(1n),
})

const movement: Transfer.Movement = {
  token: world.token,
  from: world.payTo,
  to: world.destinationAccount.address,
  quantity: quantity(10n),
}

const made = Outflow.make(
  {
    id: world.outflowId(),
    ...world.tenant,
    movement,
    purpose: { _tag: "Settle", shares: [share(first), share(second)] },
  },
  now,
)

const slot = world.sent()
const transfer = world.evidenceOf(movement)
const failure: Transfer.Failure = { reason: "blocklisted", code: "lost" }
const otherwise: Transfer.Failure = {
  reason: "it moved something else",
  code: "moved",
  movedOtherwise: true,
}

const obstacle = { code: "paused", reason: "the token is paused" } as const

const heldBy = (why: Transfer.Failure): Outflow.State => ({ _tag: "Held", ...why, heldAt: now })

const states: { readonly [S in OutflowState.Status]: Outflow.State } = {
  waiting: { _tag: "Waiting" },
  sent: { _tag: "Sent", slot: world.sent() },
  paid: { _tag: "Paid", transfer: world.evidenceOf(movement), paidAt: now },
  held: heldBy(failure),
  cancelled: { _tag: "Cancelled", cancelledAt: now },
}

const inState = (state: Outflow.State): Outflow.Outflow => ({ ...made, state, revision: 7 })

/** Each transition, and the state that it leads to where it is allowed. */
const transitions: {
  readonly [E in OutflowState.Event]: {
    readonly apply: (outflow: Outflow.Outflow, at: number) => Outflow.Outflow | null
    readonly state: Outflow.State
  }
} = {
  send: {
    apply: (outflow, at) => Outflow.send(outflow, slot, at),
    state: { _tag: "Sent", slot },
  },
  wait: {
    apply: (outflow, at) => Outflow.wait(outflow, obstacle, at),
    state: { _tag: "Waiting", obstacle: { ...obstacle, since: later } },
  },
  resend: {
    apply: (outflow, at) => Outflow.resend(outflow, slot, at),
    state: { _tag: "Sent", slot },
  },
  pay: {
    apply: (outflow, at) => Outflow.pay(outflow, transfer, at),
    state: { _tag: "Paid", transfer, paidAt: later },
  },
  hold: {
    apply: (outflow, at) => Outflow.hold(outflow, otherwise, at),
    state: { _tag: "Held", ...otherwise, heldAt: later },
  },
  release: { apply: Outflow.release, state: { _tag: "Waiting", releasedAt: later } },
  cancel: { apply: Outflow.cancel, state: { _tag: "Cancelled", cancelledAt: later } },
  revoke: {
    apply: (outflow, at) => Outflow.revoke(outflow, failure, at),
    state: { _tag: "Held", ...failure, heldAt: later },
  },
}

describe("Outflow.make", () => {
  it("creates an outflow that waits to be sent, as revision 1", () => {
    assert.deepStrictEqual(made, {
      id: made.id,
      ...world.tenant,
      movement,
      purpose: { _tag: "Settle", shares: [share(first), share(second)] },
      state: { _tag: "Waiting" },
      createdAt: now,
      updatedAt: now,
      revision: 0,
    })
    assert.isTrue(Schema.is(Outflow.Outflow)(made))
  })
})

describe("Outflow transitions", () => {
  for (const status of OutflowState.statuses) {
    for (const event of OutflowState.events) {
      const next = OutflowState.next(status, event)
      it(`that are ${status}: ${event} ${next === null ? "is refused" : `makes them ${next}`}`, () => {
        const before = inState(states[status])
        assert.strictEqual(Outflow.status(before), status)
        const { apply, state } = transitions[event]
        const after = apply(before, later)
        if (next === null) {
          assert.isNull(after)
        } else {
          // What it carries never changes.
          const reverted = status === "sent" && event === "wait" ? { reverts: 1 } : {}
          const signed = event === "send" || event === "pay" ? { sentAt: later } : {}
          assert.deepStrictEqual(after, {
            ...before,
            ...reverted,
            ...signed,
            state,
            updatedAt: later,
            revision: 8,
          })
          assert.strictEqual(Outflow.status(given(after)), next)
          assert.isTrue(Schema.is(Outflow.Outflow)(after))
        }
      })
    }
  }

  it("never go back in time, whichever clock wrote last", () => {
    assert.strictEqual(Outflow.send(made, slot, now - 5000)?.updatedAt, now)
  })

  it("forget since when a transfer was missing once it is revoked", () => {
    const missed = { ...inState(states.paid), auditedSince: now }
    assert.notProperty(given(Outflow.revoke(missed, failure, later)), "auditedSince")
  })
})

describe("Outflow.wait", () => {
  const waiting = given(Outflow.wait(made, obstacle, later))

  it("S7: keeps the start of the wait for the same reason, and restarts it for another one", () => {
    assert.isTrue(Outflow.isHindered(waiting, "paused"))
    assert.isNull(Outflow.wait(waiting, { ...obstacle, reason: "still" }, later + 1))
    const short = { code: "short", reason: "too little" } as const
    assert.deepInclude(given(Outflow.wait(waiting, short, later + 1)).state, {
      obstacle: { ...short, since: later + 1 },
    })
  })

  it("S7: keeps the start of the wait if it becomes known that it takes longer", () => {
    const limit = { code: "limit", reason: "it goes on soon", until: later + 10 } as const
    const limited = given(Outflow.wait(made, limit, later))
    assert.isNull(Outflow.wait(limited, { ...limit, reason: "still" }, later + 1))
    const longer = { code: "limit", reason: "it goes on later", until: later + 20 } as const
    const endless = { code: "limit", reason: "it is more than a day allows" } as const
    for (const why of [longer, endless]) {
      const { state } = given(Outflow.wait(limited, why, later + 1))
      assert.deepInclude(state, { obstacle: { ...why, since: later } })
    }
  })

  it("S7: counts reverted transactions until an operator retries", () => {
    const sent = given(Outflow.send(waiting, slot, later))
    const again = given(Outflow.send(given(Outflow.wait(sent, obstacle, later)), slot, later))
    const twice = given(Outflow.wait(again, obstacle, later))
    assert.strictEqual(twice.reverts, 2)
    const held = given(Outflow.hold(twice, failure, later))
    assert.strictEqual(held.reverts, 2)
    const released = given(Outflow.release(held, later))
    assert.notProperty(released, "reverts")
    const hindered = given(Outflow.wait(released, obstacle, later + 1)).state
    assert.deepInclude(hindered, { releasedAt: later })
  })
})

describe("Outflow.movedOtherwise", () => {
  const maybePaid = inState(heldBy(otherwise))

  it("is true only while the outflow is held for that reason", () => {
    assert.isTrue(Outflow.movedOtherwise(maybePaid))
    for (const status of OutflowState.statuses) {
      assert.isFalse(Outflow.movedOtherwise(inState(states[status])))
    }
  })

  it("S24: keeps it from being released or cancelled, because its payee might be paid twice", () => {
    assert.isNull(Outflow.release(maybePaid, later))
    assert.isNull(Outflow.cancel(maybePaid, later))
    assert.isNull(Outflow.send(maybePaid, slot, later))
    assert.isNull(Outflow.resend(maybePaid, slot, later))
  })

  it("S24: lets it be paid once an operator records which transfer paid it", () => {
    assert.deepStrictEqual(Outflow.pay(maybePaid, transfer, later)?.state, {
      _tag: "Paid",
      transfer,
      paidAt: later,
    })
  })
})

/** The operator's own money. */
const own: Outflow.Outflow = Outflow.make(
  { id: world.outflowId(), mode: "test", movement, purpose: { _tag: "Move" } },
  now,
)

describe("Outflow.turnKey", () => {
  it("S6: is the same for all of the operator's own money under way from an account in a token", () => {
    const [waiting, ...others] = [
      own,
      { ...own, state: states.sent },
      { ...own, id: world.outflowId(), purpose: { _tag: "Withdraw" } as const },
      { ...own, movement: { ...movement, to: Fixtures.address("elsewhere") } },
      { ...own, movement: { ...movement, quantity: quantity(1n) } },
    ].map(Outflow.turnKey)
    assert.isString(waiting)
    for (const key of others) assert.strictEqual(key, waiting)
  })

  it("S6: is different for another account, token or mode", () => {
    const keys = [
      own,
      { ...own, mode: "live" as const },
      { ...own, movement: { ...movement, from: Fixtures.address("elsewhere") } },
      { ...own, movement: { ...movement, token: Fixtures.token("turnKey") } },
    ].map(Outflow.turnKey)
    assert.strictEqual(new Set(keys).size, keys.length)
  })

  it("is null once the outflow is not under way any more, and for payouts and refunds", () => {
    for (const status of ["paid", "held", "cancelled"] as const) {
      assert.isNull(Outflow.turnKey({ ...own, state: states[status] }))
    }
    for (const status of OutflowState.statuses) {
      assert.isNull(Outflow.turnKey(inState(states[status])))
    }
  })
})

describe("Outflow.obstacleOf", () => {
  it("S7: contains the reason of the wait, and its start", () => {
    const waiting = given(Outflow.wait(made, obstacle, later))
    assert.deepStrictEqual(Outflow.obstacleOf(waiting), { ...obstacle, since: later })
    const held = inState(heldBy({ ...failure, code: "payee" }))
    assert.deepStrictEqual(Outflow.obstacleOf(held), { ...failure, code: "payee", since: now })
  })

  it("is null while the outflow does not wait", () => {
    for (const status of ["waiting", "sent", "paid", "cancelled"] as const) {
      assert.isNull(Outflow.obstacleOf(inState(states[status])))
    }
  })
})

describe("Outflow.paymentIds", () => {
  it("lists every payment whose money the outflow carries", () => {
    assert.deepStrictEqual(Outflow.paymentIds(made), [first, second])
    assert.deepStrictEqual(
      Outflow.paymentIds({ ...made, purpose: { _tag: "Refund", paymentId: first } }),
      [first],
    )
    assert.deepStrictEqual(
      Outflow.paymentIds({
        ...made,
        purpose: {
          _tag: "Return",
          inflowId: InflowId.InflowId.make("unc_00000000000000000000000000000001"),
          paymentId: first,
        },
      }),
      [first],
    )
    assert.deepStrictEqual(
      Outflow.paymentIds({
        ...made,
        purpose: {
          _tag: "Settle",
          shares: [],
          advance: { merchantId: world.merchantId, quantity: quantity(10n) },
        },
      }),
      [],
    )
  })
})

describe("Outflow.isOwn", () => {
  it("is true for an outflow without a partner", () => {
    assert.isTrue(Outflow.isOwn(own))
    assert.isFalse(Outflow.isOwn(made))
  })
})

describe("OutflowId.OutflowId", () => {
  it("starts with out_", () => {
    for (const text of ["out_1", `out_${"a".repeat(64)}`]) {
      assert.isTrue(Schema.is(OutflowId.OutflowId)(text))
    }
    for (const text of ["out_", "pay_1", "out_a b", `out_${"a".repeat(65)}`]) {
      assert.isFalse(Schema.is(OutflowId.OutflowId)(text))
    }
  })
})
