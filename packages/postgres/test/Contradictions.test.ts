/**
 * What `florin reconcile --deep` finds in a database with one row that the service did not write.
 *
 * @module
 */
import { assert, layer } from "@effect/vitest"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Contradictions from "@florin/core/engine/books/Contradictions"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Scene from "@florin/testing/storage/Scene"
import { Clock, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Statement } from "effect/sql/Statement"
import { standing } from "../src/schema/Payments.ts"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { database, empty } from "../test-support/databases.ts"

const clock = Clock.Clock.defaultValue()
/** What is found is looked at again after a second. Nothing is written here meanwhile, so nobody has to wait. */
const withoutPauses = Effect.provideService(
  Clock.Clock,
  new Proxy(clock, {
    get: (target, key) => (key === "sleep" ? () => Effect.void : Reflect.get(target, key)),
  }),
)

/** Everything that is found in a mode, each with what it is about. */
const find = Effect.fnUntraced(function* (mode: "live" | "test") {
  const found: Array<readonly [subject: string, what: string]> = []
  const read: Array<readonly [number, number]> = []
  yield* Contradictions.find(mode, {
    found: ({ subject, what }) => found.push([subject, what]),
    progressed: (done, total) => read.push([done, total]),
  }).pipe(withoutPauses)
  return { found, read }
})

interface Spoiling {
  readonly name: string
  readonly stage: Fixtures.Stage
  /** Changes one row of the payment's. */
  readonly spoil: (
    sql: SqlClient.SqlClient,
    payment: Payment.Payment,
    outflowId: string,
  ) => Statement<object>
  /** What is said, as patterns, with `<id>` for the payment and `<out>` for its outflow. */
  readonly said: ReadonlyArray<string>
}

const spoilings: ReadonlyArray<Spoiling> = [
  {
    name: "a refund of more than was paid",
    stage: "refunded",
    spoil: (sql, { id }) =>
      sql`UPDATE florin.entries SET document = jsonb_set(document, '{state,refunds,0,quantity}', '"99000000"') WHERE id = ${id}`,
    said: ["<id> was paid \\d+, and its refunds are 99000000"],
  },
  {
    name: "a payout of more than is owed",
    stage: "settled",
    spoil: (sql, { id }) =>
      sql`UPDATE florin.entries SET document = jsonb_set(document, '{state,entry,parts,0,quantity}', '"99000000"') WHERE id = ${id}`,
    said: ["<id> was paid \\d+, and of that 99000000 was sent, 0 netted, and \\d+ the fee"],
  },
  {
    name: "a payout that was never booked",
    stage: "settled",
    spoil: (sql, { id }) =>
      sql`DELETE FROM florin.ledger_transactions WHERE payment_id = ${id} AND kind = 'settle'`,
    said: ["0 of <id> is owed to its merchant, and the ledger owes \\d+"],
  },
  {
    name: "a payout that is not final, and counts as paid",
    stage: "settled",
    spoil: (sql, _, outflowId) =>
      sql`UPDATE florin.outflows SET document = jsonb_set(document, '{state}', '{"_tag":"Waiting"}') WHERE id = ${outflowId}`,
    said: ["the payout of <id> is paid, and <out> is waiting"],
  },
  {
    name: "a payout that nobody sends, and is waited for",
    stage: "gathered",
    spoil: (sql, _, outflowId) =>
      sql`UPDATE florin.outflows SET document = jsonb_set(document, '{state}', '{"_tag":"Cancelled","cancelledAt":1}') WHERE id = ${outflowId}`,
    said: ["the payout of <id> is processing, and <out> is cancelled"],
  },
  {
    name: "a payout that is gone",
    stage: "settled",
    spoil: (sql, _, outflowId) => sql`DELETE FROM florin.outflows WHERE id = ${outflowId}`,
    said: ["the payout of <id> is paid in <out>, which does not exist"],
  },
  {
    name: "a payout that is not the sum of its payments",
    stage: "settled",
    spoil: (sql, _, outflowId) =>
      sql`UPDATE florin.outflows SET document = jsonb_set(document, '{movement,quantity}', '"99000000"') WHERE id = ${outflowId}`,
    said: ["<out> is of 99000000, and its payments sum to \\d+"],
  },
  {
    name: "a share that is in a payout, and waits for another one",
    stage: "settled",
    spoil: (sql, { id }) =>
      sql`UPDATE florin.entries SET document = document #- '{state,entry,parts,0}' #- '{state,entry,settled}' WHERE id = ${id}`,
    said: [
      "the settlement of <id> is null, and its last event says 0x.*",
      "<id> is in <out> \\(paid\\), and names no outflow",
    ],
  },
  {
    name: "a refund that is not final, and counts as sent",
    stage: "refunded",
    spoil: (sql, _, outflowId) =>
      sql`UPDATE florin.outflows SET document = jsonb_set(document, '{state}', '{"_tag":"Waiting"}') WHERE id = ${outflowId}`,
    said: ["the refund of <id> is succeeded, and <out> is waiting"],
  },
  {
    name: "a transaction that is waited for, and is gone",
    stage: "relayed",
    spoil: (sql, { state }) =>
      state._tag === "Processing" && state.slot !== null
        ? sql`DELETE FROM florin.lane_transactions WHERE lane = florin.number_of(${`${state.slot.lane.chainId}/${state.slot.lane.sender}`}) AND nonce = ${state.slot.nonce}`
        : assert.fail("it was not sent"),
    said: ["<id> waits for the transaction with nonce \\d+ of 0x\\w+, which is gone"],
  },
  {
    name: "a transfer that another payment claims",
    stage: "settlementPending",
    spoil: (sql, { id }) =>
      sql`UPDATE florin.claims SET subject_id = 'pay_another' WHERE subject_id = ${id}`,
    said: ["the transfer of <id> in 0x\\w+ is claimed by pay_another"],
  },
  {
    name: "a transfer of less than was asked for",
    stage: "settlementPending",
    spoil: (sql, { id }) =>
      sql`UPDATE florin.payments SET progress = jsonb_set(progress, '{state,transfer,movement}', '{"from":"0x1","to":"0x2","quantity":"1","token":{"chainId":"eip155:1","address":"0x3"}}') WHERE id = ${id}`,
    said: ["<id> was paid by another transfer than it asked for, in 0x.*"],
  },
  {
    name: "an event that is gone",
    stage: "settled",
    spoil: (sql, { id }) =>
      sql`DELETE FROM florin.events WHERE florin.payment_of(id, state_version) = ${id} AND state_version = 1`,
    said: ["the events of <id> have the versions 0, 2.*"],
  },
  {
    name: "a status that no event announced",
    stage: "confirmed",
    spoil: (sql, { id }) =>
      sql`UPDATE florin.payments SET standing = ${standing("expired")}, progress = jsonb_set(progress, '{state,_tag}', '"Expired"') WHERE id = ${id}`,
    said: ["the status of <id> is expired, and its last event says processing"],
  },
  {
    name: "a ledger transaction that is out of balance",
    stage: "settlementPending",
    spoil: (sql, { id }) =>
      sql`UPDATE florin.ledger_transactions SET deltas[1] = 1 WHERE payment_id = ${id}`,
    said: ["a ledger transaction of <id> \\(collect\\) is wrong: the postings of token.*"],
  },
]

