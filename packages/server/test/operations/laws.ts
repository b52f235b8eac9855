/**
 * What holds for every operation of the partner interface, whatever it does: who may call, in which order a call is
 * judged, what is ignored, and what is refused without a trace.
 *
 * @module
 */
import { assert, it } from "@effect/vitest"
import type { StorageUnavailable } from "@florin/core/ports/StorageError"
import type { WalletRefused } from "@florin/testing/Wallet"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"

type Failure = StorageUnavailable | WalletRefused

/** What a test does in a scene. */
export type Play<A> = (scene: Scene.Scene) => Effect.Effect<A, Failure, Scene.Ports>

/** A test in a scene of its own. */
export const play = (rule: string, body: Play<void>, options?: Scene.Options): void =>
  it.effect(rule, () => Effect.flatMap(Scene.make, body).pipe(Effect.provide(Scene.layer(options))))

/** What a partner can read: its merchants, and its payments with all that became of them. */
const worldOf = Effect.fnUntraced(function* (key: string, merchantId: string) {
  const read = (path: string, headers = {}) => Scene.send({ path, key, headers })
  const merchant = yield* read(`/v1/merchants/${merchantId}`)
  const payments = yield* read("/v1/payments")
  const details = yield* Effect.forEach(Scene.list(payments.body, "data"), (item) =>
    read(`/v1/payments/${Scene.text(item, "paymentId")}`, {
      "Merchant-Id": Scene.text(item, "merchant", "id"),
    }),
  )
  const list = yield* read("/v1/merchants")
  return [merchant, payments, ...details, list].map(({ text }) =>
    text.replace(/"requestId":"\w+"/u, ""),
  )
})

/** Everything that both partners can read. */
export const world: Play<ReadonlyArray<string>> = ({ other, own }) =>
  Effect.map(
    Effect.all([worldOf(own.key, own.merchantId), worldOf(other.key, other.merchantId)]),
    (texts) => texts.flat(),
  )

/** Sends what must be refused, and fails where that changes anything. */
export const refused = (
  scene: Scene.Scene,
  sent: Scene.Sent,
  status: number,
  code: string,
): Effect.Effect<Scene.Reply, Failure, Scene.Ports> =>
  Effect.gen(function* () {
    const before = yield* world(scene)
    const answer = yield* Scene.send(sent)
    Scene.isProblem(answer, status, code)
    assert.deepStrictEqual(yield* world(scene), before, answer.text)
    return answer
  })

/** The same for rules about fields; `fields` are those that the answer names. */
export const invalid = (
  scene: Scene.Scene,
  sent: Scene.Sent,
  fields: ReadonlyArray<string>,
): Effect.Effect<Scene.Reply, Failure, Scene.Ports> =>
  Effect.gen(function* () {
    const answer = yield* refused(scene, sent, 400, "params_validation")
    assert.deepStrictEqual(Scene.fieldsOf(answer), fields, answer.text)
    for (const issue of Scene.list(answer.body, "issues")) {
      assert.hasAllKeys(issue, ["field", "message"])
      assert.isAbove(Scene.text(issue, "message").length, 0)
    }
    return answer
  })

export interface Subject {
  /** A request that is good. */
  readonly good: Play<Scene.Sent & { readonly key: string }>
  readonly status: 200 | 201
  readonly needsIdempotencyKey?: boolean
}

const withHeaders = (sent: Scene.Sent, headers: Readonly<Record<string, string>>): Scene.Sent => ({
  ...sent,
  headers: { ...sent.headers, ...headers },
})

const withoutIdempotencyKey = ({ headers, ...sent }: Scene.Sent): Scene.Sent => {
  const { "Idempotency-Key": _, ...rest } = headers ?? {}
  return { ...sent, headers: rest }
}

/** The same request with another body, sent as it is. */
export const withRaw = (sent: Scene.Sent, raw: string | Uint8Array<ArrayBuffer>): Scene.Sent => {
  const { body: _, ...rest } = sent
  return { ...rest, raw }
}

