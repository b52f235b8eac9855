/**
 * Our own transactions in their lanes, what was served of chains, and the budgets for failed collects.
 *
 * @module
 */
import { id } from "./Id.ts"

/** In the order in which they are run. */
export const statements: ReadonlyArray<string> = [
  // --- lanes, with what they spent in total and for accounts with code
  `CREATE TABLE florin.lanes (
    chain_id ${id} NOT NULL,
    sender ${id} NOT NULL,
    next_nonce bigint NOT NULL,
    spent_hour integer NOT NULL,
    spent numeric(78,0) NOT NULL,
    spent_by_code numeric(78,0) NOT NULL,
    PRIMARY KEY (chain_id, sender)
  )`,
  // By the number of their lane, whose name is its chain and its account.
  `CREATE TABLE florin.lane_transactions (
    lane bigint NOT NULL,
    nonce bigint NOT NULL,
    signed_at bigint NOT NULL,
    hash bytea NOT NULL,
    document jsonb NOT NULL,
    deflated bytea,
    PRIMARY KEY (lane, nonce)
  )`,

  // The assets and networks that were ever served.
  `CREATE TABLE florin.served (
    kind text NOT NULL,
    id ${id} NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    document jsonb NOT NULL,
    PRIMARY KEY (kind, id)
  )`,

  // --- budgets for failed collects
  `CREATE TABLE florin.failure_budgets (
    subject text PRIMARY KEY,
    empty_at bigint NOT NULL,
    has_paid boolean NOT NULL
  )`,
  // Writes that charge a budget take turns, in the order of the subjects, and each then reads what was written
  // meanwhile: each statement of a volatile function sees what was committed before it. Either all entries are written,
  // or none. An entry that charges nothing only requires room: it takes no turn and writes no row.
  `CREATE FUNCTION florin.charge_failures(entries jsonb, moment bigint) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('florin.failures ' || (entry->>'subject'), 0))
      FROM (SELECT entry FROM jsonb_array_elements(entries) AS entry
        WHERE (entry->>'byInMs')::bigint <> 0 ORDER BY entry->>'subject' COLLATE "C") AS ordered;
    IF EXISTS (
      SELECT FROM jsonb_array_elements(entries) AS entry
        LEFT JOIN florin.failure_budgets AS budget ON budget.subject = entry->>'subject'
      WHERE greatest(coalesce(budget.empty_at, 0), moment) + (entry->>'byInMs')::bigint - moment > (entry->>'mostInMs')::bigint
    ) THEN RETURN false; END IF;
    INSERT INTO florin.failure_budgets AS budget (subject, empty_at, has_paid)
      SELECT entry->>'subject', greatest(moment + (entry->>'byInMs')::bigint, 0), coalesce((entry->>'hasPaid')::boolean, false)
      FROM jsonb_array_elements(entries) AS entry WHERE (entry->>'byInMs')::bigint <> 0
      ON CONFLICT (subject) DO UPDATE SET
        empty_at = greatest(greatest(budget.empty_at, moment) + excluded.empty_at - moment, 0),
        has_paid = budget.has_paid OR excluded.has_paid;
    RETURN true;
  END$$`,
]
