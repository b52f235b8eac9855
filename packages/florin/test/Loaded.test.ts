/**
 * Loading modules takes most of a command's time, so each command loads only the modules that it needs.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { stdout } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as Program from "./program.ts"
import * as Serving from "./serving.ts"

const hook = new URL("loads.ts", import.meta.url).href

const watched = (file: string) => ({ NODE_OPTIONS: `--import=${hook}`, TEST_LOADED: file })

const read = (file: string): ReadonlyArray<string> => readFileSync(file, "utf8").split("\n")

/** How many modules a start may load. Raise a limit only for a reason: each is read, compiled and run at every start. */
const most = { "--version": 230, "payments list": 480, serve: 1100 }

const assertFew = (of: keyof typeof most, file: string): void => {
  const count = Number(readFileSync(`${file}.modules`, "utf8"))
  stdout.write(`${of}: ${count} modules, of ${most[of]}\n`)
  assert.isAtMost(count, most[of])
  assert.isAbove(count, most[of] / 2)
}

/** The packages that a run to its end loads. */
const loadedBy = async (command: string, directory: string): Promise<ReadonlyArray<string>> => {
  const file = join(directory, command)
  await Program.start(command.split(" "), watched(file)).ended
  return read(file)
}

/** What moves money, keeps it and answers calls: all of it is slow to load. */
const heavy = new Set([
  "SchemaJITCompiler",
  "viem",
  "@effect/sql-pg",
  "@electric-sql/pglite",
  "evm",
  "localnet",
  "pages",
  "server",
  "testing",
])

describe("the modules that a start loads", () => {
  it("include no command for a list of the commands", () =>
    Program.inDirectory(async (directory) => {
      const load = (command: string) => loadedBy(command, directory)
      for (const packages of await Promise.all(["--version", "--help", "nothing"].map(load))) {
        // Of the core, only the table of invisible characters, which imports nothing.
        assert.deepStrictEqual(packages, ["core", "effect", "florin"])
      }
      assertFew("--version", join(directory, "--version"))
    }))

  it("include nothing large for a command that calls a service, or prints help", () =>
    Program.inDirectory(async (directory) => {
      const load = (command: string) => loadedBy(command, directory)
      const light = ["payments list", "partners list", "status", "explain --help"]
      for (const packages of await Promise.all(light.map(load))) {
        assert.include(packages, "core")
        assert.deepStrictEqual(
          packages.filter((name) => heavy.has(name)),
          [],
        )
      }
      assertFew("payments list", join(directory, "payments list"))
    }))

  it("include neither local chains nor an embedded database for a service without them", () =>
    Program.inDirectory(async (directory) => {
      const file = join(directory, "serve")
      const served = await Serving.serve(
        {
          ...watched(file),
          FLORIN_RELAYER_KEYS: `0x${"1".repeat(64)}`,
          FLORIN_I_KNOW: "true",
        },
        "--storage",
        "memory",
        "--rpc",
        "8453=http://127.0.0.1:9",
        "--port",
        "0",
      )
      await Serving.end(served, "SIGTERM")
      const packages = read(file)
      assert.includeMembers([...packages], ["SchemaJITCompiler", "server", "evm", "viem"])
      for (const name of [
        "@effect/sql-pg",
        "@electric-sql/pglite",
        "localnet",
        "testing",
        "client",
        // The first signature loads them.
        "secp256k1",
        "tiny-secp256k1",
      ]) {
        assert.notInclude(packages, name)
      }
      assertFew("serve", file)
      // Loading `fetch` takes half as long as the start of an empty Node.
      const parts = readFileSync(`${file}.node`, "utf8")
      assert.include(parts, "NativeModule http")
      assert.notInclude(parts, "undici")
      // The tables of a language take megabytes.
      assert.strictEqual(readFileSync(`${file}.formatters`, "utf8"), "")
    }))

  it("include every command for shell completion", async () => {
    const { code, out } = await Program.run("--completions", "bash")
    assert.strictEqual(code, 0)
    for (const flag of ["--ready-file", "--pay-link-host", "--reference"]) assert.include(out, flag)
  })
})
