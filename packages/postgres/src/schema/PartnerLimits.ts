/**
 * What a partner's limits count and hold back: what was sent, and when, and until when a share is not gathered.
 *
 * @module
 */

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  // Null for what a release before this one sent: no limit was set then, so nothing counts it.
  `ALTER TABLE outflows ADD COLUMN sent_with text COLLATE "C", ADD COLUMN sent_at bigint`,
  `CREATE INDEX outflows_sent ON outflows (sent_with, sent_at) WHERE sent_with IS NOT NULL`,
]
