/**
 * The full history of one payment, on the wire: each record as it is elsewhere in the API, in order of time.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import * as AuditEntry from "./AuditEntry.ts"
import * as Event from "./Event.ts"
import * as Inflow from "./Inflow.ts"
import * as Outflow from "./Outflow.ts"
import * as Payment from "./Payment.ts"
import * as Text from "./Text.ts"
import * as Webhook from "./Webhook.ts"

const txId = Text.plain("The hash of the transaction")

/** What the payer chose and signed. It never shows the signature. */
export const Confirmation = Schema.Struct({
  amount: Amount.Amount,
  flow: Text.plain("How the token is paid with"),
  payTo: Text.account,
  offeredAt: Text.dateTime,
  expiresAt: Text.dateTime,
  buyer: Text.account.annotate({ description: "The account that pays" }),
  wallet: Schema.NullOr(Schema.String),
  signed: Text.plain("What the payer signed"),
  txIds: Schema.Array(txId).annotate({ description: "Transactions that the payer sent" }),
}).annotate({ identifier: "PaymentConfirmation" })

/** A transaction of the service. */
export const LaneTransaction = Schema.Struct({
  account: Text.account.annotate({ description: "The account of the service that sends it" }),
  nonce: Schema.Int,
  txId,
  earlierTxIds: Schema.Array(txId).annotate({
    description: "The same with a lower fee. Any of them may be mined",
  }),
  outflowId: Schema.NullOr(Outflow.outflowId),
  signedAt: Text.dateTime,
}).annotate({ identifier: "LaneTransaction" })

/** A final transfer on a chain. */
export const FoundTransfer = Schema.Struct({
  txId,
  amount: Amount.Amount,
  from: Text.account,
  to: Text.account,
  block: Schema.Int,
  logIndex: Schema.Int,
}).annotate({ identifier: "FoundTransfer" })

export const LedgerTransaction = Schema.Struct({
  kind: Schema.String,
  isSound: Schema.Boolean.annotate({ description: "Whether it sums to zero" }),
  postings: Schema.Array(
    Schema.Struct({
      account: Schema.String,
      unit: Text.tokenUnit,
      value: Text.signedQuantity,
      display: Amount.Display,
    }).annotate({ identifier: "LedgerPosting" }),
  ),
}).annotate({ identifier: "LedgerTransaction" })

const Attempted = Schema.Struct({
  ...Webhook.Delivery.fields,
  webhookId: Text.webhookId,
}).annotate({ identifier: "AttemptedDelivery" })

const Reported = Schema.Struct({ txId }).annotate({ identifier: "ReportedTransfer" })

const item = <Kind extends string, S extends Schema.Constraint>(kind: Kind, record: S) =>
  Schema.Struct({
    at: Schema.NullOr(Text.dateTime).annotate({ description: "Null if no time was recorded" }),
    kind: Schema.Literal(kind),
    sentence: Schema.String,
    record,
  })

export type Item = Schema.Schema.Type<typeof Item>
const Item = Schema.Union([
  item("event", Event.Event),
  item("confirmation", Confirmation),
  item("transaction", LaneTransaction),
  item("transfer", FoundTransfer),
  item("ledger", LedgerTransaction),
  item("outflow", Outflow.Outflow),
  item("inflow", Inflow.Inflow),
  item("report", Reported),
  item("delivery", Attempted),
  item("audit", AuditEntry.Owned),
]).annotate({ identifier: "TimelineItem" })

export interface Explanation extends Schema.Schema.Type<typeof Explanation> {}
export const Explanation = Schema.Struct({
  payment: Payment.Details,
  timeline: Schema.Array(Item).annotate({ description: "In order of time" }),
  verdict: Schema.Struct({
    text: Text.plain("The current state, and what it waits for"),
    open: Schema.Array(Schema.String).annotate({
      description: "What it waits for, and what to do",
    }),
  }).annotate({ identifier: "Verdict" }),
}).annotate({ identifier: "Explanation" })
