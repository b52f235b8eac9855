/**
 * `florin payments record <paymentId> <txHash>`: the operator records a payout or refund that is on the chain but not
 * in the storage.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Outflows"
import * as Effect from "effect/Effect"
import * as OperatorCommand from "../operator/Command.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"

const { group } = Contract

export const command = OperatorCommand.endpoint(
  "payments record",
  group,
  group.endpoints.recordForPayment,
  {
    does: "Record a refund or payout that is missing in the storage",
    description:
      "Record a refund, or a payout of this payment only, that is on the chain and not in the storage, for example after a restore from an older backup. Only a final transfer of exactly the expected amount is recorded, and it is not sent again. For a payout of several payments use `florin payouts record <txHash>`. If no service runs, the command needs the environment variables of florin serve, because it queries the nodes.",
    seesChains: true,
    omits: "all",
    takes: { txHash: Flags.txHash("Hash of the transaction") },
    members: ({ txHash }) => Effect.succeed({ txId: txHash }),
    explain: (why) => `nothing was recorded: ${why}`,
    print: ({ paymentId }, { txHash }) => {
      Terminal.writeSuccess(`${txHash} is recorded for ${paymentId}.`)
      Terminal.note(`Show its history with: \`florin explain ${paymentId}\``)
    },
    examples: [{ command: "florin payments record pay_… 0x…" }],
  },
)
