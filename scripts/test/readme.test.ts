/**
 * The table of supported tokens in README.md equals the asset table.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Catalog from "../../packages/core/src/domain/chain/Catalog.ts"
import type * as Network from "../../packages/core/src/domain/chain/Network.ts"
import * as BuiltIn from "../../packages/core/src/domain/eip155/BuiltIn.ts"
import * as Eip155 from "../../packages/core/src/domain/eip155/Eip155.ts"

const words: { readonly [F in Eip155.UsualFlow]: string } = { eip3009: "signs", permit2: "Permit2" }
const symbols = ["USDC", "EURC", "USDT", "USDT0", "PYUSD", "USDG"]

const header = ["network", "chain", ...symbols]

const rowOf = ({ chainId, name }: Network.Network): ReadonlyArray<string> => {
  const assets = Catalog.assetsOf(BuiltIn.catalog, chainId)
  const flows = symbols.map((symbol) => assets.find((each) => each.symbol === symbol)?.flow)
  const wordOf = (flow: string | undefined): string =>
    Eip155.usualFlows.flatMap((each) => (each === flow ? words[each] : [])).join("")
  return [name, String(Eip155.numberOf(chainId)), ...flows.map(wordOf)]
}

const cells = (line: string): ReadonlyArray<string> =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim())

describe("README.md", () => {
  it("shows every token on every network, with its flow", () => {
    assert.sameMembers([...new Set(BuiltIn.catalog.assets.map(({ symbol }) => symbol))], symbols)
    const lines = readFileSync("README.md", "utf8").split("\n")
    const from = lines.findIndex((line) => cells(line)[0] === "network")
    const table = lines.slice(from, lines.indexOf("", from)).map(cells)
    assert.deepStrictEqual(
      [table[0], ...table.slice(2)],
      [header, ...BuiltIn.catalog.networks.map(rowOf)],
    )
  })
})
