/**
 * The assets and networks that were ever served. Amounts in a token sort by its contract: its symbol is the catalog's.
 *
 * @module
 */

const sorted = ["payments", "payment_references", "stats_changes", "stats_totals"]

export const statements: ReadonlyArray<string> = [
  `CREATE TABLE served (
    kind text NOT NULL,
    id text COLLATE "C" NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    document jsonb NOT NULL,
    PRIMARY KEY (kind, id)
  )`,
  // All copies of the column are renamed here, so no trigger needs to follow.
  `ALTER TABLE payments DISABLE TRIGGER USER`,
  ...sorted.map(
    (
      table,
    ) => `UPDATE ${table} SET amount_group = regexp_replace(amount_group, '^token/[^/]*/', 'token/')
      WHERE amount_group LIKE 'token/%/%/%'`,
  ),
  `ALTER TABLE payments ENABLE TRIGGER USER`,
]
