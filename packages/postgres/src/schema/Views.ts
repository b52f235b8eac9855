/**
 * What applications may read: a view for each thing that the partner API shows, with columns that stay while the tables
 * change. The statements, the comments in the database, docs/tables.md and the types of other libraries are made of
 * this description.
 *
 * Each view is created or replaced, and PostgreSQL then refuses to remove, rename or reorder a column, or to change its
 * type. A new column goes to the end. Each joins something, so that PostgreSQL refuses to write through it.
 *
 * @module
 */
import * as OutflowState from "@florin/core/domain/outflow/OutflowState"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import * as Event from "@florin/core/domain/payment/Event"
import * as PaymentState from "@florin/core/domain/payment/PaymentState"
import * as Events from "./Events.ts"
import * as Names from "./Names.ts"
import * as Payments from "./Payments.ts"

export type Type = "text" | "numeric" | "integer" | "timestamptz" | "jsonb" | "text[]"

export interface Column {
  readonly name: string
  readonly type: Type
  readonly isNullable?: true
  /** What it says, for the person who reads it. */
  readonly says: string
  /** All values that a text can have. */
  readonly values?: ReadonlyArray<string>
  readonly sql: string
}

export interface View {
  readonly name: string
  readonly says: string
  readonly columns: ReadonlyArray<Column>
  /** The tables, and the condition. */
  readonly from: string
  /** The table whose rows it has, and the column of their time. */
  readonly timed: { readonly table: string; readonly column: string }
}

type Rest = Pick<Column, "isNullable" | "values">

const optional: Rest = { isNullable: true }

const of =
  (type: Type) =>
  (name: string, says: string, sql: string, rest: Rest = {}): Column => ({
    name,
    type,
    says,
    sql,
    ...rest,
  })
const text = of("text")
const numeric = of("numeric")
const integer = of("integer")
const time = of("timestamptz")

/** Epoch milliseconds as a time. The indexes have the same expression. */
const at = (milliseconds: string) => `to_timestamp(${milliseconds} / 1000.0)`
const atOf = (document: string, path: string) => at(`(${document} #>> '${path}')::bigint`)

/** A unit as the API writes it, with the address in lower case: PostgreSQL has no function for a checksum. */
const unitOf = (chainId: string, address: string) =>
  `'caip19/' || ${chainId} || CASE WHEN starts_with(${chainId}, 'eip155:') THEN '/erc20:' ELSE '/token:' END || ${address}`
const unitIn = (document: string, path: string) =>
  unitOf(`(${document} #>> '{${path},chainId}')`, `(${document} #>> '{${path},address}')`)

const groupPart = (place: number) => `split_part(payments.amount_group, '/', ${place})`
const ownUnit = `CASE ${groupPart(1)} WHEN 'fiat' THEN 'iso4217/' || ${groupPart(2)}
  ELSE ${unitOf(groupPart(2), groupPart(3))} END`

const when = (status: PaymentState.Status, sql: string) =>
  `CASE payments.standing WHEN ${Payments.standing(status)} THEN ${sql} END`

const owner = (table: string): ReadonlyArray<Column> => [
  text("partner_id", "The partner that it belongs to", `${table}.partner_id`),
  text("mode", "The mode", `${table}.mode`, { values: ["test", "live"] }),
]

const named = (number: string) => `(SELECT name FROM florin.names WHERE number = ${number})`

// By the numbers that the indexes of payments have.
const ownerByNumber: ReadonlyArray<Column> = [
  text("partner_id", "The partner that it belongs to", "split_part(tenants.name, '/', 1)"),
  text("mode", "The mode", "split_part(tenants.name, '/', 2)", { values: ["test", "live"] }),
]

// --- the share of a payment, as in Entry.ts
const settled = `entries.document #> '{state,entry,settled}'`
const isSettled = `${settled} ? 'txHash'`
const whenSettled = (sql: string) => `CASE WHEN ${isSettled} THEN ${sql} END`
const payoutsWhose = (tag: string) =>
  `jsonb_path_query_array(entries.document, '$.state.entry.parts[*] ? (@._tag == "${tag}").outflowId')`

