/**
 * One write as one statement, with any number of payments, outflows and inflows: every part of it depends
 * on one guard, so that all of it is written or none.
 *
 * Every write locks its payments first, then their entries, then its outflows, then its inflows, then the destinations that it
 * depends on, each in the order of their ids. Then it locks the due work that it holds, then the lane, and only then
 * what it shares with writes of other records: balances and claims, each kind in the order of its keys. So no two
 * writes wait for each other.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Turn from "@florin/core/domain/list/Turn"
import type * as Lane from "@florin/core/domain/outflow/Lane"
import type * as AuditLog from "@florin/core/domain/partner/AuditLog"
import * as Change from "@florin/core/domain/payment/Change"
import * as Event from "@florin/core/domain/payment/Event"
import * as Payment from "@florin/core/domain/payment/Payment"
import type { Lease } from "@florin/core/ports/DueWork"
import type { Shown } from "@florin/core/ports/OutflowStore"
import type { Once } from "@florin/core/ports/ResponseStore"
import {
  type ClaimTaken,
  LaneMoved,
  LeaseLost,
  type Overdrawn,
  Uncovered,
} from "@florin/core/ports/StorageError"
import { bytesToHex } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { StorageTime } from "../StorageTime.ts"
import * as AuditLogs from "./AuditLogs.ts"
import * as Budgets from "./Budgets.ts"
import * as Claims from "./Claims.ts"
import * as Cte from "./Cte.ts"
import * as Draws from "./Draws.ts"
import * as EventRow from "./EventRow.ts"
import * as InflowRow from "./InflowRow.ts"
import * as LaneRow from "./LaneRow.ts"
import * as Ledgers from "./Ledgers.ts"
import * as OutflowRow from "./OutflowRow.ts"
import * as PaymentRow from "./PaymentRow.ts"
import * as Records from "./Records.ts"
import * as RefundRow from "./RefundRow.ts"
import * as Responses from "./Responses.ts"
import * as Standing from "./Standing.ts"
import * as Stats from "./Stats.ts"

/**
 * Each part after `guard` runs only if `guard` has its one row, which means that everything is as the decision read it.
 */
type Parts = ReadonlyArray<Cte.Cte>

/** The effects of a write that are the same for a payment, an outflow and an inflow. */
interface Subject extends Claims.Claimant {
  readonly work: ReadonlyArray<Work>
}

/** When work of a kind is due, and its queue; null when it is done. */
interface Work {
  readonly kind: string
  readonly dueAt: number | null
  readonly queue: Turn.Queue
}

const workOf = <K extends string>(
  kinds: ReadonlyArray<K>,
  due: { readonly [Kind in K]?: number | null },
  queueOf: (kind: K) => Turn.Queue,
): ReadonlyArray<Work> =>
  kinds.flatMap((kind) => {
    const dueAt = due[kind]
    return dueAt === undefined ? [] : [{ kind, dueAt, queue: queueOf(kind) }]
  })

const subjectsOf = ({ outflows, payments, inflows = [] }: Change.Write): ReadonlyArray<Subject> => [
  ...payments.map(({ due, payment, ...change }) => ({
    ...change,
    id: payment.id,
    mode: payment.mode,
    work: workOf(Change.workKinds, due, (kind) => Turn.ofPayment(payment, kind)),
  })),
  ...outflows.map(({ due, outflow, ...change }) => ({
    ...change,
    id: outflow.id,
    mode: outflow.mode,
    work: workOf(Change.outflowWorkKinds, due, () => Turn.ofOutflow(outflow)),
  })),
  ...inflows.map(({ inflow: { id, mode }, ...change }) => ({ ...change, id, mode, work: [] })),
]

/**
 * The events, which wait in the outbox to be fanned out. The id of each is derived from the payment and its version, so
 * that no version is announced twice.
 */
const announcing = (sql: SqlClient, changes: ReadonlyArray<Change.Change>): Parts => {
  const rows = changes.flatMap(({ event, payment, refundId }) =>
    event === undefined ? [] : [EventRow.of(event, payment, refundId)],
  )
  if (rows.length === 0) return []
  return [
    Cte.make(
      "announced",
      sql`INSERT INTO florin.events (id, tenant, state_version, created_at, revision, document)
        SELECT next.event_id, florin.numbered(next.tenant), next.state_version, next.created_at, next.revision, next.event
        FROM guard, ${Records.source(sql, rows, EventRow.columns)}
        WHERE NOT EXISTS (SELECT FROM florin.events WHERE events.id = next.event_id)
        RETURNING position, id`,
    ),
    Cte.make(
      "waiting",
      sql`INSERT INTO florin.outbox (position, event_id) SELECT * FROM announced`,
    ),
  ]
}

