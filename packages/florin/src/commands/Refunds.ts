/**
 * `florin refunds`: a partner refunds payments over HTTP; the operator retries held refunds in the storage.
 *
 * @module
 */
import type { Partner } from "@florin/client"
import * as Family from "@florin/core/domain/chain/Family"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Refunds from "@florin/core/engine/Refunds"
import { Assets } from "@florin/core/ports/Assets"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Asked from "../access/Asked.ts"
import * as ServiceAccess from "../access/ServiceAccess.ts"
import * as Access from "../storage/Access.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as WireAmount from "../terminal/WireAmount.ts"

const retry = Command.make(
  "retry",
  {
    paymentId: Flags.paymentId("Id of the payment whose refund is held"),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { catalog, refunds } = yield* Effect.gen(function* () {
      return { refunds: yield* Refunds.retryHeld(options.paymentId), catalog: yield* Assets }
    }).pipe(
      Effect.catchTag("RefundNotHeld", ({ message }) =>
        Failure.make(`${message}: \`florin explain ${options.paymentId}\` shows its state`),
      ),
      Access.inStorage(options, "florin refunds retry"),
    )
    if (options.json) {
      return Terminal.json(
        refunds.map((refund) => ({
          paymentId: options.paymentId,
          refundId: refund.id,
          status: Refund.status(refund),
          amount: Amount.format(Refund.amount(refund), catalog),
        })),
      )
    }
    for (const refund of refunds) {
      Terminal.writeSuccess(
        `The refund of ${Amount.toText(Refund.amount(refund), catalog)} is due again, to ${Family.formatAccount(catalog, refund.to)}. A worker sends it.`,
      )
    }
    Terminal.note(`Follow it with: \`florin explain ${options.paymentId}\``)
  }),
).pipe(
  Command.withDescription(
    "Retry the held refunds of a payment, to the account that paid. For operators: the command opens the storage, and the service's workers send the money.",
  ),
  Command.withShortDescription("Retry the held refunds of a payment"),
  Command.withExamples([{ command: "florin refunds retry pay_…" }]),
)

const create = Command.make(
  "create",
  {
    paymentId: Flags.paymentId("Id of the payment to refund"),
    amount: Flags.optionalString(
      "amount",
      "AMOUNT",
      "A part of the payment: '2.50 USD'. Without it, the whole payment",
    ),
    reason: Flags.optionalString(
      "reason",
      "TEXT",
      "Why it is refunded, for the merchant's own records",
    ),
    ...ServiceAccess.merchantFlags,
  },
  Effect.fnUntraced(function* (options) {
    const { paymentId } = options
    const [text, reason] = [
      Option.getOrUndefined(options.amount),
      Option.getOrUndefined(options.reason),
    ]
    const amount =
      text === undefined ? undefined : yield* Effect.fromResult(WireAmount.parse(text, undefined))
    const { client } = yield* ServiceAccess.ofOne(options)
    const refund = yield* Asked.ask("asking for the refund", () =>
      client.refunds.create({
        paymentId,
        ...(amount !== undefined && { amount }),
        ...(reason !== undefined && { reason }),
      }),
    )
    if (options.json) return Terminal.json(refund)
    Terminal.writeSuccess(
      `${WireAmount.toText(refund.amount)} goes back to the payer: ${refund.status}`,
    )
    Terminal.note(`Follow it with: \`florin refunds show ${refund.refundId}\``)
  }),
).pipe(
  Command.withDescription(
    "Refund a payment to its payer: the whole, or with --amount a part of it, as often as something is left.",
  ),
  Command.withShortDescription("Refund a payment, or a part of it"),
  Command.withExamples([
    { command: "florin refunds create pay_…" },
    { command: "florin refunds create pay_… --amount '2.50 USD' --reason 'One bag returned'" },
  ]),
)

type Shown = Awaited<ReturnType<Partner["refunds"]["get"]>>

const columns: ReadonlyArray<Table.Column<Shown>> = [
  { name: "refund", of: ({ refundId }) => refundId },
  { name: "amount", of: ({ amount }) => WireAmount.toText(amount) },
  { name: "status", of: ({ status }) => status },
  { name: "reason", of: ({ reason = "" }) => Printable.from(reason) },
]

const list = Command.make(
  "list",
  { paymentId: Flags.paymentId("Id of the payment"), ...ServiceAccess.merchantFlags },
  Effect.fnUntraced(function* (options) {
    const { client } = yield* ServiceAccess.ofOne(options)
    const { data } = yield* Asked.ask("reading the refunds", () =>
      client.refunds.list(options.paymentId),
    )
    if (options.json) return Terminal.json(data)
    if (data.length === 0) return Terminal.note("Nothing of the payment was refunded.")
    Table.print(columns, data)
  }),
).pipe(
  Command.withDescription("List the refunds of a payment, newest first."),
  Command.withShortDescription("List the refunds of a payment"),
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
    if (refund.reason !== undefined) Terminal.fact("reason", Printable.from(refund.reason))
    if (refund.txId !== undefined) Terminal.fact("transaction", refund.txId)
  }),
).pipe(
  Command.withDescription("Show the state of a refund."),
  Command.withShortDescription("Show a refund"),
)

export const command = Command.make("refunds").pipe(
  Command.withDescription(
    "Refund payments. create, list and show call the service over HTTP with a partner's key. retry is for operators and opens the storage.",
  ),
  Command.withSubcommands([create, list, show, retry]),
)
