import { assert, describe, it } from "@effect/vitest"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import { Chain } from "@florin/core/ports/Chain"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Wallet from "@florin/testing/Wallet"
import { Clock, Context, Duration, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { privateKeyToAccount } from "viem/accounts"
import * as Evm from "../src/Evm.ts"
import * as Offers from "../src/Offers.ts"
import { hex } from "../src/read/Queries.ts"
import * as Timing from "../src/read/Timing.ts"
import * as Fees from "../src/send/Fees.ts"
import * as Permit2 from "../src/token/Permit2.ts"
import * as Link from "../test-support/link.ts"
import * as Node from "../test-support/node.ts"

const chainId = Eip155.chainId(8453)
const assets = Catalog.assetsOf(BuiltIn.catalog, chainId)
const [usdc = assert.fail("no USDC"), eurc = assert.fail("no EURC")] = assets
const everything = assets.map(({ token }) => Eip155.formatToken(token))

/** What the chain's tokens are like now; a test changes it. */
interface State {
  readonly paused: Set<Asset.Asset>
  /** Accounts that hold nothing for gas. */
  readonly poor: Set<string>
  /** Where the code of each is. */
  implementation: number
  /** The newest block, where the chain makes any: one every two seconds. */
  height?: number
}

/** What a node says of gas, and of an account that has enough for it. */
const gasAnswers = new Map<string, unknown>([
  ["eth_getBalance", "0xde0b6b3a7640000"],
  [
    "eth_getBlockByNumber",
    { number: "0x1", hash: Fixtures.hash("block"), timestamp: "0x1", baseFeePerGas: "0x1" },
  ],
  ["eth_maxPriorityFeePerGas", "0x1"],
])

const blockAt = (height: number) => ({
  number: `0x${height.toString(16)}`,
  hash: Fixtures.hash("block"),
  timestamp: `0x${(2 * height).toString(16)}`,
  baseFeePerGas: "0x1",
})

const word = (value: bigint | number) => BigInt(value).toString(16).padStart(64, "0")

/** A node of Base: it knows what it is asked by the tokens' addresses in it. */
const nodeOf = (state: State): Node.Responder => {
  const views = (asset: Asset.Asset) => [
    BigInt(asset.decimals),
    BigInt(Details.of(asset).separatorPin ?? 0),
    0n,
    BigInt(state.paused.has(asset)),
  ]
  const isBlacklisted = "fe575a87"
  return (calls) =>
    Node.json(
      Node.answersOf(chainId, calls, ({ method, params }) => {
        if (method === "eth_getCode") return { result: "0xfe" }
        if (method === "eth_getStorageAt") return { result: `0x${word(state.implementation)}` }
        const text = JSON.stringify(params)
        const isPoor = [...state.poor].some((account) => text.includes(account))
        if (method === "eth_getBalance" && isPoor) return { result: "0x0" }
        if (method === "eth_getBlockByNumber" && state.height !== undefined) {
          return { result: blockAt(state.height) }
        }
        if (gasAnswers.has(method)) return { result: gasAnswers.get(method) }
        if (method !== "eth_call") return undefined
        if (text.includes(Fees.oracleAddress)) return { result: "0x" }
        if (text.includes("0x88b7ab63")) {
          return { error: { code: 3, message: "execution reverted", data: "0x08c379a0" } }
        }
        const asked = assets.filter(({ token }) => text.includes(token.address.slice(2)))
        const accounts = Array.from(
          { length: (text.split(isBlacklisted).length - 1) / asked.length },
          () => 0n,
        )
        const answers = asked
          .flatMap((asset) => views(asset).concat(accounts))
          .map((value) => `01${word(value)}`)
        return { result: `0x${answers.join("")}` }
      }),
    )
}

/** The test's clock passes by requests under way: none may end by it. */
const neverInMs = 10 ** 9

const down: Node.Responder = () => ({ status: 500, body: "" })

/** A turn of the loop, in which something may come over the wire. */
const turn = Effect.promise(() => new Promise((resolve) => void setTimeout(resolve, 1)))

/** Far more turns than lie between an answer and the next question, also where that needs a new connection. */
const quietTurns = 100

/** Lets what is under way be done: no clock tells when it is. */
const settle = Effect.fnUntraced(function* (node: Node.Node) {
  for (let quiet = 0; quiet < quietTurns; quiet++) {
    yield* turn
    if (node.open() > 0) quiet = 0
  }
})

/** The test's clock, which also knows how many sleep between two checks. */
const watched = Effect.map(Clock.Clock, (clock) => {
  let sleepers = 0
  const sleep: Clock.Clock["sleep"] = (duration) =>
    Duration.toMillis(duration) >= neverInMs
      ? clock.sleep(duration)
      : Effect.acquireUseRelease(
          Effect.sync(() => sleepers++),
          () => clock.sleep(duration),
          () => Effect.sync(() => sleepers--),
        )
  return { clock: { ...clock, sleep }, sleepers: () => sleepers }
})

/** The offers of a chain whose node answers like this at first, or as its state says. */
const scene = Effect.fnUntraced(function* (
  answer?: Node.Responder,
  options: { readonly finalizedFrom?: number } = {},
) {
  const state: State = { paused: new Set(), poor: new Set(), implementation: 1 }
  const node = yield* Node.make(answer ?? nodeOf(state))
  const link = Link.make(chainId, node.url, {
    minimum: 0.05,
    ...options,
    answerWithinInMs: neverInMs,
    // The last of them takes no new payments.
    accounts: [
      ...Link.collecting.map(({ privateKey }) => privateKeyToAccount(hex(privateKey))),
      {
        ...privateKeyToAccount(hex(Wallet.make(1_000_003).privateKey)),
        isDraining: true,
      },
    ],
  })
  const { clock, sleepers } = yield* watched
  const offers = yield* Offers.make(link).pipe(Effect.provideService(Clock.Clock, clock))
  /** How many pause between two checks: one more while a token failed, which is looked at by itself. */
  const pausing = Effect.map(offers.faults, (faults) =>
    faults.every(({ message }) => /it is being checked$|HTTP \d+$/u.test(message)) ? 1 : 2,
  )
  /** Lets the check that is under way be done. */
  const rest = Effect.gen(function* () {
    while (sleepers() < (yield* pausing)) yield* turn
  })
  return {
    state,
    node,
    link,
    offers,
    rest,
    /** Lets time pass until the node is asked again, and that be done. */
    pass: Effect.fnUntraced(function* (duration: "2 minutes" | "7 minutes") {
      yield* rest
      const before = node.asked.length
      while (node.asked.length === before) {
        yield* TestClock.adjust(duration)
        yield* rest
      }
    }),
    offered: Effect.map(offers.offered, (each) =>
      each.map(({ asset }) => Eip155.formatToken(asset.token)),
    ),
    /** The node is well from now on. */
    heal: () => node.answer(nodeOf(state)),
  }
})

const one = Money.Quantity.make(1_000_000n)

/** How often a token was checked. */
const checksOf = ({ asked }: Node.Node): number =>
  asked
    .flat()
    .filter(({ method, params: [of] }) => method === "eth_getCode" && of === usdc.token.address)
    .length

const logged = (log: Array<string>) =>
  Effect.provide(
    Logger.layer([
      Logger.make(
        ({ logLevel, message }) => void log.push(`${logLevel} ${JSON.stringify(message)}`),
      ),
    ]),
  )

describe("the offered tokens of a chain", () => {
  it.effect("are those that passed the check, as the chain is configured", () =>
    Effect.gen(function* () {
      const { offers } = yield* scene()
      assert.deepStrictEqual(
        yield* offers.offered,
        [usdc, eurc].map((asset) => ({
          asset,
          flows: ["eip3009"] as const,
          minimum: Money.Quantity.make(50_000n),
          etaInS: 30,
          collectingAccounts: Link.collecting.map(({ address }) => address),
        })),
      )
      assert.deepStrictEqual(yield* offers.faults, [])
    }),
  )

  it.effect("have the chain's measured duration, once there are enough samples", () =>
    Effect.gen(function* () {
      const { node, offers, pass, state } = yield* scene()
      state.height = 1000
      const told = () =>
        Effect.map(offers.offered, (each) => [...new Set(each.map(({ etaInS }) => etaInS))])
      yield* pass("7 minutes")
      for (let checks = 1; checks < Timing.samplesMin; checks++) {
        state.height += 150
        yield* pass("7 minutes")
      }
      assert.deepStrictEqual(yield* told(), [30])
      state.height += 150
      yield* pass("7 minutes")
      // A block of two seconds to get into, and ten on top of it.
      assert.deepStrictEqual(yield* told(), [22])
      // It costs no request more, and says nothing where the chain stands still.
      assert.strictEqual(checksOf(node), 2 + Timing.samplesMin)
      assert.strictEqual(node.asked.length, 2 * checksOf(node))
      yield* pass("7 minutes")
      assert.deepStrictEqual(yield* told(), [22])
    }),
  )

  it.effect("S28: have a longer duration from the amount on that waits for finalized", () =>
    Effect.gen(function* () {
      const { offers } = yield* scene(undefined, { finalizedFrom: 1000 })
      const told = Effect.map(offers.offered, (each) =>
        each.map(({ etaInS, large }) => [etaInS, large?.etaInS]),
      )
      const [from] = (yield* offers.offered).map(({ large }) => large?.from)
      assert.strictEqual(from, Money.Quantity.make(1_000_000_000n))
      assert.deepStrictEqual(yield* told, [
        [30, 30],
        [30, 30],
      ])
      const startedAt = yield* Clock.currentTimeMillis
      yield* TestClock.adjust("15 minutes")
      for (let payments = 0; payments < Timing.samplesMin; payments++) {
        const quantity = Money.Quantity.make(1_000_000_000n)
        yield* offers.measure({ flow: "eip3009", quantity, token: usdc.token }, startedAt)
      }
      assert.deepStrictEqual(yield* told, [
        [30, 900],
        [30, 900],
      ])
    }),
  )

  it.effect("have the measured duration of payments, for each flow", () =>
    Effect.gen(function* () {
      const { offers } = yield* scene()
      const told = Effect.map(offers.offered, (each) => each.map(({ etaInS }) => etaInS))
      yield* offers.offered
      const startedAt = yield* Clock.currentTimeMillis
      yield* TestClock.adjust("4 seconds")
      for (let payments = 1; payments < Timing.samplesMin; payments++) {
        yield* offers.measure({ flow: "eip3009", quantity: one, token: usdc.token }, startedAt)
        yield* offers.measure({ flow: "transfer", quantity: one, token: usdc.token }, startedAt)
      }
      assert.deepStrictEqual(yield* told, [30, 30])
      // Of a process that was not there yet.
      yield* offers.measure({ flow: "eip3009", quantity: one, token: usdc.token }, startedAt - 1)
      yield* offers.measure({ flow: "transfer", quantity: one, token: usdc.token }, startedAt)
      assert.deepStrictEqual(yield* told, [30, 30])
      yield* offers.measure({ flow: "eip3009", quantity: one, token: usdc.token }, startedAt)
      assert.deepStrictEqual(yield* told, [4, 4])
    }),
  )

  it.effect("have a minimum in each token's own units, rounded up", () =>
    Effect.gen(function* () {
      let decimals = 18
      const bsc = Eip155.chainId(56)
      const node = yield* Node.make((calls) =>
        Node.json(
          Node.answersOf(bsc, calls, ({ method, params }) => {
            if (method === "web3_clientVersion") return { result: "anvil/v1" }
            if (method === "eth_getCode") return { result: "0xfe" }
            if (method === "eth_getStorageAt") return { result: "0x0" }
            if (gasAnswers.has(method)) return { result: gasAnswers.get(method) }
            if (method !== "eth_call") return undefined
            return JSON.stringify(params).includes("313ce567")
              ? { result: `0x${`01${word(decimals)}`.repeat(2)}` }
              : { result: `0x01${Permit2.separator(bsc).slice(2)}` }
          }),
        ),
      )
      const offers = yield* Offers.make(Link.make(bsc, node.url, { minimum: 1.25 }))
      assert.deepStrictEqual(
        (yield* offers.offered).map(({ minimum }) => minimum),
        Array.from({ length: 2 }, () => Money.Quantity.make(1_250_000_000_000_000_000n)),
      )
      decimals = 2
      const { config, rpc } = Link.make(bsc, node.url, { minimum: 0.050001 })
      const coarse = config.assets.map((asset) => ({ ...asset, decimals }))
      const inCents = yield* Offers.make({ config: { ...config, assets: coarse }, rpc })
      assert.deepStrictEqual(
        (yield* inCents.offered).map(({ minimum }) => minimum),
        Array.from({ length: 2 }, () => Money.Quantity.make(6n)),
      )
    }),
  )

  it.effect("are waited for at the start, while missing tokens are reported immediately", () =>
    Effect.gen(function* () {
      const { promise, resolve } = Promise.withResolvers<void>()
      const well = nodeOf({ paused: new Set(), poor: new Set(), implementation: 1 })
      const { offered, offers } = yield* scene(async (calls, body) => {
        await promise
        return well(calls, body)
      })
      const asking = yield* Effect.forkChild(offered)
      yield* turn
      assert.isUndefined(asking.pollUnsafe())
      assert.deepStrictEqual(
        (yield* offers.faults).map(({ message }) => message),
        everything.map(
          (text, index) => `${["USDC", "EURC"][index]} on Base (${text}): it is being checked`,
        ),
      )
      resolve()
      assert.deepStrictEqual(yield* Fiber.join(asking), everything)
    }),
  )

  it.effect("are empty while the node does not respond, and are checked again", () =>
    Effect.gen(function* () {
      const { heal, offered, offers, pass } = yield* scene(down)
      assert.deepStrictEqual(yield* offered, [])
      const faults = yield* offers.faults
      assert.deepStrictEqual(
        faults.map(({ token }) => token),
        assets.map(({ token }) => token),
      )
      for (const { message } of faults) assert.match(message, /HTTP 500$/u)
      yield* pass("2 minutes")
      assert.deepStrictEqual(yield* offered, [])
      heal()
      yield* pass("2 minutes")
      assert.deepStrictEqual(yield* offered, everything)
      assert.deepStrictEqual(yield* offers.faults, [])
    }),
  )

  it.effect("are checked again with growing pauses", () =>
    Effect.gen(function* () {
      const { node, offered, rest } = yield* scene(down)
      yield* offered
      /** Seconds until the next try. */
      const pause = Effect.gen(function* () {
        const before = node.asked.length
        for (let seconds = 1; ; seconds++) {
          yield* TestClock.adjust("1 second")
          yield* rest
          if (node.asked.length > before) return seconds
        }
      })
      const pauses: Array<number> = []
      for (let index = 0; index < 8; index++) pauses.push(yield* pause)
      assert.isAtMost(pauses[0] ?? 0, 3)
      assert.isAbove(pauses[4] ?? 0, 8)
      // A minute, a fifth more, and what the wire takes.
      assert.isAtMost(pauses[7] ?? 0, 90)
    }),
  )

  it.effect("stay offered while the node does not respond for a while", () =>
    Effect.gen(function* () {
      const { node, offered, offers, pass } = yield* scene()
      assert.deepStrictEqual(yield* offered, everything)
      node.answer(down)
      yield* pass("7 minutes")
      assert.deepStrictEqual(yield* offered, everything)
      assert.deepStrictEqual(yield* offers.faults, [])
    }),
  )

  it.effect("lose a token that fails its check, log it once, and get it back", () => {
    const log: Array<string> = []
    return Effect.gen(function* () {
      const { offered, offers, pass, state } = yield* scene()
      assert.deepStrictEqual(yield* offered, everything)
      assert.deepStrictEqual(log, [])
      state.paused.add(usdc)
      yield* pass("7 minutes")
      yield* pass("7 minutes")
      assert.deepStrictEqual(yield* offered, [Eip155.formatToken(eurc.token)])
      const [fault, ...others] = yield* offers.faults
      assert.deepStrictEqual(others, [])
      assert.strictEqual(fault?.token, usdc.token)
      assert.match(fault?.message ?? "", /^USDC on Base \(.*\): paused\(\) is on/u)
      assert.strictEqual(log.length, 1)
      assert.match(log[0] ?? "", /^Error .*not offered.*paused/u)
      state.paused.clear()
      yield* pass("7 minutes")
      assert.deepStrictEqual(yield* offered, everything)
      assert.deepStrictEqual(yield* offers.faults, [])
      assert.strictEqual(log.length, 2)
      assert.match(log[1] ?? "", /^Info .*offered again/u)
    }).pipe(logged(log))
  })

  it.effect(
    "lose all tokens while one of the service's accounts is short of gas, and log it once",
    () => {
      const log: Array<string> = []
      return Effect.gen(function* () {
        const { offered, offers, pass, state } = yield* scene()
        const [, poor = assert.fail()] = Link.collecting
        assert.deepStrictEqual(yield* offered, everything)
        state.poor.add(poor.address)
        yield* pass("7 minutes")
        yield* pass("7 minutes")
        assert.deepStrictEqual(yield* offered, [])
        for (const { message } of yield* offers.faults) {
          assert.include(message, `${Eip155.formatAddress(poor.address)} is short of gas`)
        }
        assert.strictEqual(log.length, assets.length)
        state.poor.clear()
        yield* pass("7 minutes")
        assert.deepStrictEqual(yield* offered, everything)
      }).pipe(logged(log))
    },
  )

  it.effect("are checked once more after an upgrade, which is logged", () => {
    const log: Array<string> = []
    return Effect.gen(function* () {
      const { node, offered, pass, state } = yield* scene()
      yield* offered
      const before = checksOf(node)
      yield* pass("7 minutes")
      assert.strictEqual(checksOf(node) - before, 1)
      state.implementation = 2
      yield* pass("7 minutes")
      assert.strictEqual(checksOf(node) - before, 3)
      assert.strictEqual(log.length, 2)
      for (const line of log) assert.match(line, /^Error .*upgraded/u)
      assert.deepStrictEqual(yield* offered, everything)
    }).pipe(logged(log))
  })
})

describe("a token that failed its check", () => {
  it.effect("S27: is checked again within 15 s, alone, until it passes", () =>
    Effect.gen(function* () {
      const { node, offered, offers, rest, state } = yield* scene()
      assert.deepStrictEqual(yield* offered, everything)
      /** Whether it is offered before so many seconds pass. */
      const isBackWithin = Effect.fnUntraced(function* (seconds: number) {
        for (let passed = 1; passed <= seconds; passed++) {
          yield* TestClock.adjust("1 second")
          yield* rest
          if ((yield* offered).length === everything.length) return true
        }
        return false
      })
      yield* TestClock.adjust("1 minute")
      const before = checksOf(node)
      // The pause begins and ends between two checks; a payer's refusal shows it.
      state.paused.add(usdc)
      yield* offers.recheck(usdc.token)
      assert.deepStrictEqual(yield* offered, [Eip155.formatToken(eurc.token)])
      const first = node.asked.length
      assert.isFalse(yield* isBackWithin(30))
      const looks = node.asked.slice(first).flat()
      assert.isAbove(looks.length, 0)
      assert.isFalse(JSON.stringify(looks).includes(eurc.token.address.slice(2)))
      state.paused.clear()
      assert.isTrue(yield* isBackWithin(15))
      // Nothing more is asked then.
      const after = checksOf(node)
      assert.isAbove(after, before + 2)
      yield* TestClock.adjust("1 minute")
      yield* rest
      assert.strictEqual(checksOf(node), after)
    }).pipe(logged([])),
  )
})

describe("a recheck of a token", () => {
  it.effect("checks only that token, immediately", () =>
    Effect.gen(function* () {
      const { node, offered, offers, state } = yield* scene()
      yield* offered
      state.paused.add(usdc)
      state.paused.add(eurc)
      yield* TestClock.adjust("1 minute")
      yield* offers.recheck(usdc.token)
      assert.deepStrictEqual(yield* offered, [Eip155.formatToken(eurc.token)])
      assert.strictEqual(checksOf(node), 2)
    }).pipe(logged([])),
  )

  it.effect("is skipped if the token was checked a moment ago", () =>
    Effect.gen(function* () {
      const { node, offered, offers } = yield* scene()
      yield* offered
      yield* offers.recheck(usdc.token)
      assert.strictEqual(checksOf(node), 1)
      yield* TestClock.adjust("1 minute")
      yield* Effect.all(
        Array.from({ length: 20 }, () => offers.recheck(usdc.token)),
        { concurrency: "unbounded" },
      )
      assert.strictEqual(checksOf(node), 2)
    }),
  )

  it.effect("is done within 15 s, once, if it comes right after a check", () =>
    Effect.gen(function* () {
      const { node, offered, offers, rest, state } = yield* scene()
      yield* offered
      yield* TestClock.adjust("1 second")
      state.paused.add(usdc)
      yield* offers.recheck(usdc.token)
      yield* offers.recheck(usdc.token)
      assert.strictEqual(checksOf(node), 1)
      for (let passed = 1; passed <= 15; passed++) {
        yield* TestClock.adjust("1 second")
        yield* rest
      }
      assert.deepStrictEqual(yield* offered, [Eip155.formatToken(eurc.token)])
      assert.strictEqual(checksOf(node), 2)
    }).pipe(logged([])),
  )

  it.effect("changes nothing if the node does not respond", () =>
    Effect.gen(function* () {
      const { node, offered, offers } = yield* scene()
      yield* offered
      node.answer(down)
      yield* TestClock.adjust("1 minute")
      yield* offers.recheck(usdc.token)
      assert.deepStrictEqual(yield* offered, everything)
    }),
  )

  it.effect("sends no request for a token that the service does not serve", () =>
    Effect.gen(function* () {
      const { node, offered, offers } = yield* scene()
      yield* offered
      yield* TestClock.adjust("1 minute")
      yield* offers.recheck({ chainId, address: Eip155.permit2Address })
      yield* offers.recheck({ ...usdc.token, chainId: Eip155.chainId(1) })
      assert.strictEqual(checksOf(node), 1)
    }),
  )
})

/** The adapter of Base with this node, for some accounts. */
const chainWith = Effect.fnUntraced(function* (
  state: State,
  accounts: Parameters<typeof Evm.layer>[0][number]["accounts"],
) {
  const node = yield* Node.make(nodeOf(state))
  const { url } = node
  const options = { chainId: 8453, rpcUrls: [url], trustOneNode: true, answerWithinInMs: neverInMs }
  const context = yield* Layer.build(Evm.layer([{ ...options, accounts }]))
  return { node, chain: Context.get(context, Chain) }
})

describe("a refused payment attempt", () => {
  it.effect("rechecks its token", () =>
    Effect.gen(function* () {
      const state: State = { paused: new Set(), poor: new Set(), implementation: 1 }
      const accounts = Link.collecting.map(({ privateKey }) => privateKeyToAccount(hex(privateKey)))
      const { chain, node } = yield* chainWith(state, accounts)
      const account = Wallet.make(1).account(chainId)
      const attempt = {
        option: {
          paymentId: PaymentId.PaymentId.make("pay_doubt"),
          account,
          accountText: Eip155.formatAccount(account),
          token: usdc.token,
          flow: "eip3009" as const,
          quantity: Money.Quantity.make(5n),
          fixedFee: Money.zero,
          payTo: Link.collecting[0]?.address ?? assert.fail(),
          issuedAt: 0,
          expiresAt: 300,
        },
        // What the wallet of another flow would hand in, which is refused whatever the node says.
        outputs: { _tag: "Sent" as const, txHash: "0x", signature: "0x" },
      }
      assert.deepStrictEqual(
        (yield* chain.offered).map(({ asset }) => asset),
        assets,
      )
      state.paused.add(usdc)
      yield* TestClock.adjust("1 minute")
      const refused = yield* Effect.flip(chain.verify(attempt))
      assert.strictEqual(refused._tag, "AttemptRefused")
      yield* settle(node)
      assert.deepStrictEqual(
        (yield* chain.offered).map(({ asset }) => asset),
        [eurc],
      )
    }).pipe(logged([])),
  )
})

describe("the service's accounts", () => {
  it.effect("S30: include the accounts that drain", () =>
    Effect.gen(function* () {
      const accounts = Link.collecting.map(({ privateKey }, index) => ({
        ...privateKeyToAccount(hex(privateKey)),
        isDraining: index > 0,
      }))
      const state: State = { paused: new Set(), poor: new Set(), implementation: 1 }
      const { chain } = yield* chainWith(state, accounts)
      assert.deepStrictEqual(
        chain.accounts,
        Link.collecting.map(({ address }) => ({ chainId, address })),
      )
    }),
  )
})

describe("several chains", () => {
  it.effect(
    "are offered together, and a chain that does not respond does not delay the others",
    () =>
      Effect.gen(function* () {
        const well = yield* Node.make(
          nodeOf({ paused: new Set(), poor: new Set(), implementation: 1 }),
        )
        const ill = yield* Node.make(down)
        const ethereum = Eip155.chainId(1)
        const options = {
          accounts: Link.collecting.map(({ address }) => ({ address })),
          trustOneNode: true,
        }
        const context = yield* Layer.build(
          Evm.layer([
            { chainId: 1, rpcUrls: [ill.url], ...options },
            { chainId: 8453, rpcUrls: [well.url], ...options },
          ]),
        )
        const chain = Context.get(context, Chain)
        assert.deepStrictEqual(
          (yield* chain.offered).map(({ asset }) => asset),
          assets,
        )
        assert.deepStrictEqual(
          (yield* chain.faults).map(({ token }) => token),
          Catalog.assetsOf(BuiltIn.catalog, ethereum).map(({ token }) => token),
        )
      }),
  )
})
