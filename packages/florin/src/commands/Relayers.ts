/**
 * `florin relayers`: the accounts that collect and pay out, with their gas and the amounts that are owed from them.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Relayers"
import type * as Wire from "@florin/api/wire/Relayer"
import * as OperatorCommand from "../operator/Command.ts"
import * as Described from "../terminal/Described.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"
import * as WireAmount from "../terminal/WireAmount.ts"

type Gas = Wire.List["relayers"][number]["gas"]

const coinsOf = ({ coin: assetSymbol, decimals }: Gas, value: string): string =>
  WireAmount.toText({ unit: "", value, display: { assetSymbol, decimals } })

export const command = Described.group(
  "relayers",
  "Show the accounts of the service that collect and pay out.",
  [
    OperatorCommand.of(Contract.group)("list", "list", {
      adds: "Never import a relayer's key into a wallet.",
      print: ({ relayers }) => {
        if (relayers.length === 0) Terminal.plain("No accounts: the service has no chain.")
        for (const each of relayers) {
          const { account, gas, haltedBecause, isKeyless, mode, tokens, transactions } = each
          const [last] = transactions
          Terminal.heading(`${account}, ${mode}`)
          Terminal.fact(
            "gas",
            gas.value === null ? "unknown: no node of the chain responds" : coinsOf(gas, gas.value),
          )
          Terminal.fact("spent", `at most ${coinsOf(gas, gas.spent)} in this hour`)
          if (isKeyless) Terminal.fact("key", "none in this process: it only collects")
          if (haltedBecause !== null) {
            Terminal.fact("chain", "stopped: `florin chains halted` shows why")
          }
          if (last !== undefined) {
            Terminal.fact("last sent", last.txId)
            Terminal.fact("", `nonce ${last.nonce}, at ${Time.second(last.signedAt)}`)
          }
          for (const { holds, owed } of tokens) {
            const owes = WireAmount.toPlainText({ ...holds, ...owed })
            Terminal.fact("holds", `${WireAmount.toPlainText(holds)}, of which ${owes} is owed`)
          }
        }
      },
    }),
  ],
)
