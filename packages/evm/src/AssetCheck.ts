/**
 * Checks on the chain's nodes, before anybody pays, that the rows which an operator added describe what their contracts
 * do.
 *
 * The check at the start of a service looks at the same functions of every token. This one also looks for what a row
 * leaves out: a switch or a blocklist that it does not name, code that its issuer can replace, a fee on each transfer,
 * and whether the nodes support every call that the service needs.
 *
 * @module
 */
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type { ChainUnavailable } from "@florin/core/ports/Chain"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as AssetFile from "./config/AssetFile.ts"
import * as ChainConfig from "./config/ChainConfig.ts"
import type { Query } from "./node/Rpc.ts"
import * as Together from "./node/Together.ts"
import * as Abi from "./read/Abi.ts"
import * as Head from "./read/Head.ts"
import * as Link from "./read/Link.ts"
import * as LogRange from "./read/LogRange.ts"
import * as Logs from "./read/Logs.ts"
import * as Queries from "./read/Queries.ts"
import * as Views from "./read/Views.ts"
import * as StartupCheck from "./StartupCheck.ts"
import * as Holdings from "./token/Holdings.ts"

/** The result of checking a row. */
export interface Finding {
  readonly asset: Asset.Asset
  /** What is wrong, and what to do. A row with faults is refused. */
  readonly faults: ReadonlyArray<string>
  /** What could not be checked. */
  readonly unknown: ReadonlyArray<string>
}

type Row = AssetFile.AssetFile["added"][number]

const nobody = Caip.Address.make(`0x${"2".padStart(40, "0")}`)

/** Every function with which an issuer that we know stops its token or bars an account. */
const functions = [
  ...Object.entries(Abi.switches).map(([name, call]) => ({
    name,
    setting: "switches",
    data: call([]),
  })),
  ...Object.entries(Abi.blocklists).map(([name, call]) => ({
    name,
    setting: "blocklist",
    data: call([Queries.hex(nobody)]),
  })),
]

/** Functions that the contract has and the row does not name: the service would never check them. */
const unnamed = Effect.fnUntraced(function* ({ rpc }: Link.Link, asset: Asset.Asset) {
  const words = yield* Views.ask(
    rpc,
    functions.map(({ data }) => ({ to: asset.token.address, data })),
  )
  const { blocklist, switches } = Details.of(asset).issuer
  const isNamed = (name: string): boolean =>
    name === blocklist || switches.some((each) => each === name)
  return functions.flatMap(({ name, setting }, index) =>
    words[index] === null || isNamed(name)
      ? []
      : [`the contract has ${name}(), but the row does not have it: add it to ${setting}`],
  )
})

const isZero = (word: string): boolean => /^0x0*$/u.test(word)

const replaceable = Effect.fnUntraced(function* (link: Link.Link, { asset, isUpgradeable }: Row) {
  if (isUpgradeable) return []
  const slots = yield* StartupCheck.implementationsOf(link, asset.token.address)
  const used = slots.find((word) => !isZero(word))
  return used === undefined
    ? []
    : [
        `it is a proxy for 0x${used.slice(-40)}, so its issuer can replace its code: write "upgradeable": true if you trust it with that`,
      ]
})

/** Enough to find somebody who holds a token in use. */
const blocksOfLogs = 500

/** Accounts that received the token lately, the latest first. */
const receivers = Effect.fnUntraced(function* ({ rpc }: Link.Link, { token }: Asset.Asset) {
  const filter = { address: token.address, topics: [Logs.transferTopic] }
  const found = yield* LogRange.onAnyNode(
    rpc,
    Effect.fnUntraced(function* (node) {
      const { ask } = node
      const { number: toBlock } = yield* Head.latest({ ...rpc, ask })
      for (;;) {
        const blocks = Math.min(blocksOfLogs, yield* LogRange.of(rpc, node))
        if (blocks === 0) return LogRange.noLogs
        const range = { fromBlock: Math.max(0, toBlock - blocks + 1), toBlock }
        const logs = yield* LogRange.search(rpc, node, blocks, filter, [range])
        if (logs !== null) return logs
      }
    }),
  )
  return found === LogRange.noLogs
    ? found
    : [
        ...new Set(
          found
            .toReversed()
            .filter(Logs.isTransfer)
            .map((log) => Logs.ends(token.chainId, log).to),
        ),
      ]
})

/**
 * Runs in place of a holder's code: it takes a token, a recipient and a quantity, sends the tokens, and returns the
 * recipient's balance before and after, and whether the token accepted the call.
 */
const probe = [
  "6370a08231 60e0 1b 6000 52", // balanceOf, to the start of the memory
  "6020 35 6004 52", // of the recipient
  "6020 6080 6024 6000 6000 35 5a fa 50", // STATICCALL the token; its result to 0x80
  "63a9059cbb 60e0 1b 6000 52 6020 35 6004 52 6040 35 6024 52", // transfer(recipient, quantity)
  "6000 6000 6044 6000 6000 6000 35 5a f1 60c0 52", // CALL the token; whether it took it to 0xc0
  "6370a08231 60e0 1b 6000 52 6020 35 6004 52",
  "6020 60a0 6024 6000 6000 35 5a fa 50", // balanceOf again; its result to 0xa0
  "6060 6080 f3", // RETURN the three words
]
  .join("")
  .replaceAll(" ", "")

