import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as PayerSession from "@florin/core/domain/ground/PayerSession"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as PayerData from "@florin/core/engine/PayerData"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { RateSource } from "@florin/core/ports/RateSource"
import { Screening, ScreeningUnavailable } from "@florin/core/ports/Screening"
import { Settings } from "@florin/core/ports/Settings"
import * as Fixtures from "@florin/testing/Fixtures"
import { SimulatedChain, collectingWallets } from "@florin/testing/SimulatedChain"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"

type Json = Scene.Json

const onBase = Gateway.payerOn(Scene.chains.eip3009)
const onBsc = Gateway.payerOn(Scene.chains.permit2)

const usdc = {
  chainId: Eip155.chainId(8453),
  address: Caip.Address.make("0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"),
}

const ask = (id: string, key: string, body: Json, query = "") =>
  Scene.send({ path: `${Gateway.pathOf(id, "/options")}${query}`, key, body })

/** A payment, and a function that asks for its options. */
const opened = Effect.fnUntraced(function* (world: Gateway.World, overrides: Gateway.Body = {}) {
  const { own, walletKey } = world
  const id = yield* Scene.createPayment(own.key, own.merchantId, overrides)
  const options = (accounts: Json, query?: string, refresh: Json = null) =>
    Gateway.writesNothing(id, ask(id, walletKey, { accounts, refresh }, query))
  return { id, options }
})

const json = (text: string): Json => {
  const parsed: Json = JSON.parse(text)
  return parsed
}

const isOptionId = (id: string) => /^[-\w]{64,999}$/u.test(id)
const isNonce = (text: string) => /^0x[0-9a-f]{64}$/u.test(text)
const collecting = collectingWallets.map(({ address }) => address)

const field = (name: string, type: string): Json => ({ name, type })

