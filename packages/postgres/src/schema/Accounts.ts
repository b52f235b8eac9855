/**
 * Partners, their keys, merchants with their destinations, and the responses to their requests.
 *
 * @module
 */
import { id } from "./Id.ts"

/** In the order in which they are run. */
export const statements: ReadonlyArray<string> = [
  // --- partners
  `CREATE TABLE florin.partners (
    id ${id} PRIMARY KEY,
    position bigint GENERATED ALWAYS AS IDENTITY,
    document jsonb NOT NULL
  )`,
  `CREATE INDEX partners_by_likeness ON florin.partners USING gin ((document -> 'likenesses'))`,

  // --- keys
  `CREATE TABLE florin.api_keys (
    id ${id} PRIMARY KEY,
    hash ${id} NOT NULL UNIQUE,
    partner_id ${id},
    created_at bigint NOT NULL,
    revision integer NOT NULL,
    document jsonb NOT NULL
  )`,
  `CREATE INDEX api_keys_by_partner ON florin.api_keys (partner_id, created_at DESC, id DESC)`,

  // --- merchants
  `CREATE TABLE florin.merchants (
    id ${id} PRIMARY KEY,
    partner_id ${id} NOT NULL,
    mode text NOT NULL,
    status text NOT NULL,
    searched text NOT NULL,
    waits boolean NOT NULL,
    created_at bigint NOT NULL,
    deleted_at bigint,
    revision integer NOT NULL,
    document jsonb NOT NULL
  )`,
  // Deleted ones, too: they are few, and have balances.
  `CREATE INDEX merchants_listed ON florin.merchants (partner_id, mode, created_at DESC, id DESC) INCLUDE (deleted_at)`,
  `CREATE INDEX merchants_by_age ON florin.merchants (created_at DESC, id DESC)`,
  // The names that payers may see and that are compared: not those of test merchants.
  `CREATE INDEX merchants_by_likeness ON florin.merchants USING gin ((document -> 'likenesses'))
    WHERE mode = 'live' AND deleted_at IS NULL`,
  `CREATE INDEX merchants_waiting ON florin.merchants (created_at, id) WHERE waits`,

  // --- destinations, which are kept after they are deleted
  `CREATE TABLE florin.settlement_destinations (
    id ${id} PRIMARY KEY,
    merchant_id ${id} NOT NULL,
    chain_id ${id} NOT NULL,
    token ${id} NOT NULL,
    created_at bigint NOT NULL,
    deleted_at bigint,
    position bigint GENERATED ALWAYS AS IDENTITY,
    revision integer NOT NULL,
    document jsonb NOT NULL,
    UNIQUE (merchant_id, chain_id, token)
  )`,

  // --- responses by idempotency key
  `CREATE TABLE florin.answers (
    partner_id ${id} NOT NULL,
    mode text NOT NULL,
    endpoint text NOT NULL,
    key ${id} NOT NULL,
    fingerprint text NOT NULL,
    answer text NOT NULL,
    answered_at bigint NOT NULL,
    PRIMARY KEY (partner_id, mode, endpoint, key)
  )`,
  `CREATE INDEX answers_by_time ON florin.answers (answered_at)`,
]
