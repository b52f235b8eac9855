import { assert, describe, it } from "@effect/vitest"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import { Chain } from "@florin/core/ports/Chain"
import * as JoinedChain from "@florin/core/ports/JoinedChain"
import { ChainHarness } from "@florin/testing/ChainHarness"
import * as ChainSuite from "@florin/testing/ChainSuite"
import * as Eip155Kit from "@florin/testing/Eip155Kit"
import * as Harbour from "@florin/testing/harbour/Harbour"
import * as HarbourKit from "@florin/testing/harbour/HarbourKit"
import * as Harness from "@florin/testing/simulated/Harness"
import { collectingWallets, SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const harbours = { catalog: Harbour.catalog, kits: [HarbourKit.kit] }
const evm = SimulatedChain.layer()
const harbour = SimulatedChain.layer(harbours)

/** The chain of a harness, behind one port with the chains of another family. */
const beside = (
  ground: Layer.Layer<Chain | ChainHarness>,
  other: Layer.Layer<Chain>,
): Layer.Layer<Chain | ChainHarness, JoinedChain.FamilyTwice | JoinedChain.ServedTwice> =>
  Layer.flatMap(ground, (context) => {
    const own = Layer.succeedContext(context)
    return Layer.merge(
      JoinedChain.layer([other, own]),
      Layer.effect(ChainHarness, ChainHarness.pipe(Effect.provide(own))),
    )
  })

ChainSuite.suite("of two families, on Ethereum", beside(Harness.layer(), harbour))
ChainSuite.suite(
  "of two families, in a harbour",
  beside(Harness.layer(harbours, { chainId: Harbour.chainId, kit: HarbourKit.kit }), evm),
  HarbourKit.kit,
)

describe("JoinedChain", () => {
  it.effect("offers and reads what each adapter does, on its own chains", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      assert.sameMembers(
        chain.catalog.families.map(({ namespace }) => namespace),
        ["eip155", "harbour"],
      )
      const { length } = BuiltIn.catalog.assets
      assert.lengthOf(yield* chain.offered, length + Harbour.catalog.assets.length)
      const accounts = [
        Eip155Kit.kit.wallet(1).account(Eip155.chainId(8453)),
        HarbourKit.kit.wallet(1).account(Harbour.chainId),
      ].map((account) => ({ account, accountText: account.chainId }))
      const holdings = yield* chain.holdings(accounts, yield* chain.offered)
      assert.sameMembers(
        [...new Set(holdings.map(({ accountText }) => accountText))],
        ["eip155:8453", "harbour:north"],
      )
      for (const { account, token } of holdings) assert.strictEqual(account.chainId, token.chainId)
    }).pipe(Effect.provide(JoinedChain.layer([evm, harbour]))),
  )

  it.effect("leaves out adapters that do not respond, and fails if none does", () =>
    Effect.gen(function* () {
      const world = yield* SimulatedChain
      const one = Layer.succeed(Chain, yield* Chain)
      yield* Effect.gen(function* () {
        const chain = yield* Chain
        const ethereum = Eip155Kit.kit.wallet(1).account(Eip155.chainId(1))
        const north = HarbourKit.kit.wallet(1).account(Harbour.chainId)
        const [here, both] = [[ethereum], [ethereum, north]].map((accounts) =>
          accounts.map((account) => ({ account, accountText: "" })),
        )
        const offered = yield* chain.offered
        yield* world.disturb({ seed: 1, perMille: 1000 })
        const holdings = yield* chain.holdings(both ?? [], offered)
        assert.isAbove(holdings.length, 0)
        for (const { token } of holdings) assert.strictEqual(token.chainId, Harbour.chainId)
        const failed = yield* Effect.flip(chain.holdings(here ?? [], offered))
        assert.strictEqual(failed._tag, "ChainUnavailable")
        assert.deepStrictEqual(yield* chain.outgoing("unknown"), [])
      }).pipe(Effect.provide(JoinedChain.layer([one, harbour])))
    }).pipe(Effect.provide(evm)),
  )

  it.effect("fails for a chain without an adapter", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const failed = yield* Effect.flip(chain.finalCheckpoint(Eip155.chainId(77)))
      assert.strictEqual(failed.message, "chain eip155:77 is not configured")
      assert.isNull(chain.spendPerHour(Eip155.chainId(77)))
    }).pipe(Effect.provide(JoinedChain.layer([evm]))),
  )

  it.effect("finds what one of our accounts sent, whichever adapter shows it", () =>
    Effect.gen(function* () {
      const world = yield* SimulatedChain
      const [asset] = BuiltIn.catalog.assets
      const [ours] = collectingWallets
      if (asset === undefined || ours === undefined) return assert.fail("nothing to send")
      const one = Layer.succeed(Chain, yield* Chain)
      yield* world.mint(asset.token, ours.address, 7n)
      const { address } = Wallet.make(2)
      const call = {
        to: asset.token.address,
        data: Eip155Kit.kit.calls.transfer(address, Money.Quantity.make(7n)),
      }
      const txHash = yield* world.node.send(
        { chainId: asset.token.chainId, from: ours.address, ...call },
        ours,
      )
      yield* world.settle(asset.token.chainId)
      const found = yield* Effect.flatMap(Chain, (chain) => chain.outgoing(txHash)).pipe(
        Effect.provide(JoinedChain.layer([harbour, one])),
      )
      assert.deepStrictEqual(found, [{ token: asset.token, from: ours.address, to: address }])
    }).pipe(Effect.provide(evm)),
  )

  it.effect("refuses two adapters for one chain", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(Layer.build(JoinedChain.layer([evm, harbour, evm])))
      assert.strictEqual(failed._tag, "ServedTwice")
    }).pipe(Effect.scoped),
  )

  /** The harbour's adapter, of which something is otherwise. */
  const otherwise = (change: (chain: Chain["Service"]) => Partial<Chain["Service"]>) =>
    Layer.effect(
      Chain,
      Effect.map(Chain, (chain) => ({ ...chain, ...change(chain) })),
    ).pipe(Layer.provide(harbour))

  it.effect("uses the rows of the adapter that serves a chain, in either order", () =>
    Effect.gen(function* () {
      const [asset = assert.fail()] = BuiltIn.catalog.assets
      const wrong = { ...asset, symbol: "WRONG", decimals: asset.decimals + 12 }
      const network = BuiltIn.catalog.network(asset.token.chainId) ?? assert.fail()
      const meddling = otherwise(({ catalog, offered }) => ({
        catalog: Catalog.make({
          families: catalog.families,
          assets: [...catalog.assets, wrong],
          networks: [...catalog.networks, { ...network, name: "Wrong" }],
        }),
        offered: Effect.map(offered, (all) =>
          all.flatMap((each) => [each, { ...each, asset: wrong }]),
        ),
      }))
      for (const adapters of [
        [evm, meddling],
        [meddling, evm],
      ]) {
        yield* Effect.gen(function* () {
          const { catalog, offered } = yield* Chain
          assert.deepStrictEqual(catalog.find(asset.token), asset)
          assert.deepStrictEqual(catalog.network(asset.token.chainId), network)
          assert.notInclude(
            (yield* offered).map((each) => each.asset.symbol),
            "WRONG",
          )
        }).pipe(Effect.provide(JoinedChain.layer(adapters)))
      }
    }),
  )

  it.effect("continues with the other adapters if one has a defect", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const ethereum = Eip155Kit.kit.wallet(1).account(Eip155.chainId(1))
      const north = HarbourKit.kit.wallet(1).account(Harbour.chainId)
      const accounts = [ethereum, north].map((account) => ({ account, accountText: "" }))
      const offered = yield* chain.offered
      assert.lengthOf(offered, BuiltIn.catalog.assets.length)
      assert.isAbove((yield* chain.holdings(accounts, offered)).length, 0)
      assert.deepStrictEqual(yield* chain.faults, [])
      assert.deepStrictEqual(yield* chain.lacks, [])
      const failed = yield* Effect.flip(chain.holdings(accounts.slice(1), offered))
      assert.strictEqual(failed._tag, "ChainUnavailable")
      assert.strictEqual(failed.chainId, Harbour.chainId)
    }).pipe(
      Effect.provide(
        JoinedChain.layer([
          otherwise(() => ({
            offered: Effect.die("a bug"),
            faults: Effect.die("a bug"),
            lacks: Effect.die("a bug"),
            holdings: () => assert.fail("a bug"),
          })),
          evm,
        ]),
      ),
    ),
  )

  it.effect("S9: continues with the other adapters if one never responds", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const ethereum = Eip155Kit.kit.wallet(1).account(Eip155.chainId(1))
      const north = HarbourKit.kit.wallet(1).account(Harbour.chainId)
      const accounts = [ethereum, north].map((account) => ({ account, accountText: "" }))
      const waits = yield* Effect.forkChild(chain.offered)
      yield* TestClock.adjust(JoinedChain.responseTimeoutInMs)
      const offered = yield* Fiber.join(waits)
      assert.lengthOf(offered, BuiltIn.catalog.assets.length)
      const holding = yield* Effect.forkChild(chain.holdings(accounts, offered))
      yield* TestClock.adjust(JoinedChain.responseTimeoutInMs)
      assert.isAbove((yield* Fiber.join(holding)).length, 0)
    }).pipe(
      Effect.provide(
        JoinedChain.layer([
          otherwise(() => ({ offered: Effect.never, holdings: () => Effect.never })),
          evm,
        ]),
      ),
    ),
  )

  it.effect("refuses two families of one name, because one would read the other's addresses", () =>
    Effect.gen(function* () {
      const namesake = otherwise(({ catalog }) => ({
        catalog: { ...catalog, families: [{ ...Harbour.family, namespace: "eip155" }] },
      }))
      const failed = yield* Effect.flip(Layer.build(JoinedChain.layer([evm, namesake])))
      assert.strictEqual(failed._tag, "FamilyTwice")
    }).pipe(Effect.scoped),
  )
})
