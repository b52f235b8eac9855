/**
 * `florin status`: what needs an operator now, with the command that helps.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Status"
import type * as Wire from "@florin/api/wire/Status"
import * as Findings from "@florin/core/engine/status/Findings"
import * as OperatorCommand from "../operator/Command.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"

const redOf = ({ findings }: Wire.Status) => findings.filter(({ severity }) => severity !== "note")

const print = (status: Wire.Status): void => {
  const { at, findings, fine, skipped } = status
  const { length: count } = redOf(status)
  const found = count === 0 ? "Nothing needs attention" : Printable.counted(count, "problem")
  Terminal.heading(`${found}, ${Time.second(at)}`)
  for (const { message, remedies, severity } of findings) {
    Terminal.writeMarked(severity === "note" ? "yellow" : "red", message)
    for (const { command: helps } of remedies) Terminal.command(helps)
  }
  if (fine.length > 0) Terminal.writeMarked("green", `Fine: ${Findings.namesOf(fine)}`)
  if (skipped.length > 0) {
    Terminal.writeMarked("dim", `Not checked: ${Findings.namesOf(skipped)}`)
  }
}

export const command = OperatorCommand.of(Contract.group)("status", "get", {
  description:
    "Show what needs your attention, with the command that helps: stopped chains and tokens, money that is held or waits, unclaimed money, missing float, debts, gas, budgets, nodes, webhook endpoints, the clock, and work that no worker does. ✗ needs your attention, ! is for information. The exit code is 1 if something needs your attention.",
  everyInMs: 5000,
  print,
  fails: (status) => {
    const names = new Set(redOf(status).map(({ finding }) => finding))
    return names.size === 0 ? undefined : `needs your attention: ${[...names].join(", ")}`
  },
  examples: ["florin status --watch", "florin status --json"],
})
