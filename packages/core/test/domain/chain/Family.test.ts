import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Family from "@florin/core/domain/chain/Family"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Malformed from "@florin/core/domain/ground/Malformed"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Result from "effect/Result"
import * as Harbour from "../harbour.ts"
import * as Samples from "../samples.ts"

const { catalog } = Harbour

const value = <A, E>(result: Result.Result<A, E>): A => Result.getOrThrow(result)

const refused = (result: Result.Result<unknown, Malformed.Malformed>, message: string) => {
  const error = Result.getOrThrow(Result.flip(result))
  assert.strictEqual(error._tag, "Malformed")
  assert.strictEqual(error.message, message)
}

const evm = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
const wrongEvm = "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
const berth = "Quay7Berth3Fisherman"
const capitals = berth.toUpperCase()

const evmForm = "an address is 0x and 40 hex digits"
const evmChecksum = "the address has a wrong EIP-55 checksum: copy it again"
const evmReference = "the chain id after eip155: is a decimal number without leading zeros"
const berthForm = "a berth is 20 to 40 letters and digits"
const harbourReference = "a harbour is named by letters and digits"
const chainForm = "a chain is <namespace>:<chain id>"
const accountForm = "an account is <namespace>:<chain id>:<address>"
const assetForm = "an asset is <namespace>:<chain id>/<kind>:<contract>"
const foreign = (namespace: string) =>
  `namespace ${namespace} is not supported: use eip155 or harbour`

const accountOf = (chainId: string, address: string): Caip.Account => ({
  chainId: Caip.ChainId.make(chainId),
  address: Caip.Address.make(address),
})

describe("Family.of", () => {
  it("returns the family of a chain's namespace, or nothing", () => {
    assert.strictEqual(Family.of(catalog, Eip155.chainId(8453)), Eip155.family)
    assert.strictEqual(Family.of(catalog, Harbour.chainId("8453")), Harbour.family)
    for (const text of ["solana:1", "eip1555:1", "harbou:1", "harbour2:1"]) {
      assert.isUndefined(Family.of(catalog, Caip.ChainId.make(text)), text)
    }
    assert.isUndefined(Family.of(Eip155.knownFamilies, Harbour.chainId("north1")))
    assert.isUndefined(Family.of(Catalog.empty, Eip155.chainId(8453)))
  })
})

describe("Family flows", () => {
  const drawing: Family.Family = {
    ...Harbour.family,
    ways: { ...Harbour.family.ways, chit: { sentBy: "us", drawsOnAllowance: true } },
  }

  it("lists the flows that the wallet sends, and those that use an allowance", () => {
    assert.deepStrictEqual(Family.flowsSentBy(drawing, "payer"), ["hand"])
    assert.deepStrictEqual(Family.drawingFlows(drawing), ["chit"])
    assert.deepStrictEqual(Family.drawingFlows(Harbour.family), [])
  })

  it("on EVM chains, lists the flows that the payer only signs, and those that use an allowance", () => {
    assert.deepStrictEqual(Family.flowsSentBy(Eip155.family, "payer"), ["transfer"])
    assert.deepStrictEqual(Family.flowsSentBy(Eip155.family, "us"), [
      "eip3009",
      "permit2",
      "permit",
    ])
    assert.deepStrictEqual(Family.drawingFlows(Eip155.family), ["permit2"])
  })

  it("returns nothing for flows that the family does not have, such as toString", () => {
    for (const flow of ["hand", "toString", "__proto__", ""]) {
      assert.isUndefined(Family.wayOf(Eip155.family, flow), flow)
    }
  })
})

describe("Family.parseChain", () => {
  it("reads chains of every installed family by its own rules", () => {
    for (const text of [
      "eip155:8453",
      "harbour:8453",
      "harbour:north1",
      "harbour:NORTH1",
      `harbour:${"a".repeat(32)}`,
    ]) {
      assert.strictEqual(value(Family.parseChain(catalog, text)), text)
    }
  })

  it("reads the same reference in two namespaces as two chains", () => {
    const [one, other] = ["eip155:8453", "harbour:8453"].map((text) =>
      value(Family.parseChain(catalog, text)),
    )
    assert.notStrictEqual(one, other)
    assert.strictEqual(one, Eip155.chainId(8453))
    assert.strictEqual(other, Harbour.chainId("8453"))
  })

  it.each([
    ["eip155:north1", evmReference],
    ["eip155:08453", evmReference],
    ["harbour:north-1", harbourReference],
    ["harbour:north_1", harbourReference],
    ["solana:north1", foreign("solana")],
    ["eip1555:1", foreign("eip1555")],
    ["harbour:", chainForm],
  ])("refuses the chain %j", (text, message) => {
    refused(Family.parseChain(catalog, text), message)
  })

  it("names the supported namespace in the error if there is only one", () => {
    refused(
      Family.parseChain(Eip155.knownFamilies, "harbour:north1"),
      "namespace harbour is not supported: use eip155",
    )
  })
})

