/**
 * The effect of ledger transactions on merchants, and when they were booked: statements are read from it.
 *
 * @module
 */

const id = `text COLLATE "C"`

const sum = (tag: string): string =>
  `coalesce(sum((posting ->> 'delta')::numeric) FILTER (WHERE posting #>> '{account,_tag}' = '${tag}'), 0)`

const names = (tag: string): string =>
  `booked.document -> 'postings' @> '[{"account":{"_tag":"${tag}"}}]'`

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  // Null for transactions from before this version: they count as booked before every period.
  `ALTER TABLE ledger_transactions ADD COLUMN booked_at bigint`,
  `ALTER TABLE ledger_transactions ALTER COLUMN booked_at
    SET DEFAULT (extract(epoch FROM statement_timestamp()) * 1000)::bigint`,
  `CREATE TABLE merchant_movements (
    mode text NOT NULL,
    merchant_id ${id} NOT NULL,
    token ${id} NOT NULL,
    booked_at bigint NOT NULL,
    line text NOT NULL,
    amount numeric(80,0) NOT NULL,
    fees numeric(80,0) NOT NULL,
    debt numeric(80,0) NOT NULL,
    kept numeric(80,0) NOT NULL
  )`,
  `CREATE INDEX movements_of_merchant ON merchant_movements (mode, merchant_id, booked_at)
    INCLUDE (token, line, amount, fees, debt, kept)`,
  `CREATE INDEX ledger_of_merchant ON ledger_balances (mode, (document #>> '{account,merchantId}'))
    WHERE document #>> '{account,_tag}' IN ('Owed', 'Kept', 'Debt')`,
  // Written by the database, in the same way as Statement.movement, so that no process can leave one out.
  `CREATE FUNCTION note_merchant_movements() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO merchant_movements (mode, merchant_id, token, booked_at, line, amount, fees, debt, kept)
      SELECT booked.mode, own.merchant_id, own.token, booked.booked_at,
        CASE WHEN booked.document ->> 'kind' = 'collect' THEN 'paidIn'
          WHEN ${names("Payer")} THEN 'refunds'
          WHEN ${names("Settled")} THEN 'paidOut'
          ELSE 'transferred' END,
        -own.owed - charged.fees - own.debt - own.kept, charged.fees, own.debt, own.kept
      FROM booked, LATERAL (
        SELECT posting #>> '{account,merchantId}' AS merchant_id, posting -> 'token' AS of,
          (posting #>> '{token,chainId}') || ':' || (posting #>> '{token,address}') AS token,
          ${sum("Owed")} AS owed, ${sum("Debt")} AS debt, ${sum("Kept")} AS kept
        FROM jsonb_array_elements(booked.document -> 'postings') AS posting
        WHERE posting #>> '{account,_tag}' IN ('Owed', 'Debt', 'Kept')
        GROUP BY 1, 2, 3
      ) AS own, LATERAL (
        SELECT ${sum("Fees")} AS fees FROM jsonb_array_elements(booked.document -> 'postings') AS posting
        WHERE posting -> 'token' = own.of
      ) AS charged;
    RETURN NULL;
  END$$`,
  `CREATE TRIGGER merchant_movements AFTER INSERT ON ledger_transactions
    REFERENCING NEW TABLE AS booked FOR EACH STATEMENT EXECUTE FUNCTION note_merchant_movements()`,
]
