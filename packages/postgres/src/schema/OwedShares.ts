/**
 * Shares that merchants are owed, and that have no destination until one is registered.
 *
 * @module
 */

const isOwed = `document #>> '{state,settlement,_tag}' IS NOT DISTINCT FROM 'Owed'`

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  `ALTER TABLE payments ADD COLUMN is_owed boolean NOT NULL DEFAULT false`,
  `UPDATE payments SET is_owed = true WHERE status = 'succeeded' AND ${isOwed}`,
  `CREATE INDEX payments_owed ON payments (merchant_id, chain_id, token, created_at, id) WHERE is_owed`,
  // By a trigger, so that no process that writes payments can leave it out.
  `CREATE FUNCTION payments_change_owed() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.is_owed := NOT NEW.is_owed;
    RETURN NEW;
  END$$`,
  `CREATE TRIGGER payments_change_owed BEFORE UPDATE ON payments FOR EACH ROW
    WHEN (NEW.status = 'succeeded' AND NEW.is_owed IS DISTINCT FROM (NEW.${isOwed}))
    EXECUTE FUNCTION payments_change_owed()`,
  // Shares that have a destination by now are settled by the first worker that looks at one of them.
  `INSERT INTO due_work (subject_id, kind, due_at, lease_until, fence, failures, chain_id, partner_id)
    SELECT DISTINCT ON (each.merchant_id, each.chain_id, each.token)
      each.id, 'settle', last.created_at, 0, nextval('fences'), 0, each.chain_id, each.partner_id
    FROM payments AS each
      JOIN settlement_destinations AS last ON last.merchant_id = each.merchant_id
        AND last.chain_id = each.chain_id AND last.token = each.token AND last.deleted_at IS NULL
    WHERE each.is_owed
    ORDER BY each.merchant_id, each.chain_id, each.token, each.created_at, each.id
    ON CONFLICT (subject_id, kind) DO NOTHING`,
]
