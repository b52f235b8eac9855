/**
 * Finding payments: lists and statistics as the domain defines them, refunds, stuck payments, and collected data.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Refunding from "@florin/core/domain/books/Refunding"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import * as PaymentQuery from "@florin/core/domain/list/PaymentQuery"
import * as PaymentSeries from "@florin/core/domain/list/PaymentSeries"
import * as PaymentSort from "@florin/core/domain/list/PaymentSort"
import * as PaymentStats from "@florin/core/domain/list/PaymentStats"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import type * as Change from "@florin/core/domain/payment/Change"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as PaymentState from "@florin/core/domain/payment/PaymentState"
import * as Refund from "@florin/core/domain/payment/Refund"
import { findOutflow } from "@florin/core/ports/OutflowStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import { unusedChain } from "./Chains.ts"
import {
  atOnce,
  begin,
  applyEffects,
  failsWith,
  farFuture,
  idsOf,
  type It,
  lookalikes,
  range,
  timeout,
} from "./Scene.ts"

const { now } = Fixtures

/** Its days begin at half past the hour in UTC. */
const calcutta = DateTime.zoneMakeNamedUnsafe("Asia/Calcutta")

const sorts: ReadonlyArray<PaymentSort.Sort> = [
  { by: "date", direction: "desc" },
  { by: "date", direction: "asc" },
  { by: "amount", direction: "desc" },
  { by: "amount", direction: "asc" },
]

/** What a filter is sorted by: in a usual run one after the other, as filters and sorts do not know of each other. */
const sortsOf = (index: number): ReadonlyArray<PaymentSort.Sort> =>
  Counts.full ? sorts : sorts.slice(index % sorts.length).slice(0, 1)

const assetOf = (symbol: string, chainId: number): Asset.Asset => {
  const found = BuiltIn.catalog.assets.find(
    (each) => each.symbol === symbol && each.token.chainId === Eip155.chainId(chainId),
  )
  if (found === undefined) throw new Error(`the asset table has no ${symbol} on ${chainId}`)
  return found
}

const tokens = [
  assetOf("USDC", 8453),
  assetOf("USDC", 1),
  assetOf("USDC", 56),
  assetOf("EURC", 1),
  assetOf("USDT", 137),
].map((each) => each.token)

const references = ["Order 1", "order-2", "ORDER/3", "Rechnung 100%", "a_b", "axb", "ünï-CODE", "İ"]
const fiat = ["USD", "EUR", "JPY"]
const values = ["1", "999", "1000", "1000000", "340282366920938463463374607431768211456"]

/** Payments of every stage, in several units and tokens, with ties in everything that a list sorts by. */
const writeAll = Effect.gen(function* () {
  const scene = yield* begin
  const { payments: paymentStore, world, walk } = scene
  const merchants = [world.merchant().id, world.merchant().id]
  const payments = yield* Effect.forEach(
    range(Fixtures.stages.length * 3),
    Effect.fnUntraced(function* (index) {
      const token = tokens[index % tokens.length]
      const unit =
        index % 4 === 0 && token !== undefined
          ? `caip19/${Eip155.formatToken(token)}`
          : `iso4217/${fiat[index % 3] ?? "USD"}`
      const overrides: Fixtures.PaymentOverrides = {
        partnerId: world.tenant.partnerId,
        mode: world.tenant.mode,
        merchantId: merchants[index % 2] ?? world.merchantId,
        amount: { unit, value: values[index % values.length] ?? "1" },
        referenceId: references[index % references.length] ?? "",
        now: now + Math.floor(index / 3) * 1000,
        expiresAt: Math.floor(now / 1000) + 60 + index,
      }
      const stage = Fixtures.stages[index % Fixtures.stages.length] ?? "created"
      const paidIn = tokens[(index * 3) % tokens.length] ?? world.token
      // Some accounts pay more than once, on more than one chain.
      const account = Fixtures.account(`${world.name}/${index % 11}`, paidIn.chainId)
      return yield* walk(world.path(stage, overrides, { token: paidIn, account }))
    }),
  )
  for (const tenant of [world.live, world.other, world.otherLive]) {
    yield* scene.create({ ...tenant, referenceId: "Order 1" })
  }
  for (const payment of payments) {
    assert.deepStrictEqual(yield* paymentStore.payment(payment.id), payment)
  }
  return { world, paymentStore, merchants, payments }
})

