import { assert, describe, it } from "@effect/vitest"
import { english } from "../../src/messages/CollectMessages.ts"
import * as Messages from "../../src/messages/Messages.ts"
import * as Page from "../../src/shared/Page.ts"

const inLanguage = (language: string): Messages.Catalogue<string> => ({
  language,
  direction: "ltr",
  texts: language,
})
const chosen = (...languages: ReadonlyArray<string>) =>
  Messages.choose([inLanguage("en"), inLanguage("de"), inLanguage("pt-BR")], languages).language

describe("the language of a page", () => {
  it("is the first of the payer's that there is", () => {
    assert.strictEqual(chosen("fr", "de", "en"), "de")
    assert.strictEqual(chosen("DE-at", "en"), "de")
    assert.strictEqual(chosen("pt-PT"), "pt-BR")
  })

  it("is the first there is where the payer's are not", () => {
    assert.strictEqual(chosen(), "en")
    assert.strictEqual(chosen("fr", "", "x-y-z"), "en")
  })

  it("keeps the name of a merchant from turning a sentence around", () => {
    assert.include(english.texts.lead("قهوة"), "\u2068قهوة\u2069")
  })
})

describe("what the server put into a page", () => {
  it("is read where it is for this page", () => {
    const data = { page: "collect", pageToken: "x" }
    assert.deepEqual<object>(Page.fromContent("collect", JSON.stringify(data)), data)
  })

  it.each(["", "{", "null", "1", "{}", '{"page":"checkout"}', '{"page":"absent"}'])(
    "is absent where it is %s",
    (content) => {
      assert.deepStrictEqual(Page.fromContent("collect", content), { page: "absent" })
    },
  )
})
