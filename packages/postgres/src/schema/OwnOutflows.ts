/**
 * Outflows of the operator's own money: they belong to no partner, and only one leaves an account in one token at a time.
 *
 * @module
 */

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  `ALTER TABLE outflows ALTER COLUMN partner_id DROP NOT NULL`,
  `ALTER TABLE outflows ADD COLUMN turn text COLLATE "C"`,
  `CREATE UNIQUE INDEX outflows_by_turn ON outflows (turn) WHERE turn IS NOT NULL`,
]
