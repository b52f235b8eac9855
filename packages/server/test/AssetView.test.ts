import { assert, describe, it } from "@effect/vitest"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Harbour from "@florin/testing/harbour/Harbour"
import * as AssetView from "../src/views/AssetView.ts"

describe("AssetView.asset", () => {
  it("shows a token that is not on an EVM chain in its family's notation, with its own flows", () => {
    const [asset = assert.fail("no token")] = Harbour.catalog.assets
    const network = Harbour.catalog.network(asset.token.chainId) ?? assert.fail("no network")
    const display = { publicUrl: "https://pay.example.com", catalog: Harbour.catalog }
    const accepted = {
      asset,
      network,
      flows: [asset.flow, "hand"],
      minimum: Fixtures.quantity(5n),
      reason: null,
    } as const
    const shown = AssetView.asset(accepted, display)
    assert.deepInclude(shown, { flows: [asset.flow, "hand"], minimum: "5", isOffered: true })
    assert.strictEqual(shown.asset, `${asset.token.chainId}/coin:${asset.token.address}`)
    assert.strictEqual(shown.network.id, "harbour:north")
  })
})