/**
 * If the transfer of a payment moves to another block, or what was settled changes, the payment's events keep what they
 * announced.
 */
const keeping = (
  sql: SqlClient,
  changes: ReadonlyArray<Change.Change>,
  shown: ReadonlyMap<string, Payment.Payment>,
): Parts => {
  const changed = changes.flatMap(({ payment: { id, state } }) => {
    const earlier = shown.get(id)
    if (earlier?.state._tag !== "Succeeded" || state._tag !== "Succeeded") return []
    const before = earlier.state
    const isReopened =
      before.entry.settled !== undefined &&
      (before.entry !== state.entry || before.refunds !== state.refunds)
    return isReopened || before.transfer !== state.transfer ? [earlier] : []
  })
  return changed.length === 0
    ? []
    : [
        Cte.make(
          "keeping",
          sql`UPDATE florin.events SET document = jsonb_set(events.document, '{state}',
              jsonb_build_object('transfer', jsonb_build_object('txHash', florin.unpacked(payments.tx_hash),
                'blockHash', florin.unpacked(payments.block_hash)) || (payments.progress #> '{state,transfer}'))
              || (events.document -> 'state') || CASE WHEN events.document #> '{state,refunds}' = 'null' THEN (entries.document -> 'state')
                || jsonb_build_object('entry', (entries.document #> '{state,entry}') || (events.document #> '{state,entry}')) ELSE '{}' END)
            FROM guard, florin.payments JOIN florin.entries USING (id)
            WHERE events.id = ANY(${changed.flatMap(Event.idsOf)}::text[])
              AND payments.id = florin.payment_of(events.id, events.state_version)
              AND events.document #>> '{state,_tag}' = 'Succeeded'
              AND (events.document #> '{state,refunds}' = 'null' OR NOT events.document -> 'state' ? 'transfer')`,
        ),
      ]
}

/** The requested refunds, which are found, listed and counted by rows of their own. */
const refunding = (
  sql: SqlClient,
  changes: ReadonlyArray<Change.Change>,
  shown: ReadonlyMap<string, Payment.Payment>,
): Parts => {
  const rows = changes.flatMap(({ payment }) => {
    const before = shown.get(payment.id)
    const known = before === undefined ? 0 : Payment.refunds(before).length
    return Payment.refunds(payment)
      .slice(known)
      .map((refund) => RefundRow.of(payment, refund))
  })
  return rows.length === 0
    ? []
    : [
        Cte.make(
          "refunded",
          sql`INSERT INTO florin.refunds (${sql.literal(Records.namesOf(RefundRow.columns))})
            SELECT next.* FROM guard, ${Records.source(sql, rows, RefundRow.columns)}`,
        ),
      ]
}

/** Each time that work is scheduled it gets a new fence, so that no earlier lease is valid for it. */
const scheduling = (sql: SqlClient, subjects: ReadonlyArray<Subject>): Parts => {
  const all = subjects.flatMap(({ id, work }) =>
    work.map(({ dueAt, kind, queue }) => ({
      subject_id: id,
      kind,
      due_at: dueAt,
      chain_id: queue.group,
      partner_id: queue.member,
    })),
  )
  const [set, done] = [
    all.filter(({ due_at }) => due_at !== null),
    all.filter(({ due_at }) => due_at === null),
  ]
  const columns = {
    subject_id: "text",
    kind: "text",
    due_at: "bigint",
    chain_id: "text",
    partner_id: "text",
  }
  return [
    ...(set.length === 0
      ? []
      : [
          Cte.make(
            "due",
            sql`INSERT INTO florin.due_work (subject_id, kind, due_at, lease_until, fence, failures, chain_id, partner_id)
              SELECT next.subject_id, next.kind, next.due_at, 0, nextval('florin.fences'), 0, next.chain_id, next.partner_id
              FROM guard, ${Records.source(sql, set, columns)}
              ORDER BY next.subject_id COLLATE "C", next.kind
              ON CONFLICT (subject_id, kind) DO UPDATE SET due_at = excluded.due_at,
                lease_until = excluded.lease_until, fence = excluded.fence, failures = excluded.failures,
                chain_id = excluded.chain_id, partner_id = excluded.partner_id`,
          ),
        ]),
    ...(done.length === 0
      ? []
      : [
          Cte.make(
            "done",
            sql`DELETE FROM florin.due_work USING guard, ${Records.source(sql, done, columns)}
              WHERE due_work.subject_id = next.subject_id AND due_work.kind = next.kind`,
          ),
        ]),
  ]
}

