/**
 * `florin refunds`: a partner refunds payments over HTTP; the operator retries held refunds in the storage.
 *
 * @module
 */
import * as Family from "@florin/core/domain/chain/Family"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Refunds from "@florin/core/engine/Refunds"
import { Assets } from "@florin/core/ports/Assets"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Asked from "../access/Asked.ts"
import * as ServiceAccess from "../access/ServiceAccess.ts"
import * as Access from "../storage/Access.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as WireAmount from "../terminal/WireAmount.ts"

const retry = Command.make(
  "retry",
  {
    paymentId: Flags.paymentId("Id of the payment whose refund is held"),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { catalog, payment, refund } = yield* Effect.gen(function* () {
      return { ...(yield* Refunds.retryHeld(options.paymentId)), catalog: yield* Assets }
    }).pipe(
      Effect.catchTag("RefundNotHeld", ({ message }) =>
        Failure.make(`${message}: \`florin explain ${options.paymentId}\` shows its state`),
      ),
      Access.inStorage(options, "florin refunds retry"),
    )
    const amount = Refund.amount(refund)
    if (options.json) {
      return Terminal.json({
        paymentId: payment.id,
        refundId: refund.id,
        status: Refund.status(refund),
        amount: Amount.format(amount, catalog),
      })
    }
    Terminal.writeSuccess(
      `The refund of ${Amount.toText(amount, catalog)} is due again, to ${Family.formatAccount(catalog, refund.to)}. A worker sends it.`,
    )
    Terminal.note(`Follow it with: \`florin explain ${payment.id}\``)
  }),
).pipe(
  Command.withDescription(
    "Retry a held refund, to the account that paid. For operators: the command opens the storage, and the service's workers send the money.",
  ),
  Command.withShortDescription("Retry a held refund"),
  Command.withExamples([{ command: "florin refunds retry pay_…" }]),
)

const create = Command.make(
  "create",
  { paymentId: Flags.paymentId("Id of the payment to refund"), ...ServiceAccess.merchantFlags },
  Effect.fnUntraced(function* (options) {
    const { paymentId } = options
    const { client } = yield* ServiceAccess.ofOne(options)
    const refund = yield* Asked.ask("asking for the refund", () =>
      client.refunds.create({ paymentId }),
    )
    if (options.json) return Terminal.json(refund)
    Terminal.writeSuccess(
      `${WireAmount.toText(refund.amount)} goes back to the payer: ${refund.status}`,
    )
    Terminal.note(`Follow it with: \`florin refunds show ${refund.refundId}\``)
  }),
).pipe(
  Command.withDescription(
    "Refund the full amount of a payment to its payer. A payment can be refunded once.",
  ),
  Command.withShortDescription("Refund a payment"),
)

const show = Command.make(
  "show",
  {
    refundId: Flags.argument("refundId", "Id of the refund, from create"),
    ...ServiceAccess.merchantFlags,
  },
  Effect.fnUntraced(function* (options) {
    const { client } = yield* ServiceAccess.ofOne(options)
    const refund = yield* Asked.ask("reading the refund", () =>
      client.refunds.get(options.refundId),
    )
    if (options.json) return Terminal.json(refund)
    Terminal.heading(refund.refundId)
    Terminal.fact("payment", refund.paymentId)
    Terminal.fact("amount", WireAmount.toText(refund.amount))
    Terminal.fact("status", refund.status)
  }),
).pipe(
  Command.withDescription("Show the state of a refund."),
  Command.withShortDescription("Show a refund"),
)

export const command = Command.make("refunds").pipe(
  Command.withDescription(
    "Refund payments. create and show call the service over HTTP with a partner's key. retry is for operators and opens the storage.",
  ),
  Command.withSubcommands([create, show, retry]),
)
