/**
 * What the service's accounts hold, and whose money it is.
 *
 * @module
 */
import * as Balance from "../wire/Balance.ts"
import * as Mode from "../wire/Mode.ts"
import * as Endpoint from "./Endpoint.ts"

export const group = Endpoint.group(
  "balances",
  "What the service's accounts hold",
  Endpoint.get("list", "/operator/v1/balances", {
    scope: "read",
    summary: "List what each account has of each token, and whose it is",
    description:
      "Compares the ledger with the chain, and divides the ledger's sum into what is owed to merchants, reserved for refunds, unclaimed, and your own. Transfers that are not final yet make chain and ledger differ. Each token also has the fees that you earned, and what merchants owe you. It takes a few seconds at most.",
    query: Mode.filter,
    success: Balance.List,
  }),
)
