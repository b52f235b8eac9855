/**
 * How much of their accounts' allowances payments in progress will use.
 *
 * @module
 */

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  `CREATE INDEX payments_in_processing ON payments (payer, chain_id, token) WHERE status = 'processing'`,
  // Writes that use one allowance take turns, and each then reads what was written meanwhile: each statement of a
  // volatile function sees what was committed before it.
  `CREATE FUNCTION is_covered(own text, of_payer text, of_chain text, of_token text, flows jsonb,
    wanted numeric, allowance numeric) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
  DECLARE committed numeric;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('allowance ' || of_chain || ' ' || of_token || ' ' || of_payer, 0));
    SELECT sum((document #>> '{state,attempt,option,quantity}')::numeric) INTO committed FROM payments
      WHERE status = 'processing' AND payer = of_payer AND chain_id = of_chain AND token = of_token
        AND flows ? (document #>> '{state,attempt,option,flow}') AND id <> own;
    RETURN committed IS NULL OR committed + wanted <= allowance;
  END$$`,
]