describe("POST /v1/gateway/payment/{id}/options, an option", () => {
  it.effect(
    "by EIP-3009 is one signature that the wallet can make immediately",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const amount = {
          unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
          value: "12340000",
        }
        const { options } = yield* opened(world, { amount })
        const answer = yield* options([onBase])
        assert.strictEqual(answer.status, 200)
        const id = Scene.text(answer.body, "options", 0, "id")
        assert.isTrue(isOptionId(id), id)
        const typed = Scene.text(answer.body, "options", 0, "actions", 0, "data", "params", 1)
        assert.deepStrictEqual(answer.body, {
          options: [
            {
              id,
              account: onBase,
              actions: [
                {
                  type: "walletRpc",
                  data: {
                    chain_id: "eip155:8453",
                    method: "eth_signTypedData_v4",
                    params: [Scene.payer.address, typed],
                  },
                },
              ],
              amount: Gateway.usdcOnBase("12340000"),
              collectData: null,
              etaS: 30,
              expiresAt: Gateway.paymentEnd / 1000,
            },
          ],
        })
        const data = json(typed)
        const to = Scene.text(data, "message", "to")
        const nonce = Scene.text(data, "message", "nonce")
        assert.include(collecting, to)
        assert.isTrue(isNonce(nonce))
        assert.deepStrictEqual(data, {
          domain: {
            name: "USD Coin",
            version: "2",
            chainId: "8453",
            verifyingContract: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
          },
          types: {
            EIP712Domain: [
              field("name", "string"),
              field("version", "string"),
              field("chainId", "uint256"),
              field("verifyingContract", "address"),
            ],
            ReceiveWithAuthorization: [
              field("from", "address"),
              field("to", "address"),
              field("value", "uint256"),
              field("validAfter", "uint256"),
              field("validBefore", "uint256"),
              field("nonce", "bytes32"),
            ],
          },
          primaryType: "ReceiveWithAuthorization",
          message: {
            from: Scene.payer.address,
            to,
            value: "12340000",
            validAfter: "0",
            validBefore: String(Gateway.paymentEnd / 1000 + 300),
            nonce,
          },
        })
      }),
    ),
  )

  it.effect(
    "by Permit2 is one step to be fetched, with the signature to come as its data",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const amount = {
          unit: "caip19/eip155:56/erc20:0x55d398326f99059fF775485246999027B3197955",
          value: "12340000000000000001",
        }
        const { options } = yield* opened(world, { amount })
        const answer = yield* options([onBsc])
        const id = Scene.text(answer.body, "options", 0, "id")
        const data = Scene.text(answer.body, "options", 0, "actions", 0, "data")
        assert.isTrue(isOptionId(id), id)
        assert.deepStrictEqual(answer.body, {
          options: [
            {
              id,
              account: onBsc,
              actions: [{ type: "build", data }],
              amount: Gateway.usdtOnBsc("12340000000000000001"),
              collectData: null,
              etaS: 15,
              expiresAt: Gateway.paymentEnd / 1000,
            },
          ],
        })
        assert.match(data, /^(?:[0-9a-f]{2})+$/u)
        const step = json(Buffer.from(data, "hex").toString("utf8"))
        const typed = json(Scene.text(step, "params", 1))
        assert.deepStrictEqual(step, {
          chain_id: "eip155:56",
          method: "eth_signTypedData_v4",
          params: [Scene.payer.address, Scene.text(step, "params", 1)],
        })
        const nonce = Scene.text(typed, "message", "nonce")
        const spender = Scene.text(typed, "message", "spender")
        assert.include(collecting, spender)
        assert.match(nonce, /^[1-9][0-9]{0,77}$/u)
        assert.deepStrictEqual(typed, {
          domain: {
            name: "Permit2",
            chainId: "56",
            verifyingContract: "0x000000000022d473030f116ddee9f6b43ac78ba3",
          },
          types: {
            EIP712Domain: [
              field("name", "string"),
              field("chainId", "uint256"),
              field("verifyingContract", "address"),
            ],
            PermitTransferFrom: [
              field("permitted", "TokenPermissions"),
              field("spender", "address"),
              field("nonce", "uint256"),
              field("deadline", "uint256"),
            ],
            TokenPermissions: [field("token", "address"), field("amount", "uint256")],
          },
          primaryType: "PermitTransferFrom",
          message: {
            permitted: {
              token: "0x55d398326f99059ff775485246999027b3197955",
              amount: "12340000000000000001",
            },
            spender,
            nonce,
            deadline: String(Gateway.paymentEnd / 1000 + 300),
          },
        })
      }),
    ),
  )

  it.effect(
    "by a permit is one signature that the wallet can make immediately, with the account's nonce",
    Gateway.play(
      (world) =>
        Effect.gen(function* () {
          const amount = {
            unit: "caip19/eip155:137/erc20:0xc2132D05D31c914a87C6611C10748AEb04B58e8F",
            value: "12340000",
          }
          const { options } = yield* opened(world, { amount })
          const answer = yield* options([Gateway.payerOn(137)])
          const [option = null, ...more] = Scene.list(answer.body, "options")
          assert.deepStrictEqual(more, [])
          const typed = Scene.text(option, "actions", 0, "data", "params", 1)
          assert.deepStrictEqual(Scene.at(option, "actions"), [
            {
              type: "walletRpc",
              data: {
                chain_id: "eip155:137",
                method: "eth_signTypedData_v4",
                params: [Scene.payer.address, typed],
              },
            },
          ])
          const data = json(typed)
          const spender = Scene.text(data, "message", "spender")
          assert.include(collecting, spender)
          assert.deepStrictEqual(data, {
            domain: {
              name: "USDT0",
              version: "1",
              verifyingContract: "0xc2132d05d31c914a87c6611c10748aeb04b58e8f",
              salt: `0x${(137).toString(16).padStart(64, "0")}`,
            },
            types: {
              EIP712Domain: [
                field("name", "string"),
                field("version", "string"),
                field("verifyingContract", "address"),
                field("salt", "bytes32"),
              ],
              Permit: [
                field("owner", "address"),
                field("spender", "address"),
                field("value", "uint256"),
                field("nonce", "uint256"),
                field("deadline", "uint256"),
              ],
            },
            primaryType: "Permit",
            message: {
              owner: Scene.payer.address,
              spender,
              value: "12340000",
              nonce: "0",
              deadline: String(Gateway.paymentEnd / 1000 + 300),
            },
          })
        }),
      { chain: { flow: ({ flow, symbol }) => (symbol === "USDT" ? "permit" : flow) } },
    ),
  )

  it.effect(
    "by a transfer is a transaction of the wallet, and a text with the payment and the option to sign",
    Gateway.play(
      (world) =>
        Effect.gen(function* () {
          const { id: paymentId, options } = yield* opened(world)
          const answer = yield* options([onBase])
          const option = Scene.at(answer.body, "options", 0) ?? null
          const transaction = Scene.text(option, "actions", 0, "data", "params", 0)
          const message = Scene.text(option, "actions", 1, "data", "params", 0)
          assert.deepStrictEqual(Scene.at(option, "actions"), [
            {
              type: "walletRpc",
              data: {
                chain_id: "eip155:8453",
                method: "eth_sendTransaction",
                params: [transaction],
              },
            },
            {
              type: "walletRpc",
              data: {
                chain_id: "eip155:8453",
                method: "personal_sign",
                params: [message, Scene.payer.address],
              },
            },
          ])
          const sent = json(transaction)
          const data = Scene.text(sent, "data")
          const to = `0x${data.slice(34, 74)}`
          assert.include(collecting.map(String), to)
          assert.deepStrictEqual(sent, {
            from: Scene.payer.address,
            to: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
            data: `0xa9059cbb${to.slice(2).padStart(64, "0")}${12340000n.toString(16).padStart(64, "0")}`,
            value: "0x0",
          })
          assert.match(message, /^0x(?:[0-9a-f]{2})+$/u)
          const statement = Buffer.from(message.slice(2), "hex").toString("utf8")
          assert.include(statement, paymentId)
          assert.match(statement, /^Option: 0x[0-9a-f]{64}$/mu)
        }),
      { chain: { flow: () => "transfer" } },
    ),
  )

  it.effect(
    "expires with its payment, and after five minutes at most",
    Gateway.play((world) =>
      Effect.gen(function* () {
        for (const [life, lived] of [
          [1, 1],
          [299, 299],
          [300, 300],
          [301, 300],
          [7 * 24 * 3600, 300],
        ] as const) {
          const { options } = yield* opened(world, { expiresAt: Scene.now / 1000 + life })
          const answer = yield* options([onBase])
          assert.strictEqual(
            Scene.at(answer.body, "options", 0, "expiresAt"),
            Scene.now / 1000 + lived,
          )
        }
      }),
    ),
  )
})

