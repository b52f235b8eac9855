import { assert, describe, it } from "@effect/vitest"
import { Screening } from "@florin/core/ports/Screening"
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

describe("a confirm that is on its way when the payment's time ends", () => {
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
