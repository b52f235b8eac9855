/**
 * Payouts: the outflows that pay merchants, as their partner lists them.
 *
 * Storage lists payouts in its own query language; its results must equal what this module defines.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Catalog from "../chain/Catalog.ts"
import * as Invalid from "../ground/Invalid.ts"
import * as MerchantId from "../ground/MerchantId.ts"
import type * as Mode from "../ground/Mode.ts"
import * as OutflowId from "../ground/OutflowId.ts"
import type * as PartnerId from "../ground/PartnerId.ts"
import type * as Seal from "../ground/Seal.ts"
import * as Outflow from "../outflow/Outflow.ts"
import * as OutflowState from "../outflow/OutflowState.ts"
import * as Cursor from "./Cursor.ts"
import * as PageLimit from "./PageLimit.ts"
import * as PaymentFilter from "./PaymentFilter.ts"

/** An outflow that pays merchants. */
export interface Payout extends Outflow.Outflow {
  readonly purpose: Extract<Outflow.Purpose, { readonly _tag: "Settle" }>
}

export const isPayout = (outflow: Outflow.Outflow): outflow is Payout =>
  outflow.purpose._tag === "Settle"

/** The merchants that a payout pays, each once. */
export const merchantsOf = ({ purpose }: Payout): ReadonlyArray<MerchantId.MerchantId> => [
  ...new Set([...purpose.shares, purpose.advance ?? []].flat().map(({ merchantId }) => merchantId)),
]

/** A payout in a list: without its shares, because it may have many. */
export interface Listed {
  readonly payout: Outflow.Outflow
  readonly shareCount: number
}

export const toListed = (payout: Payout): Listed => ({
  payout: { ...payout, purpose: { ...payout.purpose, shares: [] } },
  shareCount: payout.purpose.shares.length,
})

export const isStatus = Schema.is(OutflowState.Status)
export const statusRule = `must be one of ${OutflowState.Status.literals.join(", ")}`

export interface Filter {
  readonly merchantId?: MerchantId.MerchantId
  readonly status?: OutflowState.Status
  /** Epoch milliseconds. */
  readonly createdFrom?: number
  readonly createdBefore?: number
}

/** The last payout of a page. */
export interface Position {
  readonly createdAt: number
  readonly id: OutflowId.OutflowId
}

export interface Query {
  /** Null if no payout can match. */
  readonly filter: Filter | null
  readonly limit: number
  readonly after: Position | null
}

/** The owner of the listed payouts. */
export interface Scope {
  readonly partnerId: PartnerId.PartnerId
  readonly mode: Mode.Mode
}

export const passes = (payout: Payout, scope: Scope, filter: Filter): boolean =>
  payout.partnerId === scope.partnerId &&
  payout.mode === scope.mode &&
  (filter.merchantId === undefined || merchantsOf(payout).includes(filter.merchantId)) &&
  (filter.status === undefined || Outflow.status(payout) === filter.status) &&
  (filter.createdFrom === undefined || payout.createdAt >= filter.createdFrom) &&
  (filter.createdBefore === undefined || payout.createdAt < filter.createdBefore)

/** The newest first. */
export const compare = (left: Position, right: Position): number =>
  right.createdAt - left.createdAt || (left.id > right.id ? -1 : 1)

/** Query values as they were sent. */
export interface Raw {
  readonly merchantId?: string | undefined
  readonly status?: string | undefined
  readonly startTs?: string | undefined
  readonly endTs?: string | undefined
  readonly cursor?: string | undefined
  readonly limit?: PageLimit.Raw
}

const listText = ({ mode, partnerId }: Scope, filter: Raw): string =>
  JSON.stringify([
    "payouts",
    partnerId,
    mode,
    filter.merchantId ?? null,
    filter.status ?? null,
    filter.startTs ?? null,
    filter.endTs ?? null,
  ])

const readPosition = Schema.decodeUnknownResult(
  Schema.Tuple([Schema.NumberFromString.check(Schema.isInt()), OutflowId.OutflowId]),
)

/** The cursor of the page after a payout, valid for a list with the same filters only. */
export const encodeCursor = (
  key: Seal.SealKeys,
  scope: Scope,
  raw: Raw,
  { createdAt, id }: Position,
): string => Cursor.encode(key, listText(scope, raw), [createdAt.toString(), id])

const decodeCursor = (key: Seal.SealKeys, scope: Scope, raw: Raw, text: string) =>
  Result.flatMap(Cursor.decode(key, listText(scope, raw), text), (parts) =>
    Result.mapBoth(readPosition(parts), {
      onFailure: Cursor.invalid,
      onSuccess: ([createdAt, id]): Position => ({ createdAt, id }),
    }),
  )

const { createdBefore, createdFrom } = PaymentFilter.table
const isMerchantId = Schema.is(MerchantId.MerchantId)

/** Reads a query, or reports everything that is wrong with it. A text that cannot be a merchant id matches nothing. */
export const parse = (
  raw: Raw,
  options: {
    readonly key: Seal.SealKeys
    readonly scope: Scope
    readonly catalog: Catalog.Catalog
  },
): Result.Result<Query, Invalid.InvalidInput> => {
  const issues: Array<Invalid.Issue> = []
  const time = (row: typeof createdFrom | typeof createdBefore, sent: string | undefined) => {
    if (sent === undefined) return undefined
    const at = row.read([sent], options.catalog)
    if (at === undefined) issues.push(Invalid.issue(row.name, row.rule))
    return at
  }
  const { merchantId, status } = raw
  if (status !== undefined && !isStatus(status)) issues.push(Invalid.issue("status", statusRule))
  const [from, before] = [time(createdFrom, raw.startTs), time(createdBefore, raw.endTs)]
  const filter: Filter = {
    ...(isMerchantId(merchantId) && { merchantId }),
    ...(isStatus(status) && { status }),
    ...(from !== undefined && { createdFrom: from }),
    ...(before !== undefined && { createdBefore: before }),
  }
  const after =
    raw.cursor === undefined || issues.length > 0
      ? Result.succeed(null)
      : decodeCursor(options.key, options.scope, raw, raw.cursor)
  if (Result.isFailure(after)) issues.push(Invalid.issue("cursor", Cursor.rule))
  const limit = PageLimit.parse(raw.limit)
  if (Result.isFailure(limit)) issues.push(...limit.failure.issues)
  const isNobody = merchantId !== undefined && !isMerchantId(merchantId)
  return Result.flatMap(Invalid.check(issues), () =>
    Result.map(limit, (size) => ({
      filter: isNobody ? null : filter,
      limit: size,
      after: Result.getOrElse(after, () => null),
    })),
  )
}
