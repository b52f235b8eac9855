/**
 * Payouts as partners list them: by state, and by each of the paid merchants.
 *
 * @module
 */

const id = `text COLLATE "C"`

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  // The state of an outflow that pays merchants; null for all others.
  `ALTER TABLE outflows ADD COLUMN payout_status text GENERATED ALWAYS AS (
    CASE WHEN document #>> '{purpose,_tag}' = 'Settle' THEN lower(document #>> '{state,_tag}') END) STORED`,
  `CREATE INDEX payouts_listed ON outflows (partner_id, mode, created_at, id) WHERE payout_status IS NOT NULL`,
  `CREATE INDEX payouts_listed_by_status ON outflows (partner_id, mode, payout_status, created_at, id)
    WHERE payout_status IS NOT NULL`,
  `CREATE TABLE payout_merchants (
    merchant_id ${id} NOT NULL,
    created_at bigint NOT NULL,
    outflow_id ${id} NOT NULL,
    PRIMARY KEY (merchant_id, created_at, outflow_id)
  )`,
  // Written by the database, so that a process of the previous schema, which may still run, leaves out no payout.
  `CREATE FUNCTION note_payout_merchants() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO payout_merchants (merchant_id, created_at, outflow_id)
      SELECT DISTINCT paid ->> 'merchantId', NEW.created_at, NEW.id FROM jsonb_array_elements(
        (NEW.document #> '{purpose,shares}') || coalesce(NEW.document #> '{purpose,advance}', '[]')) AS paid;
    RETURN NULL;
  END$$`,
  `CREATE TRIGGER payout_merchants AFTER INSERT ON outflows FOR EACH ROW
    WHEN (NEW.document #>> '{purpose,_tag}' = 'Settle') EXECUTE FUNCTION note_payout_merchants()`,
  `INSERT INTO payout_merchants (merchant_id, created_at, outflow_id)
    SELECT DISTINCT paid ->> 'merchantId', created_at, id
    FROM outflows, jsonb_array_elements(
      (document #> '{purpose,shares}') || coalesce(document #> '{purpose,advance}', '[]')) AS paid
    WHERE payout_status IS NOT NULL`,
]
