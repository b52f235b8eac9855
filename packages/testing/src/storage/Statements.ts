/**
 * Statements of merchants: the result of `Statement.of` for everything that was written, in any period.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as Statement from "@florin/core/domain/list/Statement"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Change from "@florin/core/domain/payment/Change"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import * as Stores from "../Stores.ts"
import { begin, type It, range, timeout } from "./Scene.ts"

const { now } = Fixtures
const dayInMs = 86_400_000

/** Stages at which the merchant received, is owed or owes something. */
const stages = [
  "owed",
  "gathered",
  "settling",
  "settled",
  "netted",
  "settlementHeld",
  "refunding",
  "refunded",
  "refundAfterSettlement",
] as const

const Life = Schema.Struct({
  stage: Schema.Literals(stages),
  day: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })),
  quantity: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })),
  isOther: Schema.Boolean,
  isOtherToken: Schema.Boolean,
})

const Lives = Schema.Array(Life).check(Schema.isMinLength(1), Schema.isMaxLength(6))

export const statementRules = (it: It): void => {
  it.effect.prop(
    "add up to the ledger, over every period of random histories",
    [Lives],
    ([lives]) =>
      Effect.gen(function* () {
        const { ledger, post, walk, world } = yield* begin
        const newMerchant = () => MerchantId.MerchantId.make(`mrch_${world.next()}`)
        const merchants = [newMerchant(), newMerchant()] as const
        const tokens = [world.token, Fixtures.token(`statements/${world.next()}`)]
        for (const token of tokens) {
          const funds = { collecting: world.payTo, token, quantity: Fixtures.quantity(10n ** 12n) }
          yield* post(Ledger.funding(funds))
        }
        const booked: Array<Statement.Booked> = []
        for (const { day, isOther, isOtherToken, quantity, stage } of lives) {
          const path = world.path(
            stage,
            { merchantId: isOther ? merchants[1] : merchants[0], now: now + day * dayInMs },
            {
              token: tokens[isOtherToken ? 1 : 0] ?? world.token,
              quantity: Fixtures.quantity(BigInt(quantity)),
            },
          )
          yield* walk(path)
          booked.push(...path.flatMap(Change.bookedBy))
        }
        for (const merchantId of merchants) {
          for (const from of range(11)) {
            const period = { from: now + from * dayInMs, before: now + (from + 3) * dayInMs }
            assert.deepStrictEqual(
              yield* ledger.statement("test", merchantId, period),
              Statement.of(booked, merchantId, period),
            )
          }
          const all = { from: 0, before: now + 99 * dayInMs }
          for (const reported of yield* ledger.statement("test", merchantId, all)) {
            const { closing, opening, token } = reported
            assert.deepStrictEqual(opening, { owed: 0n, kept: 0n, debt: 0n })
            const balance = (tag: "Kept" | "Owed") =>
              Stores.balanceOf(
                ledger,
                "test",
                { _tag: tag, merchantId, address: world.payTo },
                token,
              )
            assert.deepStrictEqual(closing, {
              owed: -(yield* balance("Owed")),
              kept: -(yield* balance("Kept")),
              debt: yield* Stores.balanceOf(ledger, "test", { _tag: "Debt", merchantId }, token),
            })
          }
          assert.deepStrictEqual(yield* ledger.statement("live", merchantId, all), [])
        }
      }),
    {
      ...(typeof timeout === "number" && { timeout }),
      arbitrary: { runs: Counts.of({ usual: 8, full: 500 }) },
    },
  )
}
