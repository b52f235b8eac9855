/**
 * Folders that are layers of a package: each file imports from its own folder and from those before it.
 *
 * @module
 */
import { globSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { assert, describe, it } from "@effect/vitest"

/** The folders in their order, by where they lie. `.` is what lies in no folder. */
const orders = {
  "packages/core/src/engine": [
    "record",
    "partner",
    "chain",
    "payment",
    "books",
    "notify",
    "status",
  ],
  "packages/evm/src": ["node", "config", "read", "token", "send", "."],
  "packages/server/src": [
    "http",
    "edge",
    "views",
    "operations",
    "pages",
    "docs",
    "operator",
    ".",
    "frameworks",
  ],
  "packages/florin/src": [
    "terminal",
    "init",
    "access",
    "serve",
    "dev",
    "operator",
    "doctor",
    "explain",
    "commands",
    ".",
  ],
}

/** The files of the same layers that a file imports. */
const importsOf = (src: string, file: string): ReadonlyArray<string> =>
  [...readFileSync(join(src, file), "utf8").matchAll(/(?:from |import\()"(\.[^"]+)"/gu)]
    .map(([, path = ""]) => relative(src, join(src, dirname(file), path)))
    .filter((path) => !path.startsWith(".."))

describe("folders import in one direction", () => {
  for (const [src, order] of Object.entries(orders)) {
    it(`in ${src}`, () => {
      const rank = (file: string): number => order.indexOf(dirname(file))
      const files = globSync("**/*.{ts,tsx}", { cwd: src })
      const wrong = files.flatMap((file) =>
        importsOf(src, file)
          .filter((imported) => rank(file) < 0 || rank(imported) < 0 || rank(imported) > rank(file))
          .map((imported) => `${file} imports ${imported}`),
      )
      assert.isAbove(files.length, 40)
      assert.deepStrictEqual(wrong, [])
    })
  }
})
