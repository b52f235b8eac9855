/**
 * Destinations that take effect after a delay, and that are kept after they are deleted.
 *
 * @module
 */

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  // The table gets a new name, so that a process of the previous release neither treats a waiting change as effective,
  // nor replaces a destination without its delay: it finds no table, and writes nothing. Existing destinations are in
  // effect.
  `ALTER TABLE destinations RENAME TO settlement_destinations`,
  `ALTER TABLE settlement_destinations ADD COLUMN deleted_at bigint`,
  `CREATE INDEX events_of_destinations ON events ((document ->> 'merchantId'), position)
    WHERE starts_with(payment_id, 'crypto_')`,
  `CREATE INDEX ledger_owed ON ledger_balances (account) WHERE account LIKE 'owed:%'`,
]
