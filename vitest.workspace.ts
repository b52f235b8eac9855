import { randomInt } from "node:crypto"
import { env } from "node:process"
import { defineConfig } from "vitest/config"

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

/** Projects by what a test needs; `domain` is the pure tier that `pnpm test:unit` runs. */
const project = (name: string, ...include: ReadonlyArray<string>) => ({
  extends: true as const,
  test: { name, include: [...include] },
})

/** Pure tests leave nothing behind, so its files share their modules: half the time. */
const pure = project("domain", "packages/core/test/domain/**/*.test.ts")
const domain = { ...pure, test: { ...pure.test, isolate: false, pool: "threads" as const } }
const postgres = project("postgres", "packages/postgres/test/**/*.test.ts")
const http = project(
  "http on postgres",
  "packages/server/test/operations/**/*.test.ts",
  "packages/server/test/{concurrency,matrix}.test.ts",
)
const others = [
  project("core", "packages/core/test/{ports,engine,workers}/**/*.test.ts"),
  project("api", "packages/api/test/**/*.test.ts"),
  project("server", "packages/server/test/**/*.test.ts"),
  project("client", "packages/client/test/**/*.test.ts"),
  project("testing", "packages/testing/test/**/*.test.ts"),
  { ...postgres, test: { ...postgres.test, globalSetup: ["packages/postgres/test/setup.ts"] } },
  {
    ...http,
    test: {
      ...http.test,
      globalSetup: ["packages/postgres/test/setup.ts"],
      env: { FLORIN_STORAGE: "postgres" },
    },
  },
  project("florin", "packages/florin/test/**/*.test.ts"),
  project("repository", "scripts/test/**/*.test.ts"),
  project("examples", "examples/*/**/*.test.ts"),
]

export default defineConfig({
  test: {
    sequence: { concurrent: false },
    // Every core: the default leaves one idle, which on two cores is half of them.
    maxWorkers: "100%",
    testTimeout: 60_000,
    setupFiles: ["scripts/vitest-setup.ts"],
    coverage: {
      provider: "v8",
      include: ["packages/core/src/domain/**"],
      reporter: ["text", "json-summary"],
      thresholds: { lines: 98 },
    },
    projects: mutating ? [domain] : [domain, ...others],
  },
})
