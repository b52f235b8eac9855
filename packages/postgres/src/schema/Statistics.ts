/**
 * Data that triggers derive from payments: references in a table that is written once, and statistics that are stored
 * instead of computed.
 *
 * A change of a payment is one or two rows of `stats_changes`, which triggers write, so no process that writes payments
 * can leave one out. `stats_fold` adds them to the totals, a batch in one transaction. So the totals together with the
 * changes are correct at every moment, and no two writes wait for each other.
 *
 * @module
 */
import * as PaymentSeries from "@florin/core/domain/list/PaymentSeries"
import { id } from "./Id.ts"

/** The statuses of this version: each is a column with the number of its payments. */
const statuses = [
  "requires_action",
  "processing",
  "succeeded",
  "failed",
  "expired",
  "cancelled",
] as const

const list = (text: (status: string) => string): string => statuses.map(text).join(", ")

/** What the totals count: payments by status, and those that succeeded by the class of the time that it took. */
export const counts: ReadonlyArray<readonly [column: string, where: string]> = [
  ...statuses.map((status) => [status, `status = '${status}'`] as const),
  ...PaymentSeries.classColumns.map((column, index) => [column, `took = ${index}`] as const),
]

const listCounts = (text: (column: string, where: string) => string): string =>
  counts.map(([column, where]) => text(column, where)).join(", ")

/** The class of the time that a payment took until it succeeded; null for others. */
export const took = (row: "OLD" | "NEW" | "payments"): string =>
  `width_bucket((${row}.document #>> '{state,succeededAt}')::bigint - ${row}.created_at,
    ARRAY[${PaymentSeries.classesInMs.map((most) => most + 1).join(", ")}]::bigint[])`

/** The compared values, which make a row of changes. The chain of a payment without a token is the empty text. */
const facts = [
  "partner_id",
  "mode",
  "merchant_id",
  "chain_id",
  "token",
  "created_at",
  "status",
  "amount_group",
  "amount",
  "payer",
] as const

/** A row of changes. A refund is one that counts no payment, and whose payer counts no customer. */
const note = (
  row: "OLD" | "NEW" | "paid",
  sign: -1 | 0 | 1,
  payer: string,
  refunded: string,
): string =>
  `INSERT INTO florin.stats_changes
    (partner_id, mode, merchant_id, chain_id, token, day, status, amount_group, amount, payer, took, sign, refunded)
  VALUES (${row}.partner_id, ${row}.mode, ${row}.merchant_id, coalesce(${row}.chain_id, ''), coalesce(${row}.token, ''),
    ${row}.created_at / 86400000, ${row}.status, ${row}.amount_group, ${row}.amount, ${payer},
    ${row === "paid" ? "NULL" : took(row)}, ${sign}, ${refunded})`

const rolledUp = (column: string, all: string): string =>
  `CASE WHEN grouping(${column}) = 1 THEN ${all} ELSE ${column} END AS ${column}`

/** All merchants are '*', all chains '*', all tokens '*' on all chains or on one, and all days -1. */
const scopes = `partner_id, mode, ${rolledUp("merchant_id", "'*'")}, ${rolledUp("chain_id", "'*'")}, ${rolledUp("token", "'*'")}`

