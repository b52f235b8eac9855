/**
 * All known threats and faults, by id, and the tests that have their ids in their names.
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"

const numbered = (letter: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`)

/** Threats to money, chains, the API and its data, processes and storage, and threats by strangers and leaked keys. */
export const ids = [
  ...numbered("M", 22),
  ...numbered("C", 5),
  ...numbered("A", 16),
  ...numbered("P", 7),
  ...numbered("S", 41),
]

/** Known threats that are not defended against yet, or only in part. */
export const open = "".split(" ").filter((id) => id !== "")

/** A test whose name begins with ids, such as `it.effect("M6, C1: …", …)`. */
const named = /\b(?:it|alone|play)(?:\.\w+)*(?:\([^()]*\))?\(\s*["'`]((?:[MCAPS]\d+(?:, )?)+): /gu

export const idsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(named)].flatMap(([, of = ""]) => of.split(", "))

/** The test files and shared test suites, with the ids that their tests name. */
export const tested: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" })
    .trim()
    .split("\n")
    .filter((file) =>
      /^(?:packages|examples)\/(?:.+\.test\.ts|testing\/src\/.+\.ts|.+Suite\.ts)$/u.test(file),
    )
    .filter((file) => existsSync(file))
    .map((file) => [file, idsIn(readFileSync(file, "utf8"))]),
)
