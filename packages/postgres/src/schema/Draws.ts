/**
 * What payments in progress will take from their accounts: of balances as well as of allowances.
 *
 * @module
 */

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  `DROP FUNCTION is_covered(text, text, text, text, jsonb, numeric, numeric)`,
  // Writes that use one account's money take turns, and each then reads what was written meanwhile: each statement of a
  // volatile function sees what was committed before it. Without `available`, nothing else may be in progress.
  `CREATE FUNCTION is_covered(own text, of_payer text, of_chain text, of_token text, flows jsonb, taken jsonb,
    wanted numeric, available numeric) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
  DECLARE committed numeric;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('allowance ' || of_chain || ' ' || of_token || ' ' || of_payer, 0));
    SELECT sum((document #>> '{state,attempt,option,quantity}')::numeric) INTO committed FROM payments
      WHERE status = 'processing' AND payer = of_payer AND chain_id = of_chain AND token = of_token
        AND flows ? (document #>> '{state,attempt,option,flow}') AND NOT taken ? id AND id <> own;
    RETURN committed IS NULL OR coalesce(committed + wanted <= available, false);
  END$$`,
  // An entry that charges nothing only requires room: it takes no turn and writes no row.
  `CREATE OR REPLACE FUNCTION charge_failures(entries jsonb, moment bigint) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('failures ' || (entry->>'subject'), 0))
      FROM (SELECT entry FROM jsonb_array_elements(entries) AS entry
        WHERE (entry->>'byInMs')::bigint <> 0 ORDER BY entry->>'subject' COLLATE "C") AS ordered;
    IF EXISTS (
      SELECT FROM jsonb_array_elements(entries) AS entry
        LEFT JOIN failure_budgets AS budget ON budget.subject = entry->>'subject'
      WHERE greatest(coalesce(budget.empty_at, 0), moment) + (entry->>'byInMs')::bigint - moment > (entry->>'mostInMs')::bigint
    ) THEN RETURN false; END IF;
    INSERT INTO failure_budgets AS budget (subject, empty_at, has_paid)
      SELECT entry->>'subject', greatest(moment + (entry->>'byInMs')::bigint, 0), coalesce((entry->>'hasPaid')::boolean, false)
      FROM jsonb_array_elements(entries) AS entry WHERE (entry->>'byInMs')::bigint <> 0
      ON CONFLICT (subject) DO UPDATE SET
        empty_at = greatest(greatest(budget.empty_at, moment) + excluded.empty_at - moment, 0),
        has_paid = budget.has_paid OR excluded.has_paid;
    RETURN true;
  END$$`,
]
