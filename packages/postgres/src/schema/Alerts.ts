/**
 * The state of the operator's own webhook: one row, if there ever was such a webhook.
 *
 * @module
 */

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  `CREATE TABLE alert_board (
    is_only boolean PRIMARY KEY CHECK (is_only),
    revision integer NOT NULL,
    document jsonb NOT NULL
  )`,
]
