/**
 * The tables of docs/assets.md equal the rows of the code.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type * as Asset from "../../packages/core/src/domain/chain/Asset.ts"
import type * as Assets from "../../packages/core/src/domain/eip155/Assets.ts"
import * as BuiltIn from "../../packages/core/src/domain/eip155/BuiltIn.ts"
import * as Details from "../../packages/core/src/domain/eip155/Details.ts"
import * as Eip155 from "../../packages/core/src/domain/eip155/Eip155.ts"
import * as AssetFile from "../../packages/evm/src/config/AssetFile.ts"
import * as ExtraAssets from "../../packages/evm/src/config/ExtraAssets.ts"
import * as ExtraNetworks from "../../packages/evm/src/config/ExtraNetworks.ts"

const page = readFileSync("docs/assets.md", "utf8")

const tables = page
  .split("\n\n")
  .map((part) =>
    part
      .trim()
      .split("\n")
      .map((line) =>
        line
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim()),
      ),
  )
  .filter(([header]) => header?.[0] === "network")

/** The rows of the tables of assets, which also name a contract. */
const [builtIn = [], off = [], test = []] = tables
  .filter(([header]) => header?.[3] === "contract")
  .map(([, , ...rows]) => rows)

const policies = tables.filter(([header]) => header?.[1] === "coin")

const names = new Map([
  ...BuiltIn.catalog.networks.map(({ chainId, name }) => [Eip155.numberOf(chainId), name] as const),
  ...ExtraNetworks.rows.map(({ chainId, name }) => [chainId, name] as const),
])

const testChains = new Set(
  ExtraNetworks.rows.flatMap(({ chainId, isTest }) => (isTest ? [chainId] : [])),
)

const isForTests = (row: Assets.Row): boolean => testChains.has(row.chainId)

const cellsOf = (
  row: Omit<Assets.Row, "issuer" | "name" | "peg" | "flow"> & { readonly flow: string },
): ReadonlyArray<string> => [
  names.get(row.chainId) ?? assert.fail(`no network ${row.chainId}`),
  String(row.chainId),
  row.symbol,
  `\`${row.address}\``,
  String(row.decimals ?? 6),
  row.signs === undefined
    ? "none"
    : `\`${row.signs.name}\` / \`${row.signs.version}\`${row.signs.salt ? " with the chain id as salt" : ""}`,
  `\`${row.flow}\``,
]

const builtInCells = (asset: Asset.Asset): ReadonlyArray<string> => {
  const { domain } = Details.of(asset)
  return cellsOf({
    ...asset,
    chainId: Eip155.numberOf(asset.token.chainId),
    address: Eip155.formatAddress(asset.token.address),
    ...(domain && {
      signs: {
        name: domain.name,
        version: domain.version ?? "",
        ...(domain.salt && { salt: true }),
      },
    }),
  })
}

describe("docs/assets.md", () => {
  it("shows every token that is on by default", () => {
    assert.deepStrictEqual(builtIn, BuiltIn.catalog.assets.map(builtInCells))
  })

  it("shows every other token with its row's values, and at least two sources of each kind", () => {
    const rows = ExtraAssets.rows
    for (const [shown, expected] of [
      [off, rows.filter((row) => !isForTests(row))],
      [test, rows.filter(isForTests)],
    ] as const) {
      assert.deepStrictEqual(
        shown.map((row) => row.slice(0, 7)),
        expected.map(cellsOf),
      )
    }
    for (const row of [...off, ...test]) {
      const [addresses = "", domains = ""] = row[7]?.split("; ") ?? []
      for (const keys of [addresses, domains]) assert.isAtLeast(keys.split(", ").length, 2, row[3])
    }
  })

  it("explains every source that it names, and no other", () => {
    const named = [...off, ...test].flatMap((row) => row[7]?.split(/[,;] /u) ?? [])
    const sources = page.slice(page.indexOf("## Sources"))
    const explained = [...sources.matchAll(/^\| ([A-Z0-9]+) +\|/gmu)].map(([, key]) => key)
    assert.sameMembers([...new Set(named)], explained)
  })

  it("shows the coin, the duration and the highest gas price of every network that is off", () => {
    assert.lengthOf(policies, 1)
    assert.sameDeepMembers(
      (policies[0] ?? []).slice(2).map(([name, coin, , wait, price]) => [name, coin, wait, price]),
      ExtraNetworks.rows
        .filter(({ chainId }) => !testChains.has(chainId))
        .map(({ name, coin, etaInS, gas }) => [
          name,
          coin,
          `${etaInS} s`,
          `${gas.priceMax / 1_000_000_000n} gwei`,
        ]),
    )
  })

  it("shows a valid file of assets", () => {
    const [, file = ""] = /```json\n(.*?)```/su.exec(page) ?? []
    const { added, catalog } = Result.getOrThrow(AssetFile.parse(file, []))
    assert.deepStrictEqual(
      added.map(({ asset, isUpgradeable }) => [asset.symbol, isUpgradeable]),
      [
        ["USDT", true],
        ["HARB", true],
      ],
    )
    // One token is added, one switched on, and one left out.
    assert.strictEqual(catalog.assets.length, BuiltIn.catalog.assets.length + 1)
  })
})
