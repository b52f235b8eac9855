/**
 * The domain uses only exports of Effect that are tagged `@stability stable`.
 *
 * @module
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const importLine = /^import (?:type )?(?<what>[^;]*?) from "(?<from>[^"]+)"/gmu
const documented =
  /\/\*\*(?<comment>(?:(?!\*\/)[^])*)\*\/\n(?:\/\/.*\n)?(?:export (?:declare |abstract )*(?:const|function|class|interface|type|namespace) (?<name>\w+)|\s+(?:\w+ as )?(?<renamed>\w+)\s*[,}])/gu

/** The stability of each export of an Effect module; an export with several declarations has several. */
const stabilities = (module: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const file = `node_modules/effect/src/${module}.ts`
  const found = new Map<string, Array<string>>()
  if (!existsSync(file)) return found
  for (const { groups } of readFileSync(file, "utf8").matchAll(documented)) {
    const name = groups?.["name"] ?? groups?.["renamed"] ?? ""
    const stability = /@stability (\w+)/u.exec(groups?.["comment"] ?? "")?.[1] ?? "untagged"
    found.set(name, [...(found.get(name) ?? []), stability])
  }
  return found
}

const cache = new Map<string, ReadonlyMap<string, ReadonlyArray<string>>>()
const stability = (module: string, name: string): ReadonlyArray<string> => {
  const known = cache.get(module) ?? stabilities(module)
  cache.set(module, known)
  return known.get(name) ?? ["unknown"]
}

const withoutComments = (source: string) =>
  source.replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gmu, "")

const offences = (text: string): ReadonlyArray<string> => {
  const source = withoutComments(text)
  return [...source.matchAll(importLine)].flatMap(({ groups }) => {
    const from = groups?.["from"] ?? ""
    const what = groups?.["what"] ?? ""
    if (/^\.\.?\//u.test(from) || from.startsWith("@noble/")) return []
    const module = /^effect\/((?:\w+\/)?[A-Z]\w*)$/u.exec(from)?.[1]
    if (module === undefined) return [`${from} is not an Effect module`]
    const namespace = /^\* as (\w+)$/u.exec(what)?.[1]
    if (namespace === undefined) return [`${from} is not imported as a namespace`]
    const used = source.matchAll(new RegExp(`(?<![.\\w])${namespace}\\.(\\w+)`, "gu"))
    return [...new Set(Array.from(used, ([, name = ""]) => name))]
      .filter((name) => stability(module, name).some((tag) => tag !== "stable"))
      .map((name) => `${module}.${name} is ${stability(module, name).join(" and ")}`)
  })
}

describe("domain stability", () => {
  it("uses only modules that Effect marks as stable", () => {
    const files = globSync("packages/core/src/domain/**/*.ts")
    assert.isNotEmpty(files)
    const found = files.flatMap((file) =>
      offences(readFileSync(file, "utf8")).map((offence) => `${file}: ${offence}`),
    )
    assert.deepStrictEqual(found, [])
  })

  it("detects modules that are unstable or unknown", () => {
    const seeded = `
      /** Schema.notUsed in a comment is no use. */
      import * as Arbitrary from "effect/Arbitrary"
      import * as Schema from "effect/Schema"
      import { succeed } from "effect/Result"
      import { Effect } from "effect"
      import { readFileSync } from "node:fs"
      export const a = [Arbitrary.schema, Schema.String, Schema.Array, Schema.inventedByNobody]
    `.replaceAll(/^ {6}/gmu, "")
    assert.deepStrictEqual(offences(seeded), [
      "Arbitrary.schema is unstable",
      "Schema.inventedByNobody is unknown",
      "effect/Result is not imported as a namespace",
      "effect is not an Effect module",
      "node:fs is not an Effect module",
    ])
  })
})
