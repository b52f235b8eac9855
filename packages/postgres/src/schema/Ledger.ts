/**
 * The ledger with its balances, and the effect of its transactions on merchants, from which statements are read.
 *
 * @module
 */
import { id } from "./Id.ts"

const sum = (kind: string): string =>
  `coalesce(sum(posting.delta) FILTER (WHERE starts_with(posting.account, '${kind}:')), 0)`

const names = (kind: string): string =>
  `EXISTS (SELECT FROM unnest(booked.accounts) AS account WHERE starts_with(account, '${kind}:'))`

/** The postings of a transaction, with the names of their accounts and tokens. */
const postings = `unnest(booked.accounts, booked.deltas) WITH ORDINALITY AS posting (account, delta, place)`
const token = `coalesce(booked.tokens[posting.place], booked.tokens[1])`

/** In the order in which they are run. */
export const statements: ReadonlyArray<string> = [
  // The accounts and tokens of postings are stored by their numbers, which have 8 bytes. Payers keep their names, which
  // are longer, because most of them pay once; a name that was there before is the byte of its place.
  `CREATE FUNCTION florin.shortened(names text[]) RETURNS bytea[] LANGUAGE sql VOLATILE STRICT
    RETURN ARRAY(SELECT CASE WHEN starts_with(name, 'payer:') THEN CASE WHEN array_position(names, name) < least(place, 128)
          THEN set_byte('\\x00', 0, array_position(names, name)) ELSE convert_to(name, 'UTF8') END
        ELSE int8send(florin.numbered(name)) END
      FROM unnest(names) WITH ORDINALITY AS each (name, place) ORDER BY place)`,
  `CREATE FUNCTION florin.named(short bytea[]) RETURNS text[] LANGUAGE sql STABLE STRICT
    RETURN ARRAY(SELECT CASE length(own)
        WHEN 8 THEN (SELECT name FROM florin.names WHERE number = florin.number_in(own))
        WHEN 1 THEN convert_from(short[get_byte(own, 0)], 'UTF8')
        ELSE convert_from(own, 'UTF8') END
      FROM unnest(short) WITH ORDINALITY AS each (own, place) ORDER BY place)`,
  `CREATE TABLE florin.ledger_transactions (
    position bigint GENERATED ALWAYS AS IDENTITY,
    mode text NOT NULL,
    payment_id ${id},
    key ${id},
    booked_at bigint NOT NULL DEFAULT (extract(epoch FROM statement_timestamp()) * 1000)::bigint,
    kind text NOT NULL,
    short_tokens bytea[] NOT NULL,
    short_accounts bytea[] NOT NULL,
    deltas numeric[] NOT NULL
  )`,
  `CREATE INDEX ledger_of_payment ON florin.ledger_transactions (payment_id) WHERE payment_id IS NOT NULL`,
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
  `CREATE INDEX ledger_of_merchant ON florin.ledger_balances (mode, (document #>> '{account,merchantId}'))
    WHERE document #>> '{account,_tag}' IN ('Owed', 'Kept', 'Debt')`,

  `CREATE TABLE florin.merchant_movements (
    merchant bigint NOT NULL,
    token bigint NOT NULL,
    booked_at bigint NOT NULL,
    line text NOT NULL,
    amount numeric(80,0) NOT NULL,
    fees numeric(80,0) NOT NULL,
    debt numeric(80,0) NOT NULL,
    kept numeric(80,0) NOT NULL
  )`,
  `CREATE INDEX movements_of_merchant ON florin.merchant_movements (merchant, booked_at)`,
  // Written by the database, in the same way as Statement.movement, so that no process can leave one out.
  `CREATE FUNCTION florin.note_merchant_movements() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO florin.merchant_movements (merchant, token, booked_at, line, amount, fees, debt, kept)
      SELECT florin.numbered(booked.mode || '/' || own.merchant_id), florin.numbered(own.token), booked.booked_at,
        CASE WHEN booked.kind = 'collect' THEN 'paidIn'
          WHEN ${names("payer")} THEN 'refunds'
          WHEN ${names("settled")} THEN 'paidOut'
          ELSE 'transferred' END,
        -own.owed - charged.fees - own.debt - own.kept, charged.fees, own.debt, own.kept
      FROM (SELECT *, florin.named(short_tokens) AS tokens, florin.named(short_accounts) AS accounts
        FROM booked_rows OFFSET 0) AS booked, LATERAL (
        SELECT split_part(posting.account, ':', 2) AS merchant_id, ${token} AS token,
          ${sum("owed")} AS owed, ${sum("debt")} AS debt, ${sum("kept")} AS kept
        FROM ${postings} WHERE split_part(posting.account, ':', 1) IN ('owed', 'debt', 'kept')
        GROUP BY 1, 2
      ) AS own, LATERAL (
        SELECT ${sum("fees")} AS fees FROM ${postings} WHERE ${token} = own.token
      ) AS charged;
    RETURN NULL;
  END$$`,
  `CREATE TRIGGER merchant_movements AFTER INSERT ON florin.ledger_transactions
    REFERENCING NEW TABLE AS booked_rows FOR EACH STATEMENT EXECUTE FUNCTION florin.note_merchant_movements()`,
]
