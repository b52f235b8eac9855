import { globSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const src = fileURLToPath(new URL("../src", import.meta.url))

/** Each folder imports from itself and from those before it. */
const order = [
  "terminal",
  "init",
  "access",
  "serve",
  "dev",
  "operator",
  "doctor",
  "explain",
  "commands",
  "",
]

const importsOf = (file: string): ReadonlyArray<string> =>
  [...readFileSync(join(src, file), "utf8").matchAll(/(?:from |import\()"(\.[^"]+)"/gu)].map(
    ([, path = ""]) => relative(src, join(src, dirname(file), path)),
  )

const rank = (file: string): number => order.indexOf(file.split("/").slice(0, -1).join("/"))

describe("the folders of the program", () => {
  it("import in one direction", () => {
    const files = globSync("**/*.{ts,tsx}", { cwd: src })
    assert.isAbove(files.length, 100)
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((imported) => rank(file) < 0 || rank(imported) < 0 || rank(imported) > rank(file))
        .map((imported) => `${file} imports ${imported}`),
    )
    assert.deepStrictEqual(wrong, [])
  })
})
