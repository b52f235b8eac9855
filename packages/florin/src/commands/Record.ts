/**
 * `florin payments record <paymentId> <txHash>`: the operator records a payout or refund that is on the chain but not
 * in the storage.
 *
 * @module
 */
import * as PaidOut from "@florin/core/engine/PaidOut"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Access from "../storage/Access.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"

export const command = Command.make(
  "record",
  {
    paymentId: Flags.paymentId("Id of the payment that it was sent for"),
    txHash: Flags.txHash("Hash of the transaction"),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { paymentId, txHash } = options
    yield* PaidOut.record(paymentId, txHash).pipe(
      Effect.catchTag(["NotRecorded", "NotFound"], ({ message }) =>
        Failure.make(`nothing was recorded: ${message}`),
      ),
      Effect.provide(
        Layer.merge(Access.layer(options, "florin payments record"), Identifiers.layer),
      ),
    )
    if (options.json) return Terminal.json({ paymentId, txHash })
    Terminal.writeSuccess(`${txHash} is recorded for ${paymentId}.`)
    Terminal.note(`Show its history with: \`florin explain ${paymentId}\``)
  }),
).pipe(
  Command.withDescription(
    "Record a refund, or a payout of this payment only, that is on the chain and not in the storage, for example after a restore from an older backup. Only a final transfer of exactly the expected amount is recorded, and it is not sent again. For a payout of several payments use `florin payouts record <txHash>`. The command needs the environment variables of florin serve, because it queries the nodes.",
  ),
  Command.withShortDescription("Record a refund or payout that is missing in the storage"),
  Command.withExamples([{ command: "florin payments record pay_… 0x…" }]),
)
