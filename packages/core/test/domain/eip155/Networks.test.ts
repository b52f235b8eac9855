import { assert, describe, it } from "@effect/vitest"
import * as Assets from "@florin/core/domain/eip155/Assets"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Networks from "@florin/core/domain/eip155/Networks"

describe("Networks", () => {
  it("lists the built-in networks", () => {
    assert.deepStrictEqual(
      Networks.all.map((each) => [
        Eip155.numberOf(each.chainId),
        each.name,
        each.icon,
        each.explorerUrl,
      ]),
      [
        [1, "Ethereum", "ethereum", "https://etherscan.io/tx/"],
        [10, "OP Mainnet", "optimism", "https://optimistic.etherscan.io/tx/"],
        [56, "BNB Smart Chain", "bsc", "https://bscscan.com/tx/"],
        [137, "Polygon", "polygon", "https://polygonscan.com/tx/"],
        [143, "Monad", "monad", "https://monadscan.com/tx/"],
        [8453, "Base", "base", "https://basescan.org/tx/"],
        [42161, "Arbitrum One", "arbitrum", "https://arbiscan.io/tx/"],
        [42220, "Celo", "celo", "https://celoscan.io/tx/"],
      ],
    )
  })

  it("has a network for every asset and an asset on every network", () => {
    assert.deepStrictEqual(
      new Set(Assets.all.map((each) => each.token.chainId)),
      new Set(Networks.all.map((each) => each.chainId)),
    )
  })

  it("finds a network by its chain id, and nothing for another id", () => {
    for (const each of Networks.all) assert.strictEqual(BuiltIn.catalog.network(each.chainId), each)
    assert.isUndefined(BuiltIn.catalog.network(Eip155.chainId(2)))
  })

  it("has a duration in whole seconds, and an icon that fits into a path", () => {
    for (const each of Networks.all) {
      assert.isTrue(Number.isInteger(each.etaInS) && each.etaInS > 0)
      assert.match(each.icon, /^[a-z0-9]+$/u)
    }
  })
})
