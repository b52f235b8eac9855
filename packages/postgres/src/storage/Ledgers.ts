/**
 * The ledger: every movement is stored line by line, with the balance of every account next to it.
 *
 * A movement that can only keep every account on its side of zero cannot overdraw one, whatever the balances, and is
 * written without a check. Any other is written in a transaction, checked, and rolled back if it is not allowed.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Transfer from "@florin/core/domain/chain/Transfer"
import type * as MerchantId from "@florin/core/domain/ground/MerchantId"
import type * as Mode from "@florin/core/domain/ground/Mode"
import type * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Statement from "@florin/core/domain/list/Statement"
import * as Credit from "@florin/core/domain/money/Credit"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as DailyLimit from "@florin/core/domain/outflow/DailyLimit"
import type * as Idempotency from "@florin/core/domain/partner/Idempotency"
import type * as Change from "@florin/core/domain/payment/Change"
import type { Among, LedgerStore } from "@florin/core/ports/LedgerStore"
import { IdempotencyConflict, Overdrawn } from "@florin/core/ports/StorageError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Struct from "effect/Struct"
import * as Connection from "../Connection.ts"
import * as Cte from "./Cte.ts"
import * as Document from "./Document.ts"
import * as LedgerRow from "./LedgerRow.ts"
import * as Locks from "./Locks.ts"
import * as MerchantBalances from "./MerchantBalances.ts"
import * as Records from "./Records.ts"

const movementDocument = Document.of(Transfer.Movement)
/** One of our accounts and a token on it. */
const heldDocument = Document.of(Schema.Struct({ collecting: Caip.Address, token: Caip.Token }))
const tokenDocument = Document.of(Caip.Token)
/** An account in one token, whose balance a row holds. */
const holdingDocument = Document.of(Schema.Struct({ account: Ledger.Account, token: Caip.Token }))

/** The part of a statement that adds transactions to the balances, if `guard` has a row. */
const adding = (
  sql: SqlClient,
  mode: Mode.Mode,
  transactions: ReadonlyArray<Ledger.Transaction>,
): Cte.Cte => {
  const rows = [...Ledger.balances(transactions).values()]
    // Outside accounts always return to zero: no row for each payer.
    .filter(({ balance }) => balance !== 0n)
    .map((each) => ({
      token: Caip.tokenKey(each.token),
      account: Ledger.accountKey(each.account),
      quantity: each.balance.toString(),
      in_float: Ledger.holderOf(each.account) !== undefined,
      document: holdingDocument.json(each),
    }))
  const columns = {
    token: "text",
    account: "text",
    quantity: "numeric",
    in_float: "boolean",
    document: "jsonb",
  }
  // Sorted, so that no two writes wait for each other.
  return Cte.make(
    "posted",
    sql`INSERT INTO florin.ledger_balances AS held (mode, token, account, quantity, in_float, document)
      SELECT ${mode}, next.token, next.account, next.quantity, next.in_float, next.document
      FROM guard, ${Records.source(sql, rows, columns)}
      ORDER BY next.token COLLATE "C", next.account COLLATE "C"
      ON CONFLICT (mode, token, account) DO UPDATE SET quantity = held.quantity + excluded.quantity
      RETURNING account, token, quantity`,
  )
}

/** The parts of a statement that write transactions, each with its payment, if `guard` has a row. */
export const insert = (
  sql: SqlClient,
  mode: Mode.Mode,
  bookings: ReadonlyArray<Change.Booked>,
): ReadonlyArray<Cte.Cte> => {
  const rows = bookings.map(({ bookedAt, paymentId, transaction }, position) => ({
    payment_id: paymentId,
    booked_at: bookedAt,
    ...LedgerRow.of(transaction),
    position,
  }))
  const columns = {
    payment_id: "text",
    booked_at: "bigint",
    ...LedgerRow.columns,
    position: "integer",
  }
  return [
    Cte.make(
      "booked",
      sql`INSERT INTO florin.ledger_transactions (mode, payment_id, booked_at, kind, short_tokens, short_accounts, deltas)
        SELECT ${mode}, next.payment_id, next.booked_at, next.kind, florin.shortened(next.tokens),
          florin.shortened(next.accounts), next.deltas
        FROM guard, ${Records.source(sql, rows, columns)}
        ORDER BY next.position`,
    ),
    adding(
      sql,
      mode,
      bookings.map(({ transaction }) => transaction),
    ),
  ]
}

