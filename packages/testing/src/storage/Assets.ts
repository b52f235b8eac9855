/**
 * Assets and networks that were served: none is ever forgotten, and the last row of each counts.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Network from "@florin/core/domain/chain/Network"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Gas from "@florin/core/domain/eip155/Gas"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Ledger from "@florin/core/domain/money/Ledger"
import { AssetStore } from "@florin/core/ports/AssetStore"
import * as Effect from "effect/Effect"
import * as Fixtures from "../Fixtures.ts"
import { atOnce, begin, failsWith, type It, lookalikes, range, type Scene } from "./Scene.ts"

let chains = 700_000_000

/** Chains without rows in this storage. */
const unusedChains = Effect.fnUntraced(function* (count: number) {
  const store = yield* AssetStore
  const known = new Set((yield* store.known).networks.map(({ chainId }) => chainId))
  const chainIds: Array<Caip.ChainId> = []
  while (chainIds.length < count) {
    const chainId = Eip155.chainId(++chains)
    if (!known.has(chainId)) chainIds.push(chainId)
  }
  return chainIds
})

const sampleNetwork = (
  chainId: Caip.ChainId,
  name = `Chain ${Caip.referenceOf(chainId)}`,
): Network.Network =>
  Network.Network.make({
    chainId,
    name,
    icon: "chain",
    coin: "ETH",
    etaInS: 30,
    explorerUrl: null,
    finality: 3,
    minimum: 0.05,
    // More than a number can hold.
    details: Gas.encode({
      priceMax: 2n ** 80n + 1n,
      tipMin: 1n,
      headroom: 20,
      most: 1_000_000n,
      isDataExtra: false,
    }),
  })

const issuer: Details.Details["issuer"] = { switches: ["paused"], blocklist: null }

const sampleAsset = (
  chainId: Caip.ChainId,
  name: string,
  overrides: Partial<Asset.Asset> = {},
): Asset.Asset =>
  Asset.Asset.make({
    token: { chainId, address: Fixtures.address(name) },
    symbol: "SMPL",
    name: "Sample ₮",
    decimals: 9,
    peg: null,
    flow: "permit2",
    details: Details.encode({ issuer }),
    ...overrides,
  })

/** The stored rows of some chains. */
const knownOn = Effect.fnUntraced(function* (chainIds: ReadonlyArray<Caip.ChainId>) {
  const { assets, networks } = yield* (yield* AssetStore).known
  return {
    networks: networks.filter(({ chainId }) => chainIds.includes(chainId)),
    assets: assets.filter(({ token }) => chainIds.includes(token.chainId)),
  }
})

/** Stores a payment whose amount is in a token. */
const ask = ({ payments, world }: Scene, token: Caip.Token) => {
  const change = world.createPayment()
  const amount = { unit: Amount.token(token), quantity: Fixtures.quantity(5n) }
  const asked = { ...change, payment: { ...change.payment, amount } }
  return payments.createPayment(asked, null, "{}", Fixtures.now)
}

