/**
 * `florin balances`: how much each account of the service has of each token, and who owns it.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Balances"
import type * as Wire from "@florin/api/wire/Balance"
import * as Arr from "effect/Array"
import * as OperatorCommand from "../operator/Command.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as WireAmount from "../terminal/WireAmount.ts"

type OfAccount = Wire.List["accounts"][number]
type OfToken = Wire.List["tokens"][number]
type Sum = OfAccount["ledger"]

/** The sums of an account's token; null if the chain was not read. */
const sums = ["onChain", "ledger", "owed", "reserved", "suspense", "float"] as const

/** The rows of one token, which are added up; one that was not read makes the total unknown. */
const total = (rows: ReadonlyArray<OfAccount>, name: (typeof sums)[number]): Sum | null => {
  const read = rows.flatMap((row) => row[name] ?? [])
  const [first] = read
  if (first === undefined || read.length < rows.length) return null
  const value = read.reduce((before, each) => before + BigInt(each.value), 0n)
  return { unit: first.unit, value: value.toString() }
}

type Rows = Arr.NonEmptyReadonlyArray<OfAccount>

const symbol: Table.Column<Rows> = { name: "token", of: ([{ display }]) => display.assetSymbol }
const network: Table.Column<Rows> = {
  name: "on",
  of: ([{ display }]) => display.networkName ?? "-",
  isCut: true,
}
const quantities = sums.map((name): Table.Column<Rows> => ({
  name: name === "onChain" ? "on chain" : name,
  of: (rows) => {
    const sum = total(rows, name)
    return sum === null ? "?" : WireAmount.toNumber({ ...sum, display: rows[0].display })
  },
}))

const tokenColumns: ReadonlyArray<Table.Column<OfToken>> = [
  { name: "token", of: ({ display }) => display.assetSymbol },
  { name: "on", of: ({ display }) => display.networkName ?? "-", isCut: true },
  { name: "fees earned", of: ({ display, fees }) => WireAmount.toNumber({ ...fees, display }) },
  { name: "debt", of: ({ debt, display }) => WireAmount.toNumber({ ...debt, display }) },
]

const print = ({ accounts: all, tokens }: Wire.List): void => {
  const accounts = all.toSorted((left, right) => left.mode.localeCompare(right.mode))
  const groups = (key: (row: OfAccount) => string): ReadonlyArray<readonly [string, Rows]> =>
    Object.entries(Arr.groupBy(accounts, key))
  if (accounts.length + tokens.length === 0) return Terminal.heading("No account has a balance.")
  for (const mode of ["live", "test"]) {
    const totals = groups((row) => `${row.mode} ${row.ledger.unit}`).map(([, rows]) => rows)
    const of = totals.filter(([row]) => row.mode === mode)
    if (of.length > 0) {
      Terminal.heading(`Totals, ${mode}`)
      Table.print([symbol, network, ...quantities], of)
    }
    const rest = tokens.filter((row) => row.mode === mode)
    if (rest.length > 0) {
      Terminal.heading(`Fees and debts, ${mode}`)
      Table.print(tokenColumns, rest)
    }
  }
  for (const [account, rows] of groups((row) => `${row.account}, ${row.mode}`)) {
    Terminal.heading(account)
    Table.print([symbol, ...quantities], rows.map(Arr.of))
  }
  if (accounts.some(({ onChain }) => onChain === null)) {
    Terminal.note("? was not read: the chain does not respond, or the service has no node of it")
  }
}

export const command = OperatorCommand.of(Contract.group)("balances", "list", {
  print,
})
