import { assert, describe } from "@effect/vitest"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { Screening, ScreeningUnavailable } from "@florin/core/ports/Screening"
import { Signals } from "@florin/core/ports/Signals"
import { StorageUnavailable } from "@florin/core/ports/StorageError"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Stores from "@florin/testing/Stores"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Handler } from "../src/Handler.ts"
import * as Laws from "./operations/laws.ts"
import { assets, register } from "./operations/settlements.ts"
import * as Scene from "./scene.ts"

const { play } = Laws

const canary = "CANARY"

const requestIdOf = ({ headers }: Scene.Reply) => headers.get("request-id") ?? ""

/** Every kind of call, so that a port that fails is met on every way. */
const calls = (
  { own, walletKey }: Scene.Scene,
  paymentId: string,
): ReadonlyArray<Scene.Sent & { readonly key: string }> => {
  const headers = { "Merchant-Id": own.merchantId, "Idempotency-Key": Scene.fresh("call") }
  const partner = { key: own.key, headers }
  const merchant = `/v1/merchants/${own.merchantId}`
  const payment = `/v1/payments/${paymentId}`
  const gateway = `/v1/gateway/payment/${paymentId}`
  const settlement = {
    asset: assets.usdcOnPolygon,
    destination: Scene.accountOf(Scene.treasury, 137),
  }
  return [
    { ...partner, path: "/v1/merchants", body: { merchantName: "x", merchantEmail: "a@b.co" } },
    { ...partner, path: "/v1/merchants" },
    { ...partner, path: merchant },
    { ...partner, path: merchant, method: "PATCH", body: { merchantName: "x" } },
    { ...partner, path: merchant, method: "DELETE" },
    { ...partner, path: `${merchant}/settlements` },
    { ...partner, path: `${merchant}/settlements/crypto`, body: { settlements: [settlement] } },
    { ...partner, path: "/v1/merchants/payments" },
    { ...partner, path: "/v1/payments" },
    {
      ...partner,
      path: "/v1/payments",
      body: { referenceId: "x", amount: { unit: "iso4217/USD", value: "1" } },
    },
    { ...partner, path: payment },
    { ...partner, path: `${payment}/status?maxPollMs=1` },
    { ...partner, path: `${payment}/cancel`, method: "POST" },
    { ...partner, path: "/v1/refunds", body: { paymentId } },
    { ...partner, path: "/v1/refunds/rfnd_1" },
    { key: walletKey, path: gateway },
    {
      key: walletKey,
      path: `${gateway}/options`,
      body: { accounts: [Scene.accountOf(Scene.payer, 8453)] },
    },
    { key: walletKey, path: `${gateway}/status?maxPollMs=1` },
    { key: walletKey, path: `${gateway}/cancel`, method: "POST" },
  ]
}

/** A storage that works until a test breaks it. */
const breakable = (broken: (method: string) => Effect.Effect<never, StorageUnavailable>) => {
  let isBroken = false
  const layer = Layer.effectContext(
    Stores.wrapAll(
      (store) =>
        new Proxy(store, {
          get: (target, name, receiver) => {
            const member: unknown = Reflect.get(target, name, receiver)
            if (!isBroken || typeof name !== "string") return member
            return typeof member === "function" ? () => broken(name) : broken(name)
          },
        }),
    ),
  )
  const during = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        isBroken = true
      }),
      () => effect,
      () =>
        Effect.sync(() => {
          isBroken = false
        }),
    )
  return { layer, during }
}

/** Lets other fibers run. */
const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Fails unless the response is this problem without any detail. */
const tellsNothing = (answer: Scene.Reply, status: number, code: string) => {
  const body = Scene.isProblem(answer, status, code)
  assert.hasAllKeys(body, ["code", "message", "requestId"])
  assert.notInclude(answer.text + JSON.stringify([...answer.headers]), canary)
}

