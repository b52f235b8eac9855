import { assert, describe, it, layer } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Chain } from "@florin/core/ports/Chain"
import * as Wallet from "@florin/testing/Wallet"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { privateKeyToAccount } from "viem/accounts"
import * as Evm from "../src/Evm.ts"
import * as Rpc from "../src/node/Rpc.ts"
import { hex } from "../src/read/Queries.ts"
import * as ByHand from "../test-support/byHand.ts"
import * as Locals from "../test-support/locals.ts"
import * as Node from "../test-support/node.ts"
import * as Shop from "../test-support/shop.ts"

const accounts = [privateKeyToAccount(hex(Wallet.make(1).privateKey))]
const urls = (...texts: ReadonlyArray<string>) => texts.map((text) => Redacted.make(text))

const starting = (options: Partial<Evm.Options>) =>
  Effect.scoped(
    Layer.build(
      Evm.layer([{ chainId: 8453, rpcUrls: urls("https://a.example/k"), accounts, ...options }]),
    ),
  )

/** A node of this machine that says what it is. */
const calling = (version: string) =>
  Node.make((calls) =>
    Node.json(
      Node.answersOf(Eip155.chainId(8453), calls, ({ method }) =>
        method === "web3_clientVersion" ? { result: version } : undefined,
      ),
    ),
  )

describe("Hosts", () => {
  it("S2: are distinguished by name, and on this machine by port", () => {
    for (const [count, ...texts] of [
      [1, "https://a.example/one", "https://a.example:8443/two", "https://A.example./three"],
      [2, "https://a.example/k", "https://b.example/k"],
      [1, "http://localhost:8545", "http://127.0.0.1:8545/", "http://[::1]:8545"],
      [2, "http://localhost:8545", "http://127.0.0.1:8546"],
    ] as const) {
      assert.strictEqual(Rpc.countHosts(urls(...texts)), count, texts.join())
    }
  })
})

describe("a chain whose nodes are all on one host", () => {
  it.live("S2: does not start, and says what to do", () =>
    Effect.gen(function* () {
      const geth = yield* calling("Geth/v1.16")
      for (const rpcUrls of [
        urls("https://a.example/k"),
        urls("https://a.example/k", "https://a.example/other"),
        [geth.url],
      ]) {
        const refused = yield* Effect.flip(starting({ rpcUrls }))
        assert.strictEqual(refused._tag, "InvalidChain")
        assert.match(refused.message, /^chain 8453 has nodes of one host only, and two nodes/u)
        assert.include(refused.message, "8453.trustOneNode=true")
        assert.notInclude(refused.message, "a.example")
      }
    }),
  )

  it.live("S2: starts if one host is trusted, on test networks and on local chains", () =>
    Effect.gen(function* () {
      const anvil = yield* calling("anvil/v1.4")
      yield* starting({ trustOneNode: true })
      yield* starting({ chainId: 84532 })
      yield* starting({ rpcUrls: [anvil.url] })
      yield* starting({ rpcUrls: urls("https://a.example/k", "https://b.example/k") })
    }),
  )

  it.live("S2: makes no decisions until its node on this machine reports that it is local", () =>
    Effect.gen(function* () {
      const node = yield* Node.make(() => "cut")
      const chain = Context.get(
        yield* Layer.build(Evm.layer([{ chainId: 8453, rpcUrls: [node.url], accounts }])),
        Chain,
      )
      node.answer((calls) =>
        Node.json(
          Node.answersOf(Eip155.chainId(8453), calls, ({ method }) => {
            if (method === "eth_chainId") return undefined
            return { result: method === "web3_clientVersion" ? "Geth/v1.16" : "0x1" }
          }),
        ),
      )
      const lane = { chainId: Eip155.chainId(8453), sender: Wallet.make(1).address }
      const refused = yield* Effect.flip(chain.nonceFloor(lane, "agreed"))
      assert.include(refused.message, "add a node of another host")
    }),
  )
})

/** A shop with two honest nodes, of which the second is counted. */
const make = Effect.gen(function* () {
  const nodes: Array<Node.Node> = []
  const shop = yield* Shop.make({
    finality: Shop.finality,
    urlOf: (local) =>
      Effect.gen(function* () {
        nodes.push(yield* Locals.inFrontOf(local), yield* Locals.inFrontOf(local))
        return local.rpcUrl
      }),
    evm: () => ({ rpcUrls: nodes.map(({ url }) => url) }),
  })
  const [, second = assert.fail()] = nodes
  let seen = 0
  /** What the second node was asked since the last time, but for whether it is there and what it lacks. */
  const asked = Effect.sync(() => {
    const since = second.asked.slice(seen)
    seen = second.asked.length
    return since
      .map((calls) =>
        calls
          .filter(({ method }) => method !== "eth_chainId")
          .map(({ method, params }) => `${method}:${String(params[0])}`),
      )
      .filter(
        ([first = "", ...more]) =>
          more.length > 0 || !/^eth_getBlockByNumber:latest|^eth_getLogs/u.test(first),
      )
  })
  return { ...shop, asked }
})
class Counted extends Context.Service<Counted, Effect.Success<typeof make>>()(
  "@florin/evm/test/Agreement/Counted",
) {
  static readonly layer = Layer.effect(Counted, make)
}

layer(Counted.layer, { excludeTestServices: true, timeout: 240_000 })(
  "the second of two honest nodes",
  (test) => {
    test.effect(
      "S2: is asked only before decisions: twice for finality, once before a payout",
      () =>
        Effect.gen(function* () {
          const shop = yield* Counted
          const { asked, local } = shop
          const hand = ByHand.make(shop.florin)
          const round = hand.due("collect", "settle", "send")
          const first = yield* shop.order("eip3009")
          yield* asked
          // Options, the confirm and the status.
          const made = yield* shop.confirm(first)
          assert.strictEqual(yield* shop.statusOf(made.id), "processing")
          assert.deepStrictEqual(yield* asked, [])
          yield* round
          const methods = (requests: ReadonlyArray<ReadonlyArray<string>>) =>
            requests.map((calls) => calls.map((call) => call.split(":")[0]))
          assert.deepStrictEqual(methods(yield* asked), [["eth_sendRawTransaction"]])
          yield* local.mine(1)
          yield* hand.pass(60_000)
          yield* hand.due("collect")
          assert.deepStrictEqual(yield* asked, [])
          yield* local.mine(Shop.finality)
          yield* hand.pass(60_000)
          yield* hand.due("collect")
          assert.strictEqual(yield* shop.statusOf(made.id), "succeeded")
          const finality = yield* asked
          assert.strictEqual(finality.length, 2)
          yield* hand.pass(60_000)
          yield* hand.due("settle", "send")
          // What it holds now and in the final block, once; and the bytes, which go to every node as often as they go out.
          const [balance, ...sent] = methods(yield* asked)
          assert.deepStrictEqual(balance, ["eth_call", "eth_call"])
          assert.deepStrictEqual([...new Set(sent.flat())], ["eth_sendRawTransaction"])
          yield* shop.finish(hand, [made])
          yield* shop.agreed([made])
        }),
    )
  },
)
