import { assert, layer } from "@effect/vitest"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Shares from "@florin/testing/Shares"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { toHex } from "viem/utils"
import * as ByHand from "../../test-support/byHand.ts"
import * as Lies from "../../test-support/lies.ts"
import * as Payers from "../../test-support/payers.ts"
import * as Shop from "../../test-support/shop.ts"

/** A shop on a chain with two nodes, of which one or both may lie. */
const make = Effect.gen(function* () {
  const liars: Array<Lies.Liar> = []
  const shop = yield* Shop.make({
    finality: "finalized",
    urlOf: (local) =>
      Effect.gen(function* () {
        const [first, second] = [yield* Lies.make(local), yield* Lies.make(local)]
        liars.push(first, second)
        return first.url
      }),
    evm: () => ({ rpcUrls: liars.map(({ url }) => Redacted.make(url)) }),
  })
  const [first = assert.fail(), second = assert.fail()] = liars
  return { ...shop, first, second }
})
type World = Effect.Success<typeof make>

class Pair extends Context.Service<Pair, World>()("@florin/evm/test/threats/nodes/Pair") {
  static readonly layer = Layer.effect(Pair, make)
}

const timeout = 240_000
const minuteInMs = 60_000
/** Longer than a wallet's own transfer is waited for. */
const nineDaysInMs = 9 * 24 * 60 * minuteInMs

/** What a lie is about: the collect of a payer who cannot pay any more, and that of one who does. */
interface Scene {
  readonly world: World
  readonly broke: Shop.Confirmed
  readonly honest: Shop.Confirmed
}

/** When a node begins to lie: once both have confirmed, once their collects are in a block, or before the payout. */
type Since = "confirm" | "block" | "payout"

const isBlock = Schema.is(Schema.Struct({ number: Schema.String, hash: Schema.String }))
const isAnswer = Schema.is(Schema.String)

/** What the attacker's collect should have moved. */
const claimed = ({ broke, world }: Scene): Transfer.Movement => ({
  token: broke.token,
  from: broke.payer.address,
  to: world.payTo(broke.id),
  quantity: Payers.price,
})

/** The receipts of what reverted say that it paid. */
const forging = (scene: Scene): Lies.Lie => Lies.paid(claimed(scene))

const otherHash = toHex(7, { size: 32 })
const asked = (params: ReadonlyArray<unknown>): string => JSON.stringify(params)
const selectors = { authorizationState: "e94a0102", balanceOf: "70a08231", transfer: "a9059cbb" }
const notThere = { error: { code: -32601, message: "the method does not exist" } }
/** As long as the answer of one view. */
const oneWord = 68
const farAhead = "0xffff"
/** Before any authorization of a test ends. */
const madeUpAtInS = 1_000

/** Every account holds all that there is. */
const wealthy: Lies.Lie = ({ method, params }, truth) =>
  method === "eth_call" &&
  asked(params).includes(selectors.balanceOf) &&
  isAnswer(truth) &&
  truth.length === oneWord
    ? { result: `0x01${"f".repeat(15).padStart(64, "0")}` }
    : undefined

/** Nothing is known of any transaction. */
const silence: Lies.Lie = ({ method }) =>
  method === "eth_getTransactionReceipt" || method === "eth_getTransactionByHash"
    ? { result: null }
    : undefined

