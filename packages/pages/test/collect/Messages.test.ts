import { assert, describe, it } from "@effect/vitest"
import { english } from "../../src/messages/CollectMessages.ts"
import * as Languages from "../../src/messages/Languages.ts"
import * as Translation from "../../src/messages/Translation.ts"
import * as Page from "../../src/shared/Page.ts"

const chosen = (...wishes: ReadonlyArray<string>) =>
  Translation.choose(["en", "de", "pt-BR"], wishes)

describe("the language of a page", () => {
  it("is the payer's first available language", () => {
    assert.strictEqual(chosen("fr", "de", "en"), "de")
    assert.strictEqual(chosen("DE-at", "en"), "de")
    assert.strictEqual(chosen("pt-PT"), "pt-BR")
  })

  it("is undefined if none is available", () => {
    assert.isUndefined(chosen())
    assert.isUndefined(chosen("fr", "", "x-y-z"))
  })

  it("is the address's language before the browser's", () => {
    assert.deepStrictEqual(Translation.preferredTags("?pid=1&lang=de", ["fr"]), ["de", "fr"])
    assert.deepStrictEqual(Translation.preferredTags("?pid=1", ["fr"]), ["fr"])
  })

  it("has amounts written as in the payer's own region", () => {
    assert.strictEqual(Translation.localeOf("de", ["fr-FR", "de-CH"]), "de-CH")
    assert.strictEqual(Translation.localeOf("de", ["en-GB"]), "de")
  })

  it("is English if the payer's cannot be loaded", async () => {
    const catalogue = await Languages.load("collect", english, ["xx", "en-GB"])
    assert.strictEqual(catalogue, english)
  })

  it("isolates a merchant's name from the direction of the sentence", () => {
    assert.include(english.texts.lead("قهوة"), "\u2068قهوة\u2069")
  })
})

describe("the server's data in a page", () => {
  it("is read if it is for this page", () => {
    const data = { page: "collect", pageToken: "x" }
    assert.deepEqual<object>(Page.fromContent("collect", JSON.stringify(data)), data)
  })

  it.each(["", "{", "null", "1", "{}", '{"page":"checkout"}', '{"page":"absent"}'])(
    "is absent if it is %s",
    (content) => {
      assert.deepStrictEqual(Page.fromContent("collect", content), { page: "absent" })
    },
  )
})
