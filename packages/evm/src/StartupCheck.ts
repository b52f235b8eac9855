/**
 * Checks that the tokens of a chain match the asset table, move as they should, and can be collected. The table was
 * made from public copies: only the chain itself can confirm it. A token that fails is not offered.
 *
 * @module
 */
import type * as Asset from "@florin/core/domain/chain/Asset"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Limits from "@florin/core/domain/ground/Limits"
import type { ChainUnavailable } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { keccak256 } from "viem/utils"
import type { ChainConfig } from "./config/ChainConfig.ts"
import * as Rpc from "./node/Rpc.ts"
import * as Together from "./node/Together.ts"
import * as Abi from "./read/Abi.ts"
import type { Link } from "./read/Link.ts"
import * as Queries from "./read/Queries.ts"
import * as Views from "./read/Views.ts"
import * as Fees from "./send/Fees.ts"
import * as Permit2 from "./token/Permit2.ts"
import * as Refusals from "./token/Refusals.ts"

/** The result of checking one token. */
export interface Finding {
  readonly asset: Asset.Asset
  /** Whether there is a contract at all. */
  readonly isThere: boolean
  /** What is wrong, where, and what to do; empty if the token may be offered. */
  readonly faults: ReadonlyArray<string>
  /** What the operator should know, though the token may be offered. */
  readonly notes: ReadonlyArray<string>
  /** The code that runs: it changes when the issuer upgrades the token. */
  readonly version: string
}

/** A value that a function of a contract must return, and the meaning of any other, which follows its name. */
interface Expectation {
  readonly functionName: string
  readonly view: Views.View
  readonly word: bigint
  readonly fault: string
  /** Whether the token may be offered even if the contract returns another value. */
  readonly isNote?: boolean
}

/** The fault if a contract returns another value, or none; a small number is quoted. */
const unmet = (
  { fault, functionName, word }: Expectation,
  response: bigint | null,
): ReadonlyArray<string> => {
  if (response === word) return []
  if (response === null) return [`the contract does not implement ${functionName}(): ${upgraded}`]
  const said = `${functionName}() ${fault}`
  return [response < 256n && word > 1n ? `${said} (it is ${response})` : said]
}

/** An unused nonce and account. */
const nobody = Queries.hex(`0x${"1".padStart(40, "0")}`)
const nobodysNonce = Queries.hex(`0x${"1".padStart(64, "0")}`)

const upgraded =
  "its row is wrong, or its issuer changed the token: compare them before you accept it"

const switchMeans = {
  paused: "it is paused and nobody can send it: it is offered again when its issuer resumes it",
  deprecated: "its issuer moved it to another contract: update the asset table",
  basisPointsRate:
    "the token keeps a fee from each transfer, so merchants would get less: it is offered again when its issuer removes the fee",
} as const

const expectationsOf = (
  asset: Asset.Asset,
  { accounts, collecting, flows }: ChainConfig,
): ReadonlyArray<Expectation> => {
  const { domain, issuer, separatorPin } = Details.of(asset)
  const separator = Refusals.separatorView(asset)
  const nonces = domain?.salt === undefined ? "nonces" : "getNonce"
  const takenBy = flows(asset)
  /** `functionName` must return 0 or false. */
  const zero = (
    functionName: string,
    data: Queries.Hex,
    fault: string,
    isNote = false,
  ): Expectation => ({
    functionName,
    view: { to: asset.token.address, data },
    word: 0n,
    fault,
    isNote,
  })
  /** The token must not bar an account. */
  const free = (account: Caip.Address, whom: string, isNote = false) =>
    Refusals.blocklistView(asset, account).map(({ data }) =>
      zero(issuer.blocklist ?? "", data, `bars ${whom}`, isNote),
    )
  return [
    {
      functionName: "decimals",
      view: { to: asset.token.address, data: Abi.calls.decimals([]) },
      word: BigInt(asset.decimals),
      fault: `is not ${asset.decimals}, so every amount would be wrong: ${upgraded}`,
    },
    ...(separator === null
      ? []
      : [
          {
            ...separator,
            fault: `is not ${separatorPin}, so the domain has another name, version or chain, and no signature would be valid: ${upgraded}`,
          },
        ]),
    ...(asset.flow === "permit2"
      ? []
      : [
          zero(
            "authorizationState",
            Abi.calls.authorizationState([nobody, nobodysNonce]),
            `does not return false for an unused authorization: ${upgraded}`,
          ),
        ]),
    ...(takenBy.includes("permit")
      ? [
          zero(
            nonces,
            Abi.calls[nonces]([nobody]),
            `does not return 0 for an account that nobody has, so no permit could be signed: ${upgraded}`,
          ),
        ]
      : []),
    ...issuer.switches.map((each) =>
      zero(each, Abi.switches[each]([]), `is on: ${switchMeans[each]}`),
    ),
    ...[...accounts.keys()].flatMap((account) => {
      const ours = `our account ${Eip155.formatAddress(account)}`
      return collecting.includes(account)
        ? free(account, `${ours}: set it to draining, and let another account collect`)
        : free(account, `${ours}, which drains: what it holds cannot be sent`, true)
    }),
    ...(takenBy.includes("permit2")
      ? free(
          Eip155.permit2Address,
          "Permit2, so nothing could be taken by it: choose another way to pay for the token",
        )
      : []),
  ]
}

