/**
 * Real processes and directories, for tests that need them.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { inject } from "vitest"

/** A directory of one's own, until the scope closes. */
export const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "florin-test-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
)

/** Children read the same source again and again: what Node makes of it is kept beside what was installed. */
const compiled = fileURLToPath(new URL("../../../node_modules/.cache/compiled", import.meta.url))

/** What is started for a script: the bundle of the run (see scripts/vitest-programs.ts), or the script itself. */
export const fileOf = (script: URL): string => {
  const source = fileURLToPath(script)
  return inject("programs")?.[source] ?? source
}

/** A child that runs a script, killed when the scope closes. */
export const run = (script: URL, ...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [fileOf(script), ...args], {
        env: { ...process.env, NODE_COMPILE_CACHE: compiled },
        stdio: ["pipe", "pipe", "inherit"],
      })
      const ended = once(child, "exit")
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      return {
        pid: child.pid ?? 0,
        /** How it came to its end: its exit code, or the signal that ended it. */
        ended: Effect.promise(() => ended),
        /** What it says next, nothing when it has ended. */
        line: Effect.promise(async () => {
          const { value } = await lines.next()
          return typeof value === "string" ? value : ""
        }),
        tell: (line: string) => Effect.sync(() => child.stdin.write(`${line}\n`)),
        /** As `kill -9`. */
        kill: Effect.promise(() => {
          child.kill("SIGKILL")
          return ended
        }),
        /** Lets it come to its own end. */
        finish: Effect.promise(() => {
          child.stdin.end()
          return ended
        }),
      }
    }),
    ({ kill }) => kill,
  )
