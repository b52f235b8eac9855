/**
 * Prices from on-chain feeds with Chainlink's interface: contracts that hold the newest price of a pair.
 *
 * Feeds are read in the background and kept in memory. A price is returned only if every configured check passes: the
 * feed was read lately, its round is complete and not too old, the sequencer of its chain runs, and all feeds of the
 * pair agree.
 *
 * @example
 * const prices = PriceFeeds.layer({
 *   feeds: [{ base: "EUR", quote: "USD", chainId, address, maxAgeInMs: 25 * 60 * 60 * 1000 }],
 *   chains: [{ chainId, rpcUrls: [Redacted.make(rpcUrl)] }],
 *   deviationMax: 100,
 * })
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Rates from "@florin/core/domain/money/Rates"
import type { ChainUnavailable } from "@florin/core/ports/Chain"
import { type Quote, QuoteSource } from "@florin/core/ports/QuoteSource"
import { RateUnavailable } from "@florin/core/ports/RateSource"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { AbiFunction } from "viem"
import { decodeAbiParameters, parseAbiItem, toFunctionSelector } from "viem/utils"
import * as Rpc from "./node/Rpc.ts"
import * as Together from "./node/Together.ts"
import * as Link from "./read/Link.ts"
import * as Queries from "./read/Queries.ts"

/** The contract that holds the price of a pair. */
export interface Feed extends Rates.Pair {
  readonly chainId: Caip.ChainId
  readonly address: Caip.Address
  /** A price that is older than this is not used: the feed's heartbeat, and some time for its transaction. */
  readonly maxAgeInMs: number
}

/** The feed that reports whether the sequencer of a chain runs. */
export interface Sequencer {
  readonly chainId: Caip.ChainId
  readonly address: Caip.Address
}

export interface Options {
  /** All feeds of one pair must agree; the first of them sets the price. */
  readonly feeds: ReadonlyArray<Feed>
  readonly sequencers?: ReadonlyArray<Sequencer>
  /** Nodes for every chain that has a feed. */
  readonly chains: ReadonlyArray<{
    readonly chainId: Caip.ChainId
    readonly rpcUrls: ReadonlyArray<Redacted.Redacted>
  }>
  /** How far two feeds of a pair may be apart, in basis points of the first. */
  readonly deviationMax: number
  /** How often feeds are read (default: every 10 s). */
  readonly refreshInMs?: number
}

const usualRefreshInMs = 10_000
/** A reading is used for the time that this many reads take: while a node is silent, the market price moves. */
const readsMissedMax = 6
/** If a node's newest block is older than this, the node has stopped, and its prices are stale. */
const headAgeMaxInMs = 10 * 60 * 1000
/** Block clocks run ahead by no more than this. */
const aheadMaxInMs = 60_000
/** When a sequencer is back, it first processes the transactions that waited, so prices need time to settle. */
const sequencerGraceInMs = 60 * 60 * 1000
const answerWithinInMs = 5_000
const decimalsMax = 36

/** What a contract returned, or why it cannot be used. */
type Reading<A> = Result.Result<A, string>

const noFeed = "does not respond like a price feed"

/** Asks a function of a contract. If the node does not respond, the contract's state is unknown. */
const asking = <const Function extends AbiFunction>(item: Function) => {
  const call = toFunctionSelector(item)
  return Effect.fnUntraced(function* (rpc: Rpc.Rpc, to: Caip.Address) {
    const result = yield* Rpc.called(rpc, Queries.call({ to, data: call }, "latest"))
    if (Result.isFailure(result)) return Result.fail("reverts")
    const data = Queries.hex(result.success)
    return Result.try({
      try: () => decodeAbiParameters<Function["outputs"]>(item.outputs, data),
      catch: () => noFeed,
    })
  })
}

const askDecimals = asking(parseAbiItem("function decimals() view returns (uint8)"))
const askDescription = asking(parseAbiItem("function description() view returns (string)"))
const askRound = asking(
  parseAbiItem(
    "function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)",
  ),
)

