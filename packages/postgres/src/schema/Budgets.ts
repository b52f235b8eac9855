/**
 * Budgets for failed collects, and what lanes spent for accounts with code.
 *
 * @module
 */

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  `ALTER TABLE lanes ADD COLUMN spent_by_code numeric(78, 0) NOT NULL DEFAULT 0`,
  `CREATE TABLE failure_budgets (
    subject text PRIMARY KEY,
    empty_at bigint NOT NULL,
    has_paid boolean NOT NULL
  )`,
  // Writes that charge a budget take turns, in the order of the subjects, and each then reads what was written
  // meanwhile: each statement of a volatile function sees what was committed before it. Either all entries are written,
  // or none.
  `CREATE FUNCTION charge_failures(entries jsonb, moment bigint) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('failures ' || (entry->>'subject'), 0))
      FROM (SELECT entry FROM jsonb_array_elements(entries) AS entry ORDER BY entry->>'subject' COLLATE "C") AS ordered;
    IF EXISTS (
      SELECT FROM jsonb_array_elements(entries) AS entry
        LEFT JOIN failure_budgets AS budget ON budget.subject = entry->>'subject'
      WHERE greatest(coalesce(budget.empty_at, 0), moment) + (entry->>'byInMs')::bigint - moment > (entry->>'mostInMs')::bigint
    ) THEN RETURN false; END IF;
    INSERT INTO failure_budgets AS budget (subject, empty_at, has_paid)
      SELECT entry->>'subject', greatest(moment + (entry->>'byInMs')::bigint, 0), coalesce((entry->>'hasPaid')::boolean, false)
      FROM jsonb_array_elements(entries) AS entry
      ON CONFLICT (subject) DO UPDATE SET
        empty_at = greatest(greatest(budget.empty_at, moment) + excluded.empty_at - moment, 0),
        has_paid = budget.has_paid OR excluded.has_paid;
    RETURN true;
  END$$`,
]
