/**
 * What merchants owe beyond their open shares, and the refunds for which their shares are kept.
 *
 * @module
 */

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  // What a refund needs, by mode, token and merchant, until it is sent.
  `ALTER TABLE payments ADD COLUMN refund_need text COLLATE "C"`,
  `UPDATE payments SET refund_need = mode || '/' || (document #>> '{state,refund,token,chainId}') || ':'
      || (document #>> '{state,refund,token,address}') || '/' || merchant_id
    WHERE refund_id IS NOT NULL AND document #>> '{state,refund,state,_tag}' = 'Pending'
      AND document #>> '{state,refund,drawsOnFloat}' = 'true'`,
  `CREATE INDEX payments_in_need ON payments (refund_need, created_at, id) WHERE refund_need IS NOT NULL`,
  `CREATE INDEX ledger_debts ON ledger_balances (mode, account) WHERE account LIKE 'debt:%'`,
]
