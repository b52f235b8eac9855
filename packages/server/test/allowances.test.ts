/**
 * Payments that draw on one allowance: the accepted ones never exceed it.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Limits from "@florin/core/domain/ground/Limits"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const chainId = Scene.chains.permit2
const price = 12_340_000_000_000_000_000n

const tokenOn = (reference: number, symbol: string) =>
  Catalog.assetsOf(BuiltIn.catalog, Eip155.chainId(reference)).find(
    (each) => each.symbol === symbol,
  )?.token ?? assert.fail()

const usdt = tokenOn(chainId, "USDT")

const approvalOf = (quantity: bigint): string => quantity.toString(16).padStart(64, "0")

const play =
  <A, E>(
    body: (shop: {
      readonly create: (overrides?: {
        readonly [member: string]: Scene.Json
      }) => Effect.Effect<string, never, Scene.Ports>
      readonly key: string
    }) => Effect.Effect<A, E, Scene.Ports>,
  ) =>
  () =>
    Effect.gen(function* () {
      const { own, walletKey } = yield* Scene.make
      const merchantId = yield* Scene.createMerchant(own.key)
      return yield* body({
        key: walletKey,
        create: (overrides) =>
          Scene.createPayment(own.key, merchantId, {
            amount: { unit: `caip19/${Eip155.formatToken(usdt)}`, value: price.toString() },
            ...overrides,
          }),
      })
    }).pipe(Effect.provide(Scene.layer()))

const optionOf = (key: string, paymentId: string, on: number = chainId) =>
  Scene.firstOption(key, paymentId, Scene.accountOf(Scene.payer, on))

const confirm = (key: string, paymentId: string, body: Scene.Json) =>
  Scene.send({ path: `/v1/gateway/payment/${paymentId}/confirm`, key, body })

const fetch = (key: string, paymentId: string, optionId: string) =>
  Scene.send({
    path: `/v1/gateway/payment/${paymentId}/fetch`,
    key,
    body: { optionId, data: "" },
  })

const collectAll = (on: number = chainId) =>
  Effect.gen(function* () {
    const chain = yield* SimulatedChain
    for (let round = 0; round < 4; round += 1) {
      yield* Scene.work
      yield* chain.settle(on)
      yield* TestClock.adjust("30 seconds")
    }
    yield* Scene.work
  })

const statusOf = (key: string, paymentId: string) =>
  Effect.map(Scene.send({ path: `/v1/gateway/payment/${paymentId}/status`, key }), ({ body }) =>
    Scene.text(body, "status"),
  )

/** Two payments, both signed while the wallet allows as much as one of them needs. */
const twoSigned = Effect.fnUntraced(function* (
  key: string,
  create: () => Effect.Effect<string, never, Scene.Ports>,
) {
  const ids = [yield* create(), yield* create()] as const
  const first = yield* Scene.confirmBody(key, ids[0], yield* optionOf(key, ids[0]))
  const second = yield* Scene.confirmBody(key, ids[1], yield* optionOf(key, ids[1]))
  assert.lengthOf(first.results, 2)
  assert.lengthOf(second.results, 1)
  return [
    { id: ids[0], body: first },
    { id: ids[1], body: second },
  ] as const
})

describe("an allowance that covers one payment", () => {
  it.effect(
    "S29: accepts one of two signed payments, and asks the other for an approval of both amounts",
    play(({ create, key }) =>
      Effect.gen(function* () {
        const [first, second] = yield* twoSigned(key, create)
        assert.strictEqual((yield* confirm(key, first.id, first.body)).status, 200)
        Scene.isProblem(yield* confirm(key, second.id, second.body), 422, "params_validation")
        // The first is not taken by the second's refusal, and the same confirm again is answered as before.
        assert.strictEqual((yield* confirm(key, first.id, first.body)).status, 200)

        const option = yield* optionOf(key, second.id)
        const steps = yield* fetch(key, second.id, Scene.text(option, "id"))
        assert.include(steps.text, approvalOf(2n * price))
        const approved = yield* Scene.confirmBody(key, second.id, option)
        assert.lengthOf(approved.results, 2)
        assert.strictEqual((yield* confirm(key, second.id, approved)).status, 200)
        yield* collectAll()
        assert.strictEqual(yield* statusOf(key, first.id), "succeeded")
        assert.strictEqual(yield* statusOf(key, second.id), "succeeded")
      }),
    ),
  )
})

describe("an allowance without an end", () => {
  it.effect(
    "S29: never needs an approval, with any open payments",
    play(({ create, key }) =>
      Effect.gen(function* () {
        const { setAllowance } = yield* SimulatedChain
        yield* setAllowance(usdt, Scene.payer.address, Limits.maxQuantity)
        const ids: Array<string> = []
        for (let count = 0; count < 3; count += 1) {
          const id = yield* create()
          const body = yield* Scene.confirmBody(key, id, yield* optionOf(key, id))
          assert.lengthOf(body.results, 1)
          assert.strictEqual((yield* confirm(key, id, body)).status, 200)
          ids.push(id)
        }
        yield* collectAll()
        for (const id of ids) assert.strictEqual(yield* statusOf(key, id), "succeeded")
      }),
    ),
  )
})

describe("a token that must be set to 0 before a new approval", () => {
  it.effect(
    "S29: is not offered while that would break an open payment",
    play(({ create, key }) =>
      Effect.gen(function* () {
        const token = tokenOn(1, "USDT")
        const amount = { unit: `caip19/${Eip155.formatToken(token)}`, value: "12340000" }
        const pay = () => create({ amount })
        const [first, second] = [yield* pay(), yield* pay()]
        const early = yield* optionOf(key, second, 1)
        const body = yield* Scene.confirmBody(key, first, yield* optionOf(key, first, 1))
        assert.strictEqual((yield* confirm(key, first, body)).status, 200)
        const options = yield* Scene.send({
          path: `/v1/gateway/payment/${second}/options`,
          key,
          body: { accounts: [Scene.accountOf(Scene.payer, 1)] },
        })
        assert.deepStrictEqual(Scene.list(options.body, "options"), [])
        Scene.isProblem(yield* fetch(key, second, Scene.text(early, "id")), 409, "quote_expired")
        yield* collectAll(1)
        assert.strictEqual(yield* statusOf(key, first), "succeeded")
        const later = yield* Scene.confirmBody(key, second, yield* optionOf(key, second, 1))
        assert.strictEqual((yield* confirm(key, second, later)).status, 200)
      }),
    ),
  )
})
