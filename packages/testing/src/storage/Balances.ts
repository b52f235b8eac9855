/**
 * Balances of merchants: what `MerchantBalance.sumsOf` adds up of everything that was written, page by page, and what the
 * ledger owes.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as MerchantBalance from "@florin/core/domain/list/MerchantBalance"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as OutflowState from "@florin/core/domain/outflow/OutflowState"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import * as Change from "@florin/core/domain/payment/Change"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import { begin, type It, timeout } from "./Scene.ts"

const { now } = Fixtures
const dayInMs = 86_400_000

/** Stages at which the merchant received, is owed or owes something. */
const stages = [
  "confirmed",
  "owed",
  "settlementPending",
  "gathered",
  "settling",
  "settled",
  "netted",
  "settlementHeld",
  "refundPending",
  "refundWaiting",
  "refunding",
  "refunded",
  "refundHeld",
  "refundAfterSettlement",
] as const

const between = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Life = Schema.Struct({
  stage: Schema.Literals(stages),
  day: between(0, 9),
  quantity: between(1, 1_000_000),
  merchant: between(0, 2),
  token: between(0, 1),
})

const History = Schema.Struct({
  lives: Schema.Array(Life).check(Schema.isMinLength(1), Schema.isMaxLength(8)),
  day: between(0, 20),
  delayInDays: between(0, 5),
  reserveInDays: between(0, 20),
})

export const balanceRules = (it: It): void => {
  it.effect.prop(
    "of merchants add up to the ledger, for every merchant and token of random histories",
    [History],
    ([{ day: atDay, delayInDays, lives, reserveInDays }]) =>
      Effect.gen(function* () {
        const { accounts, ledger, post, walk, world } = yield* begin
        const merchants = [0, 1, 1].map((createdAt) =>
          world.merchant({ createdAt: now + createdAt }),
        )
        for (const each of merchants) {
          yield* accounts.createMerchant(each, world.once(), "{}", now)
        }
        const tokens = [world.token, Fixtures.token(`balances/${world.next()}`)]
        const booked: Array<Ledger.Transaction> = []
        for (const token of tokens) {
          const funds = { collecting: world.payTo, token, quantity: Fixtures.quantity(10n ** 12n) }
          yield* post(Ledger.funding(funds))
        }
        const payments: Array<Payment.Payment> = []
        const outflows = new Map<OutflowId.OutflowId, Outflow.Outflow>()
        for (const { day, merchant, quantity, stage, token } of lives) {
          const path = world.path(
            stage,
            { merchantId: merchants[merchant]?.id ?? assert.fail(), now: now + day * dayInMs },
            {
              token: tokens[token] ?? world.token,
              quantity: Fixtures.quantity(BigInt(quantity)),
            },
          )
          payments.push(yield* walk(path))
          for (const write of path) {
            for (const { outflow } of write.outflows) outflows.set(outflow.id, outflow)
            booked.push(...Change.bookedBy(write).map(({ transaction }) => transaction))
          }
        }

        const reserve = Result.getOrThrow(PartnerLimits.parseReserve(`12.5% ${reserveInDays + 1}d`))
        const limits: PartnerLimits.PartnerLimits = {
          ...(delayInDays > 0 && { payoutDelayInMs: delayInDays * dayInMs }),
          ...(reserveInDays > 0 && { reserve }),
        }
        const terms = { limits, now: now + atDay * dayInMs }
        const isBooked = (id: OutflowId.OutflowId) => {
          const outflow = outflows.get(id)
          return outflow !== undefined && OutflowState.isBooked[Outflow.status(outflow)]
        }
        const balances = Ledger.balances(booked)
        const positionOf = ({ merchantId, token }: MerchantBalance.Sums) => ({
          merchant: merchants.find(({ id }) => id === merchantId) ?? assert.fail(),
          tokenKey: Caip.tokenKey(token),
        })
        const expected = MerchantBalance.sumsOf(payments, balances, isBooked, terms).toSorted(
          (left, right) => MerchantBalance.compare(positionOf(left), positionOf(right)),
        )

        const read = (
          filter: MerchantBalance.Filter,
          after: MerchantBalance.Position | null,
          limit = 100,
        ) => ledger.merchantBalances(world.tenant, { filter, after, limit }, terms)
        assert.deepStrictEqual(yield* read({}, null), { items: expected, hasMore: false })
        for (const [index, each] of expected.entries()) {
          const before = expected[index - 1]
          const after = before === undefined ? null : positionOf(before)
          assert.deepStrictEqual(yield* read({}, after, 1), {
            items: [each],
            hasMore: index < expected.length - 1,
          })
          const { merchantId, token } = each
          assert.deepStrictEqual((yield* read({ merchantId, token }, null)).items, [each])
        }
        const others = { ...world.tenant, ...world.other }
        const query = { filter: {}, after: null, limit: 100 }
        assert.deepStrictEqual((yield* ledger.merchantBalances(others, query, terms)).items, [])

        // The ledger no longer owes what is sent, and is not final.
        for (const { id: merchantId } of merchants) {
          for (const token of tokens) {
            const sums = expected.find(
              (each) => each.merchantId === merchantId && Caip.sameToken(each.token, token),
            )
            const owed = [...balances.values()]
              .filter(({ account }) => "merchantId" in account && account.merchantId === merchantId)
              .filter((each) => Caip.sameToken(each.token, token))
              .reduce((sum, { balance }) => sum - balance, 0n)
            const sent = [...outflows.values()]
              .filter((each) => each.state._tag === "Sent")
              .filter(({ movement }) => Caip.sameToken(movement.token, token))
              .flatMap(Outflow.sharesOf)
              .reduce(
                (sum, each) => (each.merchantId === merchantId ? sum + each.quantity : sum),
                0n,
              )
            const { debt = 0n, inPayout = 0n, left = 0n, reserved = 0n } = sums ?? {}
            assert.strictEqual(left + inPayout + reserved - debt, owed + sent)
          }
        }
      }),
    {
      ...(typeof timeout === "number" && { timeout }),
      arbitrary: { runs: Counts.of({ usual: 30, full: 500 }) },
    },
  )
}
