/**
 * Every command that the program's texts name can be run as printed. This file lists them all, with values for
 * placeholders.
 *
 * @module
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Hint from "../src/terminal/Hint.ts"
import * as Program from "./program.ts"

const packages = fileURLToPath(new URL("../..", import.meta.url))

/** Comments are for those who read the source. */
const isRead = (line: string): boolean => !/^\s*(?:\*|\/\/|\/\*)/u.test(line)

/** Marked in a text, or by itself in a list of commands. */
const named = /\\?`(florin [a-z][^`\\]*)\\?`|"(florin [a-z -]+)"/gu

/** An example of a command's help has other values in its place. */
const isExample = (line: string): boolean => /^\s*(?:examples: \[)?`florin .*`[,\]]/u.test(line)

/** What another process is told has a storage or a key is a name. */
const isName = (line: string): boolean =>
  /\b[lL]ayer\(|acquire\(|command: ["`]|name: "|withDefault\(/u.test(line)

const placeholder = "<>"

const hints = new Set(
  ["core", "evm", "florin", "server"].flatMap((name) =>
    globSync(join(packages, name, "src/**/*.ts")).flatMap((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => isRead(line) && !isName(line) && !isExample(line))
        .flatMap((line) => Array.from(line.matchAll(named)))
        .map(([, marked, listed = ""]) =>
          (marked ?? listed).replaceAll(/\$\{[^}]*\}|<\w+>/gu, placeholder),
        ),
    ),
  ),
)

const payment = "pay_1"
const hash = `0x${"1".repeat(64)}`
const asset = "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const account = "eip155:8453:0x66626B04e955Db480e37950a6E171512d0af0f9a"

/** What a reader fills in, by the words before it. */
const values: ReadonlyArray<readonly [path: RegExp, values: ReadonlyArray<string>]> = [
  [
    /^(?:explain|payments|refunds (?:create|list|return|retry)|webhooks (?:list|replay))/u,
    [payment, hash],
  ],
  [/^refunds show/u, ["rfnd_1"]],
  [/^payouts record/u, [hash]],
  [/^payouts/u, ["out_1"]],
  [/^chains/u, ["eip155:8453"]],
  [/^assets/u, [asset]],
  [/^unclaimed/u, [`unc_${"1".repeat(32)}`]],
  [/^partners/u, ["prtn_1"]],
  [/^merchants settlements add/u, ["mrch_1", asset, account]],
  [/^merchants/u, ["mrch_1", "crypto_1", account, "0x11"]],
  [/^float/u, [asset, account, "1"]],
  [/^(?:keys|approvals)/u, ["key_1"]],
  [/^webhooks endpoints deliveries/u, ["whk_1"]],
  [/^webhooks/u, ["https://shop.example/hook"]],
  [/^screening/u, ["3f6c0e9a51b2d874"]],
  [/^pay /u, ["http://localhost:3000/?pid=pay_1"]],
]

const flagValues: Readonly<Record<string, string>> = {
  "--assets": "assets.json",
  "--credit": "1000 USD",
  "--held-for": "payee",
  "--mode": "test",
  "--name": "Shop",
  "--partner": "prtn_1",
  "--payouts": "15m",
  "--payouts-per-day": "1000 USD",
  "--refunds-per-day": "1000 USD",
  "--transaction": hash,
  "--url": "http://localhost:9",
}

const wordsOf = (hint: string): ReadonlyArray<string> => {
  const command = hint.slice("florin ".length).replace(/^payouts <> <>/u, "payouts show <>")
  const filled = values.find(([path]) => path.test(command))?.[1].values()
  const words = command.match(/"[^"]*"|'[^']*'|\S+/gu) ?? []
  return words.map((word, index) =>
    word.includes(placeholder)
      ? (flagValues[words[index - 1] ?? ""] ?? filled?.next().value ?? assert.fail(hint))
      : word.replaceAll(/["']/gu, ""),
  )
}

/** What runs until it is stopped is not begun. */
const staysUp = /^florin (?:serve|dev|demo)(?! --help)/u

describe("a command that is named in a message", () => {
  it("can be run as it is printed", () =>
    Program.inDirectory(async (directory) => {
      const found = [...hints].filter((hint) => !staysUp.test(hint))
      assert.isAbove(found.length, 50)
      const ends = await Program.several(
        found.map((hint) => [
          ...wordsOf(hint),
          ...(Hint.taken(hint).includes("directory") ? ["--directory", directory] : []),
          // Nobody is there to confirm.
          ...(hint.startsWith("florin merchants approve ") ? ["--yes"] : []),
        ]),
      )
      const wrong: Array<string> = []
      for (const [index, { code, err }] of ends.entries()) {
        if (code === 2) wrong.push(`${found[index]}: ${err}`)
      }
      assert.deepStrictEqual(wrong, [])
    }))

  it("is given exactly those flags of a service that its help has", () => {
    const flags = ["url", "key-file", "storage", "schema", "directory"]
    const helps = globSync(join(packages, "florin/test/help/*.txt")).map((file) =>
      readFileSync(file, "utf8"),
    )
    const wrong = helps.flatMap((help) => {
      const [, command = ""] = /^ {2}npx (florin [a-z -]+?) \[flags\]/mu.exec(help) ?? []
      const own = flags.filter((flag) => new RegExp(`^ {2}--${flag} `, "mu").test(help))
      // Its schema is of no service.
      if (command === "" || command === "florin generate") return []
      return own.join() === Hint.taken(command).join() ? [] : [`${command}: ${own.join()}`]
    })
    assert.isAbove(helps.length, 100)
    assert.deepStrictEqual(wrong, [])
  })
})
