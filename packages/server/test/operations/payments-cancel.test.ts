import { describe } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"
import * as Payments from "./payments.ts"

const { play } = Payments

const request = ({ own }: Gateway.World, id: string): Scene.Sent => ({
  method: "POST",
  path: `/v1/payments/${id}/cancel`,
  key: own.key,
})

describe("POST /v1/payments/{id}/cancel", () => {
  for (const [state, status, code] of [
    ["processing", 400, "invalid_state"],
    ["succeeded", 400, "invalid_state"],
    ["failed", 400, "invalid_state"],
    ["declined", 400, "invalid_state"],
    ["expired by time alone", 410, "payment_expired"],
    ["expired by the worker", 410, "payment_expired"],
  ] as const) {
    play(`refuses with ${code} if the payment is ${state}`, (world) =>
      Effect.gen(function* () {
        const { id } = yield* Gateway.reach(world, state)
        const answer = yield* Gateway.writesNothing(id, Scene.send(request(world, id)))
        Scene.isProblem(answer, status, code)
      }),
    )
  }
})
