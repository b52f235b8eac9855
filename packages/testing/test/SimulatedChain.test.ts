import { assert, describe, it } from "@effect/vitest"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Money from "@florin/core/domain/ground/Money"
import type * as Lane from "@florin/core/domain/outflow/Lane"
import { Chain } from "@florin/core/ports/Chain"
import { begin, evidenceOf, failsWith, price, tag, walletOf } from "@florin/testing/chain/Scene"
import * as ChainSuite from "@florin/testing/ChainSuite"
import { kit } from "@florin/testing/Eip155Kit"
import * as Fixtures from "@florin/testing/Fixtures"
import * as NonceSuite from "@florin/testing/NonceSuite"
import * as Faults from "@florin/testing/simulated/Faults"
import * as Harness from "@florin/testing/simulated/Harness"
import { collectingWallets, type Options, SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

for (const finalityDepth of [1, 3]) {
  ChainSuite.suite(`simulated, final after ${finalityDepth}`, Harness.layer({ finalityDepth }))
  NonceSuite.suite(
    `simulated, final after ${finalityDepth}`,
    Harness.layer({ finalityDepth, outbidAfterInMs: 20_000 }),
  )
}

const ethereum = Eip155.chainId(1)
const optimism = Eip155.chainId(10)
const assetOf = (symbol: string, chainId: Caip.ChainId = ethereum): Asset.Asset =>
  Catalog.assetsOf(BuiltIn.catalog, chainId).find((each) => each.symbol === symbol) ??
  assert.fail(`no ${symbol}`)
const usdc = assetOf("USDC").token
const usdt = assetOf("USDT").token
const unusedWallet = () => walletOf(kit)

/** Both faces of a world of its own, in the test clock's time from a plausible day on. */
const worldOf = Effect.fnUntraced(function* (options: Options = {}) {
  yield* TestClock.setTime(Fixtures.now)
  const { chain, world } = yield* Effect.provide(
    Effect.all({ chain: Chain, world: SimulatedChain }),
    SimulatedChain.layer(options),
  )
  return { chain, world }
})

const sceneOf = Effect.fnUntraced(function* (options: Options = {}) {
  yield* TestClock.setTime(Fixtures.now)
  return yield* Effect.provide(
    Effect.all({ scene: begin, world: SimulatedChain }),
    Harness.layer(options),
  )
})

/** What an account lets the contract take through which we collect, as the port shows it. */
const allowanceOf = Effect.fnUntraced(function* (
  chain: Chain["Service"],
  account: Caip.Account,
  token: Caip.Token,
) {
  const offered = yield* chain.offered
  const assets = offered.filter(({ asset }) => Caip.sameToken(asset.token, token))
  const [holding] = yield* chain.holdings([{ account, accountText: "" }], assets)
  return holding?.allowance
})

const [relayer = assert.fail()] = collectingWallets
const lane: Lane.Lane = { chainId: ethereum, sender: relayer.address }

const movementTo = (to: Caip.Address, quantity: Money.Quantity = price): Transfer.Movement => ({
  token: usdc,
  from: relayer.address,
  to,
  quantity,
})

const seek = (movement: Transfer.Movement, relayed: Lane.Transaction) => ({
  movement,
  relayed,
  attempt: null,
})

describe("SimulatedChain, offers", () => {
  it.effect("include every asset of the table on every network", () =>
    Effect.gen(function* () {
      const { chain } = yield* worldOf()
      const offered = yield* chain.offered
      assert.deepStrictEqual(
        offered.map(({ asset, flows: [flow, ...more] }) => ({ asset, flow, more })),
        BuiltIn.catalog.assets.map((asset) => ({ asset, flow: asset.flow, more: [] })),
      )
      for (const { asset, minimum, etaInS, collectingAccounts } of offered) {
        assert.strictEqual(minimum, 0n)
        assert.strictEqual(etaInS, BuiltIn.catalog.network(asset.token.chainId)?.etaInS)
        assert.deepStrictEqual(
          collectingAccounts,
          collectingWallets.map(({ address }) => address),
        )
      }
    }),
  )

  it.effect("are limited by the options", () =>
    Effect.gen(function* () {
      const both: PaymentOption.Flows = ["permit2", "transfer"]
      const { chain } = yield* worldOf({
        flow: (asset) => (asset.symbol === "USDT" ? both : asset.flow),
        minimum: (asset) => Money.Quantity.make(10n ** BigInt(asset.decimals)),
        collectingAccounts: (chainId) => (chainId === ethereum ? [relayer.address] : []),
      })
      for (const { asset, flows, minimum, collectingAccounts } of yield* chain.offered) {
        assert.deepStrictEqual(flows, asset.symbol === "USDT" ? both : [asset.flow])
        assert.strictEqual(minimum, 10n ** BigInt(asset.decimals))
        assert.strictEqual(collectingAccounts.length, asset.token.chainId === ethereum ? 1 : 0)
      }
    }),
  )

  it.effect(
    "start with a balance for unseen accounts in each token's own units, but not for its own accounts",
    () =>
      Effect.gen(function* () {
        const { chain, world } = yield* worldOf({ unseenBalance: 1000, blocks: "instant" })
        const payer = unusedWallet()
        for (const asset of BuiltIn.catalog.assets) {
          const held = yield* chain.balance(asset.token, payer.address)
          assert.strictEqual(held, 1000n * 10n ** BigInt(asset.decimals))
          assert.strictEqual(yield* chain.balance(asset.token, relayer.address), 0n)
        }
        yield* world.transfer(payer.address, usdc, relayer.address, Money.Quantity.make(1n))
        assert.strictEqual(yield* chain.balance(usdc, payer.address), 999_999_999n)
        assert.strictEqual(yield* chain.balance(usdc, relayer.address), 1n)
        assert.deepStrictEqual(
          new Set((yield* world.balances).map(({ quantity }) => quantity)),
          new Set([999_999_999n, 1n]),
        )
      }),
  )

  it.effect("fail for a chain that it does not simulate", () =>
    Effect.gen(function* () {
      const { chain, world } = yield* worldOf()
      const foreign = { chainId: Fixtures.chainId, address: usdc.address }
      const error = yield* failsWith(chain.balance(foreign, relayer.address), "ChainUnavailable")
      assert.strictEqual(error.chainId, Fixtures.chainId)
      yield* failsWith(
        world.transfer(relayer.address, foreign, relayer.address, price),
        "WalletRefused",
      )
      yield* world.mint(foreign, relayer.address, 1n)
      assert.strictEqual(yield* world.balanceOf(foreign, relayer.address), 0n)
      assert.isUndefined(yield* world.head(Fixtures.chainId))
      assert.deepStrictEqual(yield* world.history(Fixtures.chainId), [])
      assert.deepStrictEqual(yield* world.pending(Fixtures.chainId), [])
    }),
  )
})

describe("SimulatedChain, quirks of tokens", () => {
  for (const symbol of ["PYUSD", "USDG", "USDC"]) {
    const paxos = symbol !== "USDC"
    it.effect(
      `${symbol} responds to a used authorization with ${paxos ? "no error" : "a revert"}`,
      () =>
        Effect.gen(function* () {
          const { scene, world } = yield* sceneOf()
          const { token } = assetOf(symbol)
          yield* world.mint(token, scene.payer.address, 10n * price)
          const attempt = yield* scene.attempted("direct", { token })
          yield* world.cancelAuthorization(attempt.option)
          const relayed = yield* scene.sent({ _tag: "Collect", attempt })
          yield* world.mine(1)
          const mined = (yield* world.history(1)).find(({ hash }) => hash === relayed.hash)
          assert.strictEqual(mined?.succeeded, paxos)
          assert.deepStrictEqual(mined?.logs, [])
          assert.strictEqual(tag(yield* scene.look(attempt, relayed)), "Unseen")
          yield* scene.settle
          assert.strictEqual(tag(yield* scene.look(attempt, relayed)), "Impossible")
          yield* failsWith(scene.chain.verify(attempt), "AttemptRefused")
          assert.strictEqual(yield* scene.held(scene.payTo, token), 0n)
        }),
    )
  }

  it.effect("Ethereum's USDT refuses to raise an allowance that is not zero", () =>
    Effect.gen(function* () {
      const { scene, world } = yield* sceneOf()
      const { payer, chain } = scene
      const account = payer.account(1)
      const approve = Effect.fnUntraced(function* (quantity: bigint) {
        const data = Actions.approveData(Eip155.permit2Address, Money.Quantity.make(quantity))
        yield* world.node.send(
          { chainId: ethereum, from: payer.address, to: usdt.address, data },
          payer,
        )
        yield* world.mine(1)
        return yield* allowanceOf(chain, account, usdt)
      })
      assert.strictEqual(yield* approve(1n), 1n)
      assert.strictEqual(yield* approve(5n), 1n)
      assert.strictEqual(yield* approve(0n), 0n)
      assert.strictEqual(yield* approve(5n), 5n)
      assert.strictEqual((yield* world.history(1)).filter(({ succeeded }) => !succeeded).length, 1)
    }),
  )

  it.effect("an unlimited allowance stays unlimited", () =>
    Effect.gen(function* () {
      const { scene, world } = yield* sceneOf()
      yield* world.setAllowance(usdt, scene.payer.address, Limits.maxQuantity)
      const attempt = yield* scene.attempted("allowed")
      yield* scene.sent({ _tag: "Collect", attempt })
      yield* scene.settle
      const account = scene.payer.account(1)
      assert.strictEqual(yield* allowanceOf(scene.chain, account, usdt), Limits.maxQuantity)
      assert.strictEqual(yield* scene.held(scene.payTo, usdt), price)
    }),
  )

  it.effect("only the payee can submit a permit", () =>
    Effect.gen(function* () {
      const { scene, world } = yield* sceneOf()
      const attempt = yield* scene.attempted("allowed")
      const { option, outputs } = attempt
      yield* world.submitAuthorization(option, outputs.signature, Wallet.make(9).address)
      yield* scene.settle
      assert.strictEqual(tag(yield* scene.look(attempt, null)), "Unseen")
      assert.strictEqual(yield* scene.held(scene.payTo, usdt), 0n)
    }),
  )

  it.effect(
    "a transfer fee makes the transfer smaller, so that it is not the payment's transfer",
    () =>
      Effect.gen(function* () {
        const { scene, world } = yield* sceneOf()
        yield* world.setTransferFee(usdt, 10)
        const attempt = yield* scene.attempted("allowed")
        const relayed = yield* scene.sent({ _tag: "Collect", attempt })
        yield* world.mine(1)
        assert.strictEqual(tag(yield* scene.look(attempt, relayed)), "Unseen")
        yield* scene.settle
        const observation = yield* scene.look(attempt, relayed)
        assert.deepInclude(observation, { _tag: "Impossible", txHash: relayed.hash })
        assert.strictEqual(yield* scene.held(scene.payTo, usdt), (price * 999n) / 1000n)
        const { option } = attempt
        const late = yield* scene.chain.lookLate({ txHash: relayed.hash, option })
        assert.strictEqual(tag(late), "Final")
        assert.strictEqual(evidenceOf(late).movement.quantity, (price * 999n) / 1000n)
        yield* world.setTransferFee(usdt, 0)
        const next = yield* scene.attempted("allowed")
        const again = yield* scene.sent({ _tag: "Collect", attempt: next })
        yield* scene.settle
        assert.strictEqual(tag(yield* scene.look(next, again)), "Final")
      }),
  )

  it.effect("a counterfeit token moves and logs like any other, and pays no payment", () =>
    Effect.gen(function* () {
      const { scene, world } = yield* sceneOf()
      const fake = { chainId: ethereum, address: Fixtures.address("counterfeit") }
      yield* world.mint(fake, scene.payer.address, price)
      const option = yield* scene.optionOf("sent")
      const txHash = yield* world.transfer(scene.payer.address, fake, scene.payTo, price)
      yield* scene.settle
      assert.strictEqual((yield* world.history(1)).at(-1)?.logs.length, 1)
      assert.strictEqual(yield* scene.held(scene.payTo, fake), price)
      const signature = scene.signatureOf(scene.payer, option)
      const attempt = Fixtures.attemptOf(option, { _tag: "Sent", txHash, signature })
      yield* failsWith(scene.chain.verify(attempt), "AttemptRefused")
      assert.strictEqual(tag(yield* scene.look(attempt, null)), "Impossible")
      assert.strictEqual(tag(yield* scene.chain.lookLate({ txHash, option })), "Impossible")
    }),
  )

  it.effect("a signed transfer from another account moves nothing", () =>
    Effect.gen(function* () {
      const { scene, world } = yield* sceneOf()
      const movement = { ...(yield* scene.payout()), from: scene.payer.address }
      const relayed = yield* scene.sent({ _tag: "Send", movement })
      yield* scene.settle
      assert.strictEqual(tag(yield* scene.lookOwn(movement, relayed)), "Impossible")
      assert.strictEqual(yield* world.balanceOf(usdc, scene.payer.address), 10n * price)
    }),
  )

  it.effect("a paused token moves for no account, and other tokens still do", () =>
    Effect.gen(function* () {
      const { scene, world } = yield* sceneOf()
      const attempt = yield* scene.attempted("direct")
      yield* world.pause(usdc)
      yield* failsWith(scene.chain.verify(attempt), "AttemptRefused")
      yield* scene.chain.verify(yield* scene.attempted("allowed"))
      yield* world.unpause(usdc)
      yield* scene.chain.verify(attempt)
    }),
  )

  it.effect("an address can be blocked by every token in one call", () =>
    Effect.gen(function* () {
      const { scene, world } = yield* sceneOf()
      yield* world.block(scene.payer.address)
      for (const role of ["direct", "allowed"] as const) {
        yield* failsWith(scene.chain.verify(yield* scene.attempted(role)), "AttemptRefused")
      }
      yield* world.unblock(scene.payer.address)
      for (const role of ["direct", "allowed"] as const) {
        yield* scene.chain.verify(yield* scene.attempted(role))
      }
    }),
  )

  it.effect("a permit can be used in its last second, an EIP-3009 authorization cannot", () =>
    Effect.gen(function* () {
      for (const role of ["direct", "allowed"] as const) {
        const { scene } = yield* sceneOf()
        const attempt = yield* scene.attempted(role)
        const relayed = yield* scene.sent({ _tag: "Collect", attempt })
        const endsAt = PaymentOption.authorizationEndsAt(attempt.option)
        yield* scene.harness.pass(endsAt - (yield* scene.harness.nowInS))
        yield* scene.settle
        const expected = role === "allowed" ? "Final" : "Impossible"
        assert.strictEqual(tag(yield* scene.look(attempt, relayed)), expected)
      }
    }),
  )
})

describe("SimulatedChain, blocks", () => {
  it.effect("are mined with time, whenever the chain is read", () =>
    Effect.gen(function* () {
      const { chain, world } = yield* worldOf()
      const first = (yield* world.head(1)) ?? assert.fail()
      yield* world.mint(usdc, relayer.address, price)
      const movement = movementTo(unusedWallet().address)
      const relayed = yield* chain.sign(lane, 0, { _tag: "Send", movement })
      assert.strictEqual(relayed.signedAt, Fixtures.now)
      yield* chain.broadcast(relayed)
      const look = chain.look(seek(movement, relayed))
      assert.strictEqual(tag(yield* look), "Unseen")
      yield* TestClock.adjust(999)
      assert.strictEqual(tag(yield* look), "Unseen")
      yield* TestClock.adjust(1)
      const included = yield* look
      assert.strictEqual(tag(included), "Included")
      assert.strictEqual(evidenceOf(included).blockNumber, first.number + 1)
      yield* TestClock.adjust(1000)
      assert.strictEqual(tag(yield* look), "Final")
      yield* TestClock.adjust("1 hour")
      const last = (yield* world.head(1)) ?? assert.fail()
      assert.strictEqual(last.number, first.number + 3602)
      assert.strictEqual(last.at, first.at + 3602)
      yield* TestClock.adjust("365 days")
      const muchLater = (yield* world.head(1)) ?? assert.fail()
      assert.strictEqual(muchLater.number, last.number + 100_000)
    }),
  )

  it.effect("form one chain of parents, with a new branch from the start of a reorganisation", () =>
    Effect.gen(function* () {
      const { world } = yield* worldOf({ blocks: "manual" })
      const headers = Effect.fnUntraced(function* () {
        const { number, hash, parent, at } = (yield* world.head(1)) ?? assert.fail()
        return { number, hash, parent, at }
      })
      const genesis = yield* headers()
      yield* world.mine(1)
      const first = yield* headers()
      yield* world.mine(1)
      const second = yield* headers()
      assert.strictEqual(first.parent, genesis.hash)
      assert.strictEqual(second.parent, first.hash)
      yield* world.reorg(1, 1)
      const replaced = yield* headers()
      assert.deepStrictEqual({ ...replaced, hash: "" }, { ...second, hash: "" })
      assert.notStrictEqual(replaced.hash, second.hash)
      yield* world.reorg(1, 2)
      const again = yield* headers()
      assert.strictEqual(again.number, second.number)
      assert.notStrictEqual(again.parent, first.hash)
      assert.notStrictEqual(again.hash, replaced.hash)
    }),
  )

  it.effect("stop while the chain is halted, and nothing else does", () =>
    Effect.gen(function* () {
      const { chain, world } = yield* worldOf()
      yield* world.mint(usdc, relayer.address, price)
      const movement = movementTo(unusedWallet().address)
      const relayed = yield* chain.sign(lane, 0, { _tag: "Send", movement })
      yield* world.halt(1)
      yield* chain.broadcast(relayed)
      yield* TestClock.adjust("10 minutes")
      yield* world.mine(1)
      assert.strictEqual(tag(yield* chain.look(seek(movement, relayed))), "Unseen")
      assert.deepStrictEqual(yield* world.pending(1), [relayed.hash])
      yield* world.resume(1)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(tag(yield* chain.look(seek(movement, relayed))), "Final")
    }),
  )

  it.effect("follow the chain's own clock", () =>
    Effect.gen(function* () {
      const { world } = yield* worldOf({ blocks: "manual" })
      yield* world.mine(1)
      const before = (yield* world.head(1)) ?? assert.fail()
      yield* world.skew(1, 90_000)
      assert.strictEqual(yield* world.now(1), Fixtures.now + 90_000)
      yield* world.mine(1)
      assert.strictEqual((yield* world.head(1))?.at, before.at + 90)
      yield* world.skew(1, -90_000)
      yield* world.mine(1)
      assert.strictEqual((yield* world.head(1))?.at, before.at + 90)
    }),
  )

  it.effect("contain conflicting transactions in the branch of a reorganisation", () =>
    Effect.gen(function* () {
      const { chain, world } = yield* worldOf({ blocks: "manual" })
      yield* world.mint(usdc, relayer.address, 2n * price)
      const movement = movementTo(unusedWallet().address)
      const rival = movementTo(unusedWallet().address)
      const ours = yield* chain.sign(lane, 0, { _tag: "Send", movement })
      const theirs = yield* chain.sign(lane, 0, { _tag: "Send", movement: rival })
      yield* chain.broadcast(ours)
      yield* world.mine(1)
      assert.strictEqual(tag(yield* chain.look(seek(movement, ours))), "Included")
      yield* world.reorg(1, 1, { conflicting: [theirs] })
      assert.strictEqual(tag(yield* chain.look(seek(movement, ours))), "Unseen")
      yield* world.settle(1)
      assert.strictEqual(tag(yield* chain.look(seek(movement, ours))), "Replaced")
      assert.strictEqual(tag(yield* chain.look(seek(rival, theirs))), "Final")
      assert.strictEqual(yield* world.balanceOf(usdc, relayer.address), price)
    }),
  )

  it.effect("restore allowances in a reorganisation, and keep minted money", () =>
    Effect.gen(function* () {
      const { scene, world } = yield* sceneOf()
      const account = scene.payer.account(1)
      const attempt = yield* scene.attempted("allowed")
      const relayed = yield* scene.sent({ _tag: "Collect", attempt })
      yield* world.mine(1)
      assert.strictEqual(yield* allowanceOf(scene.chain, account, usdt), 0n)
      yield* world.mint(usdt, scene.payer.address, 1n)
      yield* world.reorg(1, 1)
      assert.strictEqual(yield* allowanceOf(scene.chain, account, usdt), price)
      assert.strictEqual(yield* scene.held(scene.payer.address, usdt), 10n * price + 1n)
      yield* scene.settle
      assert.strictEqual(tag(yield* scene.look(attempt, relayed)), "Final")
      assert.strictEqual(yield* scene.held(scene.payer.address, usdt), 9n * price + 1n)
    }),
  )

  it.effect("with several writes to one account are undone to the state before the first", () =>
    Effect.gen(function* () {
      const { scene, world } = yield* sceneOf()
      const { payer } = scene
      const to = unusedWallet().address
      const send = world.transfer(payer.address, usdc, to, price)
      yield* send
      yield* send
      yield* send
      yield* world.mine(1)
      assert.strictEqual(yield* scene.held(to), 3n * price)
      yield* world.reorg(1, 1, { drop: "all" })
      assert.strictEqual(yield* scene.held(to), 0n)
      assert.strictEqual(yield* scene.held(payer.address), 10n * price)
      yield* send
      yield* world.mine(1)
      assert.strictEqual(yield* scene.held(to), price)
    }),
  )
})

describe("SimulatedChain, faults", () => {
  it.effect(
    "hide the result of a call whose response is lost, and prevent a call that is lost itself",
    () =>
      Effect.gen(function* () {
        const { scene, world } = yield* sceneOf()
        const movement = yield* scene.payout()
        const relayed = yield* scene.signed({ _tag: "Send", movement })
        yield* world.fail({ calls: 1, kinds: ["broadcast"] })
        yield* failsWith(scene.chain.broadcast(relayed), "ChainUnavailable")
        assert.deepStrictEqual(yield* world.pending(1), [])
        yield* world.fail({ calls: 1, kinds: ["broadcast"], when: "after" })
        yield* failsWith(scene.chain.broadcast(relayed), "ChainUnavailable")
        assert.deepStrictEqual(yield* world.pending(1), [relayed.hash])
        yield* scene.settle
        assert.strictEqual(tag(yield* scene.lookOwn(movement, relayed)), "Final")
      }),
  )

  it.effect("fail as many calls as set, of the given kinds and on the given chain", () =>
    Effect.gen(function* () {
      const { chain, world } = yield* worldOf()
      const balance = chain.balance(usdc, relayer.address)
      const floor = chain.nonceFloor(lane)
      const elsewhere = chain.nonceFloor({ ...lane, chainId: optimism })
      yield* world.fail({ calls: 2, kinds: ["nonceFloor"], chainId: ethereum })
      yield* world.fail({ calls: 0 })
      yield* balance
      yield* elsewhere
      yield* failsWith(floor, "ChainUnavailable")
      yield* failsWith(floor, "ChainUnavailable")
      yield* floor
      yield* world.fail({ calls: 1 })
      yield* failsWith(balance, "ChainUnavailable")
      yield* balance
      assert.strictEqual(yield* world.calls("nonceFloor"), 4)
      assert.strictEqual(yield* world.calls("balance"), 3)
      yield* world.fail({ calls: 9 })
      yield* world.heal
      yield* balance
    }),
  )

  it.effect("leave out a chain that does not respond to a request for balances", () =>
    Effect.gen(function* () {
      const { chain, world } = yield* worldOf()
      const offered = yield* chain.offered
      const accounts = [ethereum, optimism].map((chainId) => ({
        account: relayer.account(chainId),
        accountText: "",
      }))
      const chainsOf = Effect.map(chain.holdings(accounts, offered), (holdings) => [
        ...new Set(holdings.map(({ token }) => token.chainId)),
      ])
      assert.deepStrictEqual(yield* chainsOf, [ethereum, optimism])
      yield* world.fail({ calls: 1, kinds: ["holdings"], chainId: ethereum })
      assert.deepStrictEqual(yield* chainsOf, [optimism])
      yield* world.fail({ calls: 1, kinds: ["holdings"], chainId: ethereum })
      yield* world.fail({ calls: 1, kinds: ["holdings"], chainId: optimism })
      yield* failsWith(chainsOf, "ChainUnavailable")
      assert.strictEqual(yield* world.calls("holdings"), 6)
    }),
  )

  it("occur as the seed decides, about as often as set", () => {
    const drawn = (plan: Faults.Plan) => {
      const faults = Faults.make()
      faults.disturb(plan)
      return Array.from({ length: 2000 }, () => faults.draw("look", ethereum))
    }
    const some = drawn({ seed: 7, perMille: 200 })
    assert.deepStrictEqual(drawn({ seed: 7, perMille: 200 }), some)
    assert.notDeepEqual(drawn({ seed: 8, perMille: 200 }), some)
    for (const when of ["before", "after"] as const) {
      const share = some.filter((each) => each === when).length
      assert.isTrue(share > 100 && share < 300, `${share} of 2000 ${when}`)
    }
    assert.isTrue(drawn({ seed: 7, perMille: 0 }).every((each) => each === undefined))
    assert.isTrue(drawn({ seed: 7, perMille: 1000 }).every((each) => each !== undefined))
  })

  it.effect("make state reads as old as the lag, except for money that was minted", () =>
    Effect.gen(function* () {
      const { scene, world } = yield* sceneOf()
      const movement = yield* scene.payout()
      const before = (yield* scene.chain.nonceFloor(lane)) ?? assert.fail()
      const relayed = yield* scene.sent({ _tag: "Send", movement })
      yield* world.mine(1)
      yield* world.lag(1, 2)
      assert.strictEqual(yield* scene.held(movement.to), 0n)
      assert.strictEqual(yield* scene.held(scene.payTo), price)
      assert.strictEqual(yield* scene.chain.nonceFloor(lane), before)
      assert.strictEqual(tag(yield* scene.lookOwn(movement, relayed)), "Unseen")
      yield* world.mine(1, 2)
      assert.strictEqual(yield* scene.held(movement.to), price)
      assert.strictEqual(yield* scene.chain.nonceFloor(lane), before + 1)
      assert.strictEqual(tag(yield* scene.lookOwn(movement, relayed)), "Included")
      yield* world.lag(1, 0)
      assert.strictEqual(tag(yield* scene.lookOwn(movement, relayed)), "Final")
      // What was final stays so, however old the node that answers.
      yield* world.lag(1, 3)
      assert.strictEqual(tag(yield* scene.lookOwn(movement, relayed)), "Final")
    }),
  )

  it.effect("refuse bytes that are no transaction", () =>
    Effect.gen(function* () {
      const { chain, world } = yield* worldOf({ blocks: "manual" })
      for (const raw of [
        "",
        "0x",
        "0xzz",
        "0x00",
        "0x7b7d",
        Fixtures.laneTransaction(lane, 0).raw,
      ]) {
        const relayed = { ...Fixtures.laneTransaction(lane, 0), raw }
        yield* failsWith(chain.broadcast(relayed), "ChainUnavailable")
      }
      const elsewhere = { ...lane, chainId: optimism }
      const movement = {
        ...movementTo(relayer.address),
        token: assetOf("USDC", elsewhere.chainId).token,
      }
      const foreign = yield* chain.sign(elsewhere, 0, { _tag: "Send", movement })
      yield* chain.broadcast({ ...foreign, lane })
      assert.deepStrictEqual(yield* world.pending(1), [])
      assert.deepStrictEqual(yield* world.pending(10), [])
    }),
  )
})

describe("SimulatedChain, statistics", () => {
  it.effect("count the transactions of each lane that were sent, mined and reverted", () =>
    Effect.gen(function* () {
      const { scene, world } = yield* sceneOf()
      const movement = yield* scene.payout()
      const first = yield* scene.sent({ _tag: "Send", movement })
      yield* scene.chain.broadcast(first)
      const counts = Effect.map(world.lanes, (lanes) => lanes)
      assert.deepStrictEqual(yield* counts, [{ lane, broadcast: 1, mined: 0, reverted: 0 }])
      yield* world.mine(1)
      yield* world.block(movement.to)
      yield* scene.sent({ _tag: "Send", movement })
      yield* world.mine(1)
      assert.deepStrictEqual(yield* counts, [{ lane, broadcast: 2, mined: 2, reverted: 1 }])
      yield* world.reorg(1, 1, { drop: "all" })
      assert.deepStrictEqual(yield* counts, [{ lane, broadcast: 2, mined: 1, reverted: 0 }])
      // A wallet's own transactions are not ours.
      yield* world.transfer(scene.payer.address, usdc, movement.to, price)
      yield* world.mine(1)
      assert.strictEqual((yield* world.lanes).length, 1)
    }),
  )
})
