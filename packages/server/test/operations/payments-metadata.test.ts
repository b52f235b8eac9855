import { assert, describe } from "@effect/vitest"
import * as Version from "@florin/core/domain/ground/Version"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"
import * as Payments from "./payments.ts"

const { play } = Payments

const order = { referenceId: "ORDER-7", amount: { unit: "iso4217/USD", value: "1234" } }

const create = (
  { key, merchantId }: { readonly key: string; readonly merchantId: string },
  metadata: Scene.Json | undefined,
  headers: Readonly<Record<string, string>> = {},
) => ({
  path: "/v1/payments",
  key,
  headers: { "Merchant-Id": merchantId, ...headers },
  body: { ...order, ...(metadata !== undefined && { metadata }) },
})

const creates = Effect.fnUntraced(function* (sent: Scene.Sent) {
  const answer = yield* Scene.send(sent)
  assert.strictEqual(answer.status, 201, answer.text)
  return answer
})

/** What is kept exactly: every kind of text that a client may have. */
const metadata: Readonly<Record<string, string>> = {
  cart: "6735",
  empty: "",
  ...JSON.parse('{"__proto__": "of nothing", "constructor": "built"}'),
  " spaces ": "  at both ends\t",
  "line\nbreak": "\r\n\u2028\u2029",
  "quotes\"'`\\": "</script><!-- ${7*7} {{7*7}} ' OR 1=1 --",
  "e\u0301 ä 注文": "\u202e\u2066\ufeff\u001b[2J\u0007\u007f",
  ["😀".repeat(40)]: "👩‍👩‍👧‍👦\u{10ffff}\ud7ff\ue000\ufffd",
  null: "null",
  "1": "true",
  "[0].a": "%00%F0%9F",
}

/** The metadata of a payment wherever its partner is shown it. */
const shown = Effect.fnUntraced(function* (
  { key, merchantId }: { readonly key: string; readonly merchantId: string },
  id: string,
  headers: Readonly<Record<string, string>> = {},
) {
  const about = { key, headers: { "Merchant-Id": merchantId, ...headers } }
  const details = yield* Scene.send({ ...about, path: `/v1/payments/${id}` })
  const list = yield* Scene.send({ ...about, path: "/v1/payments" })
  const events = yield* Scene.send({ ...about, path: "/v1/events?limit=200" })
  const item = Scene.list(list.body, "data").find((each) => Scene.at(each, "paymentId") === id)
  const told = Scene.list(events.body, "data").filter(
    (each) => Scene.at(each, "data", "paymentId") === id,
  )
  assert.isNotEmpty(told)
  return [
    Scene.at(details.body, "metadata"),
    Scene.at(item, "metadata"),
    ...told.map((event) => Scene.at(event, "data", "metadata")),
  ]
})

describe("the metadata of a payment", () => {
  for (const version of Version.all) {
    play(`is stored and returned as it was sent, in ${version}`, ({ own }) =>
      Effect.gen(function* () {
        const headers = { "Svc-Version": version }
        const created = yield* creates(create(own, metadata, headers))
        assert.deepStrictEqual(Scene.at(created.body, "metadata"), metadata)
        const id = Scene.text(created.body, "paymentId")
        for (const each of yield* shown(own, id, headers)) assert.deepStrictEqual(each, metadata)
      }),
    )
  }

  play(
    "stays the same through the life of a payment, and has no effect on it",
    ({ own, walletKey }) =>
      Effect.gen(function* () {
        const created = yield* creates(create(own, { status: "failed", amount: "0" }))
        const id = Scene.text(created.body, "paymentId")
        yield* Scene.pay(walletKey, id)
        const all = yield* shown(own, id)
        assert.isAtLeast(all.length, 5)
        for (const each of all) assert.deepStrictEqual(each, { status: "failed", amount: "0" })
        const details = yield* Scene.send(Payments.about(own, `/v1/payments/${id}`))
        assert.strictEqual(Scene.at(details.body, "status"), "succeeded")
      }),
  )

  play("is visible to the partner only", ({ other, own, walletKey }) =>
    Effect.gen(function* () {
      const canary = "canary-of-a-partner"
      const created = yield* creates(create(own, { [canary]: canary }))
      const id = Scene.text(created.body, "paymentId")
      const gateway = `/v1/gateway/payment/${id}`
      const accounts = [Scene.accountOf(Scene.payer, Scene.chains.eip3009)]
      for (const sent of [
        { path: gateway, key: walletKey },
        { path: `${gateway}/status`, key: walletKey },
        { path: `${gateway}/options?includePaymentInfo=true`, key: walletKey, body: { accounts } },
        { path: "/v1/payments", key: other.key },
        { path: "/v1/events", key: other.key },
        { path: "/v1/payments", key: own.liveKey },
      ]) {
        const answer = yield* Scene.send(sent)
        assert.strictEqual(answer.status, 200, answer.text)
        assert.notInclude(answer.text, canary)
      }
    }),
  )
})

describe("the metadata of a payment with an Idempotency-Key", () => {
  const once = { "Idempotency-Key": "once" }

  play("is part of the request: a change is a conflict", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const first = yield* creates(create(own, { a: "1", b: "2" }, once))
      for (const other of [
        undefined,
        {},
        { a: "1" },
        { a: "1", b: "3" },
        { a: "2", b: "1" },
        { a: "1", b: "2", c: "" },
        { a: "1", B: "2" },
      ]) {
        yield* Laws.refused(scene, create(own, other, once), 409, "idempotency_conflict")
      }
      for (const same of [
        { a: "1", b: "2" },
        { b: "2", a: "1" },
      ]) {
        const again = yield* creates(create(own, same, once))
        assert.strictEqual(again.text, first.text)
        assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
      }
    }),
  )
})
