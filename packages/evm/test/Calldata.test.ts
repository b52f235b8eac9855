import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import * as Counts from "@florin/testing/Counts"
import { Schema } from "effect"
import { encodeFunctionData, padHex, parseAbiItem, toHex } from "viem/utils"
import * as Calldata from "../src/read/Calldata.ts"
import { hex } from "../src/read/Queries.ts"

describe("Calldata.of", () => {
  const inParts = parseAbiItem("function take(address, address, uint256, uint8, bytes32)")
  const inBytes = parseAbiItem("function take(address, address, uint256, bytes)")

  it.prop(
    "writes the same bytes as viem, for words and for other arguments",
    { from: Eip155.Address, to: Eip155.Address, value: Money.Quantity, ends: Schema.Int },
    ({ ends, from, to, value }) => {
      const nonce = padHex(toHex(value))
      const words = [hex(from), hex(to), BigInt(Math.abs(ends)), 28, nonce] as const
      assert.strictEqual(
        Calldata.of(inParts)(words),
        encodeFunctionData({ abi: [inParts], args: words }),
      )
      const others = [hex(from), hex(to), value, hex(from)] as const
      assert.strictEqual(
        Calldata.of(inBytes)(others),
        encodeFunctionData({ abi: [inBytes], args: others }),
      )
    },
    { arbitrary: { runs: Counts.of({ usual: 100, full: 5000 }) } },
  )

  it("writes an address with a checksum like the same one without", () => {
    const balanceOf = Calldata.of(parseAbiItem("function balanceOf(address owner)"))
    const address = Caip.Address.make("0x833589fcd6edb6e08f4c7c32d4f71b54bda02913")
    assert.strictEqual(balanceOf([hex(Eip155.formatAddress(address))]), balanceOf([hex(address)]))
  })
})
