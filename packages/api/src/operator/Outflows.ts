/**
 * Outgoing money, and what a person decides about it.
 *
 * @module
 */
import * as Obstacle from "@florin/core/domain/chain/Obstacle"
import * as Payout from "@florin/core/domain/list/Payout"
import * as OutflowState from "@florin/core/domain/outflow/OutflowState"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import * as Problem from "../Problem.ts"
import * as Query from "../Query.ts"
import * as Mode from "../wire/Mode.ts"
import * as Outflow from "../wire/Outflow.ts"
import * as Payment from "../wire/Payment.ts"
import * as Text from "../wire/Text.ts"
import * as Endpoint from "./Endpoint.ts"

const params = { outflowId: Outflow.outflowId }
const ofPayment = { paymentId: Text.paymentId.annotate({ description: "The payment's id, pay_…" }) }
const refusals = Problem.errors("not_found", "invalid_state")
const treasuryRefusals = Problem.errors("approval_required", "not_found", "invalid_state")

const short = HttpApiEndpoint.get("short", "/operator/v1/outflows/short", {
  query: Mode.filter,
  success: Outflow.Short,
  error: Problem.errors(),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "List outflows that lack your own money",
    description:
      "Lists refunds and withdrawals that wait because their account has too little of your own money. The service moves money there if its other accounts on the chain have it.",
  }),
)

const list = HttpApiEndpoint.get("list", "/operator/v1/outflows", {
  query: {
    ...Mode.filter,
    state: Schema.optionalKey(
      Schema.Literals([Payout.open, ...OutflowState.statuses]).annotate({
        description: `Only outflows in this state; \`${Payout.open}\` is each that is waiting, sent or held`,
      }),
    ),
    purpose: Schema.optionalKey(
      Payout.Purpose.annotate({ description: "Only outflows for this purpose" }),
    ),
    merchantId: Query.payouts.merchantId,
    chainId: Schema.optionalKey(
      Text.chainId.annotate({ description: "Only outflows on this chain: eip155:8453" }),
    ),
    asset: Schema.optionalKey(
      Text.asset.annotate({ description: "Only outflows in this token: eip155:8453/erc20:0x…" }),
    ),
    startTs: Query.payouts.startTs,
    endTs: Query.payouts.endTs,
    ...Query.page,
  },
  success: Outflow.Page,
  error: Problem.errors(),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "List outgoing money, newest first",
    description:
      "Lists payouts, refunds, returns and transfers of your own money, each with its transaction and with the reason if it waits or is held. Shares that wait for their payout policy are in no payout yet.",
  }),
)

const get = HttpApiEndpoint.get("get", "/operator/v1/outflows/:outflowId", {
  params,
  success: Outflow.Outflow,
  error: Problem.errors("not_found"),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "Get an outflow",
    description:
      "Returns a payout, a refund, a return, or a transfer of your own money, with its transaction, and the reason if it waits or is held.",
  }),
)

const retry = HttpApiEndpoint.post("retry", "/operator/v1/outflows/:outflowId/retry", {
  params,
  success: Outflow.Outflow,
  error: refusals,
}).pipe(
  Endpoint.write({
    scope: "support",
    action: "payout.retried",
    summary: "Retry an outflow that is held",
    description:
      "Fix the cause first. A payout is cancelled, and its shares go into new payouts, to the destinations that their merchants have now. Anything else is sent again unchanged. An outflow whose transaction moved something other than its amount cannot be retried: accept or release it.",
  }),
)

const retryAll = HttpApiEndpoint.post("retryAll", "/operator/v1/outflows/retry", {
  payload: Schema.Struct({
    ...Mode.filter,
    partnerId: Schema.optionalKey(
      Text.partnerId.annotate({ description: "Only outflows of this partner" }),
    ),
    merchantId: Schema.optionalKey(
      Text.merchantId.annotate({
        description: "Only outflows with money of this merchant's payments",
      }),
    ),
    asset: Schema.optionalKey(
      Text.asset.annotate({ description: "Only outflows in this token: eip155:8453/erc20:0x…" }),
    ),
    reason: Schema.optionalKey(
      Obstacle.HeldCode.annotate({ description: "Only outflows that are held for this reason" }),
    ),
  }).annotate({ identifier: "RetryOutflowsRequest" }),
  success: Outflow.Retried,
  error: Problem.errors(),
}).pipe(
  Endpoint.write({
    scope: "support",
    action: "payout.retried",
    summary: "Retry all held outflows that match a filter",
    description:
      "Without a filter, everything that is held is retried. An outflow whose transaction moved something other than its amount stays held.",
  }),
)

