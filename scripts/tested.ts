/**
 * What `npm test` and `npm run test:all` do: `pnpm check` and the tests side by side, as tests often wait for blocks and
 * processes. Arguments go to Vitest.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import process from "node:process"

const run = (command: string, args: ReadonlyArray<string>, environment: object = {}) => {
  const child = spawn(command, args, {
    stdio: "inherit",
    env: { ...process.env, ...environment },
  })
  return { pid: child.pid, passes: once(child, "exit").then(([code]) => code === 0) }
}

const checks = run("pnpm", ["check"])
const tests = run(
  "vitest",
  ["run", "--config", "vitest.workspace.ts", ...process.argv.slice(2)],
  // Guides are compiled against what the check builds, so their test waits for it.
  { FLORIN_CHECKING: String(checks.pid) },
)

const hasPassed = await tests.passes
if (!(await checks.passes)) console.error("✗ pnpm check failed: what it found is above.")
else if (hasPassed) process.exit(0)
process.exit(1)
