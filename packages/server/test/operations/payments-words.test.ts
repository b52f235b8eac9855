import { assert, describe } from "@effect/vitest"
import * as Version from "@florin/core/domain/ground/Version"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"
import * as Laws from "./laws.ts"
import * as Payments from "./payments.ts"

const { play } = Payments

const order = { referenceId: "ORDER-7", amount: { unit: "iso4217/USD", value: "1234" } }

type Words = Readonly<Record<string, Scene.Json>>

const create = (
  { key, merchantId }: { readonly key: string; readonly merchantId: string },
  words: Words,
  headers: Readonly<Record<string, string>> = {},
) => ({
  path: "/v1/payments",
  key,
  headers: { "Merchant-Id": merchantId, ...headers },
  body: { ...order, ...words },
})

const creates = Effect.fnUntraced(function* (sent: Scene.Sent) {
  const answer = yield* Scene.send(sent)
  assert.strictEqual(answer.status, 201, answer.text)
  return answer
})

const dollars = (value: string) => ({ unit: "iso4217/USD", value })

/** Everything that a page, a terminal or a database could take for more than text. */
const hostile = `</script><script>alert(1)</script> ' OR 1=1 -- \${7*7} {{7*7}} %00 \u200f\u200d👩‍👩‍👧 e\u0301`

const asked = {
  description: hostile,
  lineItems: [
    { name: hostile.slice(0, 80), quantity: 2, amount: dollars("1000") },
    { name: "Shipping", amount: dollars("0") },
    { name: "Coupon", quantity: 1_000_000 },
  ],
}

const told = {
  description: hostile,
  lineItems: [
    { name: hostile.slice(0, 80), quantity: 2, amount: Gateway.usd("1000") },
    { name: "Shipping", quantity: 1, amount: Gateway.usd("0") },
    { name: "Coupon", quantity: 1_000_000 },
  ],
}

const wordsOf = (body: Scene.Json) => ({
  description: Scene.at(body, "description"),
  lineItems: Scene.at(body, "lineItems"),
})

describe("the description and line items of a payment", () => {
  for (const version of Version.all) {
    play(`are returned to the partner and to payers as they were sent, in ${version}`, (world) =>
      Effect.gen(function* () {
        const { own, walletKey } = world
        const headers = { "Svc-Version": version }
        const created = yield* creates(create(own, asked, headers))
        assert.deepStrictEqual(wordsOf(created.body), told)
        const id = Scene.text(created.body, "paymentId")
        const details = yield* Scene.send(Payments.about(own, `/v1/payments/${id}`, headers))
        assert.deepStrictEqual(wordsOf(details.body), told)
        const path = `/v1/gateway/payment/${id}`
        const info = yield* Scene.send({ path, key: walletKey, headers })
        assert.deepStrictEqual(wordsOf(info.body), told)
        const accounts = [Scene.accountOf(Scene.payer, Scene.chains.eip3009)]
        const options = yield* Scene.send({
          path: `${path}/options?includePaymentInfo=true`,
          key: walletKey,
          headers,
          body: { accounts },
        })
        assert.deepStrictEqual(wordsOf(Scene.at(options.body, "info") ?? null), told)
      }),
    )
  }

  play(
    "are in no list, no event and no log, and are hidden from other partners",
    ({ other, own }) =>
      Effect.gen(function* () {
        const canary = "canary-of-an-order"
        const words = { description: canary, lineItems: [{ name: canary }] }
        yield* creates(create(own, words))
        for (const sent of [
          { path: "/v1/payments", key: own.key },
          { path: "/v1/events", key: own.key },
          { path: "/v1/audit-log", key: own.key },
          { path: "/v1/payments", key: other.key },
        ]) {
          const answer = yield* Scene.send(sent)
          assert.strictEqual(answer.status, 200, answer.text)
          assert.notInclude(answer.text, canary)
        }
      }),
  )

  play("are part of the request under an Idempotency-Key: a change is a conflict", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      const once = { "Idempotency-Key": "once" }
      const first = yield* creates(create(own, asked, once))
      const [line, ...others] = asked.lineItems
      for (const different of [
        {},
        { ...asked, description: "Something else" },
        { ...asked, lineItems: [] },
        { ...asked, lineItems: others },
        { ...asked, lineItems: [...others, line] },
        { ...asked, lineItems: [{ ...line, quantity: 3 }, ...others] },
        { ...asked, lineItems: [{ ...line, amount: dollars("1001") }, ...others] },
      ]) {
        const sent = create(own, { ...different }, once)
        yield* Laws.refused(scene, sent, 409, "idempotency_conflict")
      }
      const again = yield* creates(create(own, asked, once))
      assert.strictEqual(again.text, first.text)
      const plain = yield* creates(create(own, {}, { "Idempotency-Key": "plain" }))
      const nulls = { description: null, lineItems: null }
      const same = yield* creates(create(own, nulls, { "Idempotency-Key": "plain" }))
      assert.strictEqual(same.text, plain.text)
    }),
  )
})
