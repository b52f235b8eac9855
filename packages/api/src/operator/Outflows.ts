/**
 * Outgoing money, and what a person decides about it.
 *
 * @module
 */
import * as Obstacle from "@florin/core/domain/chain/Obstacle"
import * as Payout from "@florin/core/domain/list/Payout"
import * as OutflowState from "@florin/core/domain/outflow/OutflowState"
import * as Schema from "effect/Schema"
import * as Query from "../Query.ts"
import * as Members from "../wire/Members.ts"
import * as Mode from "../wire/Mode.ts"
import * as Outflow from "../wire/Outflow.ts"
import * as Payment from "../wire/Payment.ts"
import * as Text from "../wire/Text.ts"
import * as Endpoint from "./Endpoint.ts"

/** What the calls about one outflow have in common. */
const one = {
  params: { outflowId: Outflow.outflowId },
  refusals: ["not_found", "invalid_state"],
} as const

/** The same of the outflows of one payment. */
const ofPayment = {
  params: { paymentId: Text.paymentId.annotate({ description: "The payment's id, pay_…" }) },
  refusals: one.refusals,
} as const

const recording = Schema.Struct({
  txId: Text.plain("The hash of the transaction"),
}).annotate({ identifier: "RecordRequest" })

export const group = Endpoint.group(
  "outflows",
  "Money on its way out: payouts, refunds, returns, and your own",
  Endpoint.get("short", "/operator/v1/outflows/short", {
    scope: "read",
    summary: "List refunds and withdrawals that lack your own money",
    description:
      "They wait because their account has too little of your own money. The service moves money there if its other accounts on the chain have it.",
    query: Mode.filter,
    success: Outflow.Short,
  }),
  Endpoint.get("list", "/operator/v1/outflows", {
    scope: "read",
    summary: "List outgoing money, newest first",
    description:
      "Lists payouts, refunds, returns and transfers of your own money, each with its transaction and with the reason if it waits or is held. Shares that wait for their payout policy are in no payout yet.",
    query: {
      ...Mode.filter,
      ...Members.optional({
        state: Schema.Literals([Payout.open, ...OutflowState.statuses]).annotate({
          description: `Only outflows in this state; \`${Payout.open}\` is each that is waiting, sent or held`,
        }),
        purpose: Payout.Purpose.annotate({ description: "Only outflows for this purpose" }),
      }),
      merchantId: Query.payouts.merchantId,
      ...Members.optional({
        chainId: Text.chainId.annotate({ description: "Only outflows on this chain: eip155:8453" }),
        asset: Text.asset.annotate({
          description: "Only outflows in this token: eip155:8453/erc20:0x…",
        }),
      }),
      startTs: Query.payouts.startTs,
      endTs: Query.payouts.endTs,
      ...Query.page,
    },
    success: Outflow.Page,
  }),
  Endpoint.get("get", "/operator/v1/outflows/:outflowId", {
    ...one,
    scope: "read",
    summary: "Get an outflow",
    description:
      "Returns a payout, a refund, a return, or a transfer of your own money, with its transaction, and the reason if it waits or is held.",
    success: Outflow.Outflow,
    refusals: ["not_found"],
  }),
  Endpoint.post("retry", "/operator/v1/outflows/:outflowId/retry", {
    ...one,
    scope: "support",
    action: "payout.retried",
    summary: "Retry a payout, refund or return that is held",
    description:
      "Fix the cause first. A payout is cancelled, and its shares go into new payouts, to the destinations that their merchants have now. Anything else is sent again unchanged. One whose transaction moved something other than its amount cannot be retried: accept or release it.",
    success: Outflow.Outflow,
  }),
  Endpoint.post("retryAll", "/operator/v1/outflows/retry", {
    scope: "support",
    action: "payout.retried",
    summary: "Retry all held outflows that match a filter",
    description:
      "Without a filter, everything that is held is retried. An outflow whose transaction moved something other than its amount stays held.",
    payload: Schema.Struct({
      ...Mode.filter,
      ...Members.optional({
        partnerId: Text.partnerId.annotate({ description: "Only outflows of this partner" }),
        merchantId: Text.merchantId.annotate({
          description: "Only outflows with money of this merchant's payments",
        }),
        asset: Text.asset.annotate({
          description: "Only outflows in this token: eip155:8453/erc20:0x…",
        }),
        reason: Obstacle.HeldCode.annotate({
          description: "Only outflows that are held for this reason",
        }),
      }),
    }).annotate({ identifier: "RetryOutflowsRequest" }),
    success: Outflow.Retried,
  }),
  Endpoint.post("record", "/operator/v1/outflows/record", {
    scope: "treasury",
    action: "payout.recorded",
    summary: "Record a payout that is on chain but not in the ledger",
    description:
      "For the time after a restore from an older backup. The payout pays the shares that are owed to its destination, oldest first. The rest is an advance to the merchant, which the next payouts deduct. Only a final transfer by an account of the service is recorded, and each only once.",
    payload: recording,
    success: Outflow.Outflow,
    refusals: ["approval_required", "not_found", "invalid_state", "bad_gateway"],
  }),
  Endpoint.post("recordForPayment", "/operator/v1/payments/:paymentId/record", {
    ...ofPayment,
    scope: "treasury",
    action: "payout.recorded",
    summary: "Record the payout or the refund of a payment that is on chain but not in the ledger",
    description:
      "For the time after a restore from an older backup. Only a final transfer of exactly the expected amount is recorded, and it is not sent again. A transaction is recorded once.",
    payload: recording,
    success: Payment.Details,
    refusals: ["approval_required", "not_found", "invalid_state", "bad_gateway"],
  }),
  Endpoint.post("retrySettlement", "/operator/v1/payments/:paymentId/settlement/retry", {
    ...ofPayment,
    scope: "support",
    action: "payout.retried",
    summary: "Retry the share of a payment that is held or owed",
    description:
      "Sends it to the destination that the merchant has now. Shares that are held in one payout are retried together. If the share is owed and in no payout, its action in the audit log is `settlement.retried`.",
    success: Schema.Struct({
      ...Payment.Details.fields,
      destination: Text.account.annotate({ description: "The account that the share goes to" }),
    }).annotate({ identifier: "RetriedSettlement" }),
  }),
  Endpoint.post("retryRefunds", "/operator/v1/payments/:paymentId/refunds/retry", {
    ...ofPayment,
    scope: "support",
    action: "payout.retried",
    summary: "Retry the refunds of a payment that are held",
    description: "A worker sends them again unchanged, to the account that paid.",
    success: Payment.Details,
  }),
  Endpoint.post("accept", "/operator/v1/outflows/:outflowId/accept", {
    ...one,
    scope: "treasury",
    action: "payout.accepted",
    summary: "Accept what the transaction of a held payout, refund or return moved as its payment",
    description:
      "The service sends nothing more for it, so the payee bears the missing amount. Money that left the account beyond the amount is recorded as a loss.",
    success: Outflow.Outflow,
    refusals: ["approval_required", ...one.refusals],
  }),
  Endpoint.post("release", "/operator/v1/outflows/:outflowId/release", {
    ...one,
    scope: "treasury",
    action: "payout.released",
    summary: "Send the rest of a held payout that moved something other than its amount",
    description:
      "The money that arrived pays its shares, oldest first. Any excess is an advance to the merchant, which the next payouts deduct. Money that left the account and did not arrive is recorded as a loss. A refund or a return is sent again only if nothing of it arrived.",
    success: Outflow.Outflow,
    refusals: ["approval_required", ...one.refusals],
  }),
)