describe("Family.parseAccount", () => {
  it("reads an account in its family's spellings, and prints it as the family does", () => {
    for (const [text, held, printed] of [
      [`eip155:8453:${evm}`, evm.toLowerCase(), evm],
      [`eip155:8453:${evm.toLowerCase()}`, evm.toLowerCase(), evm],
      [`harbour:north1:${berth}`, berth.toLowerCase(), capitals],
      [`harbour:north1:${capitals}`, berth.toLowerCase(), capitals],
      [`harbour:north1:${berth.toLowerCase()}`, berth.toLowerCase(), capitals],
    ] as const) {
      const chain = text.slice(0, text.lastIndexOf(":"))
      for (const parse of [Family.parseAccount, Family.parseAnyAccount]) {
        assert.deepStrictEqual(value(parse(catalog, text)), accountOf(chain, held))
      }
      assert.strictEqual(
        Family.formatAccount(catalog, accountOf(chain, held)),
        `${chain}:${printed}`,
      )
      assert.strictEqual(Family.formatAddress(catalog, accountOf(chain, held)), printed)
    }
  })

  it("checks the checksum unless the caller ignores it", () => {
    for (const parse of [Family.parseAccount, Family.parseAnyAccount]) {
      refused(parse(catalog, `eip155:1:${wrongEvm}`), evmChecksum)
      refused(parse(catalog, `eip155:1:${wrongEvm}`, "enforced"), evmChecksum)
      assert.deepStrictEqual(
        value(parse(catalog, `eip155:1:${wrongEvm}`, "ignored")),
        accountOf("eip155:1", evm.toLowerCase()),
      )
    }
  })

  it.each([
    [`harbour:north1:${evm}`, berthForm],
    [`eip155:8453:${berth}`, evmForm],
    [`harbour:north1:${"a".repeat(19)}`, berthForm],
    [`harbour:north1:${"a".repeat(41)}`, berthForm],
    [`harbour:north1:${berth}:`, berthForm],
    [`harbour:north1:${berth}\n`, berthForm],
    ["harbour:north1:", berthForm],
    [`harbour:north-1:${berth}`, harbourReference],
    [`eip155:north1:${evm}`, evmReference],
    ["harbour:north1", accountForm],
  ])("refuses the account %j", (text, message) => {
    refused(Family.parseAccount(catalog, text), message)
    refused(Family.parseAnyAccount(catalog, text), message)
  })

  it("accepts the longest and the shortest address of the family", () => {
    for (const length of [20, 40]) {
      const text = `harbour:north1:${"a".repeat(length)}`
      assert.strictEqual(value(Family.parseAccount(catalog, text)).address, "a".repeat(length))
    }
  })

  const others = [
    ["solana", "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv"],
    ["bip122", "000000000019d6689c085ae165831e93", "128Lkh3S7CkDTBZ8W7BbpsN3YYizJMp8p6"],
    ["cosmos", "cosmoshub-3", "cosmos1t2uflqwqe0fsj0shcfkrvpukewcw40yjj6hdc0"],
    ["hedera", "mainnet", "0.0.1234567890-zbhlt"],
    ["abc", "a", "a"],
    ["-bcdefg8", "_".repeat(32), "%".repeat(128)],
  ] as const
  it.each(others)(
    "recognizes a %s account by its form, and does not support it",
    (namespace, chain, address) => {
      const text = `${namespace}:${chain}:${address}`
      assert.isNull(value(Family.parseAnyAccount(catalog, text)))
      assert.isNull(value(Family.parseAnyAccount(catalog, text, "ignored")))
      refused(Family.parseAccount(catalog, text), foreign(namespace))
    },
  )

  it("treats accounts of a family without its adapter as unsupported", () => {
    const text = `harbour:north1:${berth}`
    assert.isNull(value(Family.parseAnyAccount(Eip155.knownFamilies, text)))
    refused(
      Family.parseAccount(Eip155.knownFamilies, text),
      "namespace harbour is not supported: use eip155",
    )
    // It does not know what an account is there.
    assert.isNull(value(Family.parseAnyAccount(Eip155.knownFamilies, "harbour:north-1:a")))
  })

  it("refuses an unsupported account if CAIP-10 does not allow its address", () => {
    for (const address of ["", "a b", "a/b", "a:b", "a_b", "é", "a\n", "\0", "a".repeat(129)]) {
      refused(
        Family.parseAnyAccount(catalog, `solana:main:${address}`),
        "the address has characters that CAIP-10 does not allow",
      )
    }
  })
})

