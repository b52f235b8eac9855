/**
 * A service that has been in use for a while, and everything that its storage answers about it: what an upgrade keeps.
 *
 * The data of each schema is kept as a dump, with what the release that made it answered: see fixtures/make.ts.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import * as Change from "@florin/core/domain/Change"
import * as Claim from "@florin/core/domain/Claim"
import * as Ledger from "@florin/core/domain/Ledger"
import type * as Payment from "@florin/core/domain/Payment"
import * as PaymentQuery from "@florin/core/domain/PaymentQuery"
import * as PaymentState from "@florin/core/domain/PaymentState"
import * as Refund from "@florin/core/domain/Refund"
import * as Webhook from "@florin/core/domain/Webhook"
import { Storage, type Tenant } from "@florin/core/ports/Storage"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as Migrations from "../src/Migrations.ts"

const { now } = Fixtures
const world = Fixtures.make("kept")
const tenants = [world.tenant, world.live, world.other]
const modes = ["test", "live"] as const

const onces = {
  merchant: world.once("a merchant", { name: "Shop" }),
  payment: world.once("a payment", { amount: 1 }, { endpoint: "POST /v1/payments" }),
  destinations: world.once("destinations", [1], { endpoint: "POST /v1/settlements" }),
}

/** Nobody's work is due any later. */
const theEnd = 8_000_000_000_000

const decided = (change: Change.Change) => ({ answer: null, change })

/** Writes a payment's whole path, change by change. */
const walk = Effect.fnUntraced(function* (path: ReadonlyArray<Change.Change>) {
  const storage = yield* Storage
  for (const [index, change] of path.entries()) {
    const { id } = change.payment
    if (index === 0) yield* storage.createPayment(change, null, "{}", now)
    else if (change.relayed === undefined) {
      yield* storage.modifyPayment(id, () => Result.succeed(decided(change)))
    } else {
      const { lane } = change.relayed
      const sign = () => Effect.succeed(decided(change))
      yield* storage.modifyPaymentInLane(lane, 0, id, sign, null)
    }
  }
  return Fixtures.reached(path)
})

const people = Effect.gen(function* () {
  const storage = yield* Storage
  yield* storage.putPartner(world.partner())
  yield* storage.putPartner(world.partner({ id: world.other.partnerId, name: "Ünï & 'sons'" }))
  const wallet = { _tag: "Wallet", name: "A wallet", iconUrl: null } as const
  const { versionPin } = world.partner()
  yield* storage.putKeys([
    world.apiKey(),
    world.apiKey({ mode: "live", revokedAt: now, createdAt: now + 1 }),
    world.apiKey({ owner: { ...wallet, versionPin }, lastUsedAt: now, expiresAt: now + 2 }),
  ])
  const shop = world.merchant()
  yield* storage.createMerchant(shop, onces.merchant, JSON.stringify(shop.id), now)
  for (const tenant of tenants) {
    const { id } = world.merchant({ ...tenant, name: "A merchant that is gone" })
    yield* storage.createMerchant(world.merchant(tenant), world.once(), "{}", now)
    yield* storage.createMerchant(world.merchant({ ...tenant, id }), world.once(), "{}", now)
    yield* storage.modifyMerchant(tenant, id, (each) =>
      Result.succeed({ ...each, deletedAt: now + 1, status: "inactive" }),
    )
  }
  const added = [world.destination(), world.destination({ token: Fixtures.token("another") })]
  const decide = () => Result.succeed({ added, answer: "destinations" })
  yield* storage.addDestinations(world.merchantId, onces.destinations, decide, now)
})

const payments = Effect.gen(function* () {
  const storage = yield* Storage
  const once = world.createPayment({ referenceId: "Order №1, 100 %" })
  yield* storage.createPayment(once, onces.payment, "a payment", now)
  const cents = { unit: "iso4217/USD", value: "1" }
  const most = { unit: "iso4217/EUR", value: "340282366920938463463374607431768211456" }
  for (const [index, stage] of Fixtures.stages.entries()) {
    yield* walk(
      world.path(stage, {
        amount: index % 2 === 0 ? cents : most,
        referenceId: `${stage} ${index}`,
        expiresAt: Math.floor(now / 1000) + 60 + index,
        now: now - index,
      }),
    )
  }
  for (const nonce of [5, 6]) {
    const { id } = yield* walk([world.createPayment()])
    const relayed = Fixtures.relayed(world.lane, nonce)
    const sign = (current: Payment.Payment) =>
      Effect.succeed(decided(Change.make(current, now, { relayed })))
    yield* storage.modifyPaymentInLane(world.lane, 5, id, sign, null)
  }
  yield* walk(world.path("refunded", world.live))
  const other = yield* walk(world.path("settled", world.other))
  for (const collected of [
    world.collected(),
    world.collected({ account: Fixtures.account("another"), deleteAt: now + 2 }),
  ]) {
    yield* storage.putCollected(other.id, collected)
  }
})

