import { assert, describe, it, layer } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { type Quote, QuoteSource } from "@florin/core/ports/QuoteSource"
import { RateSource } from "@florin/core/ports/RateSource"
import * as LocalChain from "@florin/localnet/LocalChain"
import * as RateSourceSuite from "@florin/testing/RateSourceSuite"
import { Clock, Context, Effect, Layer, Redacted, Result, Schedule } from "effect"
import * as PriceFeeds from "../src/PriceFeeds.ts"
import * as Feed from "../test-support/feed.ts"
import * as Lies from "../test-support/lies.ts"
import * as Node from "../test-support/node.ts"

const chainId = Eip155.chainId(8453)
const hourInMs = 60 * 60 * 1000

const usdc =
  BuiltIn.catalog.assets.find(({ symbol }) => symbol === "USDC") ?? assert.fail("no USDC")
const eurc =
  BuiltIn.catalog.assets.find(({ symbol }) => symbol === "EURC") ?? assert.fail("no EURC")

const nowInS = Effect.map(Clock.currentTimeMillis, (now) => BigInt(Math.floor(now / 1000)))

const said = Effect.map(nowInS, (now): Feed.Said => ({
  decimals: 8n,
  roundId: 18446744073709562000n,
  answer: 107_780_000n,
  startedAt: now - 60n,
  updatedAt: now - 60n,
  answeredInRound: 18446744073709562000n,
  reverts: 0n,
  description: "EUR / USD",
}))

/** A chain with two feeds of one pair, and a node in front of it that may lie. */
const makeWorld = Effect.gen(function* () {
  const local = yield* LocalChain.make({ chainId, blocks: "byHand" })
  yield* local.mine(1)
  const liar = yield* Lies.make(local)
  const usual = yield* said
  const [first, second] = [yield* Feed.make(local, usual), yield* Feed.make(local, usual)]
  const ether = yield* Feed.make(local, {
    ...usual,
    decimals: 18n,
    answer: 2_500n * 10n ** 18n,
    description: "ETH / USD",
  })
  const sequencer = yield* Feed.make(local, {
    ...usual,
    decimals: 0n,
    answer: 0n,
    startedAt: usual.updatedAt - 3601n,
    description: "L2 Sequencer Uptime Status Feed",
  })
  return { local, liar, first, second, ether, sequencer }
})
class World extends Context.Service<World, Effect.Success<typeof makeWorld>>()(
  "@florin/evm/test/PriceFeedsWorld",
) {
  static readonly layer = Layer.effect(World, makeWorld)
}

const pair = { base: "EUR", quote: "USD", chainId, maxAgeInMs: hourInMs }

const feedsOf = (
  { ether, first, liar, second, sequencer }: World["Service"],
  options: Partial<PriceFeeds.Options> = {},
) =>
  PriceFeeds.layer({
    feeds: [
      { ...pair, address: first.address },
      { ...pair, address: second.address },
      { ...pair, base: "ETH", address: ether.address },
    ],
    sequencers: [{ chainId, address: sequencer.address }],
    chains: [{ chainId, rpcUrls: [Redacted.make(liar.url)] }],
    deviationMax: 100,
    refreshInMs: 300,
    ...options,
  })

const priceOf = Effect.fnUntraced(function* (base: string) {
  const { quotes } = yield* QuoteSource
  const quote: Quote = quotes().find((each) => each.base === base) ?? assert.fail("no such pair")
  return yield* Effect.result(quote.price)
})

/** What a euro costs, as a fraction, or why nothing does. */
const euro = Effect.map(priceOf("EUR"), (price) =>
  Result.isSuccess(price)
    ? `${price.success.numerator}/${price.success.denominator}`
    : price.failure.message,
)
const good = "107780000/100000000"
const bad = (why: string) => `the feed of EUR/USD on chain ${chainId} ${why}`

/** Looks until it says so. */
const comes = (expected: string) =>
  euro.pipe(
    Effect.filterOrFail((found) => found === expected),
    Effect.retry(Schedule.max([Schedule.spaced(20), Schedule.recurs(3000)])),
    Effect.catch(() => Effect.flatMap(euro, (found) => Effect.die(`${found}, not ${expected}`))),
  )

/** What the suite's feeds are told, once they are there. */
let revertAll: Effect.Effect<unknown, unknown> = Effect.void

