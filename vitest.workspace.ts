import { randomInt } from "node:crypto"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { argv, env } from "node:process"
import { configDefaults, defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import * as Counts from "./packages/testing/src/Counts.ts"

/**
 * Mutation tests repeat the domain's tests, from one seed so that a mutant's fate is not a matter of luck. Stryker's own
 * `testFiles` would do for the first half, but with it no mutant of a top-level constant is ever active.
 */
const mutating = env["STRYKER_MUTATOR_WORKER"] !== undefined

/** Workers inherit the environment, and each project reads this file again: the first reading chooses and prints. */
const seed = env["FLORIN_SEED"] || (mutating ? "1" : String(randomInt(2 ** 31)))
if (env["VITEST"] !== undefined && env["FLORIN_SEED_PRINTED"] !== seed) {
  console.error(`property seed ${seed} (repeat with FLORIN_SEED=${seed})`)
  env["FLORIN_SEED"] = seed
  env["FLORIN_SEED_PRINTED"] = seed
}

/** What tests start in processes of its own is compiled once: a start takes half the time. Coverage counts less exactly with it. */
if (!argv.includes("--coverage")) {
  env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules", ".cache", "compiled")
}

/** Projects by what a test needs; `domain` is the pure tier that `pnpm test:unit` runs. */
const project = (name: string, ...include: ReadonlyArray<string>) => ({
  extends: true as const,
  test: { name, include: [...include] },
})

const pure = project("domain", "packages/core/test/domain/**/*.test.ts")
const domain = { ...pure, test: { ...pure.test, pool: "threads" as const } }

/** For tests that start programs of the repository. */
const programs = "scripts/vitest-programs.ts"

/** A project whose tests have a PostgreSQL server, and whose environment says more. */
const withPostgres = (its: ReturnType<typeof project>, settings: Record<string, string> = {}) => ({
  ...its,
  test: {
    ...its.test,
    env: settings,
    globalSetup: ["packages/postgres/test/setup.ts", programs],
  },
})

const withPrograms = (its: ReturnType<typeof project>) => ({
  ...its,
  test: { ...its.test, globalSetup: [programs] },
})

/**
 * The tests over HTTP again, on a database, which the files of a process share. CI runs who may see what on PostgreSQL,
 * and what a payment costs there. That each storage lists, filters and counts as the domain says is in the suite that
 * all storages run, and races are between server processes. The rest runs in `pnpm accept`, and so does the embedded
 * database, which gets the statements that PostgreSQL gets, one at a time.
 */
const httpOn = (storage: "postgres" | "pglite") => {
  const asked = Counts.full ? ["{approvals,matrix}", "operations/**/*"] : ["matrix"]
  const own = storage === "postgres" ? ["database/**/*"] : []
  const files = [...asked, ...own].map((each) => `packages/server/test/${each}.test.ts`)
  return withPostgres(project(`http on ${storage}`, ...files), { FLORIN_STORAGE: storage })
}

/** Races between server processes, and what else only these can show. */
const betweenProcesses = withPostgres(
  project("server processes", "packages/server/test/processes/**/*.test.ts"),
)

/** Whole services that are killed, hung, robbed and lied to. `npm test` leaves them to `npm run test:all` and to CI. */
const lives = [
  "packages/florin/test/serve/{Alerts,Canary,Clocks,Deliveries,Hanging,Keyless,Night,Prices}.test.ts",
  "packages/florin/test/serve/{Processes,Providers,Receivers,Refunding,Screening,Signers,Thieves}.test.ts",
  "packages/florin/test/serve/{Treasury,Unclaimed}.test.ts",
  "packages/florin/test/{OwnAssets,Restored,Serve}.test.ts",
  "packages/evm/test/{batches,faults,killed,lies,reorgs}.test.ts",
  "packages/evm/test/threats/*.test.ts",
]

const withoutLives = (its: ReturnType<typeof project>) => ({
  ...its,
  test: { ...its.test, exclude: [...configDefaults.exclude, ...lives] },
})

/**
 * What needs a PostgreSQL server. A worker loads the modules of each project anew, so it is one project; and what keeps
 * the cores busy runs next to what waits for blocks and processes.
 */
const services = withPostgres(
  withoutLives(
    project(
      "services",
      "packages/florin/test/{*,serve/*,pgbouncer/*,prometheus/*}.test.ts",
      "packages/evm/test/*.test.ts",
      "packages/postgres/test/{*,pgbouncer/*}.test.ts",
      "examples/better-auth/*.test.ts",
    ),
  ),
)

/** Tests of the consoles' screens, which `npm test` leaves to CI, too: it looks at what payers see. */
const consoles = ["console", "operatorConsole", "passkeys", "secondPerson", "tryIt"]
const inBrowser = (name: string, files: string) =>
  withPrograms(project(name, `packages/florin/test/browser/${files}.test.ts`))

/** What needs nothing of the others: one project, for the same reason. */
const packages = withPrograms(
  project(
    "packages",
    "scripts/test/**/*.test.ts",
    "packages/server/test/{*,money/*,operations/**/*,operator/*}.test.ts",
    "packages/core/test/{ports,engine,workers,node}/**/*.test.ts",
    "packages/{api,client,console,create-florin,embed}/test/**/*.test.{ts,tsx}",
    "packages/{localnet,pages,signers,testing,walletconnect}/test/**/*.test.ts",
    "examples/!(better-auth)/**/*.test.ts",
  ),
)

/** Runs in this order: projects with long files first, so that no worker ends long after the others. */
const others = [
  betweenProcesses,
  services,
  withPostgres(project("lives", ...lives)),
  inBrowser("browser", `!(${consoles.join("|")})`),
  inBrowser("consoles", `{${consoles.join(",")}}`),
  httpOn("postgres"),
  ...(Counts.full ? [httpOn("pglite")] : []),
  packages,
]

const projects = mutating ? [domain] : [...others, domain]
const names = projects.map(({ test }) => test.name)

/** Runs projects in the order above. By itself Vitest sorts them by name, and each one's files by how long they took. */
class InOrder extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const place = ({ project: { name } }: TestSpecification): number => names.indexOf(name)
    // oxlint-disable-next-line unicorn/no-array-sort -- It is Vitest's own, which changes nothing.
    const sorted = await super.sort(files)
    return sorted.toSorted((left, right) => place(left) - place(right))
  }
}

export default defineConfig({
  test: {
    sequence: { concurrent: false, sequencer: InOrder },
    // The files of a project share their modules, which takes longer to load than most files to run: a test undoes what
    // it does to a module, to the environment or to a global.
    isolate: false,
    // Twice as many as there are cores: many tests wait for blocks, for processes or for what is to time out.
    maxWorkers: availableParallelism() * 2,
    // A net for what hangs, not a rule: a busy machine takes many times as long as a quiet one.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    setupFiles: ["scripts/vitest-setup.ts"],
    // WalletConnect's client, which plays the wallet in tests, rejects so if both sides end a session at the same time.
    onUnhandledError: ({ message }) => !message.includes("Record was recently deleted - session"),
    coverage: {
      provider: "v8",
      include: ["packages/core/src/domain/**"],
      reporter: ["text", "json-summary"],
      thresholds: { lines: 98 },
    },
    projects,
  },
})
