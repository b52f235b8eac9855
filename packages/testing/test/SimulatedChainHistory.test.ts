import { assert, describe, it } from "@effect/vitest"
import type * as Asset from "@florin/core/domain/chain/Asset"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type * as Lane from "@florin/core/domain/outflow/Lane"
import * as Payment from "@florin/core/domain/payment/Payment"
import { Chain } from "@florin/core/ports/Chain"
import { evidenceOf, tag, timeout } from "@florin/testing/chain/Scene"
import * as Counts from "@florin/testing/Counts"
import { kit } from "@florin/testing/Eip155Kit"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Delivery from "@florin/testing/simulated/Delivery"
import { collectingWallets, SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"

const chainId = Eip155.chainId(1)
const assetOf = (symbol: string): Asset.Asset =>
  Catalog.assetsOf(BuiltIn.catalog, chainId).find((asset) => asset.symbol === symbol) ??
  assert.fail(symbol)
const tokenOf = (symbol: string): Caip.Token => assetOf(symbol).token
const [relayer = assert.fail()] = collectingWallets
const lane: Lane.Lane = { chainId, sender: relayer.address }
const stranger = Wallet.make(77).address
const price = Money.Quantity.make(1_000_000n)
const finalityDepth = 2
const nowInS = Math.floor(Fixtures.now / 1000)

/** Payers who signed before anything else happened; the last one sends the money itself. */
const payers = (["USDC", "PYUSD", "USDT", "USDC"] as const).map((symbol, index) => {
  const wallet = Wallet.make(100 + index)
  const account = wallet.account(chainId)
  const asset = assetOf(symbol)
  const option: PaymentOption.PaymentOption = {
    paymentId: PaymentId.PaymentId.make(`pay_history${index}`),
    account,
    accountText: Eip155.formatAccount(account),
    token: asset.token,
    flow: index === 3 ? "transfer" : symbol === "USDT" ? "permit2" : "eip3009",
    quantity: price,
    fixedFee: Money.zero,
    payTo: relayer.address,
    issuedAt: nowInS,
    expiresAt: nowInS + 300,
  }
  return { wallet, option, signature: kit.signature(wallet, { asset, option }) }
})

const signer = Schema.Literals([0, 1, 2])
const strangers = Schema.Literals([0, 1])

/** What can happen to a chain, a lane and four payers. */
const Happening = Schema.TaggedUnion({
  /** Our transaction is signed and stored, and not sent: as before a crash. */
  Sign: { payer: signer },
  Broadcast: { payer: signer },
  /** Another one hands in the authorization. */
  FrontRun: { payer: strangers },
  Revoke: { payer: strangers },
  /** The wallet of the last payer sends its transfer, once. */
  Pay: {},
  /** Something else sends from our account. */
  Foreign: {},
  Mine: { blocks: Schema.Literals([1, 2, 3]) },
  Reorg: { depth: Schema.Literals([1, 2]), drop: Schema.Boolean },
  Forget: { payer: signer },
  Pass: { seconds: Schema.Literals([1, 250]) },
  Look: { payer: Schema.Literals([0, 1, 2, 3]) },
})
type Happening = typeof Happening.Type

interface Reader {
  readonly style: Delivery.Style
  /** How many of a thousand calls fail. */
  readonly perMille: number
}

const isForGood = (observation: Transfer.Observation): boolean =>
  observation._tag === "Final" || observation._tag === "Impossible"

/** Lives through a history as one reader sees it; answers what the reader ends with, and the world itself. */
const live = Effect.fnUntraced(function* (
  history: ReadonlyArray<Happening>,
  { style, perMille }: Reader,
) {
  const chain = yield* Chain
  const world = yield* SimulatedChain
  yield* world.deliver(style)
  yield* world.disturb({ seed: 1, perMille })
  /** Everything may be asked again. */
  const insist = <A, E>(call: Effect.Effect<A, E>) => Effect.retry(call, { times: 200 })

  for (const { option, wallet } of payers) {
    yield* world.mint(option.token, wallet.address, 2n * price)
    yield* world.setAllowance(option.token, wallet.address, price)
  }
  yield* world.mint(tokenOf("USDC"), relayer.address, 100n)

  const relayed = new Map<number, Lane.Transaction>()
  const told = new Map<number, Transfer.Observation>()
  let nextNonce = 0
  let aheadInMs = 0
  let txHash = Fixtures.hash("never sent")

  const attemptOf = (index: number): Payment.Attempt => {
    const { option, signature } = payers[index] ?? assert.fail()
    return {
      option,
      outputs:
        option.flow === "transfer"
          ? { _tag: "Sent", txHash, signature }
          : { _tag: "Authorized", signature, approvals: [] },
      excludeFromRelayer: false,
      buyer: { accountText: option.accountText, providerName: null, providerIconUrl: null },
      confirmedAt: Fixtures.now,
      fingerprint: option.paymentId,
    }
  }
  const sign = Effect.fnUntraced(function* (index: number) {
    const earlier = relayed.get(index)
    if (earlier !== undefined) return earlier
    const nonce = Math.max(nextNonce, (yield* insist(chain.nonceFloor(lane))) ?? assert.fail())
    nextNonce = nonce + 1
    const order = { _tag: "Collect", attempt: attemptOf(index) } as const
    const signed = yield* insist(chain.sign(lane, nonce, order))
    relayed.set(index, signed)
    return signed
  })
  const look = Effect.fnUntraced(function* (index: number) {
    const attempt = attemptOf(index)
    const observation = yield* insist(
      chain.look({
        movement: Payment.movement(attempt),
        relayed: relayed.get(index) ?? null,
        attempt,
      }),
    )
    const before = told.get(index)
    if (before !== undefined) assert.deepStrictEqual(observation, before, "what was final stays")
    if (isForGood(observation)) told.set(index, observation)
    if (observation._tag === "Included" || observation._tag === "Final") {
      assert.deepStrictEqual(evidenceOf(observation).movement, Payment.movement(attempt))
    }
    return observation
  })

  const happen = Effect.fnUntraced(function* (happening: Happening) {
    switch (happening._tag) {
      case "Sign":
        return void (yield* sign(happening.payer))
      case "Broadcast":
        return yield* insist(chain.broadcast(yield* sign(happening.payer)))
      case "FrontRun": {
        const { option, signature } = payers[happening.payer] ?? assert.fail()
        return void (yield* world.submitAuthorization(option, signature, stranger))
      }
      case "Revoke": {
        const { option } = payers[happening.payer] ?? assert.fail()
        return void (yield* world.cancelAuthorization(option))
      }
      case "Pay": {
        if (txHash !== Fixtures.hash("never sent")) return
        const { option } = payers[3] ?? assert.fail()
        txHash = yield* world.transfer(option.account.address, option.token, option.payTo, price)
        return
      }
      case "Foreign": {
        const one = Money.Quantity.make(1n)
        return void (yield* world.transfer(relayer.address, tokenOf("USDC"), stranger, one))
      }
      case "Mine":
        return yield* world.mine(1, happening.blocks)
      case "Reorg":
        return yield* world.reorg(1, happening.depth, happening.drop ? { drop: "all" } : {})
      case "Forget":
        return yield* world.forget(1, relayed.get(happening.payer)?.hash ?? "")
      case "Pass": {
        aheadInMs += happening.seconds * 1000
        return yield* world.skew(1, aheadInMs)
      }
      case "Look":
        return void (yield* look(happening.payer))
    }
  })
  for (const happening of history) yield* happen(happening)

  // The storm is over: stored bytes go out again, and blocks come until every style has shown everything.
  for (const signed of relayed.values()) yield* insist(chain.broadcast(signed))
  const ends: Array<Transfer.Observation> = []
  for (const index of payers.keys()) {
    for (let round = 0; round < 10; round++) {
      yield* world.mine(1)
      yield* look(index)
    }
  }
  for (const index of payers.keys()) ends.push(yield* look(index))
  return { ends, mined: yield* world.history(1), balances: yield* world.balances }
})

const lives = (history: ReadonlyArray<Happening>, reader: Reader) =>
  Effect.provide(live(history, reader), SimulatedChain.layer({ blocks: "manual", finalityDepth }))

const histories = Arbitrary.array(Arbitrary.schema(Happening), { minLength: 1, maxLength: 40 })

describe("SimulatedChain, with one history shown in many ways", () => {
  it.effect.prop(
    "leads to the same end for every delivery order and for failing calls",
    [histories],
    ([history]) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Fixtures.now)
        const whole = yield* lives(history, { style: "whole", perMille: 0 })
        for (const style of Delivery.styles) {
          for (const perMille of [0, 300]) {
            const shown = yield* lives(history, { style, perMille })
            assert.deepStrictEqual(shown, whole, `${style}, ${perMille} ‰`)
          }
        }
      }),
    { arbitrary: { runs: Counts.of({ usual: 20, full: 2000 }) }, timeout },
  )

  it.effect("calls no transfer impossible before it has read every block that may contain it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Fixtures.now)
      const history: ReadonlyArray<Happening> = [
        { _tag: "Look", payer: 0 },
        { _tag: "Broadcast", payer: 0 },
        { _tag: "Mine", blocks: 1 },
        { _tag: "Pass", seconds: 250 },
        { _tag: "Pass", seconds: 250 },
        { _tag: "Pass", seconds: 250 },
        { _tag: "Mine", blocks: 3 },
        { _tag: "Look", payer: 0 },
      ]
      for (const style of Delivery.styles) {
        const { ends } = yield* lives(history, { style, perMille: 0 })
        assert.deepStrictEqual(ends.map(tag), ["Final", "Impossible", "Impossible", "Unseen"])
      }
    }),
  )

  it.effect.prop(
    "neither creates nor loses money, and uses no authorization twice",
    [histories],
    ([history]) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Fixtures.now)
        const { mined, balances, ends } = yield* lives(history, { style: "whole", perMille: 0 })
        const sums = new Map<string, bigint>()
        for (const { token, quantity } of balances) {
          sums.set(token.address, (sums.get(token.address) ?? 0n) + quantity)
        }
        assert.strictEqual(sums.get(tokenOf("USDC").address), 4n * price + 100n)
        assert.strictEqual(sums.get(tokenOf("PYUSD").address), 2n * price)
        assert.strictEqual(sums.get(tokenOf("USDT").address), 2n * price)

        const used = mined.flatMap(({ authorization }) => authorization ?? [])
        assert.strictEqual(new Set(used).size, used.length)
        const nonces = mined
          .filter(({ transaction }) => transaction.sender === relayer.address)
          .map(({ transaction }) => transaction.nonce)
        assert.deepStrictEqual(
          nonces,
          nonces.map((_, index) => index),
        )
        const paid = mined.flatMap(({ logs }) => logs.filter(({ to }) => to === relayer.address))
        assert.strictEqual(paid.length, ends.filter((end) => tag(end) === "Final").length)
      }),
    { arbitrary: { runs: Counts.of({ usual: 100, full: 20_000 }) }, timeout },
  )
})

