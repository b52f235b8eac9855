/**
 * `florin unclaimed`: money that arrived and belongs to no payment.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Inflows"
import type * as Wire from "@florin/api/wire/Inflow"
import * as OperatorCommand from "../operator/Command.ts"
import * as Described from "../terminal/Described.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"
import * as WireAmount from "../terminal/WireAmount.ts"

const make = OperatorCommand.of(Contract.group)

/** The merchant of a payment that a restore lost may have its money already. */
export const restored =
  "After a restore of a backup, first read docs/operations.md#7-back-up: unclaimed money may be of payments that were paid out."

const columns: ReadonlyArray<Table.Column<Wire.Inflow>> = [
  { name: "id", of: ({ id }) => id },
  { name: "mode", of: ({ mode }) => mode },
  { name: "amount", of: ({ amount }) => WireAmount.toText(amount) },
  { name: "from", of: ({ from }) => from },
  { name: "to", of: ({ to }) => to },
  { name: "transaction", of: ({ txId }) => txId },
  { name: "for", of: ({ paymentId }) => paymentId ?? "-" },
  { name: "found (UTC)", of: ({ foundAt }) => Time.minute(foundAt) },
]

export const command = Described.group(
  "unclaimed",
  "List and return transfers to your accounts that belong to no payment.",
  [
    make("list", "list", {
      adds: "The column for names the payment that its payer reported it for.",
      print: ({ inflows, others }) => {
        const none = others.length === 0 ? "No money is unclaimed." : "Unclaimed: 0"
        Table.counted(columns, inflows, { name: "Unclaimed", none })
        for (const { amount, count, mode } of others) {
          Terminal.plain(`${count} smaller of ${mode} money: ${WireAmount.toText(amount)} in all`)
        }
        if (inflows.length > 0) {
          Terminal.note(restored)
          Terminal.note(`Return it with: \`florin unclaimed return <id>\``)
          Terminal.note(
            `If you sent it yourself: \`florin float put <asset> <account> <amount> --mode <mode> --transaction <hash>\``,
          )
        }
      },
    }),
    make("show", "find", {
      print: ({ inflows }) => {
        if (inflows.length === 0) {
          Terminal.heading("The transaction brought no unclaimed money.")
          Terminal.note(
            "Transfers that are not final yet are not listed. A transfer that paid belongs to its payment.",
          )
        }
        for (const { amount, foundAt, from, id, mode, obstacle, paymentId, to } of inflows) {
          Terminal.heading(id)
          Terminal.fact("amount", WireAmount.toText(amount))
          Terminal.fact("from", from)
          Terminal.fact("to", to)
          Terminal.fact("mode", mode)
          Terminal.fact("for", paymentId)
          Terminal.fact("found", Time.second(foundAt))
          Terminal.fact("state", obstacle ?? "it waits in suspense")
        }
      },
      examples: ["florin unclaimed show 0x…"],
    }),
    make("return", "return", {
      done: ({ id }) => `${id} returns it to its sender. The service's workers send it.`,
      next: ({ id }) => `Follow it with: \`florin payouts show ${id}\``,
    }),
  ],
)
