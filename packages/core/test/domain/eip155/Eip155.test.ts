import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Family from "@florin/core/domain/chain/Family"
import * as Assets from "@florin/core/domain/eip155/Assets"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Malformed from "@florin/core/domain/ground/Malformed"
import * as Money from "@florin/core/domain/ground/Money"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Samples from "../samples.ts"

const refusal = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))
const value = <A, E>(result: Result.Result<A, E>): A => Result.getOrThrow(result)

const refused = (result: Result.Result<unknown, Malformed.Malformed>, message: string) => {
  const error = refusal(result)
  assert.strictEqual(error._tag, "Malformed")
  assert.strictEqual(error.message, message)
}

/** The test vectors of EIP-55. */
const upperCase = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
]
const lowerCase = [
  "0xde709f2102306220921060314715629080e2fb77",
  "0x27b1fdb04752bbc536007a920d24acb045561c26",
]
const mixedCase = [
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
]
const vectors = [...upperCase, ...lowerCase, ...mixedCase]

const addressForm = "an address is 0x and 40 hex digits"
const checksumWrong = "the address has a wrong EIP-55 checksum: copy it again"
const chainForm = "a chain is <namespace>:<chain id>"
const assetShape = "an asset is <namespace>:<chain id>/<kind>:<contract>"
const foreign = (namespace: string) => `namespace ${namespace} is not supported: use eip155`
const referenceForm = "the chain id after eip155: is a decimal number without leading zeros"
const assetForm = "an asset is eip155:<chain id>/erc20:<contract>"

const address = (text: string) => Caip.Address.make(text.toLowerCase())
const chain = Eip155.chainId
const parseAnyAccount = (text: string, checksum?: Family.Checksum) =>
  Family.parseAnyAccount(Eip155.knownFamilies, text, checksum)
const flipped = (character: string) =>
  character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase()

describe("Eip155 addresses", () => {
  it.each(vectors)("prints and reads the EIP-55 vector %s", (vector) => {
    assert.strictEqual(Eip155.formatAddress(address(vector)), vector)
    assert.strictEqual(value(Eip155.parseAddress(vector)), vector.toLowerCase())
    assert.strictEqual(value(Eip155.parseAddress(vector, "ignored")), vector.toLowerCase())
  })

  it("reads an address in lower or upper case without a checksum", () => {
    for (const vector of vectors) {
      const digits = vector.slice(2)
      for (const text of [`0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`]) {
        assert.strictEqual(value(Eip155.parseAddress(text)), vector.toLowerCase())
      }
    }
    assert.strictEqual(value(Eip155.parseAddress(`0x${"1".repeat(40)}`)), `0x${"1".repeat(40)}`)
  })

  it("refuses a checksum with one letter in the wrong case, unless the caller ignores it", () => {
    for (const vector of mixedCase) {
      for (let index = 2; index < vector.length; index++) {
        const letter = vector.charAt(index)
        if (/[0-9]/u.test(letter)) continue
        const broken = vector.slice(0, index) + flipped(letter) + vector.slice(index + 1)
        assert.strictEqual(refusal(Eip155.parseAddress(broken)), checksumWrong)
        assert.strictEqual(refusal(Eip155.parseAddress(broken, "enforced")), checksumWrong)
        assert.strictEqual(value(Eip155.parseAddress(broken, "ignored")), vector.toLowerCase())
      }
    }
  })

  const digits = "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
  it.prop(
    "reads 0x and 40 hex digits, and no hostile text",
    [HostileText.near([`0x${digits}`, digits, `0X${digits}`])],
    ([text]) => {
      const parsed = Eip155.parseAddress(text, "ignored")
      const isAddress = /^0x[0-9a-fA-F]{40}$/u.test(text)
      assert.deepStrictEqual(
        parsed,
        isAddress ? Result.succeed(address(text)) : Result.fail(addressForm),
      )
      if (!isAddress) assert.strictEqual(refusal(Eip155.parseAddress(text)), addressForm)
    },
    { arbitrary: { runs: Counts.of({ usual: 1000, full: 50_000 }) } },
  )

  it("stores addresses in lower case only", () => {
    const is = Schema.is(Eip155.Address)
    assert.isTrue(is(lowerCase[0]))
    for (const text of [
      ...mixedCase,
      `0${lowerCase[0]}`,
      `${lowerCase[0]}0`,
      `${lowerCase[0]}\n`,
      "0x",
      1,
    ]) {
      assert.isFalse(is(text))
    }
  })

  it.prop(
    "reads back what it prints",
    [Eip155.Address],
    ([each]) => {
      const printed = Eip155.formatAddress(each)
      assert.strictEqual(printed.toLowerCase(), each)
      assert.strictEqual(value(Eip155.parseAddress(printed)), each)
    },
    { arbitrary: { runs: Counts.of({ usual: 200, full: 20_000 }) } },
  )
})

