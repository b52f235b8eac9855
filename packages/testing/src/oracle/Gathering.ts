/**
 * Reads what a partner can read about its own business, over HTTP, once everything is quiet.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Evidence from "./Evidence.ts"
import * as Reading from "./Reading.ts"

/** Sends a GET request, and fails unless it is successful. */
export type Get<E, R> = (
  path: string,
  headers?: Readonly<Record<string, string>>,
) => Effect.Effect<Evidence.Json, E, R>

type Query = Readonly<Record<string, string>>

/** A list as pages that were followed to the end, and its first page. */
const follow = Effect.fnUntraced(function* <E, R>(get: Get<E, R>, path: string, query: Query) {
  const items: Array<Evidence.Json> = []
  let cursor: string | null = null
  let first: Evidence.Json = null
  do {
    const search: URLSearchParams = new URLSearchParams({
      ...query,
      ...(cursor !== null && { cursor }),
    })
    const page: Evidence.Json = yield* get(`${path}?${search}`)
    first ??= page
    const found = Reading.list(page, "data")
    items.push(...found)
    // A feed has no end: its cursor leads to what is still to come.
    cursor = found.length === 0 ? null : Reading.text(page, "nextCursor") || null
  } while (cursor !== null)
  return { items, first }
})

/** The lists that are compared with what they should contain. */
const queries: ReadonlyArray<Query> = [
  { limit: "7" },
  { limit: "13", sortBy: "date", sortDir: "asc" },
  { limit: "5", status: "succeeded" },
  { limit: "5", status: "failed" },
  { limit: "14", sortBy: "amount", sortDir: "desc", currency: "USD" },
  { limit: "9", network: "eip155:8453" },
]

const several = { concurrency: 6 } as const

/**
 * The books of the partner whose key `get` sends. `merchants` has the merchant of each payment that it was told of;
 * `delivered` is what its webhook's receiver accepted.
 */
export const booksOf = Effect.fnUntraced(function* <E, R>(
  get: Get<E, R>,
  {
    delivered,
    key,
    merchants,
  }: Pick<Evidence.Books, "key" | "delivered"> & {
    readonly merchants: ReadonlyMap<string, string>
  },
) {
  const lists = yield* Effect.forEach(
    queries,
    (query) =>
      Effect.map(follow(get, "/v1/payments", query), ({ first, items }) => ({
        query,
        items,
        stats: Reading.at(first, "stats"),
      })),
    several,
  )
  const listed = (lists[0]?.items ?? []).map(
    (item) => [Reading.text(item, "paymentId"), Reading.text(item, "merchant", "id")] as const,
  )
  const details = yield* Effect.forEach(
    new Map([...listed, ...merchants]),
    ([id, merchantId]) => get(`/v1/payments/${id}`, { "Merchant-Id": merchantId }),
    several,
  )
  const { items } = yield* follow(get, "/v1/payouts", { limit: "20" })
  const payouts = yield* Effect.forEach(
    items,
    (each) => get(`/v1/payouts/${Reading.text(each, "id")}`),
    several,
  )
  const { items: feed } = yield* follow(get, "/v1/events", { limit: "50" })
  const books: Evidence.Books = { key, lists, details, payouts, feed, delivered }
  return books
})
