import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Place from "../src/access/Place.ts"

const homeOf = (text: string, schema?: string) =>
  Result.getOrThrow(
    Result.map(Place.parse({ storage: text, directory: "kept", schema }), (place) =>
      place._tag === "Memory" ? "" : place.home,
    ),
  )

describe("Place.parse", () => {
  it("identifies a database by its server, name and schema, without user and password", () => {
    const home = homeOf("postgres://user:secret@db.example:5432/shop?sslmode=require")
    assert.match(home, /^kept\/postgres-[0-9a-f]{12}$/u)
    assert.strictEqual(homeOf("postgresql://other:word@db.example:5432/shop"), home)
    assert.notStrictEqual(homeOf("postgres://user:secret@db.example:5432/other"), home)
    assert.notStrictEqual(homeOf("postgres://user:secret@db.example:5433/shop"), home)
    const shop = "postgres://user:secret@db.example:5432/shop"
    assert.strictEqual(homeOf(shop, "florin"), home)
    assert.notStrictEqual(homeOf(shop, "payments"), home)
  })

  it("gives every storage its own chains, and memory none", () => {
    assert.strictEqual(homeOf("embedded"), "kept/embedded")
    assert.strictEqual(homeOf("memory"), "")
  })

  it("prints nothing of an address that it does not know", () => {
    for (const text of ["", "Embedded", "mysql://user:secret@h/d", "postgres", "/var/lib"]) {
      const refusal = Place.parse({ storage: text, directory: "kept" })
      assert.isTrue(Result.isFailure(refusal), text)
      if (Result.isFailure(refusal)) assert.notInclude(refusal.failure.message, "secret")
    }
  })
})
