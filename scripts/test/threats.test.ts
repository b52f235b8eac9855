/**
 * Every known threat and fault is explained in docs/security.md, and has a test with its id in its name.
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const numbered = (letter: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`)

/** Money, chains, the interface and its data, processes and storage, and what strangers and leaked keys can do. */
const threats = [
  ...numbered("M", 22),
  ...numbered("C", 5),
  ...numbered("A", 16),
  ...numbered("P", 7),
  ...numbered("S", 30),
]

/** Known, and not defended against yet, or only in part. */
const open = "S8 S17 S21".split(" ").filter((id) => id !== "")

/** Tests, and the suites that several of them share. */
const suites = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((file) => /^packages\/(?:.+\.test\.ts|testing\/src\/.+\.ts)$/u.test(file))
  .filter((file) => existsSync(file))

/** A test whose name begins with ids, such as `it.effect("M6, C1: …", …)`. */
const named = /\b(?:it|alone|play)(?:\.\w+)*(?:\([^()]*\))?\(\s*["'`]((?:[MCAPS]\d+(?:, )?)+): /gu

const idsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(named)].flatMap(([, ids = ""]) => ids.split(", "))

const tested = new Set(suites.flatMap((file) => idsIn(readFileSync(file, "utf8"))))

const page = readFileSync("docs/security.md", "utf8")

/** What a page says of a threat, in a line that begins with its id. */
const sayingOf = (id: string, text: string): string | undefined =>
  new RegExp(`^- \\*\\*${id}\\*\\* (\\S.+)$`, "mu").exec(text)?.[1]

const cannotApply = (id: string, text: string): boolean =>
  sayingOf(id, text)?.startsWith("cannot apply: ") === true

const missing = (names: ReadonlySet<string>, text: string): ReadonlyArray<string> =>
  threats.filter((id) => !open.includes(id) && !names.has(id) && !cannotApply(id, text))

describe("threats", () => {
  it("each is a test's name, or is said to be impossible and why", () => {
    assert.deepStrictEqual(missing(tested, page), [])
  })

  it("each is explained in docs/security.md", () => {
    assert.deepStrictEqual(
      threats.filter((id) => !open.includes(id) && sayingOf(id, page) === undefined),
      [],
    )
  })

  it("none is both tested and impossible, and none is unknown", () => {
    assert.deepStrictEqual(
      [...tested].filter((id) => !threats.includes(id) || cannotApply(id, page)),
      [],
    )
  })

  it("none that is open is unknown", () => {
    assert.deepStrictEqual(
      open.filter((id) => !threats.includes(id)),
      [],
    )
  })

  it("one that nobody tests is found", () => {
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