const payment: View = {
  name: "payment",
  says: "Payments",
  from: `florin.payments JOIN florin.names AS tenants ON tenants.number = payments.tenant
    JOIN florin.names AS paid ON paid.number = payments.merchant
    LEFT JOIN florin.entries ON entries.id = payments.id`,
  timed: { table: "payments", column: "created_at" },
  columns: [
    text("id", "The id of the payment: `pay_…`", "payments.id"),
    ...ownerByNumber,
    text("merchant_id", "The merchant that is paid", "paid.name"),
    text("reference_id", "The merchant's own reference", "payments.document ->> 'referenceId'"),
    text("status", "The status", Payments.statusOf("payments.standing"), {
      values: PaymentState.statuses,
    }),
    numeric(
      "amount",
      "The amount that is asked for, in the smallest unit of `unit`",
      "payments.amount::numeric",
    ),
    text("unit", "`iso4217/` and a currency, or `caip19/` and a token", ownUnit),
    text(
      "description",
      "The purpose of the payment",
      "payments.document ->> 'description'",
      optional,
    ),
    of("jsonb")(
      "metadata",
      "The partner's own pairs of text",
      "coalesce(payments.document -> 'metadata', '{}')",
    ),
    text(
      "failure_code",
      "Why it failed, if there is a code for it",
      when("failed", "payments.progress #>> '{state,failureCode}'"),
      { isNullable: true, values: ["declined_user"] },
    ),
    text(
      "cancelled_reason",
      "Who cancelled it",
      when("cancelled", "payments.progress #>> '{state,reason}'"),
      { isNullable: true, values: ["cancelled_by_user", "cancelled_by_merchant"] },
    ),
    text(
      "buyer",
      "The account that pays, in CAIP-10 form, once the payment is confirmed",
      "payments.document #>> '{state,attempt,buyer,accountText}'",
      optional,
    ),
    numeric(
      "paid_amount",
      "The amount that was paid, in the smallest unit of `paid_unit`, once the payment succeeded",
      when("succeeded", "(payments.document #>> '{state,attempt,option,quantity}')::numeric"),
      optional,
    ),
    text(
      "paid_unit",
      "The token that was paid, once the payment succeeded",
      when("succeeded", unitOf(named("payments.chain"), named("payments.asset"))),
      optional,
    ),
    text(
      "tx_id",
      "The hash of the transaction that paid, once the payment succeeded",
      "florin.unpacked(payments.tx_hash)",
      optional,
    ),
    numeric(
      "fee_amount",
      "The fee, in the smallest unit of `paid_unit`",
      "(payments.progress #>> '{state,charge,total}')::numeric",
      optional,
    ),
    text(
      "payout_id",
      "The payout with the merchant's share, or with the last part of it",
      `coalesce(${payoutsWhose("Held")} ->> 0, ${payoutsWhose("Carried")} ->> 0,
        CASE WHEN ${settled} IS NOT NULL THEN ${payoutsWhose("Paid")} ->> -1 END)`,
      optional,
    ),
    numeric(
      "settled_amount",
      "What the merchant got, in the smallest unit of `paid_unit`, once that is final",
      whenSettled(`(SELECT CASE WHEN bool_or(part ->> '_tag' = 'Paid')
          THEN sum((part ->> 'quantity')::numeric) FILTER (WHERE part ->> '_tag' = 'Paid')
          ELSE (entries.document #>> '{state,entry,quantity}')::numeric
            - coalesce(sum((part ->> 'netted')::numeric) FILTER (WHERE part ->> '_tag' = 'Refunded'), 0) END
        FROM jsonb_array_elements(entries.document #> '{state,entry,parts}') AS part)`),
      optional,
    ),
    text(
      "settled_tx_id",
      "The hash of the transaction that paid the merchant",
      `${settled} ->> 'txHash'`,
      optional,
    ),
    time(
      "settled_at",
      "When the payment of the merchant was final",
      whenSettled(atOf("entries.document", "{state,entry,settled,at}")),
      optional,
    ),
    numeric(
      "refunded_amount",
      "The sum of the refunds, sent or not yet, in the smallest unit of `paid_unit`; null if there are none",
      `(SELECT sum((refund ->> 'quantity')::numeric)
        FROM jsonb_array_elements(entries.document #> '{state,refunds}') AS refund)`,
      optional,
    ),
    time(
      "expires_at",
      "When it expires if nobody confirms it",
      "to_timestamp(payments.expires_at)",
    ),
    time("created_at", "When it was created", at("payments.created_at")),
    time(
      "updated_at",
      "When it last changed",
      at("coalesce(entries.updated_at, payments.updated_at)"),
    ),
    time(
      "succeeded_at",
      "When it succeeded",
      atOf("payments.progress", "{state,succeededAt}"),
      optional,
    ),
    time(
      "cancelled_at",
      "When it was cancelled",
      atOf("payments.progress", "{state,cancelledAt}"),
      optional,
    ),
  ],
}

const refundIs = (tag: string, sql: string) =>
  `CASE own.state ->> '_tag' WHEN '${tag}' THEN ${sql} END`

