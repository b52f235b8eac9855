/**
 * The operator's own money on the accounts of the service.
 *
 * @module
 */
import * as Float from "../wire/Float.ts"
import * as Outflow from "../wire/Outflow.ts"
import * as Endpoint from "./Endpoint.ts"

const recording = {
  payload: Float.Moved,
  success: Float.Recorded,
  refusals: ["approval_required", "invalid_state", "idempotency_conflict"],
} as const

const sending = {
  headers: Endpoint.once,
  payload: Float.SendRequest,
  success: Endpoint.created(Outflow.Outflow),
  refusals: ["approval_required", "invalid_state"],
} as const

export const group = Endpoint.group(
  "float",
  "Your own money on the accounts of the service: float and fees",
  Endpoint.post("put", "/operator/v1/float/put", {
    scope: "treasury",
    action: "float.put",
    summary: "Record your own tokens that you sent to an account of the service",
    description:
      "Refunds that wait for this money are retried. A movement is recorded once, also if a scan of the chain finds its transaction.",
    ...recording,
  }),
  Endpoint.post("take", "/operator/v1/float/take", {
    scope: "treasury",
    action: "float.taken",
    summary: "Record your own tokens that left an account without this service",
    description:
      "To take money out, withdraw it instead: a transaction that anything else sends from an account of the service stops its chain. A movement is recorded once.",
    ...recording,
  }),
  Endpoint.post("move", "/operator/v1/float/move", {
    scope: "treasury",
    action: "float.moved",
    summary: "Move float to another account of the service on the same chain",
    description:
      "A worker sends it. Money that an account owes stays on it. The service moves float by itself if a refund waits for money that another account has.",
    ...sending,
  }),
  Endpoint.post("withdraw", "/operator/v1/float/withdraw", {
    scope: "treasury",
    action: "float.withdrawn",
    summary: "Send float or fees to an account of yours",
    description:
      "The setting `treasury` must list the account, for the process that is called and for the workers. A worker sends it. Money that an account owes stays on it.",
    ...sending,
  }),
  Endpoint.post("cancel", "/operator/v1/float/:outflowId/cancel", {
    scope: "treasury",
    action: "float.cancelled",
    summary: "Cancel a move, a withdrawal or a sweep that was not sent",
    description: "The money stays on its account.",
    params: { outflowId: Outflow.outflowId },
    success: Outflow.Outflow,
    refusals: ["not_found", "invalid_state"],
  }),
)
