import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Calls from "./calls.ts"
import * as Money from "./money.ts"

describe("the operator's unclaimed money", () => {
  it.effect("is listed, found by its transaction, and returned once", () =>
    Effect.gen(function* () {
      yield* Scene.make
      const { text: key } = yield* Calls.operatorKey(["read", "support"])
      const operator = yield* Calls.inProcess
      const { params: { inflowId = "", txId = "" } = {} } = yield* Money.unclaimed()
      const listed = yield* Calls.send({ path: "/operator/v1/inflows", key })
      const [inflow, ...more] = Scene.list(listed.body, "inflows")
      assert.deepStrictEqual(more, [])
      assert.deepInclude(inflow, {
        id: inflowId,
        mode: "test",
        state: "suspended",
        obstacle: null,
        from: Scene.accountOf(Scene.stranger, Scene.chains.eip3009),
        to: Scene.accountOf(Money.account, Scene.chains.eip3009),
        txId,
        paymentId: null,
      })
      assert.deepInclude(Scene.at(inflow, "amount"), {
        unit: `caip19/${Money.asset}`,
        value: "7000000",
      })
      const path = `/operator/v1/transactions/${txId}/inflows`
      assert.deepStrictEqual((yield* Calls.send({ path, key })).body, { inflows: [inflow ?? null] })
      const live = yield* operator(({ inflows }) => inflows.list({ mode: "live" }))
      assert.deepStrictEqual(live, { inflows: [], others: [] })

      const headers = { "Idempotency-Key": "return" }
      const giveBack = { path: `/operator/v1/inflows/${inflowId}/return`, key, method: "POST" }
      const returned = yield* Calls.send({ ...giveBack, headers })
      assert.strictEqual(returned.status, 201, returned.text)
      assert.deepInclude(returned.body, {
        purpose: "return",
        state: "waiting",
        mode: "test",
        inflowId,
        partnerId: null,
        problem: null,
        destination: Scene.accountOf(Scene.stranger, Scene.chains.eip3009),
      })
      const [entry] = yield* Calls.entries
      assert.deepInclude(entry, { action: "unclaimed_transfer.returned", subject: inflowId })
      const again = yield* Calls.send({ ...giveBack, headers: { "Idempotency-Key": "again" } })
      const outflowId = Scene.text(returned.body, "id")
      assert.include(Scene.text(Scene.isProblem(again, 400, "invalid_state"), "message"), outflowId)
      const { inflows } = yield* operator((each) => each.inflows.find({ txId }))
      const obstacle = `it was returned already, by ${outflowId}`
      assert.deepInclude(inflows[0], { state: "returning", obstacle })
      const nobody = { ...giveBack, path: "/operator/v1/inflows/unc_1/return", headers }
      Scene.isProblem(yield* Calls.send(nobody), 404, "not_found")
    }).pipe(Effect.provide(Scene.layer())),
  )
})
