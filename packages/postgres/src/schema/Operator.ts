/**
 * The operator's audit log, and states of which a service has one each. The database itself refuses to change an
 * entry of the log, and to delete one before its retention time is over.
 *
 * @module
 */
import { id } from "./Id.ts"
import * as Names from "./Names.ts"

/** In the order in which they are run. */
export const statements: ReadonlyArray<string> = [
  `CREATE TABLE florin.audit_log (
    sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    partner bigint,
    at bigint NOT NULL,
    mode text,
    action text NOT NULL,
    document jsonb NOT NULL
  )`,
  `CREATE INDEX audit_log_of_partner ON florin.audit_log (partner, sequence)`,
  `CREATE INDEX audit_log_by_time ON florin.audit_log ${Names.inOrderOf("at")}`,
  // A transaction that deletes old entries must set the time before which they are old.
  `CREATE FUNCTION florin.refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' AND OLD.at < nullif(current_setting('audit_log.kept_from', true), '')::bigint THEN
      RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the audit log is never changed' USING ERRCODE = 'insufficient_privilege';
  END$$`,
  `CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON florin.audit_log FOR EACH ROW EXECUTE FUNCTION florin.refuse_audit_change()`,
  `CREATE TRIGGER never_emptied BEFORE TRUNCATE ON florin.audit_log FOR EACH STATEMENT EXECUTE FUNCTION florin.refuse_audit_change()`,

  // --- the state of the operator's own webhook, the deny list, and what is remembered of each chain, by its mode and id
  `CREATE TABLE florin.states (
    name ${id} PRIMARY KEY,
    revision integer NOT NULL,
    document jsonb NOT NULL
  )`,
]
