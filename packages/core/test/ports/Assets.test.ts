import { assert, describe, it } from "@effect/vitest"
import type * as Asset from "@florin/core/domain/chain/Asset"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Amount from "@florin/core/domain/money/Amount"
import * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import * as PaymentRequest from "@florin/core/domain/payment/PaymentRequest"
import { Assets } from "@florin/core/ports/Assets"
import { AssetStore } from "@florin/core/ports/AssetStore"
import { Chain, Chains } from "@florin/core/ports/Chain"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { StorageUnavailable } from "@florin/core/ports/StorageError"
import * as StorageMemory from "@florin/core/ports/StorageMemory"
import * as Eip155Kit from "@florin/testing/Eip155Kit"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Harbour from "@florin/testing/harbour/Harbour"
import * as HarbourKit from "@florin/testing/harbour/HarbourKit"
import * as SimulatedChain from "@florin/testing/SimulatedChain"
import { Effect, Layer, Result } from "effect"

const { now } = Fixtures

const assetOf = (symbol: string, chainId: number): Asset.Asset =>
  BuiltIn.catalog.assets.find(
    (each) => each.symbol === symbol && each.token.chainId === Eip155.chainId(chainId),
  ) ?? assert.fail(`there is no ${symbol} on ${chainId}`)

const usdc = assetOf("USDC", 8453)
const eurc = assetOf("EURC", 8453)
const usdt = assetOf("USDT", 1)

/** Some tokens, with the networks that they are on. */
const rowsOf = (...assets: ReadonlyArray<Asset.Asset>): Catalog.Brought => ({
  families: BuiltIn.catalog.families,
  assets,
  networks: BuiltIn.catalog.networks.filter(({ chainId }) =>
    assets.some(({ token }) => token.chainId === chainId),
  ),
})

/** Rows without the families that brought them, as they are stored. */
const rowsAlone = ({ assets, networks }: Catalog.Rows): Catalog.Rows => ({ assets, networks })

/** A store in memory that counts what is written to it. */
const makeStore = Effect.gen(function* () {
  const store = yield* AssetStore
  const payments = yield* PaymentStore
  const written: Array<Catalog.Rows> = []
  return {
    store: AssetStore.of({
      ...store,
      remember: (rows) =>
        Effect.andThen(
          Effect.sync(() => written.push(rowsAlone(rows))),
          store.remember(rows),
        ),
    }),
    written,
    /** Stores a payment that is asked in a token. */
    askedIn: (token: Caip.Token) => {
      const change = Fixtures.make("assets").createPayment()
      const amount = { unit: Amount.token(token), quantity: Fixtures.quantity(5n) }
      const asked = { ...change, payment: { ...change.payment, amount } }
      return payments.createPayment(asked, null, "{}", Fixtures.now)
    },
  }
}).pipe(Effect.provide(Layer.fresh(StorageMemory.layer)))

const chainOf = (rows: Catalog.Brought) =>
  Layer.fresh(
    SimulatedChain.SimulatedChain.layer({
      catalog: Catalog.make(rows),
      kits: [Eip155Kit.kit, HarbourKit.kit],
    }),
  )

/** What a service that starts with these tokens makes of a store. */
const started = (
  store: AssetStore["Service"],
  test: Catalog.Brought,
  live: Catalog.Brought = test,
) =>
  Effect.map(Assets, (assets) => assets).pipe(
    Effect.provide(
      Assets.layer.pipe(
        Layer.provide(
          Layer.mergeAll(
            Layer.succeed(AssetStore, store),
            Chains.layer({ test: chainOf(test), live: chainOf(live) }),
          ),
        ),
      ),
    ),
  )

/** Asks for a payment in a token. */
const ask = (catalog: Catalog.Catalog, { token }: Asset.Asset) =>
  PaymentRequest.read(
    { referenceId: "order 1", amount: { unit: `caip19/${Eip155.formatToken(token)}`, value: "1" } },
    catalog,
    { mode: "test", now },
  )

/** Registers a destination for a token. */
const register = (catalog: Catalog.Catalog, { token }: Asset.Asset) =>
  SettlementDestination.read(
    [
      {
        id: SettlementDestination.SettlementDestinationId.make("crypto_1"),
        asset: Eip155.formatToken(token),
        destination: `${token.chainId}:0x${"d".repeat(40)}`,
      },
    ],
    { catalog, accounts: [] },
  )

