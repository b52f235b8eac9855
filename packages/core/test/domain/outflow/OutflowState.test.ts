import { assert, describe, it } from "@effect/vitest"
import * as OutflowState from "@florin/core/domain/outflow/OutflowState"

type Expected = OutflowState.Status | "same" | "refused"

/** Written by hand, one row for each status, in the order of `OutflowState.events`. */
const expected: { readonly [S in OutflowState.Status]: ReadonlyArray<Expected> } = {
  // send, wait, resend, pay, hold, release, cancel, revoke
  waiting: ["sent", "waiting", "refused", "paid", "held", "same", "cancelled", "refused"],
  sent: ["refused", "waiting", "sent", "paid", "held", "refused", "refused", "refused"],
  paid: ["refused", "refused", "refused", "same", "refused", "refused", "refused", "held"],
  held: ["refused", "refused", "refused", "paid", "same", "waiting", "cancelled", "refused"],
  cancelled: ["refused", "refused", "refused", "refused", "refused", "refused", "same", "refused"],
}

const outcomeOf = (cell: OutflowState.Cell): Expected => {
  if ("to" in cell) return cell.to
  return "stay" in cell ? "same" : "refused"
}

const { next, events, isBooked, isOpen, statuses, table } = OutflowState

/** What a test says of an outcome. */
const wordsOf = (outcome: string | undefined) =>
  outcome === "same"
    ? "changes nothing"
    : outcome === "refused"
      ? "is refused"
      : `makes it ${outcome}`

const movesTo = (status: OutflowState.Status) => events.map((event) => next(status, event))

describe("OutflowState", () => {
  it("has five statuses and eight events", () => {
    assert.deepStrictEqual([...statuses], ["waiting", "sent", "paid", "held", "cancelled"])
    assert.deepStrictEqual(Object.keys(table), [...statuses])
    for (const status of statuses) {
      assert.deepStrictEqual(Object.keys(table[status]), [...events])
    }
  })

  for (const status of statuses) {
    for (const [index, event] of events.entries()) {
      const outcome = expected[status][index]
      it(`of an outflow that is ${status}: ${event} ${wordsOf(outcome)}`, () => {
        assert.strictEqual(outcomeOf(table[status][event]), outcome)
        assert.strictEqual(
          next(status, event),
          outcome === "same" || outcome === "refused" ? null : outcome,
        )
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
