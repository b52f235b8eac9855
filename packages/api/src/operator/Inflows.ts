/**
 * Unclaimed money: transfers to the service's accounts that belong to no payment.
 *
 * @module
 */
import * as Inflow from "../wire/Inflow.ts"
import * as Mode from "../wire/Mode.ts"
import * as Outflow from "../wire/Outflow.ts"
import * as Text from "../wire/Text.ts"
import * as Endpoint from "./Endpoint.ts"

export const group = Endpoint.group(
  "inflows",
  "Transfers to the service's accounts that belong to no payment",
  Endpoint.get("list", "/operator/v1/inflows", {
    scope: "read",
    summary: "List unclaimed transfers",
    description:
      "Lists transfers to your accounts that belong to no payment: sent too late, twice, by mistake, with a wrong amount, or by yourself. The money waits in suspense and pays nothing.",
    query: Mode.filter,
    success: Inflow.List,
  }),
  Endpoint.get("find", "/operator/v1/transactions/:txId/inflows", {
    scope: "read",
    summary: "List the unclaimed transfers of a transaction",
    description:
      "Lists transfers of any amount, and what happened to them. The list is empty if the transaction is not final yet, or if its transfers belong to payments.",
    params: { txId: Text.plain("The hash of a transaction") },
    success: Inflow.Brought,
  }),
  Endpoint.post("return", "/operator/v1/inflows/:inflowId/return", {
    scope: "support",
    action: "unclaimed_transfer.returned",
    summary: "Return an unclaimed transfer to the account that sent it",
    description:
      "Check that account first: an exchange cannot assign returned money to its customer. The workers send it. If the payer of a payment reported the transfer, its action in the audit log is `late_transfer.returned`.",
    params: { inflowId: Inflow.inflowId },
    headers: Endpoint.once,
    success: Endpoint.created(Outflow.Outflow),
    refusals: ["not_found", "invalid_state"],
  }),
)
