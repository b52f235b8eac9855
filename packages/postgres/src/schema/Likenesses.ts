/**
 * The keys by which names are compared, and merchants that wait for the operator. Both are in the documents.
 *
 * A name from an earlier release has no likenesses: they are computed before the next comparison. The same is true for
 * a name that a process of an earlier release changes from now on, because it does not write them.
 *
 * @module
 */

/** The names that payers may see and that are compared: not those of test merchants. */
const compared = "mode = 'live' AND deleted_at IS NULL"

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  `CREATE INDEX merchants_by_likeness ON merchants USING gin ((document -> 'likenesses')) WHERE ${compared}`,
  `CREATE INDEX merchants_without_likeness ON merchants (id) WHERE ${compared} AND NOT document ? 'likenesses'`,
  `CREATE INDEX partners_by_likeness ON partners USING gin ((document -> 'likenesses'))`,
  // Existing merchants count as approved.
  `ALTER TABLE merchants ADD COLUMN waits boolean NOT NULL DEFAULT false`,
  `CREATE INDEX merchants_waiting ON merchants (created_at, id) WHERE waits`,
  // A process of schema 18 that still runs does not write this column: a merchant that it changes continues to wait.
  `CREATE FUNCTION merchants_still_wait() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.document := NEW.document || jsonb_build_object('waiting', OLD.document -> 'waiting');
    RETURN NEW;
  END$$`,
  `CREATE TRIGGER merchants_still_wait BEFORE UPDATE ON merchants FOR EACH ROW
    WHEN (NEW.waits AND NOT NEW.document ? 'waiting') EXECUTE FUNCTION merchants_still_wait()`,
]
