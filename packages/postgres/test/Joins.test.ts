import { assert, layer } from "@effect/vitest"
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Decisions from "../src/storage/Decisions.ts"
import * as Draws from "../src/storage/Draws.ts"
import * as DueWork from "../src/storage/DueWork.ts"
import * as Events from "../src/storage/Events.ts"
import * as Lists from "../src/storage/Lists.ts"
import * as Outflows from "../src/storage/Outflows.ts"
import { anyTime, database } from "../test-support/databases.ts"
import * as Plans from "../test-support/plans.ts"

const { now } = Fixtures

/** With more tables, PostgreSQL joins them as they are written, and then reads whole ones: `join_collapse_limit`. */
const most = 8

/** Everything that reads whole payments or events, in as many ways as it does. */
const calls = (sql: SqlClient.SqlClient) => {
  const [world, time] = [Fixtures.make("joins"), anyTime(sql)]
  const { payment } = world.createPayment()
  const [events, payments, work] = [
    Events.make(sql, time),
    Decisions.make(sql, time),
    DueWork.make(sql, time),
  ]
  const turns = { ofGroup: 24, ofQueue: 16, last: "", groups: [], queues: [] }
  const claim = { limit: 64, leaseInMs: 30_000, now, turns }
  const page = (filter: Partial<PaymentFilter.Filter>) => ({
    filter: { ...PaymentFilter.unfiltered, ...filter },
    sort: { by: "date", direction: "desc" } as const,
    limit: 50,
    after: null,
  })
  const listed = (filter: Partial<PaymentFilter.Filter>) =>
    Lists.make(sql).payments(world.tenant, page(filter), now)
  const shown = { outflows: [], payments: [payment.id] }
  return {
    "a payment": payments.payment(payment.id),
    "the payment of a refund": payments.payment({
      tenant: world.tenant,
      refundId: Refund.RefundId.make("rfnd_joins"),
    }),
    "stuck payments": payments.stuckPayments("test"),
    "payments for a decision": Outflows.make(sql, time).modify(shown, () => assert.fail(""), null),
    "what payers committed": Draws.make(sql).committed([Fixtures.account("joins")], ["eip3009"]),
    "due payments": work.claimDue("collect", claim),
    "a page": listed({ statuses: ["succeeded"] }),
    "a page of a search": listed({ reference: "order", merchantIds: [payment.merchantId] }),
    "a page of the feed": events.events(world.tenant, 0, 50),
    "a payment's events": events.eventsOf(payment.id),
    "events that wait": events.eventsOf(payment.id, "waiting"),
    deliveries: events.deliveries(Webhook.EndpointId.make("whk_joins"), 50),
    "due deliveries": events.claimDeliveries(claim),
  }
}

layer(database())("a query of whole payments", (it) => {
  it.effect(`joins ${most} tables at most`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const [name, call] of Object.entries(calls(sql))) {
        const { sent } = yield* Plans.listened(Effect.exit(call))
        const whole = sent.filter(([text]) => text.includes("florin.whole_"))
        assert.isNotEmpty(whole, name)
        for (const [text, parameters] of whole) {
          const rows = yield* sql.unsafe(`EXPLAIN (FORMAT JSON) ${text}`, parameters)
          const joined = Math.max(...Plans.joins(Plans.rootOf(rows)))
          assert.isAtLeast(joined, 6, name)
          assert.isAtMost(joined, most, name)
        }
      }
    }),
  )
})
