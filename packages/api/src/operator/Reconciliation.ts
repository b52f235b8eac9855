/**
 * Whether the books agree.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Mode from "../wire/Mode.ts"
import * as Reconciliation from "../wire/Reconciliation.ts"
import * as Endpoint from "./Endpoint.ts"
import * as Job from "./Job.ts"

export const group = Endpoint.group(
  "reconciliation",
  "Whether the books agree",
  Endpoint.get("run", "/operator/v1/reconciliation", {
    scope: "read",
    summary: "Compare the ledger with the chains, and records with each other",
    description:
      "Compares the ledger's balance of each account of the service with its balance on the chain. Transfers that are not final yet make them differ for seconds. It changes nothing, and stops if the connection closes.",
    query: {
      ...Mode.filter,
      depth: Schema.optionalKey(
        Schema.Literals(["balances", "records"]).annotate({
          description:
            "`records` also compares payments, payouts, events, ledger entries and statistics with each other. Default: `balances`",
        }),
      ),
    },
    success: Job.stream(Reconciliation.Reconciliation),
    refusals: ["bad_gateway"],
  }),
)
