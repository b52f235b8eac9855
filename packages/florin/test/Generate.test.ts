import { lstatSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Postgres from "@florin/postgres/Postgres"
import * as Directory from "./directory.ts"
import * as Program from "./program.ts"

const recorded = {
  sql: "views.sql",
  drizzle: "drizzle.ts",
  prisma: "views.prisma",
  kysely: "kysely.ts",
} as const

const textOf = (format: keyof typeof recorded) =>
  readFileSync(
    new URL(`../../postgres/test/fixtures/views/${recorded[format]}`, import.meta.url),
    "utf8",
  )

describe("florin generate", () => {
  it("prints the types for each library, and nothing else", async () => {
    const ends = await Program.several(Postgres.typeFormats.map((format) => ["generate", format]))
    assert.deepStrictEqual(
      ends,
      Postgres.typeFormats.map((format) => ({ code: 0, out: textOf(format), err: "" })),
    )
  })

  it("writes a file, for the schema that is named", async () => {
    const directory = Directory.make()
    const path = join(directory, "views.ts")
    const done = await Program.run("generate", "kysely", "--schema", "shop_pay", "--output", path)
    assert.deepInclude(done, { code: 0, err: "" })
    assert.include(done.out, "has the types of shop_pay")
    assert.strictEqual(
      readFileSync(path, "utf8"),
      textOf("kysely").replaceAll('"florin.', '"shop_pay.'),
    )
    Directory.remove(directory)
  })

  it("puts no file in the place of a device, and says so", async () => {
    const directory = Directory.make()
    const path = join(directory, "device")
    symlinkSync("/dev/null", path)
    const { code, err, out } = await Program.run("generate", "sql", "--output", path)
    assert.deepStrictEqual({ code, out }, { code: 1, out: "" })
    assert.include(err, `${path} is not a file: choose another path, or leave out --output`)
    assert.isTrue(lstatSync(path).isSymbolicLink())
    Directory.remove(directory)
  })

  it("names what it cannot write, and how to continue", async () => {
    const ends = await Program.several([
      ["generate", "sequelize"],
      ["generate", "sql", "--schema", "public"],
      ["generate", "sql", "--output", "/nowhere/views.sql"],
    ])
    assert.deepStrictEqual(
      ends.map(({ code, out }) => ({ code, out })),
      [2, 1, 1].map((code) => ({ code, out: "" })),
    )
    const [format, schema, file] = ends.map(({ err }) => err)
    assert.include(format, "drizzle")
    assert.include(schema, "The name of the schema in the database cannot be used")
    assert.include(file, "/nowhere/views.sql cannot be written (ENOENT): choose another path")
  })
})
