/**
 * `florin payments settle`: the operator retries a payout that is held or owed.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Outflows"
import * as OperatorCommand from "../operator/Command.ts"
import * as Terminal from "../terminal/Terminal.ts"

const { group } = Contract

export const command = OperatorCommand.endpoint(
  "payments settle",
  group,
  group.endpoints.retrySettlement,
  {
    does: "Retry the payout of a payment",
    description:
      "Retry a payout that is held or owed, to the destination that the merchant has now. For operators. The service's workers send the money.",
    takes: {},
    explain: (why, { paymentId }) => `${why}: \`florin explain ${paymentId}\` shows the state`,
    print: ({ destination, paymentId }) => {
      Terminal.writeSuccess(
        `The payout of ${paymentId} is due again, to ${destination}. A worker sends it.`,
      )
      Terminal.note(`Follow it with: \`florin explain ${paymentId}\``)
    },
    examples: [{ command: "florin payments settle pay_…" }],
  },
)
