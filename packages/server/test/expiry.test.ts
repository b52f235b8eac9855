import { assert, describe, it } from "@effect/vitest"
import { Screening } from "@florin/core/ports/Screening"
import * as Stores from "@florin/testing/Stores"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Gateway from "./operations/gateway.ts"
import * as Scene from "./scene.ts"

/** A provider of screening that responds to confirms once it is let. */
const slow = () => {
  const asked = Deferred.makeUnsafe<void>()
  const responds = Deferred.makeUnsafe<void>()
  let isSlow = false
  const refused = () =>
    Effect.suspend(() => {
      if (!isSlow) return Effect.succeed([])
      Deferred.doneUnsafe(asked, Effect.void)
      return Effect.as(Deferred.await(responds), [])
    })
  return {
    layer: Layer.succeed(Screening, { refused }),
    begin: Effect.sync(() => void (isSlow = true)),
    asked: Deferred.await(asked),
    respond: Deferred.succeed(responds, undefined),
  }
}

describe("a confirm in progress when the payment expires", () => {
  const others = {
    "another confirm was refused because of it": "confirm",
    "a cancel was refused because of it": "cancel",
    "somebody saw it": "status",
  } as const
  for (const [name, other] of Object.entries(others)) {
    const screening = slow()
    it.effect(
      `M17: is not accepted after ${name}`,
      Gateway.play(
        ({ own, walletKey }) =>
          Effect.gen(function* () {
            const id = yield* Scene.createPayment(own.key, own.merchantId)
            const option = yield* Scene.firstOption(walletKey, id)
            const body = yield* Scene.confirmBody(walletKey, id, option)
            const path = `/v1/gateway/payment/${id}`
            const confirm = { path: `${path}/confirm`, key: walletKey, body }
            yield* screening.begin
            const first = yield* Effect.forkChild(Scene.send(confirm))
            yield* screening.asked
            yield* TestClock.adjust("5 minutes")
            const said = yield* Scene.send(
              {
                confirm,
                cancel: { path: `${path}/cancel`, key: walletKey, body: {} },
                status: { path: `${path}/status`, key: walletKey },
              }[other],
            )
            if (other === "status") assert.strictEqual(Scene.text(said.body, "status"), "expired")
            else Scene.isProblem(said, 410, "payment_expired")
            yield* screening.respond
            Scene.isProblem(yield* Fiber.join(first), 410, "payment_expired")
          }),
        { screening: screening.layer },
      ),
    )
  }
})

/** A storage to which one write of a payment is late, once it is let. */
const late = () => {
  const sent = Deferred.makeUnsafe<void>()
  const arrives = Deferred.makeUnsafe<void>()
  let isNext = false
  const tap: Stores.Tap = (name, call) =>
    Effect.suspend(() => {
      if (name !== "modify" || !isNext) return call
      isNext = false
      Deferred.doneUnsafe(sent, Effect.void)
      return Effect.andThen(Deferred.await(arrives), call)
    })
  return {
    layer: Layer.effectContext(Stores.wrapAll((store) => Stores.tapped(store, tap))),
    begin: Effect.sync(() => void (isNext = true)),
    sent: Deferred.await(sent),
    arrive: Deferred.succeed(arrives, undefined),
  }
}

describe("a confirm that was decided in time, and is written too late", () => {
  const looks = {
    "its status": (id: string) => `/v1/payments/${id}/status`,
    "its details": (id: string) => `/v1/payments/${id}`,
    "a list": () => "/v1/payments",
  } as const
  for (const [name, pathOf] of Object.entries(looks)) {
    const write = late()
    it.effect(
      `M17: is not accepted after ${name} reported that the payment expired`,
      Gateway.play(
        ({ own, walletKey }) =>
          Effect.gen(function* () {
            const id = yield* Scene.createPayment(own.key, own.merchantId)
            const option = yield* Scene.firstOption(walletKey, id)
            const body = yield* Scene.confirmBody(walletKey, id, option)
            const headers = { "Merchant-Id": own.merchantId }
            const statuses = () =>
              Effect.map(
                Scene.send({ path: pathOf(id), key: own.key, headers }),
                ({ text }) => /"status":"(\w+)"/u.exec(text)?.[1],
              )
            yield* write.begin
            const confirm = yield* Effect.forkChild(
              Scene.send({ path: `/v1/gateway/payment/${id}/confirm`, key: walletKey, body }),
            )
            yield* write.sent
            yield* TestClock.adjust("5 minutes")
            assert.strictEqual(yield* statuses(), "expired")
            yield* write.arrive
            Scene.isProblem(yield* Fiber.join(confirm), 410, "payment_expired")
            assert.strictEqual(yield* statuses(), "expired")
          }),
        { beforeStorage: write.layer },
      ),
    )
  }
})
