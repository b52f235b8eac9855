/**
 * The deny list: what is in force, and what was refused.
 *
 * @module
 */
import * as DenyList from "../wire/DenyList.ts"
import * as Endpoint from "./Endpoint.ts"

export const group = Endpoint.group(
  "screening",
  "The deny list of the service",
  Endpoint.get("get", "/operator/v1/screening/deny-list", {
    scope: "read",
    summary: "Get the deny list, and a newer one that was refused",
    description:
      "A list that lost more than a tenth of its addresses is refused until you confirm it. The last good list stays in force.",
    success: DenyList.DenyList,
  }),
  Endpoint.post("confirm", "/operator/v1/screening/deny-list/confirm", {
    scope: "admin",
    action: "denyList.confirmed",
    summary: "Confirm a deny list that was refused",
    description:
      "Check its file first, because the addresses that it lost may pay and be paid afterwards. Running processes take it within 5 s.",
    payload: DenyList.ConfirmRequest,
    success: DenyList.DenyList,
  }),
)
