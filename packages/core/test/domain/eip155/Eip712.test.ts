import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Eip712 from "@florin/core/domain/eip155/Eip712"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"

const address = (text: string) => Caip.Address.make(text.toLowerCase())
const hex = (bytes: Uint8Array) => `0x${bytesToHex(bytes)}`
const hashOf = (text: string) => keccak_256(utf8ToBytes(text))
const word = (digits: string) => hexToBytes(digits.padStart(64, "0"))

/** The example of EIP-712 itself. */
const mail: Eip712.TypedData = {
  domain: {
    name: "Ether Mail",
    version: "1",
    chainId: 1,
    verifyingContract: address("0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC"),
  },
  types: {
    Person: [
      { name: "name", type: "string" },
      { name: "wallet", type: "address" },
    ],
    Mail: [
      { name: "from", type: "Person" },
      { name: "to", type: "Person" },
      { name: "contents", type: "string" },
    ],
  },
  primaryType: "Mail",
  message: {
    from: { name: "Cow", wallet: "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826" },
    to: { name: "Bob", wallet: "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB" },
    contents: "Hello, Bob!",
  },
}

describe("Eip712.digest", () => {
  it("equals the digest of EIP-712's Mail example", () => {
    assert.strictEqual(
      Eip712.separator(mail.domain),
      "0xf2cee375fa42b42143804025fc449deafd50cc031ca257e0b194a650a912090f",
    )
    assert.strictEqual(
      hex(Eip712.digest(mail)),
      "0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2",
    )
  })

  it("lists referenced types by name, each once, after the primary type", () => {
    const types = {
      Zebra: [{ name: "of", type: "Apple" }],
      Transfer: [
        { name: "first", type: "Zebra" },
        { name: "second", type: "Apple" },
        { name: "third", type: "Zebra" },
      ],
      Apple: [{ name: "amount", type: "uint256" }],
      Unused: [{ name: "unused", type: "string" }],
    }
    const apple = (amount: string) =>
      keccak_256(concatBytes(hashOf("Apple(uint256 amount)"), word(amount)))
    const zebra = (amount: string) =>
      keccak_256(concatBytes(hashOf("Zebra(Apple of)Apple(uint256 amount)"), apple(amount)))
    const expected = keccak_256(
      concatBytes(
        Uint8Array.of(0x19, 0x01),
        hexToBytes(Eip712.separator(mail.domain).slice(2)),
        keccak_256(
          concatBytes(
            hashOf(
              "Transfer(Zebra first,Apple second,Zebra third)Apple(uint256 amount)Zebra(Apple of)",
            ),
            zebra("1"),
            apple("ff"),
            zebra("3"),
          ),
        ),
      ),
    )
    const digest = Eip712.digest({
      domain: mail.domain,
      types,
      primaryType: "Transfer",
      message: {
        first: { of: { amount: "1" } },
        second: { amount: "255" },
        third: { of: { amount: "3" } },
      },
    })
    assert.strictEqual(hex(digest), hex(expected))
  })

  it("treats an unknown type as a type without fields", () => {
    const types = { ...mail.types, Nothing: [] }
    const nothing = { ...mail, primaryType: "Nothing", message: {} }
    assert.strictEqual(hex(Eip712.digest(nothing)), hex(Eip712.digest({ ...nothing, types })))
  })

  it("differs if only the domain or the types differ", () => {
    const digests = [
      mail,
      { ...mail, domain: { ...mail.domain, version: "2" } },
      { ...mail, types: { ...mail.types, Person: (mail.types["Person"] ?? []).toReversed() } },
      mail,
    ].map((each) => hex(Eip712.digest(each)))
    assert.strictEqual(new Set(digests).size, 3)
    assert.strictEqual(digests[3], digests[0])
  })

  it("encodes each type of field in one word", () => {
    const data: Eip712.TypedData = {
      domain: mail.domain,
      types: {
        All: [
          { name: "text", type: "string" },
          { name: "owner", type: "address" },
          { name: "nonce", type: "bytes32" },
          { name: "value", type: "uint256" },
        ],
      },
      primaryType: "All",
      message: {
        text: "é\u20ae",
        owner: "0x00000000000000000000000000000000000000A1",
        nonce: `0x0${"1".repeat(62)}2`,
        value: (2n ** 256n - 1n).toString(),
      },
    }
    const expected = (text: string, owner: string, nonce: string, value: string) =>
      keccak_256(
        concatBytes(
          Uint8Array.of(0x19, 0x01),
          hexToBytes(Eip712.separator(mail.domain).slice(2)),
          keccak_256(
            concatBytes(
              hashOf("All(string text,address owner,bytes32 nonce,uint256 value)"),
              hashOf(text),
              word(owner),
              word(nonce),
              word(value),
            ),
          ),
        ),
      )
    assert.strictEqual(
      hex(Eip712.digest(data)),
      hex(expected("é\u20ae", "a1", `0${"1".repeat(62)}2`, "f".repeat(64))),
    )
    // Decimal and 0x integers are the same number; what is missing counts as nothing.
    const hexadecimal = { ...data, message: { ...data.message, value: `0x${"f".repeat(64)}` } }
    assert.strictEqual(hex(Eip712.digest(hexadecimal)), hex(Eip712.digest(data)))
    assert.strictEqual(hex(Eip712.digest({ ...data, message: {} })), hex(expected("", "", "", "")))
  })

  it("treats a missing or invalid struct as a struct without members", () => {
    const empty = hex(Eip712.digest({ ...mail, message: { ...mail.message, to: {} } }))
    const { to: _to, ...missing } = mail.message
    assert.strictEqual(hex(Eip712.digest({ ...mail, message: missing })), empty)
    assert.strictEqual(
      hex(Eip712.digest({ ...mail, message: { ...mail.message, to: "Bob" } })),
      empty,
    )
    assert.notStrictEqual(hex(Eip712.digest(mail)), empty)
  })

  it("changes with every member of the domain, the message and the types", () => {
    const variants: ReadonlyArray<Eip712.TypedData> = [
      mail,
      { ...mail, domain: { ...mail.domain, name: "Ether Mai1" } },
      { ...mail, domain: { ...mail.domain, version: "2" } },
      { ...mail, domain: { ...mail.domain, chainId: 2 } },
      { ...mail, domain: { ...mail.domain, verifyingContract: Eip155.permit2Address } },
      { ...mail, domain: { ...mail.domain, salt: `0x${"0".repeat(64)}` } },
      { ...mail, message: { ...mail.message, contents: "Hello, Bob?" } },
      { ...mail, message: { ...mail.message, from: mail.message["to"] ?? "" } },
      { ...mail, primaryType: "Person" },
    ]
    assert.strictEqual(
      new Set(variants.map((each) => hex(Eip712.digest(each)))).size,
      variants.length,
    )
  })
})

