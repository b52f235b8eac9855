/**
 * Unclaimed money: transfers to the service's accounts that belong to no payment.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import * as Problem from "../Problem.ts"
import * as Inflow from "../wire/Inflow.ts"
import * as Mode from "../wire/Mode.ts"
import * as Outflow from "../wire/Outflow.ts"
import * as Endpoint from "./Endpoint.ts"

const list = HttpApiEndpoint.get("list", "/operator/v1/inflows", {
  query: Mode.filter,
  success: Inflow.List,
  error: Problem.errors(),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "List unclaimed transfers",
    description:
      "Lists transfers to your accounts that belong to no payment: sent too late, twice, by mistake, with a wrong amount, or by yourself. The money waits in suspense and pays nothing.",
  }),
)

const find = HttpApiEndpoint.get("find", "/operator/v1/transactions/:txId/inflows", {
  params: { txId: Schema.String.annotate({ description: "The hash of a transaction" }) },
  success: Inflow.Brought,
  error: Problem.errors(),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "List the unclaimed transfers of a transaction",
    description:
      "Lists transfers of any amount, and what happened to them. The list is empty if the transaction is not final yet, or if its transfers belong to payments.",
  }),
)

const giveBack = HttpApiEndpoint.post("return", "/operator/v1/inflows/:inflowId/return", {
  params: { inflowId: Inflow.inflowId },
  headers: Endpoint.once,
  success: Outflow.Outflow.pipe(HttpApiSchema.status(201)),
  error: Problem.errors(
    "not_found",
    "invalid_state",
    "missing_idempotency_key",
    "idempotency_conflict",
  ),
}).pipe(
  Endpoint.write({
    scope: "support",
    action: "unclaimed_transfer.returned",
    summary: "Return an unclaimed transfer to the account that sent it",
    description:
      "Check that account first: an exchange cannot assign returned money to its customer. The workers send it. If the payer of a payment reported the transfer, the audit log records `late_transfer.returned` instead.",
  }),
)

export const group = Endpoint.group(
  "inflows",
  "Transfers to the service's accounts that belong to no payment",
  list,
  find,
  giveBack,
)