RateSourceSuite.suite(
  "feeds",
  Layer.unwrap(
    Effect.map(World, (world) => {
      revertAll = Effect.forEach([world.first, world.ether], (each) => each.say({ reverts: 1n }))
      return Layer.provide(QuoteSource.layerRates, feedsOf(world, { refreshInMs: 1000 }))
    }),
  ).pipe(Layer.provide(World.layer)),
  {
    assets: BuiltIn.catalog.assets,
    priced: [
      { currency: "EUR", asset: usdc },
      { currency: "USD", asset: eurc },
    ],
    coins: ["ETH"],
    fail: Effect.gen(function* () {
      const { coinRate, rate } = yield* RateSource
      yield* Effect.orDie(revertAll)
      for (const asked of [rate("EUR", usdc), coinRate("USD", "ETH")]) {
        yield* Effect.flip(asked).pipe(
          Effect.retry(Schedule.max([Schedule.spaced(20), Schedule.recurs(3000)])),
          Effect.orDie,
        )
      }
    }),
  },
)

layer(World.layer, { excludeTestServices: true })("PriceFeeds", (chain) => {
  /** The feeds as they are at first, and whatever a test does to them until they are so again. */
  const following = <A, E>(
    work: (world: World["Service"]) => Effect.Effect<A, E, QuoteSource>,
    options: Partial<PriceFeeds.Options> = {},
  ) =>
    Effect.gen(function* () {
      const world = yield* World
      const { first, second, sequencer } = world
      const usual = yield* said
      yield* first.say(usual)
      yield* second.say(usual)
      yield* sequencer.say({ answer: 0n, startedAt: usual.updatedAt - 3601n })
      world.liar.tell(null)
      return yield* Effect.provide(work(world), feedsOf(world, options))
    })

  chain.effect("return a feed's price in its decimals and with its time", () =>
    following(
      Effect.fnUntraced(function* ({ first, second }) {
        yield* comes(good)
        const price = Result.getOrThrow(yield* priceOf("EUR"))
        assert.strictEqual(price.observedAt % 1000, 0)
        const ether = Result.getOrThrow(yield* priceOf("ETH"))
        assert.strictEqual(ether.numerator, 2500n * ether.denominator)
        yield* first.say({ answer: 108_000_000n })
        yield* comes("108000000/100000000")
        yield* second.say({ decimals: 6n, answer: 1_080_000n })
        yield* comes("108000000/100000000")
      }),
    ),
  )

  chain.effect("S23: give no price while two feeds of a pair are too far apart", () =>
    following(
      Effect.fnUntraced(function* ({ first, second }) {
        const apart = "the feeds of EUR/USD are more than 100 basis points apart"
        // 1.0778 and 1 % of it.
        yield* second.say({ answer: 108_857_801n })
        yield* comes(apart)
        yield* second.say({ answer: 108_857_800n })
        yield* comes(good)
        yield* second.say({ answer: 106_702_199n })
        yield* comes(apart)
        yield* first.say({ answer: 106_702_199n })
        yield* comes("106702199/100000000")
      }),
    ),
  )

  const lies: ReadonlyArray<{
    readonly what: string
    readonly change: Partial<Feed.Said>
    readonly why: string
  }> = [
    { what: "zero", change: { answer: 0n }, why: "not above 0" },
    { what: "a negative price", change: { answer: -107_780_000n }, why: "not above 0" },
    { what: "the smallest number", change: { answer: -(2n ** 255n) }, why: "not above 0" },
    { what: "a huge price", change: { answer: 2n ** 255n - 1n }, why: "not plausible" },
    { what: "a tiny price", change: { decimals: 36n }, why: "not plausible" },
    { what: "too many decimals", change: { decimals: 37n }, why: "does not answer as a feed" },
    { what: "a revert", change: { reverts: 1n }, why: "reverts" },
    { what: "no round", change: { roundId: 0n }, why: "not complete" },
    { what: "a round without an end", change: { updatedAt: 0n }, why: "not complete" },
    { what: "an answer of an earlier round", change: { answeredInRound: 1n }, why: "not complete" },
    { what: "a time long ago", change: { updatedAt: 1n }, why: "older than 3600000 ms" },
    {
      what: "an impossible time",
      change: { updatedAt: 2n ** 200n },
      why: "older than 3600000 ms",
    },
    { what: "a time far ahead", change: { updatedAt: 2n ** 39n }, why: "ahead of our clock" },
  ]
  const full: { readonly [why: string]: string } = {
    "not above 0": "has a price that is not above 0, or not plausible",
    "not plausible": "has a price that is not above 0, or not plausible",
    "does not answer as a feed": "does not respond like a price feed",
    reverts: "reverts",
    "not complete": "has a round that is not complete",
    "older than 3600000 ms": "has a price that is older than 3600000 ms",
    "ahead of our clock": "is ahead of the service's clock",
  }

  chain.effect.each(lies)("S23: ignore a feed that reports $what", ({ change, why }) =>
    following(
      Effect.fnUntraced(function* ({ first, second }) {
        for (const feed of [first, second]) {
          yield* comes(good)
          yield* feed.say(change)
          yield* comes(bad(full[why] ?? ""))
          yield* feed.say(yield* said)
          yield* comes(good)
        }
      }),
    ),
  )

  chain.effect("give no price that is too old, by the time of its round", () =>
    following(
      Effect.fnUntraced(function* ({ first }) {
        const now = yield* nowInS
        yield* first.say({ updatedAt: now - 3500n })
        yield* comes(good)
        yield* first.say({ updatedAt: now - 3601n })
        yield* comes(bad("has a price that is older than 3600000 ms"))
      }),
    ),
  )

  chain.effect("give no price while the sequencer is down, and for an hour afterwards", () =>
    following(
      Effect.fnUntraced(function* ({ sequencer }) {
        const still = bad("is on a chain whose sequencer is down, or was down until recently")
        const now = yield* nowInS
        yield* comes(good)
        yield* sequencer.say({ answer: 1n, startedAt: now - 9000n })
        yield* comes(still)
        yield* sequencer.say({ answer: 0n })
        yield* comes(good)
        yield* sequencer.say({ startedAt: now - 3500n })
        yield* comes(still)
        yield* sequencer.say({ startedAt: 0n })
        yield* comes(still)
      }),
    ),
  )

  chain.effect("give no price from a node that stopped responding, after a while", () =>
    following(
      Effect.fnUntraced(function* ({ liar }) {
        yield* comes(good)
        liar.tell(() => ({ error: { code: -32000, message: "busy" } }))
        yield* comes(bad("cannot be read: check the nodes of its chain"))
        liar.tell(null)
        yield* comes(good)
      }),
    ),
  )

  chain.effect.each([
    { what: "nothing", result: "0x" },
    { what: "less than a round", result: `0x${"0".repeat(64 * 4)}` },
    { what: "no bytes", result: "0x1" },
    { what: "no text", result: null },
  ])("ignore a node that returns $what", ({ result }) =>
    following(
      Effect.fnUntraced(function* ({ liar }) {
        yield* comes(good)
        liar.tell(({ method }) => (method === "eth_call" ? { result } : undefined))
        yield* Effect.filterOrFail(euro, (found) => found !== good).pipe(
          Effect.retry(Schedule.max([Schedule.spaced(20), Schedule.recurs(3000)])),
        )
      }),
    ),
  )

  chain.effect("ignore a node whose newest block is old", () =>
    following(
      Effect.fnUntraced(function* ({ liar }) {
        yield* comes(good)
        const old = (yield* nowInS) - 601n
        liar.tell(({ method }, truth) =>
          method === "eth_getBlockByNumber" && typeof truth === "object"
            ? { result: { ...truth, timestamp: `0x${old.toString(16)}` } }
            : undefined,
        )
        yield* comes(bad("is read from a node that is behind its chain"))
      }),
    ),
  )
})

describe("a price feed", () => {
  it.live("without a node, or at an address without a feed, has no price and stays listed", () =>
    Effect.gen(function* () {
      const node = yield* Node.make((calls) =>
        Node.json(
          Node.answersOf(chainId, calls, ({ method }) =>
            method === "eth_call" ? { result: "0x" } : undefined,
          ),
        ),
      )
      const address = Caip.Address.make(`0x${"11".repeat(20)}`)
      for (const chains of [[], [{ chainId, rpcUrls: [node.url] }]]) {
        yield* Effect.gen(function* () {
          const { quotes } = yield* QuoteSource
          assert.deepStrictEqual(
            quotes().map(({ base, quote }) => [base, quote]),
            [["EUR", "USD"]],
          )
          assert.isTrue(Result.isFailure(yield* priceOf("EUR")))
        }).pipe(
          Effect.provide(
            PriceFeeds.layer({ feeds: [{ ...pair, address }], chains, deviationMax: 100 }),
          ),
        )
      }
    }),
  )
})
