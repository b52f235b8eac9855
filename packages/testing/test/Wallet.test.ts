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
import * as Wallet from "@florin/testing/Wallet"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const chainId = Eip155.chainId(1)
const address = (text: string) => Eip155.Address.make(text.toLowerCase())

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
  it("is the same for the same number, and different for another number", () => {
    assert.strictEqual(Wallet.make(7).address, Wallet.make(7).address)
    const addresses = Array.from({ length: 50 }, (_, seed) => Wallet.make(seed).address)
    assert.strictEqual(new Set(addresses).size, 50)
    assert.deepStrictEqual(payer.account(8453), {
      chainId: "eip155:8453",
      address: payer.address,
    })
  })
})

describe("Wallet.parseTypedData", () => {
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
