/**
 * One change as one statement: it hangs on the payment's row, so that all of it happens or nothing does.
 *
 * Every write locks the payment first, then its due work, then the lane, and only then what it shares with writes of
 * other payments: balances and claims, each kind in the order of its keys. So no two writes wait for each other.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/Caip"
import * as Change from "@florin/core/domain/Change"
import * as Claim from "@florin/core/domain/Claim"
import * as Event from "@florin/core/domain/Event"
import type * as Lane from "@florin/core/domain/Lane"
import type * as Payment from "@florin/core/domain/Payment"
import type { Once } from "@florin/core/ports/AnswerStore"
import type { Hold } from "@florin/core/ports/DueWork"
import { ClaimTaken, LaneMoved, LeaseLost, type Overdrawn } from "@florin/core/ports/StorageError"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Answers from "./Answers.ts"
import * as Cte from "./Cte.ts"
import * as LaneRow from "./LaneRow.ts"
import * as Ledgers from "./Ledgers.ts"
import * as PaymentRow from "./PaymentRow.ts"
import * as Stats from "./Stats.ts"

/** Each part that follows `guard` happens where `guard` has a row: the payment as it is written. */
type Parts = ReadonlyArray<Cte.Cte>

const insertPayment = (sql: SqlClient, payment: Payment.Payment, from: Fragment): Fragment => {
  const columns = PaymentRow.columnsOf(payment)
  return sql`INSERT INTO payments (id, partner_id, mode, merchant_id, revision, created_at, expires_at, status,
      reference, amount_group, amount, chain_id, token, payer, refund_id, is_stuck, document)
    SELECT ${payment.id}, ${payment.partnerId}, ${payment.mode}, ${payment.merchantId}, ${payment.revision},
      ${payment.createdAt}, ${payment.expiresAt}, ${columns.status}, ${columns.reference}, ${columns.amountGroup},
      ${columns.amount.toString()}, ${columns.chainId}, ${columns.token}, ${columns.payer},
      ${columns.refundId}, ${columns.isStuck}, ${PaymentRow.document.encode(payment)} ${from}
    ON CONFLICT (id) DO NOTHING
    RETURNING id, document`
}

/** What never changes about a payment stays: whose it is, its amount, and when it was created. */
const updatePayment = (
  sql: SqlClient,
  payment: Payment.Payment,
  revision: number,
  from: Fragment,
): Fragment => {
  const columns = PaymentRow.columnsOf(payment)
  return sql`UPDATE payments SET revision = ${payment.revision}, expires_at = ${payment.expiresAt},
      status = ${columns.status}, reference = ${columns.reference},
      chain_id = ${columns.chainId}, token = ${columns.token}, payer = ${columns.payer},
      refund_id = ${columns.refundId}, is_stuck = ${columns.isStuck}, document = ${PaymentRow.document.encode(payment)}
    ${from}
    WHERE payments.id = ${payment.id} AND revision = ${revision}
    RETURNING payments.id, payments.document`
}

/**
 * The event, which waits in the outbox to be fanned out. Its id follows from the payment and its version, so that no
 * version is announced twice. The statement has the payment's document already, and puts it into the event's.
 */
const announcing = (sql: SqlClient, payment: Payment.Payment, type: Event.EventType): Parts => {
  const { payment: _, ...event } = Event.make(type, payment)
  return [
    Cte.make(
      "announced",
      sql`INSERT INTO events (id, partner_id, mode, payment_id, state_version, document)
        SELECT ${event.id}, ${payment.partnerId}, ${payment.mode}, guard.id, ${event.stateVersion},
          ${JSON.stringify(event)}::jsonb || jsonb_build_object('payment', guard.document)
        FROM guard
        ON CONFLICT (id) DO NOTHING
        RETURNING id`,
    ),
    Cte.make("waiting", sql`INSERT INTO outbox (event_id) SELECT id FROM announced`),
  ]
}

const claiming = (sql: SqlClient, keys: ReadonlyArray<string>): Cte.Cte =>
  Cte.make(
    "claimed",
    sql`INSERT INTO claims (key, payment_id)
      SELECT key, guard.id FROM guard, jsonb_array_elements_text(${JSON.stringify(keys)}::jsonb) AS key
      ORDER BY key COLLATE "C"
      RETURNING key, payment_id`,
  )

/** The transfers among the claims, and the blocks that they were found in: written once their claims are. */
const resting = (
  sql: SqlClient,
  { mode }: Payment.Payment,
  claims: ReadonlyArray<Claim.Claim>,
): Parts => {
  const transfers = claims.flatMap((claim) =>
    claim._tag === "Transfer"
      ? [
          {
            chain_id: claim.chainId,
            block_number: claim.blockNumber,
            claim: Claim.key(claim),
            block_hash: claim.blockHash,
          },
        ]
      : [],
  )
  return transfers.length === 0
    ? []
    : [
        Cte.make(
          "resting",
          sql`INSERT INTO resting_transfers (mode, chain_id, block_number, claim, block_hash, payment_id)
            SELECT ${mode}, found.chain_id, found.block_number, claimed.key, found.block_hash,
              claimed.payment_id
            FROM claimed JOIN jsonb_to_recordset(${JSON.stringify(transfers)}::jsonb)
              AS found (chain_id bigint, block_number bigint, claim text, block_hash text) ON found.claim = claimed.key`,
        ),
      ]
}

