import { assert, describe } from "@effect/vitest"
import * as Version from "@florin/core/domain/ground/Version"
import * as Events from "@florin/core/engine/notify/Events"
import { Assets } from "@florin/core/ports/Assets"
import { type Call, WebhookTransport } from "@florin/core/ports/WebhookTransport"
import * as WebhookSender from "@florin/core/workers/WebhookSender"
import { Effect } from "effect"
import * as WebhookBody from "../../src/WebhookBody.ts"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"
import { assets, register } from "./settlements.ts"

const { play } = Laws

const list = (key: string, query = "") => Scene.send({ path: `/v1/events${query}`, key })
const after = (answer: Scene.Reply): string =>
  `?cursor=${encodeURIComponent(Scene.text(answer.body, "nextCursor"))}`

const told = ({ body }: Scene.Reply, ...path: ReadonlyArray<string>) =>
  Scene.list(body, "data").map((event) => Scene.at(event, ...path) ?? null)

describe("GET /v1/events", () => {
  play("describes a new payment with every member, null if it has no value yet", ({ own }) =>
    Effect.gen(function* () {
      const paymentId = yield* Scene.createPayment(own.key, own.merchantId, {
        referenceId: "ORDER 1",
      })
      const answer = yield* list(own.key)
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.body, {
        data: [
          {
            id: `evt_${paymentId.slice(4)}0000`,
            type: "payment.created",
            timestamp: "2026-09-21T14:13:20.000Z",
            data: {
              paymentId,
              merchantId: own.merchantId,
              referenceId: "ORDER 1",
              metadata: {},
              payment_state_version: 0,
              status: "requires_action",
              amount: { unit: "iso4217/USD", value: "1234" },
              expiresAt: Scene.now / 1000 + 300,
              buyer: null,
              info: null,
              settlement: null,
              refund: null,
            },
          },
        ],
        nextCursor: Scene.text(answer.body, "nextCursor"),
        hasMore: false,
      })
    }),
  )

  play("describes each state of a payment in order, as it was at that time", ({ own }) =>
    Effect.gen(function* () {
      yield* register(own.key, own.merchantId, [assets.usdcOnBase])
      const paymentId = yield* Scene.createPayment(own.key, own.merchantId)
      yield* Scene.pay(own.key, paymentId)
      const refunded = yield* Scene.send({
        path: "/v1/refunds",
        key: own.key,
        body: { paymentId },
      })
      assert.strictEqual(refunded.status, 200, refunded.text)
      const answer = yield* list(own.key)
      assert.deepStrictEqual(told(answer, "type"), [
        "payment.created",
        "payment.processing",
        "payment.succeeded",
        "payment.settled",
        "refund.pending",
      ])
      assert.deepStrictEqual(told(answer, "data", "payment_state_version"), [0, 1, 2, 3, 4])
      assert.deepStrictEqual(told(answer, "data", "status"), [
        "requires_action",
        "processing",
        "succeeded",
        "succeeded",
        "succeeded",
      ])
      const account = Scene.accountOf(Scene.payer, Scene.chains.eip3009)
      const amount = {
        unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        value: "12340000",
      }
      const [created, processing, succeeded, settled, refund] = Scene.list(answer.body, "data")
      assert.isNull(Scene.at(created, "data", "buyer"))
      for (const event of [processing, succeeded, settled, refund]) {
        assert.strictEqual(Scene.at(event, "data", "buyer"), account)
      }
      assert.isNull(Scene.at(processing, "data", "info"))
      const info = Scene.at(succeeded, "data", "info")
      assert.hasAllKeys(info, ["optionAmount", "txId"])
      assert.deepStrictEqual(Scene.at(info, "optionAmount"), amount)
      assert.isNull(Scene.at(succeeded, "data", "settlement"))
      const settlement = Scene.at(settled, "data", "settlement")
      assert.hasAllKeys(settlement, ["amount", "txId"])
      assert.deepStrictEqual(Scene.at(settlement, "amount"), amount)
      assert.isNull(Scene.at(settled, "data", "refund"))
      assert.deepStrictEqual(Scene.at(refund, "data", "refund"), {
        refundId: Scene.text(refunded.body, "refundId"),
        status: "pending",
        amount,
      })
      const paid = yield* Scene.send({
        path: `/v1/payments/${paymentId}`,
        key: own.key,
        headers: { "Merchant-Id": own.merchantId },
      })
      assert.strictEqual(Scene.text(info, "txId"), Scene.text(paid.body, "info", "txId"))
      assert.strictEqual(
        Scene.text(settlement, "txId"),
        Scene.text(paid.body, "settlement", "successful", "txId"),
      )
    }),
  )

  play("returns each event in the same bytes as webhooks", ({ own }) =>
    Effect.gen(function* () {
      const tenant = { partnerId: own.partner.id, mode: "test" } as const
      const url = "https://hooks.example.com/"
      const stable = Version.all.filter((version) => !Version.isPreview(version))
      for (const version of [undefined, ...stable]) {
        yield* Effect.orDie(
          Events.createEndpoint(tenant, { url: `${url}${version ?? ""}`, version }),
        )
      }
      const paymentId = yield* Scene.createPayment(own.key, own.merchantId)
      yield* Scene.pay(own.key, paymentId)
      const calls: Array<Call> = []
      const transport = WebhookTransport.layerFunction((call) => {
        calls.push(call)
        return 200
      })
      const render = WebhookBody.render(yield* Assets)
      yield* WebhookSender.drain(render).pipe(Effect.provide(transport), Effect.orDie)
      const sent = (version = "") => calls.filter((call) => call.url === `${url}${version}`)
      const pinned = yield* list(own.key)
      for (const { body } of sent()) assert.include(pinned.text, body)
      assert.lengthOf(sent(), 3)
      for (const version of stable) {
        const headers = { "Svc-Version": version }
        const feed = yield* Scene.send({ path: "/v1/events", key: own.key, headers })
        for (const { body } of sent(version)) assert.include(feed.text, body)
        assert.lengthOf(sent(version), 3)
      }
    }),
  )

  play("returns a cursor with every page, also the last, which works for later events", ({ own }) =>
    Effect.gen(function* () {
      const nothing = yield* list(own.key)
      assert.deepStrictEqual(told(nothing, "id"), [])
      assert.strictEqual(Scene.at(nothing.body, "hasMore"), false)
      const ids: Array<string> = []
      for (let count = 0; count < 5; count += 1) {
        ids.push(yield* Scene.createPayment(own.key, own.merchantId))
      }
      const first = yield* list(own.key, `${after(nothing)}&limit=2`)
      const second = yield* list(own.key, `${after(first)}&limit=2`)
      const third = yield* list(own.key, `${after(second)}&limit=2`)
      const pages = [first, second, third]
      assert.deepStrictEqual(
        pages.map((page) => told(page, "data", "paymentId")),
        [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)],
      )
      assert.deepStrictEqual(
        pages.map(({ body }) => Scene.at(body, "hasMore")),
        [true, true, false],
      )
      const last = yield* list(own.key, after(third))
      assert.deepStrictEqual(told(last, "id"), [])
      const later = yield* Scene.createPayment(own.key, own.merchantId)
      for (const at of [third, last]) {
        const page = yield* list(own.key, after(at))
        assert.deepStrictEqual(told(page, "data", "paymentId"), [later])
      }
      // An exact page says that nothing is left.
      const exact = yield* list(own.key, "?limit=6")
      assert.strictEqual(Scene.at(exact.body, "hasMore"), false)
      assert.lengthOf(Scene.list(exact.body, "data"), 6)
    }),
  )

  play("returns 50 events per page by default, and at most 200", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      for (let count = 0; count < 51; count += 1) {
        yield* Scene.createPayment(own.key, own.merchantId)
      }
      assert.lengthOf(told(yield* list(own.key), "id"), 50)
      assert.lengthOf(told(yield* list(own.key, "?limit=200"), "id"), 51)
      for (const limit of ["0", "201", "-1", "1.5", "ten", ""]) {
        yield* Laws.invalid(scene, { path: `/v1/events?limit=${limit}`, key: own.key }, ["limit"])
      }
    }),
  )

  play("returns the partner's events in the key's mode, for all of its merchants", (scene) =>
    Effect.gen(function* () {
      const { other, own } = scene
      const second = yield* Scene.createMerchant(own.key, "Second")
      const mine = [
        yield* Scene.createPayment(own.key, own.merchantId),
        yield* Scene.createPayment(own.key, second),
      ]
      const theirs = yield* Scene.createPayment(other.key, other.merchantId)
      yield* Scene.send({ method: "DELETE", path: `/v1/merchants/${second}`, key: own.key })
      const answer = yield* Scene.send({
        path: "/v1/events",
        key: own.key,
        headers: { "Merchant-Id": own.merchantId },
      })
      assert.deepStrictEqual(told(answer, "data", "paymentId"), mine)
      assert.deepStrictEqual(told(yield* list(other.key), "data", "paymentId"), [theirs])
      assert.deepStrictEqual(told(yield* list(own.liveKey), "data", "paymentId"), [])
    }),
  )
})