const written = new WeakMap<PaymentStore["Service"], Effect.Success<typeof writeAll>>()

/** Rules that only read share these payments: writing them takes longer than most rules. */
const populate = Effect.gen(function* () {
  const store = yield* PaymentStore
  const known = written.get(store)
  if (known !== undefined) return known
  const made = yield* writeAll
  written.set(store, made)
  return made
})

/** Values of each filter. */
const valuesFor = (
  merchants: ReadonlyArray<Payment.Payment["merchantId"]>,
  used: ReadonlyArray<Caip.Token>,
): { readonly [K in keyof PaymentFilter.Values]: ReadonlyArray<PaymentFilter.Values[K]> } => ({
  createdFrom: [now, now + 5000, now + 5001],
  createdBefore: [now + 5000, now + 5001],
  tokenSymbols: [[], ["USDC"], ["EURC", "USDT"]].map((symbols) =>
    PaymentFilter.symbolsOf(symbols, BuiltIn.catalog),
  ),
  tokens: [[], tokens.slice(0, 1), used.slice(0, 3)],
  chainIds: [[], [Eip155.chainId(1)], [Eip155.chainId(8453), Fixtures.chainId]],
  statuses: [
    [],
    ...PaymentState.statuses.map((status) => [status]),
    ["requires_action", "succeeded", "cancelled"],
  ],
  reference: ["order", "100%", "%", "a_b", "-code", "\\", "rder-"],
  merchantIds: [[], merchants.slice(0, 1), merchants],
  currencies: [[], ["EUR"], ["USD", "JPY"], ["CHF"]],
})

const filtersFor = (
  ...used: Parameters<typeof valuesFor>
): ReadonlyArray<Partial<PaymentFilter.Filter>> => {
  const each = valuesFor(...used)
  return [
    {},
    { createdFrom: now + 2000, createdBefore: now + 9000 },
    { createdFrom: now + 2000, createdBefore: now + 2000 },
    ...Struct.keys(each).flatMap((key) => each[key].map((value) => ({ [key]: value }))),
  ]
}

/** The same write for payments whose amount is in a token. */
const askedIn = (token: Caip.Token, { outflows, payments }: Change.Write): Change.Write => ({
  outflows,
  payments: payments.map((change) => ({
    ...change,
    payment: {
      ...change.payment,
      amount: { unit: Amount.token(token), quantity: change.payment.amount.quantity },
    },
  })),
})

const dayInMs = 86_400_000
const firstDay = now - (now % dayInMs) - 4 * dayInMs

/** Filters other than chain and token, for chains of two families with the same name. */
const withOthers = (
  merchants: ReadonlyArray<Payment.Payment["merchantId"]>,
): ReadonlyArray<Partial<PaymentFilter.Filter>> => [
  {},
  { merchantIds: merchants.slice(0, 1) },
  { merchantIds: merchants },
  { statuses: ["succeeded"] },
  { createdFrom: firstDay + dayInMs, createdBefore: firstDay + 3 * dayInMs },
]

/** Stages of succeeded payments that an operator must look at, and of similar ones. */
const stuckStages: ReadonlyArray<Fixtures.Stage> = ["settlementHeld", "refundHeld"]

