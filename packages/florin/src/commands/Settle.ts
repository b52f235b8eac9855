/**
 * `florin payments settle`: the operator retries a payout that is held or owed, in the storage.
 *
 * @module
 */
import * as Family from "@florin/core/domain/chain/Family"
import * as Entry from "@florin/core/domain/payment/Entry"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Settlements from "@florin/core/engine/Settlements"
import { Assets } from "@florin/core/ports/Assets"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Access from "../storage/Access.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"

const destinationOf = ({ state }: Payment.Payment, known: Family.Known): string | null =>
  state._tag === "Succeeded" &&
  state.entry.destination !== null &&
  Entry.status(state.entry) === "waiting"
    ? Family.formatAccount(known, state.entry.destination)
    : null

export const command = Command.make(
  "settle",
  {
    paymentId: Flags.paymentId("Id of the payment whose payout is held or owed"),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { catalog, payment } = yield* Effect.gen(function* () {
      return { payment: yield* Settlements.retry(options.paymentId), catalog: yield* Assets }
    }).pipe(
      Effect.catchTag("NothingToSettle", ({ message }) =>
        Failure.make(`${message}: \`florin explain ${options.paymentId}\` shows the state`),
      ),
      Access.inStorage(options, "florin payments settle"),
    )
    const destination = destinationOf(payment, catalog)
    if (options.json) return Terminal.json({ paymentId: payment.id, destination })
    Terminal.writeSuccess(
      `The payout of ${payment.id} is due again, to ${destination}. A worker sends it.`,
    )
    Terminal.note(`Follow it with: \`florin explain ${payment.id}\``)
  }),
).pipe(
  Command.withDescription(
    "Retry a payout that is held or owed, to the destination that the merchant has now. For operators: the command opens the storage, and the service's workers send the money.",
  ),
  Command.withShortDescription("Retry the payout of a payment"),
  Command.withExamples([{ command: "florin payments settle pay_…" }]),
)
