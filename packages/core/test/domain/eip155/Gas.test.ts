import { assert, describe, it } from "@effect/vitest"
import * as Gas from "@florin/core/domain/eip155/Gas"
import * as Networks from "@florin/core/domain/eip155/Networks"
import * as Harbour from "../harbour.ts"

/** As a storage gives it back. */
const stored = <A>(row: A): A => JSON.parse(JSON.stringify(row))

describe("Gas", () => {
  it("is read back from a network's row, also after it was stored as JSON", () => {
    for (const network of Networks.all) {
      const gas = Gas.of(network)
      assert.deepStrictEqual(Gas.encode(gas), network.details)
      assert.deepStrictEqual(Gas.of(stored(network)), gas)
      assert.isAbove(Number(gas.priceMax), Number(gas.tipMin))
    }
  })

  it("contains the row's values, and defaults for the rest", () => {
    const gasOf = (name: string) => {
      const network = Networks.all.find((each) => each.name === name)
      return network === undefined ? assert.fail(`there is no ${name}`) : Gas.of(network)
    }
    assert.deepStrictEqual(gasOf("Base"), {
      ...Networks.usualGas,
      priceMax: 10_000_000_000n,
      isDataExtra: true,
      allowance: 50_000_000_000_000n,
    })
    assert.deepStrictEqual(gasOf("Monad"), {
      ...Networks.usualGas,
      priceMax: 500_000_000_000n,
      tipMin: 2_000_000_000n,
      headroom: 5,
      allowance: 2_000_000_000_000_000_000n,
    })
    assert.strictEqual(gasOf("Arbitrum One").most, 20_000_000n)
  })

  it("S1: lets a new network lose a twentieth of the most expensive collection by default", () => {
    const gas = { ...Networks.usualGas, priceMax: 20n }
    assert.strictEqual(Gas.allowanceOf(gas), Gas.usualCollection)
    assert.strictEqual(Gas.allowanceOf({ ...gas, allowance: 7n }), 7n)
    assert.strictEqual(Gas.allowanceOf({ ...gas, allowance: 0n }), 0n)
  })

  it("is in the rows of EVM networks, and in no row of another family", () => {
    for (const network of Networks.all) assert.isTrue(Gas.isIn(network))
    assert.isFalse(Gas.isIn(Harbour.network))
  })

  it("causes a defect if it is read from the row of another family", () => {
    assert.throws(() => Gas.of(Harbour.network))
  })
})
