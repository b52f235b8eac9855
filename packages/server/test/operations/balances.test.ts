import { assert, describe } from "@effect/vitest"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import * as Float from "@florin/core/engine/books/Float"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets, SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"
import * as Laws from "./laws.ts"
import { assets, register, tokenOf } from "./settlements.ts"

const { play } = Laws

const parts = ["available", "pending", "inPayout", "reserved", "debt"] as const
type Listed = { readonly merchantId: string } & {
  readonly [P in (typeof parts)[number]]?: string
}

const read = Effect.fnUntraced(function* (key: string, query = "") {
  const answer = yield* Scene.send({ path: `/v1/balances${query}`, key })
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body
})

const shown = (balance: Scene.Json): Listed => {
  const values = parts.map((part) => [part, Scene.text(balance, part, "value")] as const)
  return {
    merchantId: Scene.text(balance, "merchantId"),
    ...Object.fromEntries(values.filter(([, value]) => value !== "0")),
  }
}

/** The parts that are not zero, of each merchant that is listed. */
const partsOf = (body: Scene.Json) => Scene.list(body, "data").map(shown)

const isListed = (key: string, ...expected: Array<Listed>) =>
  Effect.map(read(key), (body) => assert.deepStrictEqual(partsOf(body), expected))

/** The operator's own money, which refunds of money that a merchant already had need. */
const fund = Effect.forEach(collectingWallets, ({ address: collecting }, index) =>
  Effect.gen(function* () {
    const [token, quantity] = [tokenOf(assets.usdcOnBase), Fixtures.quantity(1_000_000_000n)]
    yield* (yield* SimulatedChain).mint(token, collecting, quantity)
    const key = Fixtures.key(`float ${index}`)
    yield* Effect.orDie(Float.put("test", { key, token, collecting, quantity }))
  }),
)

const paid = Effect.fnUntraced(function* (
  { walletKey }: Pick<Scene.Scene, "walletKey">,
  key: string,
  merchantId: string,
  asked = {},
) {
  const paymentId = yield* Scene.createPayment(key, merchantId, asked)
  yield* Scene.pay(walletKey, paymentId)
  yield* Gateway.finish(8453)
  return paymentId
})

describe("GET /v1/balances", () => {
  play("shows a share until it is paid out, and the debt of a refund after that", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const { merchantId } = own
      assert.deepStrictEqual(yield* read(own.key), { data: [], nextCursor: null })
      const paymentId = yield* paid(scene, own.key, merchantId)
      const { display, unit } = Object(Gateway.usdcOnBase("0"))
      const none = { unit, value: "0" }
      assert.deepStrictEqual(yield* read(own.key), {
        data: [
          {
            merchantId,
            merchantName: "Corner Shop",
            display,
            available: { unit, value: "12340000" },
            pending: none,
            inPayout: none,
            reserved: none,
            debt: none,
          },
        ],
        nextCursor: null,
      })
      yield* register(own.key, merchantId, [assets.usdcOnBase])
      yield* Gateway.finish(8453)
      yield* isListed(own.key)
      yield* fund
      yield* Scene.send({ path: "/v1/refunds", key: own.key, body: { paymentId } })
      yield* Gateway.finish(8453)
      yield* isListed(own.key, { merchantId, debt: "12340000" })
      // The next share pays the debt.
      yield* paid(scene, own.key, merchantId)
      yield* isListed(own.key)
      yield* paid(scene, own.key, merchantId, { metadata: { testOutcome: "payout_held" } })
      yield* isListed(own.key, { merchantId, inPayout: "12340000" })
    }),
  )

  play("shows what a reserve or a freeze holds back as pending", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const { merchantId } = own
      const reserve = Result.getOrThrow(PartnerLimits.parseReserve("10% 1d"))
      yield* Effect.orDie(
        Merchants.changePartner(own.partner.id, { limits: { test: { reserve } } }),
      )
      yield* paid(scene, own.key, merchantId)
      yield* isListed(own.key, { merchantId, available: "11106000", pending: "1234000" })
      yield* Effect.orDie(Merchants.takeOfPartner(own.partner.id, "freeze"))
      yield* isListed(own.key, { merchantId, pending: "12340000" })
      yield* Effect.orDie(Merchants.takeOfPartner(own.partner.id, "unfreeze"))
      yield* TestClock.adjust("1 day")
      yield* isListed(own.key, { merchantId, available: "12340000" })
    }),
  )

  play("lists a partner's own merchants, newest first, by merchant and token, in pages", (scene) =>
    Effect.gen(function* () {
      const { other, own } = scene
      const made = [own.merchantId]
      for (const name of ["Second", "Third"]) {
        yield* TestClock.adjust("1 second")
        made.push(yield* Scene.createMerchant(own.key, name))
      }
      for (const each of made) yield* paid(scene, own.key, each)
      const idsOf = (body: Scene.Json) => partsOf(body).map(({ merchantId }) => merchantId)
      const newest = made.toReversed()
      assert.deepStrictEqual(idsOf(yield* read(own.key)), newest)
      const first = yield* read(own.key, "?limit=2")
      const cursor = encodeURIComponent(Scene.text(first, "nextCursor"))
      const rest = yield* read(own.key, `?limit=2&cursor=${cursor}`)
      assert.deepStrictEqual([...idsOf(first), ...idsOf(rest)], newest)
      assert.isNull(Scene.at(rest, "nextCursor"))
      for (const [query, found] of [
        [`?merchantId=${own.merchantId}`, [own.merchantId]],
        ["?merchantId=nobody", []],
        [`?asset=${encodeURIComponent(assets.usdcOnBase)}`, newest],
        [`?asset=${encodeURIComponent(assets.eurcOnBase)}`, []],
      ] as const) {
        assert.deepStrictEqual(idsOf(yield* read(own.key, query)), found, query)
      }
      assert.deepStrictEqual(idsOf(yield* read(other.key)), [])
      for (const [query, field] of [
        ["asset=usdc", "asset"],
        ["limit=0", "limit"],
        ["cursor=x", "cursor"],
      ] as const) {
        yield* Laws.invalid(scene, { path: `/v1/balances?${query}`, key: own.key }, [field])
      }
      for (const filter of [
        `asset=${encodeURIComponent(assets.usdcOnBase)}`,
        `merchantId=${own.merchantId}`,
      ]) {
        const path = `/v1/balances?cursor=${cursor}&${filter}`
        yield* Laws.invalid(scene, { path, key: own.key }, ["cursor"])
      }
      yield* Laws.invalid(scene, { path: `/v1/balances?cursor=${cursor}`, key: other.key }, [
        "cursor",
      ])
      // Money that is owed stays owed.
      yield* Scene.send({ method: "DELETE", path: `/v1/merchants/${made[1]}`, key: own.key })
      assert.deepStrictEqual(idsOf(yield* read(own.key)), newest)
    }),
  )
})
