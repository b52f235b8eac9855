/**
 * The audit log. The database itself refuses to change an entry, and to delete one before its retention time is over.
 *
 * @module
 */
const id = `text COLLATE "C"`

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  `CREATE TABLE audit_log (
    sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    partner_id ${id},
    mode text,
    action text NOT NULL,
    at bigint NOT NULL,
    document jsonb NOT NULL
  )`,
  `CREATE INDEX audit_log_of_partner ON audit_log (partner_id, sequence)`,
  `CREATE INDEX audit_log_by_time ON audit_log (at)`,
  // A transaction that deletes old entries must set the time before which they are old.
  `CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' AND OLD.at < nullif(current_setting('florin.audit_log_kept_from', true), '')::bigint THEN
      RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the audit log is never changed' USING ERRCODE = 'insufficient_privilege';
  END$$`,
  `CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()`,
  `CREATE TRIGGER never_emptied BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`,
]
