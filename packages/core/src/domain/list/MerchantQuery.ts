/**
 * Lists of merchants, page by page.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Invalid from "../ground/Invalid.ts"
import * as Limits from "../ground/Limits.ts"
import * as MerchantId from "../ground/MerchantId.ts"
import type * as Mode from "../ground/Mode.ts"
import type * as PartnerId from "../ground/PartnerId.ts"
import type * as Seal from "../ground/Seal.ts"
import * as Merchant from "../partner/Merchant.ts"
import * as Cursor from "./Cursor.ts"
import * as PageLimit from "./PageLimit.ts"

/** Query values as they were sent. */
export interface Raw {
  readonly status?: string | undefined
  readonly search?: string | undefined
  readonly cursor?: string | undefined
  readonly limit?: PageLimit.Raw
}

/** Whose merchants are listed, and of which mode; null for those of all. */
export interface Scope {
  readonly partnerId: PartnerId.PartnerId | null
  readonly mode: Mode.Mode | null
}

/** The last merchant of a page. */
export interface Position {
  readonly createdAt: number
  readonly id: MerchantId.MerchantId
}

export interface MerchantQuery {
  readonly filter: Merchant.Filter
  readonly limit: number
  /** Null for the first page. */
  readonly after: Position | null
}

const isStatus = Schema.is(Merchant.Status)

// Cc: control characters; Postgres does not accept NUL. Cs: half of a surrogate pair.
const unsearchable = /[\p{Cc}\p{Cs}]/u

export const statusRule = `must be one of ${Merchant.Status.literals.join(", ")}`
export const searchRule = `must have 1 to ${Limits.merchantSearchMaxLength} characters, none of them a control character`

const isSearch = (text: string): boolean =>
  text !== "" && [...text].length <= Limits.merchantSearchMaxLength && !unsearchable.test(text)

const readStatus = (text: string) =>
  Invalid.required("status", isStatus(text) ? text : undefined, statusRule)
const readSearch = (text: string) =>
  Invalid.required("search", isSearch(text) ? text : undefined, searchRule)

/** Equal for equal lists. The operator's list of those that wait for approval has no scope. */
const listText = (scope: Scope | null, { search, status }: Merchant.Filter): string =>
  scope === null
    ? JSON.stringify(["merchants", "waiting"])
    : JSON.stringify(["merchants", scope.partnerId, scope.mode, status ?? null, search ?? null])

const readPosition = Cursor.byAge(MerchantId.MerchantId)

/** The cursor of the page after a merchant, valid for this list only. The size of a page may change on the way. */
export const encodeCursor = (
  key: Seal.SealKeys,
  scope: Scope | null,
  filter: Merchant.Filter,
  { createdAt, id }: Position,
): string => Cursor.encode(key, listText(scope, filter), [createdAt.toString(), id])

export const readCursor = (
  key: Seal.SealKeys,
  scope: Scope | null,
  filter: Merchant.Filter,
  text: string | undefined,
): Result.Result<Position | null, Invalid.InvalidInput> =>
  Cursor.read(key, listText(scope, filter), text, readPosition)

/** Reads a query, or reports everything that is wrong with it. */
export const parse = (
  raw: Raw,
  options: { readonly key: Seal.SealKeys; readonly scope: Scope },
): Result.Result<MerchantQuery, Invalid.InvalidInput> => {
  const filter = Result.map(
    Invalid.all({
      status: Invalid.ifSent(raw.status, readStatus),
      search: Invalid.ifSent(raw.search, readSearch),
    }),
    ({ search, status }): Merchant.Filter => ({
      ...(status !== undefined && { status }),
      ...(search !== undefined && { search }),
    }),
  )
  const after = Cursor.judge(filter, (read) =>
    readCursor(options.key, options.scope, read, raw.cursor),
  )
  return Invalid.all({ filter, after, limit: PageLimit.parse(raw.limit) })
}
