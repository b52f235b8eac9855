import { assert, describe, it } from "@effect/vitest"
import * as OutflowState from "@florin/core/domain/outflow/OutflowState"

/** Written by hand, one row for each status, in the order of `OutflowState.events`; null where nothing changes. */
const expected: { readonly [S in OutflowState.Status]: ReadonlyArray<OutflowState.Status | null> } =
  {
    // send, wait, resend, pay, hold, release, cancel, revoke
    waiting: ["sent", "waiting", null, "paid", "held", null, "cancelled", null],
    sent: [null, "waiting", "sent", "paid", "held", null, null, null],
    paid: [null, null, null, null, null, null, null, "held"],
    held: [null, null, null, "paid", null, "waiting", "cancelled", null],
    cancelled: [null, null, null, null, null, null, null, null],
  }

const { next, events, isBooked, isOpen, statuses, table } = OutflowState

const movesTo = (status: OutflowState.Status) => events.map((event) => next(status, event))

describe("OutflowState", () => {
  it("has five statuses and eight events", () => {
    assert.deepStrictEqual([...statuses], ["waiting", "sent", "paid", "held", "cancelled"])
    assert.deepStrictEqual(Object.keys(table), [...statuses])
    assert.lengthOf(events, 8)
  })

  for (const status of statuses) {
    for (const [index, event] of events.entries()) {
      const outcome = expected[status][index]
      const does = outcome === null ? "changes nothing" : `makes it ${outcome}`
      it(`of an outflow that is ${status}: ${event} ${does}`, () => {
        assert.strictEqual(next(status, event), outcome)
      })
    }
  }

  it("is booked from when it is sent until it proves impossible", () => {
    assert.deepStrictEqual(
      statuses.filter((status) => isBooked[status]),
      ["sent", "paid"],
    )
  })

  it("is open until it is paid or cancelled", () => {
    assert.deepStrictEqual(
      statuses.filter((status) => isOpen[status]),
      ["waiting", "sent", "held"],
    )
  })

  it("never leaves cancelled, and leaves paid only after a reorganisation", () => {
    assert.deepStrictEqual(new Set(movesTo("cancelled")), new Set([null]))
    assert.deepStrictEqual(
      events.filter((event) => next("paid", event) !== null),
      ["revoke"],
    )
  })

  it("cannot be changed by a request while it is sent", () => {
    for (const event of ["send", "release", "cancel"] as const) {
      assert.isNull(next("sent", event))
    }
  })

  it("can be sent for the first time only while it waits, so that nothing is sent twice", () => {
    assert.deepStrictEqual(
      statuses.filter((status) => next(status, "send") !== null),
      ["waiting"],
    )
    assert.deepStrictEqual(
      statuses.filter((status) => next(status, "resend") !== null),
      ["sent"],
    )
  })
})
