/**
 * The help of the program and of each command equals the files in `help/`. FLORIN_UPDATE=1 writes them again.
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

interface Help {
  /** Empty for the program itself. */
  readonly command: string
  readonly text: string
}

/** A list of commands, or the first of several groups of them, to the end. */
const lists = /^(?:SUBCOMMANDS|[A-Z][a-z ]+:)$[^]*/mu

const below = ({ command, text }: Help): ReadonlyArray<string> =>
  [...(lists.exec(text)?.[0] ?? "").matchAll(/^ {2}([a-z][a-z-]*) /gmu)].map(([, name = ""]) =>
    `${command} ${name}`.trim(),
  )

const wordsOf = (command: string) => command.split(" ").filter((word) => word !== "")

/** The program's own help says which commands there are; theirs, which there are below. */
const helpsOf = async (commands: ReadonlyArray<string>): Promise<ReadonlyArray<Help>> => {
  if (commands.length === 0) return []
  const ends = await Program.several(commands.map((command) => [...wordsOf(command), "--help"]))
  const helps = commands.map((command, index): Help => {
    const { code, err, out } = ends[index] ?? assert.fail(command)
    assert.deepStrictEqual({ code, err }, { code: 0, err: "" }, command)
    return { command, text: out }
  })
  return [...helps, ...(await helpsOf(helps.flatMap(below)))]
}

const fileOf = (command: string): string => `${`florin ${command}`.trim().replaceAll(" ", "-")}.txt`

const agreed = (command: string): string => readFileSync(join(directory, fileOf(command)), "utf8")

/** There are many, and the machine may have much else to do. */
const timeout = 240_000

/** What runs until it is stopped, or tells a story for people, and a list that has formats of its own. */
const withoutJson = new Set(["serve", "dev", "demo", "generate", "payments export"].map(fileOf))

describe("florin --help", () => {
  it(
    "explains the program and each command as recorded, without colors",
    async () => {
      const helps = await helpsOf([""])
      if (env["FLORIN_UPDATE"] === "1") {
        rmSync(directory, { recursive: true, force: true })
        mkdirSync(directory)
        for (const { command, text } of helps) writeFileSync(join(directory, fileOf(command)), text)
      }
      assert.isAbove(helps.length, 10)
      assert.deepStrictEqual(
        readdirSync(directory).toSorted(),
        helps.map(({ command }) => fileOf(command)).toSorted(),
      )
      for (const { command, text } of helps) {
        assert.strictEqual(text, agreed(command))
        assert.notInclude(text, "\u001b")
        const widest = Math.max(...text.split("\n").map(({ length }) => length))
        assert.isAtMost(widest, 80, command)
      }
    },
    timeout,
  )

  it(
    "is printed by the program itself, with the exit codes",
    async () => {
      for (const command of ["", "payments settle"]) {
        // oxlint-disable-next-line no-await-in-loop -- One after the other, as a process is heavy.
        const { code, err, out } = await Program.run(...wordsOf(command), "--help")
        assert.deepStrictEqual({ code, err, out }, { code: 0, err: "", out: agreed(command) })
      }
      assert.include(agreed(""), "The exit code is 0 on success, 1 on failure, and")
    },
    timeout,
  )

  it("names the scope that a key needs for every command of the operator", () => {
    const files = readdirSync(directory).filter((file) =>
      /Why: the audit log keeps it/u.test(readFileSync(join(directory, file), "utf8")),
    )
    assert.isAbove(files.length, 60)
    const silent = files.filter(
      (file) => !/Needs\s+the\s+scope\s+`\w+`\./u.test(readFileSync(join(directory, file), "utf8")),
    )
    assert.deepStrictEqual(silent, [])
  })

  it("breaks no line of an example within quotes, where a shell keeps the backslash", () => {
    const broken = readdirSync(directory).flatMap((file) =>
      readFileSync(join(directory, file), "utf8")
        .split("\n")
        .filter((line) => line.endsWith(" \\") && line.split("'").length % 2 === 0),
    )
    assert.deepStrictEqual(broken, [])
  })

  it("names flags, and no member of the API that a flag sets", () => {
    const named = readdirSync(directory).flatMap((file) =>
      Array.from(
        readFileSync(join(directory, file), "utf8").matchAll(/`(?:\w+Ts|statement|scopes)`/gu),
        ([name]) => `${file}: ${name}`,
      ),
    )
    assert.deepStrictEqual(named, [])
  })

  it("offers --json for every command that prints a result", () => {
    for (const file of readdirSync(directory)) {
      const text = readFileSync(join(directory, file), "utf8")
      if (lists.test(text)) continue
      assert.strictEqual(/^ {2}--json /mu.test(text), !withoutJson.has(file), file)
    }
  })
})
