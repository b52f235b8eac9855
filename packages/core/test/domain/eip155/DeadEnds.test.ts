import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as DeadEnds from "@florin/core/domain/eip155/DeadEnds"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"

const ofChain = "a precompile or system contract"
const what = (digits: string) => DeadEnds.of(Caip.Address.make(`0x${digits}`))

describe("DeadEnds.of", () => {
  it.each([
    ["0".repeat(40), "the zero address"],
    [`${"0".repeat(36)}dead`, "an address for burning tokens"],
    ["e".repeat(40), "what some wallets write for a chain's own coin"],
    [Eip155.permit2Address.slice(2), "the Permit2 contract"],
    [`${"0".repeat(39)}1`, ofChain],
    [`${"0".repeat(38)}ff`, ofChain],
    [`${"0".repeat(36)}ffff`, ofChain],
    [`42${"0".repeat(38)}`, ofChain],
    [`42${"0".repeat(35)}7ff`, ofChain],
  ])("S15: 0x%s is %s", (digits, name) => {
    assert.strictEqual(what(digits), name)
  })

  it.each([
    `${"0".repeat(35)}10000`,
    `42${"0".repeat(34)}1000`,
    `43${"0".repeat(38)}`,
    `${"e".repeat(39)}f`,
    `${"0".repeat(35)}1dead`,
    "fb6916095ca1df60bb79ce92ce3ea74c37c5d359",
  ])("S15: accepts 0x%s as an ordinary account", (digits) => {
    assert.isUndefined(what(digits))
  })

  it("is what the EVM family uses for its addresses", () => {
    assert.strictEqual(Eip155.family.deadEnd, DeadEnds.of)
  })
})
