/**
 * Every known threat and fault is explained in docs/security.md, and has a test with its id in its name.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Threats from "../threats.ts"

const threats = Threats.ids
const { idsIn, open } = Threats

const tested = new Set([...Threats.tested.values()].flat())

const page = readFileSync("docs/security.md", "utf8")

/** What a page says of a threat, in a line that begins with its id. */
const sayingOf = (id: string, text: string): string | undefined =>
  new RegExp(`^- \\*\\*${id}\\*\\* (\\S.+)$`, "mu").exec(text)?.[1]

/** The same with the lines that follow it. */
const wholeOf = (id: string, text: string): string =>
  new RegExp(`^- \\*\\*${id}\\*\\* .+(?:\\n  .+)*`, "mu").exec(text)?.[0] ?? ""

const cannotApply = (id: string, text: string): boolean =>
  sayingOf(id, text)?.startsWith("cannot apply: ") === true

const missing = (names: ReadonlySet<string>, text: string): ReadonlyArray<string> =>
  threats.filter((id) => !open.includes(id) && !names.has(id) && !cannotApply(id, text))

describe("threats", () => {
  it("each is in a test's name, or is said to be impossible and why", () => {
    assert.deepStrictEqual(missing(tested, page), [])
  })

  it("each is explained in docs/security.md", () => {
    assert.deepStrictEqual(
      threats.filter((id) => !open.includes(id) && sayingOf(id, page) === undefined),
      [],
    )
  })

  it("each is explained with its settings and the remaining risk", () => {
    const said = threats
      .filter((id) => !open.includes(id) && !cannotApply(id, page))
      .map((id) => ({ id, whole: wholeOf(id, page) }))
    for (const word of [/[Ss]ettings?\b/u, /What remains/u]) {
      assert.deepStrictEqual(
        said.filter(({ whole }) => !word.test(whole)).map(({ id }) => id),
        [],
        `the rows without ${word}`,
      )
    }
  })

  it("none is both tested and impossible, and none is unknown", () => {
    assert.deepStrictEqual(
      [...tested].filter((id) => !threats.includes(id) || cannotApply(id, page)),
      [],
    )
  })

  it("no open threat is unknown", () => {
    assert.deepStrictEqual(
      open.filter((id) => !threats.includes(id)),
      [],
    )
  })

  it("a threat without a test is found", () => {
    for (const id of threats.filter((each) => !open.includes(each))) {
      const others = new Set(threats.filter((each) => each !== id))
      assert.deepStrictEqual(missing(others, `- **${id}** is explained`), [id])
      assert.deepStrictEqual(missing(others, `- **${id}** cannot apply: there is none`), [])
    }
    assert.deepStrictEqual(idsIn('it.effect(\n  "M1, C2: a rule"'), ["M1", "C2"])
    assert.deepStrictEqual(idsIn('it.effect.each(["a", "b"])("A1: %s"'), ["A1"])
    assert.deepStrictEqual(idsIn('it("says M1: nothing"'), [])
  })
})
