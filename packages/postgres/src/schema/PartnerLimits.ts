/**
 * Data for a partner's limits: what was sent, and when, and until when a share is not gathered.
 *
 * @module
 */

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  // Null for outflows that an earlier release sent: no limit was set then, so they are not counted.
  `ALTER TABLE outflows ADD COLUMN sent_with text COLLATE "C", ADD COLUMN sent_at bigint`,
  `CREATE INDEX outflows_sent ON outflows (sent_with, sent_at) WHERE sent_with IS NOT NULL`,
  // Shares are gathered from an index alone, whether they are held back or not.
  `ALTER TABLE payments ADD COLUMN payout_from bigint`,
  `DROP INDEX payments_to_pay_out`,
  `CREATE INDEX payments_to_pay_out ON payments (payout_group, created_at, id)
    INCLUDE (merchant_id, payout_quantity, payout_from) WHERE payout_group IS NOT NULL`,
]