const issuesOf = <A>(result: Result.Result<A, { readonly _tag: string }>) =>
  Result.match(result, {
    onFailure: (error) => ("issues" in error ? error.issues : error._tag),
    onSuccess: () => [],
  })

describe("Assets.layer", () => {
  it.effect("stores new rows before it serves them", () =>
    Effect.gen(function* () {
      const { store, written } = yield* makeStore
      const rows = rowsOf(usdc, usdt)
      const catalog = yield* started(store, rows)
      assert.deepStrictEqual(written, [rowsAlone(rows)])
      assert.deepStrictEqual(yield* store.known, rowsAlone(rows))
      assert.isTrue(Catalog.isSame(catalog, rows))
      assert.deepStrictEqual(catalog.served(usdc.token), usdc)
      assert.isTrue(Result.isSuccess(ask(catalog, usdc)))
      assert.isTrue(Result.isSuccess(register(catalog, usdc)))
    }),
  )

  it.effect("serves nothing if the rows cannot be stored or read", () =>
    Effect.gen(function* () {
      const fails = Effect.fail(new StorageUnavailable({ message: "the database is away" }))
      for (const broken of [{ remember: () => fails }, { known: fails }]) {
        const { store } = yield* makeStore
        const failure = yield* Effect.flip(started({ ...store, ...broken }, rowsOf(usdc)))
        assert.strictEqual(failure._tag, "StorageUnavailable")
      }
    }),
  )

  it.effect("serves the tokens of both modes", () =>
    Effect.gen(function* () {
      const { store, written } = yield* makeStore
      const catalog = yield* started(store, rowsOf(usdc), rowsOf(eurc, usdt))
      for (const asset of [usdc, eurc, usdt]) {
        assert.deepStrictEqual(catalog.served(asset.token), asset)
      }
      assert.strictEqual(catalog.network(usdt.token.chainId)?.name, "Ethereum")
      assert.deepStrictEqual(written, [Catalog.join(rowsOf(usdc), rowsOf(eurc, usdt))])
    }),
  )

  it.effect("knows the families of both modes, each once, and stores none of them", () =>
    Effect.gen(function* () {
      const { store, written } = yield* makeStore
      const catalog = yield* started(store, rowsOf(usdc), Harbour.catalog)
      assert.deepStrictEqual(catalog.families, [Eip155.family, Harbour.family])
      assert.deepStrictEqual(yield* store.known, Catalog.join(rowsOf(usdc), Harbour.catalog))
      assert.lengthOf(written, 1)
      const [pledged] = Harbour.catalog.assets
      assert(pledged !== undefined)
      assert.strictEqual(
        Amount.formatUnit(Amount.token(pledged.token), catalog),
        `caip19/${pledged.token.chainId}/coin:${pledged.token.address}`,
      )
      // Without its adapter a token is still found, and printed as it is held.
      const later = yield* started(store, rowsOf(usdc))
      assert.deepStrictEqual(later.families, [Eip155.family])
      assert.deepStrictEqual(later.find(pledged.token), pledged)
      assert.strictEqual(
        Amount.formatUnit(Amount.token(pledged.token), later),
        `caip19/${pledged.token.chainId}/token:${pledged.token.address}`,
      )
    }),
  )

  it.effect("writes nothing if nothing changed, or if a token was removed", () =>
    Effect.gen(function* () {
      const { store, written } = yield* makeStore
      yield* started(store, rowsOf(usdc, usdt))
      assert.lengthOf(written, 1)
      yield* started(store, rowsOf(usdc, usdt))
      yield* started(store, rowsOf(usdt))
      yield* started(store, rowsOf(usdt, usdc))
      assert.lengthOf(written, 1)
    }),
  )

  it.effect("writes new and changed rows, and keeps the others", () =>
    Effect.gen(function* () {
      const { store, written } = yield* makeStore
      yield* started(store, rowsOf(usdc))
      yield* started(store, rowsOf(usdt))
      assert.deepStrictEqual((yield* store.known).assets, [usdc, usdt])
      const renamed = { ...usdc, name: "Bridged", peg: null }
      yield* started(store, rowsOf(renamed, usdt))
      assert.deepStrictEqual((yield* store.known).assets, [renamed, usdt])
      assert.lengthOf(written, 3)
    }),
  )

  it.effect("still shows a token that was removed, and accepts no new payment in it", () =>
    Effect.gen(function* () {
      const { store } = yield* makeStore
      const removed = assetOf("USDC", 56)
      yield* started(store, rowsOf(usdc, removed))
      const catalog = yield* started(store, rowsOf(usdc))
      const unit = Amount.token(removed.token)

      assert.deepStrictEqual(catalog.find(removed.token), removed)
      assert.isUndefined(catalog.served(removed.token))
      assert.deepStrictEqual(Amount.display(unit, catalog), {
        assetName: "USD Coin",
        assetSymbol: "USDC",
        decimals: 18,
        icon: "usdc",
        network: { name: "BNB Smart Chain", icon: "bsc" },
      })
      const quantity = Fixtures.quantity(15n * 10n ** 17n)
      assert.strictEqual(Amount.toText({ unit, quantity }, catalog), "1.50 USDC")

      const message = "the token is not supported on this chain"
      assert.deepStrictEqual(issuesOf(ask(catalog, removed)), [{ field: "amount.unit", message }])
      assert.deepStrictEqual(issuesOf(register(catalog, removed)), [
        { field: "settlements[0].asset", message },
      ])
      assert.isTrue(Result.isSuccess(ask(catalog, usdc)))
      assert.isTrue(Result.isSuccess(register(catalog, usdc)))
    }),
  )

  it.effect("serves a removed token again once it is back", () =>
    Effect.gen(function* () {
      const { store } = yield* makeStore
      for (const rows of [rowsOf(usdc, usdt), rowsOf(usdc)]) yield* started(store, rows)
      const catalog = yield* started(store, rowsOf(usdt, usdc))
      assert.deepStrictEqual(catalog.served(usdt.token), usdt)
      assert.isTrue(Result.isSuccess(ask(catalog, usdt)))
    }),
  )

  it.effect(
    "refuses to start with other decimals than stored payments have, and writes nothing then",
    () =>
      Effect.gen(function* () {
        const { askedIn, store } = yield* makeStore
        yield* started(store, rowsOf(usdc, usdt))
        yield* askedIn(usdt.token)
        const wrong = { ...usdt, decimals: 18 }
        // Removing a token in between does not make its payments worth something else.
        yield* started(store, rowsOf(usdc))
        const failure = yield* Effect.flip(started(store, rowsOf(usdc, eurc, wrong)))
        assert.strictEqual(failure._tag, "AssetConflict")
        assert.strictEqual(
          failure.message,
          `USDT (${Eip155.formatToken(usdt.token)}) has 18 decimals here and 6 in stored ` +
            "payments: correct the row",
        )
        assert.deepStrictEqual((yield* store.known).assets, [usdc, usdt])
      }),
  )

  it.effect("accepts other decimals than an earlier start stored if no payment uses them", () =>
    Effect.gen(function* () {
      const { store } = yield* makeStore
      yield* started(store, rowsOf({ ...usdt, decimals: 18 }))
      const catalog = yield* started(store, rowsOf(usdt))
      assert.deepStrictEqual(catalog.find(usdt.token), usdt)
      assert.deepStrictEqual((yield* store.known).assets, [usdt])
    }),
  )

  it.effect("refuses to start with other decimals in live mode than in test mode", () =>
    Effect.gen(function* () {
      const { store, written } = yield* makeStore
      const failure = yield* Effect.flip(
        started(store, rowsOf(usdc), rowsOf({ ...usdc, decimals: 18 })),
      )
      assert.strictEqual(failure._tag, "AssetConflict")
      assert.include(failure.message, Eip155.formatToken(usdc.token))
      assert.deepStrictEqual(written, [])
    }),
  )

  it.effect("contains the assets of every chain, also of one that is unavailable now", () =>
    Effect.gen(function* () {
      const { store } = yield* makeStore
      const chain = Layer.effect(
        Chain,
        Effect.map(Chain, (each) => ({ ...each, chainIds: [], offered: Effect.succeed([]) })),
      ).pipe(Layer.provide(chainOf(rowsOf(usdc))))
      const catalog = yield* Effect.map(Assets, (assets) => assets).pipe(
        Effect.provide(
          Assets.layer.pipe(
            Layer.provide(
              Layer.mergeAll(
                Layer.succeed(AssetStore, store),
                Chains.layerShared.pipe(Layer.provide(chain)),
              ),
            ),
          ),
        ),
      )
      assert.deepStrictEqual(catalog.served(usdc.token), usdc)
    }),
  )
})
