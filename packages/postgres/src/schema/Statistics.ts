/**
 * Data that triggers derive from payments: references in a table that is written once, and statistics that are stored
 * instead of computed.
 *
 * A change of a payment is one row of `stats_changes`, which a trigger writes, so no process that writes payments can
 * leave one out. `stats_fold` adds them to the totals, a batch in one transaction. So the totals together with the
 * changes are correct at every moment, and no two writes wait for each other.
 *
 * @module
 */
import * as PaymentSeries from "@florin/core/domain/list/PaymentSeries"
import { id } from "./Id.ts"
import * as Names from "./Names.ts"
import { standing, statuses } from "./Payments.ts"

const list = (text: (status: (typeof statuses)[number]) => string): string =>
  statuses.map(text).join(", ")

/** What the totals count: payments by status, and those that succeeded by the class of the time that it took. */
export const counts: ReadonlyArray<readonly [column: string, where: string]> = [
  ...statuses.map((status) => [status, `standing = ${standing(status)}`] as const),
  ...PaymentSeries.classColumns.map((column, index) => [column, `took = ${index}`] as const),
]

const listCounts = (text: (column: string, where: string) => string): string =>
  counts.map(([column, where]) => text(column, where)).join(", ")

/** The class of the time that a payment took until it succeeded; null for others. */
export const took = (row: "OLD" | "NEW" | "payments"): string =>
  `width_bucket((${row}.progress #>> '{state,succeededAt}')::bigint - ${row}.created_at,
    ARRAY[${PaymentSeries.classesInMs.map((most) => most + 1).join(", ")}]::bigint[])`

/** What is counted of a payment, and may change. */
const facts = ["chain", "asset", "standing", "customer"] as const

const factsOf = (row: "NEW" | "paid"): string =>
  `coalesce(${row}.chain, ${Names.none}), coalesce(${row}.asset, ${Names.none}), ${row}.standing`

/** The former customer of a payment that had none. */
const nobody = "'\\x'::bytea"

/** What a payment had before a change; null if it has the same. */
const former = (column: (typeof facts)[number], none: number | string): string =>
  `CASE WHEN OLD.${column} IS DISTINCT FROM NEW.${column} THEN coalesce(OLD.${column}, ${none}) END`

/** A row of changes. A refund is one that counts no payment and no customer. */
const note = (row: "NEW" | "paid", sign: 0 | 1, refunded: string, earlier: string): string =>
  `INSERT INTO florin.stats_changes (tenant, merchant, day, amount_group, amount, sign, refunded,
    chain, asset, standing, customer, took, old_chain, old_asset, old_standing, old_customer, old_took)
  VALUES (${row}.tenant, ${row}.merchant, ${row}.created_at / 86400000, ${row}.amount_group, ${row}.amount, ${sign}, ${refunded},
    ${factsOf(row)}, ${row === "paid" ? "NULL, NULL" : `${row}.customer, ${took(row)}`}, ${earlier})`

const nothingEarlier = "NULL, NULL, NULL, NULL, NULL"

/** Both sides of changes: what counts from now on, and what counted before. */
const sidesOf = (changes: string): string => `
  SELECT each.tenant, each.merchant, each.day, each.amount_group, each.amount, side.*
  FROM ${changes} AS each, LATERAL (VALUES
    (each.chain, each.asset, each.standing, each.customer, each.took, each.sign, each.refunded),
    (coalesce(each.old_chain, each.chain), coalesce(each.old_asset, each.asset), each.old_standing,
      nullif(coalesce(each.old_customer, each.customer), ${nobody}), each.old_took, -1::smallint, 0)
  ) AS side (chain, asset, standing, customer, took, sign, refunded)
  WHERE side.standing IS NOT NULL`

const rolledUp = (column: string, all: number): string =>
  `CASE WHEN grouping(${column}) = 1 THEN ${all} ELSE ${column} END AS ${column}`

/** All merchants, all chains, and all assets on all chains or on one have the number of all names, and all days -1. */
const scopes = `tenant, ${["merchant", "chain", "asset"].map((column) => rolledUp(column, Names.all)).join(", ")}`

const withStatus = (status: (typeof statuses)[number]): string =>
  `FILTER (WHERE standing = ${standing(status)})`