/** Calls with a forged signature, and what it means if the token does not revert with a reason. */
const forgeries = ({ flow, token }: Asset.Asset, from: Caip.Address, isPermitted: boolean) => {
  const forged = Queries.hex(`0x${"11".repeat(65)}`)
  const to = Queries.hex(from)
  const permit = [nobody, to, 0n, Limits.maxQuantity] as const
  const missing = "is missing, or ignores a forged signature without an error"
  const hasBytes = flow === "eip3009"
  const calls = [
    {
      isTaken: hasBytes,
      functionName: "receiveWithAuthorization",
      // A contract's signature is passed as bytes: if the token lacks that function, its revert proves nothing.
      data: Abi.calls.receiveWithAuthorizationByBytes([
        nobody,
        to,
        0n,
        0n,
        Limits.maxQuantity,
        nobodysNonce,
        forged,
      ]),
      missing: "with a signature as bytes is missing, so accounts that are contracts could not pay",
    },
    {
      isTaken: isPermitted,
      functionName: "permit",
      data: Abi.calls.permit([...permit, 27, nobodysNonce, nobodysNonce]),
      missing,
    },
    {
      isTaken: isPermitted && hasBytes,
      functionName: "permit",
      data: Abi.calls.permitByBytes([...permit, forged]),
      missing,
    },
  ]
  return calls.flatMap(({ data, isTaken, ...rest }) =>
    isTaken ? [{ message: { from, to: token.address, data }, ...rest }] : [],
  )
}

/** Nodes pass on a contract's reason as data, as text, or both. */
const saysWhy = ({ data, message }: Rpc.NodeRefused): boolean =>
  /0x[0-9a-f]{8}/u.test(data ?? "") || /reverted:\s*\S/u.test(message)

/** What is wrong with how a token judges signatures. */
const forgeryFaults = Effect.fnUntraced(function* ({ config, rpc }: Link, asset: Asset.Asset) {
  const [from] = config.collecting
  if (from === undefined) return []
  const asked = forgeries(asset, from, config.flows(asset).includes("permit"))
  const faults = yield* Together.each(
    asked,
    Effect.fnUntraced(function* ({ functionName, message, missing }) {
      const response = yield* Rpc.called(rpc, Queries.call(message, "latest"))
      if (Result.isSuccess(response)) {
        return [`${functionName}() accepts a forged signature: ${upgraded}`]
      }
      return saysWhy(response.failure) ? [] : [`${functionName}() ${missing}: ${upgraded}`]
    }),
  )
  return [...new Set(faults.flat())]
})

/**
 * The storage slots in which proxies keep the address of the code that runs: ERC-1967, OpenZeppelin before it, and
 * Polygon's own.
 */
const implementationSlots: ReadonlyArray<string> = [
  "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
  "0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3",
  "0xbaab7dbf64751104133af04abc7d9979f0fda3b059a322a8333f533d3f32bf7f",
]

/** Whether the chain is an anvil chain on this machine, on which a contract of our own replaces Permit2. */
export const isLocal = ({ config, rpc }: Link): Effect.Effect<boolean, ChainUnavailable> =>
  config.rpcUrls.every(Rpc.isLoopback)
    ? Effect.map(rpc.ask(Queries.clientVersion), (version) => version.startsWith("anvil/"))
    : Effect.succeed(false)

const noPermit2 =
  "Permit2 is not at its address: check that the node serves this chain and is synced"
const otherPermit2 =
  "the contract at Permit2's address is not Permit2: never let a payer approve it, and ask the chain's operator"

