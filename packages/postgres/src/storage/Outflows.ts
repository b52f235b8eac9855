/**
 * Outflows, and decisions on any number of payments, outflows and inflows: read, decide, and write in one
 * statement if nobody else has written meanwhile.
 *
 * @module
 */
import * as Balance from "@florin/core/domain/books/Balance"
import * as Refunding from "@florin/core/domain/books/Refunding"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Payout from "@florin/core/domain/list/Payout"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as OutflowState from "@florin/core/domain/outflow/OutflowState"
import type {
  OutflowStore,
  Shown,
  Subjects,
  WaitingShares,
  WriteDecision,
} from "@florin/core/ports/OutflowStore"
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Connection from "../Connection.ts"
import type { StorageTime } from "../StorageTime.ts"
import * as Conditions from "./Conditions.ts"
import * as Document from "./Document.ts"
import * as InflowRow from "./InflowRow.ts"
import * as Latest from "./Latest.ts"
import * as Ledgers from "./Ledgers.ts"
import * as OutflowRow from "./OutflowRow.ts"
import * as PaymentRow from "./PaymentRow.ts"
import * as Records from "./Records.ts"
import * as Standing from "./Standing.ts"
import * as Write from "./Write.ts"

/**
 * Decides on the records as they are, and writes the result; null if another process wrote one of them first, or if a
 * decision on the latest known payments is to be repeated on what is stored.
 */
const decideOnce = Effect.fnUntraced(function* <A, E>(
  sql: SqlClient,
  time: StorageTime,
  latest: Latest.Latest,
  { destinations: whose, outflows, payments, inflows = [] }: Subjects,
  decide: (shown: Shown) => Result.Result<WriteDecision<A>, E>,
  conditions: Pick<Write.Attempt, "lease" | "signed">,
) {
  const known = payments.length === 0 ? null : yield* latest.take(payments)
  const standing = whose === undefined ? null : { whose, rows: yield* Standing.last(sql, whose) }
  const shown = {
    destinations: (standing?.rows ?? []).map(({ destination }) => destination),
    outflows: yield* Records.all(sql, OutflowRow.table, outflows),
    payments: known ?? (yield* Records.all(sql, PaymentRow.table, payments)),
    inflows: yield* Records.all(sql, InflowRow.table, inflows),
  }
  const decided = decide(shown)
  if (known !== null && !Latest.isGuarded(known, decided)) return null
  const decision = yield* Effect.fromResult(decided)
  if (decision.write === null) return decision
  const { write: changes } = decision
  if (!(yield* Write.change(sql, time, { ...conditions, changes, shown, standing }))) return null
  yield* latest.keep(changes.payments.map(({ payment }) => payment))
  return decision
})

/** Those of a partner are found by their status, and others by whether they are open, because most are paid. */
const areIn = (
  sql: SqlClient,
  partnerId: Payout.Scope["partnerId"],
  status: NonNullable<Payout.Filter["status"]>,
): Fragment => {
  if (status === Payout.open) return sql`outflows.is_open`
  if (partnerId !== null) return sql`outflows.payout_status = ${status}`
  const open = sql.literal(OutflowState.isOpen[status] ? "" : "NOT ")
  return sql`${open}outflows.is_open AND lower(outflows.document #>> '{state,_tag}') = ${status}`
}

/**
 * The outflows that pass a filter, in the order of an index. A merchant's payouts are read from the merchant's index;
 * those in a rare state are read from the index of states, because most payouts are paid.
 */
const listed = (
  sql: SqlClient,
  { mode, partnerId }: Payout.Scope,
  { chainId, createdBefore, createdFrom, merchantId, purpose, status, token }: Payout.Filter,
  { after, limit }: { readonly after: Payout.Position | null; readonly limit: number },
): Fragment => {
  const isOfMerchant = merchantId !== undefined && (status === undefined || status === "paid")
  const at = sql.literal(isOfMerchant ? "paid.created_at" : "outflows.created_at")
  const id = sql.literal(isOfMerchant ? "paid.outflow_id" : "outflows.id")
  const conditions = [
    sql`outflows.mode = ${mode}`,
    ...(partnerId === null
      ? []
      : [sql`outflows.partner_id = ${partnerId} AND outflows.payout_status IS NOT NULL`]),
    ...(status === undefined ? [] : [areIn(sql, partnerId, status)]),
    ...(purpose === undefined ? [] : Payout.tagsOf(purpose)).map(
      (tag) => sql`outflows.document #>> '{purpose,_tag}' = ${tag}`,
    ),
    ...[chainId ?? [], token?.chainId ?? []]
      .flat()
      .map((chain) => sql`outflows.document #>> '{movement,token,chainId}' = ${chain}`),
    ...(token === undefined
      ? []
      : [sql`outflows.document #>> '{movement,token,address}' = ${token.address}`]),
    ...(createdFrom === undefined ? [] : [sql`${at} >= ${createdFrom}`]),
    ...(createdBefore === undefined ? [] : [sql`${at} < ${createdBefore}`]),
    ...(after === null ? [] : [sql`(${at}, ${id}) < (${after.createdAt}::bigint, ${after.id})`]),
  ]
  if (merchantId !== undefined) {
    conditions.push(
      isOfMerchant
        ? sql`paid.merchant_id = ${merchantId} AND outflows.id = paid.outflow_id`
        : sql`EXISTS (SELECT FROM florin.payout_merchants AS paid WHERE paid.merchant_id = ${merchantId}
            AND paid.created_at = outflows.created_at AND paid.outflow_id = outflows.id)`,
    )
  }
  const from = isOfMerchant
    ? sql`florin.payout_merchants AS paid, florin.outflows`
    : sql`florin.outflows`
  return sql`SELECT CASE WHEN outflows.payout_status IS NULL THEN outflows.document
        ELSE jsonb_set(outflows.document, '{purpose,shares}', '[]') END AS document,
      jsonb_array_length(outflows.document #> '{purpose,shares}') AS share_count
    FROM ${from} WHERE ${sql.and(conditions)}
    ORDER BY ${at} DESC, ${id} DESC LIMIT ${limit + 1}`
}

