import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Settlements from "@florin/core/engine/books/Settlements"
import * as Gateway from "@florin/core/engine/payment/Gateway"
import * as Collector from "@florin/core/workers/Collector"
import * as Counts from "@florin/testing/Counts"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import { Effect } from "effect"
import * as Scene from "./scene.ts"

const { dying, flows, movementOf, play, tokens } = Scene

const [only = assert.fail()] = collectingWallets
const oneLane = { collectingAccounts: () => [only.address] }

type Process = ReturnType<typeof dying>

/** Work by a process that may die; when it has, another one takes over once its leases lapse. */
const worked = (process: Process) =>
  Effect.suspend(() => (process.isDead() ? Scene.work : Effect.asVoid(process.run(Scene.work))))

/** A call that is repeated when the process that took it died: `again` says what a client makes of the second answer. */
const called = Effect.fnUntraced(function* <A, E>(
  process: Process,
  call: Effect.Effect<A, E, Scene.Ports>,
  again: Effect.Effect<unknown, unknown, Scene.Ports> = call,
) {
  const wasDead = process.isDead()
  if (wasDead) yield* call
  else if (!(yield* process.run(call))) yield* again
})

/**
 * Each life is lived with a process that dies at its n-th call, before and after the call: for some n in a usual run, for
 * every n in the full one.
 */
interface Life {
  readonly name: string
  readonly live: (world: Scene.World, process: Process) => Effect.Effect<void, unknown, Scene.Ports>
}

const finish = (world: Scene.World, process: Process) =>
  world.live(worked(process), Effect.succeed(false))

const paidOnce = Effect.fnUntraced(function* (
  world: Scene.World,
  { id, option }: Effect.Success<ReturnType<Scene.World["sign"]>>,
) {
  const { charge } = yield* world.succeeded(id)
  const { collect, settle } = Scene.movementsOf(option, charge.net)
  assert.strictEqual(yield* world.transfers(collect), 1)
  assert.strictEqual(yield* world.transfers(settle), 1)
  return charge
})

const backOf = (option: Parameters<typeof movementOf>[0]) => {
  const { from, quantity, to, token } = movementOf(option)
  return { token, from: to, to: from, quantity }
}

const lives: ReadonlyArray<Life> = [
  ...flows.map((flow): Life => ({
    name: `${flow}, paid and settled`,
    live: Effect.fnUntraced(function* (world, process) {
      const signed = yield* world.sign(tokens[flow])
      yield* world.settleAll
      yield* called(process, world.confirm(signed.chosen, signed.outputs))
      yield* finish(world, process)
      yield* paidOnce(world, signed)
      assert.deepStrictEqual(yield* world.typesOf(signed.id), [
        "payment.created",
        "payment.processing",
        "payment.succeeded",
        "payment.settled",
      ])
    }),
  })),
  {
    name: "refunded before it was settled",
    live: Effect.fnUntraced(function* (world, process) {
      const signed = yield* world.pay(tokens.eip3009)
      const isSucceeded = Effect.map(
        Effect.orDie(world.get(signed.id)),
        ({ state }: Payment.Payment) => state._tag === "Succeeded",
      )
      yield* world.live(Collector.drain, isSucceeded)
      yield* called(process, world.refund(signed.id), Effect.ignore(world.refund(signed.id)))
      yield* finish(world, process)
      const { charge, share } = yield* world.succeeded(signed.id)
      assert.strictEqual(share.status, "cancelled")
      assert.strictEqual(yield* world.transfers(backOf(signed.option)), 1)
      const { settle } = Scene.movementsOf(signed.option, charge.net)
      assert.strictEqual(yield* world.transfers(settle), 0)
    }),
  },
  {
    name: "refunded after it was settled, and netted from the next",
    live: Effect.fnUntraced(function* (world, process) {
      const signed = yield* world.pay(tokens.eip3009)
      yield* finish(world, process)
      const charge = yield* paidOnce(world, signed)
      yield* world.fund(tokens.eip3009, signed.option.payTo, signed.option.quantity)
      yield* called(process, world.refund(signed.id), Effect.ignore(world.refund(signed.id)))
      yield* finish(world, process)
      assert.strictEqual(yield* world.transfers(backOf(signed.option)), 1)
      const next = yield* world.pay(tokens.eip3009)
      yield* finish(world, process)
      const { share } = yield* world.succeeded(next.id)
      assert.deepInclude(share, { status: "paid", netted: charge.net })
    }),
  },
  {
    name: "owed, and paid once a destination is registered",
    live: Effect.fnUntraced(function* (world, process) {
      const { accounts, fixtures, tenant } = world
      const merchant = fixtures.merchant()
      yield* accounts.addMerchant(merchant)
      const signed = yield* world.pay(tokens.eip3009, Scene.payer, {}, merchant.id)
      yield* world.finish
      const { chainId } = tokens.eip3009
      const register = Settlements.create({
        tenant,
        merchantId: merchant.id,
        settlements: [
          {
            asset: Eip155.formatToken(tokens.eip3009),
            destination: Eip155.formatAccount(Scene.treasury.account(chainId)),
          },
        ],
        idempotencyKey: "once",
      })
      yield* called(process, register)
      yield* finish(world, process)
      yield* paidOnce(world, signed)
    }),
  },
  {
    name: "late, suspended and returned",
    live: Effect.fnUntraced(function* (world, process) {
      const signed = yield* world.sign(tokens.transfer)
      yield* Gateway.cancel(world.caller, signed.id)
      yield* called(process, Effect.ignore(world.confirm(signed.chosen, signed.outputs)))
      yield* finish(world, process)
      const giveBack = world.giveBack(signed.id)
      yield* called(process, giveBack, Effect.ignore(giveBack))
      yield* finish(world, process)
      assert.deepStrictEqual(yield* world.lateOf(signed.id), ["ReturnPaid"])
      assert.strictEqual(yield* world.transfers(backOf(signed.option)), 1)
    }),
  },
]

describe("a process that dies at any call", () => {
  for (const { live, name } of lives) {
    for (const when of ["before", "after"] as const) {
      it.effect(
        `M13: loses and doubles no money if it dies right ${when} that call, of a payment: ${name}`,
        () =>
          Effect.gen(function* () {
            const dies = Effect.fnUntraced(function* (at: number) {
              const process = dying(at, when)
              yield* play(
                (world) =>
                  Effect.gen(function* () {
                    yield* live(world, process)
                    yield* world.audit
                  }).pipe(
                    Effect.catch((error) =>
                      Effect.sync(() => assert.fail(`dying at call ${at}: ${String(error)}`)),
                    ),
                  ),
                oneLane,
              )()
              return process
            })
            const calls = (yield* dies(Infinity)).calls()
            assert.isAbove(calls, 15, "the life has that many calls")
            for (const at of Counts.some([...Array(calls).keys()], 12)) {
              assert.isTrue((yield* dies(at)).isDead(), `it dies at call ${at}`)
            }
          }),
        Scene.timeout,
      )
    }
  }
})