describe("Family.parseToken", () => {
  it("reads a token in its family's spellings, and prints it as the family does", () => {
    for (const [chain, standard, text, held, printed] of [
      ["eip155:1", "erc20", evm, evm.toLowerCase(), evm],
      ["eip155:1", "erc20", evm.toLowerCase(), evm.toLowerCase(), evm],
      ["harbour:north1", "coin", berth, berth.toLowerCase(), capitals],
      ["harbour:1", "coin", capitals, berth.toLowerCase(), capitals],
    ] as const) {
      const token = accountOf(chain, held)
      assert.deepStrictEqual(
        value(Family.parseToken(catalog, `${chain}/${standard}:${text}`)),
        token,
      )
      assert.strictEqual(Family.formatToken(catalog, token), `${chain}/${standard}:${printed}`)
    }
  })

  it("reads back every token of a catalog of two families", () => {
    for (const { token } of catalog.assets) {
      const printed = Family.formatToken(catalog, token)
      assert.deepStrictEqual(value(Family.parseToken(catalog, printed)), token)
    }
    assert.strictEqual(
      Family.formatToken(catalog, Harbour.coin.token),
      "harbour:north1/coin:PIERCOINMINT00000001",
    )
    assert.strictEqual(
      Family.formatToken(catalog, Samples.usdcOnBase.token),
      "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    )
  })

  it("checks the checksum unless the caller ignores it", () => {
    refused(Family.parseToken(catalog, `eip155:1/erc20:${wrongEvm}`), evmChecksum)
    const ignored = Family.parseToken(catalog, `eip155:1/erc20:${wrongEvm}`, "ignored")
    assert.strictEqual(value(ignored).address, evm.toLowerCase())
  })

  it.each([
    [`eip155:1/coin:${evm}`, "an asset is eip155:<chain id>/erc20:<contract>"],
    [`harbour:north1/erc20:${berth}`, "an asset is harbour:<chain id>/coin:<contract>"],
    ["eip155:1/slip44:60", "an asset is eip155:<chain id>/erc20:<contract>"],
    [`eip155:1/erc20:${berth}`, evmForm],
    [`harbour:north1/coin:${evm}`, berthForm],
    [`harbour:north1/coin:${berth}/1`, berthForm],
    ["harbour:north1/coin:", berthForm],
    [`eip155:north1/erc20:${evm}`, evmReference],
    [`harbour:north_1/coin:${berth}`, harbourReference],
    ["solana:main/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", foreign("solana")],
    [`solana:main/coin:${berth}`, foreign("solana")],
    [`harbour:north1/${berth}`, assetForm],
    [`caip19/harbour:north1/coin:${berth}`, assetForm],
  ])("refuses the token %j", (text, message) => {
    refused(Family.parseToken(catalog, text), message)
    refused(Family.parseToken(catalog, text, "ignored"), message)
  })
})

describe("Family formatting without the family's adapter", () => {
  it('prints the stored address, and the generic standard "token"', () => {
    const account = accountOf("solana:main", "7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv")
    assert.strictEqual(Family.formatAddress(catalog, account), account.address)
    assert.strictEqual(Family.formatAccount(catalog, account), `solana:main:${account.address}`)
    assert.strictEqual(Family.formatToken(catalog, account), `solana:main/token:${account.address}`)
    assert.strictEqual(
      Family.formatToken(Eip155.knownFamilies, Harbour.coin.token),
      "harbour:north1/token:piercoinmint00000001",
    )
  })
})

describe("Family parsers", () => {
  const texts = [
    "eip155:8453",
    "harbour:north1",
    `eip155:8453:${evm}`,
    `harbour:north1:${berth}`,
    `eip155:8453/erc20:${evm}`,
    `harbour:north1/coin:${berth}`,
    "solana:main:7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv",
  ] as const
  it.prop(
    "read hostile text as what it says, or return an error",
    [HostileText.near([...texts])],
    ([text]) => {
      const parsers = [
        Family.parseChain(catalog, text),
        Result.map(Family.parseAccount(catalog, text, "ignored"), (account) =>
          Family.formatAccount(catalog, account),
        ),
        Result.map(Family.parseToken(catalog, text, "ignored"), (token) =>
          Family.formatToken(catalog, token),
        ),
        Result.map(Family.parseAnyAccount(catalog, text, "ignored"), (account) =>
          account === null ? text : Family.formatAccount(catalog, account),
        ),
      ]
      for (const parsed of parsers) {
        if (Result.isSuccess(parsed)) {
          assert.strictEqual(parsed.success.toLowerCase(), text.toLowerCase())
        } else {
          assert.strictEqual(parsed.failure._tag, "Malformed")
          assert.isBelow(parsed.failure.message.length, 100)
        }
      }
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 50_000 }) } },
  )
})
