/**
 * Runs Effect's own diagnostics (floating effects, leaked requirements, stray clocks and randomness …) over every
 * package and test; their severities are in tsconfig.base.json. `tsconfig.tests.json` refers to all packages, so one
 * run sees everything, and this script makes sure that it did.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { globSync } from "node:fs"
import { relative, resolve } from "node:path"

interface Report {
  readonly diagnostics: ReadonlyArray<{
    readonly file: string
    readonly line: number
    readonly column: number
    readonly severity: string
    readonly name: string
    readonly message: string
  }>
  readonly files: ReadonlyArray<{ readonly file: string }>
}

const flags = "--project tsconfig.tests.json --format json --severity error,warning --list-files"
const run = spawnSync("effect-tsgo", ["diagnostics", ...flags.split(" ")], {
  encoding: "utf8",
  maxBuffer: 64 * 1024 * 1024,
})
if (run.error !== undefined || !run.stdout.startsWith("{")) {
  console.error(run.error?.message ?? run.stdout + run.stderr)
  console.error("effect-tsgo did not run: start this script with pnpm check:effect")
  process.exit(1)
}

const report: Report = JSON.parse(run.stdout)
const here = (file: string) => relative("", file)
for (const { file, line, column, severity, name, message } of report.diagnostics) {
  console.error(`${here(file)}:${line}:${column} ${severity} ${name}: ${message}`)
}

const seen = new Set(report.files.map(({ file }) => resolve(file)))
const unseen = globSync("packages/*/{src,test}/**/*.ts").filter((file) => !seen.has(resolve(file)))
for (const file of unseen) console.error(`${file} was not looked at: is it in a tsconfig?`)

console.log(`Effect diagnostics: ${report.diagnostics.length} in ${report.files.length} files`)
process.exitCode = report.diagnostics.length + unseen.length > 0 ? 1 : 0
