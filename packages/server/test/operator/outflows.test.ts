import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Calls from "./calls.ts"
import * as Money from "./money.ts"

const layer = Scene.layer({ chain: { blocks: "manual" } })
const unit = `caip19/${Money.asset}`

describe("the operator's outflows", () => {
  it.effect("lists a held payout, and retries it", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make
      const { text: key } = yield* Calls.operatorKey(["read", "support"])
      const operator = yield* Calls.inProcess
      assert.deepStrictEqual((yield* operator(({ status }) => status.stuck())).stuck, [])
      const { params: { outflowId = "", paymentId = "" } = {} } = yield* Money.heldPayout(scene)
      const path = `/operator/v1/outflows/${outflowId}`
      const { body: shown } = yield* Calls.send({ path, key })
      assert.deepInclude(shown, {
        id: outflowId,
        mode: "test",
        partnerId: scene.own.partner.id,
        purpose: "payout",
        state: "held",
        reason: "payee",
        destination: Scene.accountOf(Scene.treasury, Scene.chains.eip3009),
        txId: null,
        paymentId: null,
      })
      assert.strictEqual(Scene.text(shown, "payments", 0, "paymentId"), paymentId)
      assert.isAbove(Scene.text(shown, "problem", "message").length, 0)
      const { body } = yield* Calls.send({ path: "/operator/v1/stuck?mode=test", key })
      const [stuck, ...others] = Scene.list(body, "stuck")
      assert.deepStrictEqual(others, [])
      assert.deepInclude(stuck, {
        kind: "payout",
        id: outflowId,
        mode: "test",
        partnerId: scene.own.partner.id,
        paymentIds: [paymentId],
        state: "held",
        reason: "payee",
        remedy: {
          command: `florin payouts retry ${outflowId}`,
          operation: "outflows.retry",
          request: { outflowId },
        },
      })

      const retry = { path: `${path}/retry`, key, method: "POST" }
      assert.deepInclude((yield* Calls.send(retry)).body, { id: outflowId, state: "cancelled" })
      const [entry] = yield* Calls.entries
      assert.deepInclude(entry, { action: "payout.retried", subject: outflowId })
      const again = yield* Calls.send(retry)
      const why = Scene.text(Scene.isProblem(again, 400, "invalid_state"), "message")
      assert.include(why, "it is cancelled")
      const nobody = { ...retry, path: "/operator/v1/outflows/out_1/retry" }
      Scene.isProblem(yield* Calls.send(nobody), 404, "not_found")
    }).pipe(Effect.provide(layer)),
  )

  it.effect("are listed newest first, of both modes, by every filter and in pages", () =>
    Effect.gen(function* () {
      yield* Scene.make
      const { text: key } = yield* Calls.operatorKey(["read"])
      const operator = yield* Calls.inProcess
      const ids: Array<string> = []
      for (const mode of ["test", "live", "test"] as const) {
        const put = { ...Money.putting, mode, key: `${ids.length}` }
        yield* operator(({ float }) => float.put(put))
        const { id } = yield* operator(({ float }) => float.move({ ...Money.moving, mode }))
        // Only one leaves an account in a token at a time.
        if (ids.length === 0) yield* operator(({ float }) => float.cancel({ outflowId: id }))
        ids.unshift(id)
        yield* TestClock.adjust("1 second")
      }
      const [newest, ofLive, cancelled] = ids
      const list = (query: string) => Calls.send({ path: `/operator/v1/outflows${query}`, key })
      const idsOf = (query: string) =>
        Effect.map(list(query), ({ body }) =>
          Scene.list(body, "data").map((each) => Scene.text(each, "id")),
        )
      const paged: Array<string> = []
      for (let cursor: unknown = undefined; cursor !== null;) {
        const { body } = yield* list(`?limit=1${cursor === undefined ? "" : `&cursor=${cursor}`}`)
        paged.push(...Scene.list(body, "data").map((each) => Scene.text(each, "id")))
        cursor = Scene.at(body, "nextCursor")
      }
      assert.deepStrictEqual(paged, ids)
      assert.deepStrictEqual(yield* idsOf("?state=open"), [newest, ofLive])
      assert.deepStrictEqual(yield* idsOf("?state=cancelled"), [cancelled])
      assert.deepStrictEqual(yield* idsOf("?mode=live&purpose=move"), [ofLive])
      assert.deepStrictEqual(yield* idsOf(`?asset=${Money.asset}`), ids)
      assert.deepStrictEqual(yield* idsOf("?purpose=refund"), [])
      assert.deepStrictEqual(yield* idsOf("?merchantId=mrch_1"), [])
      assert.deepStrictEqual(yield* idsOf("?chainId=eip155:10"), [])
      const { body } = yield* list("?limit=1")
      const other = yield* list(`?mode=test&cursor=${Scene.text(body, "nextCursor")}`)
      assert.deepStrictEqual(Scene.fieldsOf(other), ["cursor"])
      assert.notProperty(Scene.list(body, "data")[0], "payments")
    }).pipe(Effect.provide(layer)),
  )

  it.effect("retries all that a filter selects, and the share or the refunds of a payment", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make
      const operator = yield* Calls.inProcess
      const { params: { outflowId = "", paymentId = "" } = {} } = yield* Money.heldRefund(scene)
      const others = [{ mode: "live" }, { reason: "moved" }, { merchantId: "mrch_1" }] as const
      for (const filter of others) {
        const { outflows } = yield* operator((each) => each.outflows.retryAll(filter))
        assert.deepStrictEqual(outflows, [])
      }
      const { merchantId, partner } = scene.own
      const filter = {
        asset: Money.asset,
        merchantId,
        partnerId: partner.id,
        reason: "payee",
      } as const
      const { outflows } = yield* operator((each) => each.outflows.retryAll(filter))
      assert.deepStrictEqual(outflows, [{ outflowId, isRetried: true, paymentIds: [paymentId] }])
      const { text: key } = yield* Calls.operatorKey(["support"])
      for (const path of ["refunds", "settlement"]) {
        const sent = {
          path: `/operator/v1/payments/${paymentId}/${path}/retry`,
          key,
          method: "POST",
        }
        Scene.isProblem(yield* Calls.send(sent), 400, "invalid_state")
      }
    }).pipe(Effect.provide(layer)),
  )

  it.effect("records a payout that only the chain shows, for one payment or for all", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make
      const { text: key } = yield* Calls.operatorKey(["treasury"])
      const { body, params: { paymentId = "" } = {} } = yield* Money.unknownPayout(scene)
      const unknown = { path: "/operator/v1/outflows/record", key, body: { txId: "0x00" } }
      Scene.isProblem(yield* Calls.send(unknown), 400, "invalid_state")
      const txId = Scene.text(body, "txId")
      const path = `/operator/v1/payments/${paymentId}/record`
      const recorded = yield* Calls.send({ path, key, body: { txId } })
      assert.strictEqual(Scene.text(recorded.body, "paymentId"), paymentId)
      assert.strictEqual(Scene.text(recorded.body, "settlement", "successful", "txId"), txId)
      const [entry] = yield* Calls.entries
      const changes = [{ field: "txHash", from: null, to: txId }]
      assert.deepInclude(entry, { action: "payout.recorded", changes })
      const again = yield* Calls.send({ ...unknown, body: { txId } })
      Scene.isProblem(again, 400, "invalid_state")
    }).pipe(Effect.provide(layer)),
  )

  for (const [decision, state, action] of [
    ["accept", "paid", "payout.accepted"],
    ["release", "cancelled", "payout.released"],
  ] as const) {
    it.effect(`can ${decision} what a payout moved instead of its amount`, () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make
        const operator = yield* Calls.inProcess
        const { params: { outflowId = "" } = {} } = yield* Money.movedPayout(scene)
        const held = yield* operator(({ outflows }) => outflows.get({ outflowId }))
        const { moved = null } = held.problem ?? {}
        assert.strictEqual(held.reason, "moved")
        assert.deepStrictEqual(moved?.left, { unit, value: "12340000" })
        assert.deepStrictEqual(moved?.arrived, { unit, value: "12216600" })
        const { text: key } = yield* Calls.operatorKey(["support", "treasury"])
        const path = `/operator/v1/outflows/${outflowId}`
        const retry = yield* Calls.send({ path: `${path}/retry`, key, method: "POST" })
        Scene.isProblem(retry, 400, "invalid_state")
        const decided = yield* Calls.send({ path: `${path}/${decision}`, key, method: "POST" })
        assert.deepInclude(decided.body, { id: outflowId, state })
        const [entry] = yield* Calls.entries
        assert.deepInclude(entry, { action, subject: outflowId })
      }).pipe(Effect.provide(layer)),
    )
  }
})