const collecting = (sql: SqlClient, changes: ReadonlyArray<Change.Change>): Parts => {
  const rows = changes.flatMap(({ collected: data, payment }) =>
    data === undefined
      ? []
      : [
          {
            payment_id: payment.id,
            account: Caip.accountKey(data.account),
            session: data.session ?? "",
            sealed: bytesToHex(data.sealed),
            key: bytesToHex(data.key),
            delete_at: data.deleteAt,
          },
        ],
  )
  const columns = {
    payment_id: "text",
    account: "text",
    session: "text",
    sealed: "text",
    key: "text",
    delete_at: "bigint",
  }
  return rows.length === 0
    ? []
    : [
        Cte.make(
          "collecting",
          sql`INSERT INTO florin.collected (payment_id, account, session, sealed, delete_at)
            SELECT next.payment_id, next.account, next.session, decode(next.sealed, 'hex'), next.delete_at
            FROM guard, ${Records.source(sql, rows, columns)}
            ON CONFLICT (payment_id, account, session) DO UPDATE SET sealed = excluded.sealed,
              delete_at = excluded.delete_at`,
        ),
        Cte.make(
          "keying",
          sql`INSERT INTO florin.collected_keys (payment_id, account, session, key)
            SELECT next.payment_id, next.account, next.session, decode(next.key, 'hex')
            FROM guard, ${Records.source(sql, rows, columns)}
            ON CONFLICT (payment_id, account, session) DO UPDATE SET key = excluded.key`,
        ),
      ]
}

interface Turn {
  readonly turn: boolean
}

/** Runs a write that reports whether it is its turn to fold. If it is, it folds after everything is written. */
const taking = <A extends Turn, E>(
  sql: SqlClient,
  write: Effect.Effect<A, E>,
): Effect.Effect<A, E> =>
  Effect.tap(write, ({ turn }) => (turn ? Stats.foldSoon(sql) : Effect.void))

/** All parts of a write except its records, their claims and the ledger. */
const following = (
  sql: SqlClient,
  changes: Change.Write,
  shown: ReadonlyMap<string, Payment.Payment>,
): Parts => [
  ...announcing(sql, changes.payments),
  ...keeping(sql, changes.payments, shown),
  ...refunding(sql, changes.payments, shown),
  ...scheduling(sql, subjectsOf(changes)),
  ...collecting(sql, changes.payments),
]

/**
 * Creates a payment, and takes the key of the request if it has one; returns whether the key was free. An existing
 * payment is left unchanged.
 */
export const create = (
  sql: SqlClient,
  time: StorageTime,
  change: Change.Change,
  once: Once | null,
  response: string,
  now: number,
  entry: AuditLog.Entry | null,
): Effect.Effect<boolean, SqlError> =>
  Effect.flatMap(time.agrees, (agrees) => {
    const key: Parts =
      once === null ? [] : [Cte.make("fresh", Responses.remember(sql, once, response, now))]
    const from = once === null ? sql`` : sql`fresh,`
    const isFresh = once === null ? sql`true` : sql`EXISTS (SELECT FROM fresh)`
    const created = Records.kind(sql, PaymentRow.table, [{ record: change.payment, shown: null }])
    const write = Cte.one<Turn & { readonly fresh: boolean }>(
      sql,
      [
        ...key,
        ...created.flatMap(({ insert, next }) => [
          next,
          Cte.make("written", sql`${insert(from)} ON CONFLICT (id) DO NOTHING RETURNING id`),
        ]),
        Cte.make("guard", sql`SELECT 1 FROM written`),
        ...following(sql, { payments: [change], outflows: [] }, new Map()),
        ...(entry === null ? [] : [Cte.make("recorded", AuditLogs.insert(sql, entry, sql`guard`))]),
      ],
      sql`SELECT ${isFresh} AS fresh, ${Stats.isTurn(sql)} AS turn, ${agrees} AS agrees`,
    )
    return Effect.map(taking(sql, write), ({ fresh }) => fresh)
  })