/** A transfer is found elsewhere, and its claim goes along; or it is gone, and its claim stays. */
const moving = (sql: SqlClient, { mode }: Payment.Payment, { from, to }: Change.Moved): Parts => {
  const left = Claim.ofTransfer(from)
  const key = Claim.key(left)
  const place = sql`resting_transfers.mode = ${mode} AND resting_transfers.chain_id = ${left.chainId}
    AND resting_transfers.block_number = ${left.blockNumber} AND resting_transfers.claim = ${key}`
  if (to === null) {
    return [Cte.make("gone", sql`DELETE FROM resting_transfers USING guard WHERE ${place}`)]
  }
  const next = Claim.ofTransfer(to)
  return [
    Cte.make(
      "reclaimed",
      sql`UPDATE claims SET key = ${Claim.key(next)} FROM guard WHERE claims.key = ${key}
        RETURNING claims.key`,
    ),
    Cte.make(
      "moved",
      sql`UPDATE resting_transfers SET block_number = ${next.blockNumber}, claim = reclaimed.key,
          block_hash = ${next.blockHash}
        FROM reclaimed WHERE ${place}`,
    ),
  ]
}

/** Every time that work is set it gets a fence of its own, so that no earlier hold is good for it. */
const scheduling = (sql: SqlClient, due: Change.Due): Parts => {
  const set = Change.workKinds.flatMap((kind) => {
    const at = due[kind]
    return at === undefined || at === null ? [] : [{ kind, due_at: at }]
  })
  const done = Change.workKinds.filter((kind) => due[kind] === null)
  return [
    ...(set.length === 0
      ? []
      : [
          Cte.make(
            "due",
            sql`INSERT INTO due_work (payment_id, kind, due_at, lease_until, fence, failures)
              SELECT guard.id, work.kind, work.due_at, 0, nextval('fences'), 0
              FROM guard, jsonb_to_recordset(${JSON.stringify(set)}::jsonb) AS work (kind text, due_at bigint)
              ORDER BY work.kind
              ON CONFLICT (payment_id, kind) DO UPDATE SET due_at = excluded.due_at,
                lease_until = excluded.lease_until, fence = excluded.fence, failures = excluded.failures`,
          ),
        ]),
    ...(done.length === 0
      ? []
      : [
          Cte.make(
            "done",
            sql`DELETE FROM due_work USING guard
              WHERE payment_id = guard.id AND kind IN (SELECT jsonb_array_elements_text(${JSON.stringify(done)}::jsonb))`,
          ),
        ]),
  ]
}

const collecting = (sql: SqlClient, data: Change.Collected): Cte.Cte =>
  Cte.make(
    "collecting",
    sql`INSERT INTO collected (payment_id, account, sealed, delete_at)
      SELECT guard.id, ${Caip.formatAccount(data.account)}, ${data.sealed}, ${data.deleteAt} FROM guard
      ON CONFLICT (payment_id, account) DO UPDATE SET sealed = excluded.sealed, delete_at = excluded.delete_at`,
  )

interface Turn {
  readonly turn: boolean
}

/** Runs a write that tells whether it is its turn to fold, and folds then, when all of it is written. */
const taking = <A extends Turn, E>(
  sql: SqlClient,
  write: Effect.Effect<A, E>,
): Effect.Effect<A, E> =>
  Effect.tap(write, ({ turn }) => (turn ? Stats.foldSoon(sql) : Effect.void))

/** Everything of a change but the payment, its claims and its ledger. */
const following = (sql: SqlClient, { payment, event, due, collected }: Change.Change): Parts => [
  ...(event === undefined ? [] : announcing(sql, payment, event)),
  ...scheduling(sql, due),
  ...(collected === undefined ? [] : [collecting(sql, collected)]),
]

/**
 * Creates a payment, and takes the key of the request where it has one; tells whether the key was free. A payment that
 * is there already is left as it is.
 */
export const create = (
  sql: SqlClient,
  change: Change.Change,
  once: Once | null,
  answer: string,
  now: number,
): Effect.Effect<boolean, SqlError> =>
  Effect.suspend(() => {
    const key: Parts =
      once === null ? [] : [Cte.make("fresh", Answers.remembering(sql, once, answer, now))]
    const from = once === null ? sql`` : sql`FROM fresh`
    const isFresh = once === null ? sql`true` : sql`EXISTS (SELECT FROM fresh)`
    const write = Cte.one<Turn & { readonly fresh: boolean }>(
      sql,
      [
        ...key,
        Cte.make("guard", insertPayment(sql, change.payment, from)),
        ...following(sql, change),
      ],
      sql`SELECT ${isFresh} AS fresh, ${Stats.isTurn(sql)} AS turn`,
    )
    return Effect.map(taking(sql, write), ({ fresh }) => fresh)
  })

