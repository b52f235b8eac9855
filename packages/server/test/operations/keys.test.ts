import { assert, describe } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"

const { play } = Laws

const create = (key: string, body: Scene.Json) => ({
  path: "/v1/keys",
  key,
  headers: { "Idempotency-Key": Scene.fresh("key") },
  body,
})

const rotate = (key: string, id: string, body: Scene.Json = {}) => ({
  ...create(key, body),
  path: `/v1/keys/${id}/rotate`,
})

const revoke = (key: string, id: string) => ({ method: "DELETE", path: `/v1/keys/${id}`, key })

const read = ({ body }: Scene.Reply) => ({
  id: Scene.text(body, "key", "id"),
  text: Scene.text(body, "secret"),
  key: Object(Scene.at(body, "key")),
})

const send = Effect.fnUntraced(function* (sent: Scene.Sent) {
  const answer = yield* Scene.send(sent)
  assert.strictEqual(answer.status, 201, answer.text)
  return read(answer)
})

const make = (key: string, body: Readonly<Record<string, Scene.Json>> = {}) =>
  send(create(key, { name: "A key", ...body }))

/** Makes a key as the operator does. */
const issue = (scene: Scene.Scene, more: Partial<Parameters<typeof Keys.issue>[0]> = {}) =>
  Keys.issue({
    mode: "test",
    owner: { _tag: "Partner", partnerId: scene.own.partner.id },
    name: "The operator's",
    expiresAt: null,
    ...more,
  }).pipe(Effect.orDie)

/** The status of a read with a key. */
const statusOf = (key: string, path = "/v1/merchants") =>
  Effect.map(Scene.send({ path, key }), ({ status }) => status)

const idsOf = (key: string) =>
  Effect.map(Scene.send({ path: "/v1/keys", key }), ({ body }) =>
    Scene.list(body, "keys").map((each) => Scene.text(each, "id")),
  )

const example = { name: "Till 4", scopes: ["read", "pay"] }

const member = (name: string, value: Scene.Json) => (body: Scene.Json) => ({
  ...Object.fromEntries(Object.entries(body ?? {})),
  [name]: value,
})

describe("POST /v1/keys", () => {
  Laws.refusesBodies(
    ({ own }) => Effect.succeed(create(own.key, example)),
    [
      ["an empty name", member("name", ""), ["name"]],
      ["a block of 33 bits", member("from", ["203.0.113.0/33"]), ["from[0]"]],
      ["an end that has passed", member("validUntil", "2020-01-01T00:00:00Z"), ["validUntil"]],
    ],
  )

  play("returns the key once, which works for its scopes until it ends", ({ own }) =>
    Effect.gen(function* () {
      const { id, key, text } = yield* make(own.key, {
        name: "Till 4",
        scopes: ["read"],
        validUntil: "2026-09-22T00:00:00+02:00",
      })
      assert.match(text, /^flr_test_pk_/u)
      assert.deepStrictEqual(key, {
        id,
        hint: ApiKey.hint(text),
        name: "Till 4",
        scopes: ["read"],
        from: null,
        createdAt: "2026-09-21T14:13:20.000Z",
        lastUsedAt: null,
        validUntil: "2026-09-21T22:00:00.000Z",
        successor: null,
        madeBy: own.keyId,
        use: null,
      })
      assert.strictEqual(yield* statusOf(text), 200)
      assert.strictEqual(yield* statusOf(text, "/v1/webhooks"), 403)
      yield* Scene.pass("8 hours")
      assert.strictEqual(yield* statusOf(text), 401)
    }),
  )

  play("A4, S30: shows the key's text nowhere else, and stores a hash of it", ({ own }) =>
    Effect.gen(function* () {
      const { id, text } = yield* make(own.key)
      const tail = text.slice(-30)
      for (const path of ["/v1/keys", "/v1/audit-log", "/v1/events"]) {
        const answer = yield* Scene.send({ path, key: own.key })
        assert.strictEqual(answer.status, 200)
        assert.notInclude(answer.text, tail)
      }
      const stored = yield* Effect.orDie((yield* AccountStore).keys(own.partner.id, null))
      assert.include(JSON.stringify(stored), id)
      assert.notInclude(JSON.stringify(stored), tail)
    }),
  )

  play("S30: creates a key that cannot manage keys, unless that scope is requested", ({ own }) =>
    Effect.gen(function* () {
      const usual = yield* make(own.key)
      assert.deepStrictEqual(
        usual.key.scopes,
        ApiKey.PartnerScope.literals.filter((each) => each !== "keys"),
      )
      assert.strictEqual(yield* statusOf(usual.text, "/v1/keys"), 403)
      const managing = yield* make(own.key, { scopes: ["keys"] })
      assert.strictEqual(yield* statusOf(managing.text, "/v1/keys"), 200)
    }),
  )

  play("S30: refuses an operator's key without the scope to manage keys", (scene) =>
    Effect.gen(function* () {
      const { text } = yield* issue(scene)
      yield* Laws.refused(scene, create(text, example), 403, "forbidden")
    }),
  )

  play(
    "S11: refuses a key with more scopes, addresses or time than its maker has",
    (scene) =>
      Effect.gen(function* () {
        const { text: weak } = yield* issue(scene, {
          scopes: ["read", "keys"],
          from: ["203.0.113.0/24", "2001:db8::/32"],
          expiresAt: Scene.now + 60_000,
        })
        const at = { "X-Client": "203.0.113.7" }
        const asked = (more: Readonly<Record<string, Scene.Json>>) => {
          const sent = create(weak, { name: "A key", ...more })
          return { ...sent, headers: { ...sent.headers, ...at } }
        }
        for (const [more, fields] of [
          [{ scopes: ["read", "pay"] }, ["scopes"]],
          [{ scopes: ApiKey.PartnerScope.literals }, ["scopes"]],
          [{ from: ["0.0.0.0/0"] }, ["from"]],
          [{ from: ["203.0.112.0/23"] }, ["from"]],
          [{ from: ["203.0.113.0/24", "198.51.100.1"] }, ["from"]],
          [{ from: ["2001::/16"] }, ["from"]],
          [{ validUntil: "2026-09-21T14:14:20.001Z" }, ["validUntil"]],
        ] as const) {
          yield* Laws.invalid(scene, asked(more), fields)
        }
        const { key } = yield* send(asked({}))
        assert.deepStrictEqual(
          [key.scopes, key.from, key.validUntil],
          [["read"], ["203.0.113.0/24", "2001:db8::/32"], "2026-09-21T14:14:20.000Z"],
        )
        const narrow = yield* send(
          asked({ from: ["203.0.113.7"], validUntil: "2026-09-21T14:13:30Z" }),
        )
        assert.deepStrictEqual(narrow.key.from, ["203.0.113.7"])
        assert.strictEqual(narrow.key.validUntil, "2026-09-21T14:13:30.000Z")
      }),
    { edge: { proxyHeader: "X-Client" } },
  )

  play("S30: does not replay the secret to another key that repeats the request", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const weak = yield* make(own.key, { scopes: ["read", "keys"] })
      const creation = create(own.key, { name: "Till 6" })
      const { id } = yield* send(creation)
      for (const sent of [creation, rotate(own.key, id)]) {
        yield* send(sent)
        yield* Laws.refused(scene, { ...sent, key: weak.text }, 409, "idempotency_conflict")
      }
    }),
  )

  play("refuses more keys, or more generations of keys, than the limit", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      let last = own.key
      for (let count = 0; count < Limits.keyGenerationsMax; count += 1) {
        last = (yield* make(last, { scopes: ["keys"] })).text
      }
      yield* Laws.invalid(scene, create(last, { name: "One more", scopes: ["keys"] }), ["scopes"])
      const known = (yield* idsOf(own.key)).length
      for (let count = known; count < Limits.keysMax; count += 1) yield* make(own.key)
      yield* Laws.invalid(scene, create(own.key, example), ["body"])
    }),
  )
})