/** A time beyond any calendar counts as no time. */
const timeOf = (seconds: bigint): number => (seconds < 2n ** 40n ? Number(seconds) * 1000 : 0)

/** The newest round, from a node that keeps up with its chain, or why there is none. */
const readRound = Effect.fnUntraced(function* (rpc: Rpc.Rpc, address: Caip.Address) {
  const [head, reading] = yield* Together.all([
    rpc.ask(Queries.block("latest")),
    askRound(rpc, address),
  ])
  const now = yield* Clock.currentTimeMillis
  if (head === null || now - head.timestamp * 1000 > headAgeMaxInMs) {
    return Result.fail("is read from a node that is behind its chain")
  }
  return Result.flatMap(reading, ([roundId, answer, startedAt, updatedAt, answeredInRound]) =>
    roundId > 0n && updatedAt > 0n && answeredInRound >= roundId
      ? Result.succeed({ answer, startedAt: timeOf(startedAt), updatedAt: timeOf(updatedAt) })
      : Result.fail("has a round that is not complete"),
  )
})

const readPrice = (rpc: Rpc.Rpc, address: Caip.Address) =>
  Effect.map(
    Together.all([readRound(rpc, address), askDecimals(rpc, address)]),
    ([round, digits]) =>
      Result.gen(function* () {
        const { answer, updatedAt } = yield* round
        const [decimals] = yield* digits
        if (decimals > decimalsMax) return yield* Result.fail(noFeed)
        return yield* Result.fromOption(
          Rates.price(answer, 10n ** BigInt(decimals), updatedAt),
          () => "has a price that is not above 0, or not plausible",
        )
      }),
  )

/** Keeps the last reading of a contract. The earlier reading is also kept while the chain cannot be reached. */
const keeping = <A>(read: Effect.Effect<Reading<A>, ChainUnavailable>, keptForInMs: number) => {
  let reading: Reading<A> = Result.fail("was not read yet")
  let readAt = 0
  const refresh = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    reading = yield* read
    readAt = now
  })
  return {
    refresh: Effect.ignore(refresh),
    at: (now: number): Reading<A> =>
      Result.isSuccess(reading) && now - readAt > keptForInMs
        ? Result.fail("cannot be read: check the nodes of its chain")
        : reading,
  }
}

type KeptRound = Effect.Success<ReturnType<typeof readRound>>

/** Whether the sequencer has been running for long enough; the value 0 means running. */
const runs = (round: KeptRound, now: number): Reading<void> =>
  Result.flatMap(round, ({ answer, startedAt }) =>
    answer === 0n && startedAt > 0 && now - startedAt >= sequencerGraceInMs
      ? Result.void
      : Result.fail("is on a chain whose sequencer is down, or was down until recently"),
  )

const isCurrent = (price: Rates.Price, { maxAgeInMs }: Feed, now: number): Reading<Rates.Price> => {
  if (price.observedAt > now + aheadMaxInMs) return Result.fail("is ahead of the service's clock")
  return Rates.isFresh(price, now, maxAgeInMs)
    ? Result.succeed(price)
    : Result.fail(`has a price that is older than ${maxAgeInMs} ms`)
}

const nameOf = ({ base, quote }: Rates.Pair): string => `${base}/${quote}`

/**
 * Feeds describe the pair that they price. A different description is a mistake in the settings, or another name for
 * the pair.
 */
const warnOfOther = Effect.fnUntraced(function* (rpc: Rpc.Rpc, feed: Feed) {
  const described = yield* askDescription(rpc, feed.address)
  if (Result.isSuccess(described) && described.success[0].replaceAll(" ", "") === nameOf(feed))
    return
  yield* Effect.logWarning(
    "the description of a price feed does not match its pair: check its address",
    { pair: nameOf(feed), chainId: feed.chainId },
  )
})

