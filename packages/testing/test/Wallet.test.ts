import { assert, describe, it } from "@effect/vitest"
import type * as Action from "@florin/core/domain/chain/Action"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Eip712 from "@florin/core/domain/eip155/Eip712"
import * as Money from "@florin/core/domain/ground/Money"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Wallet from "@florin/testing/Wallet"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const chainId = Eip155.chainId(1)
const address = (text: string) => Eip155.Address.make(text.toLowerCase())

/** The example of EIP-712 itself, signed by the key keccak256("cow"). */
const cow = Wallet.make("0xc85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4")
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

const payer = Wallet.make(1)
const usdc =
  Catalog.assetsOf(BuiltIn.catalog, chainId).find(({ symbol }) => symbol === "USDC") ??
  assert.fail()

const option = (flow: PaymentOption.Flow): PaymentOption.PaymentOption => ({
  paymentId: PaymentId.PaymentId.make("pay_wallet"),
  account: payer.account(1),
  accountText: Eip155.formatAccount(payer.account(1)),
  token: usdc.token,
  flow,
  quantity: Money.Quantity.make(1_000_000n),
  fixedFee: Money.zero,
  payTo: Wallet.make(2).address,
  issuedAt: 1_790_000_000,
  expiresAt: 1_790_000_300,
})

const chosen = (flow: PaymentOption.Flow): Action.Chosen => ({ asset: usdc, option: option(flow) })

const typedData = (flow: PaymentOption.Flow): Eip712.TypedData =>
  Actions.typedData(chosen(flow)) ?? assert.fail(`${flow} signs no typed data`)

const refusal = <A>(effect: Effect.Effect<A, Wallet.WalletRefused>) =>
  Effect.map(Effect.flip(effect), (error) => error.message)

const rpc = (
  method: Actions.Method,
  ...params: ReadonlyArray<string>
): ReadonlyArray<Action.WalletRpc> => [{ _tag: "WalletRpc", chainId, method, params }]

describe("Wallet", () => {
  it("has the address of its key", () => {
    assert.strictEqual(cow.address, address("0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826"))
    const anvil = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
    assert.strictEqual(
      Wallet.make(anvil).address,
      address("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"),
    )
    assert.strictEqual(Wallet.make(anvil).privateKey, `0x${anvil}`)
  })

  it("is the same for the same number, and different for another number", () => {
    assert.strictEqual(Wallet.make(7).address, Wallet.make(7).address)
    const addresses = Array.from({ length: 50 }, (_, seed) => Wallet.make(seed).address)
    assert.strictEqual(new Set(addresses).size, 50)
    assert.deepStrictEqual(payer.account(8453), {
      chainId: "eip155:8453",
      address: payer.address,
    })
  })

  it("signs the example of EIP-712", () => {
    assert.strictEqual(
      bytesToHex(Eip712.digest(mail)),
      "be609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2",
    )
    const signature = cow.signTypedData(mail)
    assert.match(signature, /^0x4355c47d63924e8a72e509b65029052eb6c299d53a04e167/u)
    assert.match(signature, /07299936d304c153f6443dfa05f40ff007d72911b6f72307f996231605b915621c$/u)
  })

  it("signs a message as personal_sign does", () => {
    const wallet = Wallet.make("4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318")
    assert.strictEqual(
      bytesToHex(Wallet.messageDigest(utf8ToBytes("Some data"))),
      "1da44b586eb0729ff70a73c326926f6ed5a25f5b056e7f47fbc6e58d86871655",
    )
    assert.strictEqual(
      wallet.signMessage("Some data"),
      "0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c",
    )
  })
})

