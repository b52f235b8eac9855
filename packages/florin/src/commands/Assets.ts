/**
 * `florin assets`: lists the tokens that a service accepts, and checks a file of additional ones.
 *
 * @module
 */
import { env } from "node:process"
import * as Assets from "@florin/api/groups/Assets"
import * as Contract from "@florin/api/operator/Chains"
import type { Asset } from "@florin/api/wire/Asset"
import type * as Wire from "@florin/api/wire/Chain"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as AssetCheck from "@florin/evm/AssetCheck"
import * as AssetFile from "@florin/evm/AssetFile"
import type * as Evm from "@florin/evm/Evm"
import * as Arr from "effect/Array"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as OperatorCommand from "../operator/Command.ts"
import * as PartnerCommand from "../operator/PartnerCommand.ts"
import * as Configured from "../serve/Configured.ts"
import * as Setting from "../serve/Setting.ts"
import * as Settings from "../serve/Settings.ts"
import * as Described from "../terminal/Described.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"

const make = OperatorCommand.of(Contract.group)

/** `USDC on Base` */
const nameOf = ({ network, symbol }: Asset): string =>
  Printable.from(`${symbol} on ${network.name}`)

const columns: ReadonlyArray<Table.Column<Asset>> = [
  { name: "token", of: nameOf },
  { name: "decimals", of: ({ decimals }) => `${decimals}` },
  { name: "flows", of: ({ flows }) => flows.join(", ") },
  { name: "asset", of: ({ asset }) => asset },
]

/** Reading contracts needs none of our accounts. */
const nobody: Evm.NamedAccount = { address: `0x${"1".padStart(40, "0")}` }

const withAccount = (chain: Evm.Options): Evm.Options => ({
  ...chain,
  accounts: chain.accounts.length === 0 ? [nobody] : chain.accounts,
})

const asJson = ({ asset, faults, unknown }: AssetCheck.Finding, replaced: boolean) => ({
  asset: Eip155.formatToken(asset.token),
  symbol: asset.symbol,
  isGood: faults.length === 0,
  replacesBuiltIn: replaced,
  faults,
  unknown,
})

const wrongOf = (bad: number, count: number): string => {
  if (count === 1) return "the row is wrong: correct it, or leave it out"
  const [are, them] = bad === 1 ? ["is", "it"] : ["are", "them"]
  return `${bad} of ${count} rows ${are} wrong: correct ${them}, or leave ${them} out`
}

const check = Command.make(
  "check",
  {
    file: Flags.argument("file", "Token file to check"),
    rpc: Setting.flag(Settings.rows.rpc),
    testRpc: Setting.flag(Settings.rows.testRpc),
    json: Flags.json,
  },
  Effect.fnUntraced(function* ({ file, json, ...flags }) {
    const configured = yield* Configured.read({ ...flags, assets: [file] }, env)
    const { added, catalog } = configured.assets
    const { live, test } = configured
    const chains = [...live.chains, ...test.chains].map(withAccount)
    const reached = chains.map(({ chainId }) => chainId)
    const findings = yield* AssetCheck.check(chains, catalog, added)
    const missing = added.filter(
      ({ asset }) => !reached.includes(Eip155.numberOf(asset.token.chainId)),
    )
    const { catalog: builtIn } = yield* Effect.fromResult(AssetFile.parse("{}", reached))
    // An asset that `also` names is the built-in row itself.
    const replaces = (asset: AssetCheck.Finding["asset"]): boolean => {
      const before = builtIn.find(asset.token)
      return before !== undefined && before !== asset
    }
    const bad = findings.filter((finding) => finding.faults.length > 0)
    const faults = ["no node of its chain is given"]
    const all: ReadonlyArray<AssetCheck.Finding> = [
      ...findings,
      ...missing.map(({ asset }) => ({ asset, faults, unknown: [] })),
    ]
    if (json) Terminal.json(all.map((finding) => asJson(finding, replaces(finding.asset))))
    else {
      for (const { asset, faults: wrong, unknown } of all) {
        Terminal.line(`${asset.symbol} ${Eip155.formatToken(asset.token)}`, wrong.length === 0)
        if (replaces(asset)) Terminal.plain("    replaces the built-in row of this token")
        for (const fault of wrong) Terminal.plain(`    ${Printable.from(fault)}`)
        for (const what of unknown) Terminal.plain(`    not checked: ${Printable.from(what)}`)
      }
    }
    const [first] = missing
    if (first !== undefined) {
      const { symbol, token } = first.asset
      return yield* Failure.make(
        `${symbol} was not checked: give a node of its chain with --rpc ${Eip155.numberOf(token.chainId)}=URL`,
      )
    }
    if (bad.length > 0) return yield* Failure.make(wrongOf(bad.length, findings.length))
    if (json) return
    Terminal.writeSuccess(
      findings.length === 0
        ? "The file is valid, and adds no token."
        : `${Printable.counted(findings.length, "row is", "rows are")} valid.`,
    )
  }),
).pipe(
  Described.as({
    does: "Check a file of tokens and networks",
    description:
      "Check a file of tokens and networks against the nodes of their chains: code, decimals, EIP-712 domain, flow, pause and blocklist functions, Permit2, upgrades, fees on transfers, finality and logs. Exit code 1 if a row is wrong. docs/assets.md describes the file.",
    examples: ["florin assets check assets.json --rpc 8453=https://node.example"],
  }),
)

/** `USDC on Base`, or the id of a token that the service no longer has. */
const stoppedName = ({ asset, networkName, symbol }: Wire.Stops["tokens"][number]): string =>
  symbol === null || networkName === null ? asset : Printable.from(`${symbol} on ${networkName}`)

export const command = Described.group(
  "assets",
  "List the tokens that a service accepts, check a file of further tokens and networks before `florin serve --assets <file>` uses it, and resume tokens that are stopped.",
  [
    PartnerCommand.ofAll.of(Assets.group)("list", "list", {
      print: ({ assets }) => {
        const offered = assets.filter(({ isOffered }) => isOffered)
        Terminal.heading(`Offered: ${offered.length} of ${assets.length}`)
        Table.print(columns, offered)
        const others = Object.entries(Arr.groupBy(assets, ({ reason }) => reason ?? ""))
        for (const [reason, left] of others) {
          if (reason === "") continue
          Terminal.heading(`Not offered: ${reason}`)
          for (const each of left) Terminal.plain(nameOf(each))
        }
      },
    }),
    check,
    make("stopped", "stoppedTokens", {
      print: ({ tokens }) => {
        Terminal.heading(
          tokens.length === 0
            ? "No token is stopped."
            : "Stopped tokens (payouts, refunds and returns wait):",
        )
        for (const each of tokens) {
          const { asset, mode, reason, stoppedAt } = each
          Terminal.plain(
            `${stoppedName(each)} (${asset}), ${mode}, since ${Time.second(stoppedAt)}: ${reason}`,
          )
        }
        if (tokens.length > 0) Terminal.note(`Resume one with: \`florin assets resume <asset>\``)
      },
    }),
    make("resume", "resumeToken", {
      args: ["asset"],
      print: ({ tokens }) => {
        for (const each of tokens) {
          Terminal.writeSuccess(
            `${stoppedName(each)} is resumed in ${each.mode} mode. Workers send the transfers that waited.`,
          )
        }
        if (tokens.length === 0) {
          Terminal.plain(
            "The token is not stopped: `florin assets stopped` lists the tokens that are",
          )
        }
      },
      examples: ["florin assets resume eip155:8453/erc20:0x…"],
    }),
  ],
)
