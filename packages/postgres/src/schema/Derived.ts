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
const id = `text COLLATE "C"`

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
const changed = (row: string, sign: 1 | -1): string =>
  `INSERT INTO stats_changes
    (partner_id, mode, merchant_id, chain_id, token, day, status, amount_group, amount, payer, sign)
  SELECT ${row}.partner_id, ${row}.mode, ${row}.merchant_id, coalesce(${row}.chain_id, ''), coalesce(${row}.token, ''),
    ${row}.created_at / 86400000, ${row}.status, ${row}.amount_group, ${row}.amount, ${row}.payer, ${sign}`

const kept = (row: string): string =>
  `INSERT INTO payment_references
    (payment_id, partner_id, mode, merchant_id, created_at, amount_group, amount, reference)
  SELECT ${row}.id, ${row}.partner_id, ${row}.mode, ${row}.merchant_id, ${row}.created_at, ${row}.amount_group,
    ${row}.amount, ${row}.reference`

const rolledUp = (column: string, all: string): string =>
  `CASE WHEN grouping(${column}) = 1 THEN ${all} ELSE ${column} END AS ${column}`

/** All merchants are '*', all chains '*', all tokens '*' on all chains or on one, and all days -1. */
const scopes = `partner_id, mode, ${rolledUp("merchant_id", "'*'")}, ${rolledUp("chain_id", "'*'")}, ${rolledUp("token", "'*'")}`