describe("POST /v1/gateway/payment/{id}/options, accounts", () => {
  it.effect(
    "are returned as they were sent, in any case and with any checksum",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { options } = yield* opened(world)
        const address = Scene.payer.address.slice(2)
        const wrong = onBase.replace(/(?<=0x.*)[a-f]/u, (digit) => digit.toUpperCase())
        for (const account of [
          onBase,
          onBase.toLowerCase(),
          `eip155:8453:0x${address.toUpperCase()}`,
          wrong,
        ]) {
          const answer = yield* options([account])
          assert.strictEqual(Scene.at(answer.body, "options", 0, "account"), account)
        }
      }),
    ),
  )

  it.effect(
    "are ignored if they are repeated or of an unknown chain",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { options } = yield* opened(world)
        const one = yield* options([onBase])
        const foreign = [
          "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv",
          "cosmos:cosmoshub-3:cosmos1t2uflqwqe0fsj0shcfkrvpukewcw40yjj6hdc0",
          "bip122:000000000019d6689c085ae165831e93:128Lkh3S7CkDTBZ8W7BbpsN3YYizJMp8p6",
          `eip155:31337:${Scene.payer.address}`,
          `eip155:999999999999999:${Scene.payer.address}`,
        ]
        const many = yield* options([
          ...foreign,
          onBase,
          onBase,
          onBase.toLowerCase(),
          ...foreign,
          onBase.toLowerCase(),
        ])
        assert.deepStrictEqual(
          Scene.list(many.body, "options").map((each) => Scene.at(each, "amount")),
          Scene.list(one.body, "options").map((each) => Scene.at(each, "amount")),
        )
        assert.deepStrictEqual((yield* options(foreign)).body, { options: [] })
        assert.deepStrictEqual((yield* options([])).body, { options: [] })
      }),
    ),
  )

  it.effect(
    "are named by their index if they are malformed",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { options } = yield* opened(world)
        for (const account of ["", Scene.payer.address, `${onBase}0`, "solana:5eykt4:é"]) {
          const answer = yield* options([onBase, account])
          assert.deepStrictEqual(Scene.fieldsOf(answer), ["accounts[1]"], JSON.stringify(account))
          assert.notInclude(answer.text, Scene.payer.address)
        }
        const two = yield* options(["x", onBase, "y", onBase, "z"])
        assert.deepStrictEqual(Scene.fieldsOf(two), ["accounts[0]", "accounts[2]", "accounts[4]"])
      }),
    ),
  )

  it.effect(
    "are a thousand at most",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { options } = yield* opened(world)
        const accounts = Array.from(
          { length: 1000 },
          (_, index) => `eip155:8453:0x${(index + 1).toString(16).padStart(40, "0")}`,
        )
        const all = yield* options(accounts)
        assert.strictEqual(all.status, 200)
        assert.strictEqual(
          new Set(Scene.list(all.body, "options").map((each) => Scene.text(each, "account"))).size,
          1000,
        )
        for (const more of [[...accounts, onBase], Array(1001).fill(onBase)]) {
          assert.deepStrictEqual(Scene.fieldsOf(yield* options(more)), ["accounts"])
        }
      }),
    ),
  )
})

