/**
 * Rules about lists: each contains what its filter says, in its order, once, and its statistics sum it up.
 *
 * @module
 */
import type * as Evidence from "./Evidence.ts"
import * as Reading from "./Reading.ts"

const { amount, at, list, number, text } = Reading

type Rule = (evidence: Evidence.Evidence) => Iterable<string>
type Query = Readonly<Record<string, string>>

const chainOf = (item: Evidence.Json): string =>
  /^caip19\/([^/]+)\//u.exec(text(item, "tokenAmount", "unit"))?.[1] ?? ""
const currencyOf = (item: Evidence.Json): string =>
  text(item, "fiatAmount", "unit").replace("iso4217/", "")

/** Each filter that is compared, as the simplest program that could be right. */
const filters: { readonly [name: string]: (item: Evidence.Json, value: string) => boolean } = {
  status: (item, value) => text(item, "status") === value,
  currency: (item, value) => currencyOf(item) === value,
  network: (item, value) => chainOf(item) === value,
  merchantId: (item, value) => text(item, "merchant", "id") === value,
  referenceId: (item, value) =>
    text(item, "referenceId").toLowerCase().includes(value.toLowerCase()),
}

const matches = (query: Query) => (item: Evidence.Json) =>
  Object.entries(query).every(([name, value]) => filters[name]?.(item, value) ?? true)

const idOf = (item: Evidence.Json): string => text(item, "paymentId")

/** The value by which a list is sorted. */
const placeOf = ({ sortBy }: Query, item: Evidence.Json): bigint =>
  sortBy === "amount"
    ? BigInt(text(item, "fiatAmount", "value") || "0")
    : BigInt(Date.parse(text(item, "createdAt")))

/** Every list has each payment that passes its filter, once, in order. */
const containWhatTheySay: Rule = function* ({ books }) {
  for (const { details, lists } of books) {
    const [all] = lists
    if (all === undefined) continue
    const known = new Map(details.map((payment) => [idOf(payment), payment]))
    for (const item of all.items) {
      const shown = text(item, "status")
      const status = text(known.get(idOf(item)), "status")
      if (shown !== status) yield `${idOf(item)} is ${status}, and ${shown} in the list`
    }
    for (const { items, query } of lists) {
      const name = JSON.stringify(query)
      const ids = items.map(idOf)
      // The first list is held against the details, and the others against it.
      const pool = query === all.query ? details : all.items
      const expected = pool.filter(matches(query)).map(idOf)
      const missing = expected.filter((id) => !ids.includes(id))
      const added = ids.filter((id) => !expected.includes(id))
      if (missing.length > 0) yield `${name} lacks ${missing.join(", ")}`
      if (added.length > 0) yield `${name} has ${added.join(", ")}, which its filter excludes`
      if (new Set(ids).size !== ids.length) yield `${name} has a payment twice`
      const places = items.map((item) => placeOf(query, item))
      const isAscending = query["sortDir"] === "asc"
      const isOrdered = places.every((place, index) => {
        const next = places[index + 1]
        return next === undefined || (isAscending ? place <= next : place >= next)
      })
      if (!isOrdered) yield `${name} is not in its order`
    }
  }
}

/** The statistics of a list are those of the payments that it contains. */
const sumUp: Rule = function* ({ books }) {
  for (const { details, lists } of books) {
    // Only a part says how much of the payment's amount it is.
    const refunds = new Map(
      details.map((each) => [
        idOf(each),
        list(each, "refunds").map((refund) =>
          Number(text(refund, "requested", "value") || text(each, "amount", "value")),
        ),
      ]),
    )
    for (const { items, query, stats } of lists) {
      const name = JSON.stringify(query)
      const paid = items.filter((item) => text(item, "status") === "succeeded")
      const centsOf = (some: ReadonlyArray<Evidence.Json>) =>
        some.reduce<number>((sum, item) => sum + Number(text(item, "fiatAmount", "value")), 0)
      const payers = new Set(
        items
          .filter((item) => at(item, "buyer") !== null)
          .map((item) => Reading.address(item, "buyer", "accountCaip10")),
      )
      const dollars = (member: string) =>
        Math.round(100 * (number(list(stats, member)[0] ?? null, "amount") || 0))
      const refunded = paid
        .flatMap((item) => refunds.get(idOf(item)) ?? [])
        .reduce<number>((sum, cents) => sum + cents, 0)
      for (const [what, said, counted] of [
        ["transactions", number(stats, "totalTransactions"), items.length],
        ["customers", number(stats, "totalCustomers"), payers.size],
        ["revenue", dollars("totalRevenue"), centsOf(paid)],
        ["refunded", dollars("totalRefunded"), refunded],
      ] as const) {
        if (said !== counted) yield `${name} has ${counted} ${what}, and its statistics say ${said}`
      }
    }
  }
}

/** A list, an event and the details tell the same of a payment's money. */
const agreeOnMoney: Rule = function* ({ books }) {
  for (const { details, lists } of books) {
    const items = new Map((lists[0]?.items ?? []).map((item) => [idOf(item), item]))
    for (const payment of details) {
      const item = items.get(idOf(payment)) ?? null
      const hash = text(payment, "status") === "succeeded" ? text(payment, "info", "txId") : ""
      if (hash !== text(item, "transaction", "hash")) {
        yield `${idOf(payment)} was paid by ${hash}, and the list says ${text(item, "transaction", "hash")}`
      }
      if (hash === "") continue
      const paid = amount(payment, "info", "optionAmount").quantity
      const listed = amount(item, "tokenAmount").quantity
      if (paid !== listed) yield `${idOf(payment)} was paid ${paid}, and the list says ${listed}`
    }
  }
}

export const rules: Readonly<Record<string, Rule>> = {
  "lists contain what they say": containWhatTheySay,
  "statistics sum up their list": sumUp,
  "lists and details agree on money": agreeOnMoney,
}