/** Adds the oldest changes to the totals. */
const fold = `
DECLARE
  folded bigint;
BEGIN
  -- One at a time. Whoever comes second has nothing to do, as the first does it.
  IF NOT pg_try_advisory_xact_lock(hashtextextended('florin.stats', 0)) THEN
    RETURN 0;
  END IF;
  WITH taken AS (
    DELETE FROM florin.stats_changes
    WHERE position IN (SELECT position FROM florin.stats_changes ORDER BY position LIMIT most)
    RETURNING *
  ), totalled AS (
    INSERT INTO florin.stats_totals AS total (partner_id, mode, merchant_id, chain_id, token, day, amount_group,
      ${listCounts((column) => column)}, revenue, refunded, changes)
    SELECT ${scopes}, ${rolledUp("day", "-1")}, amount_group,
      ${listCounts((_, where) => `coalesce(sum(sign) FILTER (WHERE ${where}), 0)`)},
      coalesce(sum(sign * amount) FILTER (WHERE status = 'succeeded'), 0), sum(refunded), count(*)
    FROM taken
    GROUP BY partner_id, mode, amount_group, GROUPING SETS ((), (merchant_id), (chain_id, token),
      (merchant_id, chain_id, token), (day), (day, merchant_id), (day, chain_id, token))
    ON CONFLICT (partner_id, mode, merchant_id, chain_id, token, day, amount_group) DO UPDATE SET
      ${listCounts((column) => `${column} = total.${column} + excluded.${column}`)},
      revenue = total.revenue + excluded.revenue, refunded = total.refunded + excluded.refunded,
      changes = total.changes + excluded.changes
  ), moved AS (
    SELECT partner_id, mode, payer, merchant_id, chain_id, token,
      ${list((status) => `coalesce(sum(sign) FILTER (WHERE status = '${status}'), 0) AS ${status}`)}
    FROM taken WHERE payer IS NOT NULL
    GROUP BY partner_id, mode, payer, merchant_id, chain_id, token
  ), before AS (
    SELECT partner_id, mode, payer, held.*
    FROM (SELECT DISTINCT partner_id, mode, payer FROM moved) AS touched,
      LATERAL (
        SELECT merchant_id, chain_id, token, ${list((status) => status)} FROM florin.stats_payers AS each
        WHERE each.partner_id = touched.partner_id AND each.mode = touched.mode AND each.payer = touched.payer
        OFFSET 0
      ) AS held
  ), paid AS (
    INSERT INTO florin.stats_payers AS held (partner_id, mode, payer, merchant_id, chain_id, token, ${list((status) => status)})
    SELECT partner_id, mode, payer, merchant_id, chain_id, token, ${list((status) => status)} FROM moved
    ON CONFLICT (partner_id, mode, payer, merchant_id, chain_id, token) DO UPDATE SET
      ${list((status) => `${status} = held.${status} + excluded.${status}`)}
  ), sides AS (
    SELECT partner_id, mode, payer, merchant_id, chain_id, token, ${list((status) => status)}, 1 AS had FROM before
    UNION ALL
    SELECT partner_id, mode, payer, merchant_id, chain_id, token, ${list((status) => status)}, 0 AS had FROM moved
  ), payers AS (
    SELECT ${scopes}, payer,
      ${list((status) => `sum(${status}) > 0 AS has_${status}, coalesce(sum(${status}) FILTER (WHERE had = 1), 0) > 0 AS had_${status}`)}
    FROM sides
    GROUP BY partner_id, mode, payer,
      GROUPING SETS ((), (merchant_id)), GROUPING SETS ((), (chain_id), (chain_id, token))
  ), counted AS (
    INSERT INTO florin.stats_customers AS total (partner_id, mode, merchant_id, chain_id, token, customers, ${list((status) => status)})
    SELECT partner_id, mode, merchant_id, chain_id, token,
      sum((${statuses.map((status) => `has_${status}`).join(" OR ")})::integer
        - (${statuses.map((status) => `had_${status}`).join(" OR ")})::integer),
      ${list((status) => `sum(has_${status}::integer - had_${status}::integer)`)}
    FROM payers
    GROUP BY partner_id, mode, merchant_id, chain_id, token
    ON CONFLICT (partner_id, mode, merchant_id, chain_id, token) DO UPDATE SET
      customers = total.customers + excluded.customers,
      ${list((status) => `${status} = total.${status} + excluded.${status}`)}
  )
  SELECT count(*) INTO folded FROM taken;
  RETURN folded;
END`

