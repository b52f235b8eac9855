import { assert, describe, it } from "@effect/vitest"
import * as Languages from "../../src/messages/Languages.ts"

describe("Languages.wanted", () => {
  it("puts what the address asks for first", () => {
    assert.deepStrictEqual(Languages.wanted("?lang=de", ["en-US", "en"]), ["de", "en-US", "en"])
    assert.deepStrictEqual(Languages.wanted("?pid=pay_1", ["fr-CA"]), ["fr-CA"])
  })

  it("leaves out what is no language tag, by which no amount could be written", () => {
    for (const text of ["", "en-US@posix", "de_DE", "en-%00", "-", "x".repeat(9)]) {
      assert.deepStrictEqual(Languages.wanted(`?lang=${text}`, [text, "es"]), ["es"], text)
    }
  })
})
