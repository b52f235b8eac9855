import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const value = <A, E>(result: Result.Result<A, E>): A => Result.getOrThrow(result)

const kinds = ["chain", "account", "asset"] as const
const forms = {
  chain: "a chain is <namespace>:<chain id>",
  account: "an account is <namespace>:<chain id>:<address>",
  asset: "an asset is <namespace>:<chain id>/<kind>:<contract>",
}

const refused = (kind: (typeof kinds)[number], text: string) => {
  const error = Result.getOrThrow(Result.flip(Caip.split(kind, text)))
  assert.strictEqual(error._tag, "Malformed")
  assert.strictEqual(error.message, forms[kind])
}

const chainId = (text: string) => Caip.ChainId.make(text)
const address = (text: string) => Caip.Address.make(text)

describe("Caip.ChainId", () => {
  const is = Schema.is(Caip.ChainId)

  it("has a namespace of 3 to 8 characters, and a reference of 1 to 32", () => {
    for (const text of [
      "eip155:1",
      "eip155:8453",
      "abc:a",
      "-a1-b2-c:_",
      "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
      `abcdefgh:${"A".repeat(32)}`,
    ]) {
      assert.isTrue(is(text), text)
    }
    for (const text of [
      "",
      "8453",
      "eip155:",
      ":1",
      "ab:1",
      "abcdefghi:1",
      "EIP155:1",
      "eip155:1:2",
      1,
    ]) {
      assert.isFalse(is(text), JSON.stringify(text))
    }
  })

  it.prop(
    "accepts no hostile text of another form",
    [HostileText.near(["eip155:8453", "-a1-b2-c:_", `abcdefgh:${"A".repeat(32)}`])],
    ([text]) =>
      assert.strictEqual(is(text), /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/u.test(text), text),
    { arbitrary: { runs: Counts.of({ usual: 1000, full: 50_000 }) } },
  )

  it("returns the namespace and the reference that it was made of", () => {
    for (const [namespace, reference] of [
      ["eip155", "8453"],
      ["cosmos", "cosmoshub-4"],
      ["abc", "_"],
    ] as const) {
      const id = chainId(`${namespace}:${reference}`)
      assert.strictEqual(Caip.namespaceOf(id), namespace)
      assert.strictEqual(Caip.referenceOf(id), reference)
    }
  })

  it.prop(
    "is the namespace, a colon and the reference",
    [Caip.ChainId],
    ([id]) => {
      assert.strictEqual(`${Caip.namespaceOf(id)}:${Caip.referenceOf(id)}`, id)
      const { namespace, reference } = value(Caip.split("chain", id))
      assert.deepStrictEqual([namespace, reference], [Caip.namespaceOf(id), Caip.referenceOf(id)])
    },
    { arbitrary: { runs: Counts.of({ usual: 200, full: 20_000 }) } },
  )
})

describe("Caip.Address", () => {
  it("has 1 to 128 letters, digits, points, - or %, as CAIP-10 allows", () => {
    const is = Schema.is(Caip.Address)
    for (const text of [
      "a",
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      "7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv",
      "0.0.1234567890-zbhlt",
      "%".repeat(128),
    ]) {
      assert.isTrue(is(text), text)
    }
    for (const text of ["", "a".repeat(129), "a b", "a:b", "a/b", "a_b", "é", "a\n", "\0", 1]) {
      assert.isFalse(is(text), JSON.stringify(text))
    }
  })
})

