/**
 * The commands in the documents exist with their flags, and the scripts of the examples run.
 *
 * @module
 */
import { execFileSync, spawn } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import process, { env } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as Counts from "../../packages/testing/src/Counts.ts"

const read = (file: string) => readFileSync(file, "utf8")

const documents = execFileSync("git", ["ls-files", "*.md"], { encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((file) => !/^(?:CHANGELOG|\.changeset|docs\/decisions)/u.test(file))

/** A document's lines for a shell. A line that ends with a backslash continues. */
const shellLines = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/^```sh\n([^]*?)^```$/gmu), ([, block = ""]) =>
    block.replaceAll(/\\\n\s*/gu, " ").split("\n"),
  ).flat()

/** A document's commands that stand in a sentence. */
const inSentences = (text: string): ReadonlyArray<string> =>
  Array.from(
    text.replaceAll(/^```[^]*?^```$/gmu, "").matchAll(/`([^`\n]+)`/gu),
    ([, code = ""]) => code,
  )

/** `florin partners|merchants suspend` is two commands. */
const each = (command: string): ReadonlyArray<string> => {
  const [choice] = command.match(/(?<=^| )[a-z]+(?:\|[a-z]+)+(?= |$)/u) ?? []
  return choice === undefined
    ? [command]
    : choice.split("|").flatMap((word) => each(command.replace(choice, word)))
}

/** The program's commands in a line, without what a shell adds: `KEY=$(florin keys create …)`. */
const programCommands = (line: string): ReadonlyArray<string> =>
  Array.from(
    line.replace(/ +#.*$/u, "").matchAll(/(?:^|[(;] ?|&& |npx |\.\/)florin((?: [^);&]+)?)/gu),
    ([, words = ""]) => words.trim(),
  ).flatMap(each)

const helpOf = (path: ReadonlyArray<string>): string | undefined => {
  const file = `packages/florin/test/help/${["florin", ...path].join("-")}.txt`
  return existsSync(file) ? read(file) : undefined
}

/** What is wrong with a command, by the help of the program. */
const faults = (command: string): ReadonlyArray<string> => {
  const words = command.split(/\s+/u).filter((word) => word !== "")
  const path: Array<string> = []
  for (const word of words) {
    if (helpOf([...path, word]) === undefined) break
    path.push(word)
  }
  const help = helpOf(path) ?? ""
  const next = words[path.length]
  const flags = words.flatMap((word) => word.match(/^--[a-z][a-z-]*/u) ?? [])
  return [
    ...(next !== undefined && !next.startsWith("-") && !/^ARGUMENTS$/mu.test(help)
      ? [`florin ${command}: there is no ${next}`]
      : []),
    ...flags
      .filter(
        (flag) => flag !== "--help" && !new RegExp(`^ +(?:-\\w, )?${flag}(?: |$)`, "mu").test(help),
      )
      .map((flag) => `florin ${command}: there is no ${flag}`),
  ]
}

describe("the florin commands in the documents", () => {
  const commands = documents.flatMap((file) => {
    const text = read(file)
    return [
      ...shellLines(text),
      ...inSentences(text).filter((code) => /^(?:npx |\.\/)?florin /u.test(code)),
    ]
      .flatMap(programCommands)
      .map((command) => ({ file, command }))
  })

  it("exist, with their flags", () => {
    assert.isAbove(commands.length, 150)
    const wrong = commands.flatMap(({ command, file }) =>
      faults(command).map((fault) => `${file}: ${fault}`),
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("are distinguished from commands that do not exist", () => {
    assert.deepStrictEqual(faults("payouts burn out_1"), [
      "florin payouts burn out_1: there is no burn",
    ])
    assert.deepStrictEqual(faults("reconcile --twice"), [
      "florin reconcile --twice: there is no --twice",
    ])
  })
})

const scripts = documents.flatMap((file) =>
  shellLines(read(file)).flatMap((line) =>
    Array.from(line.matchAll(/npx pnpm --filter (\S+) (\S+)/gu), ([, name = "", script = ""]) => ({
      file,
      name,
      script,
    })),
  ),
)

const packageFiles: ReadonlyMap<string, string> = new Map(
  globSync("{packages,examples}/*/package.json").map((file) => {
    const { name }: { name: string } = JSON.parse(read(file))
    return [name, file]
  }),
)

interface Ran {
  readonly code: number | null
  readonly text: string
}

/** Runs a script of a package until it ends. It is stopped once it prints what `enough` waits for. */
const run = (name: string, script: string, enough?: RegExp): Promise<Ran> =>
  new Promise((resolve) => {
    const child = spawn("pnpm", ["--filter", name, script], {
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...env, PORT: "0" },
    })
    let text = ""
    let isStopped = false
    const heard = (chunk: unknown) => {
      text += String(chunk)
      if (isStopped || enough?.test(text) !== true || child.pid === undefined) return
      isStopped = true
      process.kill(-child.pid, "SIGINT")
    }
    child.stdout.on("data", heard)
    child.stderr.on("data", heard)
    child.once("close", (code) => resolve({ code, text }))
  })

describe("the scripts of the examples", () => {
  it("build the pages once: an install runs prepare by itself", () => {
    const { scripts: own }: { scripts: Record<string, string> } = JSON.parse(read("package.json"))
    assert.notProperty(own, "prepare")
    assert.match(own["prestart"] ?? "", /install .+ && npm run pages$/u)
  })

  it("exist in their packages", () => {
    assert.isAbove(scripts.length, 10)
    const missing = scripts.filter(({ name, script }) => {
      const file = packageFiles.get(name)
      if (file === undefined) return true
      const { scripts: own }: { scripts: Record<string, string> } = JSON.parse(read(file))
      return own[script] === undefined
    })
    assert.deepStrictEqual(missing, [])
  })

  const servers = scripts.filter(
    ({ name, script }) => script === "start" && /embed-in-/u.test(name),
  )
  for (const { name } of Counts.full ? servers : servers.slice(0, 1)) {
    it(`${name} starts, and prints a payment link`, async () => {
      const { text } = await run(name, "start", /A payment link +\S+/u)
      assert.match(text, /A payment link +http:\/\/localhost:[0-9]+\/\?pid=pay_/u)
    })
  }

  it.for(["example-shop", "example-checkout-in-a-page"])(
    "%s starts, and names the missing key",
    async (name) => {
      const { code, text } = await run(name, "start")
      assert.strictEqual(code, 1)
      assert.include(text, "FLORIN_API_KEY is not set")
    },
  )

  const tests = scripts.filter(({ script }) => script === "test")
  for (const { name } of Counts.full ? tests : tests.slice(-1)) {
    it(`${name} passes its own tests`, async () => {
      const { code, text } = await run(name, "test")
      assert.strictEqual(code, 0, text)
    })
  }
})
