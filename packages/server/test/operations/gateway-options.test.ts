import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as PayerSession from "@florin/core/domain/ground/PayerSession"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as PayerData from "@florin/core/engine/payment/PayerData"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { RateSource } from "@florin/core/ports/RateSource"
import { Settings } from "@florin/core/ports/Settings"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"

type Json = Scene.Json

const onBase = Gateway.payerOn(Scene.chains.eip3009)
const onBsc = Gateway.payerOn(Scene.chains.permit2)

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

describe("POST /v1/gateway/payment/{id}/options, an option", () => {
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
})