describe("Eip155.permit2Address", () => {
  it("is the canonical Permit2, whose domain has no version", () => {
    assert.strictEqual(
      Eip155.formatAddress(Eip155.permit2Address),
      "0x000000000022D473030F116dDEE9F6B43aC78BA3",
    )
  })
})

describe("Eip155 chains", () => {
  it("reads and prints chain ids up to the largest safe integer", () => {
    for (const id of [1, 9, 10, 137, 8453, 42161, 999_999_999_999_999, Number.MAX_SAFE_INTEGER]) {
      const chainId = value(Eip155.parseChain(`eip155:${id}`))
      assert.strictEqual(chainId, chain(id))
      assert.strictEqual(chainId, `eip155:${id}`)
      assert.strictEqual(Eip155.numberOf(chainId), id)
    }
  })

  it("refuses texts that are not chains, and chains of other namespaces", () => {
    for (const text of [
      "",
      "eip155",
      "eip155:1:2",
      "EIP155:1",
      " eip155:1",
      "eip155:1.0",
      "eip155:１",
    ]) {
      refused(Eip155.parseChain(text), chainForm)
    }
    for (const namespace of ["eip15", "solana", "eip1555"]) {
      refused(Eip155.parseChain(`${namespace}:1`), foreign(namespace))
    }
  })

  const wrongReference =
    "0 01 -1 1e3 0x1 1_000 9007199254740992 9999999999999999 10000000000000000".split(" ")
  it.each(wrongReference)("refuses the chain id %j", (reference) => {
    refused(Eip155.parseChain(`eip155:${reference}`), referenceForm)
  })
})

describe("Eip155 accounts", () => {
  const vector = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
  const lower = vector.toLowerCase()
  const wrong = `0x5A${vector.slice(4)}`

  it("reads an account in any case and prints it with its checksum", () => {
    const account = value(Eip155.parseAccount(`eip155:8453:${vector}`))
    assert.deepStrictEqual(account, { chainId: chain(8453), address: address(vector) })
    assert.deepStrictEqual(value(Eip155.parseAccount(`eip155:8453:${lower}`)), account)
    assert.strictEqual(Eip155.formatAccount(account), `eip155:8453:${vector}`)
    assert.deepStrictEqual(value(parseAnyAccount(`eip155:8453:${vector}`)), account)
  })

  it("refuses a wrong checksum unless the caller ignores it", () => {
    refused(Eip155.parseAccount(`eip155:1:${wrong}`), checksumWrong)
    refused(parseAnyAccount(`eip155:1:${wrong}`), checksumWrong)
    const ignored = value(Eip155.parseAccount(`eip155:1:${wrong}`, "ignored"))
    assert.strictEqual(ignored.address, lower)
    assert.deepStrictEqual(value(parseAnyAccount(`eip155:1:${wrong}`, "ignored")), ignored)
  })

  it("refuses an EVM account with a wrong chain id or address", () => {
    for (const reference of ["0", "01", "-1", "abc", "1".repeat(17), "9007199254740992"]) {
      refused(parseAnyAccount(`eip155:${reference}:${lower}`), referenceForm)
    }
    for (const text of ["", "0x", "abc", `${lower}0`, `${lower} `, `${lower}:`, `${lower}:x`]) {
      refused(parseAnyAccount(`eip155:1:${text}`), addressForm)
    }
  })

  it("compares chain and address", () => {
    const account = value(Eip155.parseAccount(`eip155:1:${vector}`))
    assert.isTrue(Caip.sameAccount(account, value(Eip155.parseAccount(`eip155:1:${lower}`))))
    assert.isFalse(Caip.sameAccount(account, value(Eip155.parseAccount(`eip155:2:${lower}`))))
    assert.isFalse(
      Caip.sameAccount(account, value(Eip155.parseAccount(`eip155:1:${lowerCase[0]}`))),
    )
  })
})