/** Who may call, and in which order a call is judged. */
export const ofPartners = ({ good, needsIdempotencyKey = false, status }: Subject): void => {
  const callers = [
    ["none", () => null, 401, "missing_api_key"],
    ["an empty one", () => "", 401, "missing_api_key"],
    ["nobody's", (scene: Scene.Scene) => scene.strangersKey, 401, "invalid_api_key"],
    ["no key at all", () => "hello", 401, "invalid_api_key"],
    ["one outside ASCII", () => "flr_test_pk_é", 400, "header_not_ascii"],
    ["a wallet's", (scene: Scene.Scene) => scene.walletKey, 403, "forbidden"],
    ["a live wallet's", (scene: Scene.Scene) => scene.liveWalletKey, 403, "forbidden"],
  ] as const
  for (const [whose, key, refusal, code] of callers) {
    play(`refuses a key that is ${whose}`, (scene) =>
      Effect.gen(function* () {
        yield* refused(scene, { ...(yield* good(scene)), key: key(scene) }, refusal, code)
      }),
    )
  }

  play("judges key, version and Idempotency-Key in this order, and all before the body", (scene) =>
    Effect.gen(function* () {
      const sent = yield* good(scene)
      const bare = withoutIdempotencyKey(sent.body === undefined ? sent : withRaw(sent, "{"))
      const wrong = withHeaders(bare, { "Svc-Version": "soon" })
      yield* refused(scene, { ...wrong, key: null }, 401, "missing_api_key")
      yield* refused(scene, { ...wrong, key: scene.walletKey }, 403, "forbidden")
      yield* refused(scene, wrong, 400, "invalid_api_version")
      if (needsIdempotencyKey) yield* refused(scene, bare, 400, "missing_idempotency_key")
      if (sent.body !== undefined) {
        const keyed = withHeaders(bare, { "Idempotency-Key": Scene.fresh("order") })
        yield* refused(scene, keyed, 400, "invalid_params")
      }
    }),
  )

  play("reads header names in any case, and ignores query names that it does not know", (scene) =>
    Effect.gen(function* () {
      const sent = yield* good(scene)
      const { key, headers, ...rest } = sent
      const path = `${sent.path}${sent.path.includes("?") ? "&" : "?"}unknown=1&unknown=2&%5B%5D=`
      const shouted = Object.fromEntries(
        Object.entries({ ...headers, "Api-Key": key, "Svc-Version": "2026-02-18" }).map(
          ([name, value]) => [name.toUpperCase(), value],
        ),
      )
      const answer = yield* Scene.send({ ...rest, path, headers: shouted })
      assert.strictEqual(answer.status, status, answer.text)
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
      assert.match(answer.headers.get("request-id") ?? "", /^req_\w+$/u)
    }),
  )

  if (needsIdempotencyKey) return
  play("takes an Idempotency-Key of at most 255 characters, and does nothing with it", (scene) =>
    Effect.gen(function* () {
      const sent = yield* good(scene)
      const keyed = (key: string) => withHeaders(sent, { "Idempotency-Key": key })
      yield* invalid(scene, keyed("k".repeat(256)), ["Idempotency-Key"])
      yield* refused(scene, keyed("clé"), 400, "header_not_ascii")
      const answer = yield* Scene.send(keyed("k".repeat(255)))
      assert.strictEqual(answer.status, status, answer.text)
      assert.isNull(answer.headers.get("idempotency-replayed"))
    }),
  )
}

/** Bodies that are no JSON, or no object. */
export const ofBodies = ({ good, status }: Subject): void => {
  play("asks for a body that is a JSON object", (scene) =>
    Effect.gen(function* () {
      const sent = yield* good(scene)
      for (const raw of ["", "{", "{]", "undefined", "{'a':1}", '{"a":1,}', "{} {}"]) {
        yield* refused(scene, withRaw(sent, raw), 400, "invalid_params")
      }
      for (const raw of ["[]", "null", "true", "1", '"text"', "[{}]"]) {
        yield* invalid(scene, withRaw(sent, raw), ["body"])
      }
    }),
  )

  play("refuses a body that is too long, or says that it is not JSON", (scene) =>
    Effect.gen(function* () {
      const sent = yield* good(scene)
      const long = withRaw(sent, `{"a":"${"x".repeat(256 * 1024)}"}`)
      yield* refused(scene, long, 413, "payload_too_large")
      const text = withRaw(sent, JSON.stringify(sent.body))
      const typed = withHeaders(text, { "Content-Type": "text/plain" })
      yield* refused(scene, typed, 415, "unsupported_media_type")
    }),
  )

  play("ignores members that it does not know", (scene) =>
    Effect.gen(function* () {
      const sent = yield* good(scene)
      const extra = `{"extra":{"deep":[1,null]},"__proto__":{"a":1},"constructor":1,`
      const raw = extra + JSON.stringify(sent.body).slice(1)
      const answer = yield* Scene.send(withRaw(sent, raw))
      assert.strictEqual(answer.status, status, answer.text)
      assert.notInclude(answer.text, "extra")
    }),
  )
}

/** Bodies whose fields are wrong, one by one. */
export const ofFields = (
  { good }: Subject,
  cases: ReadonlyArray<
    readonly [rule: string, body: (body: Scene.Json) => Scene.Json, fields: ReadonlyArray<string>]
  >,
): void => {
  for (const [rule, change, fields] of cases) {
    play(`refuses ${rule}`, (scene) =>
      Effect.gen(function* () {
        const sent = yield* good(scene)
        yield* invalid(scene, { ...sent, body: change(sent.body ?? null) }, fields)
      }),
    )
  }
}

