import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Scene from "../scene.ts"
import * as Calls from "./calls.ts"
import * as Money from "./money.ts"

const layer = Scene.layer({ chain: { blocks: "manual" } }).pipe(Layer.provideMerge(Money.treasury))
const { moving, putting, withdrawing } = Money

describe("the operator's float", () => {
  it.effect("records what came and what left, once for each key", () =>
    Effect.gen(function* () {
      yield* Scene.make
      const { text: key } = yield* Calls.operatorKey(["treasury"])
      const operator = yield* Calls.inProcess
      const send = (command: string, body: Scene.Json) =>
        Calls.send({ path: `/operator/v1/float/${command}`, key, body })
      const put = yield* send("put", putting)
      const display = Scene.at(put.body, "amount", "display") ?? null
      assert.deepInclude(Object(display), { assetSymbol: "USDC", decimals: 6, networkName: "Base" })
      const recording = { ...putting, amount: { ...putting.amount, display } }
      assert.deepStrictEqual(put.body, recording)
      const [entry] = yield* Calls.entries
      assert.deepInclude(entry, { action: "float.put", subject: putting.key, mode: "test" })
      const recorded = (yield* Calls.entries).length
      assert.deepStrictEqual<unknown>(yield* operator(({ float }) => float.put(putting)), recording)
      assert.strictEqual((yield* Calls.entries).length, recorded)
      const { amount } = putting
      const less = { ...putting, amount: { ...amount, value: "4" } }
      Scene.isProblem(yield* send("put", less), 409, "idempotency_conflict")

      const taking = { ...putting, key: "taken" }
      assert.deepStrictEqual((yield* send("take", taking)).body, { ...recording, key: "taken" })
      assert.deepInclude((yield* Calls.entries)[0], { action: "float.taken", subject: "taken" })
      // The account has nothing left.
      Scene.isProblem(yield* send("take", { ...putting, key: "more" }), 400, "invalid_state")
      for (const [field, change] of [
        ["account", { account: "eip155:10:0x1111111111111111111111111111111111111111" }],
        ["amount.unit", { amount: { unit: "iso4217/USD", value: "5" } }],
        ["amount.value", { amount: { ...amount, value: "0" } }],
        ["key", { key: "" }],
      ] as const) {
        const refused = yield* send("put", { ...putting, ...change })
        assert.deepStrictEqual(Scene.fieldsOf(refused), [field])
      }
    }).pipe(Effect.provide(layer)),
  )

  it.effect("moves and withdraws, once for each Idempotency-Key, and cancels what waits", () =>
    Effect.gen(function* () {
      yield* Scene.make
      yield* Money.funded()
      const { text: key } = yield* Calls.operatorKey(["treasury"])
      const operator = yield* Calls.inProcess
      const send = (command: string, body: Scene.Json) => {
        const headers = { "Idempotency-Key": command }
        return Calls.send({ path: `/operator/v1/float/${command}`, key, body, headers })
      }
      const moved = yield* send("move", moving)
      assert.strictEqual(moved.status, 201, moved.text)
      const { from, to } = moving
      const expected = { purpose: "move", state: "waiting", from, destination: to, payments: [] }
      assert.deepInclude(moved.body, expected)
      assert.strictEqual((yield* send("move", moving)).text, moved.text)
      const outflowId = Scene.text(moved.body, "id")
      assert.deepInclude((yield* Calls.entries)[0], { action: "float.moved", subject: outflowId })
      const busy = yield* send("withdraw", withdrawing)
      const why = Scene.text(Scene.isProblem(busy, 400, "invalid_state"), "message")
      assert.include(why, "in progress")

      const path = `/operator/v1/float/${outflowId}/cancel`
      const cancelled = yield* Calls.send({ path, key, method: "POST" })
      assert.deepInclude(cancelled.body, { id: outflowId, state: "cancelled" })
      assert.strictEqual((yield* Calls.entries)[0]?.action, "float.cancelled")
      Scene.isProblem(yield* Calls.send({ path, key, method: "POST" }), 400, "invalid_state")

      const withdrawn = yield* operator(({ float }) => float.withdraw(withdrawing))
      assert.deepInclude(withdrawn, { purpose: "withdrawal", destination: withdrawing.to })
      assert.strictEqual((yield* Calls.entries)[0]?.action, "float.withdrawn")
      const stranger = Scene.accountOf(Scene.stranger, Scene.chains.eip3009)
      const elsewhere = yield* send("withdraw", { ...withdrawing, to: stranger })
      Scene.isProblem(elsewhere, 400, "invalid_state")
    }).pipe(Effect.provide(layer)),
  )

  it.effect("names the outflows that lack it", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make
      const { text: key } = yield* Calls.operatorKey(["read"])
      const operator = yield* Calls.inProcess
      yield* Money.shortRefund(scene)
      const [first] = (yield* operator(({ outflows }) => outflows.short({ mode: "test" }))).short
      assert.deepInclude(first?.outflow, { purpose: "refund", state: "waiting", reason: "float" })
      assert.deepStrictEqual(first?.missing, { unit: putting.amount.unit, value: "12340000" })
      const { body } = yield* Calls.send({ path: "/operator/v1/outflows/short?mode=live", key })
      assert.deepStrictEqual(body, { short: [] })
    }).pipe(Effect.provide(layer)),
  )
})
