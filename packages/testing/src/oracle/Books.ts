/**
 * Reads what a partner can read about its own business, once everything is quiet.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Evidence from "./Evidence.ts"
import * as Reading from "./Reading.ts"

export interface Options<E, R> extends Pick<Evidence.Books, "attempted" | "delivered"> {
  readonly key: string
  /** The body of the response to a GET with the partner's key; null if it was refused. */
  readonly get: (path: string, merchantId: string | null) => Effect.Effect<Evidence.Json, E, R>
  /** A chain, whose payments are listed on their own. */
  readonly network: string
  /** Payments that the partner was told of, each with its merchant. */
  readonly known: Iterable<readonly [paymentId: string, merchantId: string]>
  /** How many details are read at the same time (default: 1). */
  readonly concurrency?: number
}

/** The lists that are compared with what they should contain, each with the size of its pages. */
const queries = (network: string): ReadonlyArray<Readonly<Record<string, string>>> => [
  { limit: "7" },
  { limit: "3", sortBy: "date", sortDir: "asc" },
  { limit: "5", status: "succeeded" },
  { limit: "5", status: "failed" },
  { limit: "4", sortBy: "amount", sortDir: "desc", currency: "USD" },
  { limit: "9", network },
]

export const read = Effect.fnUntraced(function* <E, R>(options: Options<E, R>) {
  const { attempted, concurrency = 1, delivered, get, key, known, network } = options

  /** Follows a list to its end. */
  const follow = Effect.fnUntraced(function* (
    path: string,
    query: Readonly<Record<string, string>>,
  ) {
    const items: Array<Evidence.Json> = []
    let cursor: string | null = null
    let first: Evidence.Json = null
    do {
      const search: URLSearchParams = new URLSearchParams({
        ...query,
        ...(cursor !== null && { cursor }),
      })
      const body: Evidence.Json = yield* get(`${path}?${search}`, null)
      if (body === null) return yield* Effect.die(new Error(`${path}?${search} is refused`))
      first ??= body
      items.push(...Reading.list(body, "data"))
      // A feed has no end: its cursor leads to what is still to come.
      const isEnd = Reading.list(body, "data").length === 0
      cursor = isEnd ? null : Reading.text(body, "nextCursor") || null
    } while (cursor !== null)
    return { items, first }
  })

  const lists: Array<Evidence.Books["lists"][number]> = []
  for (const query of queries(network)) {
    const { first, items } = yield* follow("/v1/payments", query)
    lists.push({ query, items, stats: Reading.at(first, "stats") })
  }
  // Also those of which no payer was ever told.
  const merchants = new Map([
    ...(lists[0]?.items ?? []).map(
      (item) => [Reading.text(item, "paymentId"), Reading.text(item, "merchant", "id")] as const,
    ),
    ...known,
  ])
  const details = yield* Effect.forEach(
    merchants,
    ([id, merchantId]) => get(`/v1/payments/${id}`, merchantId),
    { concurrency },
  )
  const listed = yield* follow("/v1/payouts", { limit: "20" })
  const payouts = yield* Effect.forEach(
    listed.items,
    (each) => get(`/v1/payouts/${Reading.text(each, "id")}`, null),
    { concurrency },
  )
  const { items: feed } = yield* follow("/v1/events", { limit: "50" })
  const books: Evidence.Books = { key, lists, details, payouts, feed, attempted, delivered }
  return books
})