/** In the order in which they are run. */
export const statements: ReadonlyArray<string> = [
  // --- references
  // Every piece of three characters, spaces and punctuation too: a text can only be part of a reference that has all its
  // pieces. They carry their tenant, so that nobody's search grows with the payments of others. The function makes up an
  // index, and is much dearer than a look at the text itself.
  `CREATE FUNCTION florin.reference_pieces(partner_id text, mode text, reference text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 5000
    RETURN ARRAY(
      SELECT partner_id || '/' || mode || '/' || substr(reference, place, 3)
      FROM generate_series(1, length(reference) - 2) AS place
    )`,
  // Written once: no later change of a payment writes its pieces again.
  `CREATE TABLE florin.payment_references (
    payment_id ${id} NOT NULL,
    partner_id ${id} NOT NULL,
    mode text NOT NULL,
    merchant_id ${id} NOT NULL,
    created_at bigint NOT NULL,
    amount_group ${id} NOT NULL,
    amount numeric(78,0) NOT NULL,
    reference text NOT NULL
  ) WITH (parallel_workers = 0)`,
  `CREATE INDEX payment_references_by_piece ON florin.payment_references
    USING gin (florin.reference_pieces(partner_id, mode, reference)) WITH (gin_pending_list_limit = 256)`,

  // --- statistics
  `CREATE TABLE florin.stats_changes (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    partner_id ${id} NOT NULL,
    mode text NOT NULL,
    merchant_id ${id} NOT NULL,
    chain_id ${id} NOT NULL,
    token ${id} NOT NULL,
    day bigint NOT NULL,
    status text NOT NULL,
    amount_group ${id} NOT NULL,
    amount numeric(78,0) NOT NULL,
    payer ${id},
    took smallint,
    sign smallint NOT NULL,
    refunded numeric(78,0) NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`,
  // Every write takes a turn number, and at a fixed interval of turns one write folds.
  `CREATE SEQUENCE florin.stats_turns`,
  `CREATE TABLE florin.stats_totals (
    partner_id ${id} NOT NULL,
    mode text NOT NULL,
    merchant_id ${id} NOT NULL,
    chain_id ${id} NOT NULL,
    token ${id} NOT NULL,
    day bigint NOT NULL,
    amount_group ${id} NOT NULL,
    ${listCounts((column) => `${column} bigint NOT NULL`)},
    revenue numeric NOT NULL,
    refunded numeric NOT NULL,
    changes bigint NOT NULL,
    PRIMARY KEY (partner_id, mode, merchant_id, chain_id, token, day, amount_group)
  ) WITH (fillfactor = 80)`,
  `CREATE TABLE florin.stats_payers (
    partner_id ${id} NOT NULL,
    mode text NOT NULL,
    payer ${id} NOT NULL,
    merchant_id ${id} NOT NULL,
    chain_id ${id} NOT NULL,
    token ${id} NOT NULL,
    ${list((status) => `${status} integer NOT NULL`)},
    PRIMARY KEY (partner_id, mode, payer, merchant_id, chain_id, token)
  ) WITH (fillfactor = 80)`,
  `CREATE TABLE florin.stats_customers (
    partner_id ${id} NOT NULL,
    mode text NOT NULL,
    merchant_id ${id} NOT NULL,
    chain_id ${id} NOT NULL,
    token ${id} NOT NULL,
    customers bigint NOT NULL,
    ${list((status) => `${status} bigint NOT NULL`)},
    PRIMARY KEY (partner_id, mode, merchant_id, chain_id, token)
  ) WITH (fillfactor = 80)`,
  `CREATE FUNCTION florin.stats_fold(most bigint) RETURNS bigint LANGUAGE plpgsql AS $$${fold}$$`,

  // --- what follows a payment
  `CREATE FUNCTION florin.payments_created() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO florin.payment_references
      (payment_id, partner_id, mode, merchant_id, created_at, amount_group, amount, reference)
    VALUES (NEW.id, NEW.partner_id, NEW.mode, NEW.merchant_id, NEW.created_at, NEW.amount_group, NEW.amount,
      NEW.reference);
    ${note("NEW", 1, "NEW.payer", "0")};
    RETURN NULL;
  END$$`,
  `CREATE FUNCTION florin.payments_changed() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    ${note("OLD", -1, "OLD.payer", "0")};
    ${note("NEW", 1, "NEW.payer", "0")};
    RETURN NULL;
  END$$`,
  `CREATE TRIGGER payments_created AFTER INSERT ON florin.payments FOR EACH ROW EXECUTE FUNCTION florin.payments_created()`,
  `CREATE TRIGGER payments_changed AFTER UPDATE ON florin.payments FOR EACH ROW
    WHEN ((${facts.map((each) => `OLD.${each}`).join(", ")}) IS DISTINCT FROM (${facts.map((each) => `NEW.${each}`).join(", ")}))
    EXECUTE FUNCTION florin.payments_changed()`,
  // A refund is requested once, and stays.
  `CREATE FUNCTION florin.refunds_requested() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE paid florin.payments;
  BEGIN
    SELECT * INTO paid FROM florin.payments WHERE id = NEW.payment_id;
    ${note("paid", 0, "NULL", "NEW.amount")};
    RETURN NULL;
  END$$`,
  `CREATE TRIGGER refunds_requested AFTER INSERT ON florin.refunds FOR EACH ROW
    EXECUTE FUNCTION florin.refunds_requested()`,
]
