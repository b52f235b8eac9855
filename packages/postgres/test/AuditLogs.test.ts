import { assert, layer } from "@effect/vitest"
import { AuditStore } from "@florin/core/ports/AuditStore"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { database } from "../test-support/databases.ts"

const entry = {
  id: "aud_1",
  at: Fixtures.now,
  action: "chain.resumed",
  partnerId: null,
  mode: null,
  subject: "eip155:1",
  actor: { _tag: "Operator", name: "alice", processId: 1 },
  requestId: null,
  changes: [],
} as const

layer(Layer.provideMerge(StoragePostgres.layer, database()), { excludeTestServices: true })(
  "the audit log in the database",
  (it) => {
    it.effect("S11: cannot be changed, shortened or emptied by any statement", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const store = yield* AuditStore
        yield* store.record(Effect.void, () => entry)
        const attacks = [
          sql`UPDATE florin.audit_log SET document = '{}'`,
          sql`UPDATE florin.audit_log SET at = 0`,
          sql`DELETE FROM florin.audit_log`,
          sql`TRUNCATE florin.audit_log`,
        ]
        for (const attack of attacks) {
          const refused = yield* Effect.flip(attack)
          assert.strictEqual(refused.reason._tag, "AuthorizationError")
        }
        const { items } = yield* store.entries({}, { after: null, limit: 10 })
        assert.deepStrictEqual(
          items.map((each) => each.entry),
          [entry],
        )
      }),
    )
  },
)