const permit2Faults = Effect.fnUntraced(function* (link: Link) {
  const { chainId } = link.config
  const separating = { to: Eip155.permit2Address, data: Abi.calls.DOMAIN_SEPARATOR([]) }
  const [code, [separator], local] = yield* Together.all([
    link.rpc.ask(Queries.code(Eip155.permit2Address, "latest")),
    Views.ask(link.rpc, [separating]),
    isLocal(link),
  ])
  if (code === "0x") return [noPermit2]
  const isPermit2 =
    separator === BigInt(Permit2.separator(chainId)) &&
    (local || Permit2.isCanonical(code, chainId))
  return isPermit2 ? [] : [otherPermit2]
})

/** Our accounts that could not pay for a transfer: a payer who authorized one would wait in vain. */
const gasFaults = Effect.fnUntraced(function* (link: Link) {
  const { config, rpc } = link
  const [cost, held] = yield* Together.all([
    Fees.ofTransfer(link),
    Together.each(config.collecting, (account) =>
      Effect.map(rpc.ask(Queries.coins(account)), (wei) => ({ account, wei })),
    ),
  ])
  return held.flatMap(({ account, wei }) =>
    wei < cost
      ? [
          `our account ${Eip155.formatAddress(account)} is short of gas for a transfer: send it some of the chain's own coin`,
        ]
      : [],
  )
})

/** Names a token so that an operator can find it. */
export const where = ({ config }: Link, { symbol, token }: Asset.Asset): string =>
  `${symbol} on ${config.network.name} (${Eip155.formatToken(token)})`

/** The addresses of an upgradeable contract's code, from its storage; none if it is no proxy that we know. */
export const implementationsOf = ({ rpc }: Pick<Link, "rpc">, address: Caip.Address) =>
  Together.each(implementationSlots, (slot) => rpc.ask(Queries.storage(address, slot)))

/**
 * Checks tokens of the link's chain on their own, in one request. If a node does not respond, nothing is concluded
 * about a token.
 */
export const inspect = Effect.fn("StartupCheck.inspect")(function* (
  link: Link,
  assets: ReadonlyArray<Asset.Asset>,
): Effect.fn.Return<ReadonlyArray<Finding>, ChainUnavailable> {
  const { config, rpc } = link
  const expectations = assets.map((asset) => expectationsOf(asset, config))
  const [codes, implementations, words, forged, permit2] = yield* Together.all([
    Together.each(assets, ({ token }) => rpc.ask(Queries.code(token.address, "latest"))),
    Together.each(assets, ({ token }) => implementationsOf(link, token.address)),
    Views.askNamed(
      rpc,
      expectations.map((each) => ({ views: each.map(({ view }) => view) })),
    ),
    Together.each(assets, (asset) => forgeryFaults(link, asset)),
    assets.some((asset) => config.flows(asset).includes("permit2"))
      ? permit2Faults(link)
      : Effect.succeed([]),
  ])
  return assets.map((asset, index): Finding => {
    const mine = expectations[index] ?? []
    const { views: responses = [] } = words[index] ?? {}
    const code = codes[index] ?? "0x"
    const said = (isNote: boolean) =>
      mine.flatMap((each, at) =>
        (each.isNote === true) === isNote ? unmet(each, responses[at] ?? null) : [],
      )
    const faults =
      code === "0x"
        ? ["there is no contract: check that the node serves this chain and is synced"]
        : [
            ...said(false),
            ...(forged[index] ?? []),
            ...(config.flows(asset).includes("permit2") ? permit2 : []),
          ]
    return {
      asset,
      isThere: code !== "0x",
      faults: faults.map((fault) => `${where(link, asset)}: ${fault}`),
      notes: code === "0x" ? [] : said(true).map((note) => `${where(link, asset)}: ${note}`),
      version: [keccak256(Queries.hex(code)), ...(implementations[index] ?? [])].join(),
    }
  })
})

/** Checks tokens of the link's chain, and whether our accounts can pay for their transfers. */
export const run = Effect.fn("StartupCheck.run")(function* (
  link: Link,
  assets: ReadonlyArray<Asset.Asset>,
): Effect.fn.Return<ReadonlyArray<Finding>, ChainUnavailable> {
  const [findings, gas] = yield* Together.all([inspect(link, assets), gasFaults(link)])
  return findings.map((finding): Finding => {
    const { asset, faults, isThere, notes, version } = finding
    if (link.config.flows(asset).every((flow) => flow === "transfer")) return finding
    const ours = gas.map((fault) => `${where(link, asset)}: ${fault}`)
    return { asset, isThere, faults: [...faults, ...ours], notes, version }
  })
})
