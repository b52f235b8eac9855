/**
 * Rules about events: complete, in order for each payment, and the same for everybody who is told.
 *
 * @module
 */
import type * as Evidence from "./Evidence.ts"
import * as Reading from "./Reading.ts"

const { at, number, text } = Reading

type Rule = (evidence: Evidence.Evidence) => Iterable<string>

const ofPayments = (events: ReadonlyArray<Evidence.Json>) =>
  events.filter((event) => text(event, "data", "paymentId") !== "")

/** The events of a payment have the versions 0, 1, 2 and so on, and the last one shows it as it is. */
const areComplete: Rule = function* ({ books }) {
  for (const { details, feed } of books) {
    const byPayment = Reading.groupBy(ofPayments(feed), (event) => text(event, "data", "paymentId"))
    for (const payment of details) {
      const id = text(payment, "paymentId")
      const events = byPayment.get(id) ?? []
      const versions = events.map((event) => number(event, "data", "payment_state_version"))
      if (versions.some((version, index) => version !== index) || versions.length === 0) {
        yield `the events of ${id} have the versions ${versions.join(", ")}`
      }
      const last = events.at(-1) ?? null
      const status = text(payment, "status")
      if (text(last, "data", "status") !== status) {
        yield `${id} is ${status}, and its last event says ${text(last, "data", "status")}`
      }
      for (const [what, shown, said] of [
        ["refund", at(payment, "refund", "status"), at(last, "data", "refund", "status")],
        [
          "settlement",
          at(payment, "settlement", "successful", "txId"),
          at(last, "data", "settlement", "txId"),
        ],
      ] as const) {
        if (shown !== said)
          yield `the ${what} of ${id} is ${shown}, and its last event says ${said}`
      }
    }
  }
}

/**
 * No event is in the feed twice, and receivers are told the same. A payment's events are sent in their order; the next
 * one does not wait until a receiver accepts the one before it.
 */
const areToldToAll: Rule = function* ({ books }) {
  for (const { attempted, delivered, feed } of books) {
    const inFeed = new Map(feed.map((event) => [text(event, "id"), event]))
    if (inFeed.size !== feed.length) yield "the feed has an event twice"
    const arrived = new Set<string>()
    const versions = new Map<string, number>()
    for (const event of attempted) {
      const id = text(event, "id")
      if (!Reading.isSame(inFeed.get(id) ?? null, event)) yield `${id} was sent, and differs`
      if (arrived.has(id)) continue
      arrived.add(id)
      const payment = text(event, "data", "paymentId")
      if (payment === "") continue
      const version = number(event, "data", "payment_state_version")
      const expected = versions.get(payment) ?? 0
      if (version !== expected) yield `${payment}: version ${version} came before ${expected}`
      versions.set(payment, version + 1)
    }
    const accepted = new Set(delivered.map((event) => text(event, "id")))
    for (const id of inFeed.keys()) if (!accepted.has(id)) yield `${id} was never delivered`
  }
}

export const rules: Readonly<Record<string, Rule>> = {
  "events are complete": areComplete,
  "everybody gets the same events": areToldToAll,
}
