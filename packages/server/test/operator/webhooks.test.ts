import { assert, describe, it } from "@effect/vitest"
import * as SignedCall from "@florin/testing/SignedCall"
import { Clock, Effect } from "effect"
import * as Webhooks from "../operations/webhooks.ts"
import * as Scene from "../scene.ts"
import * as Calls from "./calls.ts"

const begin = Calls.begin("webhooks")
const layer = Scene.layer()
const url = "https://shop.example/florin?token=1"

describe("webhooks.create, change, rotate and disable", () => {
  it.effect("manage a partner's webhook by its id alone", () =>
    Effect.gen(function* () {
      const { inProcess, other, own, send } = yield* begin
      const { id: partnerId } = own.partner
      const made = yield* send("POST", "", { partnerId, mode: "test", url })
      assert.strictEqual(made.status, 201, made.text)
      const webhookId = Scene.text(made.body, "webhook", "id")
      const secret = Scene.text(made.body, "secret")
      assert.deepInclude(Scene.at(made.body, "webhook"), { partnerId, mode: "test", url })
      assert.deepStrictEqual(yield* Calls.newest, {
        action: "webhook.created",
        subject: webhookId,
        changes: [{ field: "url", from: null, to: "https://shop.example" }],
      })
      const theirs = yield* Webhooks.get(own.key, webhookId)
      assert.strictEqual(Scene.text(theirs.body, "webhook", "url"), url)

      const types = ["payment.succeeded"]
      const changed = yield* inProcess(({ webhooks }) => webhooks.change({ webhookId, types }))
      assert.deepStrictEqual(changed.types, types)
      const rotated = yield* inProcess(({ webhooks }) => webhooks.rotate({ webhookId }))
      assert.notStrictEqual(rotated.secret, secret)

      yield* Webhooks.make(other.key)
      const all = yield* send("GET", "")
      assert.lengthOf(Scene.list(all.body, "webhooks"), 2)
      const ours = yield* inProcess(({ webhooks }) => webhooks.list({ partnerId }))
      assert.deepStrictEqual(ours.webhooks, [changed])
      const live = yield* inProcess(({ webhooks }) => webhooks.list({ partnerId, mode: "live" }))
      assert.deepStrictEqual(live.webhooks, [])
      assert.notInclude(JSON.stringify([ours, all.text]), "whsec_")

      const disabled = yield* send("DELETE", `/${webhookId}`)
      assert.isNotNull(Scene.at(disabled.body, "disabledAt"))
      assert.deepInclude(yield* Calls.newest, { action: "webhook.disabled", subject: webhookId })
      Scene.isProblem(yield* send("POST", `/${webhookId}/test`, {}), 400, "invalid_state")
    }).pipe(Effect.provide(layer)),
  )

  it.effect("refuse a partner that does not exist, and a webhook that does not", () =>
    Effect.gen(function* () {
      const { send } = yield* begin
      const create = (partnerId: string) => send("POST", "", { partnerId, mode: "test", url })
      assert.deepStrictEqual(Scene.fieldsOf(yield* create("Red Door")), ["partnerId"])
      Scene.isProblem(yield* create("prtn_0"), 404, "not_found")
      Scene.isProblem(yield* send("PATCH", "/whk_0", { types: null }), 404, "not_found")
      Scene.isProblem(yield* send("GET", "/whk_0/deliveries"), 404, "not_found")
    }).pipe(Effect.provide(layer)),
  )
})

describe("webhooks.test, deliveries, redeliver and replay", () => {
  it.effect("send events again, and list every attempt", () =>
    Effect.gen(function* () {
      const { inProcess, own, send } = yield* begin
      const { id: webhookId, secret } = yield* Webhooks.make(own.key)
      const tested = yield* send("POST", `/${webhookId}/test`)
      assert.strictEqual(tested.status, 201, tested.text)
      const deliveryId = Scene.text(tested.body, "deliveryId")
      const [call = assert.fail("no call")] = yield* Webhooks.deliver()
      assert.isTrue(SignedCall.isValid(secret, call, yield* Clock.currentTimeMillis))

      const redelivered = yield* inProcess(({ webhooks }) =>
        webhooks.redeliver({ webhookId, deliveryId }),
      )
      assert.strictEqual(redelivered.state, "pending")
      assert.lengthOf(yield* Webhooks.deliver(), 1)
      const from = new Date(Scene.now - 1000).toISOString()
      const to = new Date(Scene.now + 1000).toISOString()
      const replayed = yield* send("POST", `/${webhookId}/replay`, { from, to })
      assert.deepStrictEqual(replayed.body, { deliveries: 1 }, replayed.text)
      assert.deepInclude(yield* Calls.newest, { action: "webhook.replayed", subject: webhookId })
      const none = yield* inProcess(({ webhooks }) =>
        webhooks.replay({ webhookId, from, to, state: "given_up" }),
      )
      assert.deepStrictEqual(none, { deliveries: 0 })
      assert.lengthOf(yield* Webhooks.deliver(), 1)
      const { data, nextCursor } = yield* inProcess(({ webhooks }) =>
        webhooks.deliveries({ webhookId }),
      )
      assert.isNull(nextCursor)
      assert.deepStrictEqual(
        data.map(({ attempts, event, state }) => [event.type, state, attempts.length]),
        [["webhook.test", "delivered", 3]],
      )
    }).pipe(Effect.provide(layer)),
  )
})

describe("webhooks.sealSecrets", () => {
  it.effect("seals the secret of every partner's webhook again", () =>
    Effect.gen(function* () {
      const { inProcess, other, own, send } = yield* begin
      const { id: first } = yield* Webhooks.make(own.key)
      const { id: second } = yield* Webhooks.make(other.key)
      const ids = [first, second]
      const sealed = yield* send("POST", "/seal-secrets")
      assert.deepStrictEqual(sealed.body, { sealed: ids, refused: [] }, sealed.text)
      assert.deepStrictEqual(yield* Calls.newest, {
        action: "webhook.secret_sealed",
        subject: second,
        changes: [{ field: "secret" }],
      })
      const again = yield* inProcess(({ webhooks }) => webhooks.sealSecrets())
      assert.deepStrictEqual(again.sealed, ids)
    }).pipe(Effect.provide(layer)),
  )
})
