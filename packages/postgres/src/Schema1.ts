/**
 * The first schema. Every table that a tenant lists leads its indexes with the tenant; ids compare byte by byte; what is
 * searched, sorted, counted or unique is a column, and the rest of a thing is its document.
 *
 * @module
 */

const id = `text COLLATE "C"`

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  // --- partners, keys, merchants
  `CREATE TABLE partners (
    id ${id} PRIMARY KEY,
    position bigint GENERATED ALWAYS AS IDENTITY,
    document jsonb NOT NULL
  )`,
  `CREATE TABLE api_keys (
    id ${id} PRIMARY KEY,
    hash ${id} NOT NULL UNIQUE,
    partner_id ${id},
    created_at bigint NOT NULL,
    revision integer NOT NULL,
    document jsonb NOT NULL
  )`,
  `CREATE INDEX api_keys_by_partner ON api_keys (partner_id, created_at DESC, id DESC)`,
  `CREATE TABLE merchants (
    id ${id} PRIMARY KEY,
    partner_id ${id} NOT NULL,
    mode text NOT NULL,
    status text NOT NULL,
    searched text NOT NULL,
    created_at bigint NOT NULL,
    deleted_at bigint,
    revision integer NOT NULL,
    document jsonb NOT NULL
  )`,
  `CREATE INDEX merchants_listed ON merchants (partner_id, mode, created_at DESC, id DESC) WHERE deleted_at IS NULL`,
  `CREATE TABLE destinations (
    id ${id} PRIMARY KEY,
    merchant_id ${id} NOT NULL,
    chain_id bigint NOT NULL,
    token ${id} NOT NULL,
    created_at bigint NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    revision integer NOT NULL,
    document jsonb NOT NULL,
    UNIQUE (merchant_id, chain_id, token)
  )`,
  `CREATE TABLE answers (
    partner_id ${id} NOT NULL,
    mode text NOT NULL,
    endpoint text NOT NULL,
    key ${id} NOT NULL,
    fingerprint text NOT NULL,
    answer text NOT NULL,
    answered_at bigint NOT NULL,
    PRIMARY KEY (partner_id, mode, endpoint, key)
  )`,

  // --- payments
  `CREATE TABLE payments (
    id ${id} PRIMARY KEY,
    partner_id ${id} NOT NULL,
    mode text NOT NULL,
    merchant_id ${id} NOT NULL,
    revision integer NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    status text NOT NULL,
    reference text NOT NULL,
    amount_group ${id} NOT NULL,
    amount numeric(78,0) NOT NULL,
    chain_id bigint,
    token ${id},
    payer ${id},
    refund_id ${id} UNIQUE,
    is_stuck boolean NOT NULL,
    document jsonb NOT NULL
  )`,
  `CREATE INDEX payments_by_date ON payments (partner_id, mode, created_at, id)`,
  `CREATE INDEX payments_by_amount ON payments (partner_id, mode, amount_group, amount, id)`,
  `CREATE INDEX payments_of_merchant ON payments (partner_id, mode, merchant_id, created_at, id)`,
  `CREATE INDEX payments_by_status ON payments (partner_id, mode, status, created_at, id)`,
  `CREATE INDEX payments_by_chain ON payments (partner_id, mode, chain_id, created_at, id) WHERE chain_id IS NOT NULL`,
  `CREATE INDEX payments_by_token ON payments (partner_id, mode, token, created_at, id) WHERE token IS NOT NULL`,
  // Those whose time is over are expired, whether a worker has said so yet or not.
  `CREATE INDEX payments_open ON payments (partner_id, mode, expires_at) WHERE status = 'requires_action'`,
  // Every piece of three characters, spaces and punctuation too: a text can only be part of a reference that has all its
  // pieces. They carry their tenant, so that nobody's search grows with the payments of others.
  `CREATE FUNCTION reference_pieces(partner_id text, mode text, reference text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ARRAY(
      SELECT partner_id || '/' || mode || '/' || substr(reference, place, 3)
      FROM generate_series(1, length(reference) - 2) AS place
    )`,
  // New pieces wait in a list, which makes writes three times as fast; a short one, as every search reads it.
  `CREATE INDEX payments_by_reference ON payments USING gin (reference_pieces(partner_id, mode, reference))
    WITH (gin_pending_list_limit = 256)`,
  `CREATE INDEX payments_stuck ON payments (mode, created_at, id) WHERE is_stuck`,
  `CREATE TABLE claims (
    key ${id} PRIMARY KEY,
    payment_id ${id} NOT NULL
  )`,
  `CREATE TABLE collected (
    payment_id ${id} NOT NULL,
    account ${id} NOT NULL,
    sealed bytea NOT NULL,
    delete_at bigint NOT NULL,
    PRIMARY KEY (payment_id, account)
  )`,
  `CREATE INDEX collected_by_end ON collected (delete_at)`,

  // --- due work: a row is a job, and every holder gets a fence that nobody had
  `CREATE SEQUENCE fences`,
  `CREATE TABLE due_work (
    payment_id ${id} NOT NULL,
    kind text NOT NULL,
    due_at bigint NOT NULL,
    lease_until bigint NOT NULL,
    fence bigint NOT NULL,
    failures integer NOT NULL,
    PRIMARY KEY (payment_id, kind)
  )`,
  `CREATE INDEX due_work_next ON due_work (kind, greatest(due_at, lease_until), payment_id)`,

  // --- lanes
  `CREATE TABLE lanes (
    chain_id bigint NOT NULL,
    sender ${id} NOT NULL,
    next_nonce bigint NOT NULL,
    PRIMARY KEY (chain_id, sender)
  )`,
  `CREATE TABLE lane_transactions (
    chain_id bigint NOT NULL,
    sender ${id} NOT NULL,
    nonce bigint NOT NULL,
    payment_id ${id} NOT NULL,
    document jsonb NOT NULL,
    PRIMARY KEY (chain_id, sender, nonce)
  )`,

  // --- ledger
  `CREATE TABLE ledger_transactions (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    mode text NOT NULL,
    payment_id ${id},
    document jsonb NOT NULL
  )`,
  `CREATE INDEX ledger_of_payment ON ledger_transactions (payment_id, position) WHERE payment_id IS NOT NULL`,
  `CREATE TABLE ledger_balances (
    mode text NOT NULL,
    token ${id} NOT NULL,
    account ${id} NOT NULL,
    quantity numeric(80,0) NOT NULL,
    in_float boolean NOT NULL,
    document jsonb NOT NULL,
    PRIMARY KEY (mode, token, account)
  )`,

  // --- events: numbered for the feed when they are first read, so that no number is ever passed over
  `CREATE TABLE events (
    id ${id} PRIMARY KEY,
    partner_id ${id} NOT NULL,
    mode text NOT NULL,
    payment_id ${id} NOT NULL,
    state_version integer NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    sequence bigint,
    document jsonb NOT NULL
  )`,
  `CREATE INDEX events_of_payment ON events (payment_id, state_version)`,
  `CREATE INDEX events_fed ON events (partner_id, mode, sequence) WHERE sequence IS NOT NULL`,
  `CREATE INDEX events_unnumbered ON events (partner_id, mode, position) WHERE sequence IS NULL`,
  `CREATE SEQUENCE feed`,
  `CREATE TABLE endpoints (
    id ${id} PRIMARY KEY,
    partner_id ${id} NOT NULL,
    mode text NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    document jsonb NOT NULL
  )`,
  `CREATE INDEX endpoints_by_tenant ON endpoints (partner_id, mode, position)`,
  `CREATE TABLE deliveries (
    id ${id} PRIMARY KEY,
    endpoint_id ${id} NOT NULL,
    event_id ${id} NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    due_at bigint,
    lease_until bigint NOT NULL,
    fence bigint NOT NULL,
    document jsonb NOT NULL
  )`,
  `CREATE INDEX deliveries_of_endpoint ON deliveries (endpoint_id, position DESC)`,
  `CREATE INDEX deliveries_next ON deliveries (greatest(due_at, lease_until), id) WHERE due_at IS NOT NULL`,
]