describe("POST /v1/gateway/payment/{id}/options, the offer", () => {
  const summary = (answer: Scene.Reply) =>
    Scene.list(answer.body, "options").map((option) =>
      [
        Scene.text(option, "account").split(":")[1],
        Scene.text(option, "amount", "display", "assetSymbol"),
        Scene.list(option, "actions")
          .map((action) => Scene.text(action, "type"))
          .join("+"),
      ].join(" "),
    )

  const everyChain = [1, 10, 56, 137, 143, 8453, 42161, 42220].map(Gateway.payerOn)

  it.effect(
    "is every token of the payment's currency, fewest steps first, then the fastest chain",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { options } = yield* opened(world)
        const expected = [
          "143 USDC walletRpc",
          "137 USDC walletRpc",
          "42161 USDC walletRpc",
          "42161 PYUSD walletRpc",
          "42161 USDT0 walletRpc",
          "42220 USDC walletRpc",
          "10 USDC walletRpc",
          "8453 USDC walletRpc",
          "1 PYUSD walletRpc",
          "1 USDC walletRpc",
          "1 USDG walletRpc",
          "56 USDT build",
          "56 USDC build",
          "137 USDT build",
          "1 USDT build",
        ]
        const answer = yield* options(everyChain)
        assert.deepStrictEqual(summary(answer).toSorted(), expected.toSorted())
        // Within one speed the order is free; between speeds it is not.
        const speeds = Scene.list(answer.body, "options").map((option) => [
          Scene.text(option, "actions", 0, "type"),
          Scene.at(option, "etaS"),
        ])
        assert.deepStrictEqual(speeds, [
          ...[5, 20, 30, 30, 30, 30, 30, 30, 180, 180, 180].map((etaS) => ["walletRpc", etaS]),
          ...[15, 15, 20, 180].map((etaS) => ["build", etaS]),
        ])
        const turned = yield* options(everyChain.toReversed())
        assert.deepStrictEqual(summary(turned), summary(answer))
      }),
    ),
  )

  it.effect(
    "is the tokens of the euro for euros, and one token for an amount of that token",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const euros = yield* opened(world, { amount: { unit: "iso4217/EUR", value: "1" } })
        const inEuros = yield* euros.options(everyChain)
        assert.deepStrictEqual(summary(inEuros), ["8453 EURC walletRpc", "1 EURC walletRpc"])
        assert.strictEqual(Scene.at(inEuros.body, "options", 0, "amount", "value"), "10000")
        const pyusd = yield* opened(world, {
          amount: {
            unit: "caip19/eip155:1/erc20:0x6c3ea9036406852006290770BEdFcAbA0e23A0e8",
            value: "7",
          },
        })
        assert.deepStrictEqual(summary(yield* pyusd.options(everyChain)), ["1 PYUSD walletRpc"])
      }),
    ),
  )

  it.effect(
    "is only what an account has the balance for",
    Gateway.play(
      (world) =>
        Effect.gen(function* () {
          const { options } = yield* opened(world)
          const chain = yield* SimulatedChain
          assert.deepStrictEqual((yield* options(everyChain)).body, { options: [] })
          yield* chain.mint(usdc, Scene.payer.address, 12_339_999n)
          assert.deepStrictEqual((yield* options(everyChain)).body, { options: [] })
          yield* chain.mint(usdc, Scene.payer.address, 1n)
          assert.deepStrictEqual(summary(yield* options(everyChain)), ["8453 USDC walletRpc"])
        }),
      { chain: { unseenBalance: 0 } },
    ),
  )

  it.effect(
    "is only what is worth its gas",
    Gateway.play(
      (world) =>
        Effect.gen(function* () {
          const { options } = yield* opened(world)
          assert.deepStrictEqual(summary(yield* options(everyChain)), ["143 USDC walletRpc"])
        }),
      {
        chain: {
          minimum: ({ token }) =>
            Fixtures.quantity(token.chainId === Eip155.chainId(143) ? 12_340_000n : 10n ** 30n),
        },
      },
    ),
  )

  it.effect(
    "has a new id with every call, and each id works until it expires",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const expiresAt = Scene.now / 1000 + 3600
        const { id, options } = yield* opened(world, { expiresAt })
        const ids = new Set<string>()
        for (let call = 0; call < 5; call += 1) {
          const answer = yield* options([onBase])
          ids.add(Scene.text(answer.body, "options", 0, "id"))
          yield* TestClock.adjust("59 seconds")
        }
        assert.strictEqual(ids.size, 5)
        for (const optionId of ids) {
          const fetched = yield* Scene.send({
            path: Gateway.pathOf(id, "/fetch"),
            key: world.walletKey,
            body: { optionId, data: "" },
          })
          assert.strictEqual(fetched.status, 200, fetched.text)
        }
      }),
    ),
  )

  it.effect(
    "is quoted again for any ids in refresh, up to 1000",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { id, options } = yield* opened(world)
        const first = yield* options([onBase])
        const optionId = Scene.text(first.body, "options", 0, "id")
        const refreshes: ReadonlyArray<Json> = [
          null,
          [],
          [optionId],
          [optionId, optionId, "unknown", ""],
          Array(1000).fill("unknown"),
        ]
        for (const refresh of refreshes) {
          const answer = yield* ask(id, world.walletKey, { accounts: [onBase], refresh })
          assert.strictEqual(answer.status, 200, answer.text)
          assert.lengthOf(
            Scene.list(answer.body, "options"),
            Scene.list(first.body, "options").length,
          )
        }
        const tooMany = { accounts: [onBase], refresh: Array(1001).fill("unknown") }
        assert.deepStrictEqual(Scene.fieldsOf(yield* ask(id, world.walletKey, tooMany)), [
          "refresh",
        ])
        yield* TestClock.adjust("2 seconds")
        const later = yield* ask(id, world.walletKey, { accounts: [onBase], refresh: [optionId] })
        assert.notStrictEqual(Scene.at(later.body, "options", 0, "id"), optionId)
      }),
    ),
  )

  it.effect(
    "leaves out a chain that does not respond, and is 502 if none responds",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { options } = yield* opened(world)
        const chain = yield* SimulatedChain
        yield* chain.fail({ calls: 1, kinds: ["holdings"], chainId: Eip155.chainId(8453) })
        const some = yield* options([onBase, onBsc])
        assert.deepStrictEqual(summary(some), ["56 USDT build", "56 USDC build"])
        yield* chain.fail({ calls: 1, kinds: ["holdings"] })
        Scene.isProblem(yield* options([onBase]), 502, "bad_gateway")
      }),
    ),
  )
})

