/**
 * Balances of merchants: what `MerchantBalance.sumsOf` adds up of everything that was written, page by page, and what
 * the ledger owes.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as Outgoing from "@florin/core/domain/books/Outgoing"
import * as Payouts from "@florin/core/domain/books/Payouts"
import * as Refunding from "@florin/core/domain/books/Refunding"
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as OutflowId from "@florin/core/domain/ground/OutflowId"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as MerchantBalance from "@florin/core/domain/list/MerchantBalance"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as OutflowState from "@florin/core/domain/outflow/OutflowState"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import * as Change from "@florin/core/domain/payment/Change"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
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

/** Stages at which something took a part of the share, with the steps that follow "settlementPending". */
const partStages = [
  "partRefundAsked",
  "partRefundSent",
  "partGathered",
  "partSettling",
  "partSettled",
  "partHeld",
] as const

/** A refund after the payout, which is sent on credit, or for which a share of another payment is kept. */
const refundStages = ["indebted", "kept"] as const

const allStages = [...stages, ...partStages, ...refundStages] as const

const between = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Life = Schema.Struct({
  stage: Schema.Literals(allStages),
  day: between(0, 9),
  quantity: between(10, 1_000_000),
  merchant: between(0, 2),
  token: between(0, 2),
})

const History = Schema.Struct({
  lives: Schema.Array(Life).check(Schema.isMinLength(1), Schema.isMaxLength(8)),
  day: between(0, 20),
  delayInDays: between(0, 5),
  reserveInDays: between(0, 20),
})

type History = typeof History.Type

const half = (quantity: bigint) => Fixtures.quantity((quantity + 1n) / 2n)

const reserveOf = (days: number) => Result.getOrThrow(PartnerLimits.parseReserve(`12.5% ${days}d`))

type Step = (reached: Fixtures.Reached) => Change.Write | null

const carried =
  (step: (current: Outgoing.Current) => Change.Write | null): Step =>
  ({ outflow, payment }) =>
    outflow === null ? null : step({ outflow, payments: [payment] })

/** Every write of a payment up to a stage. */
const pathTo = (
  world: Fixtures.Fixtures,
  stage: History["lives"][number]["stage"],
  overrides: Fixtures.PaymentOverrides,
  chosen: Fixtures.OptionOverrides,
): ReadonlyArray<Change.Write> => {
  if (stage === "indebted" || stage === "kept") {
    const refunded = world.path("refundAfterSettlement", overrides, chosen)
    const { outflow, payment } = Fixtures.statesAfter(refunded)
    if (stage === "indebted") {
      const current = { outflow: outflow ?? assert.fail(stage), payments: [payment] }
      return [...refunded, Outgoing.send(current, world.sent(), now) ?? assert.fail(stage)]
    }
    const other = world.path("settlementPending", overrides, chosen)
    const shares = [Fixtures.paymentAfter(other)]
    const kept = Balance.keep(payment, shares, now)
    return [...refunded, ...other, kept ?? assert.fail(stage)]
  }
  const whole = stages.find((each) => each === stage) ?? "settlementPending"
  const writes = [...world.path(whole, overrides, chosen)]
  for (const step of new Map<string, ReadonlyArray<Step>>(partSteps(world)).get(stage) ?? []) {
    writes.push(step(Fixtures.statesAfter(writes)) ?? assert.fail(stage))
  }
  return writes
}

