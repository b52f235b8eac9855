/**
 * Tries each lint rule of the architecture on a line that breaks it and on one that keeps it.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"

const layer = (name: string) => `packages/core/src/${name}/X.ts`
const imports = (from: string) => `import { y } from "${from}"\nexport const x = y\n`
const value = (expression: string) => `export const x = (y: string) => [y, ${expression}]\n`

const knowing = (self: string, other: string) =>
  `import type * as ${other} from "./${other}.ts"\nexport interface ${self} {\n  readonly other: ${other}.${other}\n}\n`

const refused: ReadonlyArray<readonly [file: string, source: string, rule: string]> = [
  ...[
    "effect",
    "effect/unstable/X",
    "effect/http/X",
    "../../ports/Y.ts",
    "node:fs",
    "@florin/core/domain/money/Y",
    "../eip155/Y.ts",
    "../partner/Y.ts",
  ].map((from) => [layer("domain/money"), imports(from), "no-restricted-imports"] as const),
  [layer("domain/eip155"), imports("../../ports/Y.ts"), "no-restricted-imports"],
  [layer("ports"), imports("../engine/books/Y.ts"), "no-restricted-imports"],
  [layer("ports"), imports("../workers/Y.ts"), "no-restricted-imports"],
  [layer("ports"), imports("effect"), "no-restricted-imports"],
  [layer("ports/memory"), imports("../../engine/books/Y.ts"), "no-restricted-imports"],
  [layer("engine/books"), imports("../../ports/memory/Y.ts"), "no-restricted-imports"],
  [layer("engine/books"), imports("../../workers/Y.ts"), "no-restricted-imports"],
  [layer("engine/books"), imports("node:fs"), "no-restricted-imports"],
  [layer("workers"), imports("effect"), "no-restricted-imports"],
  ["packages/testing/src/X.ts", imports("effect"), "no-restricted-imports"],
  ["packages/testing/src/X.ts", imports("florin/x"), "no-restricted-imports"],
  ["packages/florin/src/X.ts", imports("effect"), "no-restricted-imports"],
  [
    "packages/core/test/x.test.ts",
    `export { expect } from "@effect/vitest"\n`,
    "no-restricted-imports",
  ],
  [layer("domain"), "export const x = async () => 1\n", "no-async-await"],
  [layer("engine/books"), value("Date.now()"), "no-restricted-properties"],
  [layer("engine/books"), value("Math.random()"), "no-restricted-properties"],
  [layer("engine/books"), value("crypto.randomUUID()"), "no-restricted-globals"],
  [layer("engine/books"), value("globalThis.Date.now()"), "no-restricted-globals"],
  ...[
    layer("engine/books"),
    "packages/server/src/X.ts",
    "packages/pages/src/X.ts",
    "scripts/x.ts",
  ].map((file) => [file, value("escape(y)"), "no-restricted-globals"] as const),
  ["packages/pages/src/X.ts", value("name"), "no-restricted-globals"],
  [
    "packages/florin/test/browser/x.test.ts",
    value("y.waitForFunction(y)"),
    "no-restricted-properties",
  ],
  [layer("engine/books"), value("console.log(y)"), "no-console"],
  [layer("engine/books"), value("y as unknown"), "consistent-type-assertions"],
  [layer("engine/books"), value("y!"), "no-non-null-assertion"],
  [layer("engine/books"), "export const x: any = 1\n", "no-explicit-any"],
  [layer("engine/books"), value("/y/.test(y)"), "require-unicode-regexp"],
  [layer("engine/books"), `export * from "./Y.ts"\n`, "no-barrel-file"],
  // Two files that know each other by types only.
  [`packages/core/src/domain/There.ts`, knowing("There", "Back"), "no-cycle"],
  [`packages/core/src/domain/Back.ts`, knowing("Back", "There"), "no-cycle"],
]

const kept: ReadonlyArray<readonly [file: string, source: string]> = [
  ...["effect/Result", "effect/encoding/Base64Url", "@noble/hashes/sha3.js", "./Y.ts"].map(
    (from) => [layer("domain/ground"), imports(from)] as const,
  ),
  [layer("domain/money"), imports("../chain/Y.ts")],
  [layer("domain/eip155"), imports("../chain/Y.ts")],
  [layer("domain/eip155"), imports("./Y.ts")],
  [layer("ports"), imports("../domain/money/Y.ts")],
  [layer("ports"), imports("./memory/Y.ts")],
  [layer("ports/memory"), imports("../Y.ts")],
  [layer("ports/memory"), imports("../../domain/money/Y.ts")],
  [layer("engine/books"), imports("../ports/Y.ts")],
  [layer("workers"), imports("../engine/books/Y.ts")],
  [layer("ports").replace("X", "Identifiers"), value("crypto.randomUUID()")],
  [layer("engine/books"), value(`"_tag" as const`)],
  ["packages/testing/src/X.ts", imports("@florin/core/domain/money/Y")],
  ["packages/core/test/x.test.ts", imports("effect")],
]

/** All cases are files of one seeded project, so that one run of the linter sees them. */
const root = mkdtempSync(join(tmpdir(), "florin-lint-"))
const pathOf = (file: string, index: number) => file.replace(/\bx\b/iu, (x) => `${x}${index}`)
const reports = new Map<string, ReadonlyArray<string>>()
const reported = (file: string, index: number) => [...(reports.get(pathOf(file, index)) ?? [])]

beforeAll(() => {
  for (const [index, [file, source]] of [...refused, ...kept].entries()) {
    const path = join(root, pathOf(file, index))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, source)
  }
  copyFileSync(".oxlintrc.jsonc", join(root, ".oxlintrc.jsonc"))
  const { stdout } = spawnSync("oxlint", ["--format", "json"], { cwd: root, encoding: "utf8" })
  const found: { diagnostics: ReadonlyArray<{ code: string; filename: string }> } =
    JSON.parse(stdout)
  for (const { code, filename } of found.diagnostics) {
    const rule = code.replace(/^.*\((.+)\)$/u, "$1")
    reports.set(filename, [...(reports.get(filename) ?? []), rule])
  }
})
afterAll(() => rmSync(root, { recursive: true }))

describe("lint", () => {
  for (const [index, [file, source, rule]] of refused.entries()) {
    it(`refuses in ${file}: ${source.split("\n")[0]}`, () => {
      assert.include(reported(file, index), rule)
    })
  }
  for (const [index, [file, source]] of kept.entries()) {
    it(`allows in ${file}: ${source.split("\n")[0]}`, () => {
      assert.deepStrictEqual(reported(file, refused.length + index), [])
    })
  }
})
