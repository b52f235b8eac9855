/**
 * Indexes for partners' own management of their webhooks.
 *
 * @module
 */

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  // Events are written nearly in the order of their time, so a block-range index is enough to find a time, and costs no
  // write.
  `CREATE INDEX events_by_time ON events USING brin (((document -> 'createdAt')::bigint))`,
  // Disabled endpoints stay, and slow nothing down.
  `CREATE INDEX endpoints_called ON endpoints (partner_id, mode, position)
    WHERE document -> 'disabledAt' = 'null'`,
]
