import { assert, describe, it } from "@effect/vitest"
import * as Events from "@florin/core/engine/notify/Events"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as StoragePostgres from "../../../postgres/src/StoragePostgres.ts"
import * as Databases from "../../../postgres/test-support/databases.ts"
import * as Scene from "../scene.ts"

const canary = "Canary7Quill"
const person = {
  fullName: canary,
  dob: "1907-03-11",
  pobCountry: "DE",
  pobAddress: `${canary} Street 1`,
  tosConfirmed: "true",
}

/** Every value of every table, as text. */
const dump = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'florin'`
  const rows = yield* Effect.forEach(tables, ({ name }) => sql`SELECT * FROM florin.${sql(name)}`)
  const values = rows.flat().flatMap((row) => Object.values(row))
  return values
    .map((value) =>
      value instanceof Uint8Array
        ? Buffer.from(value).toString("latin1")
        : JSON.stringify(value, (_, each) => (typeof each === "bigint" ? String(each) : each)),
    )
    .join("\n")
})

const database = Databases.database()
const layer = Layer.merge(
  Scene.layer({
    collectData: CollectDataPolicy.layerAlways,
    beforeStorage: Layer.provide(StoragePostgres.layer, database),
  }),
  database,
)

describe("the database", () => {
  it.effect("A4, A5: contains no readable key, webhook secret or personal data", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make
      const { other, own, walletKey } = scene
      const tenant = { partnerId: own.partner.id, mode: "test" } as const
      const { secret } = yield* Events.createEndpoint(tenant, { url: "https://hook.example.com/" })
      const id = yield* Scene.createPayment(own.key, own.merchantId, { referenceId: "seen 4711" })
      const body = yield* Scene.confirmBody(walletKey, id, yield* Scene.firstOption(walletKey, id))
      const fields = Object.entries(person).map(([name, value]) => ({ id: name, value }))
      const confirmed = yield* Scene.send({
        path: `/v1/gateway/payment/${id}/confirm`,
        key: walletKey,
        body: { ...body, collectedData: { fields } },
      })
      assert.strictEqual(confirmed.status, 200, confirmed.text)
      for (let round = 0; round < 4; round += 1) {
        yield* Scene.work
        yield* (yield* SimulatedChain).settle(8453)
        yield* TestClock.adjust("5 seconds")
      }

      const sql = yield* SqlClient.SqlClient
      assert.strictEqual((yield* sql`SELECT FROM florin.collected`).length, 1)
      const text = yield* dump
      // What may be read is there, so the rest would be seen.
      for (const stored of ["seen 4711", "hook.example.com", id, "payment.succeeded"]) {
        assert.include(text, stored)
      }
      assert.notInclude(text, canary)
      assert.notInclude(text, person.dob)
      const keys = [own.key, own.liveKey, other.key, walletKey, scene.liveWalletKey]
      for (const key of [...keys, secret]) assert.notInclude(text, key.slice(12))
      const bytes = Buffer.from(secret.replace("whsec_", ""), "base64")
      assert.notInclude(text, bytes.toString("latin1"))
    }).pipe(Effect.provide(layer)),
  )
})