describe("POST /v1/gateway/payment/{id}/options, in every state", () => {
  const closed = Gateway.stateNames.filter(
    (state) => state !== "open" && !state.startsWith("expired"),
  )
  for (const state of closed) {
    it.effect(
      `offers null, not an error, for a payment that is ${state}`,
      Gateway.play((world) =>
        Effect.gen(function* () {
          const { id } = yield* Gateway.reach(world, state)
          const base = Gateway.strangerOn(Scene.chains.eip3009)
          const body = { accounts: [base] }
          const bare = yield* Gateway.writesNothing(id, ask(id, world.walletKey, body))
          assert.strictEqual(bare.status, 200)
          assert.deepStrictEqual(bare.body, { options: null })
          const told = yield* ask(id, world.walletKey, body, "?includePaymentInfo=true")
          assert.deepStrictEqual(told.body, {
            options: null,
            info: {
              amount: Gateway.usd("1234"),
              buyer: {
                accountCaip10: state.startsWith("cancelled") ? base : onBase,
                accountProviderName: "A wallet",
                accountProviderIcon: "https://wallet.example/icon.png",
              },
              expiresAt: Gateway.paymentEnd / 1000,
              merchant: { name: "Corner Shop" },
              status: Gateway.states[state],
            },
          })
          const wrong = yield* ask(id, world.walletKey, { accounts: ["x"] })
          assert.deepStrictEqual(Scene.fieldsOf(wrong), ["accounts[0]"])
          world.denied.add(Scene.stranger.address)
          assert.deepStrictEqual((yield* ask(id, world.walletKey, body)).body, { options: null })
        }),
      ),
    )
  }

  for (const state of ["expired by time alone", "expired by the worker"] as const) {
    it.effect(
      `is 410 for a payment that is ${state}, unless the request is malformed`,
      Gateway.play((world) =>
        Effect.gen(function* () {
          const { id } = yield* Gateway.reach(world, state)
          for (const accounts of [[onBase], []]) {
            const answer = yield* Gateway.writesNothing(
              id,
              ask(id, world.walletKey, { accounts }, "?includePaymentInfo=true"),
            )
            Scene.isProblem(answer, 410, "payment_expired")
          }
          const wrong = yield* ask(id, world.walletKey, { accounts: ["x"] })
          assert.deepStrictEqual(Scene.fieldsOf(wrong), ["accounts[0]"])
        }),
      ),
    )
  }
})

