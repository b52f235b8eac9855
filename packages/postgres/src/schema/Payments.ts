/**
 * Payments, and what is collected about their payers. Values that are searched, sorted, counted or unique are columns,
 * and the rest of a record is its document. If a tenant lists a table, its indexes begin with the tenant.
 *
 * @module
 */
import { id } from "./Id.ts"

/** The statuses of this version, in the order of their numbers. */
export const statuses = [
  "requires_action",
  "processing",
  "succeeded",
  "failed",
  "expired",
  "cancelled",
] as const

type Status = (typeof statuses)[number]

/** The number of a status in the column `standing`. */
export const standing = (status: Status): number => statuses.indexOf(status) + 1

/** The status of a number. */
export const statusOf = (number: string): string => `('{${statuses.join()}}'::text[])[${number}]`

/** In the order in which they are run. */
export const statements: ReadonlyArray<string> = [
  // --- payments
  // Parallel workers take longer to start than most reads, and take their time from others. An index-only scan needs a
  // table that was vacuumed since the last change. A change of the document alone stays in its page, and writes no index.
  // What changes most comes last, so that the log of an update in place has nothing of what comes before it.
  `CREATE TABLE florin.payments (
    id ${id} PRIMARY KEY,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    tenant bigint NOT NULL,
    merchant bigint NOT NULL,
    reference text NOT NULL,
    amount_group ${id} NOT NULL,
    amount numeric(78,0) NOT NULL,
    document jsonb NOT NULL,
    chain bigint,
    asset bigint,
    customer bytea,
    fingerprint bytea,
    signature bytea,
    tx_hash bytea,
    block_hash bytea,
    updated_at bigint NOT NULL,
    state_version integer NOT NULL,
    standing smallint NOT NULL,
    revision integer NOT NULL,
    progress jsonb NOT NULL DEFAULT '{}'
  ) WITH (parallel_workers = 0, fillfactor = 80,
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05)`,
  // A long document is compressed in its row: out of line, each change would write another table and its index.
  `ALTER TABLE florin.payments ${[
    "document",
    "progress",
    "id",
    "reference",
    "amount_group",
    "customer",
  ]
    .map((column) => `ALTER ${column} SET STORAGE MAIN`)
    .join(", ")}`,
  // Each index has all columns of filters and sort orders, so that no list reads the payments themselves. The widest come
  // first, as an entry is padded otherwise.
  `CREATE INDEX payments_listed_by_date ON florin.payments (tenant, created_at, id)
    INCLUDE (merchant, chain, asset, expires_at, standing, customer, reference, amount_group, amount)`,
  `CREATE INDEX payments_listed_by_amount ON florin.payments (tenant, amount_group, amount, id)
    INCLUDE (merchant, chain, asset, expires_at, created_at, standing, reference)`,
  `CREATE INDEX payments_listed_by_merchant ON florin.payments (tenant, merchant, created_at, id)
    INCLUDE (chain, asset, expires_at, standing, customer, reference, amount_group, amount)`,
  `CREATE INDEX payments_listed_by_status ON florin.payments (tenant, standing, created_at, id)
    INCLUDE (merchant, chain, asset, expires_at, reference, amount_group, amount)`,
  `CREATE INDEX payments_listed_by_token ON florin.payments (tenant, asset, chain, created_at, id)
    INCLUDE (merchant, expires_at, standing, reference, amount_group, amount) WHERE chain IS NOT NULL`,
  `CREATE INDEX payments_still_open ON florin.payments (tenant, expires_at)
    INCLUDE (created_at, merchant, chain, asset) WHERE standing = ${standing("requires_action")}`,
  `CREATE INDEX payments_in_processing ON florin.payments (customer, chain, asset)
    WHERE standing = ${standing("processing")}`,
  // Writes that use one account's money take turns, and each then reads what was written meanwhile: each statement of a
  // volatile function sees what was committed before it. Without `available`, nothing else may be in progress.
  `CREATE FUNCTION florin.is_covered(own text, of_payer text, of_chain text, of_token text, flows jsonb, taken jsonb,
    wanted numeric, available numeric) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
  DECLARE committed numeric;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('florin.allowance ' || of_chain || ' ' || of_token || ' ' || of_payer, 0));
    SELECT sum((document #>> '{state,attempt,option,quantity}')::numeric) INTO committed FROM florin.payments
      WHERE standing = ${standing("processing")} AND customer = florin.packed(of_payer)
        AND chain = florin.number_of(of_chain) AND asset = florin.number_of(of_token)
        AND flows ? (document #>> '{state,attempt,option,flow}') AND NOT taken ? id AND id <> own;
    RETURN committed IS NULL OR coalesce(committed + wanted <= available, false);
  END$$`,

  // --- what happens to the money of a payment that succeeded
  // Changes more often than the payment, and has the revision of both. No index has what most changes change, which comes
  // last as in payments.
  `CREATE TABLE florin.entries (
    id ${id} PRIMARY KEY,
    tenant bigint NOT NULL,
    merchant bigint NOT NULL,
    created_at bigint NOT NULL,
    chain bigint NOT NULL,
    asset bigint NOT NULL,
    net_quantity numeric(78,0) NOT NULL,
    succeeded_at bigint NOT NULL,
    is_stuck boolean NOT NULL,
    is_owed boolean NOT NULL,
    payout_group bigint,
    payout_quantity numeric(78,0),
    payout_from bigint,
    refund_need ${id},
    left_quantity numeric(78,0),
    updated_at bigint NOT NULL,
    state_version integer NOT NULL,
    revision integer NOT NULL,
    document jsonb NOT NULL
  ) WITH (fillfactor = 80)`,
  `CREATE INDEX entries_stuck ON florin.entries (created_at, id) WHERE is_stuck`,
  // The shares that wait to be gathered are listed and summed without reading the entries themselves.
  `CREATE INDEX entries_to_pay_out ON florin.entries (payout_group, created_at, id)
    INCLUDE (merchant, payout_quantity, payout_from) WHERE payout_group IS NOT NULL`,
  // Shares that merchants are owed, and that have no destination until one is registered.
  `CREATE INDEX entries_owed ON florin.entries (merchant, asset, chain, created_at, id) WHERE is_owed`,
  // What is left of a merchant's shares is summed, without reading the entries themselves.
  `CREATE INDEX entries_left ON florin.entries (merchant, chain, asset)
    INCLUDE (left_quantity, net_quantity, succeeded_at) WHERE left_quantity IS NOT NULL`,
  // What a refund needs, by mode, token and merchant, until it is sent.
  `CREATE INDEX entries_in_need ON florin.entries (refund_need, created_at, id) WHERE refund_need IS NOT NULL`,
  // The parts of payments, of which `PaymentRow` makes the whole: a page of a list is not put together here. It has six
  // tables. A query of more than eight is joined as it is written and reads whole tables, so what joins this view joins two
  // more at most, and asks for others by subqueries.
  `CREATE VIEW florin.whole_payments AS
    SELECT payments.id, jsonb_build_object('own', payments.document, 'progress', payments.progress, 'entry', entries.document,
      'columns', jsonb_build_object('id', payments.id, 'mode', split_part(tenants.name, '/', 2),
        'partnerId', split_part(tenants.name, '/', 1), 'merchantId', merchants.name, 'createdAt', payments.created_at,
        'expiresAt', payments.expires_at, 'revision', coalesce(entries.revision, payments.revision),
        'stateVersion', coalesce(entries.state_version, payments.state_version),
        'updatedAt', coalesce(entries.updated_at, payments.updated_at)),
      'amountGroup', payments.amount_group, 'amount', payments.amount::text, 'chainId', chains.name, 'token', assets.name, 'payer', florin.unpacked(payments.customer),
      'fingerprint', florin.unpacked(payments.fingerprint), 'signature', florin.unpacked(payments.signature),
      'txHash', florin.unpacked(payments.tx_hash), 'blockHash', florin.unpacked(payments.block_hash)) AS document
    FROM florin.payments LEFT JOIN florin.entries ON entries.id = payments.id
      LEFT JOIN florin.names AS tenants ON tenants.number = payments.tenant
      LEFT JOIN florin.names AS merchants ON merchants.number = payments.merchant
      LEFT JOIN florin.names AS chains ON chains.number = payments.chain
      LEFT JOIN florin.names AS assets ON assets.number = payments.asset`,
  // Every refund that was requested, also if it was never sent.
  `CREATE TABLE florin.refunds (
    id ${id} PRIMARY KEY,
    payment_id ${id} NOT NULL,
    partner_id ${id} NOT NULL,
    mode text NOT NULL,
    merchant_id ${id} NOT NULL,
    chain_id ${id} NOT NULL,
    token ${id} NOT NULL,
    created_at bigint NOT NULL,
    requested_at bigint NOT NULL,
    amount numeric(78,0) NOT NULL
  )`,
  // Few payments are refunded: those of a list are summed without reading the others.
  `CREATE INDEX refunds_counted ON florin.refunds (partner_id, mode, created_at, payment_id) INCLUDE (amount)`,
  `CREATE INDEX refunds_of_merchant ON florin.refunds (merchant_id, chain_id, token, requested_at, id, payment_id)`,

  // --- payers' collected data, for each session in which a payment's options were requested
  `CREATE TABLE florin.collected (
    payment_id ${id} NOT NULL,
    account ${id} NOT NULL,
    session ${id} NOT NULL,
    sealed bytea NOT NULL,
    delete_at bigint NOT NULL,
    PRIMARY KEY (payment_id, account, session)
  )`,
  `CREATE INDEX collected_by_end ON florin.collected (delete_at)`,
  `CREATE INDEX collected_of_account ON florin.collected (account)`,
  // The key of each record, in a table of its own that backups can leave out.
  `CREATE TABLE florin.collected_keys (
    payment_id ${id} NOT NULL,
    account ${id} NOT NULL,
    session ${id} NOT NULL,
    key bytea NOT NULL,
    PRIMARY KEY (payment_id, account, session),
    FOREIGN KEY (payment_id, account, session) REFERENCES florin.collected ON DELETE CASCADE
  )`,
]
