/**
 * `pnpm fuzz`: fuzzes each input of the service for a time, and prints inputs that break a rule.
 *
 * @module
 */
import { randomInt } from "node:crypto"
import { argv, exit, stdout } from "node:process"
import { parseArgs } from "node:util"
import * as Corpus from "./Corpus.ts"
import * as Coverage from "./Coverage.ts"
import * as Parsers from "./Parsers.ts"
import * as Search from "./Search.ts"

const names = [...Parsers.all.map(({ name }) => name), "http", "operations"]

const help = `Usage: pnpm fuzz [--seconds N] [--seed S] [--only NAME] [--input TEXT] [--keep]

  --seconds N    how long to search in all (default: 60)
  --seed S       where chance begins (default: a new one)
  --only NAME    search one of these:
${names.map((name) => `                   ${name}`).join("\n")}
  --input TEXT   read one text, as JSON writes it, with the parser that --only names
  --keep         add what was found to the corpus, which npm test reads
`

const { values } = parseArgs({
  args: argv.slice(2),
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: `${randomInt(1_000_000_000)}` },
    only: { type: "string" },
    input: { type: "string" },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
})

const say = (text: string): void => void stdout.write(`${text}\n`)

const seconds = Number(values.seconds)
const seed = Number(values.seed)
const { input, keep, only } = values
const parser = Parsers.all.find(({ name }) => name === only)
const isRead =
  [seconds, seed].every((each) => Number.isSafeInteger(each) && each >= 0) &&
  (only === undefined || names.includes(only)) &&
  (input === undefined || parser !== undefined)
if (values.help || !isRead) {
  say(help)
  exit(values.help ? 0 : 2)
}

/** Nobody reads the stacks of refusals. */
Error.stackTraceLimit = 0

if (input !== undefined && parser !== undefined) {
  const why = await Search.judge(parser, String(JSON.parse(input)))
  say(why === null ? "✓ read as it must be" : `✗ ${why}`)
  exit(why === null ? 0 : 1)
}

const chosen = only === undefined ? names : [only]
/** The parsers share a third; connections and operations need more for each try. */
const shareOf = (name: string): number => {
  if (only !== undefined) return seconds
  return name === "http" || name === "operations" ? seconds / 3 : seconds / 3 / Parsers.all.length
}

const until = (forSeconds: number): (() => boolean) => {
  const endsAt = performance.now() + forSeconds * 1000
  return () => performance.now() >= endsAt
}

let failures = 0
const report = (name: string, lines: ReadonlyArray<string>): void => {
  failures += 1
  say(`✗ ${name}, seed ${seed}`)
  for (const each of lines) say(`    ${each}`)
}

const searchParser = async (each: Search.Parser, coverage: Coverage.Coverage): Promise<void> => {
  const corpus = Corpus.load(each.name)
  const options = { seed, isOver: until(shareOf(each.name)) }
  const { found, inputs, known } = await Search.search(each, corpus, coverage, options)
  if (keep) Corpus.save(each.name, [...known, ...(found === undefined ? [] : [found.input])])
  if (found === undefined) {
    say(`✓ ${each.name}: ${inputs} inputs, ${known.length} reach code of their own`)
    return
  }
  const text = JSON.stringify(found.input)
  report(each.name, [
    ...found.why.split("\n").slice(0, 8),
    `input ${text}`,
    `pnpm fuzz --only ${each.name} --input '${text.replaceAll("'", "\\u0027")}'`,
  ])
}

say(`fuzzing from seed ${seed} for ${seconds} s`)
const searched = Parsers.all.filter(({ name }) => chosen.includes(name))
const coverage = searched.length === 0 ? undefined : Coverage.start()
for (const each of searched) {
  // oxlint-disable-next-line no-await-in-loop -- One after the other, so that the coverage is that of one parser.
  if (coverage !== undefined) await searchParser(each, coverage)
}
coverage?.stop()
// Loaded only now, because counting the code of a whole service takes longer than most parsers.
const Services = await import("./Services.ts")
for (const name of ["http", "operations"] as const) {
  if (!chosen.includes(name)) continue
  // oxlint-disable-next-line no-await-in-loop -- One after the other: each wants the machine for itself.
  const { lines, isBroken } = await Services[name](seed, until(shareOf(name)))
  if (isBroken) report(name, lines)
  else for (const each of lines) say(`✓ ${name}: ${each}`)
}
exit(failures === 0 ? 0 : 1)