/** A write, with its conditions. */
export interface Attempt {
  readonly changes: Change.Write
  readonly shown: Shown
  readonly lease: Lease | null
  /** The transaction that takes the next slot of its lane. */
  readonly signed: Lane.Signed | null
  /** The destinations that the decision read. */
  readonly standing: Standing.Standing | null
}

/** The records that the decision read, by their ids. */
const byId = <A extends { readonly id: string }>(records: ReadonlyArray<A>) =>
  new Map<string, A>(records.map((record) => [record.id, record]))

/** A record as the decision read it. */
const shownOf = <A extends { readonly id: string }>(
  shown: ReadonlyMap<string, A>,
  { id }: A,
): A => {
  const found = shown.get(id)
  if (found === undefined) {
    throw new Error(`a decision may write only the records that it is shown, not ${id}`)
  }
  return found
}

/** An outflow or an inflow after the change: the first revision of it is 0. */
const nextOf =
  <A extends { readonly id: string; readonly revision: number }>(shown: ReadonlyMap<string, A>) =>
  (record: A): Records.Next<A> => ({
    record,
    shown: record.revision === 0 ? null : shownOf(shown, record).revision,
  })

/** The rows of a write, each kind in the order in which it is locked. */
const kindsOf = (
  sql: SqlClient,
  { inflows = [], outflows, payments }: Change.Write,
  shown: Shown,
): ReadonlyArray<Records.Kind> => {
  const shownPayments = byId(shown.payments)
  const rows = PaymentRow.rowsOf(
    payments.map(({ payment }) => ({ payment, shown: shownOf(shownPayments, payment) })),
  )
  return [
    ...Records.kind(sql, PaymentRow.table, rows.own),
    ...Records.kind(sql, PaymentRow.entries, rows.entries),
    ...Records.kind(
      sql,
      OutflowRow.table,
      outflows.map(({ outflow }) => outflow).map(nextOf(byId(shown.outflows))),
    ),
    ...Records.kind(
      sql,
      InflowRow.table,
      inflows.map(({ inflow }) => inflow).map(nextOf(byId(shown.inflows))),
    ),
  ]
}

/** The conditions, each of which is locked if all before it are true, and then the guard of the write. */
const conditions = (
  sql: SqlClient,
  { changes: { payments }, lease, signed, standing }: Attempt,
  kinds: ReadonlyArray<Records.Kind>,
): Parts => {
  const existing = kinds.filter((each) => each.existing > 0)
  const areLocked = existing.map(
    ({ existing: count, name }) =>
      sql`(SELECT count(*) FROM ${sql.literal(`locked_${name}`)}) = ${count}`,
  )
  const allOf = (all: ReadonlyArray<Fragment>): Fragment =>
    all.length === 0 ? sql`true` : sql.and(all)
  // Each holds only if the one before it does, so that the last one says all.
  const covered = Draws.requireCovered(sql, payments, "unchanged")
  const before = covered.at(-1)?.name ?? "unchanged"
  const required = [
    Cte.make(
      "unchanged",
      sql`SELECT 1 WHERE ${allOf(areLocked)}
        AND ${standing === null ? sql`true` : Standing.holds(sql, standing)}`,
    ),
    ...covered,
    ...(lease === null
      ? []
      : [
          Cte.make(
            "held",
            sql`SELECT 1 FROM florin.due_work, ${sql.literal(before)}
              WHERE subject_id = ${lease.id} AND kind = ${lease.kind} AND fence = ${lease.fence}
              FOR UPDATE OF due_work`,
          ),
        ]),
    ...(signed === null
      ? []
      : [
          LaneRow.takeNonce(
            sql,
            signed,
            sql`FROM ${sql.literal(lease === null ? before : "held")}`,
          ),
        ]),
  ]
  const last = required.at(-1)?.name ?? "unchanged"
  const charged = Budgets.charge(sql, payments, last)
  return [
    ...existing.map(({ lock }, index) => lock(allOf(areLocked.slice(0, index)))),
    ...(standing === null ? [] : [Standing.lock(sql, standing)]),
    ...required,
    ...charged,
    Cte.make("guard", sql`SELECT 1 FROM ${sql.literal(charged.at(-1)?.name ?? last)}`),
  ]
}

