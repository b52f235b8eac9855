/**
 * Every language has every message and no other, and each plural form. None is still in English, and none lacks a name
 * or a number.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { english as checkout } from "../../src/messages/CheckoutMessages.ts"
import { english as collect } from "../../src/messages/CollectMessages.ts"
import * as Languages from "../../src/messages/Languages.ts"
import { english as plain } from "../../src/messages/PlainMessages.ts"
import * as Templates from "../../src/messages/Templates.ts"
import * as Translation from "../../src/messages/Translation.ts"

/** Stands for a name or a number. */
const probes = ["⟦1⟧", "⟦2⟧", "⟦3⟧"]

type Said = ReadonlyMap<string, string>

/** Every text by its path, with probes for what is put into it. */
const said = (value: unknown, path = ""): Said => {
  if (typeof value === "string") return new Map([[path, value]])
  if (typeof value === "function") return said(value(...probes), path)
  if (typeof value !== "object" || value === null) return new Map()
  return new Map(
    Object.entries(value).flatMap(([key, each]) => Array.from(said(each, `${path}.${key}`))),
  )
}

const probesIn = (text: string): ReadonlyArray<string> =>
  probes.filter((probe) => text.includes(probe))

/** What is the same in several languages: names of things, and what is put together from numbers. */
const isShort = (text: string): boolean => text.replaceAll(/⟦\d⟧/gu, "").trim().length <= 12

const english = { checkout, collect, plain }
const englishSaid = {
  checkout: said(checkout.texts),
  collect: said(collect.texts),
  plain: said(plain.texts),
}
const statuses = [
  "requires_action",
  "processing",
  "succeeded",
  "failed",
  "expired",
  "cancelled",
] as const

describe.each([...Languages.languages.keys()])("the language %s", (tag) => {
  it.each(["checkout", "collect", "plain"] as const)(
    "translates every English text of the page %s",
    async (page) => {
      const { language, texts } = await Languages.load<keyof Languages.Texts>(page, english[page], [
        tag,
      ])
      assert.strictEqual(language, tag)
      const its = said(texts)
      for (const [path, text] of englishSaid[page]) {
        const translated = its.get(path)
        assert.isDefined(translated, path)
        assert.notStrictEqual(translated?.trim(), "", path)
        if (!isShort(text)) assert.notStrictEqual(translated, text, path)
        // What the server says of a field is English, and may be left out.
        const needed = path === ".refused" ? ["⟦1⟧"] : probesIn(text)
        // Arabic counts the smaller number of steps, too.
        if (path === ".stepsRange" && tag === "ar") continue
        assert.includeMembers([...probesIn(translated ?? "")], [...needed], path)
      }
    },
  )

  it("has no key that English lacks, and every plural form that whole numbers have", async () => {
    const rules = new Intl.PluralRules(tag)
    const counts = Array.from({ length: 201 }, (_, count) => rules.select(count))
    const forms = new Set([...counts, "other"])
    const load = Languages.languages.get(tag) ?? assert.fail(tag)
    const look = (templates: unknown, texts: unknown, path: string): void => {
      if (typeof templates !== "object" || templates === null) {
        assert.isString(templates, path)
        assert.notMatch(templates, /\{(?!\d\})|(?<!\{\d)\}/u, path)
      } else if ("plural" in templates) {
        const { plural, ...own } = templates
        assert.isNumber(plural, path)
        assert.sameMembers(Object.keys(own), [...forms], path)
        for (const form of Object.values(own)) assert.isString(form, path)
      } else {
        const shape = typeof texts === "function" ? texts(...probes) : texts
        assert.sameMembers(Object.keys(templates), Object.keys(shape), path)
        for (const [key, each] of Object.entries(templates))
          look(each, shape[key], `${path}.${key}`)
      }
    }
    const texts = { checkout: checkout.texts, collect: collect.texts, plain: plain.texts }
    look((await load()).default, texts, tag)
  })

  it("has its own words for every end of a payment", async () => {
    const { texts } = await Languages.load("collect", collect, [tag])
    const ends = statuses.map((status) => texts.closed[status])
    assert.lengthOf(new Set(ends), statuses.length)
    for (const status of statuses)
      assert.notStrictEqual(texts.closed[status], collect.texts.closed[status])
  })

  it("writes a different text for each number", async () => {
    const { texts } = await Languages.load("checkout", checkout, [tag])
    const counts = [1, 2, 5, 11, 22]
    for (const say of [
      texts.ways,
      texts.aboutSeconds,
      texts.aboutMinutes,
      texts.leavingIn,
      texts.moreItems,
      (count: number) => texts.blocks(0, count),
    ]) {
      assert.lengthOf(new Set(counts.map(say)), counts.length)
      // One and two may be words, as in Arabic.
      for (const count of counts.slice(2)) assert.include(say(count), String(count))
    }
  })
})

describe("Templates.textsOf", () => {
  it("takes the form of other numbers if a browser knows one more than the language has", () => {
    // Chrome until 109: "many" for 20, 30 and so on.
    const rules = Object.assign(new Intl.PluralRules("he"), { select: () => "many" as const })
    const texts = Templates.textsOf(
      { ways: (count: number) => `${count} ways` },
      { ways: { plural: 0, one: "1", two: "2", other: "{0} others" } },
      rules,
    )
    assert.strictEqual(texts.ways(20), "20 others")
  })
})

describe("Translation.preferredTags", () => {
  it("starts with the language of the address", () => {
    assert.deepStrictEqual(Translation.preferredTags("?lang=de", ["en-US", "en"]), [
      "de",
      "en-US",
      "en",
    ])
    assert.deepStrictEqual(Translation.preferredTags("?pid=pay_1", ["fr-CA"]), ["fr-CA"])
  })

  it("leaves out invalid language tags, which amounts could not be written in", () => {
    for (const text of ["", "en-US@posix", "de_DE", "en-%00", "-", "x".repeat(9)]) {
      assert.deepStrictEqual(Translation.preferredTags(`?lang=${text}`, [text, "es"]), ["es"], text)
    }
  })
})