/** An answer without what differs in every answer. */
const told = ({ body, status, text }: Scene.Reply) => ({ status, body, text })

/** Calls that must name themselves, so that repeating them makes nothing twice. */
export const ofIdempotency = (
  { good }: Subject,
  different: {
    /** A good body that means something else. */
    readonly body: (body: Scene.Json) => Scene.Json
    /** A body that is refused for its fields. */
    readonly wrong: Scene.Json
    /** The same call by somebody else, or to something else. */
    readonly elsewhere: Play<ReadonlyArray<Scene.Sent>>
  },
): void => {
  play("asks for an Idempotency-Key", (scene) =>
    Effect.gen(function* () {
      const sent = yield* good(scene)
      const bare = withoutIdempotencyKey(sent)
      yield* refused(scene, bare, 400, "missing_idempotency_key")
      for (const empty of ["", "  "]) {
        const named = withHeaders(bare, { "Idempotency-Key": empty })
        yield* refused(scene, named, 400, "missing_idempotency_key")
      }
    }),
  )

  play("takes an Idempotency-Key of 1 to 255 ASCII characters", (scene) =>
    Effect.gen(function* () {
      const sent = yield* good(scene)
      const keyed = (key: string) => withHeaders(sent, { "Idempotency-Key": key })
      yield* invalid(scene, keyed("k".repeat(256)), ["Idempotency-Key"])
      yield* invalid(scene, keyed("a\tb"), ["Idempotency-Key"])
      yield* refused(scene, keyed("clé"), 400, "header_not_ascii")
      const answer = yield* Scene.send(keyed("k".repeat(255)))
      assert.strictEqual(answer.status, 201, answer.text)
    }),
  )

  play("answers a repeated call as the first one, and says so", (scene) =>
    Effect.gen(function* () {
      const sent = yield* good(scene)
      const first = yield* Scene.send(sent)
      assert.strictEqual(first.status, 201, first.text)
      assert.isNull(first.headers.get("idempotency-replayed"))
      const after = yield* world(scene)
      yield* TestClock.adjust("23 hours")
      const again = yield* Scene.send(sent)
      assert.deepStrictEqual(told(again), told(first))
      assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
      assert.notStrictEqual(again.headers.get("request-id"), first.headers.get("request-id"))
      assert.deepStrictEqual(yield* world(scene), after)
    }),
  )

  play("takes a body of the same meaning for the same body", (scene) =>
    Effect.gen(function* () {
      const sent = yield* good(scene)
      const first = yield* Scene.send(sent)
      const turned = Object.fromEntries(Object.entries(sent.body ?? {}).toReversed())
      for (const body of [turned, { ...turned, unknown: Scene.fresh("unknown") }]) {
        const again = yield* Scene.send(withRaw(sent, ` ${JSON.stringify(body, null, "\t")}\r\n`))
        assert.deepStrictEqual(told(again), told(first))
        assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
      }
    }),
  )

  play("refuses another body under a key that was used", (scene) =>
    Effect.gen(function* () {
      const sent = yield* good(scene)
      const first = yield* Scene.send(sent)
      const body = different.body(sent.body ?? null)
      yield* refused(scene, { ...sent, body }, 409, "idempotency_conflict")
      assert.deepStrictEqual(told(yield* Scene.send(sent)), told(first))
    }),
  )

  play("takes the same key elsewhere for another one", (scene) =>
    Effect.gen(function* () {
      const sent = yield* good(scene)
      const texts = [(yield* Scene.send(sent)).text]
      for (const elsewhere of yield* different.elsewhere(scene)) {
        const answer = yield* Scene.send({ ...elsewhere, headers: { ...sent.headers } })
        assert.strictEqual(answer.status, 201, answer.text)
        assert.isNull(answer.headers.get("idempotency-replayed"))
        assert.notInclude(texts, answer.text)
        texts.push(answer.text)
      }
    }),
  )

  play("does not remember a call whose fields are wrong", (scene) =>
    Effect.gen(function* () {
      const sent = yield* good(scene)
      for (const body of [different.wrong, []]) {
        Scene.isProblem(yield* Scene.send({ ...sent, body }), 400, "params_validation")
      }
      Scene.isProblem(yield* Scene.send(withRaw(sent, "{")), 400, "invalid_params")
      const answer = yield* Scene.send(sent)
      assert.strictEqual(answer.status, 201, answer.text)
      assert.isNull(answer.headers.get("idempotency-replayed"))
    }),
  )

  play("answers calls at the same time as one", (scene) =>
    Effect.gen(function* () {
      const sent = yield* good(scene)
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => Scene.send(sent)),
        { concurrency: "unbounded" },
      )
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
      assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
      const first = answers.filter(({ headers }) => headers.get("idempotency-replayed") === null)
      assert.lengthOf(first, 1)
    }),
  )
}