/** The prices of all feeds. The first read finishes before the layer is ready. */
export const layer = ({
  chains,
  deviationMax,
  feeds,
  refreshInMs = usualRefreshInMs,
  sequencers = [],
}: Options): Layer.Layer<QuoteSource> =>
  Layer.effect(
    QuoteSource,
    Effect.gen(function* () {
      const rpcs = new Map<Caip.ChainId, Rpc.Rpc>()
      const rpcOf = (chainId: Caip.ChainId): Rpc.Rpc => {
        const urls = chains.flatMap((each) => (each.chainId === chainId ? each.rpcUrls : []))
        const rpc =
          rpcs.get(chainId) ??
          Rpc.make({ chainId, urls, answerWithinInMs, batchMax: Link.batchMax })
        rpcs.set(chainId, rpc)
        return rpc
      }
      const keptForInMs = readsMissedMax * refreshInMs
      const watched = sequencers.map(({ address, chainId }) => ({
        chainId,
        ...keeping(readRound(rpcOf(chainId), address), keptForInMs),
      }))
      const followed = feeds.map((feed) => ({
        feed,
        fault: "",
        ...keeping(readPrice(rpcOf(feed.chainId), feed.address), keptForInMs),
      }))
      type Followed = (typeof followed)[number]

      const priceAt = ({ at, feed }: Followed, now: number): Reading<Rates.Price> => {
        for (const sequencer of watched) {
          if (sequencer.chainId !== feed.chainId) continue
          const running = runs(sequencer.at(now), now)
          if (Result.isFailure(running)) return Result.fail(running.failure)
        }
        return Result.flatMap(at(now), (price) => isCurrent(price, feed, now))
      }

      /** Logs once what operators should know. */
      const logChange = Effect.fnUntraced(function* (each: Followed) {
        const price = priceAt(each, yield* Clock.currentTimeMillis)
        const fault = Result.isFailure(price) ? price.failure : ""
        if (fault === each.fault) return
        each.fault = fault
        const about = { pair: nameOf(each.feed), chainId: each.feed.chainId }
        yield* fault === ""
          ? Effect.logInfo("a price feed is usable again", about)
          : Effect.logWarning("a price feed is not usable", { ...about, reason: fault })
      })

      const refresh = Effect.andThen(
        Effect.forEach([...watched, ...followed], (each) => each.refresh, {
          concurrency: "unbounded",
          discard: true,
        }),
        Effect.forEach(followed, logChange, { discard: true }),
      )

      /** The price of the first feed, if all others are close to it. */
      const agreed = Effect.fnUntraced(function* (all: Arr.NonEmptyReadonlyArray<Followed>) {
        const pair = nameOf(all[0].feed)
        const now = yield* Clock.currentTimeMillis
        const unavailable = (message: string) => new RateUnavailable({ message })
        const prices = yield* Effect.forEach(all, (each) =>
          Effect.mapError(Effect.fromResult(priceAt(each, now)), (reason) =>
            unavailable(`the feed of ${pair} on chain ${each.feed.chainId} ${reason}`),
          ),
        )
        const [first] = prices
        return prices.some((price) => Rates.isFar(price, first, deviationMax))
          ? yield* unavailable(
              `the feeds of ${pair} are more than ${deviationMax} basis points apart`,
            )
          : first
      })

      const byPair = Arr.groupBy(followed, ({ feed }) => nameOf(feed))
      const quotes = Object.values(byPair).map((all): Quote => {
        const { base, quote } = all[0].feed
        return { base, quote, price: agreed(all) }
      })
      yield* refresh
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(refreshInMs), refresh)))
      yield* Effect.forkScoped(
        Effect.forEach(feeds, (feed) => Effect.ignore(warnOfOther(rpcOf(feed.chainId), feed))),
      )
      return QuoteSource.of({ quotes: () => quotes })
    }),
  )
