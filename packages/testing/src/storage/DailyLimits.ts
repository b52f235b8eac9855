/**
 * What a partner may have paid out and refunded in a day, and that no race exceeds it.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as DailyLimit from "@florin/core/domain/outflow/DailyLimit"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import { assetOf, dollars } from "./Dollars.ts"
import { atOnce, begin, failsWith, type It, range, type Scene, timeout } from "./Scene.ts"

const { now } = Fixtures
const rounds = Counts.of({ usual: 3, full: 50 })

const drawOf = (
  { world }: Scene,
  { kind, ...whose }: Pick<DailyLimit.Counted, "mode" | "partnerId" | "kind">,
  limit: bigint,
  at: number,
) =>
  DailyLimit.drawOf(
    { ...whose, kind },
    { [kind === "payouts" ? "payoutsPerDay" : "refundsPerDay"]: dollars(limit) },
    { find: (token) => (Caip.sameToken(token, world.token) ? assetOf(token) : undefined) },
    at,
  )

/** An outflow that waits to be sent. */
const waiting = (
  { world }: Scene,
  { kind, mode, partnerId }: DailyLimit.Counted,
  of: bigint,
): Outflow.Outflow =>
  Outflow.make(
    {
      id: world.outflowId(),
      partnerId,
      mode,
      movement: {
        token: world.token,
        from: world.payTo,
        to: world.destinationAccount.address,
        quantity: Fixtures.quantity(of),
      },
      purpose:
        kind === "payouts"
          ? { _tag: "Settle", shares: [] }
          : { _tag: "Refund", paymentId: PaymentId.PaymentId.make("pay_nobody") },
    },
    now,
  )

const write = ({ put }: Scene, outflow: Outflow.Outflow, limit: DailyLimit.Draw | null = null) =>
  put({
    payments: [],
    outflows: [{ outflow, ledger: [], claims: [], due: {}, ...(limit !== null && { limit }) }],
  })

/** Writes an outflow, and sends it within a limit; returns it as it was sent. */
const send = Effect.fnUntraced(function* (
  scene: Scene,
  counted: DailyLimit.Counted,
  of: bigint,
  limit: bigint,
  at = now,
) {
  const made = waiting(scene, counted, of)
  yield* write(scene, made)
  const sent = Outflow.send(made, scene.world.sent(), at) ?? assert.fail("it is not sent")
  yield* write(scene, sent, drawOf(scene, counted, limit, at))
  return sent
})

const quantities = (sent: ReadonlyArray<DailyLimit.Sent>) =>
  sent.map(({ quantity }) => quantity).toSorted((a, b) => (a < b ? -1 : 1))

export const dailyLimits = (it: It): void => {
  it.effect("S3: limits what is sent within any 24 hours, for each kind", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { outflows, world } = scene
      const payouts = { ...world.tenant, kind: "payouts" } as const
      yield* send(scene, payouts, 60n, 100n)
      const refused = yield* failsWith("Overdrawn", send(scene, payouts, 41n, 100n))
      assert.isTrue(refused._tag === "Overdrawn" && refused.isOfLimit)
      yield* send(scene, payouts, 40n, 100n, now + 1000)
      // Refunds, the other partner and the other mode do not count.
      for (const other of [
        { ...payouts, kind: "refunds" },
        { ...payouts, partnerId: world.other.partnerId },
        { ...payouts, mode: "live" },
      ] as const) {
        yield* send(scene, other, 100n, 100n)
      }
      const day = DailyLimit.dayInMs
      const since = (at: number) => Effect.map(outflows.sentSince(payouts, at), quantities)
      assert.deepStrictEqual(yield* since(now - 1), [40n, 60n])
      assert.deepStrictEqual(yield* since(now), [40n])
      // What was sent a day ago no longer counts.
      yield* failsWith("Overdrawn", send(scene, payouts, 60n, 100n, now + day - 1))
      yield* send(scene, payouts, 60n, 100n, now + day)
      yield* failsWith("Overdrawn", send(scene, payouts, 1n, 100n, now + day + 999))
    }),
  )

  it.effect("S3: counts what was sent until it is reversed, and again when it is sent again", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { outflows, world } = scene
      const refunds = { ...world.tenant, kind: "refunds" } as const
      const sent = yield* send(scene, refunds, 70n, 100n)
      const counted = Effect.map(outflows.sentSince(refunds, 0), quantities)
      assert.deepStrictEqual(yield* counted, [70n])
      const why = { code: "reverted", reason: "it reverted" } as const
      const reverted = Outflow.wait(sent, why, now + 1) ?? assert.fail("it waits for nothing")
      yield* write(scene, reverted)
      assert.deepStrictEqual(yield* counted, [])
      yield* send(scene, refunds, 60n, 100n)
      const again = Outflow.send(reverted, world.sent(), now + 2) ?? assert.fail("it is not sent")
      yield* failsWith("Overdrawn", write(scene, again, drawOf(scene, refunds, 100n, now + 2)))
      yield* write(scene, again, drawOf(scene, refunds, 130n, now + 2))
      assert.deepStrictEqual(yield* counted, [60n, 70n])
      const paid = Outflow.pay(again, world.evidenceOf(again.movement), now + 3)
      yield* write(scene, paid ?? assert.fail("it is not paid"))
      assert.deepStrictEqual(yield* counted, [60n, 70n])
    }),
  )

  it.effect(
    "S3: sends no more than the daily limit, even with many concurrent transfers",
    () =>
      Effect.gen(function* () {
        for (const _ of range(rounds)) {
          const scene = yield* begin
          const { outflows, world } = scene
          const refunds = { ...world.tenant, kind: "refunds" } as const
          const outcomes = yield* atOnce(range(30), () =>
            Effect.result(send(scene, refunds, 10n, 75n)),
          )
          assert.strictEqual(outcomes.filter(Result.isSuccess).length, 7, "sent")
          for (const each of outcomes) {
            if (Result.isFailure(each)) assert.strictEqual(each.failure._tag, "Overdrawn")
          }
          assert.lengthOf(yield* outflows.sentSince(refunds, now - 1), 7)
        }
      }),
    timeout,
  )
}