/** The function that folds, with the sum of a further column of changes, if there is one. */
export const fold = (further: string | null = null): string => {
  const [column, sum, added] =
    further === null
      ? ["", "", ""]
      : [
          `, ${further}`,
          `, sum(${further})`,
          `, ${further} = total.${further} + excluded.${further}`,
        ]
  return `
DECLARE
  folded bigint;
BEGIN
  -- One at a time. Whoever comes second has nothing to do, as the first does it.
  IF NOT pg_try_advisory_xact_lock(hashtextextended('stats', 0)) THEN
    RETURN 0;
  END IF;
  WITH taken AS (
    DELETE FROM stats_changes
    WHERE position IN (SELECT position FROM stats_changes ORDER BY position LIMIT most)
    RETURNING *
  ), totalled AS (
    INSERT INTO stats_totals AS total (partner_id, mode, merchant_id, chain_id, token, day, amount_group,
      ${list((status) => status)}, revenue, changes${column})
    SELECT ${scopes}, ${rolledUp("day", "-1")}, amount_group,
      ${list((status) => `coalesce(sum(sign) FILTER (WHERE status = '${status}'), 0)`)},
      coalesce(sum(sign * amount) FILTER (WHERE status = 'succeeded'), 0), count(*)${sum}
    FROM taken
    GROUP BY partner_id, mode, amount_group, GROUPING SETS ((), (merchant_id), (chain_id, token),
      (merchant_id, chain_id, token), (day), (day, merchant_id), (day, chain_id, token))
    ON CONFLICT (partner_id, mode, merchant_id, chain_id, token, day, amount_group) DO UPDATE SET
      ${list((status) => `${status} = total.${status} + excluded.${status}`)},
      revenue = total.revenue + excluded.revenue, changes = total.changes + excluded.changes${added}
  ), moved AS (
    SELECT partner_id, mode, payer, merchant_id, chain_id, token,
      ${list((status) => `coalesce(sum(sign) FILTER (WHERE status = '${status}'), 0) AS ${status}`)}
    FROM taken WHERE payer IS NOT NULL
    GROUP BY partner_id, mode, payer, merchant_id, chain_id, token
  ), before AS (
    SELECT partner_id, mode, payer, held.*
    FROM (SELECT DISTINCT partner_id, mode, payer FROM moved) AS touched,
      LATERAL (
        SELECT merchant_id, chain_id, token, ${list((status) => status)} FROM stats_payers AS each
        WHERE each.partner_id = touched.partner_id AND each.mode = touched.mode AND each.payer = touched.payer
        OFFSET 0
      ) AS held
  ), paid AS (
    INSERT INTO stats_payers AS held (partner_id, mode, payer, merchant_id, chain_id, token, ${list((status) => status)})
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
    INSERT INTO stats_customers AS total (partner_id, mode, merchant_id, chain_id, token, customers, ${list((status) => status)})
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
}

/** Each statement is run once, in order, in one transaction. Existing payments are counted. */
export const statements: ReadonlyArray<string> = [
  // --- references
  // Every piece of three characters, spaces and punctuation too: a text can only be part of a reference that has all its
  // pieces. They carry their tenant, so that nobody's search grows with the payments of others. The function makes up an
  // index, and is much dearer than a look at the text itself.
  `CREATE FUNCTION reference_pieces(partner_id text, mode text, reference text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 5000
    RETURN ARRAY(
      SELECT partner_id || '/' || mode || '/' || substr(reference, place, 3)
      FROM generate_series(1, length(reference) - 2) AS place
    )`,
  // Written once: no later change of a payment writes its pieces again.
  `CREATE TABLE payment_references (
    payment_id ${id} NOT NULL,
    partner_id ${id} NOT NULL,
    mode text NOT NULL,
    merchant_id ${id} NOT NULL,
    created_at bigint NOT NULL,
    amount_group ${id} NOT NULL,
    amount numeric(78,0) NOT NULL,
    reference text NOT NULL
  ) WITH (parallel_workers = 0)`,

  // --- statistics
  `CREATE TABLE stats_changes (
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
    sign smallint NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`,
  `CREATE INDEX stats_changes_of_tenant ON stats_changes (partner_id, mode)`,
  // Every write takes a turn number, and at a fixed interval of turns one write folds.
  `CREATE SEQUENCE stats_turns`,
  `CREATE TABLE stats_totals (
    partner_id ${id} NOT NULL,
    mode text NOT NULL,
    merchant_id ${id} NOT NULL,
    chain_id ${id} NOT NULL,
    token ${id} NOT NULL,
    day bigint NOT NULL,
    amount_group ${id} NOT NULL,
    ${list((status) => `${status} bigint NOT NULL`)},
    revenue numeric NOT NULL,
    changes bigint NOT NULL,
    PRIMARY KEY (partner_id, mode, merchant_id, chain_id, token, day, amount_group)
  ) WITH (fillfactor = 80)`,
  `CREATE TABLE stats_payers (
    partner_id ${id} NOT NULL,
    mode text NOT NULL,
    payer ${id} NOT NULL,
    merchant_id ${id} NOT NULL,
    chain_id ${id} NOT NULL,
    token ${id} NOT NULL,
    ${list((status) => `${status} integer NOT NULL`)},
    PRIMARY KEY (partner_id, mode, payer, merchant_id, chain_id, token)
  ) WITH (fillfactor = 80)`,
  `CREATE TABLE stats_customers (
    partner_id ${id} NOT NULL,
    mode text NOT NULL,
    merchant_id ${id} NOT NULL,
    chain_id ${id} NOT NULL,
    token ${id} NOT NULL,
    customers bigint NOT NULL,
    ${list((status) => `${status} bigint NOT NULL`)},
    PRIMARY KEY (partner_id, mode, merchant_id, chain_id, token)
  ) WITH (fillfactor = 80)`,
  `CREATE FUNCTION stats_fold(most bigint) RETURNS bigint LANGUAGE plpgsql AS $$${fold()}$$`,

  // --- what follows a payment
  `CREATE FUNCTION payments_created() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    ${kept("NEW")};
    ${changed("NEW", 1)};
    RETURN NULL;
  END$$`,
  `CREATE FUNCTION payments_changed() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    ${changed("OLD", -1)};
    ${changed("NEW", 1)};
    RETURN NULL;
  END$$`,
  `CREATE TRIGGER payments_created AFTER INSERT ON payments FOR EACH ROW EXECUTE FUNCTION payments_created()`,
  `CREATE TRIGGER payments_changed AFTER UPDATE ON payments FOR EACH ROW
    WHEN ((${facts.map((each) => `OLD.${each}`).join(", ")}) IS DISTINCT FROM (${facts.map((each) => `NEW.${each}`).join(", ")}))
    EXECUTE FUNCTION payments_changed()`,

  // --- the payments that are there
  `${kept("payments")} FROM payments`,
  `CREATE INDEX payment_references_by_piece ON payment_references
    USING gin (reference_pieces(partner_id, mode, reference)) WITH (gin_pending_list_limit = 256)`,
  `${changed("payments", 1)} FROM payments`,
  `SELECT stats_fold(NULL)`,
  // All of them are folded; with a DELETE, a vacuum would have to free the space.
  `TRUNCATE stats_changes`,
  `ANALYZE payment_references`,
  `ANALYZE stats_payers`,
  `ANALYZE stats_totals`,
]
