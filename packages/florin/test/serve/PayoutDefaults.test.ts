import { mkdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import { Result } from "effect"
import * as Place from "../../src/access/Place.ts"
import * as PayoutDefaults from "../../src/serve/PayoutDefaults.ts"
import * as Program from "../program.ts"

const database = "postgres://florin@db.example/florin"

const textsOf = (payouts: PayoutPolicy.ByMode) => ({
  live: PayoutPolicy.format(payouts.live),
  test: PayoutPolicy.format(payouts.test),
})

describe("PayoutDefaults", () => {
  it("are the settings of each mode, or the defaults", () => {
    const policy = Result.getOrThrow(PayoutPolicy.parse("60m/500"))
    const { local, make } = PayoutDefaults
    const unset = { payouts: null, testPayouts: null }
    assert.deepStrictEqual(make(unset, PayoutPolicy.defaults), PayoutPolicy.defaults)
    assert.deepStrictEqual(make(unset, local), local)
    assert.deepStrictEqual(textsOf(make({ ...unset, payouts: policy }, local)), {
      live: "60m/500",
      test: "immediate",
    })
    assert.deepStrictEqual(
      textsOf(make({ ...unset, testPayouts: policy }, PayoutPolicy.defaults)),
      {
        live: "15m",
        test: "60m/500",
      },
    )
  })

  it("are immediate for a storage with local chains, unless other chains are configured", () =>
    Program.inDirectory(async (directory) => {
      for (const storage of ["embedded", database]) {
        const place = Result.getOrThrow(Place.parse({ storage, directory }))
        if (place._tag === "Memory") return assert.fail("it lasts")
        const readWith = (env: { readonly [name: string]: string }) =>
          textsOf(Result.getOrThrow(PayoutDefaults.read(env, place)))
        const usual = { live: "15m", test: "immediate" }
        assert.deepStrictEqual(readWith({}), usual)
        mkdirSync(Place.chainsDirectory(place), { recursive: true })
        assert.deepStrictEqual(readWith({}), { live: "immediate", test: "immediate" })
        assert.deepStrictEqual(readWith({ FLORIN_RPC: "8453=https://node.example" }), usual)
        assert.deepStrictEqual(readWith({ FLORIN_PAYOUTS: "5m" }), {
          live: "5m",
          test: "immediate",
        })
      }
    }))
})
