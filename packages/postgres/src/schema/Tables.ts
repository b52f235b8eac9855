/**
 * The tables. If a tenant lists a table, its indexes begin with the tenant. Ids compare byte by byte. Values that are
 * searched, sorted, counted or unique are columns, and the rest of a record is its document.
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
    chain_id ${id} NOT NULL,
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
  `CREATE INDEX answers_by_time ON answers (answered_at)`,

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
    chain_id ${id},
    token ${id},
    payer ${id},
    refund_id ${id},
    is_stuck boolean NOT NULL,
    payout_group ${id},
    payout_quantity numeric(78,0),
    document jsonb NOT NULL
  )`,
  // Each index has all columns of filters and sort orders, so that no list reads the payments themselves.
  `CREATE INDEX payments_listed_by_date ON payments (partner_id, mode, created_at, id)
    INCLUDE (merchant_id, status, expires_at, chain_id, token, payer, reference, amount_group, amount)`,
  `CREATE INDEX payments_listed_by_amount ON payments (partner_id, mode, amount_group, amount, id)
    INCLUDE (merchant_id, status, expires_at, chain_id, token, reference, created_at)`,
  `CREATE INDEX payments_listed_by_merchant ON payments (partner_id, mode, merchant_id, created_at, id)
    INCLUDE (status, expires_at, chain_id, token, payer, reference, amount_group, amount)`,
  `CREATE INDEX payments_listed_by_merchant_and_amount ON payments
    (partner_id, mode, merchant_id, amount_group, amount, id)
    INCLUDE (status, expires_at, chain_id, token, reference, created_at)`,
  `CREATE INDEX payments_listed_by_status ON payments (partner_id, mode, status, created_at, id)
    INCLUDE (merchant_id, expires_at, chain_id, token, reference, amount_group, amount)`,
  `CREATE INDEX payments_listed_by_token ON payments (partner_id, mode, chain_id, token, created_at, id)
    INCLUDE (merchant_id, status, expires_at, reference, amount_group, amount) WHERE chain_id IS NOT NULL`,
  `CREATE INDEX payments_still_open ON payments (partner_id, mode, expires_at)
    INCLUDE (created_at, merchant_id, chain_id, token) WHERE status = 'requires_action'`,
  // Parallel workers take longer to start than most reads, and take their time from others. An index-only scan needs a
  // table that was vacuumed since the last change.
  `ALTER TABLE payments SET (parallel_workers = 0,
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05)`,
  `CREATE UNIQUE INDEX payments_by_refund ON payments (refund_id) WHERE refund_id IS NOT NULL`,
  // A payment has one refund for ever: no other may replace it.
  `CREATE FUNCTION refuse_other_refund() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'the payment has a refund' USING ERRCODE = 'unique_violation', CONSTRAINT = 'one_refund';
  END$$`,
  `CREATE TRIGGER one_refund BEFORE UPDATE OF refund_id ON payments FOR EACH ROW
    WHEN (OLD.refund_id IS NOT NULL AND NEW.refund_id IS DISTINCT FROM OLD.refund_id)
    EXECUTE FUNCTION refuse_other_refund()`,
  `CREATE INDEX payments_stuck ON payments (mode, created_at, id) WHERE is_stuck`,
  // The shares that wait to be gathered are listed and summed without reading the payments themselves.
  `CREATE INDEX payments_to_pay_out ON payments (payout_group, created_at, id)
    INCLUDE (merchant_id, payout_quantity) WHERE payout_group IS NOT NULL`,

  `CREATE TABLE collected (
    payment_id ${id} NOT NULL,
    account ${id} NOT NULL,
    sealed bytea NOT NULL,
    delete_at bigint NOT NULL,
    PRIMARY KEY (payment_id, account)
  )`,
  `CREATE INDEX collected_by_end ON collected (delete_at)`,

  // --- outflows
  `CREATE TABLE outflows (
    id ${id} PRIMARY KEY,
    mode text NOT NULL,
    partner_id ${id} NOT NULL,
    revision integer NOT NULL,
    is_open boolean NOT NULL,
    created_at bigint NOT NULL,
    document jsonb NOT NULL
  )`,
  `CREATE INDEX outflows_open ON outflows (mode, created_at, id) WHERE is_open`,

  // --- what payments and outflows share: the subject is one or the other
  `CREATE TABLE claims (
    key ${id} PRIMARY KEY,
    subject_id ${id} NOT NULL
  )`,
  // Separate from the claims, which are found by their key alone: these are read by block, and change when a chain
  // does.
  `CREATE TABLE resting_transfers (
    mode text NOT NULL,
    chain_id ${id} NOT NULL,
    block_number bigint NOT NULL,
    claim ${id} NOT NULL,
    block_hash text NOT NULL,
    subject_id ${id} NOT NULL,
    PRIMARY KEY (mode, chain_id, block_number, claim)
  )`,

  // --- due work: a row is a job, and every holder gets a fence that nobody had
  `CREATE SEQUENCE fences`,
  `CREATE TABLE due_work (
    subject_id ${id} NOT NULL,
    kind text NOT NULL,
    due_at bigint NOT NULL,
    lease_until bigint NOT NULL,
    fence bigint NOT NULL,
    failures integer NOT NULL,
    PRIMARY KEY (subject_id, kind)
  )`,
  `CREATE INDEX due_work_next ON due_work (kind, greatest(due_at, lease_until), subject_id)`,

  // --- lanes
  `CREATE TABLE lanes (
    chain_id ${id} NOT NULL,
    sender ${id} NOT NULL,
    next_nonce bigint NOT NULL,
    spent_hour integer NOT NULL,
    spent numeric(78,0) NOT NULL,
    PRIMARY KEY (chain_id, sender)
  )`,
  `CREATE TABLE lane_transactions (
    chain_id ${id} NOT NULL,
    sender ${id} NOT NULL,
    nonce bigint NOT NULL,
    document jsonb NOT NULL,
    PRIMARY KEY (chain_id, sender, nonce)
  )`,

  // --- chains
  `CREATE TABLE chain_states (
    mode text NOT NULL,
    chain_id ${id} NOT NULL,
    revision integer NOT NULL,
    document jsonb NOT NULL,
    PRIMARY KEY (mode, chain_id)
  )`,
  // The assets and networks that were ever served.
  `CREATE TABLE served (
    kind text NOT NULL,
    id ${id} NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    document jsonb NOT NULL,
    PRIMARY KEY (kind, id)
  )`,

  // --- ledger
  `CREATE TABLE ledger_transactions (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    mode text NOT NULL,
    payment_id ${id},
    key ${id},
    document jsonb NOT NULL
  )`,
  `CREATE INDEX ledger_of_payment ON ledger_transactions (payment_id, position) WHERE payment_id IS NOT NULL`,
  `CREATE UNIQUE INDEX ledger_by_key ON ledger_transactions (key) WHERE key IS NOT NULL`,
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
  // Events that wait to be fanned out. They have rows of their own, because a flag on the event's row would write its
  // document again.
  `CREATE TABLE outbox (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id ${id} NOT NULL
  )`,
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