describe("Eip712.separator", () => {
  it("equals Permit2's separator on Ethereum for a domain without a version", () => {
    assert.strictEqual(
      Eip712.separator({
        name: "Permit2",
        chainId: 1,
        verifyingContract: Eip155.permit2Address,
      }),
      "0x866a5aba21966af95d6c7ab78eb2b2fc913915c28be3b9aa07cc04ff903e3f28",
    )
  })

  it("covers exactly the domain's fields, in the order of the standard", () => {
    const full: Eip712.Domain = {
      salt: `0x${"0".repeat(62)}89`,
      verifyingContract: Eip155.permit2Address,
      chainId: 137,
      version: "1",
      name: "Token",
    }
    assert.deepStrictEqual(Eip712.domainType(full), [
      { name: "name", type: "string" },
      { name: "version", type: "string" },
      { name: "chainId", type: "uint256" },
      { name: "verifyingContract", type: "address" },
      { name: "salt", type: "bytes32" },
    ])
    assert.deepStrictEqual(
      Eip712.domainType({ name: "Token", verifyingContract: Eip155.permit2Address }),
      [
        { name: "name", type: "string" },
        { name: "verifyingContract", type: "address" },
      ],
    )
    const expected = keccak_256(
      concatBytes(
        hashOf(
          "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract,bytes32 salt)",
        ),
        hashOf("Token"),
        hashOf("1"),
        word("89"),
        word("000000000022d473030f116ddee9f6b43ac78ba3"),
        word("89"),
      ),
    )
    assert.strictEqual(Eip712.separator(full), hex(expected))
  })
})

describe("Eip712.toJson", () => {
  it("lists EIP712Domain first and writes integers as text", () => {
    const data: Eip712.TypedData = {
      domain: {
        name: "Permit2",
        chainId: 56,
        verifyingContract: Eip155.permit2Address,
      },
      types: { Order: [{ name: "amount", type: "uint256" }] },
      primaryType: "Order",
      message: { amount: "10000000000000000000000001" },
    }
    assert.strictEqual(
      Eip712.toJson(data),
      '{"domain":{"name":"Permit2","chainId":"56","verifyingContract":"0x000000000022d473030f116ddee9f6b43ac78ba3"},' +
        '"types":{"EIP712Domain":[{"name":"name","type":"string"},{"name":"chainId","type":"uint256"},' +
        '{"name":"verifyingContract","type":"address"}],"Order":[{"name":"amount","type":"uint256"}]},' +
        '"primaryType":"Order","message":{"amount":"10000000000000000000000001"}}',
    )
  })
})