describe("POST /v1/gateway/payment/{id}/options, info", () => {
  it.effect(
    "names the first accepted account and its wallet",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { id, options } = yield* opened(world)
        const skipped = ["solana:5eykt4:7S3P4", `eip155:31337:${Scene.stranger.address}`]
        const answer = yield* options([...skipped, onBsc, onBase], "?includePaymentInfo=true")
        assert.hasAllKeys(answer.body, ["options", "info"])
        assert.deepStrictEqual(Scene.at(answer.body, "info"), {
          amount: Gateway.usd("1234"),
          buyer: {
            accountCaip10: onBsc,
            accountProviderName: "A wallet",
            accountProviderIcon: "https://wallet.example/icon.png",
          },
          expiresAt: Gateway.paymentEnd / 1000,
          merchant: { name: "Corner Shop" },
          status: "requires_action",
        })
        const partners = yield* ask(
          id,
          world.own.key,
          { accounts: [onBase.toLowerCase()] },
          "?includePaymentInfo=true",
        )
        assert.deepStrictEqual(Scene.at(partners.body, "info", "buyer"), {
          accountCaip10: onBase.toLowerCase(),
          accountProviderName: "",
          accountProviderIcon: "https://pay.example.com/icons/wallet.svg",
        })
        for (const accounts of [[], skipped]) {
          const nobody = yield* options(accounts, "?includePaymentInfo=true")
          assert.deepStrictEqual(Scene.at(nobody.body, "options"), [])
          assert.isNull(Scene.at(nobody.body, "info", "buyer"))
        }
      }),
    ),
  )

  it.effect(
    "does not name a refused account",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { options } = yield* opened(world)
        world.denied.add(Scene.stranger.address)
        const answer = yield* options(
          [Gateway.strangerOn(8453), onBase],
          "?includePaymentInfo=true",
        )
        assert.strictEqual(Scene.at(answer.body, "info", "buyer", "accountCaip10"), onBase)
        assert.notInclude(answer.text.toLowerCase(), Scene.stranger.address)
      }),
    ),
  )

  const asked: ReadonlyArray<readonly [query: string, isThere: boolean | null]> = [
    ["", false],
    ["?includePaymentInfo=true", true],
    ["?includePaymentInfo=false", false],
    ["?includePaymentInfo=1", null],
    ["?includePaymentInfo=true&includePaymentInfo=true", null],
  ]
  it.effect(
    "is returned with includePaymentInfo=true only",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { id, options } = yield* opened(world)
        for (const [query, isThere] of asked) {
          const answer = yield* options([onBase], query)
          if (isThere === null) {
            assert.deepStrictEqual(Scene.fieldsOf(answer), ["includePaymentInfo"], query)
          } else {
            assert.strictEqual(answer.status, 200)
            assert.strictEqual(Scene.at(answer.body, "info") !== undefined, isThere, query)
          }
        }
        const body = { accounts: [onBase] }
        const absent = yield* ask(Gateway.absent, world.walletKey, body, "?includePaymentInfo=x")
        assert.deepStrictEqual(Scene.fieldsOf(absent), ["includePaymentInfo"])
        yield* TestClock.setTime(Gateway.paymentEnd)
        const late = yield* ask(id, world.walletKey, body, "?includePaymentInfo=x")
        assert.deepStrictEqual(Scene.fieldsOf(late), ["includePaymentInfo"])
      }),
    ),
  )
})

describe("POST /v1/gateway/payment/{id}/options, costs", () => {
  const dear = 400_000n
  /** One ETH or BNB costs so many units of any currency. */
  const priced = (units: bigint): Scene.Options => ({
    beforeStorage: Layer.provide(
      Layer.effect(
        RateSource,
        Effect.map(RateSource, (rates) => ({
          ...rates,
          coinRate: (currency) =>
            Effect.succeed({ currency, numerator: 1n, denominator: units, observedAt: 0 }),
        })),
      ),
      RateSource.layerPegs,
    ),
  })
  const costs = "?includeCosts=true"
  const balanceOnBsc = 10n ** 24n
  const told = (answer: Scene.Reply) =>
    Scene.list(answer.body, "options").map((option) => [
      Scene.text(option, "amount", "display", "assetSymbol"),
      Scene.at(option, "balance"),
      Scene.at(option, "networkFee"),
    ])

  it.effect(
    "are the balance, and the fees of the wallet's own transactions: none if it only signs",
    Gateway.play(
      (world) =>
        Effect.gen(function* () {
          const { options } = yield* opened(world)
          const base = yield* options([onBase], costs)
          assert.deepStrictEqual(told(base), [["USDC", "1000000000000", Gateway.usd("0")]])
          // An approval costs 10^-4 BNB.
          const approving = told(yield* options([onBsc], costs))
          assert.isAbove(approving.length, 0)
          for (const [, balance, fee] of approving) {
            assert.strictEqual(balance, `${balanceOnBsc}`)
            assert.deepStrictEqual(fee, Gateway.usd("4000"))
          }
        }),
      priced(dear),
    ),
  )

  it.effect(
    "are a cent if they are less",
    Gateway.play(
      (world) =>
        Effect.gen(function* () {
          const { options } = yield* opened(world)
          const [, , fee] = told(yield* options([onBsc], costs))[0] ?? []
          assert.deepStrictEqual(fee, Gateway.usd("1"))
        }),
      priced(1n),
    ),
  )

  it.effect(
    "are in the currency of the token's peg if the amount is in a token",
    Gateway.play(
      (world) =>
        Effect.gen(function* () {
          const { unit } = Object(Gateway.usdcOnBase("0"))
          const amount = { unit: String(unit), value: "12340000" }
          const { options } = yield* opened(world, { amount })
          const [, , fee] = told(yield* options([onBase], costs))[0] ?? []
          assert.deepStrictEqual(fee, Gateway.usd("0"))
        }),
      priced(dear),
    ),
  )

  it.effect(
    "are null without a price of the chain's coin, unless the wallet only signs",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { options } = yield* opened(world)
        const answer = yield* options([onBase, onBsc], costs)
        const fees = told(answer).map(([, , fee]) => fee)
        assert.deepInclude(fees, Gateway.usd("0"))
        assert.include(fees, null)
        assert.notInclude(fees, undefined)
      }),
    ),
  )

  it.effect(
    "are returned with includeCosts=true only",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { options } = yield* opened(world)
        for (const query of ["", "?includeCosts=false", "?includePaymentInfo=true"]) {
          const option = Scene.at((yield* options([onBase], query)).body, "options", 0)
          assert.doesNotHaveAnyKeys(option, ["balance", "networkFee"])
        }
        const wrong = yield* options([onBase], "?includeCosts=1")
        assert.deepStrictEqual(Scene.fieldsOf(wrong), ["includeCosts"])
      }),
    ),
  )

  it.effect(
    "change neither the options nor their order",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { options } = yield* opened(world)
        const ids = (answer: Scene.Reply) =>
          Scene.list(answer.body, "options").map((option) => Scene.text(option, "id"))
        const accounts = [onBsc, onBase]
        assert.deepStrictEqual(ids(yield* options(accounts, costs)), ids(yield* options(accounts)))
      }),
    ),
  )
})

