import { assert, describe, it } from "@effect/vitest"
import { Chains } from "@florin/core/ports/Chain"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Calls from "./calls.ts"
import * as Money from "./money.ts"

const { asset, chainId } = Money
const since = new Date(Scene.now).toISOString()

describe("the operator's chains", () => {
  it.effect("lists halted chains and resumes them, in the modes that it names", () =>
    Effect.gen(function* () {
      yield* Scene.make
      const { text: key } = yield* Calls.operatorKey(["admin", "read"])
      const operator = yield* Calls.inProcess
      yield* Money.halted()
      const halted = {
        mode: "test",
        chainId,
        networkName: "Base",
        reason: "blocks are gone",
        haltedAt: since,
      }
      const list = { path: "/operator/v1/chains/halted", key }
      assert.deepStrictEqual((yield* Calls.send(list)).body, { chains: [halted] })
      const live = yield* operator(({ chains }) => chains.halted({ mode: "live" }))
      assert.deepStrictEqual(live, { chains: [] })

      const before = (yield* Calls.entries).length
      const resume = { path: `/operator/v1/chains/${chainId}/resume`, key }
      const other = yield* Calls.send({ ...resume, body: { mode: "live" } })
      assert.deepStrictEqual(other.body, { chains: [] })
      const resumed = yield* Calls.send({ ...resume, body: {} })
      assert.deepStrictEqual(resumed.body, { chains: [halted] })
      const again = yield* operator(({ chains }) => chains.resume({ chainId }))
      assert.deepStrictEqual(again, { chains: [] })
      const [entry, ...older] = yield* Calls.entries
      assert.strictEqual(older.length, before)
      assert.deepInclude(entry, { action: "chain.resumed", mode: "test", subject: chainId })
      assert.deepStrictEqual(yield* operator(({ chains }) => chains.halted()), { chains: [] })
      const named = yield* operator(({ chains }) => chains.resume({ chainId: "8453" }))
      assert.deepStrictEqual(named, { chains: [] })
      for (const unknown of ["9999", "eip155:9999", "base"]) {
        const path = `/operator/v1/chains/${unknown}/resume`
        const refused = yield* Calls.send({ path, key, body: {} })
        assert.deepStrictEqual(Scene.fieldsOf(refused), ["chainId"], unknown)
      }
    }).pipe(Effect.provide(Scene.layer())),
  )

  it.effect("lists stopped tokens and resumes them", () =>
    Effect.gen(function* () {
      yield* Scene.make
      const { text: key } = yield* Calls.operatorKey(["admin", "read"])
      const operator = yield* Calls.inProcess
      yield* Money.stopped()
      const reason = "it keeps a part of each transfer"
      const tokens = [
        { mode: "test", asset, symbol: "USDC", networkName: "Base", reason, stoppedAt: since },
      ]
      const list = { path: "/operator/v1/tokens/stopped", key }
      assert.deepStrictEqual((yield* Calls.send(list)).body, { tokens })
      const path = "/operator/v1/tokens/resume"
      const unreadable = yield* Calls.send({ path, key, body: { asset: "USDC" } })
      assert.deepStrictEqual(Scene.fieldsOf(unreadable), ["asset"])
      const resumed = yield* Calls.send({ path, key, body: { asset } })
      assert.deepStrictEqual(resumed.body, { tokens })
      const [entry] = yield* Calls.entries
      assert.deepInclude(entry, { action: "asset.resumed", mode: "test" })
      assert.deepStrictEqual(yield* operator(({ chains }) => chains.stoppedTokens()), {
        tokens: [],
      })
    }).pipe(Effect.provide(Scene.layer())),
  )

  it.effect("lists the gas budgets of accounts on chains that have a limit", () =>
    Effect.gen(function* () {
      yield* Scene.make
      const { text: key } = yield* Calls.operatorKey(["read"])
      const operator = yield* Calls.inProcess
      assert.deepStrictEqual(yield* operator(({ chains }) => chains.gasBudgets()), { budgets: [] })
      const { of } = yield* Chains
      const limited = Chains.of({ of: (mode) => ({ ...of(mode), spendPerHour: () => 1000n }) })
      const path = "/operator/v1/chains/gas-budgets?mode=test"
      const sent = yield* Effect.provideService(Calls.send({ path, key }), Chains, limited)
      const [first, ...others] = Scene.list(sent.body, "budgets")
      const account = Scene.text(first, "account")
      const spent = { limit: "1000", spent: "0", spentForCode: "0", isSpent: false }
      assert.deepStrictEqual(first, { mode: "test", account, ...spent })
      assert.isAbove(others.length, 0)
    }).pipe(Effect.provide(Scene.layer())),
  )
})
