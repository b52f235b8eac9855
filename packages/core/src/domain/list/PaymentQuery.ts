/**
 * Lists of payments, page by page.
 *
 * Storage runs lists in its own query language; its results must equal what this module defines.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Catalog from "../chain/Catalog.ts"
import * as Invalid from "../ground/Invalid.ts"
import type * as MerchantId from "../ground/MerchantId.ts"
import type * as Mode from "../ground/Mode.ts"
import type * as PartnerId from "../ground/PartnerId.ts"
import * as PaymentId from "../ground/PaymentId.ts"
import type * as Seal from "../ground/Seal.ts"
import type * as Payment from "../payment/Payment.ts"
import * as Cursor from "./Cursor.ts"
import * as Page from "./Page.ts"
import * as PageLimit from "./PageLimit.ts"
import * as PaymentFilter from "./PaymentFilter.ts"
import * as PaymentSort from "./PaymentSort.ts"

export interface PaymentQuery {
  readonly filter: PaymentFilter.Filter
  readonly sort: PaymentSort.Sort
  readonly limit: number
  /** The last payment of the page before; null for the first page. */
  readonly after: PaymentSort.Position | null
}

/** The owner of the listed payments. */
export interface Scope {
  readonly partnerId: PartnerId.PartnerId
  readonly mode: Mode.Mode
  /** The merchant of the `Merchant-Id` header or of the path. */
  readonly merchantId: MerchantId.MerchantId | null
}

/** The scope as text, for binding cursors to it. */
export const scopeText = (scope: Scope): string =>
  JSON.stringify([scope.partnerId, scope.mode, scope.merchantId])

/** Query values as they were sent. */
export type Raw = PaymentFilter.Raw & {
  readonly sortBy?: string | undefined
  readonly sortDir?: string | undefined
  readonly cursor?: string | undefined
  readonly limit?: string | number | undefined
}

const oneOf = <A extends string>(
  field: keyof Raw,
  values: ReadonlyArray<A>,
  sent: string,
): Result.Result<A, Invalid.InvalidInput> =>
  Invalid.required(
    field,
    values.find((value) => value === sent),
    `must be ${values.join(" or ")}`,
  )

export interface ParseOptions {
  readonly key: Seal.SealKeys
  readonly catalog: Catalog.Catalog
  /** What the cursor must be bound to, in addition to filters and order: {@link scopeText}. */
  readonly scopeText: string
  /** Lets `status` name `cancelled` too. */
  readonly allowCancelled?: boolean
}

/**
 * Reads a query, or reports everything that is wrong with it, one issue for each name.
 *
 * Unknown symbols and currencies, foreign chains and malformed merchant ids are not errors: they match nothing.
 */
export const parse = (
  raw: Raw,
  options: ParseOptions,
): Result.Result<PaymentQuery, Invalid.InvalidInput> => {
  const { allowCancelled = false, catalog, key, scopeText: scope } = options
  const list = Result.map(
    Invalid.all({
      filter: PaymentFilter.read(raw, allowCancelled, catalog),
      by: oneOf("sortBy", PaymentSort.orders, raw.sortBy ?? "date"),
      direction: oneOf("sortDir", PaymentSort.directions, raw.sortDir ?? "desc"),
    }),
    ({ filter, ...sort }): List => ({ filter, sort }),
  )
  const limit = PageLimit.parse(raw.limit)
  const after = Cursor.judge(list, (read) => readCursor(key, scope, read, raw.cursor))
  return Result.map(Invalid.all({ list, limit, after }), ({ list: read, ...page }) => ({
    ...read,
    ...page,
  }))
}

type List = Pick<PaymentQuery, "filter" | "sort">

/** Equal for equal lists. */
const listText = (scope: string, { filter, sort }: List): string =>
  JSON.stringify(["payments", scope, PaymentFilter.texts(filter), sort.by, sort.direction])

type Place = readonly [group: string, value: number | bigint, id: PaymentId.PaymentId]

const readPlace: {
  readonly [By in PaymentSort.Sort["by"]]: (
    parts: ReadonlyArray<string>,
  ) => Result.Result<Place, Schema.SchemaError>
} = {
  date: Schema.decodeUnknownResult(
    Schema.Tuple([
      Schema.Literal(""),
      Schema.NumberFromString.check(Schema.isInt()),
      PaymentId.PaymentId,
    ]),
  ),
  amount: Schema.decodeUnknownResult(
    Schema.Tuple([Schema.String, Schema.BigIntFromString, PaymentId.PaymentId]),
  ),
}

/** The cursor of the page after `place`, valid only for this list. The page size may change between pages. */
export const encodeCursor = (
  key: Seal.SealKeys,
  scope: string,
  list: List,
  place: PaymentSort.Position,
): string =>
  Cursor.encode(key, listText(scope, list), [place.group, place.value.toString(), place.id])

export const readCursor = (
  key: Seal.SealKeys,
  scope: string,
  list: List,
  text: string | undefined,
): Result.Result<PaymentSort.Position | null, Invalid.InvalidInput> =>
  Cursor.read(key, listText(scope, list), text, (parts) =>
    Result.map(readPlace[list.sort.by](parts), ([group, value, id]) => ({ group, value, id })),
  )

/** One page of a list. */
export const page = (
  payments: Iterable<Payment.Payment>,
  query: PaymentQuery,
  now: number,
): Page.Page<Payment.Payment> => {
  const { after, filter, limit, sort } = query
  const inOrder = PaymentSort.compare(sort)
  const found = Array.from(payments)
    .filter(
      (payment) =>
        (after === null || PaymentSort.isAfter(after, sort, payment)) &&
        PaymentFilter.matches(payment, filter, now),
    )
    .toSorted((left, right) =>
      inOrder(PaymentSort.position(left, sort), PaymentSort.position(right, sort)),
    )
  return Page.cut(found, limit)
}
