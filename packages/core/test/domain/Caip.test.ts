import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/Caip"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const refusal = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))
const value = <A, E>(result: Result.Result<A, E>): A => Result.getOrThrow(result)

const refused = (
  result: Result.Result<unknown, Caip.InvalidCaip>,
  kind: Caip.InvalidCaip["kind"],
  message: string,
) => {
  const error = refusal(result)
  assert.strictEqual(error._tag, "InvalidCaip")
  assert.strictEqual(error.kind, kind)
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
const accountForm = "an account is <namespace>:<chain id>:<address>"
const chainForm = "a chain is eip155:<chain id>"
const referenceForm = "the chain id after eip155: is a decimal number without leading zeros"
const assetForm = "an asset is eip155:<chain id>/erc20:<contract>"

const address = (text: string) => Caip.Address.make(text.toLowerCase())
const chain = (id: number) => Caip.ChainId.make(id)
const flipped = (character: string) =>
  character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase()

describe("Caip addresses", () => {
  it.each(vectors)("prints and reads the EIP-55 vector %s", (vector) => {
    assert.strictEqual(Caip.formatAddress(address(vector)), vector)
    assert.strictEqual(value(Caip.parseAddress(vector)), vector.toLowerCase())
    assert.strictEqual(value(Caip.parseAddress(vector, "ignored")), vector.toLowerCase())
  })

  it("reads an address of one case without a checksum", () => {
    for (const vector of vectors) {
      const digits = vector.slice(2)
      for (const text of [`0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`]) {
        assert.strictEqual(value(Caip.parseAddress(text)), vector.toLowerCase())
      }
    }
    assert.strictEqual(value(Caip.parseAddress(`0x${"1".repeat(40)}`)), `0x${"1".repeat(40)}`)
  })

  it("refuses a checksum with any one letter in the wrong case, unless told to ignore it", () => {
    for (const vector of mixedCase) {
      for (let index = 2; index < vector.length; index++) {
        const letter = vector.charAt(index)
        if (/[0-9]/u.test(letter)) continue
        const broken = vector.slice(0, index) + flipped(letter) + vector.slice(index + 1)
        refused(Caip.parseAddress(broken), "address", checksumWrong)
        refused(Caip.parseAddress(broken, "enforced"), "address", checksumWrong)
        assert.strictEqual(value(Caip.parseAddress(broken, "ignored")), vector.toLowerCase())
      }
    }
  })

  const digits = "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
  const malformed = [
    "",
    "0x",
    digits,
    `0X${digits}`,
    `1x${digits}`,
    `0x${digits.slice(1)}`,
    `0x${digits}0`,
    `0x${digits} `,
    ` 0x${digits}`,
    `0x${digits}\n`,
    `0x${digits.slice(0, 39)}g`,
    `0x${digits.slice(0, 39)}\u{ff11}`,
    `0x${digits.slice(0, 39)}\0`,
    `0x${digits.slice(0, 39)}\ud800`,
    "__proto__",
  ]
  it.each(malformed)("refuses %j", (text) => {
    refused(Caip.parseAddress(text), "address", addressForm)
    refused(Caip.parseAddress(text, "ignored"), "address", addressForm)
  })

  it("holds addresses in lower case only", () => {
    const is = Schema.is(Caip.Address)
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
    [Caip.Address],
    ([each]) => {
      const printed = Caip.formatAddress(each)
      assert.strictEqual(printed.toLowerCase(), each)
      assert.strictEqual(value(Caip.parseAddress(printed)), each)
    },
    { arbitrary: { runs: Counts.of({ usual: 200, full: 20_000 }) } },
  )
})

describe("Caip chains", () => {
  it("reads and prints chain ids up to the largest safe integer", () => {
    for (const id of [1, 9, 10, 137, 8453, 42161, 999_999_999_999_999, Number.MAX_SAFE_INTEGER]) {
      assert.strictEqual(value(Caip.parseChain(`eip155:${id}`)), id)
      assert.strictEqual(Caip.formatChain(chain(id)), `eip155:${id}`)
    }
  })

  const wrongForm = [
    "",
    "eip155",
    "eip155:1:",
    "eip155:1:2",
    "eip15:1",
    "EIP155:1",
    " eip155:1",
    "solana:1",
    ":1",
  ]
  it.each(wrongForm)("refuses %j as no EVM chain", (text) => {
    refused(Caip.parseChain(text), "chain", chainForm)
  })

  const wrongReference = [
    "",
    "0",
    "01",
    "-1",
    "+1",
    "1.0",
    "1e3",
    "0x1",
    " 1",
    "1 ",
    "1\n",
    "１",
    "__proto__",
    "9007199254740992",
    "9999999999999999",
    "10000000000000000",
    "9".repeat(32),
  ]
  it.each(wrongReference)("refuses the chain id %j", (reference) => {
    refused(Caip.parseChain(`eip155:${reference}`), "chain", referenceForm)
  })

  it("holds whole numbers above 0", () => {
    const is = Schema.is(Caip.ChainId)
    assert.isTrue(is(1))
    for (const each of [0, -1, 1.5, Number.NaN, Number.MAX_SAFE_INTEGER + 1, "1"]) {
      assert.isFalse(is(each))
    }
  })
})

describe("Caip accounts", () => {
  const vector = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
  const lower = vector.toLowerCase()
  const wrong = `0x5A${vector.slice(4)}`

  it("reads an account in any case and prints it with its checksum", () => {
    const account = value(Caip.parseAccount(`eip155:8453:${vector}`))
    assert.deepStrictEqual(account, { chainId: chain(8453), address: address(vector) })
    assert.deepStrictEqual(value(Caip.parseAccount(`eip155:8453:${lower}`)), account)
    assert.strictEqual(Caip.formatAccount(account), `eip155:8453:${vector}`)
    assert.isFalse(Caip.isForeign(account))
  })

  it("refuses a wrong checksum unless told to ignore it", () => {
    refused(Caip.parseAccount(`eip155:1:${wrong}`), "address", checksumWrong)
    refused(Caip.parseAnyAccount(`eip155:1:${wrong}`), "address", checksumWrong)
    const ignored = value(Caip.parseAccount(`eip155:1:${wrong}`, "ignored"))
    assert.strictEqual(ignored.address, lower)
    assert.deepStrictEqual(value(Caip.parseAnyAccount(`eip155:1:${wrong}`, "ignored")), ignored)
  })

  const wrongForm = [
    "",
    "eip155",
    "eip155:1",
    `eip155:1:${lower}:`,
    `eip155:1:${lower}:x`,
    `ei:1:${lower}`,
    `namespace:1:${lower}`,
    `EIP155:1:${lower}`,
    `eip_155:1:${lower}`,
    `eip155::${lower}`,
    `eip155:1.5:${lower}`,
    `eip155:${"1".repeat(33)}:${lower}`,
    `solana: 1:abc`,
    `:1:${lower}`,
    "::",
    "__proto__",
  ]
  it.each(wrongForm)("refuses %j as no CAIP-10 account", (text) => {
    refused(Caip.parseAnyAccount(text), "account", accountForm)
    refused(Caip.parseAccount(text), "account", accountForm)
  })

  it("refuses an EVM account with a wrong chain id or address", () => {
    for (const reference of ["0", "01", "-1", "abc", "1".repeat(17), "9007199254740992"]) {
      refused(Caip.parseAnyAccount(`eip155:${reference}:${lower}`), "account", referenceForm)
    }
    for (const text of ["", "0x", "abc", `${lower}0`, `${lower} `]) {
      refused(Caip.parseAnyAccount(`eip155:1:${text}`), "address", addressForm)
    }
  })

  it("knows an account of another namespace by its form, and does not serve it", () => {
    const cases = [
      [
        "solana",
        "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
        "7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv",
      ],
      ["bip122", "000000000019d6689c085ae165831e93", "128Lkh3S7CkDTBZ8W7BbpsN3YYizJMp8p6"],
      ["cosmos", "cosmoshub-3", "cosmos1t2uflqwqe0fsj0shcfkrvpukewcw40yjj6hdc0"],
      ["hedera", "mainnet", "0.0.1234567890-zbhlt"],
      ["abc", "a", "a"],
      ["-bcdefg8", "_".repeat(32), "%".repeat(128)],
    ] as const
    for (const [namespace, reference, suffix] of cases) {
      const text = `${namespace}:${reference}:${suffix}`
      const account = value(Caip.parseAnyAccount(text))
      assert.deepStrictEqual(account, { namespace, reference, address: suffix })
      assert.isTrue(Caip.isForeign(account))
      refused(
        Caip.parseAccount(text),
        "account",
        `accounts of namespace ${namespace} are not supported: use eip155`,
      )
    }
    for (const suffix of ["", " ", "a b", "a/b", "é", "a\n", "\0", "a".repeat(129)]) {
      refused(
        Caip.parseAnyAccount(`solana:main:${suffix}`),
        "account",
        "the address has characters that CAIP-10 does not allow",
      )
    }
  })

  it("compares chain and address", () => {
    const account = value(Caip.parseAccount(`eip155:1:${vector}`))
    assert.isTrue(Caip.sameAccount(account, value(Caip.parseAccount(`eip155:1:${lower}`))))
    assert.isFalse(Caip.sameAccount(account, value(Caip.parseAccount(`eip155:2:${lower}`))))
    assert.isFalse(Caip.sameAccount(account, value(Caip.parseAccount(`eip155:1:${lowerCase[0]}`))))
  })
})

describe("Caip tokens", () => {
  const contract = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
  const lower = contract.toLowerCase()
  const wrong = `0xa0${contract.slice(4)}`

  it("reads a token in any case and prints it with its checksum", () => {
    const token = value(Caip.parseToken(`eip155:1/erc20:${contract}`))
    assert.deepStrictEqual(token, { chainId: chain(1), address: address(contract) })
    assert.deepStrictEqual(value(Caip.parseToken(`eip155:1/erc20:${lower}`)), token)
    assert.strictEqual(Caip.formatToken(token), `eip155:1/erc20:${contract}`)
  })

  it("refuses a wrong checksum unless told to ignore it", () => {
    refused(Caip.parseToken(`eip155:1/erc20:${wrong}`), "asset", checksumWrong)
    assert.strictEqual(value(Caip.parseToken(`eip155:1/erc20:${wrong}`, "ignored")).address, lower)
  })

  const cases = [
    ["", assetForm],
    ["eip155:1", assetForm],
    [`eip155:1/erc20:${lower}/1`, assetForm],
    [`eip155:1/erc20:${lower}/`, assetForm],
    [`eip155:1/slip44:60`, assetForm],
    [`eip155:1/ERC20:${lower}`, assetForm],
    [`eip155:1/ erc20:${lower}`, assetForm],
    [`eip155:1/${lower}`, assetForm],
    [`solana:1/erc20:${lower}`, chainForm],
    [`eip155/erc20:${lower}`, chainForm],
    [`eip155:1:2/erc20:${lower}`, chainForm],
    [`eip155:01/erc20:${lower}`, referenceForm],
    [`caip19/eip155:1/erc20:${lower}`, assetForm],
    ["eip155:1/erc20:", addressForm],
    [`eip155:1/erc20:${lower}0`, addressForm],
    [`eip155:1/erc20:${lower}\n`, addressForm],
  ] as const
  it.each(cases)("refuses %j", (text, message) => {
    refused(Caip.parseToken(text), "asset", message)
  })

  it("compares chain and contract", () => {
    const token = value(Caip.parseToken(`eip155:1/erc20:${contract}`))
    assert.isTrue(Caip.sameToken(token, { ...token }))
    assert.isFalse(Caip.sameToken(token, { ...token, chainId: chain(2) }))
    assert.isFalse(Caip.sameToken(token, { ...token, address: address(`0x${"0".repeat(40)}`) }))
  })
})

describe("Caip parsers", () => {
  const fragments = [
    "eip155",
    ":",
    "/",
    "1",
    "8453",
    "erc20:",
    "0x",
    "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    "eip155:1:",
    "eip155:1/erc20:",
    "solana",
    "caip19/",
    " ",
    "\0",
    "\n",
    "\u202e",
    "\ud83d",
    "１",
    "İ",
    "__proto__",
    "constructor",
    "a".repeat(5_000),
    ":".repeat(5_000),
  ] as const
  const hostile = HostileText.of(fragments)
  it.prop(
    "answer hostile text with what it says or with their own error",
    [hostile],
    ([text]) => {
      const parsers = [
        Result.map(Caip.parseAddress(text, "ignored"), Caip.formatAddress),
        Result.map(Caip.parseChain(text), Caip.formatChain),
        Result.map(Caip.parseAccount(text, "ignored"), Caip.formatAccount),
        Result.map(Caip.parseToken(text, "ignored"), Caip.formatToken),
        Result.map(Caip.parseAnyAccount(text, "ignored"), (account) =>
          Caip.isForeign(account)
            ? `${account.namespace}:${account.reference}:${account.address}`
            : Caip.formatAccount(account),
        ),
      ]
      for (const parsed of parsers) {
        if (Result.isSuccess(parsed)) {
          assert.strictEqual(parsed.success.toLowerCase(), text.toLowerCase())
        } else {
          assert.strictEqual(parsed.failure._tag, "InvalidCaip")
          assert.isBelow(parsed.failure.message.length, 100)
        }
      }
    },
    { arbitrary: { runs: Counts.of({ usual: 10_000, full: 50_000 }) } },
  )
})
