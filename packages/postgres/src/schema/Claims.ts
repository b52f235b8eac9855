/**
 * Transfers on chain: those that payments and outflows claim, and inflows that no payment claimed.
 *
 * @module
 */
import { id } from "./Id.ts"

/** How long the part of a claim's key is that all transfers of a transaction have in common. */
export const prefixLength = 32

/** In the order in which they are run. */
export const statements: ReadonlyArray<string> = [
  // --- claims: the subject is a payment, an outflow or an inflow
  // A key is a digest of the claim's text, which is long, and kept for ever. Those of one transaction's transfers begin
  // with that of their common prefix, and end with the index of the log.
  `CREATE FUNCTION florin.claim_key(claim text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN starts_with(claim, 'transfer:')
      THEN sha256(convert_to(substring(claim FROM '^.*:'), 'UTF8')) || convert_to(substring(claim FROM '[^:]*$'), 'UTF8')
      ELSE sha256(convert_to(claim, 'UTF8')) END`,
  `CREATE TABLE florin.claims (
    key bytea PRIMARY KEY,
    subject_id ${id} NOT NULL
  )`,
  // Separate from the claims, which are found by their key alone: these are read by block, and change when a chain
  // does.
  `CREATE TABLE florin.resting_transfers (
    chain bigint NOT NULL,
    log_index bigint NOT NULL,
    block_number bigint NOT NULL,
    tx_hash bytea NOT NULL,
    block_hash bytea NOT NULL,
    subject_id ${id} NOT NULL
  )`,
  // Of the transfers in a block, which are few, none is there twice: the key of their claims sees to it.
  `CREATE INDEX resting_by_block ON florin.resting_transfers (chain, block_number)`,

  // --- inflows
  `CREATE TABLE florin.inflows (
    id ${id} PRIMARY KEY,
    mode text NOT NULL,
    chain_id ${id} NOT NULL,
    token ${id} NOT NULL,
    tx_hash ${id} NOT NULL,
    log_index bigint NOT NULL,
    quantity numeric NOT NULL,
    found_at bigint NOT NULL,
    revision integer NOT NULL,
    is_suspended boolean NOT NULL,
    is_missed boolean NOT NULL,
    payment_id ${id},
    document jsonb NOT NULL
  )`,
  `CREATE INDEX inflows_by_transaction ON florin.inflows (tx_hash)`,
  // An index without the quantity would read all dust that strangers sent to find relevant transfers.
  `CREATE INDEX inflows_suspended ON florin.inflows (mode, token, quantity) WHERE is_suspended`,
  `CREATE INDEX inflows_missed ON florin.inflows (mode, chain_id) WHERE is_missed`,
  `CREATE INDEX inflows_by_payment ON florin.inflows (payment_id) WHERE payment_id IS NOT NULL`,
]
