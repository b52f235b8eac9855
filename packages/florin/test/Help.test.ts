/**
 * The help of the program and of each of its commands is what the files in `help/` say. They are written anew with
 * FLORIN_UPDATE=1.
 *
 * @module
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { env } from "node:process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Program from "./program.ts"

const directory = fileURLToPath(new URL("help", import.meta.url))

type Help = readonly [command: ReadonlyArray<string>, text: string]

const subcommandsIn = (text: string): ReadonlyArray<string> =>
  [...(text.split("\nSUBCOMMANDS\n")[1] ?? "").matchAll(/^ {2}([a-z]+) /gmu)].flatMap(
    ([, name]) => name ?? [],
  )

/** The program's own help says which commands there are; theirs, which there are below. */
const helpOf = async (command: ReadonlyArray<string>): Promise<ReadonlyArray<Help>> => {
  const { code, err, out } = await Program.run(...command, "--help")
  assert.deepStrictEqual({ code, err }, { code: 0, err: "" }, command.join(" "))
  const below = await Promise.all(subcommandsIn(out).map((name) => helpOf([...command, name])))
  return [[command, out], ...below.flat()]
}

const fileOf = (command: ReadonlyArray<string>): string => `${["florin", ...command].join("-")}.txt`

/** There are many, and each is a process. */
const timeout = 240_000

describe("florin --help", () => {
  it(
    "explains the program and each command as it was agreed, without colours",
    async () => {
      const helps = await helpOf([])
      if (env["FLORIN_UPDATE"] === "1") {
        rmSync(directory, { recursive: true, force: true })
        mkdirSync(directory)
        for (const [command, text] of helps) writeFileSync(join(directory, fileOf(command)), text)
      }
      assert.isAbove(helps.length, 10)
      assert.deepStrictEqual(
        readdirSync(directory).toSorted(),
        helps.map(([command]) => fileOf(command)).toSorted(),
      )
      for (const [command, text] of helps) {
        assert.strictEqual(text, readFileSync(join(directory, fileOf(command)), "utf8"))
        assert.notInclude(text, "\u001b")
      }
    },
    timeout,
  )
})
