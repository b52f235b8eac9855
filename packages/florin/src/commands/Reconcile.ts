/**
 * `florin reconcile`: compares the ledger with the on-chain balances, and all records with each other.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Reconciliation"
import type * as Wire from "@florin/api/wire/Reconciliation"
import * as Effect from "effect/Effect"
import * as OperatorCommand from "../operator/Command.ts"
import * as Books from "../serve/Books.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as WireAmount from "../terminal/WireAmount.ts"

/** What shows more about the subject of a contradiction. */
const nextOf = (subject: string): string => {
  if (subject.startsWith("pay_")) return `florin explain ${subject}`
  if (subject.startsWith("out_")) return `florin payouts show ${subject}`
  return "florin balances"
}

const differs = ({ ledger, onChain }: Wire.Account): boolean =>
  onChain !== null && onChain !== ledger

/** `Base, 0x…: ledger 1000.15 USDC, chain 1000.14 USDC` */
const lineText = ({ account, display, ledger, onChain, unit }: Wire.Account): string => {
  const text = (value: string) => WireAmount.toPlainText({ unit, value, display })
  const where = `${display.networkName ?? ""}, ${account.slice(account.lastIndexOf(":") + 1)}`
  if (onChain === null) return `${where}: ledger ${text(ledger)}, and this chain is not served`
  return ledger === onChain
    ? `${where}: ${text(ledger)} in both`
    : `${where}: ledger ${text(ledger)}, chain ${text(onChain)}`
}

const printAccounts = (accounts: Wire.Reconciliation["accounts"]): void => {
  for (const mode of ["live", "test"] as const) {
    const lines = accounts.filter((each) => each.mode === mode)
    if (lines.length === 0) continue
    const unequal = Printable.counted(lines.filter(differs).length, "differs", "differ")
    Terminal.heading(`${mode}: ${Printable.counted(lines.length, "line")}, ${unequal}`)
    for (const line of lines) {
      Terminal.writeMarked(line.ledger === line.onChain ? "green" : "red", lineText(line))
    }
  }
}

const failureOf = ({ accounts, overdrawn, records }: Wire.Reconciliation): string | undefined => {
  const { count = 0 } = records ?? {}
  if (count > 0) {
    return `${Printable.counted(count, "contradiction")} among the records: stop the workers, so that nothing is paid out, and compare these records with a backup. No use of the service explains them: a fault does, of the database, of its disk or of Florin`
  }
  return Books.failureOf({
    differences: accounts.filter(differs).length,
    unserved: accounts.filter(({ onChain }) => onChain === null).length,
    unsound: overdrawn,
  })
}

export const command = OperatorCommand.of(Contract.group)("reconcile", "run", {
  adds: "The exit code is 1 if anything differs.",
  omits: ["depth"],
  takes: {
    deep: Flags.toggle(
      "deep",
      "Also compare payments, payouts, events, ledger entries and statistics with each other",
    ),
  },
  members: ({ deep }) => Effect.succeed(deep ? { depth: "records" } : {}),
  print: (record) => {
    const { accounts, records } = record
    printAccounts(accounts)
    if (records !== null) {
      Terminal.heading("records")
      for (const { subject, what } of records.contradictions) {
        Terminal.writeMarked("red", what)
        Terminal.command(nextOf(subject))
      }
    }
    if (failureOf(record) !== undefined) return
    if (records !== null) {
      const which = Printable.counted(records.payments, "payment")
      Terminal.writeSuccess(`The records of ${which} agree.`)
    }
    Terminal.writeSuccess("Ledger and chains agree.")
  },
  fails: failureOf,
  examples: [
    "florin reconcile",
    { command: "florin reconcile --deep --json", description: "Compare all records, too" },
  ],
})