describe("Caip.split", () => {
  it("splits identifiers of any family, without reading their parts", () => {
    const none = { address: "", standard: "" }
    assert.deepStrictEqual(value(Caip.split("chain", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp")), {
      ...none,
      namespace: "solana",
      reference: "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
    })
    assert.deepStrictEqual(value(Caip.split("account", "hedera:mainnet:0.0.1-zbhlt")), {
      ...none,
      namespace: "hedera",
      reference: "mainnet",
      address: "0.0.1-zbhlt",
    })
    assert.deepStrictEqual(value(Caip.split("asset", "cosmos:cosmoshub-4/slip44:118")), {
      namespace: "cosmos",
      reference: "cosmoshub-4",
      standard: "slip44",
      address: "118",
    })
  })

  it("accepts any address, which only its family can read", () => {
    for (const text of ["", " ", "a:b", "a/b", "é", "a\n", "a".repeat(1000)]) {
      assert.strictEqual(value(Caip.split("account", `abc:1:${text}`)).address, text)
      assert.strictEqual(value(Caip.split("asset", `abc:1/coin:${text}`)).address, text)
    }
  })

  it("enforces CAIP's lengths of namespaces, references and standards", () => {
    const [longest, shortest] = [`abcdefgh:${"a".repeat(32)}`, "abc:a"]
    for (const chain of [longest, shortest]) {
      assert.isTrue(Result.isSuccess(Caip.split("chain", chain)))
      assert.isTrue(Result.isSuccess(Caip.split("account", `${chain}:a`)))
      for (const standard of ["abc", "abcdefgh"]) {
        assert.isTrue(Result.isSuccess(Caip.split("asset", `${chain}/${standard}:a`)))
      }
      for (const standard of ["", "ab", "abcdefghi", "ERC20", " erc20", "erc_20"]) {
        refused("asset", `${chain}/${standard}:a`)
      }
    }
    for (const chain of [
      "ab:a",
      "abcdefghi:a",
      "abc:",
      `abc:${"a".repeat(33)}`,
      "Abc:a",
      "a c:a",
    ]) {
      refused("chain", chain)
      refused("account", `${chain}:a`)
      refused("asset", `${chain}/coin:a`)
    }
  })

  it.each(["", ":", "::", "/", "abc", "__proto__", "abc:\0", " abc:1", "İbc:1"])(
    "refuses %j as a chain, an account and an asset",
    (text) => {
      for (const kind of kinds) refused(kind, text)
    },
  )

  it("does not accept one kind of identifier as another", () => {
    refused("chain", "abc:1:a")
    refused("chain", "abc:1/coin:a")
    refused("account", "abc:1")
    refused("account", "abc:1/coin:a")
    refused("asset", "abc:1")
    refused("asset", "abc:1:a")
  })

  it.prop(
    "splits hostile text into its parts, or refuses it",
    [HostileText.of(["abc", "eip155", ":", "/", "1", "coin:", "abc:1:a", "abc:1/coin:a"])],
    ([text]) => {
      for (const kind of kinds) {
        const split = Caip.split(kind, text)
        if (Result.isFailure(split)) {
          refused(kind, text)
          continue
        }
        const { address: of, namespace, reference, standard } = split.success
        const [chain, token] = [`${namespace}:${reference}`, `${standard}:${of}`]
        const printed = { chain, account: `${chain}:${of}`, asset: `${chain}/${token}` }
        assert.strictEqual(printed[kind], text)
      }
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 50_000 }) } },
  )
})

describe("Caip accounts and tokens", () => {
  const places = [
    { chainId: chainId("eip155:1"), address: address("0xab") },
    { chainId: chainId("eip155:2"), address: address("0xab") },
    { chainId: chainId("harbour:1"), address: address("0xab") },
    { chainId: chainId("eip155:1"), address: address("0xac") },
    { chainId: chainId("eip155:1"), address: address("0xAB") },
  ]

  it("are equal, with equal keys, only if chain and address are the same text", () => {
    for (const [left, one] of places.entries()) {
      for (const [right, other] of places.entries()) {
        const isSame = left === right
        assert.strictEqual(Caip.sameAccount(one, { ...other }), isSame)
        assert.strictEqual(Caip.sameToken(one, { ...other }), isSame)
        assert.strictEqual(Caip.accountKey(one) === Caip.accountKey({ ...other }), isSame)
        assert.strictEqual(Caip.tokenKey(one) === Caip.tokenKey({ ...other }), isSame)
      }
    }
  })

  it("differ if they have the same reference in two namespaces", () => {
    const [ofEip155, , ofHarbour] = places
    assert(ofEip155 !== undefined && ofHarbour !== undefined)
    assert.strictEqual(Caip.referenceOf(ofEip155.chainId), Caip.referenceOf(ofHarbour.chainId))
    assert.isFalse(Caip.sameAccount(ofEip155, ofHarbour))
    assert.isFalse(Caip.sameToken(ofEip155, ofHarbour))
  })

  it.prop(
    "have equal keys exactly if they are equal",
    [Caip.Account, Caip.Account],
    ([one, other]) => {
      assert.strictEqual(
        Caip.accountKey(one) === Caip.accountKey(other),
        Caip.sameAccount(one, other),
      )
      assert.strictEqual(Caip.tokenKey(one) === Caip.tokenKey(other), Caip.sameToken(one, other))
    },
    { arbitrary: { runs: Counts.of({ usual: 200, full: 20_000 }) } },
  )
})
