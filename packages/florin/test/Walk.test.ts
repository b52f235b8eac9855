import { assert, describe, it } from "@effect/vitest"
import * as Florin from "@florin/server/Florin"
import * as WebHandler from "@florin/server/WebHandler"
import * as Service from "@florin/testing/Service"
import { Effect, Layer } from "effect"
import * as Walk from "../src/Walk.ts"

const service = Florin.layer({ publicUrl: "https://pay.example.com" }).pipe(
  Layer.provideMerge(Service.layer()),
)

describe("Walk.walk", () => {
  it.live("fails at the first step that does not come out", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const run = Effect.runPromiseWith(yield* Effect.context<Layer.Success<typeof service>>())
      const server: Walk.Server = {
        baseUrl: "https://api.example.com",
        fetch: (url, init) => run(WebHandler.respond(new Request(url, init))),
      }
      // Nobody holds anything, so no option fits.
      const failure = yield* Effect.flip(Walk.walk(server, (text) => void told.push(text)))
      assert.strictEqual(failure._tag, "WalkFailed")
      assert.strictEqual(failure.message, "USDC on Base was not offered")
      assert.strictEqual(told.length, 3)
    }).pipe(Effect.provide(service)),
  )
})
