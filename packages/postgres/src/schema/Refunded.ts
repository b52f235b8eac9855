/**
 * Adds refunds to the statistics.
 *
 * @module
 */
import * as Derived from "./Derived.ts"

/** A change that counts no payment, and whose payer counts no customer. */
const noted = (row: string): string =>
  `INSERT INTO stats_changes
    (partner_id, mode, merchant_id, chain_id, token, day, status, amount_group, amount, sign, refunded)
  SELECT ${row}.partner_id, ${row}.mode, ${row}.merchant_id, coalesce(${row}.chain_id, ''), coalesce(${row}.token, ''),
    ${row}.created_at / 86400000, ${row}.status, ${row}.amount_group, ${row}.amount, 0, ${row}.amount`

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  // Few payments are refunded: those of a list are summed without reading the others.
  `CREATE INDEX payments_refunded ON payments (partner_id, mode, created_at, id)
    INCLUDE (merchant_id, status, chain_id, token, amount_group, amount) WHERE refund_id IS NOT NULL`,
  `ALTER TABLE stats_changes ADD COLUMN refunded numeric(78,0) NOT NULL DEFAULT 0`,
  `ALTER TABLE stats_totals ADD COLUMN refunded numeric NOT NULL DEFAULT 0`,
  `CREATE OR REPLACE FUNCTION stats_fold(most bigint) RETURNS bigint LANGUAGE plpgsql AS $$${Derived.fold("refunded")}$$`,
  // By a trigger, so that no process that writes payments can leave it out. A refund is requested once, and stays.
  `CREATE FUNCTION payments_refunded() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    ${noted("NEW")};
    RETURN NULL;
  END$$`,
  `CREATE TRIGGER payments_refunded AFTER UPDATE ON payments FOR EACH ROW
    WHEN (OLD.refund_id IS NULL AND NEW.refund_id IS NOT NULL) EXECUTE FUNCTION payments_refunded()`,
  `CREATE TRIGGER payments_created_refunded AFTER INSERT ON payments FOR EACH ROW
    WHEN (NEW.refund_id IS NOT NULL) EXECUTE FUNCTION payments_refunded()`,
  `${noted("payments")} FROM payments WHERE refund_id IS NOT NULL`,
  `SELECT stats_fold(NULL)`,
]
