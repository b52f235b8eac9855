import { mkdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import { Redacted, Result } from "effect"
import * as Place from "../../src/access/Place.ts"
import * as PayoutDefaults from "../../src/serve/PayoutDefaults.ts"
import type * as Settings from "../../src/serve/Settings.ts"
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
        const usual = (rpc: ReadonlyArray<Settings.Node>) =>
          textsOf(PayoutDefaults.usualIn({ rpc, testRpc: [] }, place).payouts)
        const usually = { live: "15m", test: "immediate" }
        assert.deepStrictEqual(usual([]), usually)
        mkdirSync(Place.chainsDirectory(place), { recursive: true })
        assert.deepStrictEqual(usual([]), { live: "immediate", test: "immediate" })
        const node = { chainId: Eip155.chainId(8453), url: Redacted.make("https://node.example") }
        assert.deepStrictEqual(usual([node]), usually)
      }
    }))
})
