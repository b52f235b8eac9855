import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const [, recipes = ""] = readFileSync("AGENTS.md", "utf8").split("## Recipes")
const rows = recipes.split("\n").filter((line) => /^\| an? /u.test(line))

/** The files that a row names; a bare name is in the folder of the one before it. */
const filesOf = (row: string): ReadonlyArray<string> => {
  let folder = ""
  return [...row.matchAll(/`([\w/.-]+\.ts)`/gu)].map(([, name = ""]) => {
    const [, above] = /^(\w+\/(?:src|test)\/(?:.+\/)?)[^/]+$/u.exec(name) ?? []
    if (above !== undefined) folder = above
    return above === undefined ? `${folder}${name}` : name
  })
}

describe("the recipes of AGENTS.md", () => {
  it("are for the most common changes", () => {
    assert.lengthOf(rows, 16)
  })

  for (const row of rows) {
    it(`name existing files: ${row.split("|")[1]?.trim()}`, () => {
      const files = filesOf(row)
      assert.isNotEmpty(files)
      assert.deepStrictEqual(
        files.filter((file) => !existsSync(`packages/${file}`)),
        [],
      )
    })
  }
})