/** The records after the change, if all conditions are true. */
const records = (sql: SqlClient, attempt: Attempt, kinds: ReadonlyArray<Records.Kind>): Parts => {
  const { changes, lease, signed, standing } = attempt
  const next = kinds.map((each) => each.next)
  const draws = changes.payments.some(
    ({ charges, draws: its }) => its !== undefined || charges !== undefined,
  )
  const [first, ...others] = kinds
  const isAlone = others.length === 0 && first?.existing === 1 && first.created === 0
  if (isAlone && lease === null && signed === null && standing === null && !draws) {
    // The only condition is on the one record, so its own row is the guard.
    return [
      ...next,
      Cte.make("written", first.update(sql``)),
      Cte.make("guard", sql`SELECT 1 FROM written`),
    ]
  }
  const guard = sql`guard,`
  return [
    ...next,
    ...conditions(sql, attempt, kinds),
    ...kinds.flatMap(({ created, existing, insert, name, update }) => [
      ...(created === 0 ? [] : [Cte.make(`created_${name}`, insert(guard))]),
      ...(existing === 0 ? [] : [Cte.make(`changed_${name}`, update(guard))]),
    ]),
  ]
}

const exists = (sql: SqlClient, parts: Parts, name: string): Fragment =>
  parts.some((part) => part.name === name)
    ? sql`EXISTS (SELECT FROM ${sql.literal(name)})`
    : sql`true`

interface Outcome extends Ledgers.Outcome, Turn {
  readonly unchanged: boolean
  readonly covered: boolean
  readonly held: boolean
  readonly taken: boolean
  readonly charged: boolean
}

const write = Effect.fnUntraced(function* (
  sql: SqlClient,
  time: StorageTime,
  attempt: Attempt,
): Effect.fn.Return<Outcome, ClaimTaken | Uncovered | Overdrawn | LeaseLost | SqlError> {
  const { changes, shown, signed } = attempt
  const kinds = kindsOf(sql, changes, shown)
  const subjects = subjectsOf(changes)
  const bookings = Change.bookedBy(changes)
  const mode = subjects[0]?.mode ?? "test"
  const parts = [
    ...records(sql, attempt, kinds),
    ...Claims.takeClaims(sql, subjects),
    ...Claims.moveClaims(sql, subjects),
    ...Claims.handOverClaims(sql, changes.inflows ?? []),
    ...(bookings.length === 0 ? [] : Ledgers.insert(sql, mode, bookings)),
    ...following(sql, changes, byId(shown.payments)),
    ...(signed === null ? [] : [LaneRow.insert(sql, signed.transaction, "guard")]),
  ]
  const posted = bookings.length === 0 ? sql`NULL AS posted` : Ledgers.postedColumn(sql)
  const statement = Cte.one<Outcome>(
    sql,
    parts,
    sql`SELECT EXISTS (SELECT FROM guard) AS written, ${exists(sql, parts, "unchanged")} AS unchanged,
      ${exists(sql, parts, "covered")} AS covered, ${exists(sql, parts, "held")} AS held, ${exists(sql, parts, "taken")} AS taken,
      ${exists(sql, parts, "charged")} AS charged,
      ${Stats.isTurn(sql)} AS turn, ${yield* time.agrees} AS agrees, ${posted}`,
  )
  const transactions = bookings.map(({ transaction }) => transaction)
  const draws = changes.outflows.flatMap(({ credit }) => credit ?? [])
  const limits = changes.outflows.flatMap(({ limit }) => limit ?? [])
  const checked = Ledgers.runUnlessOverdrawn(sql, mode, transactions, statement, draws, limits)
  // Inside another transaction, a taken claim must leave that transaction usable, because the record that took it is
  // read next.
  const isClaiming = subjects.some(({ claims, moved }) => claims.length > 0 || moved !== undefined)
  const isNested = isClaiming && Option.isSome(yield* Effect.serviceOption(sql.transactionService))
  const attempted = isNested ? sql.withTransaction(checked) : checked
  const outcome = yield* taking(sql, attempted).pipe(
    Effect.catchTag("SqlError", (error) => Claims.failWithTaken(sql, subjects, error)),
  )
  if (outcome.unchanged && !outcome.covered) {
    return yield* Uncovered.of()
  }
  if (outcome.unchanged && !outcome.held) {
    return yield* LeaseLost.of()
  }
  if (outcome.unchanged && outcome.taken && !outcome.charged) {
    return yield* Uncovered.ofFailures()
  }
  return outcome
})

/** Writes the result of a decision; returns false if another process wrote one of its records first. */
export const change = Effect.fnUntraced(function* (
  sql: SqlClient,
  time: StorageTime,
  attempt: Attempt,
) {
  const { taken, unchanged, written } = yield* write(sql, time, attempt)
  if (unchanged && !taken) return yield* LaneMoved.of()
  return written
})