describe("POST /v1/gateway/payment/{id}/options, screening", () => {
  it.effect(
    "leaves out refused accounts, and is 451 if none remains",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { options } = yield* opened(world)
        world.denied.add(Scene.payer.address)
        for (const accounts of [[onBase], [onBase, onBsc.toLowerCase(), "solana:5eykt4:7S3P4"]]) {
          const answer = yield* options(accounts, "?includePaymentInfo=true")
          Scene.isProblem(answer, 451, "sanctioned_user")
        }
        const some = yield* options([onBase, Gateway.strangerOn(8453), onBsc])
        assert.deepStrictEqual(
          [...new Set(Scene.list(some.body, "options").map((each) => Scene.text(each, "account")))],
          [Gateway.strangerOn(8453)],
        )
        // Nobody was refused where nobody asked.
        assert.deepStrictEqual((yield* options([])).body, { options: [] })
        world.denied.clear()
        assert.strictEqual((yield* options([onBase])).status, 200)
      }),
    ),
  )

  it.effect(
    "is 503 if it does not respond",
    Gateway.play(
      (world) =>
        Effect.gen(function* () {
          const { options } = yield* opened(world)
          const answer = yield* options([onBase])
          Scene.isProblem(answer, 503, "unavailable")
          assert.match(answer.headers.get("retry-after") ?? "", /^[1-9][0-9]*$/u)
        }),
      {
        screening: Layer.succeed(Screening, {
          refused: () => new ScreeningUnavailable({ message: "no answer" }),
        }),
      },
    ),
  )
})