/** Every lie that one of two nodes tells, from when on, and what it says. */
const lies: ReadonlyArray<{
  readonly of: string
  readonly since: Since
  readonly lie: (scene: Scene) => Lies.Lie
}> = [
  { of: "a receipt", since: "block", lie: forging },
  {
    of: "a log",
    since: "block",
    lie:
      () =>
      ({ method }, truth) =>
        method === "eth_getTransactionReceipt" && Lies.isReceipt(truth)
          ? {
              result: {
                ...truth,
                logs: truth.logs.map((log) => ({ ...log, data: toHex(1, { size: 32 }) })),
              },
            }
          : undefined,
  },
  {
    of: "a block's hash",
    since: "block",
    lie: (scene) => {
      let at = ""
      return ({ method }, truth) => {
        if (
          method === "eth_getTransactionReceipt" &&
          Lies.isReceipt(truth) &&
          truth.status === "0x0"
        ) {
          at = truth.blockNumber
          return { result: Lies.forged(claimed(scene), truth, otherHash) }
        }
        return method === "eth_getBlockByNumber" && isBlock(truth) && truth.number === at
          ? { result: { ...truth, hash: otherHash } }
          : undefined
      }
    },
  },
  {
    of: "a nonce",
    since: "confirm",
    lie:
      () =>
      ({ method }, truth) =>
        method === "eth_getTransactionCount" ? { result: toHex(Number(truth) + 3) } : undefined,
  },
  { of: "a balance", since: "payout", lie: () => wealthy },
  {
    of: "the height",
    since: "confirm",
    lie:
      () =>
      ({ method, params: [of] }) => {
        const isMadeUp = of === "latest" || of === "finalized" || of === farAhead
        return method === "eth_getBlockByNumber" && isMadeUp
          ? { result: { number: farAhead, hash: otherHash, timestamp: toHex(madeUpAtInS) } }
          : undefined
      },
  },
  {
    of: "the newest block, which it calls final",
    since: "confirm",
    lie: () => {
      let newest: unknown
      return ({ method, params: [of] }, truth) => {
        if (method !== "eth_getBlockByNumber") return undefined
        if (of === "latest") newest = truth
        return of === "finalized" && newest !== undefined ? { result: newest } : undefined
      }
    },
  },
  {
    of: "the chain's id",
    since: "confirm",
    lie:
      () =>
      ({ method }) =>
        method === "eth_chainId" ? { result: "0x2105" } : undefined,
  },
  {
    of: "logs, which it leaves out",
    since: "confirm",
    lie:
      () =>
      ({ method }) =>
        method === "eth_getLogs" ? { result: [] } : undefined,
  },
  {
    of: "fees",
    since: "confirm",
    lie:
      () =>
      ({ method }) =>
        method === "eth_maxPriorityFeePerGas" || method === "eth_feeHistory"
          ? { result: toHex(10n ** 18n) }
          : undefined,
  },
  {
    of: "code",
    since: "confirm",
    lie:
      () =>
      ({ method }, truth) =>
        method === "eth_getCode" ? { result: truth === "0x" ? "0x6080" : "0x" } : undefined,
  },
  {
    of: "a call's result, so that an authorization seems used",
    since: "confirm",
    lie:
      () =>
      ({ method, params }) => {
        if (method === "eth_getLogs") return notThere
        return method === "eth_call" && asked(params).includes(selectors.authorizationState)
          ? { result: toHex(1, { size: 32 }) }
          : undefined
      },
  },
  {
    of: "a call, which it says reverts",
    since: "payout",
    lie:
      () =>
      ({ method, params }) =>
        method === "eth_call" && asked(params).includes(selectors.transfer)
          ? { error: { code: 3, message: "execution reverted: the account is blocked" } }
          : undefined,
  },
  {
    of: "the final block, which it says is an old one",
    since: "confirm",
    lie: () => {
      let frozen: unknown
      return ({ method, params: [of] }, truth) => {
        if (method !== "eth_getBlockByNumber" || of !== "finalized") return undefined
        frozen ??= truth
        return { result: frozen }
      }
    },
  },
  { of: "transactions, all of which it hides", since: "block", lie: () => silence },
]

/** Two payments up to where the lie begins; the one that cannot be paid any more reverts in its block. */
const play = Effect.fnUntraced(function* (
  world: World,
  hand: ByHand.ByHand,
  since: Since,
  tell: (scene: Scene) => void,
) {
  const [broke, honest] = [yield* world.confirmed("eip3009"), yield* world.confirmed("eip3009")]
  const scene: Scene = { world, broke, honest }
  if (since === "confirm") tell(scene)
  yield* hand.round
  yield* world.local.block(broke.token.address, broke.payer.address, true)
  yield* world.local.mine(1)
  if (since === "block") tell(scene)
  if (since === "payout") {
    yield* world.local.mine(Shop.finality)
    yield* hand.pass(minuteInMs)
    yield* hand.due("collect")
    tell(scene)
  }
  return scene
})

layer(Pair.layer, { excludeTestServices: true, timeout })("one of two nodes that lies", (it) => {
  for (const { lie, of, since } of lies) {
    it.effect(`S2: about ${of}: succeeds, fails or pays out nothing wrongly`, () =>
      Effect.gen(function* () {
        const world = yield* Pair
        const hand = ByHand.make(world.florin)
        const { broke, honest } = yield* play(world, hand, since, (scene) =>
          world.first.tell(lie(scene)),
        )
        const both = [broke, honest]
        yield* world.follow(hand, both)
        world.first.tell(null)
        assert.deepStrictEqual(yield* world.halted, [])
        yield* world.finish(hand, both)
        // Delayed at most: what each payment came to is the truth.
        assert.strictEqual(yield* world.statusOf(broke.id), "failed")
        assert.strictEqual(yield* world.statusOf(honest.id), "succeeded")
        yield* world.agreed(both)
      }),
    )
  }

  it.effect(
    "S2: by silence about a wallet's own transfer does not make the service give it up",
    () =>
      Effect.gen(function* () {
        const world = yield* Pair
        const hand = ByHand.make(world.florin)
        const made = yield* world.confirmed("transfer")
        world.first.tell(silence)
        yield* hand.pass(nineDaysInMs)
        yield* hand.due("collect")
        assert.strictEqual(yield* world.statusOf(made.id), "processing")
        world.first.tell(null)
        yield* world.finish(hand, [made])
        assert.strictEqual(yield* world.statusOf(made.id), "succeeded")
        yield* world.agreed([made])
      }),
  )
})