describe("every response", () => {
  play("has a unique request id, which a problem repeats", ({ own, walletKey }) =>
    Effect.gen(function* () {
      const ids = new Set<string>()
      const requests: ReadonlyArray<Scene.Sent> = [
        { path: "/v1/merchants", key: own.key },
        { path: "/v1/merchants", key: null },
        { path: "/v1/merchants", key: walletKey },
        { path: "/v1/merchants?limit=0", key: own.key },
        { path: "/v1/merchants", method: "PUT", key: own.key },
        { path: "/v1/merchants", method: "HEAD", key: own.key },
        { path: "/nowhere" },
        { path: "/healthz" },
        { path: "/readyz" },
        {
          path: "/v1/gateway/payment/pay_1",
          method: "OPTIONS",
          headers: { Origin: "https://a.example", "Access-Control-Request-Method": "GET" },
        },
      ]
      for (const sent of requests) {
        for (const headers of [{}, { "Request-Id": "mine", "X-Request-Id": "mine" }]) {
          const answer = yield* Scene.send({ ...sent, headers: { ...sent.headers, ...headers } })
          assert.match(requestIdOf(answer), /^req_[0-9A-Za-z]{8,}$/u)
          ids.add(requestIdOf(answer))
          if (answer.status >= 400 && answer.text !== "") {
            assert.strictEqual(Scene.text(answer.body, "requestId"), requestIdOf(answer))
          }
        }
      }
      assert.strictEqual(ids.size, 2 * requests.length)
    }),
  )

  play("has a unique request id among 500 at the same time", ({ own }) =>
    Effect.gen(function* () {
      const sent = { path: `/v1/merchants/${own.merchantId}`, key: own.key }
      const answers = yield* Effect.all(
        Array.from({ length: 500 }, () => Scene.send(sent)),
        { concurrency: "unbounded" },
      )
      assert.strictEqual(new Set(answers.map(requestIdOf)).size, 500)
    }),
  )
})

describe("a bug in the service", () => {
  const bugs: ReadonlyArray<readonly [what: string, bug: Effect.Effect<never>]> = [
    ["a defect", Effect.die(new Error(`${canary}: select * from keys`))],
    ["a text that is thrown", Effect.die(canary)],
    [
      "an exception",
      Effect.sync(() => {
        throw new TypeError(canary)
      }),
    ],
  ]
  for (const [what, bug] of bugs) {
    const { during, layer: beforeStorage } = breakable(() => bug)
    play(
      `is 500 everywhere, without any detail: ${what}`,
      (scene) =>
        Effect.gen(function* () {
          const id = yield* Scene.createPayment(scene.own.key, scene.own.merchantId)
          for (const sent of calls(scene, id)) {
            tellsNothing(yield* during(Scene.send(sent)), 500, "internal_error")
          }
          assert.strictEqual(
            (yield* Scene.send({ path: "/v1/merchants", key: scene.own.key })).status,
            200,
          )
        }),
      { beforeStorage },
    )
  }

  const screening = Layer.succeed(Screening, {
    refused: () => {
      throw new Error(canary)
    },
  })
  play(
    "is 500 if a port throws",
    ({ own, walletKey }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const path = `/v1/gateway/payment/${id}/options`
        const body = { accounts: [Scene.accountOf(Scene.payer, 8453)] }
        tellsNothing(yield* Scene.send({ path, key: walletKey, body }), 500, "internal_error")
      }),
    { screening },
  )

  const edge = {
    log: () => {
      throw new Error(canary)
    },
  }
  play(
    "loses no response if the log throws",
    ({ own }) =>
      Effect.gen(function* () {
        const answer = yield* Scene.send({ path: "/v1/merchants", key: own.key })
        assert.strictEqual(answer.status, 200, answer.text)
      }),
    { edge },
  )
})

