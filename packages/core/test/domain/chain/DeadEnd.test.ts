import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as DeadEnd from "@florin/core/domain/chain/DeadEnd"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import * as Result from "effect/Result"
import * as Harbour from "../harbour.ts"
import * as Samples from "../samples.ts"

const { catalog } = Harbour
const [base, north] = [Eip155.chainId(8453), Harbour.network.chainId]
const known: DeadEnd.Known = {
  catalog,
  accounts: [
    { chainId: base, address: Samples.collector },
    { chainId: north, address: Harbour.collector },
  ],
}

const zero = `0x${"0".repeat(40)}`
const bottom = "z".repeat(20)
const what = (chainId: Caip.ChainId, address: string, of = known) =>
  DeadEnd.of({ chainId, address: Caip.Address.make(address) }, of)

describe("DeadEnd.of", () => {
  it("is an address that its family says nobody owns, on all chains of the family", () => {
    for (const chainId of [base, Eip155.chainId(1), Eip155.chainId(424_242)]) {
      assert.strictEqual(what(chainId, zero), "the zero address")
      assert.strictEqual(what(chainId, Eip155.permit2Address), "the Permit2 contract")
    }
    for (const chainId of [north, Harbour.chainId("8453"), Harbour.chainId("south")]) {
      assert.strictEqual(what(chainId, bottom), "the bottom of the sea")
    }
  })

  it("is not an address that only another family says nobody owns", () => {
    assert.isUndefined(what(north, zero))
    assert.isUndefined(what(north, Eip155.permit2Address))
    assert.isUndefined(what(base, bottom))
    assert.isUndefined(what(Caip.ChainId.make("solana:main"), zero))
    assert.isUndefined(what(north, bottom, { ...known, catalog: Samples.catalog }))
  })

  it("is one of the service's accounts, on any chain of any family", () => {
    for (const [chainId, address] of [
      [base, Samples.collector],
      [Eip155.chainId(1), Samples.collector],
      [north, Harbour.collector],
      [Harbour.chainId("south"), Harbour.collector],
    ] as const) {
      assert.strictEqual(what(chainId, address), "an account of this payment service")
      assert.isUndefined(what(chainId, address, { ...known, accounts: [] }))
    }
  })

  it("is a token's contract on the token's own chain, even if the token was removed", () => {
    const removed = Catalog.make({ ...catalog, assets: [] }, catalog)
    for (const each of [known, { ...known, catalog: removed }]) {
      assert.strictEqual(what(base, Samples.usdcOnBase.token.address, each), "the contract of USDC")
      assert.strictEqual(what(north, Harbour.coin.token.address, each), "the contract of PIER")
      assert.isUndefined(what(Harbour.chainId("south"), Harbour.coin.token.address, each))
      assert.isUndefined(what(Harbour.chainId("8453"), Samples.usdcOnBase.token.address, each))
    }
  })

  it("is not an ordinary account", () => {
    assert.isUndefined(what(base, Samples.payer))
    assert.isUndefined(what(north, Harbour.payer))
  })
})

describe("DeadEnd of a destination", () => {
  it("S15: refuses a dead end of any family, in any spelling", () => {
    for (const [address, name] of [
      [bottom.toUpperCase(), "the bottom of the sea"],
      [Harbour.collector.toUpperCase(), "an account of this payment service"],
      [Harbour.coin.token.address.toUpperCase(), "the contract of PIER"],
    ] as const) {
      const checked = SettlementDestination.readDestination(`${north}:${address}`, known)
      assert(Result.isFailure(checked))
      assert.deepStrictEqual(
        checked.failure.issues.map(({ message }) => message),
        [`the destination is ${name}: use an account of the merchant`],
      )
    }
    assert.deepStrictEqual(
      SettlementDestination.readDestination(`${north}:${Harbour.payer}`, known),
      Result.succeed({ chainId: Harbour.network.chainId, address: Harbour.payer }),
    )
  })
})
