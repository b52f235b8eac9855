/**
 * `florin refunds`: a partner refunds payments over HTTP; the operator retries held refunds.
 *
 * @module
 */
import * as Refunds from "@florin/api/groups/Refunds"
import * as Contract from "@florin/api/operator/Outflows"
import type { Refund } from "@florin/api/wire/Refund"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as PrivateFile from "../access/PrivateFile.ts"
import * as OperatorCommand from "../operator/Command.ts"
import * as PartnerCommand from "../operator/PartnerCommand.ts"
import * as Described from "../terminal/Described.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as WireAmount from "../terminal/WireAmount.ts"

const make = PartnerCommand.ofOne.of(Refunds.group)

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

const columns: ReadonlyArray<Table.Column<Refund>> = [
  { name: "refund", of: ({ refundId }) => refundId },
  { name: "amount", of: ({ amount }) => WireAmount.toText(amount) },
  { name: "status", of: ({ status }) => status },
  { name: "reason", of: ({ reason = "" }) => Printable.from(reason) },
]

export const command = Described.group(
  "refunds",
  "Refund payments. create, statement, list and show call the service over HTTP with a partner's key. retry is for operators and calls the operator's API.",
  [
    make("create", "create", {
      description:
        "Refund a payment to its payer: the whole, or with --amount a part of it, as often as something is left. With --destination, the refund goes to another account, for which the account that paid has to sign (florin refunds statement).",
      args: ["paymentId"],
      omits: ["amount", "statement"],
      takes: {
        amount: amountFlag,
        statement: Flags.optionalString(
          "statement",
          "FILE",
          "With --destination: the text that was signed, from florin refunds statement",
        ),
        idempotencyKey: Flags.idempotencyKey("refund"),
      },
      once: Flags.onceOf,
      unanswered: ({ paymentId: of }) => `unless \`florin refunds list ${of}\` shows the refund`,
      members: Effect.fnUntraced(function* ({ amount, statement: path }) {
        const asked = yield* readAmount(amount)
        if (Option.isNone(path)) return asked
        const takes = "--statement names a file with the text that was signed"
        const text = yield* PrivateFile.readNamed(path.value, takes)
        // A file ends with a line break, which is not part of what was signed.
        return { ...asked, statement: text.replace(/\r?\n$/u, "") }
      }),
      done: ({ amount, destination, status }) =>
        `${WireAmount.toText(amount)} goes ${destination === undefined ? "back to the payer" : `to ${destination}`}: ${status}`,
      next: ({ refundId }) => `Follow it with: \`florin refunds show ${refundId}\``,
      examples: [
        "florin refunds create pay_…",
        "florin refunds create pay_… --amount '2.50 USD' --reason 'One bag returned'",
        "florin refunds create pay_… --destination eip155:8453:0x… --statement statement.txt --proof 0x…",
      ],
    }),
    make("statement", "destination", {
      args: ["paymentId", "destination"],
      takes: { amount: amountFlag },
      members: ({ amount }) => readAmount(amount),
      print: (given, _, { asked: { destination, paymentId: id } }) => {
        Terminal.result(given.statement.split("\n").map(Printable.from).join("\n"))
        Terminal.aside(
          `The account that paid has to sign this text, without the last line break. Then: \`florin refunds create ${id} --destination ${destination} --statement FILE --proof SIGNATURE\``,
        )
      },
      examples: ["florin refunds statement pay_… eip155:8453:0x… > statement.txt"],
    }),
    make("list", "list", {
      omits: "all",
      args: ["paymentId"],
      print: ({ data }) => Table.list(columns, data, "Nothing of the payment was refunded."),
    }),
    make("show", "get", {
      print: ({ amount, destination, paymentId: of, reason, refundId, status, txId }) => {
        Terminal.heading(refundId)
        Terminal.fact("payment", of)
        Terminal.fact("amount", WireAmount.toText(amount))
        Terminal.fact("status", status)
        Terminal.fact("to", destination)
        Terminal.fact("reason", reason && Printable.from(reason))
        Terminal.fact("transaction", txId)
      },
    }),
    OperatorCommand.of(Contract.group)("retry", "retryRefunds", {
      explain: (why, { paymentId: of }) => `${why}: \`florin explain ${of}\` shows its state`,
      print: ({ paymentId: of, refunds = [] }) => {
        for (const { amount, status } of refunds) {
          Terminal.writeSuccess(
            status === "pending"
              ? `The refund of ${WireAmount.toText(amount)} is due again. A worker sends it.`
              : `The refund of ${WireAmount.toText(amount)}: ${status}`,
          )
        }
        Terminal.note(`Follow it with: \`florin explain ${of}\``)
      },
    }),
  ],
)
