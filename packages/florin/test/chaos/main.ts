/**
 * `pnpm chaos`: real processes under load, killed, stopped, lied to and robbed of their database, cycle by cycle; then the
 * same oracle as the simulator's judges what everybody saw.
 *
 * @module
 */
import { randomInt } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process, { argv, exit, stdout } from "node:process"
import { parseArgs } from "node:util"
import { Effect } from "effect"
import * as Cluster from "./Cluster.ts"
import * as Cycle from "./Cycle.ts"
import * as Database from "./Database.ts"
import type * as Load from "./Load.ts"
import * as Troubles from "./Troubles.ts"

const help = `Usage: pnpm chaos [--cycles N] [--seed S] [--from C] [--seconds L] [--rate R]
                  [--patience P] [--keep]

  --cycles N    how many cycles to play (default: 1)
  --seed S      what all troubles follow from (default: a new one)
  --from C      the first cycle, to continue a run (default: 1)
  --seconds L   how long the load of a cycle lasts (default: 30)
  --rate R      new payments in each second (default: 5)
  --patience P  seconds after the last trouble until everything is final, or
                waits for a named reason (default: 60)
  --keep        keep the logs of the processes, and print where they are

Five cycles share a database and a chain; the next five begin with new ones.
`

const say = (line: string): void => void stdout.write(`${line}\n`)
const refuse = (): never => {
  say(help)
  return exit(2)
}

const { values } = (() => {
  try {
    return parseArgs({
      args: argv.slice(2),
      options: {
        cycles: { type: "string", default: "1" },
        seed: { type: "string", default: `${randomInt(1_000_000)}` },
        from: { type: "string", default: "1" },
        seconds: { type: "string", default: "30" },
        rate: { type: "string", default: "5" },
        patience: { type: "string", default: "60" },
        keep: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    })
  } catch {
    return refuse()
  }
})()
if (values.help) {
  say(help)
  exit(0)
}
const numberOf = (text: string): number =>
  /^\d+$/u.test(text) && Number(text) > 0 && Number(text) < 1e9 ? Number(text) : refuse()
const count = numberOf(values.cycles)
const seed = numberOf(values.seed)
const from = numberOf(values.from)
const loadInMs = 1000 * numberOf(values.seconds)
const perSecond = numberOf(values.rate)
const patienceInMs = 1000 * numberOf(values.patience)

/** Cycles that share a world. More would make the oracle slow, which compares everything with everything. */
const cyclesOfWorld = 5

// What was started ends with this process.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => exit(130))

const directory = mkdtempSync(join(tmpdir(), "florin-chaos-"))
const totals = { payments: 0, refunds: 0, troubles: 0, kills: 0, violations: 0, longestInMs: 0 }
const rates: Array<number> = []

/** Two names of one kind become one: `2 kill`. */
const brief = (plan: ReadonlyArray<Troubles.Trouble>): string => {
  const names = [...Map.groupBy(plan, ({ name }) => name)]
  const text = names
    .map(([name, its]) => (its.length > 1 ? `${its.length} ${name}` : name))
    .join(", ")
  return text.length > 38 ? `${text.slice(0, 37)}…` : text.padEnd(38)
}
const column = (value: number | string, width: number) => String(value).padStart(width)

const report = (cycle: number, played: Cycle.Played) => {
  const { decided, known, plan, quietInMs, refunds, violations } = played
  say(
    `${column(cycle, 5)} ${column(known.length, 9)} ${column(refunds, 8)}  ${brief(plan)} ${column(violations.length, 6)} ${column(`${Math.ceil(quietInMs / 1000)} s`, 6)}`,
  )
  totals.payments += known.length
  totals.refunds += refunds
  totals.troubles += plan.length
  totals.kills += plan.filter(({ name }) => name === "kill").length
  totals.violations += violations.length
  totals.longestInMs = Math.max(totals.longestInMs, quietInMs)
  rates.push(played.perSecond)
  for (const each of decided) say(`      an operator decided ${each}`)
  if (violations.length === 0) return
  say(`✗ seed ${seed}, cycle ${cycle}:`)
  for (const each of plan) say(`    ${Troubles.describe(each)}`)
  for (const { rule, what } of violations.slice(0, 20)) say(`  ${rule}: ${what}`)
  say(`  pnpm chaos --seed ${seed} --from ${cycle} --seconds ${values.seconds} --keep`)
}

/** The cycles of one world; returns after the last of them. */
const world = (first: number, last: number) =>
  Effect.gen(function* () {
    const database = yield* Database.make
    if (database.fill === null) {
      say("SKIPPED: a full disk: that takes root, who may mount a small one")
    }
    const cluster = yield* Cluster.make({
      seed: seed + first,
      database,
      directory: join(directory, `${first}`),
    })
    const earlier: Array<Load.Known> = []
    for (let cycle = first; cycle <= last; cycle++) {
      const played = yield* Effect.promise(() =>
        Cycle.play({ cluster, seed, cycle, loadInMs, perSecond, patienceInMs, earlier }),
      )
      earlier.push(...played.known)
      report(cycle, played)
      // What was lost once stays lost: the next cycle begins anew.
      if (played.violations.length > 0) return cycle
    }
    return last
  }).pipe(Effect.scoped)

say(`seed ${seed}; logs in ${directory}`)
say(`cycle  payments  refunds  ${"troubles".padEnd(38)} faults  final`)
const end = from + count - 1
const startedAt = Date.now()
for (let cycle = from; cycle <= end;) {
  const last = Math.min(end, cycle + cyclesOfWorld - 1)
  // oxlint-disable-next-line no-await-in-loop -- One after the other.
  cycle = 1 + (await Effect.runPromise(world(cycle, last)))
}
const { kills, longestInMs, payments, refunds, troubles, violations } = totals
const mean = rates.reduce((sum, each) => sum + each, 0) / rates.length
say(
  `${count} cycles: ${payments} payments, ${refunds} refunds, ${troubles} troubles (${kills} kills), ${violations} violations;`,
)
say(
  `${mean.toFixed(1)} payments/s under load, all final after at most ${Math.ceil(longestInMs / 1000)} s, in ${Math.round((Date.now() - startedAt) / 60_000)} min`,
)
if (values.keep || violations > 0) say(`logs: ${directory}`)
else rmSync(directory, { recursive: true, force: true })
exit(violations === 0 ? 0 : 1)
