/**
 * Rules about events: complete, in order for each payment, and the same for everybody who is told.
 *
 * @module
 */
import * as Consistency from "@florin/core/domain/books/Consistency"
import type * as Evidence from "./Evidence.ts"
import * as Reading from "./Reading.ts"

const { list, number, text } = Reading

type Rule = (evidence: Evidence.Evidence) => Iterable<string>

const ofPayments = (events: ReadonlyArray<Evidence.Json>) =>
  events.filter((event) => text(event, "data", "paymentId") !== "")

/** An event, for the rules that the product shares. */
const readEvent = (event: Evidence.Json): Consistency.Event => ({
  version: number(event, "data", "payment_state_version"),
  status: text(event, "data", "status"),
  refunds: list(event, "data", "refunds").map((each) => text(each, "status")),
  settlement: text(event, "data", "settlement", "txId") || null,
})

const areComplete: Rule = function* ({ books }) {
  for (const { details, feed } of books) {
    const byPayment = Reading.groupBy(ofPayments(feed), (event) => text(event, "data", "paymentId"))
    for (const payment of details) {
      const events = byPayment.get(text(payment, "paymentId")) ?? []
      yield* Consistency.areComplete(Reading.payment(payment, undefined), events.map(readEvent))
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
