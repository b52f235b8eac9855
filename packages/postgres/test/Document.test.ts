import { assert, describe, it, layer } from "@effect/vitest"
import * as Change from "@florin/core/domain/payment/Change"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Stores from "@florin/testing/Stores"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import * as Accounts from "../src/storage/Accounts.ts"
import * as Decisions from "../src/storage/Decisions.ts"
import * as Document from "../src/storage/Document.ts"
import * as Outflows from "../src/storage/Outflows.ts"
import { anyTime, database } from "../test-support/databases.ts"

const Thing = Schema.Struct({
  id: Schema.String,
  note: Schema.optionalKey(Schema.String),
  size: Schema.BigInt,
})

describe("fields that a newer release added", () => {
  const document = Document.of(Thing)
  const column = { id: "a", note: "old", size: "7", later: { deep: [1] }, more: null }

  it.effect("are kept when a record is changed", () =>
    Effect.gen(function* () {
      const thing = yield* document.decode(column)
      const { note: _, ...rest } = { ...thing, size: 8n }
      assert.deepStrictEqual<unknown>(JSON.parse(document.encode(rest)), {
        id: "a",
        size: "8",
        later: { deep: [1] },
        more: null,
      })
      assert.deepStrictEqual(document.json(rest), JSON.parse(document.encode(rest)))
    }),
  )

  it.effect("do not include fields that this release stores under another name", () =>
    Effect.gen(function* () {
      const renamed = Document.of(Thing.pipe(Schema.encodeKeys({ size: "quantity" })))
      const stored = { id: "a", quantity: "7", later: 1 }
      const thing = yield* renamed.decode(stored)
      assert.deepStrictEqual<unknown>(JSON.parse(renamed.encode({ ...thing, size: 8n })), {
        ...stored,
        quantity: "8",
      })
    }),
  )

  it.effect("are not part of the record", () =>
    Effect.gen(function* () {
      assert.sameMembers(Object.keys(yield* document.decode(column)), ["id", "note", "size"])
      assert.deepStrictEqual(yield* document.decode({ id: "a", size: "7" }), { id: "a", size: 7n })
    }),
  )
})

layer(database())("a newer release next to this one", (onDatabase) => {
  onDatabase.effect(
    "still finds the fields that it added to a payment and a merchant, after this release changed both",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const world = Fixtures.make("newer")
        const payments = Decisions.make(sql, anyTime(sql))
        const accounts = Accounts.make(sql, anyTime(sql))
        const created = world.createPayment()
        yield* payments.createPayment(created, null, "{}", Fixtures.now)
        const { id } = created.payment
        yield* sql`UPDATE florin.payments SET document = document || '{"later": {"by": "a newer release"}}' WHERE id = ${id}`
        yield* Stores.modifyPayment(Outflows.make(sql, anyTime(sql)))(id, (current) =>
          Result.succeed({ result: null, change: Change.make(current, Fixtures.now, {}) }),
        )
        const [payment] = yield* sql<{ later: unknown; revision: unknown }>`
        SELECT document -> 'later' AS later, revision FROM florin.payments WHERE id = ${id}`
        assert.deepStrictEqual(payment?.later, { by: "a newer release" })
        assert.notStrictEqual(payment?.revision, created.payment.revision)

        const merchant = world.merchant()
        yield* accounts.addMerchant(merchant)
        yield* sql`UPDATE florin.merchants SET document = document || '{"later": true}' WHERE id = ${merchant.id}`
        yield* accounts.modifyMerchant(merchant, merchant.id, (current) =>
          Result.succeed({ ...current, name: "Renamed" }),
        )
        const [renamed] = yield* sql<{ later: unknown; name: unknown }>`
        SELECT document -> 'later' AS later, document -> 'name' AS name FROM florin.merchants WHERE id = ${merchant.id}`
        assert.deepStrictEqual(renamed, { later: true, name: "Renamed" })
      }),
  )
})
