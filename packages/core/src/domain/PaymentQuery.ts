/**
 * Lists of payments: which payments a list shows, page by page.
 *
 * Storage answers lists in its own language; what is written here is what every answer must equal.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Asset from "./Asset.ts"
import * as Caip from "./Caip.ts"
import * as Cursor from "./Cursor.ts"
import * as Invalid from "./Invalid.ts"
import * as Limits from "./Limits.ts"
import * as Merchant from "./Merchant.ts"
import type * as Mode from "./Mode.ts"
import * as PageLimit from "./PageLimit.ts"
import * as Payment from "./Payment.ts"
import * as PaymentId from "./PaymentId.ts"
import * as PaymentSort from "./PaymentSort.ts"
import * as PaymentState from "./PaymentState.ts"
import * as Rfc3339 from "./Rfc3339.ts"
import type * as Seal from "./Seal.ts"

/** What a payment must have to be listed. Null leaves a member open; an empty list lets nothing through. */
export interface Filter {
  /** Epoch milliseconds, inclusive. */
  readonly createdFrom: number | null
  /** Epoch milliseconds, exclusive. */
  readonly createdBefore: number | null
  /** Symbols as the asset table spells them. */
  readonly tokenSymbols: ReadonlyArray<string> | null
  /** What the deprecated `asset` names. */
  readonly tokens: ReadonlyArray<Caip.Token> | null
  readonly chainIds: ReadonlyArray<Caip.ChainId> | null
  readonly statuses: ReadonlyArray<PaymentState.Status> | null
  /** Part of the reference, in ASCII lower case. */
  readonly reference: string | null
  readonly merchantIds: ReadonlyArray<Merchant.MerchantId> | null
}

/** A filter that lets every payment through. */
export const unfiltered: Filter = {
  createdFrom: null,
  createdBefore: null,
  tokenSymbols: null,
  tokens: null,
  chainIds: null,
  statuses: null,
  reference: null,
  merchantIds: null,
}

export interface PaymentQuery {
  readonly filter: Filter
  readonly sort: PaymentSort.Sort
  readonly limit: number
  /** The last payment of the page before; null for the first page. */
  readonly after: PaymentSort.Position | null
}

/** Whose payments are listed. */
export interface Scope {
  readonly partnerId: Merchant.PartnerId
  readonly mode: Mode.Mode
  /** The merchant of the `Merchant-Id` header or of the path. */
  readonly merchantId: Merchant.MerchantId | null
}

/** The scope as text, for binding cursors to it. */
export const scopeText = (scope: Scope): string =>
  JSON.stringify([scope.partnerId, scope.mode, scope.merchantId])

/** The filter of a list that shows one merchant's payments only; null leaves it as it is. */
export const narrow = (filter: Filter, merchantId: Merchant.MerchantId | null): Filter =>
  merchantId === null
    ? filter
    : {
        ...filter,
        merchantIds: (filter.merchantIds ?? [merchantId]).filter((each) => each === merchantId),
      }

export const inScope = (payment: Payment.Payment, scope: Scope): boolean =>
  payment.partnerId === scope.partnerId &&
  payment.mode === scope.mode &&
  (scope.merchantId === null || payment.merchantId === scope.merchantId)

/** Query values as they were sent. */
export interface Raw {
  readonly startTs?: string | undefined
  readonly endTs?: string | undefined
  readonly token_symbol?: ReadonlyArray<string> | undefined
  readonly asset?: string | undefined
  readonly network?: string | undefined
  readonly sortBy?: string | undefined
  readonly sortDir?: string | undefined
  readonly cursor?: string | undefined
  readonly limit?: string | number | undefined
  readonly status?: ReadonlyArray<string> | undefined
  readonly referenceId?: string | undefined
  readonly merchantId?: ReadonlyArray<string> | undefined
}

/** ASCII letters in lower case, every other character as it is: how references are compared. */
export const foldAscii = (text: string): string =>
  text.replace(/[A-Z]/gu, (letter) => letter.toLowerCase())

/** Some text that storage can look for. Postgres takes no NUL. */
const isText = (text: string): boolean => /^[^\p{Cc}\p{Cs}]+$/u.test(text)

const symbols: ReadonlyArray<string> = [
  ...new Set(Asset.all.map((asset) => asset.symbol)),
].toSorted()

const isSymbol = (text: string): boolean => isText(text) && !/[/:]/u.test(text)

/** The symbols we know among those that were sent, in any ASCII case. */
const readSymbols = (sent: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const folded = new Set(sent.map(foldAscii))
  return sent.every(isSymbol)
    ? symbols.filter((symbol) => folded.has(foldAscii(symbol)))
    : undefined
}