describe("an unavailable storage", () => {
  const { during, layer: beforeStorage } = breakable((method) =>
    Effect.fail(new StorageUnavailable({ message: `${canary} ${method} ECONNREFUSED` })),
  )

  play(
    "is 503 everywhere, with Retry-After",
    (scene) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(scene.own.key, scene.own.merchantId)
        const before = yield* Laws.world(scene)
        for (const sent of calls(scene, id)) {
          const answer = yield* during(Scene.send(sent))
          tellsNothing(answer, 503, "unavailable")
          assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/u)
        }
        assert.deepStrictEqual(yield* Laws.world(scene), before)
      }),
    { beforeStorage },
  )

  play(
    "does not affect calls that need none",
    () =>
      Effect.gen(function* () {
        for (const [sent, status] of [
          [{ path: "/healthz" }, 200],
          [{ path: "/nowhere" }, 404],
          [{ path: "/v1/merchants" }, 401],
          [{ path: "/v1/merchants", key: "x" }, 401],
          [{ path: "/v1/merchants", method: "PUT" }, 405],
        ] as const) {
          assert.strictEqual((yield* during(Scene.send(sent))).status, status)
        }
      }),
    { beforeStorage },
  )

  // The write happened, and its answer was lost: whoever repeats the call gets what was made.
  for (const [what, method, wanted] of [
    ["a new merchant", "respondOnce", 0],
    ["new destinations", "respondOnce", 6],
    ["a new payment", "createPayment", 9],
  ] as const) {
    let isLost = false
    const losing = Layer.effectContext(
      Stores.wrapAll(
        (store) =>
          new Proxy(store, {
            get: (target, name, receiver) => {
              const member: unknown = Reflect.get(target, name, receiver)
              if (name !== method || !isLost) return member
              isLost = false
              return (...args: ReadonlyArray<unknown>) =>
                Effect.flatMap(
                  typeof member === "function" ? member.apply(target, args) : Effect.void,
                  () => Effect.fail(new StorageUnavailable({ message: "the answer was lost" })),
                )
            },
          }),
      ),
    )
    play(
      `creates nothing twice if the response to ${what} was lost`,
      (scene) =>
        Effect.gen(function* () {
          const id = yield* Scene.createPayment(scene.own.key, scene.own.merchantId)
          const sent = calls(scene, id)[wanted] ?? assert.fail("there is no such call")
          isLost = true
          const first = yield* Scene.send(sent)
          Scene.isProblem(first, 503, "unavailable")
          const after = yield* Laws.world(scene)
          const again = yield* Scene.send(sent)
          assert.strictEqual(again.status, 201, again.text)
          assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
          assert.deepStrictEqual(yield* Laws.world(scene), after)
        }),
      { beforeStorage: losing },
    )
  }
})

describe("an unavailable screening", () => {
  const screening = Layer.succeed(Screening, {
    refused: () => Effect.fail(new ScreeningUnavailable({ message: canary })),
  })
  play(
    "is 503, and offers no option",
    ({ own, walletKey }) =>
      Effect.gen(function* () {
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const path = `/v1/gateway/payment/${id}/options`
        const body = { accounts: [Scene.accountOf(Scene.payer, 8453)] }
        const answer = yield* Scene.send({ path, key: walletKey, body })
        tellsNothing(answer, 503, "unavailable")
        assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/u)
      }),
    { screening },
  )
})

describe("an unavailable chain", () => {
  play("is 502, and leaves the payment open", ({ own, walletKey }) =>
    Effect.gen(function* () {
      const chain = yield* SimulatedChain
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const option = yield* Scene.firstOption(walletKey, id)
      const body = yield* Scene.confirmBody(walletKey, id, option)
      const gateway = `/v1/gateway/payment/${id}`
      const permit2 = yield* Scene.firstOption(walletKey, id, Scene.accountOf(Scene.payer, 56))
      for (const sent of [
        { path: `${gateway}/options`, body: { accounts: [Scene.accountOf(Scene.payer, 8453)] } },
        { path: `${gateway}/fetch`, body: { optionId: Scene.text(permit2, "id"), data: "" } },
        { path: `${gateway}/confirm`, body },
      ]) {
        yield* chain.fail({ calls: 1000 })
        tellsNothing(yield* Scene.send({ ...sent, key: walletKey }), 502, "bad_gateway")
        yield* chain.heal
        const status = yield* Scene.send({ path: `${gateway}/status`, key: walletKey })
        assert.strictEqual(Scene.text(status.body, "status"), "requires_action")
      }
      const confirmed = yield* Scene.send({ path: `${gateway}/confirm`, key: walletKey, body })
      assert.strictEqual(confirmed.status, 200, confirmed.text)
    }),
  )

  play("does not affect calls that need none", (scene) =>
    Effect.gen(function* () {
      const chain = yield* SimulatedChain
      yield* chain.fail({ calls: 1000 })
      yield* register(scene.own.key, scene.own.merchantId, [assets.usdcOnBase])
      const id = yield* Scene.createPayment(scene.own.key, scene.own.merchantId)
      const status = yield* Scene.send({
        path: `/v1/gateway/payment/${id}/status`,
        key: scene.walletKey,
      })
      assert.strictEqual(status.status, 200)
    }),
  )
})

