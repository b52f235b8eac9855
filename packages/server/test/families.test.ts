import { assert, describe, it } from "@effect/vitest"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Reconciler from "@florin/core/engine/books/Reconciler"
import * as Eip155Kit from "@florin/testing/Eip155Kit"
import * as Harbour from "@florin/testing/harbour/Harbour"
import * as HarbourKit from "@florin/testing/harbour/HarbourKit"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Gateway from "./operations/gateway.ts"
import * as Scene from "./scene.ts"

const catalog = Catalog.make({
  ...Catalog.join(BuiltIn.catalog, Harbour.catalog),
  families: Catalog.familiesOf([BuiltIn.catalog, Harbour.catalog]),
})
const [husd, ousd] = Catalog.assetsOf(Harbour.catalog, Harbour.chainId)

const payer = HarbourKit.kit.wallet(1)
const treasury = HarbourKit.kit.wallet(2)
const account = `${Harbour.chainId}:${payer.address}`
const assetOf = (asset: typeof husd): string =>
  `${Harbour.chainId}/coin:${asset?.token.address ?? assert.fail("no such token")}`

/** A service that takes money on EVM chains and in harbours. */
const play = (body: Parameters<typeof Gateway.play>[0]) =>
  Gateway.play(body, { chain: { catalog, kits: [Eip155Kit.kit, HarbourKit.kit] } })

const register = (key: string, merchantId: string, destination: string) =>
  Scene.send({
    path: `/v1/merchants/${merchantId}/settlements/crypto`,
    key,
    headers: { "Idempotency-Key": Scene.fresh("destination") },
    body: { settlements: [{ asset: assetOf(husd), destination }] },
  })

const optionsFor = Effect.fnUntraced(function* (
  key: string,
  id: string,
  accounts: ReadonlyArray<string>,
) {
  const answer = yield* Scene.send({
    path: Gateway.pathOf(id, "/options"),
    key,
    body: { accounts: [...accounts] },
  })
  assert.strictEqual(answer.status, 200, answer.text)
  return Scene.list(answer.body, "options")
})

const confirmed = Effect.fnUntraced(function* (key: string, id: string, option: Scene.Json) {
  const body = yield* Scene.confirmBody(key, id, option, payer)
  const answer = yield* Scene.send({ path: Gateway.pathOf(id, "/confirm"), key, body })
  return { answer, body }
})

const finish = Effect.gen(function* () {
  const chain = yield* SimulatedChain
  for (let round = 0; round < 4; round += 1) {
    yield* Scene.work
    yield* chain.settle(Harbour.chainId)
    yield* TestClock.adjust("30 seconds")
  }
  yield* Scene.work
})

const statusOf = Effect.fnUntraced(function* (key: string, id: string) {
  const answer = yield* Scene.send({ path: Gateway.pathOf(id, "/status"), key })
  return Scene.text(answer.body, "status")
})

