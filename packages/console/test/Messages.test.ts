/**
 * German has every text of the console and no other, each with the same names and numbers in it.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import * as Translation from "@florin/pages/Translation"
import operatorGerman from "../src/messages/operator.de.json" with { type: "json" }
import { english as operator } from "../src/messages/OperatorMessages.ts"
import partnerGerman from "../src/messages/partner.de.json" with { type: "json" }
import { english as partner } from "../src/messages/PartnerMessages.ts"
import shellGerman from "../src/messages/shell.de.json" with { type: "json" }
import { english as shell } from "../src/messages/ShellMessages.ts"

const probes = ["⟦1⟧", "⟦2⟧", "⟦3⟧"]

/** Every text by its path, with probes for what is put into it. */
const said = (value: unknown, path = ""): ReadonlyMap<string, string> => {
  if (typeof value === "string") return new Map([[path, value]])
  if (typeof value === "function") return said(value(...probes), path)
  const found = new Map<string, string>()
  for (const [name, each] of Object.entries(Object(value))) {
    for (const [below, text] of said(each, `${path}.${name}`)) found.set(below, text)
  }
  return found
}

const probesIn = (text = "") => Array.from(text.matchAll(/⟦\d⟧/gu), ([found]) => found).toSorted()

/** Words that are the same in both languages. */
const same = /^[A-Z][A-Za-z-]*$|^ID$|^(?:⟦\d⟧)+$/u

const german = <Texts>(
  english: Parameters<typeof Translation.load<Texts, unknown>>[0],
  file: Parameters<Parameters<typeof Translation.load<Texts, unknown>>[2]>[0],
  templates: ReturnType<Parameters<typeof Translation.load<Texts, unknown>>[2]>,
) =>
  Translation.load(
    english,
    new Map([
      ["de", { direction: "ltr" as const, load: () => Promise.resolve({ default: file }) }],
    ]),
    () => templates,
    ["de"],
  )

describe("German", () => {
  const compare = (english: unknown, translated: unknown) => {
    const [left, right] = [said(english), said(translated)]
    assert.deepStrictEqual([...right.keys()].toSorted(), [...left.keys()].toSorted())
    for (const [path, text] of left) {
      assert.deepStrictEqual(probesIn(right.get(path)), probesIn(text), path)
      if (!same.test(text)) assert.notStrictEqual(right.get(path), text, path)
    }
  }

  it("has all texts of the shell", async () => {
    const { texts } = await german(shell, shellGerman, shellGerman)
    compare(shell.texts, texts)
  })

  it("has all texts of the operator", async () => {
    const { texts } = await german(operator, operatorGerman, operatorGerman)
    compare(operator.texts, texts)
  })

  it("has all texts of partners", async () => {
    const { texts } = await german(partner, partnerGerman, partnerGerman)
    compare(partner.texts, texts)
  })
})