describe("health", () => {
  const health = (path: string) => Scene.send({ path })
  const { during, layer: beforeStorage } = breakable(() =>
    Effect.fail(new StorageUnavailable({ message: canary })),
  )
  const ok = { status: "ok" }

  play(
    "is always alive, and ready while the storage responds",
    () =>
      Effect.gen(function* () {
        const ready = { status: "ok", checks: { storage: "ok", assets: "ok", process: "ok" } }
        for (const [path, body] of [
          ["/healthz", ok],
          ["/readyz", ready],
        ] as const) {
          const answer = yield* health(path)
          assert.strictEqual(answer.status, 200)
          assert.deepStrictEqual(answer.body, body)
          assert.strictEqual(answer.headers.get("cache-control"), "no-store")
          assert.strictEqual(answer.headers.get("content-type"), "application/json")
        }
        assert.deepStrictEqual((yield* during(health("/healthz"))).body, ok)
        const unready = yield* during(health("/readyz"))
        assert.strictEqual(unready.status, 503)
        assert.deepStrictEqual(unready.body, {
          status: "unavailable",
          checks: { storage: "unavailable", assets: "ok", process: "ok" },
        })
        assert.deepStrictEqual((yield* health("/readyz")).body, ready)
      }),
    { beforeStorage },
  )

  const hanging = breakable(() => Effect.never)
  play(
    "is not ready if the storage hangs",
    () =>
      Effect.gen(function* () {
        const asked = yield* Effect.forkChild(hanging.during(health("/readyz")))
        yield* turn
        yield* TestClock.adjust("2 seconds")
        const answer = yield* Fiber.join(asked)
        assert.strictEqual(answer.status, 503)
        assert.strictEqual(Scene.text(answer.body, "checks", "storage"), "unavailable")
      }),
    { beforeStorage: hanging.layer },
  )

  play("is alive but not ready while the process stops", ({ own }) =>
    Effect.gen(function* () {
      const handler = yield* Handler
      yield* handler.close
      const answer = yield* health("/readyz")
      assert.strictEqual(answer.status, 503)
      assert.deepStrictEqual(answer.body, {
        status: "unavailable",
        checks: { storage: "ok", assets: "ok", process: "ending" },
      })
      assert.deepStrictEqual((yield* health("/healthz")).body, ok)
      // What is under way elsewhere may still ask.
      assert.strictEqual((yield* Scene.send({ path: "/v1/merchants", key: own.key })).status, 200)
    }),
  )
})

const watching = (id: string) =>
  Effect.map(Signals, (signals) => signals.watching(PaymentId.PaymentId.make(id)).here)

describe("the end of a process", () => {
  play("completes held calls immediately, and waits for their responses", ({ own, walletKey }) =>
    Effect.gen(function* () {
      const handler = yield* Handler
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const path = `/v1/gateway/payment/${id}/status?maxPollMs=25000`
      const polls = yield* Effect.forEach(Array.from({ length: 20 }), () =>
        Effect.forkChild(Scene.send({ path, key: walletKey })),
      )
      yield* turn
      assert.strictEqual(yield* watching(id), 20)
      yield* handler.close
      assert.strictEqual(yield* watching(id), 0)
      for (const poll of polls) {
        const answer = yield* Fiber.join(poll)
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(Scene.text(answer.body, "status"), "requires_action")
      }
      // Nobody is parked any more.
      assert.strictEqual((yield* Scene.send({ path, key: walletKey })).status, 200)
    }),
  )
})

describe("a caller that disconnects", () => {
  play("frees the place of its held call", ({ own, walletKey }) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const path = `/v1/gateway/payment/${id}/status?maxPollMs=25000`
      const poll = yield* Effect.forkChild(Scene.send({ path, key: walletKey }))
      yield* turn
      assert.strictEqual(yield* watching(id), 1)
      yield* Fiber.interrupt(poll)
      assert.strictEqual(yield* watching(id), 0)
    }),
  )

  let isSlow = false
  const slow = Layer.effect(
    AccountStore,
    Effect.map(AccountStore, (accounts) => ({
      ...accounts,
      addMerchant: (...args: Parameters<typeof accounts.addMerchant>) =>
        Effect.delay(accounts.addMerchant(...args), isSlow ? "1 second" : 0),
    })),
  )
  play(
    "has its write completed",
    ({ own }) =>
      Effect.gen(function* () {
        isSlow = true
        const creating = yield* Effect.forkChild(
          Scene.send({
            path: "/v1/merchants",
            key: own.key,
            headers: { "Idempotency-Key": "k" },
            body: { merchantName: "Bakery", merchantEmail: "bread@example.com" },
          }),
        )
        yield* turn
        const leaving = yield* Effect.forkChild(Fiber.interrupt(creating))
        yield* turn
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(leaving)
        const list = yield* Scene.send({ path: "/v1/merchants", key: own.key })
        assert.strictEqual(Scene.at(list.body, "totalCount"), 2)
      }),
    { beforeStorage: slow },
  )
})
