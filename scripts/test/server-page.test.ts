/**
 * The page of `@florin/server` lists every option, and no other.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const read = (file: string) => readFileSync(`packages/server/${file}`, "utf8")

/** The members that a declaration has in the source, one level deep. */
const membersOf = (file: string, declaration: RegExp): ReadonlyArray<string> => {
  const body = declaration.exec(read(file))?.[1] ?? assert.fail(`no ${declaration.source}`)
  return Array.from(body.matchAll(/^ +readonly (\w+)\??:/gmu), ([, name = ""]) => name)
}

describe("packages/server/README.md", () => {
  it("lists every option of createFlorin", () => {
    const listed = Array.from(
      (/^## Options\n([^]*?)^## /mu.exec(read("README.md"))?.[1] ?? "").matchAll(/^\| `(\w+)`/gmu),
      ([, name = ""]) => name,
    )
    const options = membersOf("src/Florin.ts", /^export interface Options [^]*?\{\n([^]*?)^\}/mu)
    const edge = membersOf(
      "src/edge/EdgeSettings.ts",
      /^ {2}EdgeSettings,\n {2}\{\n([^]*?)^ {2}\}/mu,
    )
    assert.isAbove(options.length + edge.length, 15)
    // `pages` is an option of its own, with another type.
    assert.sameMembers(listed, [...new Set([...options, ...edge])])
  })
})
