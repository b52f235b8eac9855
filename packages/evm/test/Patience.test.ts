import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { ChainUnavailable } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Patience from "../src/Patience.ts"

const chain = (
  number: number,
  isSilent: boolean,
  ask: Patience.Asking<string>["ask"],
): Patience.Asking<string> => ({
  rpc: { chainId: Eip155.chainId(number), isSilent: () => isSilent },
  ask,
})

const well = chain(10, false, Effect.succeed(["well"]))
const failure = new ChainUnavailable({ chainId: Eip155.chainId(10), message: "it failed" })

describe("a chain that does not respond", () => {
  it.effect("S9: is waited for no longer than the others", () =>
    Effect.gen(function* () {
      const ask = Patience.make()
      const answer = yield* ask([well, chain(1, true, Effect.never)])
      assert.deepStrictEqual(answer, ["well"])
    }),
  )

  it.effect("S9: is tried by one caller at a time", () =>
    Effect.gen(function* () {
      const ask = Patience.make()
      let tries = 0
      const hung = chain(
        1,
        true,
        Effect.suspend(() => {
          tries += 1
          return Effect.never
        }),
      )
      for (let call = 0; call < 3; call++) yield* ask([well, hung])
      assert.strictEqual(tries, 1)
    }),
  )

  it.effect("S9: is used again as soon as it responds", () =>
    Effect.gen(function* () {
      const ask = Patience.make()
      const back = chain(1, true, Effect.succeed(["back"]))
      for (let call = 0; call < 2; call++) {
        assert.sameMembers([...(yield* ask([well, back]))], ["well", "back"])
      }
    }),
  )

  it.effect("is waited for if no other chain responds, and its error is then returned", () =>
    Effect.gen(function* () {
      const ask = Patience.make()
      const slow = Effect.as(Effect.yieldNow, ["slow"])
      const failing = chain(10, false, Effect.fail(failure))
      assert.deepStrictEqual(yield* ask([chain(1, true, slow)]), ["slow"])
      assert.deepStrictEqual(yield* ask([failing, chain(1, true, slow)]), ["slow"])
      const error = yield* Effect.flip(ask([failing, chain(1, true, Effect.fail(failure))]))
      assert.strictEqual(error, failure)
    }),
  )
})