describe("GET /v1/keys", () => {
  play("lists the valid keys of its partner and mode, newest first", (scene) =>
    Effect.gen(function* () {
      const { other, own } = scene
      yield* Scene.pass("1 second")
      const { record } = yield* issue(scene, { expiresAt: Scene.now + 5000 })
      yield* make(other.key)
      yield* make(own.liveKey)
      yield* Scene.pass("1 second")
      const mine = yield* make(own.key)
      assert.deepStrictEqual(yield* idsOf(own.key), [mine.id, record.id, own.keyId])
      yield* Scene.pass("10 seconds")
      assert.deepStrictEqual(yield* idsOf(own.key), [mine.id, own.keyId])
    }),
  )
})

describe("POST /v1/keys/{id}/rotate", () => {
  play("creates a successor with the same scopes; both work for a day", ({ own }) =>
    Effect.gen(function* () {
      const old = yield* make(own.key, { scopes: ["read"], from: ["0.0.0.0/0"] })
      const next = yield* send(rotate(own.key, old.id))
      assert.deepStrictEqual(next.key, {
        ...old.key,
        id: next.id,
        hint: ApiKey.hint(next.text),
        madeBy: own.keyId,
      })
      const { body } = yield* Scene.send({ path: "/v1/keys", key: own.key })
      const shown = Scene.list(body, "keys").find((each) => Scene.text(each, "id") === old.id)
      assert.strictEqual(Scene.at(shown, "successor"), next.id)
      assert.strictEqual(Scene.at(shown, "validUntil"), "2026-09-22T14:13:20.000Z")
      const entries = yield* Scene.send({ path: "/v1/audit-log?limit=1", key: own.key })
      assert.strictEqual(Scene.text(entries.body, "data", 0, "action"), "key.rotated")
      assert.strictEqual(Scene.text(entries.body, "data", 0, "subject"), old.id)
    }),
  )

  play("returns the same successor if it is repeated after a lost response", ({ own }) =>
    Effect.gen(function* () {
      const { id } = yield* make(own.key)
      const sent = rotate(own.key, id)
      const first = yield* send(sent)
      assert.deepStrictEqual(yield* send(sent), first)
      assert.strictEqual(yield* statusOf(first.text), 200)
    }),
  )

  play("refuses a key that has a successor, or that ended", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const rotated = yield* make(own.key)
      yield* send(rotate(own.key, rotated.id))
      yield* Laws.refused(scene, rotate(own.key, rotated.id), 400, "invalid_state")
      const ended = yield* make(own.key)
      yield* Scene.send(revoke(own.key, ended.id))
      yield* Laws.refused(scene, rotate(own.key, ended.id), 400, "invalid_state")
    }),
  )

  play("S11: refuses to rotate a key with more scopes or a later end than the caller's", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const weak = yield* make(own.key, { scopes: ["read", "keys"] })
      yield* Laws.refused(scene, rotate(weak.text, own.keyId), 403, "forbidden")
      const strong = yield* make(own.key, { scopes: ["pay"] })
      yield* Laws.refused(scene, rotate(weak.text, strong.id), 403, "forbidden")
      const short = yield* issue(scene, {
        scopes: ApiKey.PartnerScope.literals,
        expiresAt: Scene.now + 60_000,
      })
      yield* Laws.refused(scene, rotate(short.text, strong.id), 403, "forbidden")
      const later = { validUntil: "2026-10-01T00:00:00Z" }
      yield* Laws.refused(scene, rotate(short.text, short.record.id, later), 403, "forbidden")
      const self = yield* send(rotate(short.text, short.record.id))
      assert.strictEqual(self.key.validUntil, "2026-09-21T14:14:20.000Z")
    }),
  )
})

