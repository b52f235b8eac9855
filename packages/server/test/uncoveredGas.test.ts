/**
 * A partner that pays its own merchant and refunds itself before the payout: the service pays for the transactions and
 * earns nothing.
 */
import { stdout } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import type * as GasCost from "@florin/core/domain/money/GasCost"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as FailureBudget from "@florin/core/domain/payment/FailureBudget"
import * as Counts from "@florin/testing/Counts"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Clock, Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Gateway from "./operations/gateway.ts"
import * as Refunds from "./operations/refunds.ts"
import { assets, register } from "./operations/settlements.ts"
import * as Scene from "./scene.ts"

const base = Scene.chains.eip3009
const cycles = Counts.of({ usual: 150, full: 500 })
const hourInMs = 3_600_000

/** One unit for each transaction, and ten for one collect at most. */
const gasCost: GasCost.GasCost = {
  coin: "ETH",
  unitsPerCoin: 10n ** 18n,
  ordinary: 2n,
  byCode: 2n,
  allowance: 10n,
}
const perHour = BigInt(FailureBudget.defaults.refund) * gasCost.allowance

const options: Scene.Options = {
  chain: { gasCost },
  // So that a refund comes before the payout.
  settings: {
    payouts: {
      live: PayoutPolicy.immediate,
      test: Result.getOrThrow(PayoutPolicy.parse("60m")),
    },
  },
}

const optionsOf = (key: string, paymentId: string) =>
  Effect.map(
    Scene.send({
      path: `/v1/gateway/payment/${paymentId}/options`,
      key,
      body: { accounts: [Scene.accountOf(Scene.payer, base)] },
    }),
    ({ body }) => Scene.list(body, "options"),
  )