const money = Effect.gen(function* () {
  const storage = yield* Storage
  const held = { collecting: world.payTo, token: world.token }
  const most = 2n ** 256n - 1n
  const movements = [
    ["test", Ledger.funded({ ...held, quantity: Fixtures.quantity(most) })],
    ["test", Ledger.withdrawn({ ...held, quantity: Fixtures.quantity(7n) })],
    ["live", Ledger.funded({ ...held, quantity: Fixtures.quantity(8n) })],
  ] as const
  for (const [index, [mode, movement]] of movements.entries()) {
    yield* storage.post(mode, Fixtures.key(`movement ${index}`), movement)
  }
})

/** Some work is held, some was put off, some deliveries were made, and some of the feed was read. */
const halfDone = Effect.gen(function* () {
  const storage = yield* Storage
  for (const kind of Change.workKinds) {
    const options = { limit: 2, leaseInMs: 5000, now: now + 100_000 }
    const [first] = yield* storage.claimDue(kind, options)
    if (first !== undefined) yield* storage.postpone(first.payment.id, first.hold, now + 200_000)
  }
  const due = yield* storage.claimDeliveries({ limit: 6, leaseInMs: 5000, now: now + 1 })
  for (const [index, { delivery, fence }] of due.slice(2).entries()) {
    const attempt = { at: now, status: index === 0 ? 200 : 500, error: null }
    yield* storage.finishDelivery(Webhook.recordAttempt(delivery, attempt), fence)
  }
  yield* storage.events(world.tenant, 0, 10)
})

/** Puts everything into an empty storage that a service may have left there. */
export const fill = Effect.gen(function* () {
  const storage = yield* Storage
  yield* storage.putEndpoint(world.endpoint({ types: ["payment.succeeded", "refund.held"] }))
  yield* storage.putEndpoint(world.endpoint({ ...world.other, disabledAt: now }))
  yield* people
  yield* payments
  yield* money
  yield* halfDone
})

const sorts: ReadonlyArray<PaymentQuery.Sort> = [
  { by: "date", direction: "desc" },
  { by: "amount", direction: "asc" },
]

const filters: ReadonlyArray<Partial<PaymentQuery.Filter>> = [
  {},
  { createdFrom: now - 10, createdBefore: now },
  { chainIds: [Fixtures.chainId] },
  { tokens: [world.token] },
  { reference: "refund" },
  { reference: "№1, 100 %" },
  { merchantIds: [world.merchantId] },
  ...PaymentState.statuses.map((status) => ({ statuses: [status] })),
]

const lists = Effect.fnUntraced(function* (tenant: Tenant) {
  const storage = yield* Storage
  const page = { after: null, limit: 3 }
  const merchants = yield* storage.merchants(tenant, { search: "MERCHANT" }, page)
  const found = yield* Effect.forEach(filters, (some) => {
    const filter = { ...PaymentQuery.unfiltered, ...some }
    return Effect.all({
      stats: storage.paymentStats(tenant, filter, now),
      pages: Effect.forEach(sorts, (sort) =>
        Effect.map(
          storage.payments(tenant, { filter, sort, limit: 9, after: null }, now),
          (listed) => ({ ...listed, items: listed.items.map(({ id }) => id) }),
        ),
      ),
    })
  })
  return { merchants, found }
})

const claimsOf = ({ state }: Payment.Payment): ReadonlyArray<Claim.Claim> =>
  state._tag === "Succeeded"
    ? [Claim.ofTransfer(state.transfer), Claim.ofAuthorization(state.attempt.option)]
    : []

/** Whether a thing that may happen once is still known to have happened. */
const claimed = Effect.fnUntraced(function* ({ id }: Payment.Payment, claim: Claim.Claim) {
  const again = (current: Payment.Payment) =>
    Result.succeed(decided(Change.make(current, now, { claims: [claim] })))
  return yield* Effect.match((yield* Storage).modifyPayment(id, again), {
    onFailure: ({ _tag }) => _tag,
    onSuccess: () => "it happened again",
  })
})