describe("Eip155 tokens", () => {
  const contract = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
  const lower = contract.toLowerCase()
  const wrong = `0xa0${contract.slice(4)}`

  it("reads a token in any case and prints it with its checksum", () => {
    const token = value(Eip155.parseToken(`eip155:1/erc20:${contract}`))
    assert.deepStrictEqual(token, { chainId: chain(1), address: address(contract) })
    assert.deepStrictEqual(value(Eip155.parseToken(`eip155:1/erc20:${lower}`)), token)
    assert.strictEqual(Eip155.formatToken(token), `eip155:1/erc20:${contract}`)
  })

  it("refuses a wrong checksum unless the caller ignores it", () => {
    refused(Eip155.parseToken(`eip155:1/erc20:${wrong}`), checksumWrong)
    assert.strictEqual(
      value(Eip155.parseToken(`eip155:1/erc20:${wrong}`, "ignored")).address,
      lower,
    )
  })

  const cases = [
    ["", assetShape],
    [`eip155:1/erc20:${lower}/1`, addressForm],
    [`eip155:1/slip44:60`, assetForm],
    [`eip155:1/ERC20:${lower}`, assetShape],
    [`solana:1/erc20:${lower}`, foreign("solana")],
    [`eip155:01/erc20:${lower}`, referenceForm],
    [`eip155:1/erc20:${lower}0`, addressForm],
  ] as const
  it.each(cases)("refuses %j", (text, message) => {
    refused(Eip155.parseToken(text), message)
  })

  it("compares chain and contract", () => {
    const token = value(Eip155.parseToken(`eip155:1/erc20:${contract}`))
    assert.isTrue(Caip.sameToken(token, { ...token }))
    assert.isFalse(Caip.sameToken(token, { ...token, chainId: chain(2) }))
    assert.isFalse(Caip.sameToken(token, { ...token, address: address(`0x${"0".repeat(40)}`) }))
  })
})

describe("The flows of EVM chains", () => {
  it("are the family's ways to pay", () => {
    assert.sameMembers(Object.keys(Eip155.family.ways), [...Eip155.flows])
    assert.includeMembers([...Eip155.flows], [...Eip155.usualFlows])
  })

  it("are by default the token's own authorization or Permit2, not a plain transfer", () => {
    assert.deepStrictEqual([...Eip155.usualFlows], ["eip3009", "permit2"])
    const usual: ReadonlyArray<string> = Eip155.usualFlows
    for (const { flow, symbol } of Assets.all) assert.isTrue(usual.includes(flow), symbol)
  })

  it("leave no option open with an unknown flow", () => {
    const [asset] = Assets.all
    if (asset === undefined) return assert.fail("no asset")
    for (const flow of ["", "pledge", "EIP3009", "__proto__", "constructor"]) {
      const option = Samples.option({ flow })
      assert.isFalse(
        Eip155.family.isOpen({ asset, option }, ["eip3009"], Money.zero, Money.zero),
        flow,
      )
    }
  })
})

describe("Eip155.family", () => {
  const { family } = Eip155

  it("has a way to pay for each of its flows, and no other", () => {
    assert.sameMembers(Object.keys(family.ways), [...Eip155.flows])
    const named = (holds: (way: Family.Way) => boolean) =>
      Eip155.flows.filter((flow) => {
        const way = family.ways[flow]
        return way !== undefined && holds(way)
      })
    assert.deepStrictEqual(
      named(({ sentBy }) => sentBy === "payer"),
      ["transfer"],
    )
    assert.deepStrictEqual(
      named(({ isNumbered }) => isNumbered === true),
      ["permit"],
    )
  })

  it("reads outputs, and spells signatures as EVM wallets do", () => {
    const [r, s] = ["ab".repeat(32), `7${"c".repeat(63)}`]
    const signature = `0x${r}${s}1b`
    assert.strictEqual(family.spelled(`0x${r}${s}00`), signature)
    assert.deepStrictEqual(
      family.readOutputs("eip3009", [signature]),
      Result.succeed({ _tag: "Authorized", signature, approvals: [] } as const),
    )
    assert.isTrue(Result.isFailure(family.readOutputs("transfer", [signature])))
  })
})
