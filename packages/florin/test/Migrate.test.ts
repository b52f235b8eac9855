import { assert, describe, it } from "@effect/vitest"
import * as Postgres from "@florin/postgres/Postgres"
import { Effect } from "effect"
import * as Databases from "../../postgres/test-support/databases.ts"
import * as Program from "./program.ts"

describe("florin migrate", () => {
  it.live(
    "migrates an empty database to the newest schema, once, even if several processes do it",
    () =>
      Effect.gen(function* () {
        const url = yield* Databases.address("empty")
        const migrate = () => Program.run("migrate", "--storage", url, "--json")
        const ends = yield* Effect.promise(() => Promise.all([migrate(), migrate()]))
        assert.deepStrictEqual(
          ends.map(({ code, err }) => ({ code, err })),
          ends.map(() => ({ code: 0, err: "" })),
        )
        const told = ends.map(({ out }) => JSON.parse(out))
        const newest = Postgres.newestSchema
        assert.deepStrictEqual(
          told.flatMap(({ applied }) => applied).toSorted((left, right) => left - right),
          Array.from({ length: newest }, (_, index) => index + 1),
        )
        assert.deepStrictEqual(
          told.map(({ schema }) => schema),
          [newest, newest],
        )
        const again = yield* Effect.promise(() => Program.run("migrate", "--storage", url))
        assert.include(again.out, `has schema version ${newest} already`)
      }),
  )

  it.live("prints the SQL that makes the database, and checks whether it was run", () =>
    Effect.gen(function* () {
      const url = yield* Databases.address("empty")
      const run = (...flags: ReadonlyArray<string>) =>
        Effect.promise(() => Program.run("migrate", "--schema", "shop_pay", ...flags))
      const before = yield* run("--check", "--storage", url)
      assert.deepInclude(before, { code: 1, out: "" })
      assert.match(
        before.err,
        /has schema version 0, and this release needs 1: run `npx florin migrate .*--schema shop_pay`/u,
      )
      const printed = yield* run("--print")
      assert.strictEqual((yield* run("--print", "--storage", url)).out, printed.out)
      yield* Databases.runScript(url, printed.out)
      const after = yield* run("--check", "--storage", url)
      assert.deepInclude(after, { code: 0, err: "" })
      assert.strictEqual((yield* run("--print", "--storage", url)).out, "")
      assert.deepStrictEqual(JSON.parse((yield* run("--storage", url, "--json")).out).applied, [])
    }),
  )

  it.live("uses the given schema, and refuses an invalid name", () =>
    Effect.gen(function* () {
      const url = yield* Databases.address("empty")
      const migrate = (schema: string) =>
        Effect.promise(() => Program.run("migrate", "--storage", url, "--schema", schema, "--json"))
      const { applied } = JSON.parse((yield* migrate("payments")).out)
      assert.deepStrictEqual(applied, [Postgres.newestSchema])
      assert.deepStrictEqual(JSON.parse((yield* migrate("payments")).out).applied, [])
      const refused = yield* migrate("public")
      assert.strictEqual(refused.code, 1)
      assert.include(refused.err, "name of the schema in the database cannot be used")
    }),
  )

  it("requires a database, and does not print the password of one that does not respond", async () => {
    const [embedded, away] = await Program.several([
      ["migrate"],
      ["migrate", "--storage", "postgres://user:secret@127.0.0.1:1/none"],
    ])
    assert.strictEqual(embedded?.code, 1)
    assert.include(
      embedded?.err,
      "no database is given: set DATABASE_URL or --storage postgres://…",
    )
    assert.strictEqual(away?.code, 1)
    assert.notInclude(away?.err, "secret")
  })
})
