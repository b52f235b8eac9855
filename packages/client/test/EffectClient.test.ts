import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import { TestClock } from "effect/testing"
import * as EffectClient from "../src/EffectClient.ts"
import { succeeded } from "./Fixtures.ts"
import { refusal, service, type ScriptedResponse } from "./Script.ts"

const apiKey = "flr_test_pk_secret"
const created = {
  paymentId: "pay_1",
  status: "requires_action",
  expiresAt: 1_800_000_000,
  isFinal: false,
  gatewayUrl: "https://pay.example/?pid=pay_1",
}
const newPayment = {
  referenceId: "ORDER-7",
  amount: { unit: "iso4217/USD", value: "1250" },
  metadata: { cart: "6735" },
}

const scripted = (answers: ReadonlyArray<ScriptedResponse>) => {
  const script = service(answers)
  const fetch: typeof globalThis.fetch = (input, { body, ...init } = {}) =>
    script.fetch(String(input), {
      ...init,
      ...(body instanceof Uint8Array ? { body: new TextDecoder().decode(body) } : {}),
    })
  const layer = FetchHttpClient.layer.pipe(
    Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetch)),
  )
  const client = EffectClient.make({
    baseUrl: "https://api.example",
    apiKey: Redacted.make(apiKey),
    version: "2026-02-19.preview",
  }).pipe(Effect.provide(layer))
  return { client, ...script }
}

/** Lets promises settle, and then the clock go on. */
const pass = (time: Duration.Input) =>
  Effect.promise(() => new Promise((resolve) => setImmediate(resolve))).pipe(
    Effect.andThen(TestClock.adjust(time)),
    Effect.andThen(Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))),
  )

/** Runs to the end, with all the time that it wants to sleep. */
const patiently = Effect.fnUntraced(function* <A, E>(effect: Effect.Effect<A, E>) {
  const fiber = yield* Effect.forkChild(effect)
  while (fiber.pollUnsafe() === undefined) yield* pass("1 second")
  return yield* Fiber.await(fiber)
})

const status = { params: { id: "pay_1" }, headers: {}, query: { maxPollMs: 7 } }

describe("EffectClient", () => {
  it.effect("sends key and version, and decodes the response", () =>
    Effect.gen(function* () {
      const { client, seen } = scripted([{ json: succeeded }])
      const florin = yield* client
      assert.deepStrictEqual(yield* florin.gateway.status(status), succeeded)
      const [call] = seen
      assert.deepStrictEqual(
        [call?.method, call?.path, call?.query],
        ["GET", "/v1/gateway/payment/pay_1/status", "?maxPollMs=7"],
      )
      assert.deepInclude(Object.fromEntries(call?.headers ?? []), {
        "api-key": apiKey,
        "svc-version": "2026-02-19.preview",
      })
      assert.isFalse(call?.headers.has("idempotency-key"))
    }),
  )

  it.effect("retries temporary failures three times", () =>
    Effect.gen(function* () {
      const passing = scripted(["lost", refusal(503, "unavailable"), "lost", { json: succeeded }])
      const answer = yield* patiently((yield* passing.client).gateway.status(status))
      assert.deepStrictEqual(answer, Exit.succeed(succeeded))
      assert.lengthOf(passing.seen, 4)

      const broken = scripted(Array.from({ length: 5 }, () => refusal(500, "internal_error")))
      const error = yield* patiently(
        (yield* broken.client).gateway.status(status).pipe(Effect.flip),
      )
      assert.deepInclude(Exit.isSuccess(error) ? error.value : {}, { code: "internal_error" })
      assert.lengthOf(broken.seen, 4)

      const gone = scripted(["lost", "lost", "lost", "lost", { json: succeeded }])
      const lost = yield* patiently((yield* gone.client).gateway.status(status).pipe(Effect.flip))
      assert.deepInclude(Exit.isSuccess(lost) ? lost.value : {}, { _tag: "HttpClientError" })
      assert.lengthOf(gone.seen, 4)
    }),
  )

  it.effect("pauses between attempts as long as the client with promises", () =>
    Effect.gen(function* () {
      const { client, seen } = scripted(["lost", "lost", "lost", { json: succeeded }])
      yield* Effect.forkChild((yield* client).gateway.status(status))
      const counts: Array<number> = []
      for (const pause of [0, 149, 1, 299, 1, 599, 1]) {
        yield* pass(pause)
        counts.push(seen.length)
      }
      assert.deepStrictEqual(counts, [1, 1, 2, 2, 3, 3, 4])
    }).pipe(
      Effect.provideService(Random.Random, {
        nextDoubleUnsafe: () => 0.5,
        nextIntUnsafe: () => 0,
      }),
    ),
  )

  it.effect("decodes every 4xx without a retry", () =>
    Effect.gen(function* () {
      for (const answer of [
        refusal(404, "payment_not_found"),
        refusal(410, "payment_expired"),
        refusal(429, "rate_limited"),
        { status: 408, text: "a proxy's time ran out" },
      ]) {
        const { client, seen } = scripted([answer, { json: succeeded }])
        const exit = yield* patiently((yield* client).gateway.status(status))
        assert.isTrue(Exit.isFailure(exit))
        assert.lengthOf(seen, 1)
      }
      const { client } = scripted([refusal(404, "payment_not_found")])
      const error = yield* (yield* client).gateway.status(status).pipe(Effect.flip)
      assert.deepInclude(error, { code: "payment_not_found", requestId: "req_1" })
    }),
  )

  it.effect("uses one Idempotency-Key for a new payment in all retries, or the caller's", () =>
    Effect.gen(function* () {
      const { client, seen } = scripted([
        "lost",
        { status: 201, json: created },
        { status: 201, json: created },
        { status: 201, json: created },
      ])
      const florin = yield* client
      const create = (headers: { readonly "idempotency-key"?: string }) =>
        patiently(florin.payments.create({ headers, payload: newPayment }))
      yield* create({})
      yield* create({})
      yield* create({ "idempotency-key": "order-7" })
      const [first, again, second, third] = seen.map(({ headers }) =>
        headers.get("idempotency-key"),
      )
      assert.match(first ?? "", /^[0-9a-f]{32}$/u)
      assert.strictEqual(again, first)
      assert.notStrictEqual(second, first)
      assert.match(second ?? "", /^[0-9a-f]{32}$/u)
      assert.strictEqual(third, "order-7")
      assert.deepStrictEqual(seen[0]?.body, newPayment)
    }),
  )

  it.effect("prints no key with an error", () =>
    Effect.gen(function* () {
      const { client } = scripted(["lost", "lost", "lost", "lost"])
      const exit = yield* patiently((yield* client).gateway.status(status))
      assert.isTrue(Exit.isFailure(exit))
      if (Exit.isSuccess(exit)) return
      assert.notInclude(Cause.pretty(exit.cause), apiKey)
      assert.notInclude(JSON.stringify(exit.cause), apiKey)
    }),
  )
})
