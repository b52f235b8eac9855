import { assert, describe, it } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as ClockDrift from "@florin/core/domain/ground/ClockDrift"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import { Chain, Chains, type LeftOut } from "@florin/core/ports/Chain"
import { DueWork } from "@florin/core/ports/DueWork"
import * as Florin from "@florin/server/Florin"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Service from "@florin/testing/Service"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

type Port = Chain["Service"]

const reason = "a reorganisation took a final block"

/** A service that has these chains. */
const served = (chains: (chain: Port) => Chains["Service"]["of"]) =>
  Florin.layer({ publicUrl: "https://pay.example.com" }).pipe(
    Layer.provideMerge(
      Layer.effect(
        Chains,
        Effect.map(Chain, (chain) => Chains.of({ of: chains(chain) })),
      ),
    ),
    Layer.provideMerge(Service.layer()),
  )

/** Asks a service that has these chains, of which some are stopped in a mode. */
const readyz = (
  chains: (chain: Port) => Chains["Service"]["of"],
  stopped: ReadonlyArray<readonly [Mode.Mode, Caip.ChainId]> = [],
) =>
  Effect.forEach(stopped, ([mode, chainId]) => Lanes.stop(mode, chainId, reason)).pipe(
    Effect.andThen(Scene.send({ path: "/readyz" })),
    Effect.provide(served(chains)),
  )

/** Chains that show this, one for each mode. */
const showing =
  (live: Partial<Port>, test: Partial<Port> = live) =>
  (chain: Port) => {
    const modes = { live: { ...chain, ...live }, test: { ...chain, ...test } }
    return (mode: Mode.Mode) => modes[mode]
  }

const nothing = Effect.succeed([])

const [first] = BuiltIn.catalog.assets
const isPaused: LeftOut = {
  token: first?.token ?? assert.fail("the asset table is empty"),
  message: "it is paused",
}
const told = { asset: Eip155.formatToken(isPaused.token), message: "it is paused" }

