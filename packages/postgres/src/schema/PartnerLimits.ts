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
  // A share is gathered by an index alone, held back or not.
  `ALTER TABLE payments ADD COLUMN payout_from bigint`,
  `DROP INDEX payments_to_pay_out`,
  `CREATE INDEX payments_to_pay_out ON payments (payout_group, created_at, id)
    INCLUDE (merchant_id, payout_quantity, payout_from) WHERE payout_group IS NOT NULL`,
]
