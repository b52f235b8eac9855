import { assert, describe, it } from "@effect/vitest"
import type * as Asset from "@florin/core/domain/chain/Asset"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import type * as Network from "@florin/core/domain/chain/Network"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Gas from "@florin/core/domain/eip155/Gas"
import { Result } from "effect"
import * as Harbour from "../harbour.ts"
import * as Samples from "../samples.ts"

const { usdcOnBase, usdcOnBsc, usdtOnEthereum } = Samples
const unknownToken: Caip.Token = { ...usdcOnBase.token, address: Samples.address("1") }

const networkOf = (chainId: number): Network.Network => {
  const found = BuiltIn.catalog.network(Eip155.chainId(chainId))
  if (found === undefined) throw new Error(`no network ${chainId}`)
  return found
}
const [base, bsc, ethereum] = [networkOf(8453), networkOf(56), networkOf(1)]

const rows = (
  assets: ReadonlyArray<Asset.Asset>,
  networks: ReadonlyArray<Network.Network> = [],
): Catalog.Brought => ({ families: [Eip155.family], assets, networks })

const messageOf = (checked: Result.Result<void, Catalog.AssetConflict>) =>
  Result.match(checked, {
    onFailure: (conflict) => {
      assert.strictEqual(conflict._tag, "AssetConflict")
      return conflict.message
    },
    onSuccess: () => null,
  })

describe("Catalog.make", () => {
  it("finds and serves the assets and networks that it was made of, and no others", () => {
    const catalog = Catalog.make(rows([usdcOnBase, usdcOnBsc], [base, bsc]))
    for (const asset of [usdcOnBase, usdcOnBsc]) {
      assert.strictEqual(catalog.find(asset.token), asset)
      assert.strictEqual(catalog.served(asset.token), asset)
    }
    for (const token of [
      unknownToken,
      usdtOnEthereum.token,
      { ...usdcOnBase.token, chainId: bsc.chainId },
    ]) {
      assert.isUndefined(catalog.find(token))
      assert.isUndefined(catalog.served(token))
    }
    assert.strictEqual(catalog.network(base.chainId), base)
    assert.isUndefined(catalog.network(ethereum.chainId))
    assert.deepStrictEqual(catalog.assets, [usdcOnBase, usdcOnBsc])
    assert.deepStrictEqual(catalog.networks, [base, bsc])
  })

  it("finds an asset that was served earlier, but does not serve it", () => {
    const catalog = Catalog.make(
      rows([usdcOnBase], [base]),
      rows([usdtOnEthereum, usdcOnBase], [ethereum]),
    )
    assert.strictEqual(catalog.find(usdtOnEthereum.token), usdtOnEthereum)
    assert.isUndefined(catalog.served(usdtOnEthereum.token))
    assert.strictEqual(catalog.served(usdcOnBase.token), usdcOnBase)
    assert.strictEqual(catalog.network(ethereum.chainId), ethereum)
  })

  it("replaces an earlier row with the row that is served now", () => {
    const renamed = { ...usdcOnBase, symbol: "USDC.e", name: "Bridged" }
    const rebuilt = { ...base, name: "Base Two" }
    const catalog = Catalog.make(
      rows([renamed, usdcOnBsc], [rebuilt, bsc]),
      rows([usdtOnEthereum, usdcOnBase], [ethereum, base]),
    )
    assert.strictEqual(catalog.find(usdcOnBase.token), renamed)
    assert.strictEqual(catalog.served(usdcOnBase.token), renamed)
    assert.strictEqual(catalog.network(base.chainId), rebuilt)
    assert.deepStrictEqual(catalog.assets, [usdtOnEthereum, renamed, usdcOnBsc])
    assert.deepStrictEqual(catalog.networks, [ethereum, rebuilt, bsc])
  })

  it("finds nothing if it is empty", () => {
    assert.isUndefined(Catalog.empty.find(usdcOnBase.token))
    assert.isUndefined(Catalog.empty.served(usdcOnBase.token))
    assert.isUndefined(Catalog.empty.network(base.chainId))
    assert.deepStrictEqual(Catalog.empty.assets, [])
    assert.deepStrictEqual(Catalog.empty.networks, [])
    assert.deepStrictEqual(Catalog.empty.families, [])
  })
})

