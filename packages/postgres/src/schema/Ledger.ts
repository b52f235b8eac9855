/**
 * The ledger with its balances, and the effect of its transactions on merchants, from which statements are read.
 *
 * @module
 */
import { id } from "./Id.ts"

const sum = (tag: string): string =>
  `coalesce(sum((posting ->> 'delta')::numeric) FILTER (WHERE posting #>> '{account,_tag}' = '${tag}'), 0)`

const names = (tag: string): string =>
  `booked.document -> 'postings' @> '[{"account":{"_tag":"${tag}"}}]'`

/** In the order in which they are run. */
export const statements: ReadonlyArray<string> = [
  `CREATE TABLE florin.ledger_transactions (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    mode text NOT NULL,
    payment_id ${id},
    key ${id},
    booked_at bigint NOT NULL DEFAULT (extract(epoch FROM statement_timestamp()) * 1000)::bigint,
    document jsonb NOT NULL
  )`,
  `CREATE INDEX ledger_of_payment ON florin.ledger_transactions (payment_id, position) WHERE payment_id IS NOT NULL`,
  `CREATE UNIQUE INDEX ledger_by_key ON florin.ledger_transactions (key) WHERE key IS NOT NULL`,
  `CREATE TABLE florin.ledger_balances (
    mode text NOT NULL,
    token ${id} NOT NULL,
    account ${id} NOT NULL,
    quantity numeric(80,0) NOT NULL,
    in_float boolean NOT NULL,
    document jsonb NOT NULL,
    PRIMARY KEY (mode, token, account)
  )`,
  // An account's token balance beyond what is owed from it is the sum of these. Balances change in place.
  `CREATE INDEX ledger_float ON florin.ledger_balances (mode, token, (document #>> '{account,address}')) WHERE in_float`,
  `CREATE INDEX ledger_debts ON florin.ledger_balances (mode, account) WHERE account LIKE 'debt:%'`,
  `CREATE INDEX ledger_owed ON florin.ledger_balances (account) WHERE account LIKE 'owed:%'`,
  `CREATE INDEX ledger_of_merchant ON florin.ledger_balances (mode, (document #>> '{account,merchantId}'))
    WHERE document #>> '{account,_tag}' IN ('Owed', 'Kept', 'Debt')`,

  `CREATE TABLE florin.merchant_movements (
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
  `CREATE INDEX movements_of_merchant ON florin.merchant_movements (mode, merchant_id, booked_at)
    INCLUDE (token, line, amount, fees, debt, kept)`,
  // Written by the database, in the same way as Statement.movement, so that no process can leave one out.
  `CREATE FUNCTION florin.note_merchant_movements() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO florin.merchant_movements (mode, merchant_id, token, booked_at, line, amount, fees, debt, kept)
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
  `CREATE TRIGGER merchant_movements AFTER INSERT ON florin.ledger_transactions
    REFERENCING NEW TABLE AS booked FOR EACH STATEMENT EXECUTE FUNCTION florin.note_merchant_movements()`,
]