describe("SimulatedChain, in the order in which nodes show blocks", () => {
  /** What a reader is told of a payment when some blocks come, then it looks so often, and so on. */
  const tale = Effect.fnUntraced(function* (style: Delivery.Style, blocks: number, looks: number) {
    const chain = yield* Chain
    const world = yield* SimulatedChain
    yield* world.deliver(style)
    yield* world.mint(tokenOf("USDC"), relayer.address, price)
    const movement: Transfer.Movement = {
      token: tokenOf("USDC"),
      from: relayer.address,
      to: stranger,
      quantity: price,
    }
    const relayed = yield* chain.sign(lane, 0, { _tag: "Send", movement })
    const look = Effect.map(chain.look({ movement, relayed, attempt: null }), tag)
    const heard = [yield* look]
    yield* chain.broadcast(relayed)
    for (let count = 0; heard.at(-1) !== "Final" && count < 20; count++) {
      if (count % looks === 0) yield* world.mine(1, blocks)
      heard.push(yield* look)
    }
    return heard.map((each) => each.charAt(0)).join("")
  })
  const told = (style: Delivery.Style, blocks: number, looks: number) =>
    Effect.provide(
      tale(style, blocks, looks),
      SimulatedChain.layer({ blocks: "manual", finalityDepth }),
    )

  /** One letter for each answer: Unseen, Included, Final. */
  interface Tales {
    readonly lookPerBlock: string
    readonly twoLooksPerBlock: string
    readonly lookPerFourBlocks: string
  }
  const tales: { readonly [Style in Delivery.Style]: Tales } = {
    whole: { lookPerBlock: "UIIF", twoLooksPerBlock: "UIIIIF", lookPerFourBlocks: "UF" },
    "tip-first": { lookPerBlock: "UUIF", twoLooksPerBlock: "UUIIIF", lookPerFourBlocks: "UUF" },
    "blocks-first": { lookPerBlock: "UIIF", twoLooksPerBlock: "UIIIIF", lookPerFourBlocks: "UIF" },
    skipping: { lookPerBlock: "UUUF", twoLooksPerBlock: "UUUUUF", lookPerFourBlocks: "UF" },
    duplicated: { lookPerBlock: "UUIIF", twoLooksPerBlock: "UUIIIIF", lookPerFourBlocks: "UUF" },
    lagging: { lookPerBlock: "UUUIIF", twoLooksPerBlock: "UUUUUIIIIF", lookPerFourBlocks: "UIF" },
    flapping: { lookPerBlock: "UUIIF", twoLooksPerBlock: "UUIUIIF", lookPerFourBlocks: "UIF" },
  }
  for (const style of Delivery.styles) {
    it.effect(
      `with "${style}", shows a transfer as unseen, as included and as final when a reader expects it`,
      () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(
            {
              lookPerBlock: yield* told(style, 1, 1),
              twoLooksPerBlock: yield* told(style, 1, 2),
              lookPerFourBlocks: yield* told(style, 4, 1),
            },
            tales[style],
          )
        }),
    )
  }
})
