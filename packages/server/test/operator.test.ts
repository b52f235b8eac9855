import { assert, describe, it } from "@effect/vitest"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import type * as AccessLog from "../src/edge/AccessLog.ts"
import * as Handler from "../src/Handler.ts"
import * as Calls from "./operator/calls.ts"
import * as Money from "./operator/money.ts"
import * as Rows from "./operator/rows.ts"
import * as Scene from "./scene.ts"

const all = ApiKey.OperatorScope.literals

const lines: Array<AccessLog.Line> = []
const layer = Scene.layer({
  chain: { blocks: "manual" },
  edge: { log: (line) => lines.push(line) },
  settings: Calls.settings,
}).pipe(Layer.provideMerge(Money.treasury))

describe("every operation of the operator", () => {
  for (const operation of Rows.operations) {
    const { access, name, needsIdempotencyKey } = operation
    const { action, scope } = access

    it.effect(`S39: ${name} refuses every key but an operator's with the scope ${scope}`, () =>
      Effect.gen(function* () {
        const { own, requestOf, wallet } = yield* Rows.scenesOf(operation)
        const expired = yield* Calls.operatorKey(all, { expiresAt: Scene.now + 60_000 })
        const revoked = yield* Calls.operatorKey(all)
        yield* Keys.revoke(revoked.record.id)
        const without = yield* Calls.operatorKey(all.filter((each) => each !== scope))
        const elsewhere = yield* Calls.operatorKey(all, { from: ["203.0.113.0/24"] })
        yield* TestClock.adjust(120_000)
        const unknown = Result.getOrThrow(ApiKey.make(null, "operator", new Uint8Array(32).fill(7)))
        const cells = [
          ["no key", null, 401, "missing_api_key", null],
          ["an unknown key", unknown, 401, "invalid_api_key", null],
          ["an expired key", expired.text, 401, "invalid_api_key", null],
          ["a revoked key", revoked.text, 401, "invalid_api_key", null],
          ["another scope", without.text, 403, "forbidden", without.record.id],
          ["another address", elsewhere.text, 403, "forbidden", elsewhere.record.id],
          ["a partner's key", own.key, 403, "forbidden", own.keyId],
          ["a wallet's key", wallet.text, 403, "forbidden", wallet.record.id],
        ] as const
        for (const [what, key, status, code, keyId] of cells) {
          const before = yield* Rows.state
          const recorded = (yield* Calls.entries).length
          lines.length = 0
          const reply = yield* Calls.send(requestOf(operation, key))
          Scene.isProblem(reply, status, code)
          assert.deepStrictEqual(yield* Rows.state, before, what)
          assert.deepInclude(lines[0], { route: operation.path, status, code, keyId }, what)
          const added = (yield* Calls.entries).slice(0, (yield* Calls.entries).length - recorded)
          assert.deepStrictEqual(
            added.map(({ action: done, changes, requestId, subject }) => ({
              done,
              changes,
              requestId,
              subject,
            })),
            keyId === null
              ? []
              : [
                  {
                    done: "operator.refused",
                    changes: [{ field: "operation", to: name }],
                    requestId: reply.headers.get("request-id"),
                    subject: keyId,
                  },
                ],
            what,
          )
        }
      }).pipe(Effect.provide(layer)),
    )

    it.effect(`S39: ${name} names the person in the audit log, and a replay changes nothing`, () =>
      Effect.gen(function* () {
        const { requestOf } = yield* Rows.scenesOf(operation)
        const key = yield* Calls.operatorKey([scope])
        // A measure that is taken already changes nothing, so its opposite comes first.
        const [, group, does = ""] = name.split(".")
        const opposite =
          operation.row.before === undefined
            ? { resume: "suspend", unfreeze: "freeze" }[does]
            : undefined
        if (opposite !== undefined) {
          const first = Rows.operations.find(
            (each) => each.name === `operator.${group}.${opposite}`,
          )
          const admin = yield* Calls.operatorKey(all)
          yield* Calls.send(requestOf(first ?? assert.fail(opposite), admin.text))
        }
        // An operator's key makes no key that may do more than itself.
        const request = requestOf(operation, key.text)
        const body =
          name === "operator.keys.issue" ? { operator: "Bob", scopes: [scope] } : undefined
        const sent = { ...request, ...(body && { body }) }
        const recorded = (yield* Calls.entries).length
        const reply = yield* Calls.send(sent)
        assert.include([200, 201], reply.status, reply.text)
        const now = yield* Calls.entries
        const added = now.slice(0, now.length - recorded)
        assert.lengthOf(added, action === null ? 0 : 1)
        for (const entry of added) {
          assert.strictEqual(entry.action, action)
          assert.deepStrictEqual(entry.actor, {
            _tag: "Operator",
            name: "Ada",
            processId: null,
            keyId: key.record.id,
          })
          assert.strictEqual(entry.requestId, reply.headers.get("request-id"))
        }
        if (!needsIdempotencyKey) return
        const before = yield* Rows.state
        const again = yield* Calls.send(sent)
        assert.strictEqual(again.text, reply.text)
        assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
        const other = { ...sent, body: { ...Object(sent.body), name: "Another" } }
        Scene.isProblem(yield* Calls.send(other), 409, "idempotency_conflict")
        const without = { ...sent, headers: {} }
        Scene.isProblem(yield* Calls.send(without), 400, "missing_idempotency_key")
        assert.deepStrictEqual(yield* Rows.state, before)
        assert.strictEqual((yield* Calls.entries).length, now.length)
      }).pipe(Effect.provide(layer)),
    )

    it.effect(`S39: ${name} does not exist on the public port`, () =>
      Effect.gen(function* () {
        const { requestOf } = yield* Rows.scenesOf(operation)
        const key = yield* Calls.operatorKey(all)
        Scene.isProblem(yield* Scene.send(requestOf(operation, key.text)), 404, "not_found")
      }).pipe(Effect.provide(layer)),
    )
  }
})

