/**
 * Lists of outflows: a partner lists its payouts, which pay merchants, and the operator lists all outgoing money.
 *
 * Storage lists outflows in its own query language; its results must equal what this module defines.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Caip from "../chain/Caip.ts"
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
import * as MerchantBalance from "./MerchantBalance.ts"
import * as PageLimit from "./PageLimit.ts"
import * as PaymentFilter from "./PaymentFilter.ts"

/** An outflow that pays merchants. */
export interface Payout extends Outflow.Outflow {
  readonly purpose: Extract<Outflow.Purpose, { readonly _tag: "Settle" }>
}

export const isPayout = (outflow: Outflow.Outflow): outflow is Payout =>
  outflow.purpose._tag === "Settle"

/** The merchants that a payout pays or lends to, each once. */
export const merchantsOf = ({ purpose }: Payout): ReadonlyArray<MerchantId.MerchantId> => [
  ...new Set([...purpose.shares, purpose.advance ?? []].flat().map(({ merchantId }) => merchantId)),
]

/** An outflow in a list: without the shares of a payout, because it may have many. */
export interface Listed {
  readonly payout: Outflow.Outflow
  /** How many payments it is for. */
  readonly shareCount: number
}

export const toListed = (outflow: Outflow.Outflow): Listed => ({
  payout: isPayout(outflow) ? { ...outflow, purpose: { ...outflow.purpose, shares: [] } } : outflow,
  shareCount: Outflow.paymentIds(outflow).length,
})

/** Purposes as people read them. */
export const Purpose = Schema.Literals(Object.values(Outflow.purposes).map(({ word }) => word))
export type Purpose = typeof Purpose.Type

/** The case that a word stands for. */
export const tagsOf = (word: Purpose): ReadonlyArray<Outflow.Purpose["_tag"]> =>
  Struct.keys(Outflow.purposes).filter((tag) => Outflow.purposes[tag].word === word)
export const purposeRule = `must be one of ${Purpose.literals.join(", ")}`

/** What the operator asks for: everything that is not over. */
export const open = "open" as const

export const isStatus = Schema.is(OutflowState.Status)
export const statusRule = `must be one of ${OutflowState.Status.literals.join(", ")}`

export interface Filter {
  readonly merchantId?: MerchantId.MerchantId
  readonly status?: OutflowState.Status | typeof open
  readonly purpose?: Purpose
  readonly chainId?: Caip.ChainId
  readonly token?: Caip.Token
  /** Epoch milliseconds. */
  readonly createdFrom?: number
  readonly createdBefore?: number
}

/** The last outflow of a page. */
export interface Position {
  readonly createdAt: number
  readonly id: OutflowId.OutflowId
}

export interface Query {
  /** Null if no outflow can match. */
  readonly filter: Filter | null
  readonly limit: number
  readonly after: Position | null
}

/** Whose outflows are listed: the payouts of a partner, or everything for null. */
export interface Owner {
  readonly partnerId: PartnerId.PartnerId | null
  /** Null for both modes. */
  readonly mode: Mode.Mode | null
}

/** The same in one mode, as storage lists it. */
export interface Scope extends Owner {
  readonly mode: Mode.Mode
}

export const passes = (outflow: Outflow.Outflow, scope: Scope, filter: Filter): boolean => {
  const { createdAt, mode, movement, partnerId } = outflow
  const { token } = movement
  return (
    (scope.partnerId === null || (isPayout(outflow) && partnerId === scope.partnerId)) &&
    mode === scope.mode &&
    (filter.merchantId === undefined ||
      (isPayout(outflow) && merchantsOf(outflow).includes(filter.merchantId))) &&
    (filter.status === undefined ||
      (filter.status === open
        ? OutflowState.isOpen[Outflow.status(outflow)]
        : Outflow.status(outflow) === filter.status)) &&
    (filter.purpose === undefined || Outflow.factsOf(outflow).word === filter.purpose) &&
    (filter.chainId === undefined || token.chainId === filter.chainId) &&
    (filter.token === undefined || Caip.sameToken(token, filter.token)) &&
    (filter.createdFrom === undefined || createdAt >= filter.createdFrom) &&
    (filter.createdBefore === undefined || createdAt < filter.createdBefore)
  )
}

