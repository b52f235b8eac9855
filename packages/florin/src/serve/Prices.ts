/**
 * Where prices come from, as an operator writes it, and the rates that are made of them.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/Caip"
import * as Webhook from "@florin/core/domain/Webhook"
import { type PegGuard, QuoteSource } from "@florin/core/ports/QuoteSource"
import { type FixedRate, RateSource } from "@florin/core/ports/RateSource"
import * as PriceFeeds from "@florin/evm/PriceFeeds"
import * as RatesFile from "@florin/server/RatesFile"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const minuteInMs = 60 * 1000
export const hourInMs = 60 * minuteInMs

const decodeChainId = Schema.decodeUnknownOption(Caip.ChainId)

/** A contract on a chain, each written as it is everywhere: `8453` and `0x…`. */
const contract = (chainId = "", address = "") =>
  Option.all({
    chainId: decodeChainId(Number(chainId)),
    address: Result.getSuccess(Caip.parseAddress(address)),
  })

const ticker = "[A-Z][A-Z0-9]{1,11}"
const feedPattern = new RegExp(
  `^(${ticker})\\.(${ticker})=([1-9][0-9]{0,9}):(0x[0-9a-fA-F]{40})/([1-9][0-9]{0,3})([mh])$`,
  "u",
)

export const feedExpected =
  "a pair, the chain and the address of its feed, and how old its price may be, such as EUR.USD=1:0xb49f677943BC038e9857d61E7d053CaA2C1734C1/25h, in hours or minutes (90m)"

/** `EUR.USD=1:0x…/25h`. */
export const feed = (text: string): Option.Option<PriceFeeds.Feed> => {
  const [, base = "", quote = "", chainId, address, age, unit] = feedPattern.exec(text) ?? []
  const maxAgeInMs = Number(age) * (unit === "h" ? hourInMs : minuteInMs)
  return base === quote
    ? Option.none()
    : Option.map(contract(chainId, address), (at) => ({ base, quote, ...at, maxAgeInMs }))
}

export const sequencerExpected =
  "a chain's id and the address of the feed that says whether its sequencer runs, such as 8453=0xBCF85224fc0756B9Fa45aA7892530B47e10b6433"

/** `8453=0x…`. */
export const sequencer = (text: string): Option.Option<PriceFeeds.Sequencer> => {
  const [, chainId, address] = /^([1-9][0-9]{0,9})=(0x[0-9a-fA-F]{40})$/u.exec(text) ?? []
  return contract(chainId, address)
}

export const guardExpected =
  "a token's symbol, once, and how many basis points it may be off its peg, from 1 to 5000, such as USDC=100 for 1 %"

export const subject = (text: string): string => text.split("=", 1).join()

/** `USDC=100`, each token once. */
export const guard = (texts: ReadonlyArray<string>): Option.Option<PegGuard> => {
  const tokens = new Map<string, number>()
  for (const text of texts) {
    const [, symbol, digits] = /^([A-Z][A-Z0-9]{1,11})=([1-9][0-9]{0,3})$/u.exec(text) ?? []
    const basisPoints = Number(digits)
    if (symbol === undefined || tokens.has(symbol) || basisPoints > 5000) return Option.none()
    tokens.set(symbol, basisPoints)
  }
  return Option.some(tokens)
}

export const fileExpected =
  "the name of a file, or an https URL, such as https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"

/** A file or a URL. A URL of the public internet is over HTTPS: whoever changed it on its way would set our prices. */
export const file = (text: string): Option.Option<string> => {
  if (!/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\//u.test(text)) {
    return text === "" ? Option.none() : Option.some(text)
  }
  const isUsable =
    RatesFile.isUrl(text) && Result.isSuccess(Webhook.parseUrl(text, { allowPrivate: true }))
  return isUsable ? Option.some(text) : Option.none()
}

interface Node {
  readonly chainId: Caip.ChainId
  readonly url: Redacted.Redacted
}

/** What an operator says of prices. */
export interface Values {
  readonly rate: ReadonlyArray<FixedRate>
  readonly rateMaxAgeHours: number | null
  readonly rateFile: string | null
  readonly rateFileMaxAgeHours: number
  readonly rateFeed: ReadonlyArray<PriceFeeds.Feed>
  readonly rateFeedRpc: ReadonlyArray<Node>
  readonly rateFeedDeviation: number
  readonly sequencerFeed: ReadonlyArray<PriceFeeds.Sequencer>
  readonly pegGuard: PegGuard
  readonly rpc: ReadonlyArray<Node>
}

/** Feeds may be on a chain that no payment moves on. Prices of a test network are nobody's: its nodes are not asked. */
const nodesOf = ({ rateFeedRpc, rpc }: Values): ReadonlyArray<Node> => [...rateFeedRpc, ...rpc]

/** What does not go together, and what to do; undefined if all is well. */
export const conflict = (values: Values): string | undefined => {
  const { pegGuard, rateFeed, rateFile, sequencerFeed } = values
  const reached = new Set(nodesOf(values).map(({ chainId }) => chainId))
  const unreached = [...rateFeed, ...sequencerFeed].find(({ chainId }) => !reached.has(chainId))
  if (unreached !== undefined) {
    return `a feed of prices is on chain ${unreached.chainId}, which has no node: name one with rateFeedRpc`
  }
  const priced = new Set(rateFeed.flatMap(({ base, quote }) => [base, quote]))
  const unpriced = [...pegGuard.keys()].find((symbol) => !priced.has(symbol))
  return unpriced === undefined || rateFile !== null
    ? undefined
    : `pegGuard names ${unpriced}, which nothing prices: add a rateFeed of it, or take it out`
}

const feedsOf = (values: Values): ReadonlyArray<Layer.Layer<QuoteSource>> => {
  const { rateFeed: feeds, rateFeedDeviation: deviationMax, sequencerFeed: sequencers } = values
  const chains = nodesOf(values).map(({ chainId, url }) => ({ chainId, rpcUrls: [url] }))
  return feeds.length === 0 ? [] : [PriceFeeds.layer({ feeds, sequencers, chains, deviationMax })]
}

const fileOf = ({
  rateFile,
  rateFileMaxAgeHours,
}: Values): ReadonlyArray<Layer.Layer<QuoteSource>> =>
  rateFile === null
    ? []
    : [RatesFile.layer({ from: rateFile, maxAgeInMs: rateFileMaxAgeHours * hourInMs })]

const fixedOf = ({ rate, rateMaxAgeHours }: Values): Layer.Layer<RateSource> => {
  const table = RateSource.layerFixed(rate)
  return rateMaxAgeHours === null
    ? table
    : Layer.provide(RateSource.layerFresh(rateMaxAgeHours * hourInMs), table)
}

/** Fixed rates count before feeds, feeds before the table; a guarded token has no rate while it is off its peg. */
export const layer = (values: Values): Layer.Layer<RateSource> => {
  const quotes = QuoteSource.layerAll([...feedsOf(values), ...fileOf(values)])
  const rates = RateSource.layerFirst([fixedOf(values), QuoteSource.layerRates])
  const guarded = Layer.provide(QuoteSource.layerPegGuard(values.pegGuard), rates)
  return Layer.provide(values.pegGuard.size === 0 ? rates : guarded, quotes)
}