/** The balances after the write, as a column of a statement that has the parts of {@link insert}. */
export const postedColumn = (sql: SqlClient): Fragment =>
  sql`(SELECT coalesce(json_agg(json_build_array(account, token, quantity::text)), '[]') FROM posted) AS posted`

const Posted = Schema.Array(Schema.Tuple([Schema.String, Schema.String, Schema.BigIntFromString]))
const decodePosted = Schema.decodeUnknownEffect(Posted)

const floatKey = (mode: Mode.Mode, { collecting, token }: Ledger.Held): string =>
  `float ${mode} ${Caip.tokenKey(token)} ${collecting}`

/** The accounts whose float transactions use, sorted. */
const drawnBy = (
  mode: Mode.Mode,
  transactions: ReadonlyArray<Ledger.Transaction>,
): ReadonlyArray<Ledger.Held> =>
  [...new Map(transactions.flatMap(Ledger.drawn).map((held) => [floatKey(mode, held), held]))]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([, held]) => held)

const checkAccounts = Effect.fnUntraced(function* (
  touched: Ledger.Balances,
  posted: unknown,
): Effect.fn.Return<void, Overdrawn> {
  const quantities = new Map(
    (yield* Effect.orDie(decodePosted(posted))).map(([account, token, quantity]) => [
      `${account} ${token}`,
      quantity,
    ]),
  )
  const after = new Map(
    [...touched].map(([key, each]) => [key, { ...each, balance: quantities.get(key) ?? 0n }]),
  )
  const [unsound] = Ledger.unsound(after)
  if (unsound !== undefined) return yield* Overdrawn.ofAccount(unsound.account)
})

const float = Effect.fnUntraced(function* (
  sql: SqlClient,
  mode: Mode.Mode,
  { collecting, token }: Ledger.Held,
) {
  const [row] = yield* sql<{ readonly quantity: string }>`
    SELECT coalesce(sum(quantity), 0) AS quantity FROM florin.ledger_balances
    WHERE mode = ${mode} AND token = ${Caip.tokenKey(token)} AND in_float
      AND document #>> '{account,address}' = ${collecting}`
  return BigInt(row?.quantity ?? 0)
})

const checkFloat = Effect.fnUntraced(function* (
  sql: SqlClient,
  mode: Mode.Mode,
  held: Ledger.Held,
): Effect.fn.Return<void, Overdrawn | SqlError> {
  if ((yield* float(sql, mode, held)) < 0n) {
    return yield* Overdrawn.ofFloat()
  }
})

/** What each merchant of a partner owes. */
const debts = Effect.fnUntraced(function* (
  sql: SqlClient,
  mode: Mode.Mode,
  partnerId: PartnerId.PartnerId,
) {
  const rows = yield* sql<{ readonly quantity: string; readonly document: unknown }>`
    SELECT held.quantity, held.document
    FROM florin.ledger_balances AS held JOIN florin.merchants ON held.account = 'debt:' || merchants.id
    WHERE held.mode = ${mode} AND held.account LIKE 'debt:%' AND held.quantity > 0
      AND merchants.partner_id = ${partnerId}`
  const found = yield* Effect.forEach(rows, ({ document, quantity }) =>
    Effect.map(holdingDocument.decode(document), ({ account, token }) =>
      account._tag === "Debt"
        ? [{ merchantId: account.merchantId, token, quantity: BigInt(quantity) }]
        : [],
    ),
  )
  return found.flat()
})

