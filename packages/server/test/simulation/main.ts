/**
 * `pnpm sim`: plays simulated worlds, each from its seed, and prints what contradicts the rules.
 *
 * @module
 */
import { randomInt } from "node:crypto"
import process, { argv, cpuUsage, exit, stdout } from "node:process"
import { setImmediate } from "node:timers/promises"
import { parseArgs } from "node:util"
import { canaries } from "./Canaries.ts"
import * as Shrinking from "./Shrinking.ts"
import * as Simulation from "./Simulation.ts"
import * as Steps from "./Steps.ts"

const help = `Usage: pnpm sim [--seeds N] [--seed S] [--steps M] [--explain] [--digest] [--canary NAME]

  --seeds N      how many worlds to play (default: 20)
  --seed S       the first seed (default: a new one)
  --steps M      steps in each world (default: 200)
  --explain      make a world that fails as small as possible, and tell what happens in it
  --digest       print a digest of all that was seen, for each seed
  --canary NAME  put a fault into the service, which must be found:
${Object.keys(canaries)
  .map((name) => `                 ${name}`)
  .join("\n")}
`

const { values } = parseArgs({
  args: argv.slice(2),
  options: {
    seeds: { type: "string", default: "20" },
    seed: { type: "string", default: `${randomInt(1_000_000_000)}` },
    steps: { type: "string", default: "200" },
    explain: { type: "boolean", default: false },
    digest: { type: "boolean", default: false },
    canary: { type: "string" },
    help: { type: "boolean", default: false },
  },
})

const say = (line: string): void => void stdout.write(`${line}\n`)
if (values.help) {
  say(help)
  exit(0)
}
const count = Number(values.seeds)
const first = Number(values.seed)
const steps = Number(values.steps)
const replace = values.canary === undefined ? undefined : canaries[values.canary]
const isRead = [count, first, steps].every((each) => Number.isSafeInteger(each) && each >= 0)
if (!isRead || (values.canary !== undefined && replace === undefined)) {
  say(help)
  exit(2)
}

const options = replace === undefined ? {} : { replace }
const startedAt = performance.now()
/** A long run that is asked to end says what it has played. */
const stop = new AbortController()
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort())
let played = 0
let failed = 0
let payments = 0
let paid = 0
let refunded = 0
let requests = 0
for (let seed = first; seed < first + count && !stop.signal.aborted; seed++) {
  // oxlint-disable-next-line no-await-in-loop -- What Effect leaves to the event loop keeps the world before it in memory.
  await setImmediate()
  const plan = Steps.planOf(seed, steps)
  const world = Simulation.play(plan, options)
  played += 1
  payments += world.payments
  paid += world.paid
  refunded += world.refunded
  requests += world.evidence.exchanges.length
  if (values.digest) say(`${seed} ${Simulation.digest(world)}`)
  const [violation] = world.violations
  if (violation === undefined) continue
  failed += 1
  say(`✗ seed ${seed}: ${world.violations.length} violations, with ${plan.troubles.join(", ")}`)
  for (const { rule, what } of world.violations.slice(0, 5)) say(`    ${rule}: ${what}`)
  if (!values.explain) {
    say(`    pnpm sim --seeds 1 --seed ${seed} --steps ${steps} --explain`)
    continue
  }
  const shorter = Shrinking.shrink(plan, violation.rule, options, 300)
  say(
    `  The smallest plan that breaks it has ${shorter.steps.length} steps, with ${shorter.troubles.join(", ") || "no trouble"}:`,
  )
  const { violations } = Simulation.play(shorter, { ...options, tell: say })
  for (const { rule, what } of violations) say(`    ${rule}: ${what}`)
}
const seconds = (performance.now() - startedAt) / 1000
// On a busy machine, only the processor's own time says how fast it is.
const { system, user } = cpuUsage()
const busy = (system + user) / 1_000_000
say(
  `${played} seeds from ${first}: ${failed} failed; ${payments} payments, ${paid} paid, ${refunded} refunded, ${requests} requests\n${seconds.toFixed(0)} s, ${(played / busy).toFixed(1)} seeds for each second of one core`,
)
exit(failed === 0 ? 0 : 1)
