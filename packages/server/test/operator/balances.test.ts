import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Refunds from "../operations/refunds.ts"
import * as Scene from "../scene.ts"
import * as Calls from "./calls.ts"
import * as Money from "./money.ts"

describe("the operator's balances", () => {
  it.effect("show what each account has of each token, and whose it is", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make
      const { text: key } = yield* Calls.operatorKey(["read"])
      const operator = yield* Calls.inProcess
      const none = { accounts: [], tokens: [] }
      assert.deepStrictEqual(yield* operator(({ balances }) => balances.list()), none)
      yield* Refunds.succeeded(scene)
      const { body } = yield* Calls.send({ path: "/operator/v1/balances", key })
      const [found, ...others] = Scene.list(body, "accounts")
      assert.deepStrictEqual(others, [])
      const sum = (value: string) => ({ unit: `caip19/${Money.asset}`, value })
      assert.deepStrictEqual(found, {
        mode: "test",
        account: Scene.text(found, "account"),
        display: Scene.at(found, "display") ?? null,
        onChain: sum("12340000"),
        ledger: sum("12340000"),
        owed: sum("12340000"),
        reserved: sum("0"),
        suspense: sum("0"),
        float: sum("0"),
      })
      const { assetSymbol, decimals, networkName } = Object(Scene.at(found, "display"))
      assert.deepStrictEqual([assetSymbol, decimals, networkName], ["USDC", 6, "Base"])
      assert.deepStrictEqual(Scene.list(body, "tokens"), [])
      const live = yield* operator(({ balances }) => balances.list({ mode: "live" }))
      assert.deepStrictEqual(live, none)
    }).pipe(Effect.provide(Scene.layer())),
  )
})
