/**
 * Tests in a scene of their own, and requests that must be refused without a trace.
 *
 * @module
 */
import { assert, it } from "@effect/vitest"
import type { StorageUnavailable } from "@florin/core/ports/StorageError"
import type { WalletRefused } from "@florin/testing/Wallet"
import { Effect } from "effect"
import * as Scene from "../scene.ts"

type Failure = StorageUnavailable | WalletRefused

/** The body of a test, which gets its scene. */
export type Play<A> = (scene: Scene.Scene) => Effect.Effect<A, Failure, Scene.Ports>

/** A test in a scene of its own. */
export const play = (rule: string, body: Play<void>, options?: Scene.Options): void =>
  it.effect(rule, () => Effect.flatMap(Scene.make, body).pipe(Effect.provide(Scene.layer(options))))

/** Everything that a partner can read: its merchants, and its payments with their details. */
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

/** Sends a request that must be refused, and fails if it changes anything. */
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

/** The same for wrong fields; `fields` are those that the response names. */
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

/** The same request with another body, sent as it is. */
export const withRaw = (sent: Scene.Sent, raw: string | Uint8Array<ArrayBuffer>): Scene.Sent => {
  const { body: _, ...rest } = sent
  return { ...rest, raw }
}

/** Refuses every body of a table: what is wrong with it, how it differs from a good one, and the fields that are named. */
export const refusesBodies = (
  request: Play<Scene.Sent>,
  cases: ReadonlyArray<
    readonly [what: string, change: (body: Scene.Json) => Scene.Json, fields: ReadonlyArray<string>]
  >,
): void =>
  play("refuses a body with a wrong value, names its field, and changes nothing", (scene) =>
    Effect.gen(function* () {
      const sent = yield* request(scene)
      const before = yield* world(scene)
      for (const [what, change, fields] of cases) {
        const answer = yield* Scene.send({ ...sent, body: change(sent.body ?? null) })
        assert.deepStrictEqual(Scene.fieldsOf(answer), fields, what)
      }
      assert.deepStrictEqual(yield* world(scene), before)
    }),
  )