describe("Catalog families", () => {
  it("are those of the assets that are served now, not of earlier ones", () => {
    assert.deepStrictEqual(Harbour.catalog.families, [Eip155.family, Harbour.family])
    const alone = Catalog.make(rows([usdcOnBase], [base]), Harbour.catalog)
    assert.deepStrictEqual(alone.families, [Eip155.family])
    assert.strictEqual(alone.find(Harbour.coin.token), Harbour.coin)
    assert.isUndefined(alone.served(Harbour.coin.token))
  })

  it("are those of both catalogs, each once and in order", () => {
    const [both, one] = [Harbour.catalog, rows([])]
    assert.deepStrictEqual(Catalog.familiesOf([one, both]), [Eip155.family, Harbour.family])
    assert.deepStrictEqual(Catalog.familiesOf([both, one]), [Eip155.family, Harbour.family])
    assert.deepStrictEqual(Catalog.familiesOf([Catalog.empty, one]), [Eip155.family])
    assert.deepStrictEqual(Catalog.familiesOf([Catalog.empty, Catalog.empty]), [])
  })
})

describe("Catalog.join", () => {
  const rowsOnly = (...of: Parameters<typeof rows>): Catalog.Rows => {
    const { families: _families, ...only } = rows(...of)
    return only
  }

  it("has the rows of both catalogs; of two rows for one token or network, the later one", () => {
    const renamed = { ...usdcOnBase, name: "Bridged" }
    const rebuilt = { ...base, name: "Base Two" }
    assert.deepStrictEqual(
      Catalog.join(
        rows([usdcOnBase, usdcOnBsc], [base, bsc]),
        rows([usdtOnEthereum, renamed], [ethereum, rebuilt]),
      ),
      rowsOnly([renamed, usdcOnBsc, usdtOnEthereum], [rebuilt, bsc, ethereum]),
    )
  })

  it("keeps the later of two rows for one token in the same catalog", () => {
    const renamed = { ...usdcOnBase, name: "Bridged" }
    assert.deepStrictEqual(
      Catalog.join(rows([]), rows([usdcOnBase, usdcOnBsc, renamed])),
      rowsOnly([renamed, usdcOnBsc]),
    )
  })
})

describe("Catalog.checkDecimals", () => {
  const check = (earlier: Catalog.Rows, later: Catalog.Brought) =>
    Catalog.checkDecimals(earlier, later, "in stored payments")
  const stored = rows([usdcOnBase, usdcOnBsc])

  it("accepts new rows, missing rows, and rows that changed anything but their decimals", () => {
    for (const assets of [
      [],
      [usdtOnEthereum],
      [usdcOnBase, usdcOnBsc],
      [{ ...usdcOnBase, symbol: "USDC.e", name: "Bridged", peg: null }],
      [{ ...usdcOnBase, token: unknownToken, decimals: 18 }],
    ]) {
      assert.isNull(messageOf(check(stored, rows(assets))))
      assert.isNull(messageOf(check(rows([]), rows(assets))))
    }
  })

  it("refuses a change of a token's decimals, and says which token and what to do", () => {
    const wrong = rows([usdtOnEthereum, usdcOnBsc, { ...usdcOnBase, decimals: 18 }])
    assert.strictEqual(
      messageOf(check(stored, wrong)),
      "USDC (eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913) has 18 decimals here " +
        "and 6 in stored payments: correct the row",
    )
  })

  it("names the token as its family prints it", () => {
    const earlier = { ...Harbour.catalog, assets: [Harbour.coin] }
    const wrong = { ...earlier, assets: [{ ...Harbour.coin, decimals: 4 }] }
    assert.strictEqual(
      messageOf(check(earlier, wrong)),
      "PIER (harbour:north1/coin:PIERCOINMINT00000001) has 4 decimals here " +
        "and 3 in stored payments: correct the row",
    )
  })

  it("compares with the row that replaced an earlier one", () => {
    const corrected = { ...usdcOnBase, decimals: 18 }
    const twice = rows([usdcOnBase, corrected])
    assert.isNull(messageOf(check(twice, rows([corrected]))))
    assert.isNotNull(messageOf(check(twice, rows([usdcOnBase]))))
  })
})

describe("Catalog.conflictIn", () => {
  it("returns the token whose decimals changed with its earlier row, or nothing", () => {
    const wrong = { ...Harbour.coin, decimals: 4 }
    const earlier = rows([usdcOnBase, Harbour.coin])
    const later = rows([usdcOnBase, usdcOnBsc, wrong])
    assert.deepStrictEqual(Catalog.conflictIn(earlier, later), {
      earlier: Harbour.coin,
      asset: wrong,
    })
    assert.isUndefined(Catalog.conflictIn(earlier, rows([usdcOnBase, Harbour.coin])))
    assert.isUndefined(Catalog.conflictIn(rows([]), later))
    assert.isUndefined(Catalog.conflictIn(earlier, rows([])))
  })

  it("does not compare tokens of two namespaces that use the same chain reference", () => {
    const elsewhere = {
      ...Harbour.coin,
      decimals: 9,
      token: { ...Harbour.coin.token, chainId: Harbour.chainId("8453") },
    }
    const here = { ...elsewhere, decimals: 6, token: { ...elsewhere.token, chainId: base.chainId } }
    assert.isUndefined(Catalog.conflictIn(rows([here]), rows([elsewhere])))
  })
})

