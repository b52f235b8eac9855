/**
 * Payers' collected data, for each session in which a payment's options were requested.
 *
 * @module
 */

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  // Data that was collected before there were sessions belongs to none, and counts for none.
  `ALTER TABLE collected ADD COLUMN session text COLLATE "C" NOT NULL DEFAULT ''`,
  `ALTER TABLE collected DROP CONSTRAINT collected_pkey`,
  `ALTER TABLE collected ADD PRIMARY KEY (payment_id, account, session)`,
]
