/**
 * German has every text of the console and no other. Each text has the names and numbers that its key names, and a form
 * for each plural of its language.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import operatorGerman from "../src/messages/operator.de.json" with { type: "json" }
import operator from "../src/messages/operator.en.json" with { type: "json" }
import partnerGerman from "../src/messages/partner.de.json" with { type: "json" }
import partner from "../src/messages/partner.en.json" with { type: "json" }
import shellGerman from "../src/messages/shell.de.json" with { type: "json" }
import shell from "../src/messages/shell.en.json" with { type: "json" }
import * as Messages from "../src/shell/Messages.ts"

const parts = { operator, partner, shell }
const german = { operator: operatorGerman, partner: partnerGerman, shell: shellGerman }
const names = ["operator", "partner", "shell"] as const

/** Every entry of a file by its path: a text, or the plural forms of one. */
const entries = (value: unknown, path = ""): ReadonlyArray<readonly [string, unknown]> =>
  typeof value === "string" || path.endsWith(")")
    ? [[path, value]]
    : Object.entries(Object(value)).flatMap(([key, each]) => entries(each, `${path}/${key}`))

const formsOf = (entry: unknown): ReadonlyArray<string> =>
  typeof entry === "string" ? [entry] : Object.values(Object(entry)).map((form) => `${form}`)

/** Words that are the same in both languages. */
const same = /^[A-Z][A-Za-z-]*$|^ID$|^(?:\{\w+\})+$/u

const parametersOf = (path: string): ReadonlyArray<string> =>
  /\((.+)\)$/u.exec(path)?.[1]?.split(", ") ?? []

const usedIn = (text: string): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(/\{([^}]*)\}/gu), ([, name = ""]) => name))

describe("the texts of the console", () => {
  for (const name of names) {
    it(`have the same keys in German as in English: ${name}`, () => {
      const [left, right] = [new Map(entries(parts[name])), new Map(entries(german[name]))]
      assert.deepStrictEqual([...right.keys()].toSorted(), [...left.keys()].toSorted())
      for (const [path, text] of left) {
        if (typeof text === "string" && !same.test(text)) {
          assert.notStrictEqual(right.get(path), text, path)
        }
      }
    })

    for (const [language, file] of [
      ["en", parts[name]],
      ["de", german[name]],
    ] as const) {
      it(`contain what their keys name, in each plural form: ${name} in ${language}`, () => {
        const plurals = new Intl.PluralRules(language).resolvedOptions().pluralCategories
        for (const [path, entry] of entries(file)) {
          const wanted = parametersOf(path)
          const forms = formsOf(entry)
          const used = new Set(forms.flatMap((form) => [...usedIn(form)]))
          assert.deepStrictEqual([...used].toSorted(), wanted.toSorted(), path)
          if (typeof entry === "string") continue
          assert.deepStrictEqual(Object.keys(Object(entry)).toSorted(), plurals.toSorted(), path)
          // Only the number may be left out, as in "one transfer".
          for (const form of forms) {
            assert.includeMembers([...usedIn(form)], wanted.slice(1), path)
          }
        }
      })
    }
  }

  it("are functions of their parameters, and choose the plural form by the first", () => {
    const texts = Messages.textsOf(
      {
        plain: "Now",
        in: { "of(spent, limit)": "{spent} of {limit}" },
        "rows(count)": { one: "1 row", other: "{count} rows" },
      },
      "en",
    )
    assert.strictEqual(texts.plain, "Now")
    assert.strictEqual(texts.in.of("$& {limit}", "2"), "$& {limit} of 2")
    assert.strictEqual(texts.rows(1), "1 row")
    assert.strictEqual(texts.rows(5), "5 rows")
  })
})