/** Everything about each payment of a tenant. */
const details = Effect.fnUntraced(function* (tenant: Tenant) {
  const storage = yield* Storage
  const sort = { by: "date", direction: "asc" } as const
  const all = { filter: PaymentQuery.unfiltered, sort, limit: 200, after: null }
  const { items } = yield* storage.payments(tenant, all, now)
  return yield* Effect.forEach(
    items,
    Effect.fnUntraced(function* ({ id }) {
      const payment = yield* storage.payment(id)
      const refund = Refund.of(payment)
      const refunded = refund === null ? null : yield* storage.paymentOfRefund(tenant, refund.id)
      return {
        payment,
        refunded: refunded?.id,
        claims: yield* Effect.forEach(claimsOf(payment), (claim) => claimed(payment, claim)),
        ledger: yield* storage.ledgerOf(id),
        events: (yield* storage.eventsOf(id)).map((event) => [
          event.id,
          event.type,
          event.payment.state._tag,
        ]),
        collected: yield* storage.collected(id),
      }
    }),
  )
})

const webhooks = Effect.fnUntraced(function* (tenant: Tenant) {
  const storage = yield* Storage
  const endpoints = yield* storage.endpoints(tenant)
  return {
    endpoints,
    deliveries: yield* Effect.forEach(endpoints, ({ id }) => storage.deliveries(id, 200)),
    feed: (yield* storage.events(tenant, 0, 200)).map(({ event, sequence }) => [
      sequence,
      event.id,
    ]),
  }
})

/** Takes up everything that is due, in its order. */
const dueWork = Effect.gen(function* () {
  const storage = yield* Storage
  const all = { limit: 1000, leaseInMs: theEnd, now: theEnd }
  const next = yield* Effect.forEach(Change.workKinds, (kind) =>
    Effect.map(storage.nextDueAt(kind), (at) => [kind, at]),
  )
  const work = yield* Effect.forEach(Change.workKinds, (kind) => storage.claimDue(kind, all))
  const deliveries = yield* storage.claimDeliveries(all)
  return {
    // A kind of work that came later is due for nobody.
    next: next.filter(([, at]) => at !== null),
    work: work.flat().map(({ failures, hold, payment }) => [hold.kind, payment.id, failures]),
    deliveries: deliveries.map(({ delivery, endpoint, event }) => [
      delivery.id,
      endpoint.id,
      event.id,
    ]),
  }
})

/** Bytes, maps and big numbers too. */
const plain = (_: string, value: unknown): unknown => {
  if (typeof value === "bigint") return `${value}n`
  if (value instanceof Map) return [...value].toSorted()
  return value instanceof Uint8Array ? [...value] : value
}

/** All that the storage answers about what {@link fill} left in it, as JSON. What is due is taken up. */
export const answers = Effect.gen(function* () {
  const storage = yield* Storage
  const keys = [...(yield* storage.keys(world.tenant.partnerId)), ...(yield* storage.keys(null))]
  const told = {
    partners: yield* storage.partners,
    keys: yield* Effect.forEach(keys, ({ id }) => storage.key(id)),
    replays: yield* Effect.forEach(Object.values(onces), (once) => storage.answered(once, now + 1)),
    destinations: yield* storage.destinations(world.merchantId),
    lists: yield* Effect.forEach(tenants, lists),
    payments: yield* Effect.forEach(tenants, details),
    stuck: (yield* storage.stuckPayments("test")).map(({ id }) => id),
    lane: yield* storage.laneTransactions(world.lane, 0),
    balances: yield* Effect.forEach(modes, (mode) => storage.balances(mode, null)),
    float: yield* Effect.forEach(modes, (mode) => storage.float(mode, world.token)),
    webhooks: yield* Effect.forEach(tenants, webhooks),
    due: yield* dueWork,
  }
  return JSON.stringify(told, plain, 1)
})

const fixture = (name: string) => new URL(`fixtures/${name}`, import.meta.url)

/** Where the data of a schema is kept, and what was answered about it. */
export const kept = (version: number) => ({
  dump: fixture(`schema${version}.sql`),
  answers: fixture(`schema${version}.vectors.json`),
})

/** The schemas that an older release may have left. */
export const versions = Migrations.versions.slice(0, -1).map((_, index) => index + 1)

/** Brings an empty database to an earlier schema, with the data that its release left. */
export const restore = Effect.fnUntraced(function* (version: number) {
  const sql = yield* SqlClient.SqlClient
  yield* Migrations.run(Migrations.versions.slice(0, version))
  const statements = readFileSync(kept(version).dump, "utf8").split(";\n")
  yield* sql.withTransaction(Effect.forEach(statements, (each) => sql.unsafe(each)))
})

/** What the release of that schema answered. */
export const answered = (version: number): unknown =>
  JSON.parse(readFileSync(kept(version).answers, "utf8"))