export const assetRules = (it: It): void => {
  it.effect("returns rows as they were stored, in their order of arrival", () =>
    Effect.gen(function* () {
      const { world } = yield* begin
      const store = yield* AssetStore
      const chainIds = yield* unusedChains(3)
      const [one, two, three] = chainIds
      if (one === undefined || two === undefined || three === undefined) return assert.fail("none")
      // Neither the order of their ids nor its reverse.
      const networks = [two, three, one].map((chainId) => sampleNetwork(chainId))
      const domain = { name: "Sample", version: "2", verifyingContract: Fixtures.address("domain") }
      const assets = [
        sampleAsset(three, world.next()),
        sampleAsset(one, world.next(), { peg: "EUR", flow: "eip3009", decimals: 0 }),
        sampleAsset(two, world.next(), {
          details: Details.encode({
            issuer,
            domain: { ...domain, chainId: Eip155.numberOf(two) },
          }),
        }),
        sampleAsset(one, world.next(), {
          details: Details.encode({
            issuer,
            domain: { ...domain, salt: Fixtures.hash("salt") },
            separatorPin: Fixtures.hash("pin"),
            approveResets: true,
          }),
          decimals: 36,
        }),
      ]
      yield* store.remember({ networks, assets })
      assert.deepStrictEqual(yield* knownOn(chainIds), { networks, assets })
      assert.deepStrictEqual(yield* knownOn(chainIds), { networks, assets })
      const more = [sampleAsset(one, world.next()), sampleAsset(three, world.next())]
      yield* store.remember({ networks: [], assets: more })
      assert.deepStrictEqual(yield* knownOn(chainIds), { networks, assets: [...assets, ...more] })
    }),
  )

  it.effect("stores every built-in row unchanged", () =>
    Effect.gen(function* () {
      const store = yield* AssetStore
      yield* store.remember(BuiltIn.catalog)
      const known = Catalog.make({ ...BuiltIn.catalog, ...(yield* store.known) })
      for (const asset of BuiltIn.catalog.assets) {
        assert.deepStrictEqual(known.find(asset.token), asset)
      }
      for (const network of BuiltIn.catalog.networks) {
        assert.deepStrictEqual(known.network(network.chainId), network)
      }
      // So the next start of a service writes nothing.
      assert.isTrue(Catalog.isSame(Catalog.make(BuiltIn.catalog, known), known))
    }),
  )

  it.effect("replaces the row of a token or a network in its place, without duplicates", () =>
    Effect.gen(function* () {
      const { world } = yield* begin
      const store = yield* AssetStore
      const chainIds = yield* unusedChains(2)
      const networks = chainIds.map((chainId) => sampleNetwork(chainId))
      const assets = chainIds.flatMap((chainId) => [
        sampleAsset(chainId, world.next()),
        sampleAsset(chainId, world.next()),
      ])
      yield* store.remember({ networks, assets })
      yield* store.remember({ networks, assets })
      assert.deepStrictEqual(yield* knownOn(chainIds), { networks, assets })
      const changed = {
        networks: networks.map((each, index) =>
          index === 0 ? { ...each, name: "Renamed" } : each,
        ),
        assets: assets.map((each, index) =>
          index === 1
            ? {
                ...each,
                symbol: "NEW",
                peg: "USD",
                details: Details.encode({ issuer, approveResets: true }),
              }
            : each,
        ),
      }
      yield* store.remember({
        networks: changed.networks.slice(0, 1),
        assets: changed.assets.slice(1, 2),
      })
      assert.deepStrictEqual(yield* knownOn(chainIds), changed)
      // Members that a new row leaves out are removed.
      yield* store.remember({ networks, assets })
      assert.deepStrictEqual(yield* knownOn(chainIds), { networks, assets })
    }),
  )

  it.effect("never deletes a row that is not stored again", () =>
    Effect.gen(function* () {
      const { world } = yield* begin
      const store = yield* AssetStore
      const chainIds = yield* unusedChains(2)
      const networks = chainIds.map((chainId) => sampleNetwork(chainId))
      const assets = chainIds.map((chainId) => sampleAsset(chainId, world.next()))
      for (const index of [0, 1]) {
        yield* store.remember({
          networks: networks.slice(index, index + 1),
          assets: assets.slice(index, index + 1),
        })
      }
      yield* store.remember({ networks: [], assets: [] })
      assert.deepStrictEqual(yield* knownOn(chainIds), { networks, assets })
    }),
  )

  for (const counts of ["a payment", "the ledger"] as const) {
    it.effect(`refuses other decimals of a token that ${counts} uses, and then stores no row`, () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { post, world } = scene
        const store = yield* AssetStore
        const [chainId] = yield* unusedChains(1)
        const asset = sampleAsset(chainId ?? assert.fail(), world.next())
        const another = sampleAsset(asset.token.chainId, world.next())
        const { token } = asset
        yield* store.remember({ networks: [], assets: [asset] })
        yield* counts === "a payment"
          ? ask(scene, token)
          : post(
              Ledger.funding({
                token,
                collecting: Fixtures.address("float"),
                quantity: Fixtures.quantity(5n),
              }),
            )
        const changed = { networks: [], assets: [another, { ...asset, decimals: 18 }] }
        yield* failsWith("AssetConflict", store.remember(changed))
        assert.deepStrictEqual((yield* knownOn([token.chainId])).assets, [asset])
      }),
    )
  }

  it.effect("accepts other decimals of a token that nothing uses yet: its row was wrong", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { world } = scene
      const store = yield* AssetStore
      const [chainId] = yield* unusedChains(1)
      const asset = sampleAsset(chainId ?? assert.fail(), world.next())
      const used = sampleAsset(asset.token.chainId, world.next())
      yield* store.remember({ networks: [], assets: [asset, used] })
      yield* ask(scene, used.token)
      const corrected = { ...asset, decimals: 18 }
      yield* store.remember({ networks: [], assets: [corrected] })
      assert.deepStrictEqual((yield* knownOn([asset.token.chainId])).assets, [corrected, used])
    }),
  )

  it.effect("keeps the rows of all concurrent writers, in any order", () =>
    Effect.gen(function* () {
      const { world } = yield* begin
      const store = yield* AssetStore
      const chainIds = yield* unusedChains(8)
      const shared = {
        networks: chainIds.map((chainId) => sampleNetwork(chainId)),
        assets: chainIds.map((chainId) => sampleAsset(chainId, world.next())),
      }
      const own = chainIds.flatMap((chainId) => [sampleAsset(chainId, world.next())])
      yield* atOnce(range(16), (index) => {
        const rows = {
          networks: shared.networks,
          assets: [...shared.assets, ...own.slice(index % 8, (index % 8) + 1)],
        }
        return store.remember(
          index < 8
            ? rows
            : { networks: rows.networks.toReversed(), assets: rows.assets.toReversed() },
        )
      })
      const known = yield* knownOn(chainIds)
      assert.deepStrictEqual(
        known.networks.toSorted((left, right) => (left.chainId < right.chainId ? -1 : 1)),
        shared.networks,
      )
      const byKey = (assets: ReadonlyArray<Asset.Asset>) =>
        assets.map(({ token }) => Caip.tokenKey(token)).toSorted()
      assert.deepStrictEqual(byKey(known.assets), byKey([...shared.assets, ...own]))
      // From then on the order is fixed.
      yield* store.remember({ networks: shared.networks.toReversed(), assets: own })
      assert.deepStrictEqual(yield* knownOn(chainIds), known)
    }),
  )

  it.effect("distinguishes rows if two families use the same chain id", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const store = yield* AssetStore
      const [chainId] = yield* unusedChains(1)
      const tokens = lookalikes(scene, chainId ?? assert.fail("no chain"))
      const chainIds = [tokens[0].chainId, tokens[1].chainId]
      const networks = chainIds.map((each) => sampleNetwork(each))
      const withDecimals = (decimals: ReadonlyArray<number>) =>
        tokens.map((token, index) =>
          sampleAsset(token.chainId, "alike", { token, decimals: decimals[index] ?? 0 }),
        )
      yield* store.remember({ networks, assets: withDecimals([1, 2, 3]) })
      assert.deepStrictEqual(yield* knownOn(chainIds), {
        networks,
        assets: withDecimals([1, 2, 3]),
      })
      yield* ask(scene, tokens[1])
      const expected = { networks, assets: withDecimals([18, 2, 17]) }
      yield* store.remember({ networks: [], assets: expected.assets })
      assert.deepStrictEqual(yield* knownOn(chainIds), expected)
      const wrong = { networks: [], assets: withDecimals([18, 9, 17]) }
      yield* failsWith("AssetConflict", store.remember(wrong))
      yield* scene.post(
        Ledger.funding({
          token: tokens[0],
          collecting: scene.world.payTo,
          quantity: Fixtures.quantity(5n),
        }),
      )
      yield* store.remember({ networks: [], assets: withDecimals([18, 2, 9]).slice(2) })
      const counted = { networks: [], assets: withDecimals([9]).slice(0, 1) }
      yield* failsWith("AssetConflict", store.remember(counted))
      assert.deepStrictEqual(yield* knownOn(chainIds), {
        networks,
        assets: withDecimals([18, 2, 9]),
      })
    }),
  )
}
