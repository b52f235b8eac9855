import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import * as Counts from "@florin/testing/Counts"
import { Schema } from "effect"
import { encodeFunctionData, getAbiItem, padHex, toHex } from "viem/utils"
import * as Abi from "../src/Abi.ts"
import * as Calldata from "../src/Calldata.ts"
import { hex } from "../src/Queries.ts"

describe("Calldata.of", () => {
  const authorized = Calldata.of(getAbiItem({ abi: Abi.eip3009, name: "receiveWithAuthorization" }))
  const authorizedByBytes = Calldata.of(
    getAbiItem({ abi: Abi.eip3009Bytes, name: "receiveWithAuthorization" }),
  )

  it.prop(
    "writes the same bytes as viem, for words and for other arguments",
    { from: Eip155.Address, to: Eip155.Address, value: Money.Quantity, ends: Schema.Int },
    ({ ends, from, to, value }) => {
      const nonce = padHex(toHex(value))
      const args = [hex(from), hex(to), value, 0n, BigInt(Math.abs(ends)), nonce] as const
      const functionName = "receiveWithAuthorization"
      const inParts = [...args, 28, nonce, padHex(hex(to))] as const
      assert.strictEqual(
        authorized(inParts),
        encodeFunctionData({ abi: Abi.eip3009, functionName, args: inParts }),
      )
      const inBytes = [...args, hex(from)] as const
      assert.strictEqual(
        authorizedByBytes(inBytes),
        encodeFunctionData({ abi: Abi.eip3009Bytes, functionName, args: inBytes }),
      )
    },
    { arbitrary: { runs: Counts.of({ usual: 100, full: 5000 }) } },
  )

  it("writes an address with a checksum like the same one without", () => {
    const balanceOf = Calldata.of(getAbiItem({ abi: Abi.erc20, name: "balanceOf" }))
    const address = Caip.Address.make("0x833589fcd6edb6e08f4c7c32d4f71b54bda02913")
    assert.strictEqual(balanceOf([hex(Eip155.formatAddress(address))]), balanceOf([hex(address)]))
  })
})