describe("Wallet.recover", () => {
  const digest = Eip712.digest(mail)
  const signature = cow.signTypedData(mail)
  const body = signature.slice(0, 130)
  const v = Number.parseInt(signature.slice(130), 16)
  const hex = (value: number) => value.toString(16).padStart(2, "0")

  it("returns the signer's address, with v as 27 and 28 or as 0 and 1", () => {
    assert.strictEqual(Wallet.recover(digest, signature), cow.address)
    assert.strictEqual(Wallet.recover(digest, `${body}${hex(v - 27)}`), cow.address)
    assert.strictEqual(
      Wallet.recover(digest, signature.toUpperCase().replace("0X", "0x")),
      cow.address,
    )
    assert.notStrictEqual(Wallet.recover(digest, `${body}${hex(55 - v)}`), cow.address)
  })

  it("reads the compact form of EIP-2098", () => {
    for (const wallet of Array.from({ length: 8 }, (_, seed) => Wallet.make(seed))) {
      const long = hexToBytes(wallet.signDigest(digest).slice(2))
      const compact = long.slice(0, 64)
      compact[32] = (compact[32] ?? 0) | (((long[64] ?? 27) - 27) << 7)
      assert.strictEqual(Wallet.recover(digest, `0x${bytesToHex(compact)}`), wallet.address)
    }
  })

  it("returns another address for another digest", () => {
    assert.notStrictEqual(Wallet.recover(new Uint8Array(32).fill(1), signature), cow.address)
  })

  it("refuses malformed signatures", () => {
    const order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
    const zeros = "00".repeat(32)
    const s = BigInt(`0x${signature.slice(66, 130)}`)
    const highS = (BigInt(`0x${order}`) - s).toString(16).padStart(64, "0")
    for (const wrong of [
      "",
      "0x",
      signature.slice(2),
      `${signature}00`,
      signature.slice(0, -1),
      `${body}1d`,
      `${body}02`,
      `${body}1a`,
      `${body}ff`,
      `0x${zeros}${zeros}1b`,
      `0x${zeros}${signature.slice(66)}`,
      `0x${order}${signature.slice(66)}`,
      `${signature.slice(0, 66)}${order}1b`,
      `${signature.slice(0, 66)}${highS}1b`,
      `${signature.slice(0, 66)}${highS}1c`,
      `0x${"zz".repeat(65)}`,
    ]) {
      assert.isUndefined(Wallet.recover(digest, wrong))
    }
  })

  it.prop(
    "never throws on hostile text",
    [HostileText.near([signature, `${body}00`, signature.slice(0, 130)])],
    ([text]) => {
      const recovered = Wallet.recover(digest, text)
      assert.isTrue(recovered === undefined || Schema.is(Eip155.Address)(recovered))
    },
    { arbitrary: { runs: Counts.of({ usual: 500, full: 10_000 }) } },
  )
})

describe("Wallet.parseTypedData", () => {
  it("reads what Eip712 writes", () => {
    for (const data of [mail, typedData("eip3009"), typedData("permit2")]) {
      const parsed = Wallet.parseTypedData(Eip712.toJson(data))
      assert.deepStrictEqual(Result.getOrThrow(parsed), data)
    }
  })

  it("refuses a domain type that does not fit the domain", () => {
    const written: unknown = JSON.parse(Eip712.toJson(mail))
    const { types } = Schema.decodeUnknownSync(
      Schema.Struct({ types: Schema.Record(Schema.String, Schema.Unknown) }),
    )(written)
    const retyped = (domain: unknown) =>
      Wallet.parseTypedData(JSON.stringify({ ...mail, types: { ...types, EIP712Domain: domain } }))
    assert.isTrue(Result.isSuccess(retyped(Eip712.domainType(mail.domain))))
    for (const wrong of [
      undefined,
      [],
      Eip712.domainType(mail.domain).slice(1),
      Eip712.domainType(mail.domain).toReversed(),
      [...Eip712.domainType(mail.domain), { name: "salt", type: "bytes32" }],
      Eip712.domainType(mail.domain).map(({ name }) => ({ name, type: "string" })),
    ]) {
      assert.isTrue(Result.isFailure(retyped(wrong)))
    }
  })

  it.prop(
    "refuses hostile text with its own error",
    [HostileText.near([Eip712.toJson(typedData("eip3009"))])],
    ([text]) => {
      const parsed = Wallet.parseTypedData(text)
      if (Result.isFailure(parsed)) assert.strictEqual(parsed.failure._tag, "WalletRefused")
    },
    { arbitrary: { runs: Counts.of({ usual: 1000, full: 10_000 }) } },
  )
})

