/**
 * The service's accounts that collect and pay out.
 *
 * @module
 */
import * as Mode from "../wire/Mode.ts"
import * as Relayer from "../wire/Relayer.ts"
import * as Endpoint from "./Endpoint.ts"

export const group = Endpoint.group(
  "relayers",
  "The service's accounts that collect and pay out",
  Endpoint.get("list", "/operator/v1/relayers", {
    scope: "read",
    summary: "List the accounts that collect and pay out",
    description:
      "Each account has its gas, its last transactions, its balances in the ledger, and how much of these is owed. The rest is your own.",
    query: Mode.filter,
    success: Relayer.List,
  }),
)