describe("readiness", () => {
  it.effect("lists the assets that are left out, and is ready while another is offered", () =>
    Effect.gen(function* () {
      const answer = yield* readyz(
        showing({ faults: Effect.succeed([isPaused]) }, { faults: nothing }),
      )
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.body, {
        status: "ok",
        checks: { storage: "ok", assets: "reduced", process: "ok" },
        leftOut: [told],
      })
    }),
  )

  it.effect("S19: lists what nodes lack, and is ready", () =>
    Effect.gen(function* () {
      const lack = { chainId: isPaused.token.chainId, message: "no node has eth_getLogs" }
      const answer = yield* readyz(showing({ lacks: Effect.succeed([lack]) }, { lacks: nothing }))
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.body, {
        status: "ok",
        checks: { storage: "ok", assets: "ok", process: "ok" },
        nodes: [{ chain: lack.chainId, message: lack.message }],
      })
    }),
  )

  it.effect("S6: lists stopped chains, and is ready while another chain offers something", () =>
    Effect.gen(function* () {
      const [base, celo] = [8453, 42_220].map(Eip155.chainId)
      if (base === undefined || celo === undefined) return assert.fail("no chains")
      const answer = yield* readyz(showing({}), [
        ["live", base],
        ["test", celo],
      ])
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.body, {
        status: "ok",
        checks: { storage: "ok", assets: "reduced", process: "ok" },
        halted: [
          { chain: "eip155:42220", mode: "test", reason },
          { chain: "eip155:8453", mode: "live", reason },
        ],
      })
    }),
  )

  it.effect("S24: lists stopped tokens, and is ready", () =>
    Effect.gen(function* () {
      const { token } = isPaused
      const answer = yield* Effect.andThen(
        Lanes.stopToken("live", token, "out_1: it moved something else"),
        Scene.send({ path: "/readyz" }),
      ).pipe(Effect.provide(served((chain) => () => chain)))
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.body, {
        status: "ok",
        checks: { storage: "ok", assets: "reduced", process: "ok" },
        stopped: [
          {
            asset: Eip155.formatToken(token),
            mode: "live",
            reason: "out_1: it moved something else",
          },
        ],
      })
    }),
  )

  it.effect("S6: is 503 while every chain that offers something is stopped", () =>
    Effect.gen(function* () {
      const offered = (chain: Port) =>
        Effect.map(chain.offered, (offers) =>
          offers.filter(({ asset: { token } }) => token.chainId === isPaused.token.chainId),
        )
      const one = (chain: Port) => () => ({ ...chain, offered: offered(chain) })
      const { chainId } = isPaused.token
      assert.strictEqual((yield* readyz(one, [["live", chainId]])).status, 200)
      const answer = yield* readyz(one, [
        ["live", chainId],
        ["test", chainId],
      ])
      assert.strictEqual(answer.status, 503)
      assert.strictEqual(Scene.text(answer.body, "checks", "assets"), "unavailable")
    }),
  )

  it.effect("S1: lists accounts without gas, and is ready while another chain collects", () =>
    Effect.gen(function* () {
      const { chainId } = isPaused.token
      const spent = (on: (each: Caip.ChainId) => boolean) =>
        showing({ spendPerHour: (each) => (on(each) ? 0n : null) })
      const answer = yield* readyz(spent((each) => each === chainId))
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(Scene.text(answer.body, "checks", "assets"), "reduced")
      assert.include(answer.text, `"outOfGas":[{"chain":"${chainId}"`)
      const none = yield* readyz(spent(() => true))
      assert.strictEqual(none.status, 503)
      assert.strictEqual(Scene.text(none.body, "checks", "assets"), "unavailable")
    }),
  )

  it.effect("is 503 while nothing is offered in any mode", () =>
    Effect.gen(function* () {
      const shown = { offered: nothing, faults: Effect.succeed([isPaused]) }
      const answer = yield* readyz(showing(shown))
      assert.strictEqual(answer.status, 503)
      assert.deepStrictEqual(answer.body, {
        status: "unavailable",
        checks: { storage: "ok", assets: "unavailable", process: "ok" },
        leftOut: [told, told],
      })
      assert.strictEqual((yield* readyz(showing(shown, {}))).status, 200)
    }),
  )

  it.effect("is 503 while the chains are checked for the first time", () =>
    Effect.gen(function* () {
      const asked = yield* Effect.forkChild(readyz(showing({ offered: Effect.never })))
      yield* Effect.promise(() => new Promise((resolve) => void setImmediate(resolve)))
      yield* TestClock.adjust("2 seconds")
      const answer = yield* Fiber.join(asked)
      assert.strictEqual(answer.status, 503)
      assert.strictEqual(Scene.text(answer.body, "checks", "assets"), "unavailable")
    }),
  )

  it.effect("counts a chain of both modes once", () =>
    Effect.gen(function* () {
      const answer = yield* readyz((chain) => {
        const shown = { ...chain, faults: Effect.succeed([isPaused]) }
        return () => shown
      })
      assert.deepStrictEqual(Scene.list(answer.body, "leftOut"), [told])
    }),
  )

  for (const { differsByInMs, status } of [
    { differsByInMs: 1000, status: 200 },
    { differsByInMs: -1000, status: 200 },
    { differsByInMs: 1001, status: 503 },
    { differsByInMs: -1001, status: 503 },
  ]) {
    it.effect(`S8: is ${status} if the storage's clock differs by ${differsByInMs} ms`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Fixtures.now)
        const answer = yield* Scene.send({ path: "/readyz" })
        assert.strictEqual(answer.status, status)
        // The storage's clock is behind where ours is ahead.
        const clock = { driftInMs: -differsByInMs, message: ClockDrift.messageOf(-differsByInMs) }
        assert.deepStrictEqual(Scene.at(answer.body, "clock"), status === 200 ? undefined : clock)
      }).pipe(
        Effect.provide(
          Florin.layer({ publicUrl: "https://pay.example.com" }).pipe(
            Layer.provideMerge(
              Layer.effect(
                DueWork,
                Effect.map(DueWork, (work) =>
                  DueWork.of({
                    ...work,
                    time: Effect.map(work.time, (time) => time + differsByInMs),
                  }),
                ),
              ),
            ),
            Layer.provideMerge(Service.layer()),
          ),
        ),
      ),
    )
  }
})