const recording = Schema.Struct({
  txId: Schema.String.annotate({ description: "The hash of the transaction" }),
}).annotate({ identifier: "RecordRequest" })

const record = HttpApiEndpoint.post("record", "/operator/v1/outflows/record", {
  payload: recording,
  success: Outflow.Outflow,
  error: Problem.errors("approval_required", "not_found", "invalid_state", "bad_gateway"),
}).pipe(
  Endpoint.write({
    scope: "treasury",
    action: "payout.recorded",
    summary: "Record a payout that is on chain but not in the ledger",
    description:
      "For the time after a restore from an older backup. The payout pays the shares that are owed to its destination, oldest first. The rest is an advance to the merchant, which the next payouts deduct. A transaction is recorded once.",
  }),
)

const recordForPayment = HttpApiEndpoint.post(
  "recordForPayment",
  "/operator/v1/payments/:paymentId/record",
  {
    params: ofPayment,
    payload: recording,
    success: Payment.Details,
    error: Problem.errors("approval_required", "not_found", "invalid_state", "bad_gateway"),
  },
).pipe(
  Endpoint.write({
    scope: "treasury",
    action: "payout.recorded",
    summary: "Record the payout or the refund of a payment that is on chain but not in the ledger",
    description:
      "For the time after a restore from an older backup. The service does not send it again. A transaction is recorded once.",
  }),
)

const retrySettlement = HttpApiEndpoint.post(
  "retrySettlement",
  "/operator/v1/payments/:paymentId/settlement/retry",
  {
    params: ofPayment,
    success: Schema.Struct({
      ...Payment.Details.fields,
      destination: Schema.NullOr(Text.account).annotate({
        description: "The account that the share goes to; null if it needs no payout anymore",
      }),
    }).annotate({ identifier: "RetriedSettlement" }),
    error: refusals,
  },
).pipe(
  Endpoint.write({
    scope: "support",
    action: "payout.retried",
    summary: "Retry the share of a payment that is held or owed",
    description:
      "Sends it to the destination that the merchant has now. Shares that are held in one payout are retried together. If the share is owed and in no payout, the audit log records `settlement.retried` instead.",
  }),
)

const retryRefunds = HttpApiEndpoint.post(
  "retryRefunds",
  "/operator/v1/payments/:paymentId/refunds/retry",
  { params: ofPayment, success: Payment.Details, error: refusals },
).pipe(
  Endpoint.write({
    scope: "support",
    action: "payout.retried",
    summary: "Retry the refunds of a payment that are held",
    description: "Sends them again unchanged.",
  }),
)

const accept = HttpApiEndpoint.post("accept", "/operator/v1/outflows/:outflowId/accept", {
  params,
  success: Outflow.Outflow,
  error: treasuryRefusals,
}).pipe(
  Endpoint.write({
    scope: "treasury",
    action: "payout.accepted",
    summary: "Accept what the transaction of a held outflow moved as its payment",
    description:
      "The service sends nothing more for it, so the payee bears the missing amount. Money that left the account beyond the amount is recorded as a loss.",
  }),
)

const release = HttpApiEndpoint.post("release", "/operator/v1/outflows/:outflowId/release", {
  params,
  success: Outflow.Outflow,
  error: treasuryRefusals,
}).pipe(
  Endpoint.write({
    scope: "treasury",
    action: "payout.released",
    summary: "Send the rest of a held payout that moved something other than its amount",
    description:
      "The money that arrived pays its shares, oldest first. Any excess is an advance to the merchant. Money that left the account and did not arrive is recorded as a loss. A refund or a return is sent again only if nothing of it arrived.",
  }),
)

export const group = Endpoint.group(
  "outflows",
  "Money on its way out: payouts, refunds, returns, and your own",
  short,
  list,
  get,
  retry,
  retryAll,
  record,
  recordForPayment,
  retrySettlement,
  retryRefunds,
  accept,
  release,
)