/** The newest first. */
export const compare = (left: Position, right: Position): number =>
  right.createdAt - left.createdAt || (left.id > right.id ? -1 : 1)

/** Query values as they were sent. */
export interface Raw {
  readonly merchantId?: string | undefined
  readonly status?: string | undefined
  readonly purpose?: string | undefined
  readonly chainId?: string | undefined
  readonly asset?: string | undefined
  readonly startTs?: string | undefined
  readonly endTs?: string | undefined
  readonly cursor?: string | undefined
  readonly limit?: PageLimit.Raw
}

const filters = ["merchantId", "status", "purpose", "chainId", "asset", "startTs", "endTs"] as const

const listText = ({ mode, partnerId }: Owner, raw: Raw): string =>
  JSON.stringify(["payouts", partnerId, mode, ...filters.map((name) => raw[name] ?? null)])

const readPosition = Cursor.byAge(OutflowId.OutflowId)

/** The cursor of the page after an outflow, valid for a list with the same filters only. */
export const encodeCursor = (
  key: Seal.SealKeys,
  scope: Owner,
  raw: Raw,
  { createdAt, id }: Position,
): string => Cursor.encode(key, listText(scope, raw), [createdAt.toString(), id])

const { createdBefore, createdFrom } = PaymentFilter.table
const isMerchantId = Schema.is(MerchantId.MerchantId)
const isPurpose = Schema.is(Purpose)
const isChainId = Schema.is(Caip.ChainId)

/** Reads a query, or reports everything that is wrong with it. A text that cannot be an id matches nothing. */
export const parse = (
  raw: Raw,
  options: {
    readonly key: Seal.SealKeys
    readonly scope: Owner
    readonly catalog: Catalog.Catalog
  },
): Result.Result<Query, Invalid.InvalidInput> => {
  const { catalog, key, scope } = options
  const { chainId, merchantId } = raw
  const isAsked = (word: string): word is NonNullable<Filter["status"]> =>
    isStatus(word) || (word === open && scope.partnerId === null)
  const time = ({ name, read, rule }: typeof createdFrom | typeof createdBefore, sent?: string) =>
    Invalid.ifSent(sent, (text) => Invalid.required(name, read([text], catalog), rule))
  const filter = Result.map(
    Invalid.all({
      status: Invalid.ifSent(raw.status, (word) =>
        Invalid.required("status", isAsked(word) ? word : undefined, statusRule),
      ),
      purpose: Invalid.ifSent(raw.purpose, (word) =>
        Invalid.required("purpose", isPurpose(word) ? word : undefined, purposeRule),
      ),
      token: MerchantBalance.readToken(catalog, raw.asset),
      from: time(createdFrom, raw.startTs),
      before: time(createdBefore, raw.endTs),
    }),
    ({ before, from, purpose, status, token }): Filter => ({
      ...(isMerchantId(merchantId) && { merchantId }),
      ...(status !== undefined && { status }),
      ...(purpose !== undefined && { purpose }),
      ...(isChainId(chainId) && { chainId }),
      ...(token !== undefined && { token }),
      ...(from !== undefined && { createdFrom: from }),
      ...(before !== undefined && { createdBefore: before }),
    }),
  )
  const after = Cursor.judge(filter, () =>
    Cursor.read(key, listText(scope, raw), raw.cursor, readPosition),
  )
  const isNobody =
    (merchantId !== undefined && !isMerchantId(merchantId)) ||
    (chainId !== undefined && !isChainId(chainId))
  return Result.map(
    Invalid.all({ filter, after, limit: PageLimit.parse(raw.limit) }),
    (query): Query => (isNobody ? { ...query, filter: null } : query),
  )
}
