/**
 * `florin refunds`: a partner refunds payments over HTTP; the operator retries held refunds.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import * as Contract from "@florin/api/operator/Outflows"
import type { Partner } from "@florin/client"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Asked from "../access/Asked.ts"
import * as ServiceAccess from "../access/ServiceAccess.ts"
import * as OperatorCommand from "../operator/Command.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as WireAmount from "../terminal/WireAmount.ts"

const { group } = Contract

const retry = OperatorCommand.endpoint("refunds retry", group, group.endpoints.retryRefunds, {
  does: "Retry the held refunds of a payment",
  description:
    "Retry the held refunds of a payment, to the account that paid. For operators. The service's workers send the money.",
  takes: {},
  explain: (why, { paymentId }) => `${why}: \`florin explain ${paymentId}\` shows its state`,
  print: ({ paymentId, refunds = [] }) => {
    for (const { amount, status } of refunds) {
      Terminal.writeSuccess(
        status === "pending"
          ? `The refund of ${WireAmount.toText(amount)} is due again. A worker sends it.`
          : `The refund of ${WireAmount.toText(amount)}: ${status}`,
      )
    }
    Terminal.note(`Follow it with: \`florin explain ${paymentId}\``)
  },
  examples: [{ command: "florin refunds retry pay_…" }],
})

const amountFlag = Flags.optionalString(
  "amount",
  "AMOUNT",
  "A part of the payment: '2.50 USD'. Without it, the whole payment",
)

const readAmount = (text: Option.Option<string>) =>
  Option.isNone(text)
    ? Effect.succeed({})
    : Effect.map(Effect.fromResult(WireAmount.parse(text.value, undefined)), (read) => ({
        amount: read,
      }))

const statement = Command.make(
  "statement",
  {
    paymentId: Flags.paymentId("Id of the payment to refund"),
    destination: Flags.argument("destination", "Account to refund to, in CAIP-10"),
    amount: amountFlag,
    ...ServiceAccess.merchantFlags,
  },
  Effect.fnUntraced(function* (options) {
    const { destination, paymentId } = options
    const asked = yield* readAmount(options.amount)
    const { client } = yield* ServiceAccess.ofOne(options)
    const given = yield* Asked.ask("asking for the statement", () =>
      client.refunds.destination({ paymentId, destination, ...asked }),
    )
    if (options.json) return Terminal.json(given)
    Terminal.result(given.statement.split("\n").map(Printable.from).join("\n"))
    Terminal.aside(
      `The account that paid has to sign this text, without the last line break. Then: \`florin refunds create ${paymentId} --destination ${destination} --statement FILE --proof SIGNATURE\``,
    )
  }),
).pipe(
  Command.withDescription(
    "Print the text that the account that paid has to sign before a refund goes to another account. It is valid for one refund, for 24 hours. A contract account may sign by ERC-1271.",
  ),
  Command.withShortDescription("Print the statement for a refund to another account"),
  Command.withExamples([
    { command: "florin refunds statement pay_… eip155:8453:0x… > statement.txt" },
  ]),
)

/** A file ends with a line break, which is not part of what was signed. */
const readStatement = (path: string) =>
  Effect.try({
    try: () => readFileSync(path, "utf8").replace(/\r?\n$/u, ""),
    catch: () =>
      Failure.make(
        `the statement ${path} cannot be read: --statement names a file with the text that was signed`,
      ),
  })

const create = Command.make(
  "create",
  {
    paymentId: Flags.paymentId("Id of the payment to refund"),
    amount: amountFlag,
    reason: Flags.optionalString(
      "reason",
      "TEXT",
      "Why it is refunded, for the merchant's own records",
    ),
    destination: Flags.optionalString(
      "destination",
      "ACCOUNT",
      "Another account than the one that paid, which that one signed the statement for",
    ),
    statement: Flags.optionalString(
      "statement",
      "FILE",
      "With --destination: the text that was signed, from florin refunds statement",
    ),
    proof: Flags.optionalString("proof", "SIGNATURE", "With --destination: its signature"),
    ...ServiceAccess.merchantFlags,
  },
  Effect.fnUntraced(function* (options) {
    const { paymentId } = options
    const asked = yield* readAmount(options.amount)
    const signed = Option.isNone(options.statement)
      ? undefined
      : yield* readStatement(options.statement.value)
    const { client } = yield* ServiceAccess.ofOne(options)
    const refund = yield* Asked.ask("asking for the refund", () =>
      client.refunds.create({
        paymentId,
        ...asked,
        ...(Option.isSome(options.reason) && { reason: options.reason.value }),
        ...(Option.isSome(options.destination) && { destination: options.destination.value }),
        ...(signed !== undefined && { statement: signed }),
        ...(Option.isSome(options.proof) && { proof: options.proof.value }),
      }),
    )
    if (options.json) return Terminal.json(refund)
    Terminal.writeSuccess(
      `${WireAmount.toText(refund.amount)} goes ${refund.destination === undefined ? "back to the payer" : `to ${refund.destination}`}: ${refund.status}`,
    )
    Terminal.note(`Follow it with: \`florin refunds show ${refund.refundId}\``)
  }),
).pipe(
  Command.withDescription(
    "Refund a payment to its payer: the whole, or with --amount a part of it, as often as something is left. With --destination, the refund goes to another account, for which the account that paid has to sign (florin refunds statement).",
  ),
  Command.withShortDescription("Refund a payment, or a part of it"),
  Command.withExamples([
    { command: "florin refunds create pay_…" },
    { command: "florin refunds create pay_… --amount '2.50 USD' --reason 'One bag returned'" },
    {
      command:
        "florin refunds create pay_… --destination eip155:8453:0x… --statement statement.txt --proof 0x…",
    },
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
    if (refund.destination !== undefined) Terminal.fact("to", refund.destination)
    if (refund.reason !== undefined) Terminal.fact("reason", Printable.from(refund.reason))
    if (refund.txId !== undefined) Terminal.fact("transaction", refund.txId)
  }),
).pipe(
  Command.withDescription("Show the state of a refund."),
  Command.withShortDescription("Show a refund"),
)

export const command = Command.make("refunds").pipe(
  Command.withDescription(
    "Refund payments. create, statement, list and show call the service over HTTP with a partner's key. retry is for operators and calls the operator's API.",
  ),
  Command.withSubcommands([create, statement, list, show, retry]),
)