const refund: View = {
  name: "refund",
  says: "Refunds, of whole payments and of parts",
  from: `florin.refunds JOIN florin.entries ON entries.id = refunds.payment_id
    LEFT JOIN florin.payments ON payments.id = refunds.payment_id
    CROSS JOIN LATERAL (SELECT jsonb_path_query_first(entries.document, '$.state.refunds[*] ? (@.id == $id)',
      jsonb_build_object('id', refunds.id)) AS document) AS whole
    CROSS JOIN LATERAL (SELECT whole.document -> 'state' AS state) AS own`,
  timed: { table: "refunds", column: "requested_at" },
  columns: [
    text("id", "The id of the refund: `rfnd_…`", "refunds.id"),
    text("payment_id", "The payment that is refunded", "refunds.payment_id"),
    ...owner("refunds"),
    text("merchant_id", "The merchant of the payment", "refunds.merchant_id"),
    text("status", "The status", "lower(own.state ->> '_tag')", {
      values: ["pending", "processing", "succeeded", "held"],
    }),
    numeric(
      "amount",
      "The amount, in the smallest unit of `unit`",
      "(whole.document ->> 'quantity')::numeric",
    ),
    text("unit", "The token that was paid", unitOf("refunds.chain_id", "refunds.token")),
    numeric(
      "requested_amount",
      "How much of the payment's amount it is, in the smallest unit of `requested_unit`",
      "refunds.amount::numeric",
    ),
    text("requested_unit", "The unit in which the payment asked for its amount", ownUnit),
    text(
      "reason",
      "Why it is refunded, as the partner wrote it",
      "whole.document ->> 'reason'",
      optional,
    ),
    text(
      "destination",
      "The account to which it goes, in CAIP-10 form",
      "(whole.document #>> '{to,chainId}') || ':' || (whole.document #>> '{to,address}')",
    ),
    text(
      "tx_id",
      "The hash of the transaction that paid it, once that is final",
      "own.state ->> 'txHash'",
      optional,
    ),
    text(
      "pending_reason",
      "What it waits for",
      refundIs(
        "Pending",
        `CASE WHEN own.state ? 'limitedUntil' THEN 'daily_limit'
          WHEN (own.state -> 'waitsForCredit')::boolean THEN 'insufficient_credit'
          WHEN (own.state -> 'waitsForFloat')::boolean THEN 'insufficient_funds' END`,
      ),
      {
        isNullable: true,
        values: ["insufficient_credit", "insufficient_funds", "daily_limit"],
      },
    ),
    text("held_reason", "Why it is held", refundIs("Held", "own.state ->> 'code'"), optional),
    time("created_at", "When it was requested", at("refunds.requested_at")),
    time("succeeded_at", "When it was paid", atOf("own.state", "{succeededAt}"), optional),
    time("held_at", "Since when it is held", atOf("own.state", "{heldAt}"), optional),
  ],
}

const payout: View = {
  name: "payout",
  says: "Payouts to merchants. A payout pays the shares of any number of payments",
  from: "florin.outflows CROSS JOIN (SELECT) AS only_read WHERE outflows.payout_status IS NOT NULL",
  timed: { table: "outflows", column: "created_at" },
  columns: [
    text("id", "The id of the payout", "outflows.id"),
    ...owner("outflows"),
    text("status", "The status", "outflows.payout_status", { values: OutflowState.statuses }),
    text(
      "reason",
      "The problem that delays it",
      "coalesce(outflows.document #>> '{state,obstacle,code}', outflows.document #>> '{state,code}')",
      optional,
    ),
    numeric(
      "amount",
      "The amount, in the smallest unit of `unit`",
      "(outflows.document #>> '{movement,quantity}')::numeric",
    ),
    text("unit", "The token that is paid", unitIn("outflows.document", "movement,token")),
    text(
      "destination",
      "The account to which it goes, in CAIP-10 form",
      "(outflows.document #>> '{movement,token,chainId}') || ':' || (outflows.document #>> '{movement,to}')",
    ),
    text(
      "tx_id",
      "The hash of the transaction, once it is final",
      "outflows.document #>> '{state,transfer,txHash}'",
      optional,
    ),
    integer(
      "payment_count",
      "The number of payments in it",
      "jsonb_array_length(outflows.document #> '{purpose,shares}')",
    ),
    time("created_at", "When it was created", at("outflows.created_at")),
    time(
      "sent_at",
      "When its transaction was last signed",
      atOf("outflows.document", "{sentAt}"),
      optional,
    ),
    time(
      "paid_at",
      "When the transaction was final",
      atOf("outflows.document", "{state,paidAt}"),
      optional,
    ),
  ],
}

