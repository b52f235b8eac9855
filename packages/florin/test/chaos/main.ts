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
import type * as Evidence from "@florin/testing/oracle/Evidence"
import { Effect } from "effect"
import * as Cluster from "./Cluster.ts"
import * as Cycle from "./Cycle.ts"
import * as Database from "./Database.ts"
import type * as Load from "./Load.ts"
import * as Patroni from "./Patroni.ts"
import * as Promotions from "./Promotions.ts"
import * as Troubles from "./Troubles.ts"

const help = `Usage: pnpm chaos [--cycles N] [--seed S] [--from C] [--seconds L] [--rate R]
                  [--patience P] [--keep]
       pnpm chaos --patroni [--promotions N] [--kind K] [--seed S] [--from C]
                  [--rate R] [--patience P] [--keep]

  --cycles N    how many cycles to play (default: 1)
  --seed S      what all troubles follow from, up to 1000000 (default: a new one)
  --from C      the first cycle, to continue a run (default: 1)
  --seconds L   how long the load of a cycle lasts (default: 30)
  --rate R      new payments in each second (default: 5)
  --patience P  seconds after the last trouble until everything is final, or
                waits for a named reason (default: 60)
  --keep        keep the logs of the processes, and print where they are
  --patroni     instead, promote the standby of a PostgreSQL that Patroni
                manages, behind PgBouncer, once in each cycle
  --promotions N  how many cycles to play with --patroni (default: 1)
  --kind K      crash, freeze, switchover or "late standby" (default: each in
                turn)

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
        seed: { type: "string", default: `${randomInt(1, 1_000_000)}` },
        from: { type: "string", default: "1" },
        seconds: { type: "string", default: "30" },
        rate: { type: "string", default: "5" },
        patience: { type: "string", default: "60" },
        keep: { type: "boolean", default: false },
        patroni: { type: "boolean", default: false },
        promotions: { type: "string", default: "1" },
        kind: { type: "string" },
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
const numberOf = (text: string, below = 1e9): number =>
  /^\d+$/u.test(text) && Number(text) > 0 && Number(text) < below ? Number(text) : refuse()
const count = numberOf(values.patroni ? values.promotions : values.cycles)
// The wallets of customers have numbers that follow from it, and two would be the same beyond 2^53.
const seed = numberOf(values.seed, 1_000_001)
const from = numberOf(values.from)
const loadInMs = 1000 * numberOf(values.seconds)
const kindOf = (text: string | undefined) =>
  text === undefined || Promotions.isKind(text) ? text : refuse()
const kind = kindOf(values.kind)
const perSecond = numberOf(values.rate)
const patienceInMs = 1000 * numberOf(values.patience)

/** Cycles that share a world. More would make the oracle slow, which compares everything with everything. */
const cyclesOfWorld = 5

// What was started ends with this process.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => exit(130))

const directory = mkdtempSync(join(tmpdir(), "florin-chaos-"))
const totals = {
  payments: 0,
  refunds: 0,
  troubles: 0,
  kills: 0,
  violations: 0,
  longestInMs: 0,
  repeated: 0,
  latestInMs: 0,
}
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

/** What was seen wrong, and how to play it again. */
const complain = (cycle: number, { violations }: Cycle.Played, plan: ReadonlyArray<string>) => {
  totals.violations += violations.length
  if (violations.length === 0) return
  say(`✗ seed ${seed}, cycle ${cycle}:`)
  for (const each of plan) say(`    ${each}`)
  for (const { rule, what } of violations.slice(0, 20)) say(`  ${rule}: ${what}`)
  const which = kind === undefined ? "" : ` --kind "${kind}"`
  const again = values.patroni ? `--patroni${which}` : `--seconds ${values.seconds}`
  say(`  pnpm chaos ${again} --seed ${seed} --from ${cycle} --keep`)
}

const sum = ({ decided, known, perSecond: rate, quietInMs, refunds }: Cycle.Played) => {
  totals.payments += known.length
  totals.refunds += refunds
  totals.longestInMs = Math.max(totals.longestInMs, quietInMs)
  rates.push(rate)
  for (const each of decided) say(`      an operator decided ${each}`)
}

/** Plays cycles of one world, until the last of them or a violation; returns the last that was played. */
const each = async (
  first: number,
  last: number,
  play: (cycle: number, earlier: ReadonlyArray<Load.Known>) => Promise<Cycle.Played>,
): Promise<number> => {
  const earlier: Array<Load.Known> = []
  for (let cycle = first; cycle <= last; cycle++) {
    // oxlint-disable-next-line no-await-in-loop -- One after the other.
    const played = await play(cycle, earlier)
    earlier.push(...played.known)
    // What was lost once stays lost: the next cycle begins anew.
    if (played.violations.length > 0) return cycle
  }
  return last
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
      databaseUrl: database.url,
      directory: join(directory, `${first}`),
    })
    const play = async (cycle: number, earlier: ReadonlyArray<Load.Known>) => {
      const plan = Troubles.planOf(seed, cycle, loadInMs)
      const lastsInMs = Math.max(loadInMs, ...plan.map(({ atInMs, forInMs }) => atInMs + forInMs))
      const trouble = () => Troubles.play(plan, cluster, database)
      const played = await Cycle.play({
        cluster,
        seed,
        cycle,
        loadInMs: lastsInMs,
        perSecond,
        patienceInMs,
        earlier,
        trouble,
      })
      say(
        `${column(cycle, 5)} ${column(played.known.length, 9)} ${column(played.refunds, 8)}  ${brief(plan)} ${column(played.violations.length, 6)} ${column(`${Math.ceil(played.quietInMs / 1000)} s`, 6)}`,
      )
      totals.troubles += plan.length
      totals.kills += plan.filter(({ name }) => name === "kill").length
      sum(played)
      complain(cycle, played, plan.map(Troubles.describe))
      return played
    }
    return yield* Effect.promise(() => each(first, last, play))
  }).pipe(Effect.scoped)

const inSeconds = (ms: number) => (ms / 1000).toFixed(1)

const sayPromotion = (
  cycle: number,
  name: string,
  { known, quietInMs, violations }: Cycle.Played,
  observed: Promotions.Observed | null,
  repeated: number,
) => {
  const { backInMs = [], from: old = "", promotedInMs = 0, to = "" } = observed ?? {}
  const back = backInMs.map((ms) => inSeconds(ms).padStart(4)).join(" ")
  say(
    `${column(cycle, 5)}  ${name.padEnd(12)} ${old}→${to} ${column(inSeconds(promotedInMs), 7)} s  ${back} s ${column(known.length, 8)} ${column(repeated, 8)} ${column(violations.length, 6)} ${column(`${Math.ceil(quietInMs / 1000)} s`, 5)}`,
  )
  totals.repeated += repeated
  totals.latestInMs = Math.max(totals.latestInMs, ...backInMs)
}

/** The same, with a database whose standby is promoted in each cycle. */
const promotingWorld = (first: number, last: number) =>
  Effect.gen(function* () {
    const patroni = yield* Patroni.make(join(directory, `${first}-database`))
    const cluster = yield* Cluster.make({
      seed: seed + first,
      databaseUrl: patroni.url,
      directory: join(directory, `${first}`),
    })
    const play = async (cycle: number, earlier: ReadonlyArray<Load.Known>) => {
      const promotion = Promotions.planOf(seed, cycle, kind)
      const seen: Array<Evidence.Violation> = []
      let observed: Promotions.Observed | null = null
      const exchanges = cluster.exchanges.length
      const played = await Cycle.play({
        cluster,
        seed,
        cycle,
        loadInMs: Promotions.loadInMs,
        perSecond,
        patienceInMs,
        earlier,
        trouble: async (known, expiresAt) => {
          const report = (violation: Evidence.Violation) => void seen.push(violation)
          observed = await Promotions.play({
            cluster,
            patroni,
            promotion,
            name: `PROMOTION-${seed}-${cycle}`,
            expiresAt,
            known,
            report,
          })
        },
      })
      const all = { ...played, violations: [...seen, ...played.violations] }
      const repeated = Promotions.repeatedIn(cluster.exchanges.slice(exchanges))
      sayPromotion(cycle, promotion.kind, all, observed, repeated)
      sum(played)
      complain(cycle, all, [Promotions.describe(promotion)])
      return all
    }
    return yield* Effect.promise(() => each(first, last, play))
  }).pipe(Effect.scoped)

if (values.patroni && Patroni.missing.length > 0) {
  say("SKIPPED: promotions of a standby need programs that are not installed:")
  say(`  apt-get install ${Patroni.missing.join(" ")}`)
  say("Debian starts what it installs: stop etcd, patroni, pgbouncer and postgresql.")
  exit(0)
}
say(`seed ${seed}; logs in ${directory}`)
say(
  values.patroni
    ? Promotions.head
    : `cycle  payments  refunds  ${"troubles".padEnd(38)} faults  final`,
)
const end = from + count - 1
const startedAt = Date.now()
for (let cycle = from; cycle <= end;) {
  const last = Math.min(end, cycle + cyclesOfWorld - 1)
  const playing = values.patroni ? promotingWorld(cycle, last) : world(cycle, last)
  // oxlint-disable-next-line no-await-in-loop -- One after the other.
  cycle = 1 + (await Effect.runPromise(playing))
}
const { kills, longestInMs, payments, refunds, troubles, violations } = totals
const mean = rates.reduce((total, rate) => total + rate, 0) / rates.length
say(
  values.patroni
    ? `${count} promotions: ${payments} payments, ${refunds} refunds, ${totals.repeated} requests repeated, ${violations} violations;`
    : `${count} cycles: ${payments} payments, ${refunds} refunds, ${troubles} troubles (${kills} kills), ${violations} violations;`,
)
if (values.patroni) {
  say(`back ${inSeconds(totals.latestInMs)} s after the new primary or sooner;`)
}
say(
  `${mean.toFixed(1)} payments/s under load, all final after at most ${Math.ceil(longestInMs / 1000)} s, in ${Math.round((Date.now() - startedAt) / 60_000)} min`,
)
if (values.keep || violations > 0) say(`logs: ${directory}`)
else rmSync(directory, { recursive: true, force: true })
exit(violations === 0 ? 0 : 1)
