import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as RateLimit from "../src/edge/RateLimit.ts"
import * as Laws from "./operations/laws.ts"
import * as Scene from "./scene.ts"

const { play } = Laws

/** A call that leaves nothing behind. */
const call = (key: string | null, headers: Readonly<Record<string, string>> = {}) =>
  Scene.send({ path: "/v1/gateway/payment/pay_0", key, headers })

/** Calls until one is refused; returns the number of calls before. */
const callsUntilRefused = Effect.fnUntraced(function* (
  key: string | null,
  headers: Readonly<Record<string, string>> = {},
) {
  for (let calls = 0; calls < 1000; calls += 1) {
    const answer = yield* call(key, headers)
    if (answer.status === 429) return { calls, answer }
    assert.strictEqual(answer.status, 404, answer.text)
  }
  return assert.fail("nothing is refused")
})

/** Making the scene takes calls as well: let them come back. */
const rested = TestClock.adjust("1 hour")

const edge = { rateLimit: { burst: 10, perSecond: 2 } }

describe("a limit of calls", () => {
  play("is off by default", ({ walletKey }) =>
    Effect.gen(function* () {
      for (let calls = 0; calls < 500; calls += 1) {
        assert.strictEqual((yield* call(walletKey)).status, 404)
      }
    }),
  )

  play(
    "allows a burst of calls per key, then responds with Retry-After",
    ({ walletKey }) =>
      Effect.gen(function* () {
        yield* rested
        const { answer, calls } = yield* callsUntilRefused(walletKey)
        assert.strictEqual(calls, 10)
        const body = Scene.isProblem(answer, 429, "rate_limited")
        assert.hasAllKeys(body, ["code", "message", "requestId"])
        assert.strictEqual(answer.headers.get("retry-after"), "1")
      }),
    { edge },
  )

  play(
    "refills with time, up to the burst",
    ({ walletKey }) =>
      Effect.gen(function* () {
        yield* rested
        yield* callsUntilRefused(walletKey)
        for (const [pause, count] of [
          ["1 second", 2],
          ["3 seconds", 6],
          ["5 seconds", 10],
          ["1 hour", 10],
        ] as const) {
          yield* TestClock.adjust(pause)
          assert.strictEqual((yield* callsUntilRefused(walletKey)).calls, count, pause)
        }
      }),
    { edge },
  )

  play(
    "does not count refused calls",
    ({ walletKey }) =>
      Effect.gen(function* () {
        yield* rested
        yield* callsUntilRefused(walletKey)
        for (let calls = 0; calls < 100; calls += 1) {
          const answer = yield* call(walletKey)
          assert.strictEqual(answer.headers.get("retry-after"), "1")
        }
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* callsUntilRefused(walletKey)).calls, 2)
      }),
    { edge },
  )

  play(
    "sends a whole number of seconds after which a call is allowed",
    ({ walletKey }) =>
      Effect.gen(function* () {
        yield* rested
        for (let times = 0; times < 5; times += 1) {
          const { answer } = yield* callsUntilRefused(walletKey)
          const seconds = answer.headers.get("retry-after") ?? ""
          assert.match(seconds, /^[1-9]\d*$/u)
          assert.include(Scene.text(answer.body, "message"), `${seconds} s`)
          yield* TestClock.adjust(Number(seconds) * 1000)
          assert.strictEqual((yield* call(walletKey)).status, 404)
        }
      }),
    { edge: { rateLimit: { burst: 3, perSecond: 0.3 } } },
  )

  const sizes = [
    { burst: 1, perSecond: 1 },
    { burst: 1, perSecond: 0.01 },
    { burst: 5, perSecond: 5000 },
    { burst: 7, perSecond: 3 },
    { burst: 200, perSecond: 100 },
  ]
  for (const rateLimit of sizes) {
    play(
      `may be a burst of ${rateLimit.burst} and ${rateLimit.perSecond} per second`,
      ({ walletKey }) =>
        Effect.gen(function* () {
          for (let times = 0; times < 3; times += 1) {
            yield* rested
            assert.strictEqual((yield* callsUntilRefused(walletKey)).calls, rateLimit.burst)
          }
        }),
      { edge: { rateLimit } },
    )
  }

  play(
    "applies to each key separately",
    ({ liveWalletKey, other, own, walletKey }) =>
      Effect.gen(function* () {
        yield* rested
        for (const key of [walletKey, liveWalletKey, own.key, own.liveKey, other.key]) {
          assert.strictEqual((yield* callsUntilRefused(key)).calls, 10)
        }
      }),
    { edge },
  )

  play(
    "counts every operation of both interfaces, and refused calls",
    (scene) =>
      Effect.gen(function* () {
        const { own } = scene
        yield* rested
        for (const sent of [
          { path: "/v1/merchants" },
          { path: "/v1/payments?limit=0" },
          { path: "/v1/refunds", raw: "{" },
          { path: "/v1/gateway/payment/pay_0/status" },
          { path: "/v1/merchants", headers: { "Svc-Version": "soon" } },
          { method: "DELETE", path: "/v1/merchants/mrch_0" },
        ]) {
          assert.notStrictEqual((yield* Scene.send({ ...sent, key: own.key })).status, 429)
        }
        assert.strictEqual((yield* callsUntilRefused(own.key)).calls, 4)
        const create = {
          path: "/v1/merchants",
          key: own.key,
          headers: { "Idempotency-Key": "k" },
          body: { merchantName: "Bakery", merchantEmail: "bread@example.com" },
        }
        Scene.isProblem(yield* Scene.send(create), 429, "rate_limited")
        yield* rested
        const list = yield* Scene.send({ path: "/v1/merchants", key: own.key })
        assert.strictEqual(Scene.at(list.body, "totalCount"), 1)
        const made = yield* Scene.send(create)
        assert.strictEqual(made.status, 201)
        assert.isNull(made.headers.get("idempotency-replayed"))
      }),
    { edge },
  )

  play(
    "does not count calls with a wrong key, nor other paths",
    ({ own, strangersKey, walletKey }) =>
      Effect.gen(function* () {
        yield* rested
        for (let calls = 0; calls < 50; calls += 1) {
          assert.strictEqual((yield* call(strangersKey)).status, 401)
          assert.strictEqual((yield* call("")).status, 401)
          assert.strictEqual((yield* Scene.send({ path: "/healthz", key: own.key })).status, 200)
          assert.strictEqual((yield* Scene.send({ path: "/nowhere", key: own.key })).status, 404)
        }
        assert.strictEqual((yield* callsUntilRefused(walletKey)).calls, 10)
        assert.strictEqual((yield* callsUntilRefused(own.key)).calls, 10)
      }),
    { edge },
  )

  const app = { mode: "test", name: "App", iconUrl: null, versionPin: "2026-02-18" } as const
  const apps = new Map([
    ["one", app],
    ["two", app],
  ])
  play(
    "applies to each app separately if its clients do not differ",
    () =>
      Effect.gen(function* () {
        for (const id of ["one", "two"]) {
          const headers = { "App-Id": id, "Client-Id": "client" }
          assert.strictEqual((yield* callsUntilRefused(null, headers)).calls, 10)
        }
      }),
    { edge: { ...edge, apps } },
  )

  play(
    "S20: applies to each Client-Id of a wallet's key or app separately",
    ({ own, walletKey }) =>
      Effect.gen(function* () {
        yield* rested
        for (const client of ["one", "two"]) {
          const headers = { "Client-Id": client }
          assert.strictEqual((yield* callsUntilRefused(walletKey, headers)).calls, 10, client)
        }
        assert.strictEqual((yield* callsUntilRefused(walletKey)).calls, 10)
        for (const client of ["one", "two"]) {
          const headers = { "App-Id": "one", "Client-Id": client }
          assert.strictEqual((yield* callsUntilRefused(null, headers)).calls, 10, client)
        }
        // A partner's key is a secret, and one caller.
        assert.strictEqual((yield* callsUntilRefused(own.key, { "Client-Id": "one" })).calls, 10)
        assert.strictEqual((yield* call(own.key, { "Client-Id": "two" })).status, 429)
      }),
    { edge: { ...edge, apps } },
  )

  play(
    "S20: applies to each network address, whatever its Client-Ids",
    ({ walletKey }) =>
      Effect.gen(function* () {
        yield* rested
        for (const address of ["203.0.113.1", "203.0.113.2"]) {
          for (let calls = 0; calls < 11; calls += 1) {
            const headers = { "Client-Id": `client-${calls}`, "X-Real-Ip": address }
            assert.strictEqual((yield* call(walletKey, headers)).status, calls < 10 ? 404 : 429)
          }
        }
      }),
    { edge: { ...edge, proxyHeader: "X-Real-Ip" } },
  )

  play(
    "S20: allows twenty times as much for all clients of one key together",
    ({ walletKey }) =>
      Effect.gen(function* () {
        yield* rested
        let calls = 0
        const next = () => call(walletKey, { "Client-Id": `client-${calls}` })
        while ((yield* next()).status === 404) calls += 1
        assert.strictEqual(calls, 200)
      }),
    { edge },
  )
})

