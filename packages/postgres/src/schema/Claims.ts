/**
 * Transfers on chain: those that payments and outflows claim, and inflows that no payment claimed.
 *
 * @module
 */
import { id } from "./Id.ts"

/** In the order in which they are run. */
export const statements: ReadonlyArray<string> = [
  // --- claims: the subject is a payment, an outflow or an inflow
  `CREATE TABLE florin.claims (
    key ${id} PRIMARY KEY,
    subject_id ${id} NOT NULL
  )`,
  // Separate from the claims, which are found by their key alone: these are read by block, and change when a chain
  // does.
  `CREATE TABLE florin.resting_transfers (
    mode text NOT NULL,
    chain_id ${id} NOT NULL,
    block_number bigint NOT NULL,
    claim ${id} NOT NULL,
    block_hash text NOT NULL,
    subject_id ${id} NOT NULL,
    PRIMARY KEY (mode, chain_id, block_number, claim)
  )`,

  // --- inflows, and how far each chain was scanned for it
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
  `CREATE TABLE florin.scans (
    mode text NOT NULL,
    chain_id ${id} NOT NULL,
    block_number bigint NOT NULL,
    PRIMARY KEY (mode, chain_id)
  )`,
]
