/**
 * The rates at which payments are priced, from the sources that an operator configured.
 *
 * @module
 */
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import { QuoteSource } from "@florin/core/ports/QuoteSource"
import { RateSource } from "@florin/core/ports/RateSource"
import * as PriceFeeds from "@florin/evm/PriceFeeds"
import * as RatesFile from "@florin/server/RatesFile"
import * as Layer from "effect/Layer"
import type * as Settings from "./Settings.ts"

const hourInMs = 60 * 60 * 1000

/**
 * Feeds may be on a chain that no payment uses. The prices on a test network are meaningless, so its nodes are not
 * used.
 */
const nodesOf = ({ rateFeedRpc, rpc }: Settings.Values): ReadonlyArray<Settings.Node> => [
  ...rateFeedRpc,
  ...rpc,
]

/** The conflict between settings, and what to do; undefined if there is none. */
export const conflict = (values: Settings.Values): string | undefined => {
  const { pegGuard, rateFeed, rateFile, sequencerFeed } = values
  const reached = new Set(nodesOf(values).map(({ chainId }) => chainId))
  const unreached = [...rateFeed, ...sequencerFeed].find(({ chainId }) => !reached.has(chainId))
  if (unreached !== undefined) {
    return `a price feed is on chain ${unreached.chainId}, which has no node: add one to rateFeedRpc`
  }
  const priced = new Set(rateFeed.flatMap(({ base, quote }) => [base, quote]))
  const withoutPrice = [...pegGuard.keys()].find((symbol) => !priced.has(symbol))
  return withoutPrice === undefined || rateFile !== null
    ? undefined
    : `pegGuard names ${withoutPrice}, which no source prices: add a rateFeed for it, or remove it`
}

/**
 * The native coins of live chains without a price, for which the minimum payment cannot follow the gas cost. Only a
 * custom table can contain coins.
 */
export const unpriced = (
  { rateFeed, rateFile, rpc }: Pick<Settings.Values, "rateFeed" | "rateFile" | "rpc">,
  catalog: Catalog.Catalog,
): ReadonlyArray<string> => {
  if (rateFile !== null && rateFile !== RatesFile.ecb) return []
  const coins = new Set(rpc.flatMap(({ chainId }) => catalog.network(chainId)?.coin ?? []))
  return [...coins].filter((coin) => rateFeed.every(({ base }) => base !== coin))
}

const feedsOf = (values: Settings.Values): ReadonlyArray<Layer.Layer<QuoteSource>> => {
  const { rateFeed: feeds, rateFeedDeviation: deviationMax, sequencerFeed: sequencers } = values
  const chains = nodesOf(values).map(({ chainId, url }) => ({ chainId, rpcUrls: [url] }))
  return feeds.length === 0 ? [] : [PriceFeeds.layer({ feeds, sequencers, chains, deviationMax })]
}

const fileOf = ({
  rateFile,
  rateFileMaxAgeHours,
}: Settings.Values): ReadonlyArray<Layer.Layer<QuoteSource>> =>
  rateFile === null
    ? []
    : [RatesFile.layer({ from: rateFile, maxAgeInMs: rateFileMaxAgeHours * hourInMs })]

const fixedOf = ({ rate, rateMaxAgeHours }: Settings.Values): Layer.Layer<RateSource> => {
  const table = RateSource.layerFixed(rate)
  return rateMaxAgeHours === null
    ? table
    : Layer.provide(RateSource.layerFresh(rateMaxAgeHours * hourInMs), table)
}

/**
 * Fixed rates take precedence over feeds, and feeds over the table. A guarded token has no rate while it is off its
 * peg.
 */
export const layer = (values: Settings.Values): Layer.Layer<RateSource> => {
  const quotes = QuoteSource.layerAll([...feedsOf(values), ...fileOf(values)])
  const rates = RateSource.layerFirst([fixedOf(values), QuoteSource.layerRates])
  const guarded = Layer.provide(QuoteSource.layerPegGuard(values.pegGuard), rates)
  return Layer.provide(values.pegGuard.size === 0 ? rates : guarded, quotes)
}