describe("POST /v1/gateway/payment/{id}/options, collectData", () => {
  const fields = [
    { id: "fullName", name: "Full name", required: true, type: "text" },
    { id: "dob", name: "Date of birth", required: true, type: "date" },
    { id: "pobCountry", name: "Country of birth", required: false, type: "text" },
    { id: "pobAddress", name: "Place of birth", required: false, type: "text" },
    { id: "porCountry", name: "Country of residence", required: false, type: "text" },
    { id: "porAddress", name: "Address of residence", required: false, type: "text" },
    {
      id: "tosConfirmed",
      name: "I accept the terms and the privacy policy",
      required: true,
      type: "checkbox",
    },
  ]
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      fullName: { type: "string", minLength: 1, maxLength: 200 },
      dob: { type: "string", format: "date" },
      pobCountry: { type: "string", pattern: "^[A-Z]{2}$" },
      pobAddress: { type: "string", maxLength: 200 },
      porCountry: { type: "string", pattern: "^[A-Z]{2}$" },
      porAddress: { type: "string", maxLength: 200 },
      tosConfirmed: { type: "boolean", const: true },
    },
    required: ["fullName", "dob", "tosConfirmed"],
    additionalProperties: false,
    anyOf: [{ required: ["pobCountry", "pobAddress"] }, { required: ["porCountry", "porAddress"] }],
  }
  const form = (id: string, accounts: ReadonlyArray<string>, session: string): Json => ({
    fields,
    schema,
    url: `https://pay.example.com/collect/?pid=${id}&accounts=${encodeURIComponent(accounts.join(","))}&session=${session}`,
  })
  /** The session in the form's address of an answer. */
  const sessionOf = (answer: Scene.Reply): string =>
    new URL(Scene.text(answer.body, "collectData", "url")).searchParams.get("session") ??
    assert.fail("there is no session")
  const collected = [
    { id: "fullName", value: "Ada Lovelace" },
    { id: "dob", value: "1990-12-10" },
    { id: "porCountry", value: "GB" },
    { id: "porAddress", value: "12 St James's Square" },
    { id: "tosConfirmed", value: "true" },
  ]
  const needs = (answer: Scene.Reply) =>
    Scene.list(answer.body, "options").map((each) => [
      Scene.text(each, "account"),
      Scene.at(each, "collectData"),
    ])

  it.effect(
    "is in each option and at the top level, until the account's data is collected",
    Gateway.play(
      (world) =>
        Effect.gen(function* () {
          const { id, options: optionsOf } = yield* opened(world, {
            amount: {
              unit: "caip19/eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
              value: "1",
            },
          })
          const stranger = Gateway.strangerOn(8453)
          const ordered = (answer: Scene.Reply) => new Map(needs(answer).map(([a, b]) => [a, b]))
          const first = yield* optionsOf([onBase, stranger])
          const sealed = sessionOf(first)
          assert.deepStrictEqual(
            ordered(first),
            new Map([
              [onBase, form(id, [onBase], sealed)],
              [stranger, form(id, [stranger], sealed)],
            ]),
          )
          const refresh = Scene.list(first.body, "options").map((each) => Scene.text(each, "id"))
          const options = (accounts: Json) => optionsOf(accounts, undefined, refresh)
          const paymentId = PaymentId.PaymentId.make(id)
          const { sealKey } = yield* Settings
          const session =
            PayerSession.open(sealed, paymentId, sealKey) ?? assert.fail("it does not open")
          assert.notStrictEqual(sessionOf(yield* optionsOf([onBase])), sealed)
          assert.hasAllKeys(first.body, ["options", "collectData"])
          const accounts = Scene.list(first.body, "options").map((each) =>
            Scene.text(each, "account"),
          )
          assert.deepStrictEqual(Scene.at(first.body, "collectData"), form(id, accounts, sealed))

          yield* PayerData.collect(paymentId, Scene.payer.account(8453), session, collected)
          const second = yield* options([onBase, stranger])
          assert.deepStrictEqual(
            ordered(second),
            new Map<Json, Json>([
              [onBase, null],
              [stranger, form(id, [stranger], sealed)],
            ]),
          )
          assert.deepStrictEqual(Scene.at(second.body, "collectData"), form(id, [stranger], sealed))
          const alone = yield* options([onBase.toLowerCase()])
          assert.deepStrictEqual(needs(alone), [[onBase.toLowerCase(), null]])
          assert.hasAllKeys(alone.body, ["options"])

          yield* PayerData.collect(paymentId, Scene.stranger.account(8453), session, collected)
          const third = yield* options([onBase, stranger])
          assert.hasAllKeys(third.body, ["options"])
          assert.isTrue(needs(third).every(([, data]) => data === null))

          // Data belongs to its payment: another one asks again.
          const other = yield* opened(world)
          assert.isTrue(needs(yield* other.options([onBase])).every(([, data]) => data !== null))
        }),
      { collectData: CollectDataPolicy.layerAlways },
    ),
  )

  it.effect(
    "is not at the top level if nothing is offered",
    Gateway.play(
      (world) =>
        Effect.gen(function* () {
          const { options } = yield* opened(world)
          assert.deepStrictEqual((yield* options([])).body, { options: [] })
        }),
      { collectData: CollectDataPolicy.layerAlways },
    ),
  )

  it.effect(
    "has the account in its URL as it was sent",
    Gateway.play(
      (world) =>
        Effect.gen(function* () {
          const { id, options } = yield* opened(world)
          const account = onBase.toLowerCase()
          const answer = yield* options([account])
          assert.deepStrictEqual(
            Scene.at(answer.body, "options", 0, "collectData"),
            form(id, [account], sessionOf(answer)),
          )
        }),
      { collectData: CollectDataPolicy.layerAlways },
    ),
  )

  it.effect(
    "is required from the amount that the operator chose",
    Gateway.play(
      (world) =>
        Effect.gen(function* () {
          for (const [value, isNeeded] of [
            ["999", false],
            ["1000", true],
          ] as const) {
            const amount = { unit: "iso4217/USD", value }
            const { options } = yield* opened(world, { amount })
            const answer = yield* options([onBase])
            assert.strictEqual(Scene.at(answer.body, "collectData") !== undefined, isNeeded)
            assert.strictEqual(needs(answer)[0]?.[1] !== null, isNeeded)
          }
        }),
      { collectData: CollectDataPolicy.layerAbove({ USD: 1000n }) },
    ),
  )
})