export const lists = (it: It): void => {
  it.effect(
    "returns every list and its statistics as the domain defines them",
    () =>
      Effect.gen(function* () {
        const { paymentStore, world, merchants, payments } = yield* populate
        const used = payments.flatMap((each) => PaymentFilter.tokenOf(each) ?? [])
        const single = filtersFor(merchants, used)
        // Each combined with some other filters or, in full, with every one.
        const step = Counts.of({ usual: 61, full: 1 })
        const pairs = single.flatMap((left, index) =>
          single.flatMap((right, other) => ((index + other) % step === 0 ? [{ left, right }] : [])),
        )
        const filters = [
          ...single,
          ...pairs.map(({ left, right }) => Object.assign({}, left, right)),
        ]
        for (const [index, members] of filters.entries()) {
          const filter: PaymentFilter.Filter = { ...PaymentFilter.unfiltered, ...members }
          // Some payments expire in between.
          const at = now + (index % 3) * 80_000
          const name = `${index}: ${Object.keys(members).join(", ")}`
          for (const sort of sortsOf(index)) {
            const query = { filter, sort, limit: 7, after: null }
            assert.deepStrictEqual(
              yield* paymentStore.payments(world.tenant, query, at),
              PaymentQuery.page(payments, query, at),
              name,
            )
          }
          assert.deepStrictEqual(
            yield* paymentStore.paymentStats(world.tenant, filter, at),
            PaymentStats.of(payments, filter, at),
            name,
          )
          const edges = PaymentSeries.edgesOf("day", calcutta, now - 86_400_000, now + 86_400_000)
          assert.deepStrictEqual(
            yield* paymentStore.paymentSeries(world.tenant, filter, edges ?? [], at),
            PaymentSeries.of(payments, filter, edges ?? [], at),
            name,
          )
        }
      }),
    timeout,
  )

  it.effect.each(sorts)(
    "returns every payment exactly once over all pages, by $by $direction",
    (sort) =>
      Effect.gen(function* () {
        const { paymentStore, world, payments } = yield* populate
        for (const filter of [
          PaymentFilter.unfiltered,
          { ...PaymentFilter.unfiltered, statuses: ["succeeded"] as const },
        ]) {
          const whole = PaymentQuery.page(
            payments,
            { filter, sort, limit: 1000, after: null },
            now,
          ).items
          for (const limit of [1, 7, whole.length - 1, whole.length, whole.length + 1]) {
            const seen: Array<Payment.Payment> = []
            for (;;) {
              const last = seen.at(-1)
              const after = last === undefined ? null : PaymentSort.position(last, sort)
              const page = yield* paymentStore.payments(
                world.tenant,
                { filter, sort, limit, after },
                now,
              )
              assert.deepStrictEqual(page.items, whole.slice(seen.length, seen.length + limit))
              seen.push(...page.items)
              assert.strictEqual(page.hasMore, seen.length < whole.length)
              if (!page.hasMore) break
            }
            assert.strictEqual(seen.length, whole.length)
          }
        }
      }),
    timeout,
  )

  it.effect("lists and counts chains separately if two families use the same chain id", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { payments: paymentStore, walk, world } = scene
      const merchants = [world.merchant().id, world.merchant().id]
      const alike = lookalikes(scene, yield* unusedChain(scene))
      const payers = lookalikes(scene, alike[0].chainId)
      const stages = ["created", "settled", "refunded", "failed"] as const
      const payments = yield* Effect.forEach(
        range(48),
        Effect.fnUntraced(function* (index) {
          const token = alike[index % 3] ?? alike[0]
          const payer = payers[(index >> 3) % 3] ?? payers[0]
          const path = world.path(
            stages[(index >> 2) % 4] ?? "created",
            {
              merchantId: merchants[(index >> 1) % 2] ?? world.merchantId,
              now: now - index * 7_200_000,
            },
            { token, account: { ...payer, chainId: token.chainId } },
          )
          return yield* walk(index % 2 === 0 ? path : path.map((write) => askedIn(token, write)))
        }),
      )
      const chainIds = [alike[0].chainId, alike[1].chainId]
      const scopes: ReadonlyArray<Partial<PaymentFilter.Filter>> = [
        {},
        ...[chainIds.slice(0, 1), chainIds.slice(1), chainIds].map((each) => ({ chainIds: each })),
        ...[...alike.map((each) => [each]), alike.slice(0, 2), alike.slice(1), alike].map(
          (each) => ({ tokens: each }),
        ),
        { chainIds: chainIds.slice(1), tokens: alike },
      ]
      const filters = scopes.flatMap((scope) =>
        withOthers(merchants).map((other) => Object.assign({}, scope, other)),
      )
      for (const [index, members] of filters.entries()) {
        const filter: PaymentFilter.Filter = { ...PaymentFilter.unfiltered, ...members }
        const name = JSON.stringify(filter)
        for (const sort of sortsOf(index)) {
          const seen: Array<Payment.Payment> = []
          for (const _ of payments) {
            const last = seen.at(-1)
            const after = last === undefined ? null : PaymentSort.position(last, sort)
            const query = { filter, sort, limit: 13, after }
            const page = yield* paymentStore.payments(world.tenant, query, now)
            seen.push(...page.items)
            if (!page.hasMore) break
          }
          const whole = { filter, sort, limit: payments.length, after: null }
          assert.deepStrictEqual(seen, PaymentQuery.page(payments, whole, now).items, name)
        }
        assert.deepStrictEqual(
          yield* paymentStore.paymentStats(world.tenant, filter, now),
          PaymentStats.of(payments, filter, now),
          name,
        )
      }
      for (const token of alike) {
        const filter = { ...PaymentFilter.unfiltered, tokens: [token] }
        const { revenue } = yield* paymentStore.paymentStats(world.tenant, filter, now)
        assert.deepStrictEqual(
          revenue.map(({ unit }) => unit),
          [Amount.fiat("USD"), Amount.token(token)],
        )
      }
    }),
  )

  it.effect("continues from a position that no payment has", () =>
    Effect.gen(function* () {
      const { paymentStore, world, payments } = yield* populate
      for (const sort of sorts) {
        for (const place of payments.slice(0, 10)) {
          const after: PaymentSort.Position = {
            ...PaymentSort.position(place, sort),
            id: PaymentId.PaymentId.make(`${place.id}z`),
          }
          const query = { filter: PaymentFilter.unfiltered, sort, limit: 5, after }
          assert.deepStrictEqual(
            yield* paymentStore.payments(world.tenant, query, now),
            PaymentQuery.page(payments, query, now),
          )
        }
      }
    }),
  )

  it.effect("shows a tenant its own payments only", () =>
    Effect.gen(function* () {
      const { payments, world, create } = yield* begin
      const query: PaymentQuery.PaymentQuery = {
        filter: PaymentFilter.unfiltered,
        sort: { by: "date", direction: "desc" },
        limit: 100,
        after: null,
      }
      for (const tenant of [world.tenant, world.live, world.other, world.otherLive]) {
        const payment = yield* create({ ...tenant, merchantId: world.merchantId })
        const page = yield* payments.payments(tenant, query, now)
        assert.deepStrictEqual(page, { items: [payment], hasMore: false })
        const stats = yield* payments.paymentStats(tenant, PaymentFilter.unfiltered, now)
        assert.strictEqual(stats.transactions, 1)
      }
    }),
  )

  it.effect.each(sorts)(
    "neither skips nor repeats existing payments while others are added, by $by $direction",
    (sort) =>
      Effect.gen(function* () {
        const { payments, world, createMany } = yield* begin
        const first = yield* createMany(20)
        const seen: Array<Payment.Payment> = []
        let after: PaymentSort.Position | null = null
        for (const round of range(100)) {
          const query: PaymentQuery.PaymentQuery = {
            filter: PaymentFilter.unfiltered,
            sort,
            limit: 3,
            after,
          }
          const [page] = yield* Effect.all(
            [
              payments.payments(world.tenant, query, now),
              // At most 40 in total, so that a reader reaches the end.
              createMany(round < 10 ? 4 : 0, {
                now: now + (round % 3) - 1,
                amount: { unit: "iso4217/USD", value: String(999 + (round % 3)) },
              }),
            ],
            { concurrency: "unbounded" },
          )
          seen.push(...page.items)
          const last = page.items.at(-1)
          if (last === undefined || !page.hasMore) break
          after = PaymentSort.position(last, sort)
        }
        assert.strictEqual(new Set(seen.map((each) => each.id)).size, seen.length)
        const ids = new Set(seen.map((each) => each.id))
        assert.deepStrictEqual(
          first.filter((each) => !ids.has(each.id)),
          [],
        )
        const places = seen.map((each) => PaymentSort.position(each, sort))
        assert.deepStrictEqual(places.toSorted(PaymentSort.compare(sort)), places)
      }),
    timeout,
  )

  it.effect("finds a payment by its refund, in its tenant", () =>
    Effect.gen(function* () {
      const { payments, world, reach } = yield* begin
      const payment = yield* reach("refundPending")
      const later = yield* reach("refunded")
      yield* reach("settled")
      for (const expected of [payment, later]) {
        const refund = Payment.refundOf(expected)
        if (refund === null) return assert.fail("no refund")
        assert.deepStrictEqual(
          yield* payments.payment({ tenant: world.tenant, refundId: refund.id }),
          expected,
        )
        for (const tenant of [world.live, world.other, world.otherLive]) {
          const failure = yield* failsWith(
            "NotFound",
            payments.payment({ tenant, refundId: refund.id }),
          )
          assert.strictEqual(failure._tag === "NotFound" && failure.what, "refund")
        }
      }
      yield* failsWith(
        "NotFound",
        payments.payment({ tenant: world.tenant, refundId: Refund.RefundId.make("rfnd_nobody") }),
      )
    }),
  )

  it.effect("finds the merchant's last refund that was sent with money that it already had", () =>
    Effect.gen(function* () {
      const { outflows, payments, world, reach } = yield* begin
      const merchantId = MerchantId.MerchantId.make(`mrch_${world.name}Indebted`)
      const last = (tenant = world.tenant, token = world.token) =>
        payments.lastSentRefund(tenant, token, merchantId)
      assert.isNull(yield* last())
      for (const stage of [
        "refundPending",
        "refunded",
        "settled",
        "refundAfterSettlement",
      ] as const)
        yield* reach(stage, { merchantId })
      assert.isNull(yield* last(), "none of them was sent with money that the merchant had")
      const send = Effect.fnUntraced(function* (payment: Payment.Payment) {
        const outflowId = Payment.refundOf(payment)?.outflowId ?? assert.fail("it has no refund")
        const outflow = yield* findOutflow(outflows, outflowId)
        const sent = Outflow.send(outflow, world.sent(), now) ?? assert.fail("it was sent before")
        yield* payments.modifyPayment(payment.id, (current) =>
          Result.succeed({ result: null, change: Refunding.follow(current, sent, now) }),
        )
        const refundId = Payment.refundOf(payment)?.id ?? assert.fail("it has no refund")
        return { paymentId: payment.id, refundId }
      })
      const sent = yield* send(yield* reach("refundAfterSettlement", { merchantId }))
      yield* send(yield* reach("refundAfterSettlement"))
      assert.deepStrictEqual(yield* last(), sent)
      assert.isNull(yield* last(world.live))
      assert.isNull(yield* last(world.other))
      assert.isNull(yield* last(world.tenant, { ...world.token, chainId: Eip155.chainId(1) }))
    }),
  )

  it.effect("lists the payments of a mode that only an operator can continue", () =>
    Effect.gen(function* () {
      const { payments: paymentStore, world, reach } = yield* begin
      const payments = yield* Effect.forEach(["test", "live"] as const, (mode) =>
        Effect.forEach(Fixtures.stages, (stage, index) =>
          Effect.map(
            reach(stage, {
              mode,
              partnerId: index % 2 === 0 ? world.tenant.partnerId : world.other.partnerId,
            }),
            (payment) => ({ mode, stage, payment }),
          ),
        ),
      )
      const all = payments.flat()
      const own = new Set(all.map((each) => each.payment.id))
      for (const mode of ["test", "live"] as const) {
        const stuck = yield* paymentStore.stuckPayments(mode)
        const expected = all.filter(
          (each) => each.mode === mode && stuckStages.includes(each.stage),
        )
        assert.strictEqual(expected.length, stuckStages.length)
        const found = stuck.filter((each) => own.has(each.id))
        assert.deepStrictEqual(idsOf(found), idsOf(expected.map((each) => each.payment)))
        for (const each of found) {
          assert.deepStrictEqual(each, yield* paymentStore.payment(each.id))
        }
      }
    }),
  )
}

