/** What a test outcome changes of the world, and that nothing of it reaches live payments. */
import { assert, describe, it } from "@effect/vitest"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as TestOutcome from "@florin/core/domain/payment/TestOutcome"
import * as TestWorld from "@florin/core/engine/payment/TestWorld"
import { Chains } from "@florin/core/ports/Chain"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { Screening } from "@florin/core/ports/Screening"
import * as World from "@florin/core/ports/World"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Service from "@florin/testing/Service"
import { Effect } from "effect"

const fixtures = Fixtures.make("testWorld")

/** A payment that asks for an outcome, with the outflow at its stage. */
const at = (stage: "gathered" | "refundPending", mode: Mode.Mode, testOutcome: string) => {
  const { outflow, payment } = Fixtures.statesAfter(fixtures.path(stage))
  return {
    payment: { ...payment, mode, metadata: { testOutcome } },
    outflow: { ...(outflow ?? assert.fail("no money goes out")), mode },
  }
}

/** The names of what differs from what the ports say. */
const differences = Effect.fnUntraced(function* (mode: Mode.Mode, testOutcome: string) {
  const { payment } = at("gathered", mode, testOutcome)
  const { holdings, look } = (yield* Chains).of(mode)
  const { refused } = yield* Screening
  const said = { holdings, look, refusedPayers: refused, refusedPayer: refused }
  const { now, ...met } = yield* World.meet(payment)
  const world = yield* World.of(mode)
  const found = Object.entries(met).flatMap(([name, port]) =>
    Object.entries(said).some(([other, own]) => other === name && own === port) ? [] : [name],
  )
  const store = yield* PaymentStore
  for (const stage of ["gathered", "refundPending"] as const) {
    const out = at(stage, mode, testOutcome)
    const admitted = yield* world.admit(out.outflow).pipe(
      Effect.provideService(PaymentStore, {
        ...store,
        payment: () =>
          mode === "test" ? Effect.succeed(out.payment) : Effect.die("a live payment was read"),
      }),
      Effect.result,
    )
    if (admitted._tag === "Failure") {
      assert.include(admitted.failure, { _tag: "TransferRefused", reason: "payee" })
      found.push(`admit ${out.outflow.purpose._tag}`)
    }
  }
  return [
    ...found,
    ...(now === Infinity ? ["now"] : []),
    ...(world.mayShare(payment) ? [] : ["mayShare"]),
  ]
})

const expected: { readonly [N in TestOutcome.Name]: ReadonlyArray<string> } = {
  declined: ["refusedPayer"],
  sanctioned: ["refusedPayers"],
  insufficient_funds: ["holdings"],
  option_expired: ["now"],
  failed: ["look"],
  // It shortens the payment's life when it is created.
  expired: [],
  slow: ["look"],
  // Only a local chain replaces a block.
  reorganised: [],
  payout_held: ["admit Settle", "mayShare"],
  refund_held: ["admit Refund"],
}

describe("TestWorld", () => {
  it.effect("changes only the results that the outcome of a test payment is about", () =>
    Effect.gen(function* () {
      for (const name of TestOutcome.names) {
        assert.deepStrictEqual(yield* differences("test", name), expected[name], name)
      }
      assert.deepStrictEqual(yield* differences("test", "none"), [])
    }).pipe(Effect.provide(Service.layer())),
  )

  it.effect("does not exist in live mode, and reads no payment there", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* World.of("live"),
        yield* Effect.provide(World.of("live"), TestWorld.layer),
      )
      for (const name of TestOutcome.names) {
        assert.deepStrictEqual(yield* differences("live", name), [], name)
      }
    }).pipe(Effect.provide(Service.layer())),
  )

  it.effect("exists in test mode only if the service adds it", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* World.of("test"), yield* World.of("live"))
      assert.notStrictEqual(
        yield* Effect.provide(World.of("test"), TestWorld.layer),
        yield* World.of("live"),
      )
    }),
  )
})