describe("DELETE /v1/keys/{id}", () => {
  const ended = (key: string, id: string) =>
    Effect.map(Scene.send(revoke(key, id)), (answer) => {
      assert.strictEqual(answer.status, 200, answer.text)
      return new Set(Scene.list(answer.body, "revoked").map(String))
    })

  play("S30: ends the key, and every key that it made, directly or not", ({ own }) =>
    Effect.gen(function* () {
      const child = yield* make(own.key, { scopes: ["read", "keys"] })
      const grandchild = yield* make(child.text, { scopes: ["read", "keys"] })
      const last = yield* make(grandchild.text)
      const sibling = yield* make(own.key)
      assert.deepStrictEqual(
        yield* ended(own.key, child.id),
        new Set([child.id, grandchild.id, last.id]),
      )
      for (const { text } of [child, grandchild, last]) {
        assert.strictEqual(yield* statusOf(text), 401)
      }
      assert.strictEqual(yield* statusOf(sibling.text), 200)
      const { body } = yield* Scene.send({ path: "/v1/audit-log?limit=3", key: own.key })
      assert.deepStrictEqual(
        Scene.list(body, "data").map((entry) => Scene.text(entry, "action")),
        ["key.revoked", "key.revoked", "key.revoked"],
      )
      assert.deepStrictEqual(yield* ended(own.key, child.id), new Set([child.id]))
    }),
  )

  play("S30: ends the successor that a leaked key made, but none that another key made", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const leaked = yield* make(own.key, { scopes: ["read", "keys"] })
      const thiefs = yield* send(rotate(leaked.text, leaked.id))
      const again = yield* send(rotate(thiefs.text, thiefs.id))
      assert.deepStrictEqual(
        yield* ended(own.key, leaked.id),
        new Set([leaked.id, thiefs.id, again.id]),
      )
      const honest = yield* make(own.key, { scopes: ["read", "keys"] })
      const next = yield* send(rotate(own.key, honest.id))
      assert.deepStrictEqual(yield* ended(own.key, honest.id), new Set([honest.id]))
      assert.strictEqual(yield* statusOf(next.text), 200)
    }),
  )

  play("ends the keys that a key made, even if that key ended before", ({ own }) =>
    Effect.gen(function* () {
      const maker = yield* make(own.key, { scopes: ["read", "keys"] })
      const made = yield* make(maker.text)
      yield* send(rotate(own.key, maker.id))
      yield* Scene.pass("2 days")
      assert.strictEqual(yield* statusOf(made.text), 200)
      yield* ended(own.key, maker.id)
      assert.strictEqual(yield* statusOf(made.text), 401)
    }),
  )

  play("refuses to end the last key of a mode that can manage keys", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      yield* Laws.refused(scene, revoke(own.key, own.keyId), 400, "invalid_state")
      const child = yield* make(own.key, { scopes: ApiKey.PartnerScope.literals })
      // It would end with the one that made it.
      yield* Laws.refused(scene, revoke(child.text, own.keyId), 400, "invalid_state")
      const { text } = yield* issue(scene, { scopes: ApiKey.PartnerScope.literals })
      assert.deepStrictEqual(yield* ended(text, own.keyId), new Set([own.keyId, child.id]))
    }),
  )

  play("S11: refuses to end a key with more scopes than the caller's", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const weak = yield* make(own.key, { scopes: ["read", "keys"] })
      const strong = yield* make(own.key, { scopes: ["refund"] })
      yield* Laws.refused(scene, revoke(weak.text, own.keyId), 403, "forbidden")
      yield* Laws.refused(scene, revoke(weak.text, strong.id), 403, "forbidden")
    }),
  )
})