describe("A service of two families of chains", () => {
  it.effect(
    "accepts a payment from an account that is not EVM, and pays it out",
    play(({ own, walletKey }) =>
      Effect.gen(function* () {
        const chain = yield* SimulatedChain
        const token = husd?.token ?? assert.fail("no token")
        const registered = yield* register(
          own.key,
          own.merchantId,
          `${Harbour.chainId}:${treasury.address.toUpperCase()}`,
        )
        assert.strictEqual(registered.status, 201, registered.text)
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const spelled = `${Harbour.chainId}:${payer.address.toUpperCase()}`
        const options = yield* optionsFor(walletKey, id, [spelled])
        const [option = null] = options
        assert.strictEqual(Scene.text(option, "account"), spelled)
        assert.strictEqual(Scene.text(option, "amount", "unit"), `caip19/${assetOf(husd)}`)
        const [action = null, ...more] = Scene.list(option, "actions")
        assert.deepStrictEqual(more, [])
        assert.strictEqual(Scene.text(action, "data", "chain_id"), "harbour:north")
        assert.strictEqual(Scene.text(action, "data", "method"), "harbour_sign")

        const { answer, body } = yield* confirmed(walletKey, id, option)
        assert.strictEqual(answer.status, 200, answer.text)
        const again = yield* Scene.send({
          path: Gateway.pathOf(id, "/confirm"),
          key: walletKey,
          body,
        })
        assert.strictEqual(again.status, 200, again.text)
        yield* finish
        assert.strictEqual(yield* statusOf(walletKey, id), "succeeded")
        assert.strictEqual(yield* chain.balanceOf(token, treasury.address), 1_000_012_340_000n)

        const details = yield* Scene.send({
          path: `/v1/payments/${id}`,
          key: own.key,
          headers: { "Merchant-Id": own.merchantId },
        })
        assert.match(
          Scene.text(details.body, "settlement", "successful", "txId"),
          /^[a-z2-7]{52}$/u,
        )
        const listed = yield* Scene.send({
          path: `/v1/merchants/${own.merchantId}/payments?network=harbour:north`,
          key: own.key,
        })
        assert.lengthOf(Scene.list(listed.body, "data"), 1, listed.text)
        const elsewhere = yield* Scene.send({
          path: `/v1/merchants/${own.merchantId}/payments?network=harbour:south,eip155:8453`,
          key: own.key,
        })
        assert.lengthOf(Scene.list(elsewhere.body, "data"), 0, elsewhere.text)

        const { differences, unsound } = yield* Reconciler.check("test")
        assert.deepStrictEqual([differences, unsound], [[], []])
      }),
    ),
  )

  it.effect(
    "collects by a standing order, and refunds the money",
    play(({ own, walletKey }) =>
      Effect.gen(function* () {
        const world = yield* SimulatedChain
        const id = yield* Scene.createPayment(own.key, own.merchantId, {
          amount: { unit: `caip19/${assetOf(ousd)}`, value: "5000000" },
        })
        const [option = null] = yield* optionsFor(walletKey, id, [account])
        assert.deepStrictEqual(
          Scene.list(option, "actions").map((each) => Scene.text(each, "type")),
          ["build"],
        )
        const { answer, body } = yield* confirmed(walletKey, id, option)
        assert.strictEqual(answer.status, 200, answer.text)
        assert.lengthOf(Scene.list(body, "results"), 2)
        yield* finish
        assert.strictEqual(yield* statusOf(walletKey, id), "succeeded")
        const refund = yield* Scene.send({
          path: "/v1/refunds",
          key: own.key,
          headers: { "Idempotency-Key": Scene.fresh("refund") },
          body: { paymentId: id },
        })
        assert.strictEqual(refund.status, 200, refund.text)
        const token = ousd?.token ?? assert.fail("no token")
        const paid = yield* world.balanceOf(token, payer.address)
        yield* finish
        assert.strictEqual(yield* world.balanceOf(token, payer.address), paid + 5_000_000n)
        const { differences, unsound } = yield* Reconciler.check("test")
        assert.deepStrictEqual([differences, unsound], [[], []])
      }),
    ),
  )

  it.effect(
    "offers accounts of both families in one response, and skips those of a third",
    play(({ own, walletKey }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const evm = Gateway.payerOn(8453)
        const options = yield* optionsFor(walletKey, id, [
          account,
          evm,
          "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv",
          `harbour:north2:${payer.address}`.replace("north2", "west"),
        ])
        assert.sameMembers(
          [...new Set(options.map((each) => Scene.text(each, "account")))],
          [account, evm],
        )
        for (const [broken, message] of [
          [`${account.slice(0, -1)}1`, "letters and digits"],
          [`${account.slice(0, -1)}${account.endsWith("a") ? "b" : "a"}`, "typing error"],
          ["harbour:N0rth:x", "small letters"],
        ] as const) {
          const answer = yield* Scene.send({
            path: Gateway.pathOf(id, "/options"),
            key: walletKey,
            body: { accounts: [broken] },
          })
          assert.strictEqual(answer.status, 400, answer.text)
          assert.include(answer.text, message)
        }
      }),
    ),
  )

  it.effect(
    "refuses a signature of another account, and an impossible destination",
    play(({ own, walletKey }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const [option = null] = yield* optionsFor(walletKey, id, [account])
        const { body } = yield* Effect.map(
          Scene.confirmBody(walletKey, id, option, payer),
          (good) => ({ body: good }),
        )
        const [result] = body.results
        const signature = result?.data[0] ?? assert.fail("nothing was signed")
        for (const forge of Object.values(HarbourKit.kit.forgeries)) {
          const answer = yield* Scene.send({
            path: Gateway.pathOf(id, "/confirm"),
            key: walletKey,
            body: { ...body, results: [{ type: "walletRpc", data: [forge(signature)] }] },
          })
          assert.oneOf(answer.status, [400, 422], answer.text)
        }
        assert.strictEqual(yield* statusOf(walletKey, id), "requires_action")
        for (const [destination, message] of [
          [`${Harbour.chainId}:${Harbour.clerk}`, "the contract of standing orders"],
          [`harbour:south:${treasury.address}`, "must be on the asset's chain, harbour:north"],
          [Scene.accountOf(Scene.treasury, 8453), "must be on the asset's chain, harbour:north"],
        ] as const) {
          const refused = yield* register(own.key, own.merchantId, destination)
          assert.strictEqual(refused.status, 400, refused.text)
          assert.include(refused.text, message)
        }
      }),
    ),
  )
})
