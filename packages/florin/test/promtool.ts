/**
 * The real Prometheus, which Debian and Ubuntu have as the package `prometheus`.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { stderr } from "node:process"
import { assert } from "@effect/vitest"

export const isInstalled = ["promtool", "prometheus"].every(
  (command) => spawnSync(command, ["--version"]).status === 0,
)

/** Says loudly what was not tested because it is not there. */
export const announce = (what: string): void => {
  if (isInstalled) return
  stderr.write(
    `SKIPPED: ${what} not tested with Prometheus, which is not installed: apt-get install prometheus\n`,
  )
}

/** Runs it; fails with what it says. */
export const run = (args: ReadonlyArray<string>, input = ""): void => {
  const ended = spawnSync("promtool", args, { encoding: "utf8", input })
  assert.strictEqual(ended.status, 0, `${ended.stdout}${ended.stderr}`)
}
