/** Overload: how many calls a process works on at a time. It is counted, never timed. */
import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import { PaymentId } from "@florin/core/domain/ground/PaymentId"
import { Signals } from "@florin/core/ports/Signals"
import * as Stores from "@florin/testing/Stores"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Admission from "../src/edge/Admission.ts"
import * as Scene from "./scene.ts"

const most = Limits.decisionsWaitingMax

/** Lets other fibers run. */
const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** A storage that counts its calls, and creates no payment until the gate opens. */
const held = () => {
  const gate = Deferred.makeUnsafe<void>()
  const calls = new Map<string, number>()
  const layer = Layer.effectContext(
    Stores.wrapAll(
      (store) =>
        new Proxy(store, {
          get: (target, name, receiver) => {
            const member: unknown = Reflect.get(target, name, receiver)
            if (typeof member !== "function" || typeof name !== "string") return member
            return (...args: ReadonlyArray<unknown>) => {
              calls.set(name, (calls.get(name) ?? 0) + 1)
              const result: unknown = Reflect.apply(member, target, args)
              return name === "createPayment" && Effect.isEffect(result)
                ? Effect.andThen(Deferred.await(gate), result)
                : result
            }
          },
        }),
    ),
  )
  const counted = () => [...calls.values()].reduce((sum, count) => sum + count, 0)
  return { layer, gate, calls, counted }
}

const { calls, counted, gate, layer: beforeStorage } = held()

describe("a process with as many decisions in progress as it admits", () => {
  it.effect("refuses the next one before any work, and serves everything else", () =>
    Effect.gen(function* () {
      const { own, walletKey } = yield* Scene.make
      const create = Scene.send({
        path: "/v1/payments",
        key: own.key,
        headers: { "Merchant-Id": own.merchantId },
        body: { referenceId: "ORDER", amount: { unit: "iso4217/USD", value: "1234" } },
      })
      const waiting = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: most }, () => create),
          { concurrency: "unbounded" },
        ),
      )
      while ((calls.get("createPayment") ?? 0) < most) yield* turn

      const before = counted()
      const refused = yield* create
      Scene.isProblem(refused, 503, "unavailable")
      assert.strictEqual(refused.headers.get("retry-after"), "1")
      assert.strictEqual(counted(), before, "calls of the storage")

      const gateway = "/v1/gateway/payment/pay_none"
      const accounts = [Scene.accountOf(Scene.payer, 8453)]
      const served: ReadonlyArray<readonly [Scene.Sent, number]> = [
        [{ path: "/healthz" }, 200],
        [{ path: "/v1/payments", key: own.key }, 200],
        [{ path: `${gateway}/status`, key: walletKey }, 404],
        [{ path: `${gateway}/options`, key: walletKey, body: { accounts } }, 404],
      ]
      for (const [sent, status] of served) {
        assert.strictEqual((yield* Scene.send(sent)).status, status, sent.path)
      }

      yield* Deferred.succeed(gate, undefined)
      const created = yield* Fiber.join(waiting)
      assert.deepStrictEqual(new Set(created.map(({ status }) => status)), new Set([201]))
      assert.strictEqual((yield* create).status, 201)
    }).pipe(Effect.provide(Scene.layer({ beforeStorage }))),
  )
})

describe("confirms that wait for the end of their payment", () => {
  it.effect("A10: keep no decision from being admitted, however many they are", () =>
    Effect.gen(function* () {
      const { own, walletKey: key } = yield* Scene.make
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const body = yield* Scene.confirmBody(key, id, yield* Scene.firstOption(key, id))
      const path = `/v1/gateway/payment/${id}/confirm?maxPollMs=${Limits.longPollMaxInMs}`
      const waiting = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: most }, () => Scene.send({ path, key, body })),
          { concurrency: "unbounded" },
        ),
      )
      const signals = yield* Signals
      while (signals.watching(PaymentId.make(id)).here < most) yield* turn

      yield* Scene.createPayment(own.key, own.merchantId)

      yield* TestClock.adjust(Limits.longPollMaxInMs)
      const responses = yield* Fiber.join(waiting)
      assert.deepStrictEqual(new Set(responses.map(({ status }) => status)), new Set([200]))
    }).pipe(Effect.provide(Scene.layer())),
  )
})

const decision = { face: "partner", method: "POST", name: "payments.create" } as const
const options = { face: "gateway", method: "POST", name: "gateway.options" } as const
const operators = { face: "operator", method: "POST", name: "operator.outflows.retry" } as const

describe("admission", () => {
  it.effect("counts decisions, options and actions apart, and the operator's calls never", () =>
    Effect.gen(function* () {
      const { enter, knock } = Admission.make()
      const fill = (operation: typeof decision | typeof options, count: number) =>
        Effect.forkChild(
          Effect.all(
            Array.from({ length: count }, () => enter(operation, () => Effect.never)),
            { concurrency: "unbounded" },
          ),
        )
      const isAdmitted = (operation: Parameters<typeof enter>[0]) =>
        Effect.isSuccess(
          Effect.andThen(
            knock(operation, Effect.void),
            enter(operation, () => Effect.void),
          ),
        )
      const decisions = yield* fill(decision, most)
      yield* turn
      assert.isFalse(yield* isAdmitted(decision))
      assert.isTrue(yield* isAdmitted(options))
      const others = yield* fill(options, Limits.optionsWaitingMax)
      yield* turn
      assert.isFalse(yield* isAdmitted(options))
      assert.isFalse(yield* isAdmitted({ ...options, name: "gateway.fetch" }))
      assert.isTrue(yield* isAdmitted(operators))
      yield* Fiber.interrupt(decisions)
      assert.isTrue(yield* isAdmitted(decision))
      assert.isFalse(yield* isAdmitted(options))
      yield* Fiber.interrupt(others)
      assert.isTrue(yield* isAdmitted(options))
    }),
  )

  it.effect("does not count a call that was refused, or that failed", () =>
    Effect.gen(function* () {
      const { enter } = Admission.make()
      for (let count = 0; count <= most; count += 1) {
        yield* Effect.ignore(enter(decision, () => Effect.fail("refused")))
      }
      assert.strictEqual(yield* enter(decision, () => Effect.succeed("done")), "done")
    }),
  )
})