const merchant: View = {
  name: "merchant",
  says: "Merchants that are not deleted",
  from: "florin.merchants CROSS JOIN (SELECT) AS only_read WHERE merchants.deleted_at IS NULL",
  timed: { table: "merchants", column: "created_at" },
  columns: [
    text("id", "The id of the merchant: `mrch_…`", "merchants.id"),
    ...owner("merchants"),
    text("name", "The name", "merchants.document ->> 'name'"),
    text("email", "The email address", "merchants.document ->> 'email'"),
    text("icon_url", "The icon", "merchants.document ->> 'iconUrl'", optional),
    text(
      "brand_color",
      "The color of the brand: `#1f6feb`",
      "merchants.document ->> 'brandColor'",
      optional,
    ),
    text(
      "support_email",
      "The address at which payers get help",
      "merchants.document ->> 'supportEmail'",
      optional,
    ),
    text(
      "support_url",
      "The page where payers get help",
      "merchants.document ->> 'supportUrl'",
      optional,
    ),
    of("text[]")(
      "checkout_origins",
      "The origins whose pages may show the checkout in a frame",
      `ARRAY(SELECT jsonb_array_elements_text(merchants.document -> 'checkoutOrigins'))`,
    ),
    text("status", "The status", "merchants.status", { values: Merchant.Status.literals }),
    time("created_at", "When it was created", at("merchants.created_at")),
  ],
}

const stateNames = [
  ["RequiresAction", "requires_action"],
  ...PaymentState.statuses
    .slice(1)
    .map((status) => [status.replace(/^./u, (first) => first.toUpperCase()), status]),
]
  .map(([tag, status]) => `WHEN '${tag}' THEN '${status}'`)
  .join(" ")

const event: View = {
  name: "event",
  says: "Events, as the event feed and webhooks announce them. Read their contents from the feed",
  from: `florin.events JOIN florin.names AS tenants ON tenants.number = events.tenant
    LEFT JOIN florin.payments ON ${Events.isOf("events", "payments.id")}`,
  timed: { table: "events", column: "created_at" },
  columns: [
    text("id", "The id of the event: `evt_…`", "events.id"),
    ...ownerByNumber,
    text("type", "The type", "events.document ->> 'type'", {
      values: [...Event.eventTypes, Event.webhookTest],
    }),
    text("payment_id", "The payment that changed", "payments.id", optional),
    integer(
      "payment_state_version",
      "Counts up from 0 with each event of the payment",
      "CASE WHEN events.document ? 'state' THEN events.state_version END",
      optional,
    ),
    text(
      "status",
      "The status of the payment right after the change",
      `CASE events.document #>> '{state,_tag}' ${stateNames} END`,
      { isNullable: true, values: PaymentState.statuses },
    ),
    text(
      "merchant_id",
      "The merchant of the payment or of the destination",
      `coalesce(${named("payments.merchant")}, events.document ->> 'merchantId')`,
      optional,
    ),
    text("refund_id", "The refund that changed", "events.document ->> 'refundId'", optional),
    text(
      "settlement_id",
      "The settlement destination that changed",
      "events.document ->> 'destinationId'",
      optional,
    ),
    text(
      "webhook_id",
      "The only webhook endpoint that it is sent to, if it is a test",
      "events.document ->> 'endpointId'",
      optional,
    ),
    time("created_at", "When it happened", at("events.created_at")),
  ],
}

export const views: ReadonlyArray<View> = [payment, refund, payout, merchant, event]

const quoted = (words: string) => `'${words.replaceAll("'", "''")}'`

const created = ({ columns, from, name }: View) =>
  `CREATE OR REPLACE VIEW florin.${name} AS\n  SELECT\n    ${columns
    .map((column) => `${column.sql} AS ${column.name}`)
    .join(",\n    ")}\n  FROM ${from}`

/** One statement for all comments of a view: there are many. */
const commented = ({ columns, name, says }: View) =>
  `DO $$BEGIN\n${[
    `  COMMENT ON VIEW florin.${name} IS ${quoted(says)};`,
    ...columns.map(
      (column) => `  COMMENT ON COLUMN florin.${name}.${column.name} IS ${quoted(column.says)};`,
    ),
  ].join("\n")}\nEND$$`

const indexed = ({ timed: { column, table } }: View) =>
  `CREATE INDEX ${table}_by_moment ON florin.${table} ${Names.inOrderOf(`(${at(column)})`)}`

/**
 * In the order in which they are run, after those of all tables. Once they are released, a change of the description
 * needs a new version, which has `replaced`.
 */
export const replaced: ReadonlyArray<string> = views.flatMap((view) => [
  created(view),
  commented(view),
])

export const statements: ReadonlyArray<string> = [...replaced, ...views.map(indexed)]