describe("A partner that pays and refunds itself", () => {
  it.effect(
    "S32: cannot have a payment refunded cent by cent for more gas than the operator's bound",
    Gateway.play(
      ({ own, walletKey }) =>
        Effect.gen(function* () {
          const parts = (paymentId: string, value: string) =>
            Scene.send(Refunds.refundingPart(own.key, paymentId, value))
          const ids: Array<string> = []
          for (let count = 0; count < 4; count += 1) {
            const id = yield* Scene.createPayment(own.key, own.merchantId)
            yield* Scene.confirm(walletKey, id)
            ids.push(id)
          }
          yield* Gateway.finish(base)
          let accepted = 0
          let refused: Scene.Reply | undefined
          for (const id of ids) {
            for (let count = 0; count < 90 && refused === undefined; count += 1) {
              const reply = yield* parts(id, "1")
              if (reply.status === 200) accepted += 1
              else refused = reply
            }
          }
          if (refused === undefined) return assert.fail("every part was accepted")
          Scene.isProblem(refused, 429, "rate_limited")
          assert.isAbove(accepted, 90)
          assert.isAtMost(accepted, Number(perHour) + 1)
          // All that is left, and a whole payment, are never refused.
          const [first = ""] = ids
          const { body } = yield* Scene.send({
            path: `/v1/payments/${first}`,
            key: own.key,
            headers: { "Merchant-Id": own.merchantId },
          })
          const rest = 1234 - Scene.list(body, "refunds").length
          assert.strictEqual((yield* parts(first, rest.toString())).status, 200)
          const whole = yield* Scene.send(Refunds.refunding(own.key, ids.at(-1) ?? ""))
          assert.strictEqual(whole.status, 200, whole.text)
          // Time refills it.
          yield* TestClock.adjust("2 hours")
          assert.strictEqual((yield* parts(ids[2] ?? "", "1")).status, 200)
        }),
      options,
    ),
    600_000,
  )

  it.effect(
    "S32: uses no more gas per hour than the operator's bound, without delaying others",
    Gateway.play(
      ({ other, own, walletKey }) =>
        Effect.gen(function* () {
          yield* register(own.key, own.merchantId, [assets.usdcOnBase])
          const chain = yield* SimulatedChain
          const confirm = (paymentId: string, body: Scene.Json) =>
            Scene.send({ path: `/v1/gateway/payment/${paymentId}/confirm`, key: walletKey, body })
          const startedAt = yield* Clock.currentTimeMillis
          // Signed while the budget was full, and confirmed once it is used up.
          const early = yield* Scene.createPayment(own.key, own.merchantId, {
            expiresAt: Math.floor(startedAt / 1000) + 24 * 3600,
          })
          let collected = 0
          let refused = 0
          for (let cycle = 0; cycle < cycles; cycle++) {
            const id = yield* Scene.createPayment(own.key, own.merchantId)
            const [option] = yield* optionsOf(walletKey, id)
            if (option === undefined) refused += 1
            else {
              const body = yield* Scene.confirmBody(walletKey, id, option)
              assert.strictEqual((yield* confirm(id, body)).status, 200)
              yield* Scene.work
              yield* chain.settle(base)
              yield* TestClock.adjust("1 second")
              yield* Scene.work
              const asked = yield* Scene.send({
                path: "/v1/refunds",
                key: own.key,
                headers: { "Idempotency-Key": Scene.fresh("refund") },
                body: { paymentId: id },
              })
              assert.strictEqual(asked.status, 200, asked.text)
              collected += 1
            }
            yield* TestClock.adjust("1 second")
            if (cycle % 25 === 0) {
              const theirs = yield* Scene.createPayment(other.key, other.merchantId)
              assert.lengthOf(yield* optionsOf(walletKey, theirs), 1)
            }
          }
          yield* Gateway.finish(base)
          const hours = ((yield* Clock.currentTimeMillis) - startedAt) / hourInMs
          const gas = BigInt(collected) * gasCost.ordinary
          stdout.write(
            `${cycles} cycles: ${collected} collected and refunded, ${refused} without an option; ${gas} units of gas in ${hours.toFixed(2)} hours, of ${perHour} an hour\n`,
          )
          assert.isAbove(refused, 0)
          assert.isAtMost(Number(gas), Number(perHour) * (1 + hours) + Number(gasCost.ordinary))
          assert.deepStrictEqual(yield* optionsOf(walletKey, early), [])
          // Time refills it.
          yield* TestClock.adjust("1 hour")
          assert.lengthOf(yield* optionsOf(walletKey, early), 1)
        }),
      options,
    ),
  )

  it.effect(
    "S32: is refused at confirm with an option from before its refunds, with the reason",
    Gateway.play(
      ({ own, walletKey }) =>
        Effect.gen(function* () {
          yield* register(own.key, own.merchantId, [assets.usdcOnBase])
          const chain = yield* SimulatedChain
          const first = yield* Scene.createPayment(own.key, own.merchantId)
          yield* Scene.confirm(walletKey, first)
          yield* Scene.work
          yield* chain.settle(base)
          yield* TestClock.adjust("1 second")
          yield* Scene.work
          const second = yield* Scene.createPayment(own.key, own.merchantId)
          const [option = assert.fail("it is not offered")] = yield* optionsOf(walletKey, second)
          const body = yield* Scene.confirmBody(walletKey, second, option)
          const asked = yield* Scene.send({
            path: "/v1/refunds",
            key: own.key,
            headers: { "Idempotency-Key": Scene.fresh("refund") },
            body: { paymentId: first },
          })
          assert.strictEqual(asked.status, 200, asked.text)
          const late = yield* Scene.send({
            path: `/v1/gateway/payment/${second}/confirm`,
            key: walletKey,
            body,
          })
          const problem = Scene.isProblem(late, 422, "params_validation")
          assert.include(Scene.text(problem, "message"), "refunds to this merchant's payers")
        }),
      {
        ...options,
        settings: {
          ...options.settings,
          failureBudgets: { ...FailureBudget.defaults, refund: 0 },
        },
      },
    ),
  )
})