/** Whether a share that waits is not held back. */
const isPayable = (sql: SqlClient, now: number): Fragment =>
  sql`(payout_from IS NULL OR payout_from <= ${now})`

const isOfGroup = (sql: SqlClient, group: Balance.Group): Fragment =>
  sql`payout_group = florin.number_of(${Balance.groupKey(group)})`

const areAmong = (sql: SqlClient, which: WaitingShares): Fragment => {
  switch (which._tag) {
    case "Group":
      return sql`${isOfGroup(sql, which.group)} AND ${isPayable(sql, which.now)}`
    case "Token": {
      // The keys of one prefix are adjacent, so they are a range of the index of names.
      const prefix = Balance.groupKeyPrefix(which.tenant, which.token)
      const { merchantId } = which
      return sql`payout_group = ANY(ARRAY(SELECT number FROM florin.names
          WHERE name >= ${prefix} AND name < ${`${prefix}\uffff`})) AND payout_quantity > 0
        AND ${merchantId === null ? sql`true` : sql`merchant = florin.number_of(${merchantId})`}`
    }
    case "Owed": {
      const { merchantId, token } = which
      return sql`is_owed AND merchant = florin.number_of(${merchantId}) AND ${Conditions.areTokens(sql, [token])}`
    }
  }
}

export const make = (
  sql: SqlClient,
  time: StorageTime,
  latest = Latest.make(sql),
): OutflowStore["Service"] => ({
  outflowsById: Effect.fn("Storage.outflowsById")((ids) =>
    Connection.guard(Records.some(sql, OutflowRow.table, ids)),
  ),

  openOutflows: Effect.fn("Storage.openOutflows")((mode) =>
    Document.list(
      OutflowRow.document,
      sql<Document.Row>`SELECT document FROM florin.outflows WHERE mode = ${mode} AND is_open ORDER BY created_at, id`,
    ),
  ),

  outflows: Effect.fn("Storage.outflows")(function* (scope, filter, page) {
    const rows = yield* Connection.guard(
      sql<{ readonly document: unknown; readonly share_count: number | null }>`
        SELECT * FROM (${listed(sql, scope, filter, page)}) AS listed`.unprepared,
    )
    const items = yield* Effect.forEach(rows.slice(0, page.limit), ({ document, share_count }) =>
      Effect.map(OutflowRow.document.decode(document), (payout) => ({
        payout,
        shareCount: share_count ?? Outflow.paymentIds(payout).length,
      })),
    )
    return { items, hasMore: rows.length > page.limit }
  }),

  waitingShares: Effect.fn("Storage.waitingShares")(function* (which, limit) {
    const rows = yield* Connection.guard(
      sql<{ readonly id: string; readonly merchant_id: string }>`
        SELECT id, (SELECT name FROM florin.names WHERE number = merchant) AS merchant_id
        FROM florin.entries WHERE ${areAmong(sql, which)}
        ORDER BY created_at, id LIMIT ${limit}`,
    )
    return rows.map(({ id, merchant_id }) => ({
      paymentId: PaymentId.PaymentId.make(id),
      merchantId: MerchantId.MerchantId.make(merchant_id),
    }))
  }),

  refundsInNeed: Effect.fn("Storage.refundsInNeed")(function* (
    { mode, partnerId },
    token,
    merchants,
  ) {
    const prefix = Refunding.needKeyPrefix(mode, token)
    const keys = merchants?.map((each) => Refunding.needKey(mode, token, each))
    const rows = yield* Connection.guard(
      sql<{ readonly id: string }>`SELECT id FROM florin.entries
        WHERE ${Conditions.isOf(sql, { partnerId, mode })} AND ${
          keys === undefined
            ? sql`refund_need >= ${prefix} AND refund_need < ${`${prefix}\uffff`}`
            : sql`refund_need = ANY(${keys}::text[])`
        }
        ORDER BY created_at, id`,
    )
    return rows.map(({ id }) => PaymentId.PaymentId.make(id))
  }),

  sentSince: Effect.fn("Storage.sentSince")((counted, since) =>
    Connection.guard(Ledgers.sentSince(sql, counted, since)),
  ),

  pendingQuantity: Effect.fn("Storage.pendingQuantity")(function* (group, now) {
    const [row] = yield* Connection.guard(
      sql<{
        readonly quantity: string
      }>`SELECT coalesce(sum(payout_quantity), 0) AS quantity FROM florin.entries
        WHERE ${isOfGroup(sql, group)} AND ${isPayable(sql, now)}`,
    )
    return BigInt(row?.quantity ?? "0")
  }),

  modify: Effect.fn("Storage.modify")((subjects, decide, lease, signed) =>
    time.guard(
      Connection.retryUntilWritten(
        decideOnce(sql, time, latest, subjects, decide, { lease, signed: signed ?? null }),
      ),
    ),
  ),
})
