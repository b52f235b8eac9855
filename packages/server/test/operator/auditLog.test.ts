import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Calls from "./calls.ts"

const begin = Calls.begin("audit-log")
const layer = Scene.layer()

describe("auditLog.list", () => {
  it.effect("lists what everybody wrote, page by page, and names the person", () =>
    Effect.gen(function* () {
      const { inProcess, other, own, send } = yield* begin
      const { text: key, record } = yield* Calls.operatorKey(["support"])
      const path = `/operator/v1/merchants/${own.merchantId}/freeze`
      const frozen = yield* Calls.send({ method: "POST", path, key })
      const newest = yield* send("GET", "?limit=1")
      assert.deepInclude(Scene.at(newest.body, "data", 0), {
        action: "merchant.changed",
        subject: own.merchantId,
        partnerId: own.partner.id,
        mode: "test",
        actor: { type: "operator", keyId: record.id, name: "Ada", processId: null },
        reason: null,
        requestId: frozen.headers.get("request-id"),
        changes: [{ field: "isFrozen", from: false, to: true }],
      })
      const all = (yield* Calls.entries).map(({ id }) => id)
      const cursor = Scene.text(newest.body, "nextCursor")
      const rest = yield* inProcess(({ auditLog }) => auditLog.list({ cursor }))
      assert.deepStrictEqual(
        rest.data.map(({ id }) => id),
        all.slice(1),
      )
      assert.isNull(rest.nextCursor)

      const partnerId = other.partner.id
      const created = yield* inProcess(({ auditLog }) =>
        auditLog.list({ partnerId, mode: "test", action: "merchant.created" }),
      )
      assert.deepStrictEqual(
        created.data.map(({ actor, subject }) => [actor.keyId, subject]),
        [[other.keyId, other.merchantId]],
      )
      const since = new Date(Scene.now + 1).toISOString()
      const later = yield* inProcess(({ auditLog }) => auditLog.list({ since }))
      assert.deepStrictEqual(later, { data: [], nextCursor: null })
    }).pipe(Effect.provide(layer)),
  )

  it.effect("refuses a filter that it cannot read, and the cursor of another list", () =>
    Effect.gen(function* () {
      const { own, send } = yield* begin
      const fieldsOf = (query: string) => Effect.map(send("GET", query), Scene.fieldsOf)
      assert.deepStrictEqual(yield* fieldsOf("?partnerId=Own"), ["partnerId"])
      assert.deepStrictEqual(yield* fieldsOf("?action=slept"), ["action"])
      assert.deepStrictEqual(yield* fieldsOf("?since=today"), ["since"])
      const { body } = yield* send("GET", "?limit=1&action=key.created")
      const cursor = Scene.text(body, "nextCursor")
      assert.deepStrictEqual(yield* fieldsOf(`?cursor=${cursor}`), ["cursor"])
      const theirs = yield* Scene.send({ path: `/v1/audit-log?cursor=${cursor}`, key: own.key })
      assert.deepStrictEqual(Scene.fieldsOf(theirs), ["cursor"])
    }).pipe(Effect.provide(layer)),
  )
})
