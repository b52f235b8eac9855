import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Calls from "./calls.ts"
import * as Money from "./money.ts"

const { chainId } = Money

describe("the operator's status", () => {
  it.effect("says what needs a person, with the commands that help", () =>
    Effect.gen(function* () {
      yield* Scene.make
      const { text: key } = yield* Calls.operatorKey(["read"])
      const operator = yield* Calls.inProcess
      // The accounts of these tests have no coins for gas.
      const before = yield* operator(({ status }) => status.get())
      assert.deepStrictEqual(
        [...new Set(before.findings.map(({ finding }) => finding))],
        ["gas_low"],
      )
      assert.isTrue(before.needsAttention)
      assert.include(before.fine, "halts")
      assert.deepStrictEqual(before.skipped, [])
      yield* Money.halted()
      const { body } = yield* Calls.send({ path: "/operator/v1/status", key })
      assert.strictEqual(Scene.text(body, "at"), new Date(Scene.now).toISOString())
      assert.notInclude(Scene.list(body, "fine"), "halts")
      const found = Scene.list(body, "findings").find(
        (each) => Scene.at(each, "finding") === "chain_halted",
      )
      const message = Scene.text(found, "message")
      assert.include(message, "blocks are gone")
      const remedy = {
        command: `florin chains resume ${chainId}`,
        operation: "chains.resume",
        request: { chainId },
      }
      assert.deepStrictEqual(found, {
        key: `chain_halted test ${chainId}`,
        finding: "chain_halted",
        part: "halts",
        severity: "page",
        message,
        reading: null,
        threshold: null,
        unit: null,
        remedies: [
          { command: "florin reconcile", operation: "reconciliation.run", request: {} },
          remedy,
        ],
        details: { mode: "test", chain: chainId, reason: "blocks are gone", ageInMs: 0 },
      })
      const { stuck } = yield* operator(({ status }) => status.stuck())
      assert.deepStrictEqual(stuck, [
        {
          kind: "chain",
          id: chainId,
          mode: "test",
          partnerId: null,
          paymentIds: [],
          amount: null,
          state: "stopped",
          reason: null,
          message: "blocks are gone",
          since: new Date(Scene.now).toISOString(),
          remedy,
        },
      ])
      // What the remedy names is what ends it.
      yield* operator(({ chains }) => chains.resume(remedy.request))
      const after = yield* operator(({ status }) => status.get())
      assert.include(after.fine, "halts")
    }).pipe(Effect.provide(Scene.layer())),
  )
})
