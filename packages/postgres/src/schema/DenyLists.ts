/**
 * The operator's deny list: one row, if there ever was one.
 *
 * @module
 */

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  `CREATE TABLE deny_list (
    is_only boolean PRIMARY KEY CHECK (is_only),
    revision integer NOT NULL,
    document jsonb NOT NULL
  )`,
]
