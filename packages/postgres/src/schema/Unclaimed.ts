/**
 * Money that no payment claims, and how far each chain was scanned for it.
 *
 * @module
 */

const id = `text COLLATE "C"`

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  `CREATE TABLE unclaimed_transfers (
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
    document jsonb NOT NULL
  )`,
  `CREATE INDEX unclaimed_by_transaction ON unclaimed_transfers (tx_hash)`,
  // An index without the quantity would read all dust that strangers sent to find relevant transfers.
  `CREATE INDEX unclaimed_suspended ON unclaimed_transfers (mode, token, quantity) WHERE is_suspended`,
  `CREATE INDEX unclaimed_missed ON unclaimed_transfers (mode, chain_id) WHERE is_missed`,
  `CREATE TABLE scans (
    mode text NOT NULL,
    chain_id ${id} NOT NULL,
    block_number bigint NOT NULL,
    PRIMARY KEY (mode, chain_id)
  )`,
]