/** The steps of each stage at which something took a part. */
const partSteps = (
  world: Fixtures.Fixtures,
): ReadonlyArray<readonly [(typeof partStages)[number], ReadonlyArray<Step>]> => {
  const refund: Step = ({ payment }) => {
    const { quantity, value } = Refunding.left(payment)
    const ids = { refund: Refund.RefundId.make(`rfnd_${world.next()}`), outflow: world.outflowId() }
    const asked = Result.succeed({ quantity: half(quantity), value: half(value) })
    return Result.getOrThrow(Outgoing.refund(payment, ids, null, now, null, () => asked))
  }
  /** A payout that sets off a debt, and leaves a reserve. */
  const gather: Step = ({ payment }) => {
    const group = Balance.groupOf(payment) ?? assert.fail()
    const { merchantId, state } = payment
    if (state._tag !== "Succeeded") return assert.fail()
    const debt = half(half(state.entry.quantity))
    const { token } = state.attempt.option
    const lent = Ledger.transaction("fund", [
      { account: { _tag: "Debt", merchantId }, token, delta: debt },
      { account: { _tag: "Operator" }, token, delta: -debt },
    ])
    const write = Payouts.gather(
      [payment],
      group,
      { debts: new Map([[merchantId, debt]]), lasts: [] },
      world.outflowId(),
      now,
      { limits: { reserve: reserveOf(30) }, most: null },
    )
    const [change] = write?.payments ?? []
    if (write === null || change === undefined) return null
    return {
      ...write,
      payments: [{ ...change, ledger: [Result.getOrThrow(lent), ...change.ledger] }],
    }
  }
  const send = carried((current) => Outgoing.send(current, world.sent(), now))
  const pay = carried((current) =>
    Outgoing.pay(current, world.evidenceOf(current.outflow.movement), now),
  )
  const hold = carried((current) =>
    Outgoing.hold(current, { reason: "blocklisted", code: "lost" }, now),
  )
  return [
    ["partRefundAsked", [refund]],
    ["partRefundSent", [refund, send]],
    ["partGathered", [gather]],
    ["partSettling", [gather, send]],
    ["partSettled", [gather, send, pay]],
    ["partHeld", [gather, send, hold]],
  ]
}
const check = ({ day: atDay, delayInDays, lives, reserveInDays }: History) =>
  Effect.gen(function* () {
    const { accounts, ledger, post, walk, world } = yield* begin
    const merchants = [1, 0, 0].map((createdAt) => world.merchant({ createdAt: now + createdAt }))
    for (const each of merchants) {
      yield* accounts.addMerchant(each)
    }
    const tokens = [
      world.token,
      Fixtures.token(`balances/${world.next()}`),
      { ...world.token, chainId: Caip.ChainId.make("eip155:10") },
    ]
    const booked: Array<Ledger.Transaction> = []
    for (const token of tokens) {
      const funds = { collecting: world.payTo, token, quantity: Fixtures.quantity(10n ** 12n) }
      yield* post(Ledger.funding(funds))
    }
    const payments = new Map<PaymentId.PaymentId, Payment.Payment>()
    const outflows = new Map<OutflowId.OutflowId, Outflow.Outflow>()
    for (const { day, merchant, quantity, stage, token } of lives) {
      const path = pathTo(
        world,
        stage,
        { merchantId: merchants[merchant]?.id ?? assert.fail(), now: now + day * dayInMs },
        {
          token: tokens[token] ?? world.token,
          quantity: Fixtures.quantity(BigInt(quantity)),
        },
      )
      yield* walk(path)
      for (const write of path) {
        for (const { payment } of write.payments) payments.set(payment.id, payment)
        for (const { outflow } of write.outflows) outflows.set(outflow.id, outflow)
        booked.push(...Change.bookedBy(write).map(({ transaction }) => transaction))
      }
    }

    const limits: PartnerLimits.PartnerLimits = {
      ...(delayInDays > 0 && { payoutDelayInMs: delayInDays * dayInMs }),
      ...(reserveInDays > 0 && { reserve: reserveOf(reserveInDays) }),
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
    const expected = MerchantBalance.sumsOf(payments.values(), balances, isBooked, terms).toSorted(
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
          .reduce((sum, each) => (each.merchantId === merchantId ? sum + each.quantity : sum), 0n)
        const { debt = 0n, inPayout = 0n, left = 0n, reserved = 0n } = sums ?? {}
        assert.strictEqual(left + inPayout + reserved - debt, owed + sent)
      }
    }
  })

/** Each stage, at the times at which a delay or a reserve of two days ends, and shortly before. */
const everyStage = allStages.map((stage, index) => ({
  stage,
  day: 0,
  quantity: 1003 + 10 * index,
  merchant: index % 3,
  token: Math.floor(index / 3) % 3,
}))

export const balanceRules = (it: It): void => {
  it.effect(
    "of merchants add up to the ledger at every stage, if there is nothing else",
    () =>
      Effect.forEach(
        everyStage.map((life) => ({ day: 0, delayInDays: 0, reserveInDays: 0, lives: [life] })),
        check,
        { discard: true },
      ),
    timeout,
  )

  it.effect(
    "of merchants add up to the ledger at every stage, before and when a delay or a reserve ends",
    () =>
      Effect.forEach(
        [
          { day: 0, delayInDays: 0, reserveInDays: 0 },
          { day: 1, delayInDays: 0, reserveInDays: 2 },
          { day: 2, delayInDays: 0, reserveInDays: 2 },
          { day: 1, delayInDays: 2, reserveInDays: 0 },
          { day: 2, delayInDays: 2, reserveInDays: 0 },
        ],
        (terms) => check({ ...terms, lives: everyStage }),
        { discard: true },
      ),
    timeout,
  )

  it.effect.prop(
    "of merchants add up to the ledger, for every merchant and token of random histories",
    [History],
    ([history]) => check(history),
    {
      ...(typeof timeout === "number" && { timeout }),
      arbitrary: { runs: Counts.of({ usual: 10, full: 500 }) },
    },
  )
}