const fresh = Layer.provideMerge(StoragePostgres.layer, database())

layer(fresh, { excludeTestServices: true })("Contradictions.find", (it) => {
  it.effect(
    "finds nothing in payments of every stage, and reads each of them",
    () =>
      Effect.gen(function* () {
        const { reach } = yield* Scene.begin
        for (const stage of Fixtures.stages) yield* reach(stage)
        const { found, read } = yield* find("test")
        // The fixtures store no transactions in lanes.
        assert.deepStrictEqual(
          found.filter(([, what]) => !what.endsWith(", which is gone")),
          [],
        )
        const { length } = Fixtures.stages
        assert.deepStrictEqual(read, [[length, length]])
        assert.deepStrictEqual(yield* find("live"), { found: [], read: [] })
      }),
    Scene.timeout,
  )

  it.effect(
    "M22: names the payment of every row that the service did not write",
    () =>
      Effect.gen(function* () {
        yield* empty
        const sql = yield* SqlClient.SqlClient
        const { reach, world } = yield* Scene.begin
        yield* reach("settled")
        const spoiled: Array<Spoiling & { readonly id: string; readonly out: string }> = []
        for (const each of spoilings) {
          const payment = yield* reach(each.stage)
          const out = Payment.outflowIds(payment).at(-1) ?? "no outflow"
          yield* each.spoil(sql, payment, out)
          spoiled.push({ ...each, id: payment.id, out })
        }
        yield* sql`UPDATE florin.ledger_balances SET quantity = quantity + 7
          WHERE account = (SELECT min(account) FROM florin.ledger_balances)`
        const { found } = yield* find("test")
        const about = ({ id, out }: { readonly id: string; readonly out: string }) =>
          found
            .filter(([subject]) => subject === id || subject === out)
            .map(([, what]) => what.replaceAll(id, "<id>").replaceAll(out, "<out>"))
        for (const { id, name, out, said } of spoiled) {
          for (const each of said) {
            const whats = about({ id, out })
            const isSaid = whats.some((what) => new RegExp(`^${each}$`, "u").test(what))
            assert.isTrue(isSaid, `${name}: "${each}" is not among ${JSON.stringify(whats)}`)
          }
        }
        // The payment that no event announced also left its payer in the column that statistics count.
        const [ledger, statistics] = ["ledger", world.tenant.partnerId].map((subject) =>
          found.flatMap((each) => (each[0] === subject ? [each[1]] : [])),
        )
        assert.match(ledger?.join() ?? "", /^the ledger is off by 7 of eip155:/u)
        assert.match(
          statistics?.at(-1) ?? "",
          /^statistics of expired payments of [-\d]+: they say 1 payments, 1 customers, and the list has 1 payments, 0 customers$/u,
        )
      }),
    Scene.timeout,
  )
})