describe("an operator's key", () => {
  it.effect("S39: is refused by every operation of the public port", () =>
    Effect.gen(function* () {
      yield* Scene.make
      const { text: key } = yield* Calls.operatorKey(all)
      for (const { method, path } of Handler.operations) {
        const reply = yield* Scene.send({
          method,
          path: path.replaceAll(/:\w+/gu, "pay_1"),
          key,
          ...(method !== "GET" && method !== "DELETE" && { body: {} }),
        })
        assert.strictEqual(reply.status, 403, `${method} ${path}: ${reply.text}`)
      }
    }).pipe(Effect.provide(layer)),
  )

  it.effect("S39: has Idempotency-Keys of its own person", () =>
    Effect.gen(function* () {
      const create = Effect.fnUntraced(function* (operator: string, partner: string) {
        const { text: key } = yield* Calls.operatorKey(all, {
          owner: { _tag: "Operator", name: operator },
        })
        return yield* Calls.send({
          path: "/operator/v1/partners",
          key,
          headers: { "Idempotency-Key": "1" },
          body: { name: partner },
        })
      })
      const ofAda = yield* create("Ada", "One")
      for (const partner of ["Other", "One"]) {
        const reply = yield* create(`Bob of ${partner}`, partner)
        assert.strictEqual(reply.status, 201, reply.text)
        assert.isNull(reply.headers.get("idempotency-replayed"))
        assert.notStrictEqual(reply.text, ofAda.text)
      }
      // The next key of a person repeats the call of the earlier one.
      assert.strictEqual((yield* create("Ada", "One")).text, ofAda.text)
    }).pipe(Effect.provide(layer)),
  )

  it.effect("S39: makes and rotates no operator's key that may do more than itself", () =>
    Effect.gen(function* () {
      const { text: key } = yield* Calls.operatorKey(["admin"])
      const stronger = yield* Calls.operatorKey(["treasury"])
      const headers = { "Idempotency-Key": "1" }
      const path = "/operator/v1/keys"
      const body = { operator: "Bob", scopes: ["admin", "treasury"] }
      const before = yield* Rows.state
      Scene.isProblem(yield* Calls.send({ path, key, headers, body }), 403, "forbidden")
      const rotate = `${path}/${stronger.record.id}/rotate`
      Scene.isProblem(yield* Calls.send({ path: rotate, key, headers, body: {} }), 403, "forbidden")
      assert.deepStrictEqual(yield* Rows.state, before)
    }).pipe(Effect.provide(layer)),
  )
})