/** By account, with plain numbers for bytes, because a driver may return its own class. */
const inOrder = (collected: ReadonlyArray<Change.Collected>) =>
  collected
    .map(({ account, deleteAt, sealed, session }) => ({
      account: `${Caip.accountKey(account)}/${session}`,
      sealed: [...sealed],
      deleteAt,
    }))
    .toSorted((left, right) => (left.account < right.account ? -1 : 1))

export const collectedData = (it: It): void => {
  it.effect("keeps the first of a payment and account", () =>
    Effect.gen(function* () {
      const { payments, world, create } = yield* begin
      const { id } = yield* create()
      const other = yield* create()
      assert.deepStrictEqual(yield* payments.collected(id), [])
      const first = world.collected()
      const second = world.collected({ account: Fixtures.account("another payer") })
      const elsewhere = world.collected({
        account: { ...first.account, chainId: Fixtures.otherChainId },
        sealed: Uint8Array.of(0, 255, 128, 10),
      })
      for (const each of [first, second, elsewhere]) yield* payments.putCollected(id, each)
      yield* payments.putCollected(other.id, world.collected({ sealed: Uint8Array.of() }))
      const again = { ...second, sealed: Uint8Array.of(1), deleteAt: second.deleteAt + 1 }
      yield* payments.putCollected(id, again)
      const read = yield* payments.collected(id)
      assert.deepStrictEqual(inOrder(read), inOrder([first, second, elsewhere]))
      const [empty] = yield* payments.collected(other.id)
      assert.strictEqual(empty?.sealed.length, 0)
    }),
  )

  it.effect("S13: is kept separately for each session, and without a session", () =>
    Effect.gen(function* () {
      const { payments, world, create } = yield* begin
      const { id } = yield* create()
      const sessions = [world.session("payer"), world.session("stranger"), null]
      const data = sessions.map((session, index) =>
        world.collected({ session, sealed: Uint8Array.of(index), deleteAt: now + index }),
      )
      for (const each of data) assert.isTrue(yield* payments.putCollected(id, each))
      assert.deepStrictEqual(inOrder(yield* payments.collected(id)), inOrder(data))
      const [first = assert.fail(), ...others] = data
      const collected = { ...first, sealed: Uint8Array.of(9) }
      yield* payments.modifyPayment(id, applyEffects({ collected }))
      assert.deepStrictEqual(
        inOrder(yield* payments.collected(id)),
        inOrder([collected, ...others]),
      )
    }),
  )

  it.effect("S13: is limited for each payment; existing data stays, and can be sent again", () =>
    Effect.gen(function* () {
      const { payments, world, create } = yield* begin
      const { id } = yield* create()
      const other = yield* create()
      const dataOf = (index: number) => world.collected({ session: world.session(`${index}`) })
      const all = range(Limits.collectedPerPaymentMax).map(dataOf)
      for (const each of all) assert.isTrue(yield* payments.putCollected(id, each))
      const more = dataOf(Limits.collectedPerPaymentMax)
      assert.isFalse(yield* payments.putCollected(id, more))
      for (const each of all.slice(0, 3)) assert.isTrue(yield* payments.putCollected(id, each))
      assert.deepStrictEqual(inOrder(yield* payments.collected(id)), inOrder(all))
      assert.isTrue(yield* payments.putCollected(other.id, more))
      // Data that comes with an accepted confirm is always stored.
      yield* payments.modifyPayment(id, applyEffects({ collected: more }))
      assert.strictEqual((yield* payments.collected(id)).length, all.length + 1)
    }),
  )

  it.effect("belongs to one account, even if two families use the same chain id", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { payments, world, create } = scene
      const { id } = yield* create()
      const data = lookalikes(scene, yield* unusedChain(scene)).map((account, index) =>
        world.collected({ account, sealed: Uint8Array.of(index), deleteAt: now + index }),
      )
      for (const each of data) yield* payments.putCollected(id, each)
      const read = yield* payments.collected(id)
      assert.deepStrictEqual(inOrder(read), inOrder(data))
      const [first, second, third] = data
      if (first === undefined || second === undefined || third === undefined) {
        return assert.fail("no data")
      }
      const collected = { ...second, sealed: Uint8Array.of(9) }
      yield* payments.modifyPayment(id, applyEffects({ collected }))
      assert.deepStrictEqual(
        inOrder(yield* payments.collected(id)),
        inOrder([first, collected, third]),
      )
    }),
  )

  it.effect(
    "keeps one of many concurrent writes, and every reader finds that one from then on",
    () =>
      Effect.gen(function* () {
        const { payments, world, createMany } = yield* begin
        for (const { id } of yield* createMany(5)) {
          const found = yield* atOnce(range(10), (index) =>
            Effect.andThen(
              payments.putCollected(id, world.collected({ sealed: Uint8Array.of(index) })),
              payments.collected(id),
            ),
          )
          const kept = inOrder(yield* payments.collected(id))
          assert.strictEqual(kept.length, 1)
          for (const each of found) assert.deepStrictEqual(inOrder(each), kept)
        }
      }),
  )

  it.effect("is kept for existing payments", () =>
    Effect.gen(function* () {
      const { payments, world } = yield* begin
      const failure = yield* failsWith(
        "NotFound",
        payments.putCollected(PaymentId.PaymentId.make("pay_nobody"), world.collected()),
      )
      assert.strictEqual(failure._tag === "NotFound" && failure.what, "payment")
    }),
  )

  it.effect("is written with a change, and replaces the earlier value", () =>
    Effect.gen(function* () {
      const { payments, world, create } = yield* begin
      const { id } = yield* create()
      yield* payments.putCollected(id, world.collected())
      const collected = world.collected({ sealed: Uint8Array.of(7), deleteAt: now + 7 })
      yield* payments.modifyPayment(id, applyEffects({ collected }))
      assert.deepStrictEqual(inOrder(yield* payments.collected(id)), inOrder([collected]))
    }),
  )

  it.effect("keeps its key, and replaces it with the data", () =>
    Effect.gen(function* () {
      const { payments, world, create } = yield* begin
      const { id } = yield* create()
      const first = world.collected({ key: Uint8Array.of(1, 2, 3) })
      yield* payments.putCollected(id, first)
      yield* payments.putCollected(id, { ...first, key: Uint8Array.of(9) })
      assert.deepStrictEqual(inOrder(yield* payments.collected(id)), inOrder([first]))
      const collected = { ...first, sealed: Uint8Array.of(7), key: Uint8Array.of(4, 5) }
      yield* payments.modifyPayment(id, applyEffects({ collected }))
      assert.deepStrictEqual(inOrder(yield* payments.collected(id)), inOrder([collected]))
    }),
  )

  it.effect("is erased with its key, of one account or of all", () =>
    Effect.gen(function* () {
      const { payments, world, createMany } = yield* begin
      const [first = assert.fail(), second = assert.fail()] = yield* createMany(2)
      const payer = Fixtures.account(world.next())
      const another = Fixtures.account(world.next())
      const twin = { ...payer, chainId: Fixtures.otherChainId }
      const of = (account: Caip.Account, session = world.session("payer")) =>
        world.collected({ account, session, key: Uint8Array.of(1) })
      const all = [of(payer), of(payer, world.session("again")), of(another), of(twin)]
      for (const each of all) yield* payments.putCollected(first.id, each)
      yield* payments.putCollected(second.id, of(payer))
      assert.sameMembers([...(yield* payments.paymentsWithCollected(payer))], [first.id, second.id])
      assert.deepStrictEqual(yield* payments.paymentsWithCollected(twin), [first.id])
      assert.strictEqual(yield* payments.eraseCollected(first.id, payer), 2)
      assert.strictEqual(yield* payments.eraseCollected(first.id, payer), 0)
      assert.deepStrictEqual(inOrder(yield* payments.collected(first.id)), inOrder(all.slice(2)))
      assert.deepStrictEqual(yield* payments.paymentsWithCollected(payer), [second.id])
      assert.strictEqual(yield* payments.eraseCollected(first.id, null), 2)
      assert.deepStrictEqual(yield* payments.collected(first.id), [])
      assert.strictEqual((yield* payments.collected(second.id)).length, 1)
      // Data that is sent again is stored again.
      assert.isTrue(yield* payments.putCollected(first.id, of(payer)))
      assert.strictEqual((yield* payments.collected(first.id)).length, 1)
    }),
  )

  it.effect("is deleted when its time is over, and counted", () =>
    Effect.gen(function* () {
      const { payments: paymentStore, world, createMany } = yield* begin
      yield* paymentStore.deleteCollected(farFuture, 1_000_000)
      const payments = yield* createMany(5)
      yield* Effect.forEach(payments, ({ id }, index) =>
        paymentStore.putCollected(id, world.collected({ deleteAt: now + index })),
      )
      assert.strictEqual(yield* paymentStore.deleteCollected(now - 1, 100), 0)
      assert.strictEqual(yield* paymentStore.deleteCollected(now + 1, 100), 2)
      assert.strictEqual(yield* paymentStore.deleteCollected(now + 1, 100), 0)
      const kept = yield* Effect.forEach(payments, ({ id }) => paymentStore.collected(id))
      assert.deepStrictEqual(
        kept.map((each) => each.length),
        [0, 0, 1, 1, 1],
      )
      // Postponed data is kept longer.
      const [, , third] = payments
      if (third === undefined) return assert.fail("no payment")
      const collected = world.collected({ deleteAt: now + 100 })
      yield* paymentStore.modifyPayment(third.id, applyEffects({ collected }))
      const counts = yield* atOnce(range(5), () => paymentStore.deleteCollected(now + 50, 100))
      assert.strictEqual(
        counts.reduce((total, each) => total + each, 0),
        2,
      )
      assert.strictEqual((yield* paymentStore.collected(third.id)).length, 1)
      assert.strictEqual(yield* paymentStore.deleteCollected(now + 100, 100), 1)
      assert.deepStrictEqual(yield* paymentStore.collected(third.id), [])
    }),
  )

  it.effect("is deleted in batches, until nothing is left", () =>
    Effect.gen(function* () {
      const { payments: paymentStore, world, createMany } = yield* begin
      yield* paymentStore.deleteCollected(farFuture, 1_000_000)
      const payments = yield* createMany(5)
      for (const { id } of payments) {
        yield* paymentStore.putCollected(id, world.collected())
        yield* paymentStore.putCollected(
          id,
          world.collected({ account: Fixtures.account("another") }),
        )
      }
      const counts = yield* Effect.forEach(range(5), () =>
        paymentStore.deleteCollected(farFuture, 3),
      )
      assert.deepStrictEqual(counts, [3, 3, 3, 1, 0])
    }),
  )

  it.effect("stays if its time is extended, even during a deletion", () =>
    Effect.gen(function* () {
      const { payments: paymentStore, world, createMany } = yield* begin
      const payments = yield* createMany(20)
      for (const { id } of payments) yield* paymentStore.putCollected(id, world.collected())
      const later = world.collected({ deleteAt: now + 5000 })
      yield* atOnce(payments, ({ id }, index) =>
        Effect.all(
          [
            paymentStore.modifyPayment(id, applyEffects({ collected: later })),
            paymentStore.deleteCollected(now + 2000, index),
          ],
          { concurrency: "unbounded" },
        ),
      )
      const kept = yield* Effect.forEach(payments, ({ id }) => paymentStore.collected(id))
      assert.deepStrictEqual(
        kept.map(inOrder),
        payments.map(() => inOrder([later])),
      )
    }),
  )
}
