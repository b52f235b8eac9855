/**
 * The second schema: answers are found by their time, so that old ones can be deleted; most payments have no refund, and
 * take no place in its index; lanes know what they spent; a movement of the operator's own has a key, and is written once.
 *
 * Processes of the release before may write meanwhile, so tables are locked in the order in which writes lock them, and
 * each as much as is needed from the beginning.
 *
 * @module
 */

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  `CREATE INDEX answers_by_time ON answers (answered_at)`,
  `ALTER TABLE payments DROP CONSTRAINT payments_refund_id_key`,
  `CREATE UNIQUE INDEX payments_by_refund ON payments (refund_id) WHERE refund_id IS NOT NULL`,
  // A payment has one refund, for ever: whatever is decided, no other takes its place.
  `CREATE FUNCTION refuse_other_refund() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'the payment has a refund' USING ERRCODE = 'unique_violation', CONSTRAINT = 'one_refund';
  END$$`,
  `CREATE TRIGGER one_refund BEFORE UPDATE OF refund_id ON payments FOR EACH ROW
    WHEN (OLD.refund_id IS NOT NULL AND NEW.refund_id IS DISTINCT FROM OLD.refund_id)
    EXECUTE FUNCTION refuse_other_refund()`,
  // What each lane may still spend on gas.
  `ALTER TABLE lanes ADD COLUMN spent_hour integer NOT NULL DEFAULT 0,
    ADD COLUMN spent numeric(78,0) NOT NULL DEFAULT 0`,
  `ALTER TABLE ledger_transactions ADD COLUMN key text COLLATE "C"`,
  `CREATE UNIQUE INDEX ledger_by_key ON ledger_transactions (key) WHERE key IS NOT NULL`,
]
