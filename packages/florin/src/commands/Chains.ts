/**
 * `florin chains`: shows chains and their nodes, and resumes stopped chains. A chain is stopped after a deep
 * reorganisation, or because of transactions that the ledger does not know.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Chains"
import type * as Wire from "@florin/api/wire/Chain"
import * as OperatorCommand from "../operator/Command.ts"
import * as Described from "../terminal/Described.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"

const make = OperatorCommand.of(Contract.group)

/** `Base (eip155:8453)` */
const nameOf = ({
  chainId,
  networkName,
}: Pick<Wire.Halts["chains"][number], "chainId" | "networkName">): string =>
  networkName === null ? `chain ${chainId}` : `${networkName} (${chainId})`

const nodeColumns: ReadonlyArray<Table.Column<Wire.List["chains"][number]["nodes"][number]>> = [
  { name: "node", of: ({ host }) => host ?? "-" },
  { name: "newest block", of: ({ headBlock }) => `${headBlock ?? "-"}` },
  { name: "behind", of: ({ behindMs }) => (behindMs === null ? "-" : `${behindMs / 1000} s`) },
  { name: "error", of: ({ error }) => error ?? "-", isProse: true },
]

export const command = Described.group(
  "chains",
  "Show the chains and their nodes, and resume stopped chains. A chain stops after a reorganisation deeper than its policy allows, or after a transaction of a service account that the ledger does not have.",
  [
    make("list", "list", {
      print: ({ chains }) => {
        if (chains.length === 0) Terminal.plain("No chains.")
        for (const each of chains) {
          const { doNodesAgree, headAgeMs, mode, nodes } = each
          Terminal.heading(`${nameOf(each)}, ${mode}`)
          Terminal.fact(
            "head",
            headAgeMs === null
              ? "unknown: no node responds"
              : `${Math.round(headAgeMs / 1000)} s old`,
          )
          if (!doNodesAgree) {
            Terminal.fact("nodes", "show different blocks at a final height: one of them is wrong")
          }
          Table.print(nodeColumns, nodes)
        }
      },
      examples: ["florin chains list --mode live"],
    }),
    make("halted", "halted", {
      print: ({ chains }) => {
        Terminal.heading(
          chains.length === 0
            ? "No chain is stopped."
            : "Stopped chains (no new transaction is sent):",
        )
        for (const each of chains) {
          const { haltedAt, mode, reason } = each
          Terminal.plain(
            `${nameOf(each)} for ${mode} payments, since ${Time.second(haltedAt)}: ${reason}`,
          )
        }
        if (chains.length === 0) return
        Terminal.note(
          "After a restore of a backup, first record what was sent: docs/operations.md#7-back-up",
        )
        Terminal.note(`Resume one with: \`florin chains resume <chainId>\``)
      },
    }),
    make("resume", "resume", {
      print: ({ chains }) => {
        for (const each of chains) {
          Terminal.writeSuccess(
            `${nameOf(each)} is resumed for ${each.mode} payments. It was stopped at ${Time.second(each.haltedAt)}. Workers send the transactions that waited.`,
          )
        }
        if (chains.length === 0) {
          return Terminal.plain(
            "It is not stopped: `florin chains halted` lists the chains that are",
          )
        }
        return Terminal.note(
          "If blocks are still missing, or if an account sends another unknown transaction, the chain stops again: `florin chains halted`",
        )
      },
      examples: ["florin chains resume eip155:8453"],
    }),
  ],
)