const word = (value: bigint | string): string =>
  (typeof value === "string" ? value.slice(2) : value.toString(16)).padStart(64, "0")

/** Simulates a transfer from a holder whose code is replaced by the probe for this one call. */
const tried = (
  token: Caip.Address,
  holder: Caip.Address,
  quantity: bigint,
): Query<ReadonlyArray<bigint>> => ({
  method: "eth_call",
  params: [
    {
      from: holder,
      to: holder,
      data: `0x${word(token)}${word(nobody)}${word(quantity)}`,
    },
    "latest",
    { [holder]: { code: `0x${probe}` } },
  ],
  read: (response) =>
    typeof response === "string" && /^0x[0-9a-f]{192}$/u.test(response)
      ? Option.some(
          [0, 1, 2].map((index) => BigInt(`0x${response.slice(2 + index * 64, 66 + index * 64)}`)),
        )
      : Option.none(),
})

const faulty = (fault: string) => ({ faults: [fault], unknown: [] })
const notTried = (why: string) => ({
  faults: [],
  unknown: [`whether a transfer delivers what is sent: ${why}`],
})

/** Whether a transfer delivers the full quantity, and whether the chain's logs can be read at all. */
const transferring = Effect.fnUntraced(function* (link: Link.Link, asset: Asset.Asset) {
  const { rpc } = link
  const { address } = asset.token
  const found = yield* receivers(link, asset)
  if (found === LogRange.noLogs) {
    return faulty(
      "the node does not list logs (eth_getLogs), so no payment could be seen: use another node",
    )
  }
  const holdings = yield* Views.ask(
    rpc,
    found.slice(0, 20).map((owner) => Holdings.balanceOf(asset.token, owner)),
  )
  const [holder, quantity] = Arr.zip(found, holdings).find(([, held]) => held) ?? []
  if (holder === undefined || !quantity) {
    return notTried("no account received the token recently, so no transfer could be tested")
  }
  const response = yield* rpc.attempt(tried(address, holder, quantity)).pipe(Effect.result)
  if (Result.isFailure(response) || Result.isFailure(response.success)) {
    return notTried("the node does not support state overrides, which the test of a transfer needs")
  }
  const [before = 0n, after = 0n, isTaken = 0n] = response.success.success
  if (isTaken === 0n) return notTried(`the token refused a transfer by ${holder}`)
  return after - before === quantity
    ? { faults: [], unknown: [] }
    : faulty(
        `a transfer of ${quantity} delivers ${after - before}: the token keeps a fee or changes balances, and cannot be accepted`,
      )
})

/** Whether the chain's nodes know the block tags that its finality names. */
const finality = Effect.fnUntraced(function* ({ config, rpc }: Link.Link) {
  if (typeof config.finality === "number") return []
  const block = yield* rpc.attempt(Queries.block(config.finality))
  return Result.isSuccess(block) && block.success !== null
    ? []
    : [`the node has no ${config.finality} block: give the network a number of blocks as finality`]
})

/** Checks the rows of one chain. */
const onChain = Effect.fnUntraced(function* (link: Link.Link, rows: ReadonlyArray<Row>) {
  const found = yield* StartupCheck.inspect(
    link,
    rows.map(({ asset }) => asset),
  )
  const chainFaults = yield* finality(link)
  return yield* Effect.forEach(
    Arr.zip(rows, found),
    Effect.fnUntraced(function* ([row, { faults, isThere }]) {
      const { asset } = row
      const moved = isThere
        ? yield* transferring(link, asset)
        : { faults: [], unknown: ["everything that its contract does"] }
      const more = isThere
        ? [...(yield* unnamed(link, asset)), ...(yield* replaceable(link, row)), ...moved.faults]
        : []
      const where = StartupCheck.where(link, asset)
      const finding: Finding = {
        asset,
        faults: [...faults, ...[...more, ...chainFaults].map((fault) => `${where}: ${fault}`)],
        unknown: moved.unknown,
      }
      return finding
    }),
  )
})

/** Checks the rows that a file adds, on the chains that can be reached. */
export const check = Effect.fn("AssetCheck.check")(function* (
  chains: ReadonlyArray<ChainConfig.Options>,
  catalog: Catalog.Catalog,
  rows: ReadonlyArray<Row>,
): Effect.fn.Return<ReadonlyArray<Finding>, ChainConfig.InvalidChain | ChainUnavailable> {
  const findings = yield* Together.each(
    chains,
    Effect.fnUntraced(function* (options) {
      const chainId = Eip155.chainId(options.chainId)
      const here = rows.filter(({ asset }) => asset.token.chainId === chainId)
      if (here.length === 0) return []
      const config = yield* Effect.fromResult(ChainConfig.make(options, catalog))
      return yield* onChain(Link.make(config), here)
    }),
  )
  return findings.flat()
})
