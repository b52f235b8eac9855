/**
 * `florin stuck`: lists money and work that is stuck, with the reason, the time, and the command that decides about it.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Status"
import type * as Wire from "@florin/api/wire/Status"
import * as Age from "@florin/core/domain/ground/Age"
import * as OperatorCommand from "../operator/Command.ts"
import * as Hint from "../terminal/Hint.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as WireAmount from "../terminal/WireAmount.ts"
import * as Unclaimed from "./Unclaimed.ts"

type Item = Wire.Stuck["stuck"][number]

const decides = ({ remedy, state }: Item): string => {
  if (remedy !== null) return Hint.pasteable(remedy.command)
  return state === "held" ? "nothing: it stays held" : "nothing: it is retried automatically"
}

const columns = (at: number): ReadonlyArray<Table.Column<Item>> => [
  { name: "what", of: ({ kind }) => kind },
  { name: "mode", of: ({ mode }) => mode },
  { name: "state", of: ({ state }) => state },
  { name: "for", of: ({ since }) => Age.text(at - Date.parse(since)) },
  { name: "amount", of: ({ amount }) => (amount === null ? "-" : WireAmount.toText(amount)) },
  { name: "id", of: ({ id }) => id },
  { name: "reason", of: ({ message }) => message, isProse: true },
  { name: "decide with", of: decides },
]

export const command = OperatorCommand.of(Contract.group)("stuck", "stuck", {
  adds: "`florin status` shows a summary.",
  print: ({ at, stuck }) => {
    Table.counted(columns(Date.parse(at)), stuck, { name: "Stuck", none: "Nothing is stuck." })
    if (stuck.length === 0) return
    Terminal.note("Find and fix the cause before you retry or resume.")
    if (stuck.some(({ kind }) => kind === "unclaimed")) Terminal.note(Unclaimed.restored)
    if (stuck.some(({ remedy }) => remedy?.operation === "outflows.retry")) {
      Terminal.note(`Retry all payouts that are held with: \`florin payouts retry-all\``)
    }
  },
})
