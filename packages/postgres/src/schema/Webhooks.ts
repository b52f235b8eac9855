/**
 * What partners do with their webhooks by themselves.
 *
 * @module
 */

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  // Events are written in the order of their time, nearly: blocks of them are enough to find a time, and cost no write.
  `CREATE INDEX events_by_time ON events USING brin (((document -> 'createdAt')::bigint))`,
  // Endpoints that are disabled stay, and are in nobody's way.
  `CREATE INDEX endpoints_called ON endpoints (partner_id, mode, position)
    WHERE document -> 'disabledAt' = 'null'`,
]