// Chains and assets outside eip155 are well formed, but no payment has one.
const foreignChainPattern = /^(?!eip155:)[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/u
const foreignAssetPattern =
  /^(?!eip155:)[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}\/[-a-z0-9]{3,8}:[-.%a-zA-Z0-9]{1,128}(?:\/[-.%a-zA-Z0-9]{1,78})?$/u

const assetPrefix = "caip19/"

const readAsset = (sent: string): ReadonlyArray<Caip.Token> | undefined => {
  if (isSymbol(sent)) {
    const folded = foldAscii(sent)
    return Asset.all
      .filter((asset) => foldAscii(asset.symbol) === folded)
      .map((asset) => asset.token)
  }
  const text = sent.startsWith(assetPrefix) ? sent.slice(assetPrefix.length) : sent
  const parsed = Caip.parseToken(text, "ignored")
  if (Result.isSuccess(parsed)) return [parsed.success]
  return foreignAssetPattern.test(text) ? [] : undefined
}

const readChains = (sent: string): ReadonlyArray<Caip.ChainId> | undefined => {
  const chainIds = new Set<Caip.ChainId>()
  for (const text of sent.split(",")) {
    const parsed = Caip.parseChain(text)
    if (Result.isSuccess(parsed)) chainIds.add(parsed.success)
    else if (!foreignChainPattern.test(text)) return undefined
  }
  return [...chainIds].toSorted((left, right) => left - right)
}

const readStatuses =
  (allowed: ReadonlyArray<PaymentState.Status>) =>
  (sent: ReadonlyArray<string>): ReadonlyArray<PaymentState.Status> | undefined =>
    sent.every((text) => allowed.some((status) => status === text))
      ? allowed.filter((status) => sent.includes(status))
      : undefined

const referencePattern = /^[A-Za-z0-9 /:.,+-]+$/u

const readReference = (sent: string): string | undefined =>
  referencePattern.test(sent) &&
  sent.length >= Limits.referenceFilterMinLength &&
  sent.length <= Limits.referenceFilterMaxLength
    ? foldAscii(sent)
    : undefined

const isMerchantId = Schema.is(Merchant.MerchantId)

/** A text that no merchant id can be is dropped: nothing has it. */
const readMerchantIds = (
  sent: ReadonlyArray<string>,
): ReadonlyArray<Merchant.MerchantId> | undefined =>
  sent.every(isText) ? [...new Set(sent.filter(isMerchantId))].toSorted() : undefined

const readSortBy = (sent: string): PaymentSort.Sort["by"] | undefined =>
  sent === "date" || sent === "amount" ? sent : undefined

const readDirection = (sent: string): PaymentSort.Sort["direction"] | undefined =>
  sent === "asc" || sent === "desc" ? sent : undefined

/** A repeatable name that was not sent at all is no filter. */
const some = (sent: ReadonlyArray<string> | undefined) => (sent?.length === 0 ? undefined : sent)

export interface ParseOptions {
  readonly key: Seal.SealKey
  /** What the cursor must be bound to, besides filters and order: {@link scopeText}. */
  readonly scopeText: string
  /** Lets `status` name `cancelled` too. */
  readonly allowCancelled?: boolean
}

/**
 * Reads a query, or tells everything that is wrong with it, one issue for each name. A cursor is bound to filters and
 * order, so it is judged only once those can be read.
 *
 * Unknown symbols, foreign chains and malformed merchant ids are not errors: they match nothing.
 */
export const parse = (
  raw: Raw,
  options: ParseOptions,
): Result.Result<PaymentQuery, Invalid.InvalidInput> => {
  const issues: Array<Invalid.Issue> = []
  const read = <A, B>(
    field: keyof Raw,
    sent: A | undefined,
    absent: B,
    reader: (sent: A) => B | undefined,
    rule: string,
  ): B => {
    if (sent === undefined) return absent
    const value = reader(sent)
    if (value === undefined) issues.push(Invalid.issue(field, rule))
    return value ?? absent
  }
  const allowed = PaymentState.statuses.filter(
    (status) => status !== "cancelled" || options.allowCancelled === true,
  )
  const filter: Filter = {
    createdFrom: read("startTs", raw.startTs, null, Rfc3339.read, Rfc3339.rule),
    createdBefore: read("endTs", raw.endTs, null, Rfc3339.read, Rfc3339.rule),
    tokenSymbols: read(
      "token_symbol",
      some(raw.token_symbol),
      null,
      readSymbols,
      "must be a token symbol, such as USDC, and not a CAIP-19 id",
    ),
    tokens: read(
      "asset",
      raw.asset,
      null,
      readAsset,
      "must be a CAIP-19 asset id, such as eip155:<chain id>/erc20:<contract>, or a token symbol",
    ),
    chainIds: read(
      "network",
      raw.network,
      null,
      readChains,
      "must be CAIP-2 chain ids, such as eip155:8453, separated by commas",
    ),
    statuses: read(
      "status",
      some(raw.status),
      null,
      readStatuses(allowed),
      `must be one of ${allowed.join(", ")}`,
    ),
    reference: read(
      "referenceId",
      raw.referenceId,
      null,
      readReference,
      `must have ${Limits.referenceFilterMinLength} to ${Limits.referenceFilterMaxLength} characters: letters, digits, space and / : . , + -`,
    ),
    merchantIds: read(
      "merchantId",
      some(raw.merchantId),
      null,
      readMerchantIds,
      "must not be empty or contain control characters",
    ),
  }
  const sort: PaymentSort.Sort = {
    by: read("sortBy", raw.sortBy, "date", readSortBy, "must be date or amount"),
    direction: read("sortDir", raw.sortDir, "desc", readDirection, "must be asc or desc"),
  }
  const limit = read("limit", raw.limit, Limits.listPageDefault, PageLimit.read, PageLimit.rule)
  const list = { filter, sort }
  const mayJudgeCursor = issues.every((issue) => issue.field === "limit")
  const after = mayJudgeCursor
    ? read(
        "cursor",
        raw.cursor,
        null,
        (sent) => Result.getOrUndefined(decodeCursor(options.key, options.scopeText, list, sent)),
        Cursor.rule,
      )
    : null
  return Result.map(Invalid.check(issues), () => ({ ...list, limit, after }))
}

/** The token that a payment was paid in or, until it is confirmed, is asked in. Null while a payer may choose. */
export const tokenOf = (payment: Payment.Payment): Caip.Token | null => {
  const attempt = Payment.attemptOf(payment)
  if (attempt !== null) return attempt.option.token
  return payment.amount.unit._tag === "Token" ? payment.amount.unit.token : null
}

const holds = <A>(allowed: ReadonlyArray<A> | null, has: (value: A) => boolean): boolean =>
  allowed === null || allowed.some(has)

/** Whether a payment in this token passes what a filter says of tokens, symbols and chains. */
export const tokenMatches = (token: Caip.Token | null, filter: Filter): boolean =>
  holds(filter.tokenSymbols, (symbol) => token !== null && Asset.find(token)?.symbol === symbol) &&
  holds(filter.tokens, (each) => token !== null && Caip.sameToken(each, token)) &&
  holds(filter.chainIds, (chainId) => token?.chainId === chainId)

/** Whether a payment passes every filter, with the status it has at `now`. */
export const matches = (payment: Payment.Payment, filter: Filter, now: number): boolean =>
  (filter.createdFrom === null || payment.createdAt >= filter.createdFrom) &&
  (filter.createdBefore === null || payment.createdAt < filter.createdBefore) &&
  holds(filter.merchantIds, (merchantId) => merchantId === payment.merchantId) &&
  holds(filter.statuses, (status) => status === Payment.status(payment, now)) &&
  tokenMatches(tokenOf(payment), filter) &&
  (filter.reference === null || foldAscii(payment.referenceId).includes(filter.reference))

type List = Pick<PaymentQuery, "filter" | "sort">

/** Equal for equal lists, whatever the way or the order in which their filters were sent. */
const listText = (scope: string, { filter, sort }: List): string =>
  JSON.stringify([
    "payments",
    scope,
    filter.createdFrom,
    filter.createdBefore,
    filter.tokenSymbols,
    filter.tokens?.map((token) => `${token.chainId}/${token.address}`) ?? null,
    filter.chainIds,
    filter.statuses,
    filter.reference,
    filter.merchantIds,
    sort.by,
    sort.direction,
  ])

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

/** The cursor of the page after `place`, good for this list only. The size of a page may change on the way. */
export const encodeCursor = (
  key: Seal.SealKey,
  scope: string,
  list: List,
  place: PaymentSort.Position,
): string =>
  Cursor.encode(key, listText(scope, list), [place.group, place.value.toString(), place.id])

export const decodeCursor = (
  key: Seal.SealKey,
  scope: string,
  list: List,
  text: string,
): Result.Result<PaymentSort.Position, Cursor.InvalidCursor> =>
  Result.flatMap(Cursor.decode(key, listText(scope, list), text), (parts) =>
    Result.mapBoth(readPlace[list.sort.by](parts), {
      onFailure: Cursor.invalid,
      onSuccess: ([group, value, id]) => ({ group, value, id }),
    }),
  )

export interface Page {
  readonly items: ReadonlyArray<Payment.Payment>
  /** Where the next page goes on; null on the last page. */
  readonly next: PaymentSort.Position | null
}

/** One page of a list. */
export const page = (
  payments: Iterable<Payment.Payment>,
  query: PaymentQuery,
  now: number,
): Page => {
  const { after, filter, limit, sort } = query
  const inOrder = PaymentSort.compare(sort)
  const found = Array.from(payments)
    .filter(
      (payment) =>
        (after === null || PaymentSort.isAfter(after, sort, payment)) &&
        matches(payment, filter, now),
    )
    .toSorted((left, right) =>
      inOrder(PaymentSort.position(left, sort), PaymentSort.position(right, sort)),
    )
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return {
    items,
    next:
      last === undefined || found.length === items.length ? null : PaymentSort.position(last, sort),
  }
}
