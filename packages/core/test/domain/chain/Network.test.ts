import { assert, describe, it } from "@effect/vitest"
import * as Network from "@florin/core/domain/chain/Network"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Schema from "effect/Schema"

const isNetwork = Schema.is(Network.Network)
const [ethereum] = BuiltIn.catalog.networks
const isGood = (overrides: Partial<Record<keyof Network.Network, unknown>>) =>
  isNetwork({ ...ethereum, ...overrides })

describe("Network", () => {
  it("accepts every built-in row, and reads it back after it was stored", () => {
    const json = Schema.fromJsonString(Schema.toCodecJson(Network.Network))
    for (const network of BuiltIn.catalog.networks) {
      assert.isTrue(isNetwork(network))
      const text = Schema.encodeSync(json)(network)
      assert.deepStrictEqual(Schema.decodeSync(json)(text), network)
    }
  })

  it("has a name that can be displayed", () => {
    for (const name of ["Base", "OP Mainnet", "X (1.0)", "Zürich", "n".repeat(40)]) {
      assert.isTrue(isGood({ name }), name)
    }
    for (const name of ["", " Base", "<b>", "a\nb", "a&b", "n".repeat(41)]) {
      assert.isFalse(isGood({ name }), name)
    }
  })

  it("has an icon that fits into a path", () => {
    for (const icon of ["base", "op-2"]) assert.isTrue(isGood({ icon }), icon)
    for (const icon of ["", "../base", "Base", "a/b", "a.svg"])
      assert.isFalse(isGood({ icon }), icon)
  })

  it("has an explorer on https, or none", () => {
    for (const explorerUrl of ["https://etherscan.io/tx/", null]) {
      assert.isTrue(isGood({ explorerUrl }))
    }
    for (const explorerUrl of [
      "",
      "http://etherscan.io/tx/",
      "javascript:1",
      'https://x/"',
      "https://x y/",
    ]) {
      assert.isFalse(isGood({ explorerUrl }), explorerUrl)
    }
  })

  it("has a finality policy: the chain's own, or at least one block", () => {
    for (const finality of ["finalized", "safe", 1, 12]) assert.isTrue(isGood({ finality }))
    for (const finality of ["latest", 0, -1, 1.5]) assert.isFalse(isGood({ finality }))
  })

  it("has a duration in whole seconds, and a minimum amount of 0 or more", () => {
    for (const etaInS of [0, -1, 0.5]) assert.isFalse(isGood({ etaInS }))
    assert.isTrue(isGood({ etaInS: 1, minimum: 0 }))
    for (const minimum of [-0.01, Number.POSITIVE_INFINITY]) assert.isFalse(isGood({ minimum }))
  })
})
