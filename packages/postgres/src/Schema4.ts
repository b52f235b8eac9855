/**
 * The fourth schema: what a reorganisation deeper than a chain's policy is told by, and found with. Nothing that is there
 * is touched, so processes of the release before write on meanwhile.
 *
 * @module
 */
const id = `text COLLATE "C"`

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  `CREATE TABLE chain_states (
    mode text NOT NULL,
    chain_id bigint NOT NULL,
    revision integer NOT NULL,
    document jsonb NOT NULL,
    PRIMARY KEY (mode, chain_id)
  )`,
  // Beside the claims, which are found by their key alone: these are read by block, and change when a chain does.
  `CREATE TABLE resting_transfers (
    mode text NOT NULL,
    chain_id bigint NOT NULL,
    block_number bigint NOT NULL,
    claim ${id} NOT NULL,
    block_hash text NOT NULL,
    payment_id ${id} NOT NULL,
    PRIMARY KEY (mode, chain_id, block_number, claim)
  )`,
]