const checkCredit = Effect.fnUntraced(function* (
  sql: SqlClient,
  mode: Mode.Mode,
  credit: Change.CreditDraw,
): Effect.fn.Return<void, Overdrawn | SqlError> {
  const { partnerId } = credit
  if (!Credit.allows(credit, yield* debts(sql, mode, partnerId))) {
    return yield* Overdrawn.ofCredit()
  }
})

/** What was sent of the outflows that are counted together. */
export const sentSince = Effect.fnUntraced(function* (
  sql: SqlClient,
  counted: DailyLimit.Counted,
  since: number,
) {
  const rows = yield* sql<{ readonly at: string; readonly movement: unknown }>`
    SELECT sent_at::text AS at, document -> 'movement' AS movement FROM florin.outflows
    WHERE sent_with = ${DailyLimit.countedKey(counted)} AND sent_at > ${since}`
  return yield* Effect.forEach(rows, ({ at, movement }) =>
    Effect.map(movementDocument.decode(movement), ({ quantity, token }) => ({
      at: Number(at),
      token,
      quantity,
    })),
  )
})

const checkLimit = Effect.fnUntraced(function* (
  sql: SqlClient,
  draw: DailyLimit.Draw,
): Effect.fn.Return<void, Overdrawn | SqlError> {
  if (!DailyLimit.allows(draw, yield* sentSince(sql, draw, draw.since))) {
    return yield* Overdrawn.ofLimit()
  }
})

/** The result of a statement with the parts of {@link insert}: whether it wrote anything, and {@link postedColumn}. */
export interface Outcome {
  readonly written: boolean
  readonly posted: unknown
}

/** Runs a statement with the parts of {@link insert}, and rolls it back if it overdraws. */
export const runUnlessOverdrawn = <A extends Outcome, E>(
  sql: SqlClient,
  mode: Mode.Mode,
  transactions: ReadonlyArray<Ledger.Transaction>,
  write: Effect.Effect<A, E>,
  draws: ReadonlyArray<Change.CreditDraw> = [],
  limits: ReadonlyArray<DailyLimit.Draw> = [],
): Effect.Effect<A, E | Overdrawn | SqlError> => {
  const touched = Ledger.balances(transactions)
  const drawn = drawnBy(mode, transactions)
  // Sound changes of sound balances are sound.
  const checks = drawn.length + draws.length + limits.length
  if (checks === 0 && Ledger.unsound(touched).length === 0) return write
  return sql.withTransaction(
    Effect.gen(function* () {
      const names = [
        // Only one write at a time may use float, because it is the sum of accounts that others write meanwhile.
        ...drawn.map((held) => floatKey(mode, held)),
        // The same is true for a partner's credit: several merchants may get debts at the same time.
        ...draws.map(({ partnerId }) => `credit ${mode} ${partnerId}`).toSorted(),
        // And for a daily limit.
        ...limits.map((each) => `limit ${DailyLimit.countedKey(each)}`).toSorted(),
      ]
      for (const name of new Set(names)) yield* Locks.take(sql, name)
      const outcome = yield* write
      if (!outcome.written) return outcome
      if (touched.size > 0) yield* checkAccounts(touched, outcome.posted)
      for (const each of draws) yield* checkCredit(sql, mode, each)
      for (const each of limits) yield* checkLimit(sql, each)
      for (const held of drawn) yield* checkFloat(sql, mode, held)
      return outcome
    }),
  )
}

type Sums = { readonly [name: string]: string }

const sumsOf = (sums: Sums, when: string) => (name: string) => BigInt(sums[`${name}_${when}`] ?? 0)

const linesOf = (of: (name: string) => bigint): Statement.Lines => ({
  paidIn: of("paidIn"),
  fees: of("fees"),
  refunds: of("refunds"),
  debt: of("debt"),
  kept: of("kept"),
  paidOut: of("paidOut"),
  transferred: of("transferred"),
})