describe("Wallet.execute", () => {
  it.effect("signs the typed data of an option", () =>
    Effect.gen(function* () {
      for (const flow of ["eip3009", "permit2"] as const) {
        const [signature = ""] = yield* payer.execute(
          Actions.executable(chosen(flow), Money.Quantity.make(10n ** 9n)),
        )
        assert.strictEqual(Wallet.recover(Eip712.digest(typedData(flow)), signature), payer.address)
      }
    }),
  )

  it.effect("sends a transfer through its node, then signs the statement", () =>
    Effect.gen(function* () {
      const calls: Array<Wallet.Call> = []
      const node: Wallet.Node = {
        send: (call, wallet) =>
          Effect.sync(() => {
            assert.strictEqual(wallet.address, payer.address)
            calls.push(call)
            return "0xhash"
          }),
      }
      const paying = chosen("transfer")
      const [hash, signature = ""] = yield* payer.execute(Actions.offeredActions(paying), node)
      assert.strictEqual(hash, "0xhash")
      assert.deepStrictEqual(calls, [
        {
          chainId,
          from: payer.address,
          to: usdc.token.address,
          data: Actions.transferData(paying.option.payTo, paying.option.quantity),
        },
      ])
      const digest = Wallet.messageDigest(utf8ToBytes(Actions.statement(paying)))
      assert.strictEqual(Wallet.recover(digest, signature), payer.address)
    }),
  )

  it.effect("refuses what a careful wallet refuses", () =>
    Effect.gen(function* () {
      const json = Eip712.toJson(typedData("eip3009"))
      const own = payer.address
      const stranger = Wallet.make(2).address
      const refused = (...actions: ReadonlyArray<Action.Action>) => refusal(payer.execute(actions))
      assert.strictEqual(
        yield* refused(...rpc("eth_signTypedData_v4", stranger, json)),
        "the typed data is for another account",
      )
      assert.strictEqual(
        yield* refused(...rpc("eth_signTypedData_v4", own, "{}")),
        "the typed data cannot be read",
      )
      assert.strictEqual(
        yield* refused({
          _tag: "WalletRpc",
          chainId: Eip155.chainId(10),
          method: "eth_signTypedData_v4",
          params: [own, json],
        }),
        "the typed data is for another chain",
      )
      assert.strictEqual(
        yield* refused(...rpc("personal_sign", "0x00", stranger)),
        "the message is for another account",
      )
      assert.strictEqual(
        yield* refused(...rpc("personal_sign", "plain text", own)),
        "the message is not hex",
      )
      assert.strictEqual(
        yield* refused(...rpc("eth_sendTransaction", "[]")),
        "the transaction cannot be read",
      )
      assert.strictEqual(
        yield* refused(...rpc("eth_sendTransaction")),
        "the transaction cannot be read",
      )
      const call = { from: own, to: stranger, data: "0x" }
      assert.strictEqual(
        yield* refused(...rpc("eth_sendTransaction", JSON.stringify({ ...call, from: stranger }))),
        "the transaction is for another account",
      )
      assert.strictEqual(
        yield* refused(...rpc("eth_sendTransaction", JSON.stringify(call))),
        "this wallet has no node to send through",
      )
      assert.strictEqual(
        yield* refused({ _tag: "Build", data: "00" }),
        "fetch a build action before executing it",
      )
    }),
  )
})

describe("Wallet.request", () => {
  const call = { from: payer.address, to: Wallet.make(2).address, data: "0x" }
  const rejection = (request: Wallet.Request) =>
    payer.request(request).then(
      () => assert.fail("the wallet did it"),
      (error: unknown) => String(error),
    )

  it("returns the same as the wallet's own methods", async () => {
    const signed = await payer.request({
      chainId: "eip155:1",
      method: "personal_sign",
      params: [`0x${bytesToHex(utf8ToBytes("Some data"))}`, payer.address],
    })
    assert.strictEqual(signed, payer.signMessage("Some data"))
  })

  it("rejects with the reason", async () => {
    assert.match(
      await rejection({ chainId: "eip155:1", method: "eth_sendTransaction", params: [call] }),
      /this wallet has no node to send through/u,
    )
    assert.match(
      await rejection({ chainId: "solana:1", method: "personal_sign", params: ["0x00"] }),
      /Malformed/u,
    )
  })
})

describe("A light wallet", () => {
  it("is recognized by its signature after thousands of others, as the end of a long world needs", () => {
    const light = Wallet.makeLight(1)
    const digestOf = (text: string) => Wallet.messageDigest(utf8ToBytes(text))
    const signed = Array.from({ length: 10_001 }, (_, index) => ({
      digest: digestOf(`${index}`),
      signature: light.signMessage(`${index}`),
    }))
    for (const { digest, signature } of signed.slice(1)) {
      assert.strictEqual(Wallet.recover(digest, signature), light.address)
    }
  })
})
