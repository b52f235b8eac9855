/**
 * Money that goes out, and the payouts among it as partners list them. The operator's own outflows belong to no partner.
 *
 * @module
 */
import { id } from "./Id.ts"

/** In the order in which they are run. */
export const statements: ReadonlyArray<string> = [
  // The status is that of an outflow that pays merchants, and null for all others. What was sent is noted for as long as
  // a daily limit counts it.
  `CREATE TABLE florin.outflows (
    id ${id} PRIMARY KEY,
    mode text NOT NULL,
    partner_id ${id},
    turn ${id},
    revision integer NOT NULL,
    is_open boolean NOT NULL,
    payout_status text GENERATED ALWAYS AS (
      CASE WHEN document #>> '{purpose,_tag}' = 'Settle' THEN lower(document #>> '{state,_tag}') END) STORED,
    sent_with ${id},
    sent_at bigint,
    created_at bigint NOT NULL,
    document jsonb NOT NULL
  )`,
  `CREATE INDEX outflows_open ON florin.outflows (mode, created_at, id) WHERE is_open`,
  `CREATE INDEX outflows_listed ON florin.outflows (mode, created_at, id)`,
  // Only one of the operator's outflows leaves an account in one token at a time.
  `CREATE UNIQUE INDEX outflows_by_turn ON florin.outflows (turn) WHERE turn IS NOT NULL`,
  `CREATE INDEX outflows_sent ON florin.outflows (sent_with, sent_at) WHERE sent_with IS NOT NULL`,
  `CREATE INDEX payouts_listed ON florin.outflows (partner_id, mode, created_at, id) WHERE payout_status IS NOT NULL`,
  `CREATE INDEX payouts_listed_by_status ON florin.outflows (partner_id, mode, payout_status, created_at, id)
    WHERE payout_status IS NOT NULL`,

  // --- the merchants of each payout
  `CREATE TABLE florin.payout_merchants (
    merchant_id ${id} NOT NULL,
    created_at bigint NOT NULL,
    outflow_id ${id} NOT NULL,
    PRIMARY KEY (merchant_id, created_at, outflow_id)
  )`,
  `CREATE FUNCTION florin.note_payout_merchants() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO florin.payout_merchants (merchant_id, created_at, outflow_id)
      SELECT DISTINCT paid ->> 'merchantId', NEW.created_at, NEW.id FROM jsonb_array_elements(
        (NEW.document #> '{purpose,shares}') || coalesce(NEW.document #> '{purpose,advance}', '[]')) AS paid;
    RETURN NULL;
  END$$`,
  `CREATE TRIGGER payout_merchants AFTER INSERT ON florin.outflows FOR EACH ROW
    WHEN (NEW.document #>> '{purpose,_tag}' = 'Settle') EXECUTE FUNCTION florin.note_payout_merchants()`,
]