/** The sums of the lines within the period, and of those since. */
const summed = (sql: SqlClient, { before }: Statement.Period): Fragment => {
  const own = new Set<string>(["fees", "debt", "kept"])
  const columns = (["during", "since"] as const).flatMap((when) => {
    const isThen = when === "during" ? "<" : ">="
    return Struct.keys(Statement.lines).map((line) => {
      const [amount, only] = own.has(line) ? [line, ""] : ["amount", `line = '${line}' AND `]
      const then = sql.literal(`${only}booked_at ${isThen}`)
      return sql`coalesce(sum(${sql.literal(amount)}) FILTER (WHERE ${then} ${before}), 0)::text
        AS ${sql.literal(`"${line}_${when}"`)}`
    })
  })
  return sql.csv(columns)
}

/**
 * Computed backwards from the merchant's current balances: that is one row for each account, and the work does not grow
 * with the time before the period.
 */
const statement = Effect.fnUntraced(function* (
  sql: SqlClient,
  mode: Mode.Mode,
  merchantId: MerchantId.MerchantId,
  period: Statement.Period,
) {
  const balance = (tag: string, sign: string) =>
    sql.literal(
      `(${sign}coalesce(sum(quantity) FILTER (WHERE document #>> '{account,_tag}' = '${tag}'), 0))::text`,
    )
  const rows = yield* sql<{ readonly document: unknown; readonly sums: Sums | null } & Sums>`
    SELECT held.*, to_jsonb(moved) AS sums FROM (
      SELECT token, (array_agg(document -> 'token'))[1] AS document,
        ${balance("Owed", "-")} AS owed, ${balance("Kept", "-")} AS kept, ${balance("Debt", "")} AS debt
      FROM florin.ledger_balances
      WHERE mode = ${mode} AND document #>> '{account,merchantId}' = ${merchantId}
        AND document #>> '{account,_tag}' IN ('Owed', 'Kept', 'Debt')
      GROUP BY token
    ) AS held LEFT JOIN (
      SELECT names.name AS token, ${summed(sql, period)}
      FROM florin.merchant_movements JOIN florin.names ON names.number = token
      WHERE merchant = florin.number_of(${`${mode}/${merchantId}`}) AND booked_at >= ${period.from}
      GROUP BY names.name
    ) AS moved USING (token)`
  const tokens = yield* Effect.forEach(rows, ({ debt, document, kept, owed, sums }) =>
    Effect.map(tokenDocument.decode(document), (token): Statement.OfToken => {
      const now = { owed: BigInt(owed ?? 0), kept: BigInt(kept ?? 0), debt: BigInt(debt ?? 0) }
      const during = linesOf(sumsOf(sums ?? {}, "during"))
      const closing = Statement.revert(now, linesOf(sumsOf(sums ?? {}, "since")))
      return { token, opening: Statement.revert(closing, during), ...during, closing }
    }),
  )
  return tokens.filter(Statement.isReported).toSorted(Statement.compare)
})

/** Writes a movement under its key; if the key is taken, it must be for the same movement. */
const post = Effect.fnUntraced(function* (
  sql: SqlClient,
  mode: Mode.Mode,
  key: Idempotency.IdempotencyKey,
  transaction: Ledger.Transaction,
) {
  const { accounts, deltas, kind, tokens } = LedgerRow.of(transaction)
  const columns = sql`${kind}, florin.shortened(${tokens}::text[]), florin.shortened(${accounts}::text[]),
    ${deltas}::numeric[]`
  const parts = [
    Cte.make(
      "guard",
      sql`INSERT INTO florin.ledger_transactions (mode, key, kind, short_tokens, short_accounts, deltas)
        VALUES (${mode}, ${key}, ${columns})
        ON CONFLICT (key) WHERE key IS NOT NULL DO NOTHING
        RETURNING key`,
    ),
    adding(sql, mode, [transaction]),
  ]
  const write = Cte.one<Outcome>(
    sql,
    parts,
    sql`SELECT EXISTS (SELECT FROM guard) AS written, ${postedColumn(sql)}`,
  )
  if ((yield* runUnlessOverdrawn(sql, mode, [transaction], write)).written) return true
  const [same] = yield* sql`SELECT 1 FROM florin.ledger_transactions
    WHERE key = ${key} AND mode = ${mode} AND (kind, short_tokens, short_accounts, deltas) = (${columns})`
  if (same === undefined) {
    return yield* IdempotencyConflict.ofMovement()
  }
  return false
})