describe("Catalog.AssetConflict.ofStored", () => {
  it("says what to do if a row contradicts stored payments", () => {
    const { message } = Catalog.AssetConflict.ofStored()
    assert.match(message, /^a token has other decimals .*: correct the row$/u)
  })
})

describe("Catalog.isSame", () => {
  const some = rows([usdcOnBase, usdcOnBsc], [base, bsc])

  it("is true for equal rows in the same order, from any source", () => {
    const copied = rows(
      some.assets.map((each) => ({ ...each, token: { ...each.token } })),
      some.networks.map((each) => ({ ...each, details: { ...each.details } })),
    )
    assert.isTrue(Catalog.isSame(some, copied))
    assert.isTrue(Catalog.isSame(Catalog.make(some), copied))
    assert.isTrue(Catalog.isSame(Catalog.empty, rows([])))
    // A row that does not count makes no difference.
    const twice = rows([{ ...usdcOnBase, name: "Bridged" }, usdcOnBsc, usdcOnBase], some.networks)
    assert.isTrue(Catalog.isSame(twice, some))
  })

  it("is false if a row was added, removed, moved or changed", () => {
    const [first] = some.networks
    assert(first !== undefined)
    const gas = Gas.of(base)
    const detailed = (asset: Asset.Asset, more: Partial<Details.Details>): Asset.Asset => ({
      ...asset,
      details: Details.encode({ ...Details.of(asset), ...more }),
    })
    const others: ReadonlyArray<Catalog.Rows> = [
      rows([]),
      rows([usdcOnBase], some.networks),
      rows(some.assets, [base]),
      rows([...some.assets, usdtOnEthereum], some.networks),
      rows(some.assets.toReversed(), some.networks),
      rows(some.assets, some.networks.toReversed()),
      rows([{ ...usdcOnBase, name: "Bridged" }, usdcOnBsc], some.networks),
      rows([usdcOnBase, detailed(usdcOnBsc, { approveResets: true })], some.networks),
      rows(
        [detailed(usdcOnBase, { issuer: { switches: [], blocklist: null } }), usdcOnBsc],
        some.networks,
      ),
      rows(some.assets, [
        { ...base, details: Gas.encode({ ...gas, priceMax: gas.priceMax + 1n }) },
        bsc,
      ]),
      rows(some.assets, [{ ...base, explorerUrl: null }, bsc]),
    ]
    for (const other of others) {
      assert.isFalse(Catalog.isSame(some, other))
      assert.isFalse(Catalog.isSame(other, some))
    }
  })
})

describe("Catalog.assetsOf", () => {
  it("lists the assets of a chain in order, also those that were served earlier", () => {
    const eurc = Samples.assetOf("EURC", 8453)
    const catalog = Catalog.make(rows([usdcOnBsc, usdcOnBase]), rows([eurc]))
    assert.deepStrictEqual(Catalog.assetsOf(catalog, base.chainId), [eurc, usdcOnBase])
    assert.deepStrictEqual(Catalog.assetsOf(catalog, bsc.chainId), [usdcOnBsc])
    assert.deepStrictEqual(Catalog.assetsOf(catalog, ethereum.chainId), [])
  })
})

describe("Catalog.servedOn", () => {
  it("lists only the assets of a chain that are served now", () => {
    const eurc = Samples.assetOf("EURC", 8453)
    const catalog = Catalog.make(rows([usdcOnBsc, usdcOnBase]), rows([eurc]))
    assert.deepStrictEqual(Catalog.servedOn(catalog, base.chainId), [usdcOnBase])
    assert.deepStrictEqual(Catalog.servedOn(catalog, bsc.chainId), [usdcOnBsc])
  })
})

describe("Catalog.networkName", () => {
  it("is the network's name, or its chain id if the network is unknown", () => {
    const catalog = Catalog.make(rows([], [base]), rows([], [ethereum]))
    assert.strictEqual(Catalog.networkName(catalog, base.chainId), "Base")
    assert.strictEqual(Catalog.networkName(catalog, ethereum.chainId), "Ethereum")
    assert.strictEqual(Catalog.networkName(catalog, bsc.chainId), "chain eip155:56")
  })
})
