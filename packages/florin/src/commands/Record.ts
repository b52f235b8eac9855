/**
 * `florin payments record <paymentId> <txHash>`: the operator tells the storage of a payout or refund that only the chain knows of.
 *
 * @module
 */
import * as PaidOut from "@florin/core/engine/PaidOut"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Access from "../access/Access.ts"
import * as Failure from "../Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"

export const command = Command.make(
  "record",
  {
    paymentId: Flags.paymentId("The payment that it was sent for"),
    txHash: Flags.txHash("The transaction that sent it"),
    ...Access.flags,
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const { paymentId, txHash } = options
    yield* PaidOut.record(paymentId, txHash).pipe(
      Effect.catchTag(
        ["NotRecorded", "NotFound"],
        ({ message }) => new Failure.CommandFailed({ message: `nothing was recorded: ${message}` }),
      ),
      Effect.provide(
        Layer.merge(Access.layer(options, "florin payments record"), Identifiers.layer),
      ),
    )
    if (options.json) return Terminal.json({ paymentId, txHash })
    Terminal.done(`${txHash} is recorded as what was sent for ${paymentId}.`)
    Terminal.note(`See how it stands with: \`florin explain ${paymentId}\``)
  }),
).pipe(
  Command.withDescription(
    "Record a refund, or the payout of this payment alone, that is on the chain and not in the storage, as after a restore to an older backup. Only a final transfer of exactly what the payment waits for is recorded, and it is not sent again. A payout that paid several payments is recorded with `florin payouts record <txHash>`. It asks the nodes that the service has.",
  ),
  Command.withShortDescription("Record a refund or payout that the storage does not have"),
  Command.withExamples([{ command: "florin payments record pay_… 0x…" }]),
)