const areAmong = (sql: SqlClient, among: Among): Fragment => {
  if (!("debtorsOf" in among)) return sql`account = ANY(${among.map(Ledger.accountKey)}::text[])`
  const { debtorsOf } = among
  const isOfPartner =
    debtorsOf === null
      ? sql``
      : sql`AND account IN (SELECT 'debt:' || id FROM florin.merchants WHERE partner_id = ${debtorsOf})`
  return sql`account LIKE 'debt:%' AND quantity > 0 ${isOfPartner}`
}

export const make = (sql: SqlClient): LedgerStore["Service"] => ({
  holdings: Effect.fn("Storage.holdings")(function* (mode, held) {
    const isAsked =
      held === null
        ? sql``
        : sql`AND token = ${Caip.tokenKey(held.token)} AND document #>> '{account,address}' = ${held.collecting}`
    const rows = yield* Connection.guard(
      sql<{ readonly document: unknown; readonly holds: string; readonly owed: string }>`
        SELECT jsonb_build_object('token', document -> 'token', 'collecting', document #> '{account,address}') AS document,
          coalesce(sum(quantity) FILTER (WHERE document #>> '{account,_tag}' = 'Collecting'), 0) AS holds,
          -coalesce(sum(quantity) FILTER (WHERE document #>> '{account,_tag}' <> 'Collecting'), 0) AS owed
        FROM florin.ledger_balances WHERE mode = ${mode} AND in_float ${isAsked}
        GROUP BY document -> 'token', document #> '{account,address}'`,
    )
    return yield* Effect.forEach(rows, ({ document, holds, owed }) =>
      Effect.map(heldDocument.decode(document), (known) => ({
        ...known,
        holds: BigInt(holds),
        owed: BigInt(owed),
      })),
    )
  }),

  balances: Effect.fn("Storage.balances")(function* (mode, token, among) {
    const ofToken = token === null ? sql`` : sql`AND token = ${Caip.tokenKey(token)}`
    const ofAccounts = among === undefined ? sql`` : sql`AND ${areAmong(sql, among)}`
    const rows = yield* Connection.guard(
      sql<{ readonly quantity: string; readonly document: unknown }>`
        SELECT quantity, document FROM florin.ledger_balances WHERE mode = ${mode} ${ofToken} ${ofAccounts}`,
    )
    const balances = new Map<string, Ledger.Balance>()
    for (const { quantity, document } of rows) {
      const holding = yield* holdingDocument.decode(document)
      balances.set(Ledger.balanceKey(holding.account, holding.token), {
        ...holding,
        balance: BigInt(quantity),
      })
    }
    return balances
  }),

  merchantBalances: Effect.fn("Storage.merchantBalances")((tenant, query, terms) =>
    Connection.guard(MerchantBalances.page(sql, tenant, query, terms)),
  ),

  ledgerOf: Effect.fn("Storage.ledgerOf")((of) =>
    Connection.guard(
      LedgerRow.all(sql, typeof of === "string" ? sql`payment_id = ${of}` : sql`key = ${of.key}`),
    ),
  ),

  statement: Effect.fn("Storage.statement")((mode, merchantId, period) =>
    Connection.guard(statement(sql, mode, merchantId, period)),
  ),

  post: Effect.fn("Storage.post")((mode, key, transaction) =>
    Connection.guard(post(sql, mode, key, transaction)),
  ),
})