layer(Pair.layer, { excludeTestServices: true, timeout })("the second of two nodes", (it) => {
  /** The payment waits while the second node is so, and ends well after it. */
  const isWaitedFor = Effect.fnUntraced(function* (lie: Lies.Lie) {
    const world = yield* Pair
    const hand = ByHand.make(world.florin)
    const made = yield* world.confirmed("eip3009")
    world.second.tell(lie)
    assert.isFalse(yield* world.follow(hand, [made]))
    assert.strictEqual(yield* world.statusOf(made.id), "processing")
    world.second.tell(null)
    yield* world.finish(hand, [made])
    assert.strictEqual(yield* world.statusOf(made.id), "succeeded")
    yield* world.agreed([made])
  })

  it.effect("S2: delays a payment while it is behind, and fails none", () =>
    isWaitedFor((call, truth) => {
      const { method } = call
      const isOld = method === "eth_getBlockByNumber" || method === "eth_getTransactionCount"
      return isOld ? undefined : silence(call, truth)
    }),
  )

  it.effect("S2: delays a payment while it does not respond", () => isWaitedFor(() => "unheard"))
})

/** More than all that the two of a scene pay. */
const others = 10n * Payers.price

/** Others' money, on the account that the attacker's collect should have paid. */
const addOthers = Effect.fnUntraced(function* ({ broke, world }: Scene) {
  const collecting = world.payTo(broke.id)
  yield* world.local.fund(broke.token.address, collecting, others)
  yield* Effect.promise(() =>
    world.florin.operator.float.put({
      mode: "live",
      key: "others",
      account: Eip155.formatAccount({ chainId: broke.token.chainId, address: collecting }),
      amount: { unit: `caip19/${Eip155.formatToken(broke.token)}`, value: String(others) },
    }),
  )
})

/** What has been paid out, whatever the nodes say. */
const paidOut = ({ broke, world }: Scene) =>
  Effect.map(
    world.local.request("eth_call", [
      {
        to: broke.token.address,
        data: `0x${selectors.balanceOf}${world.treasury.address.slice(2).padStart(64, "0")}`,
      },
      "latest",
    ]),
    Number,
  )

// What one node says alone of balances is above, and of all else both say the same here.
const shared = lies.filter(({ of }) => of !== "a balance")
for (const { lie, of, since } of shared) {
  layer(Pair.layer, { excludeTestServices: true, timeout })(
    `two nodes that both lie about ${of}`,
    (it) => {
      it.effect(
        "S2: pay out nothing of other merchants' money while they report balances truthfully",
        () =>
          Effect.gen(function* () {
            const world = yield* Pair
            const hand = ByHand.make(world.florin)
            const scene = yield* play(world, hand, since, (begun) => {
              for (const node of [world.first, world.second]) node.tell(lie(begun))
            })
            yield* addOthers(scene)
            for (let round = 0; round < 12; round++) {
              yield* hand.round
              yield* world.local.mine(1)
            }
            // What the honest payer paid at most.
            assert.isAtMost(yield* paidOut(scene), Number(world.netOf(Payers.price)))
          }),
      )
    },
  )
}

layer(Pair.layer, { excludeTestServices: true, timeout })("two nodes that both lie", (it) => {
  it.effect(
    "S2: pay out nothing of other merchants' money while one of them reports balances truthfully",
    () =>
      Effect.gen(function* () {
        const world = yield* Pair
        const hand = ByHand.make(world.florin)
        const { broke, honest } = yield* play(world, hand, "block", (scene) => {
          const forge = forging(scene)
          world.first.tell((call, truth) => forge(call, truth) ?? wealthy(call, truth))
          world.second.tell(forge)
        })
        yield* addOthers({ world, broke, honest })
        for (let round = 0; round < 12; round++) {
          yield* hand.round
          yield* world.local.mine(1)
        }
        const { state } = yield* world.stored(broke.id)
        // This lie nobody sees through; the money that it would take is others'.
        assert.strictEqual(state._tag, "Succeeded")
        const settled = yield* Effect.forEach([broke, honest], ({ id }) =>
          Effect.map(world.stored(id), (stored) =>
            stored.state._tag === "Succeeded" ? Shares.of(stored).status : null,
          ),
        )
        // What the other payer paid may be paid out, from where it lies: for whichever of the two is first.
        assert.isAtMost(settled.filter((each) => each === "paid").length, 1)
        assert.isAtMost(yield* paidOut({ world, broke, honest }), Number(world.netOf(Payers.price)))
      }),
  )
})
