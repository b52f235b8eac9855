import { assert, describe, it } from "@effect/vitest"
import * as Plants from "./canary/Plants.ts"

const percent = (text: string) =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16)}`).join("")
const escapes = (text: string) =>
  Array.from(Buffer.from(text), (byte) => `\\u00${byte.toString(16)}`).join("")

/** How a value may be written, next to what else is there. */
const ways: { readonly [name: string]: (text: string) => string } = {
  text: (text) => `before ${text} after`,
  "another case": (text) => text.toUpperCase(),
  "base64, 0 before": (text) => Buffer.from(`${text}!`).toString("base64"),
  "base64, 1 before": (text) => Buffer.from(`"${text}?`).toString("base64"),
  "base64, 2 before": (text) => Buffer.from(`{"${text}":1}`).toString("base64"),
  "base64url, 4 before": (text) => Buffer.from(`\u00ff\u00fe${text}`).toString("base64url"),
  hex: (text) => `0x00${Buffer.from(text).toString("hex").toUpperCase()}`,
  percent,
  "JSON escapes": escapes,
  bytes: (text) => JSON.stringify(Array.from(Buffer.from(text))),
}

describe("the search for canaries", () => {
  for (const [name, write] of Object.entries(ways)) {
    it(`finds a canary that is written as ${name}`, () => {
      const plants = Plants.make()
      plants.text("another")
      const text = plants.text("the one")
      plants.value("the value", "flr_test_pk_0123456789abcdef")
      const found = plants.search("log", write(text)).map(({ what }) => what)
      assert.isNotEmpty(found)
      if (name !== "bytes") assert.deepStrictEqual([...new Set(found)], ["the one"])
      const others = plants.search("log", write("flr_test_pk_0123456789abcdef"))
      assert.deepStrictEqual([...new Set(others.map(({ what }) => what))], ["the value"])
    })
  }

  it("finds the encoded bytes of a text, and texts that were cut off", () => {
    const plants = Plants.make()
    const bytes = Buffer.alloc(32, "key of 32 random bytes, or so it")
    plants.value("the key", bytes.toString("base64"), bytes)
    for (const written of [`0x${bytes.toString("hex")}`, [...bytes].join(", ")]) {
      assert.isNotEmpty(plants.search("trace", written))
    }
    const cut = plants.text("the one").slice(0, 9)
    assert.lengthOf(plants.search("metric", `name="${cut}"`), 1)
    assert.isEmpty(plants.search("metric", "canary 7"))
  })
})