describe("a limit of accounts", () => {
  /** The accounts that options are asked for, all of one payer's chain and none that pays. */
  const ask = (key: string, id: string, count: number, address: string) =>
    Scene.send({
      path: `/v1/gateway/payment/${id}/options`,
      key,
      headers: { "X-Real-Ip": address },
      body: {
        accounts: Array.from(
          { length: count },
          (_, index) => `eip155:8453:0x${(index + 1).toString(16).padStart(40, "0")}`,
        ),
      },
    })
  const accountsLimit = { burst: 100, perSecond: 10 }
  const behindProxy = { edge: { accountsLimit, proxyHeader: "X-Real-Ip" } }

  play(
    "S20: does not count calls with as few accounts as wallets have",
    ({ own, walletKey }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        for (let calls = 0; calls < 30; calls += 1) {
          assert.strictEqual((yield* ask(walletKey, id, 10, "203.0.113.1")).status, 200)
        }
      }),
    behindProxy,
  )

  play(
    "S20: bounds the accounts per network address, for one payment and for all",
    ({ own, walletKey }) =>
      Effect.gen(function* () {
        const one = yield* Scene.createPayment(own.key, own.merchantId)
        const two = yield* Scene.createPayment(own.key, own.merchantId)
        assert.strictEqual((yield* ask(walletKey, one, 110, "203.0.113.1")).status, 200)
        const refused = yield* ask(walletKey, one, 20, "203.0.113.1")
        Scene.isProblem(refused, 429, "rate_limited")
        assert.strictEqual(refused.headers.get("retry-after"), "1")
        assert.strictEqual((yield* ask(walletKey, two, 20, "203.0.113.1")).status, 429)
        assert.strictEqual((yield* ask(walletKey, one, 110, "203.0.113.2")).status, 200)
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* ask(walletKey, one, 20, "203.0.113.1")).status, 200)
      }),
    behindProxy,
  )

  play(
    "S20: bounds the accounts per payment if the network address is unknown",
    ({ own, walletKey }) =>
      Effect.gen(function* () {
        const [one, two] = [
          yield* Scene.createPayment(own.key, own.merchantId),
          yield* Scene.createPayment(own.key, own.merchantId),
        ]
        assert.strictEqual((yield* ask(walletKey, one, 110, "")).status, 200)
        assert.strictEqual((yield* ask(walletKey, one, 20, "")).status, 429)
        assert.strictEqual((yield* ask(walletKey, two, 110, "")).status, 200)
      }),
    { edge: { accountsLimit } },
  )

  play(
    "S20: bounds the accounts per process, while usual calls are served",
    ({ own, walletKey }) =>
      Effect.gen(function* () {
        let served = 0
        const next = Effect.gen(function* () {
          const id = yield* Scene.createPayment(own.key, own.merchantId)
          return yield* ask(walletKey, id, 110, `203.0.113.${served}`)
        })
        while ((yield* next).status === 200) served += 1
        assert.strictEqual(served, 20)
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        assert.strictEqual((yield* ask(walletKey, id, 10, "203.0.113.99")).status, 200)
      }),
    behindProxy,
  )
})

describe("the buckets of a rate limit", () => {
  it.effect("are removed for keys that stopped calling", () =>
    Effect.gen(function* () {
      const buckets = new Map()
      const take = RateLimit.make({ burst: 10, perSecond: 10 }, buckets)
      for (let key = 0; key < 1000; key += 1) {
        yield* take(`key-${key}`)
        yield* TestClock.adjust("10 millis")
      }
      // Each is full for a tenth of a second: ten calls are that long.
      assert.isAtMost(buckets.size, 11)
    }),
  )

  it.effect("P7: still limit calls after the clock was set back", () =>
    Effect.gen(function* () {
      const take = RateLimit.make({ burst: 1, perSecond: 1 })
      yield* TestClock.setTime(3_600_000)
      yield* take("key")
      yield* TestClock.setTime(0)
      assert.strictEqual((yield* Effect.flip(take("key"))).retryAfterInS, 1)
      yield* TestClock.setTime(1000)
      yield* take("key")
    }),
  )
})
