/**
 * The keys of payers' collected data, one for each record, in a table of their own that backups can leave out.
 *
 * @module
 */
const id = `text COLLATE "C"`

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  // Data that was sealed without a key stays readable until it is deleted.
  `ALTER TABLE collected ADD COLUMN has_key boolean NOT NULL DEFAULT false`,
  `CREATE TABLE collected_keys (
    payment_id ${id} NOT NULL,
    account ${id} NOT NULL,
    session ${id} NOT NULL,
    key bytea NOT NULL,
    PRIMARY KEY (payment_id, account, session),
    FOREIGN KEY (payment_id, account, session) REFERENCES collected ON DELETE CASCADE
  )`,
  `CREATE INDEX collected_of_account ON collected (account)`,
]