/** What has to hold besides the payment's revision, each part only if the one before it does. */
const conditions = (
  sql: SqlClient,
  { payment }: Change.Change,
  revision: number,
  hold: Hold | null,
  signed: Lane.Signed | null,
): Parts => {
  if (hold === null && signed === null) return []
  const locked = Cte.make(
    "unchanged",
    sql`SELECT id FROM payments WHERE id = ${payment.id} AND revision = ${revision} FOR UPDATE`,
  )
  const held =
    hold === null
      ? []
      : [
          Cte.make(
            "held",
            sql`SELECT payment_id FROM due_work, unchanged
              WHERE payment_id = unchanged.id AND kind = ${hold.kind} AND fence = ${hold.fence}
              FOR UPDATE OF due_work`,
          ),
        ]
  const from = sql`FROM ${sql.literal(hold === null ? "unchanged" : "held")}`
  return [locked, ...held, ...(signed === null ? [] : [LaneRow.taking(sql, signed, from)])]
}

const exists = (sql: SqlClient, parts: Parts, name: string): Fragment =>
  parts.some((part) => part.name === name)
    ? sql`EXISTS (SELECT FROM ${sql.literal(name)})`
    : sql`true`

interface Outcome extends Ledgers.Outcome, Turn {
  readonly unchanged: boolean
  readonly held: boolean
  readonly taken: boolean
}

/** Names the first claim that is somebody's, where that is what stopped a write. */
const whichClaim = Effect.fnUntraced(function* (
  sql: SqlClient,
  keys: ReadonlyArray<string>,
  error: SqlError,
): Effect.fn.Return<never, ClaimTaken | SqlError> {
  const { reason } = error
  if (reason._tag !== "UniqueViolation" || reason.constraint !== "claims_pkey") return yield* error
  const rows = yield* sql<{ readonly key: string }>`
    SELECT key FROM claims WHERE key IN (SELECT jsonb_array_elements_text(${JSON.stringify(keys)}::jsonb))`
  const taken = new Set(rows.map(({ key }) => key))
  const claim = keys.find((key) => taken.has(key))
  return yield* claim === undefined ? error : ClaimTaken.of(claim)
})

const write = Effect.fnUntraced(function* (
  sql: SqlClient,
  changed: Change.Change,
  revision: number,
  hold: Hold | null,
  signed: Lane.Signed | null,
): Effect.fn.Return<Outcome, ClaimTaken | Overdrawn | LeaseLost | SqlError> {
  const { claims, ledger, moved, payment } = changed
  const keys = [...new Set(claims.map(Claim.key))]
  const next = moved?.to ?? null
  const wanted = next === null ? keys : [...keys, Claim.key(Claim.ofTransfer(next))]
  const required = conditions(sql, changed, revision, hold, signed)
  const last = required.at(-1)
  const parts = [
    ...required,
    Cte.make(
      "guard",
      updatePayment(
        sql,
        payment,
        revision,
        last === undefined ? sql`` : sql`FROM ${sql.literal(last.name)}`,
      ),
    ),
    ...(keys.length === 0 ? [] : [claiming(sql, keys)]),
    ...resting(sql, payment, claims),
    ...(moved === undefined ? [] : moving(sql, payment, moved)),
    ...(ledger.length === 0 ? [] : Ledgers.writing(sql, payment.mode, ledger)),
    ...following(sql, changed),
    ...(signed === null ? [] : [LaneRow.adding(sql, signed.transaction, "guard")]),
  ]
  const posted = ledger.length === 0 ? sql`NULL AS posted` : Ledgers.postedColumn(sql)
  const statement = Cte.one<Outcome>(
    sql,
    parts,
    sql`SELECT EXISTS (SELECT FROM guard) AS written, ${exists(sql, parts, "unchanged")} AS unchanged,
      ${exists(sql, parts, "held")} AS held, ${exists(sql, parts, "taken")} AS taken,
      ${Stats.isTurn(sql)} AS turn, ${posted}`,
  )
  const checked = Ledgers.checked(sql, payment.mode, ledger, statement)
  const outcome = yield* taking(sql, checked).pipe(
    Effect.catchTag("SqlError", (error) => whichClaim(sql, wanted, error)),
  )
  if (outcome.unchanged && !outcome.held) {
    return yield* LeaseLost.of()
  }
  return outcome
})

/** Writes a change of a payment of this revision; returns false if somebody else wrote the payment first. */
export const change = (
  sql: SqlClient,
  changed: Change.Change,
  revision: number,
  hold: Hold | null,
) => Effect.map(write(sql, changed, revision, hold, null), ({ written }) => written)

/** The same with a transaction that takes the next slot of its lane. */
export const changeInLane = Effect.fnUntraced(function* (
  sql: SqlClient,
  changed: Change.Change,
  revision: number,
  hold: Hold | null,
  signed: Lane.Signed,
) {
  const { taken, unchanged, written } = yield* write(sql, changed, revision, hold, signed)
  if (unchanged && !taken) return yield* LaneMoved.of()
  return written
})