/** Adds some changes to the totals. */
const fold = `
DECLARE
  folded bigint;
BEGIN
  -- One at a time, so no row moves meanwhile. Whoever comes second has nothing to do, as the first does it.
  IF NOT pg_try_advisory_xact_lock(hashtextextended('florin.stats', 0)) THEN
    RETURN 0;
  END IF;
  WITH taken AS (
    DELETE FROM florin.stats_changes
    WHERE ctid = ANY(ARRAY(SELECT ctid FROM florin.stats_changes LIMIT most))
    RETURNING *
  ), sided AS (${sidesOf("taken")}
  ), totalled AS (
    INSERT INTO florin.stats_totals AS total (tenant, merchant, chain, asset, day, amount_group,
      ${listCounts((column) => column)}, revenue, refunded, changes)
    SELECT ${scopes}, ${rolledUp("day", -1)}, amount_group,
      ${listCounts((_, where) => `coalesce(sum(sign) FILTER (WHERE ${where}), 0)`)},
      coalesce(sum(sign * amount) ${withStatus("succeeded")}, 0), sum(refunded), count(*)
    FROM sided
    GROUP BY tenant, amount_group, GROUPING SETS ((), (merchant), (chain, asset),
      (merchant, chain, asset), (day), (day, merchant), (day, chain, asset))
    ON CONFLICT (tenant, merchant, chain, asset, day, amount_group) DO UPDATE SET
      ${listCounts((column) => `${column} = total.${column} + excluded.${column}`)},
      revenue = total.revenue + excluded.revenue, refunded = total.refunded + excluded.refunded,
      changes = total.changes + excluded.changes
  ), moved AS (
    SELECT tenant, customer, merchant, chain, asset,
      ${list((status) => `coalesce(sum(sign) ${withStatus(status)}, 0) AS ${status}`)}
    FROM sided WHERE customer IS NOT NULL
    GROUP BY tenant, customer, merchant, chain, asset
  ), before AS (
    SELECT tenant, customer, held.*
    FROM (SELECT DISTINCT tenant, customer FROM moved) AS touched,
      LATERAL (
        SELECT merchant, chain, asset, ${list((status) => status)} FROM florin.stats_payers AS each
        WHERE each.tenant = touched.tenant AND each.customer = touched.customer
        OFFSET 0
      ) AS held
  ), paid AS (
    INSERT INTO florin.stats_payers AS held (tenant, customer, merchant, chain, asset, ${list((status) => status)})
    SELECT tenant, customer, merchant, chain, asset, ${list((status) => status)} FROM moved
    ON CONFLICT (tenant, customer, merchant, chain, asset) DO UPDATE SET
      ${list((status) => `${status} = held.${status} + excluded.${status}`)}
  ), sides AS (
    SELECT tenant, customer, merchant, chain, asset, ${list((status) => status)}, 1 AS had FROM before
    UNION ALL
    SELECT tenant, customer, merchant, chain, asset, ${list((status) => status)}, 0 AS had FROM moved
  ), payers AS (
    SELECT ${scopes}, customer,
      ${list((status) => `sum(${status}) > 0 AS has_${status}, coalesce(sum(${status}) FILTER (WHERE had = 1), 0) > 0 AS had_${status}`)}
    FROM sides
    GROUP BY tenant, customer,
      GROUPING SETS ((), (merchant)), GROUPING SETS ((), (chain), (chain, asset))
  ), counted AS (
    INSERT INTO florin.stats_customers AS total (tenant, merchant, chain, asset, customers, ${list((status) => status)})
    SELECT tenant, merchant, chain, asset,
      sum((${statuses.map((status) => `has_${status}`).join(" OR ")})::integer
        - (${statuses.map((status) => `had_${status}`).join(" OR ")})::integer),
      ${list((status) => `sum(has_${status}::integer - had_${status}::integer)`)}
    FROM payers
    GROUP BY tenant, merchant, chain, asset
    ON CONFLICT (tenant, merchant, chain, asset) DO UPDATE SET
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
  `CREATE FUNCTION florin.reference_pieces(tenant bigint, reference text) RETURNS bigint[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 5000
    RETURN ARRAY(
      SELECT hashtextextended(substr(reference, place, 3), tenant)
      FROM generate_series(1, length(reference) - 2) AS place
    )`,
  // Written once: no later change of a payment writes its pieces again.
  `CREATE TABLE florin.payment_references (
    payment_id ${id} NOT NULL,
    tenant bigint NOT NULL,
    created_at bigint NOT NULL,
    amount_group ${id} NOT NULL,
    amount numeric(78,0) NOT NULL,
    reference text NOT NULL
  ) WITH (parallel_workers = 0)`,
  `CREATE INDEX payment_references_by_piece ON florin.payment_references
    USING gin (florin.reference_pieces(tenant, reference)) WITH (gin_pending_list_limit = 256)`,

  // --- statistics
  // Few rows, in any order: they have no index.
  `CREATE TABLE florin.stats_changes (
    tenant bigint NOT NULL,
    merchant bigint NOT NULL,
    day bigint NOT NULL,
    chain bigint NOT NULL,
    asset bigint NOT NULL,
    old_chain bigint,
    old_asset bigint,
    sign smallint NOT NULL,
    standing smallint NOT NULL,
    took smallint,
    old_standing smallint,
    old_took smallint,
    amount_group ${id} NOT NULL,
    amount numeric(78,0) NOT NULL,
    refunded numeric(78,0) NOT NULL,
    customer bytea,
    old_customer bytea
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`,
  `CREATE VIEW florin.stats_sides AS ${sidesOf("florin.stats_changes")}`,
  // Every write takes a turn number, and at a fixed interval of turns one write folds.
  `CREATE SEQUENCE florin.stats_turns`,
  `CREATE TABLE florin.stats_totals (
    tenant bigint NOT NULL,
    merchant bigint NOT NULL,
    chain bigint NOT NULL,
    asset bigint NOT NULL,
    day bigint NOT NULL,
    amount_group ${id} NOT NULL,
    ${listCounts((column) => `${column} bigint NOT NULL`)},
    revenue numeric NOT NULL,
    refunded numeric NOT NULL,
    changes bigint NOT NULL,
    PRIMARY KEY (tenant, merchant, chain, asset, day, amount_group)
  ) WITH (fillfactor = 80)`,
  `CREATE TABLE florin.stats_payers (
    tenant bigint NOT NULL,
    customer bytea NOT NULL,
    merchant bigint NOT NULL,
    chain bigint NOT NULL,
    asset bigint NOT NULL,
    ${list((status) => `${status} integer NOT NULL`)},
    PRIMARY KEY (tenant, customer, merchant, chain, asset)
  ) WITH (fillfactor = 80)`,
  `CREATE TABLE florin.stats_customers (
    tenant bigint NOT NULL,
    merchant bigint NOT NULL,
    chain bigint NOT NULL,
    asset bigint NOT NULL,
    customers bigint NOT NULL,
    ${list((status) => `${status} bigint NOT NULL`)},
    PRIMARY KEY (tenant, merchant, chain, asset)
  ) WITH (fillfactor = 80)`,
  // A batch looks up the payers that it touches: the planner would rather read all payers, of whom it knows too little.
  `CREATE FUNCTION florin.stats_fold(most bigint) RETURNS bigint LANGUAGE plpgsql SET enable_seqscan = off AS $$${fold}$$`,

  // --- what follows a payment
  `CREATE FUNCTION florin.payments_created() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO florin.payment_references
      (payment_id, tenant, created_at, amount_group, amount, reference)
    VALUES (NEW.id, NEW.tenant, NEW.created_at, NEW.amount_group, NEW.amount, NEW.reference);
    ${note("NEW", 1, "0", nothingEarlier)};
    RETURN NULL;
  END$$`,
  `CREATE FUNCTION florin.payments_changed() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    ${note("NEW", 1, "0", `${former("chain", Names.none)}, ${former("asset", Names.none)}, OLD.standing, ${former("customer", nobody)}, ${took("OLD")}`)};
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
    ${note("paid", 0, "NEW.amount", nothingEarlier)};
    RETURN NULL;
  END$$`,
  `CREATE TRIGGER refunds_requested AFTER INSERT ON florin.refunds FOR EACH ROW
    EXECUTE FUNCTION florin.refunds_requested()`,
]
