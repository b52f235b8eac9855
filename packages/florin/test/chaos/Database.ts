/**
 * The PostgreSQL under the processes, and what may befall it.
 *
 * @module
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmdirSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Server from "../../../postgres/test-support/server.ts"

export interface Database {
  /** Where processes and operators reach it. */
  readonly url: string
  /** It ends without a word, as by `pg_ctl stop -m immediate`. */
  readonly crash: () => Promise<void>
  /** It runs again, if it does not. */
  readonly start: () => Promise<void>
  /** Its disk is full from now on, or has room again; null if that cannot be done here. */
  readonly fill: ((isFull: boolean) => void) | null
}

const sizeInKb = 2_000_000
/** What a full disk has left. */
const leftInKb = 64

/**
 * Waits for the end of its input, which comes even when this process is killed, and then until nobody uses the file
 * system any more.
 */
const reaper = `
cat >/dev/null
tries=0
while [ $tries -lt 300 ] && ! umount "$1" 2>/dev/null; do sleep 0.1; tries=$((tries + 1)); done
rmdir "$1"`

/** A file system of its own, which root alone can mount; null for others. */
const disk = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "florin-disk-"))
    const options = `size=${sizeInKb}k,mode=755`
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", path])
    if (mounted.status !== 0) {
      rmdirSync(path)
      return null
    }
    const stdio = ["pipe", "ignore", "ignore"] as const
    const child = spawn("sh", ["-c", reaper, "reaper", path], { stdio: [...stdio], detached: true })
    return { path, child }
  }),
  (mounted) =>
    mounted === null
      ? Effect.void
      : Effect.promise(() => {
          mounted.child.stdin?.end()
          return once(mounted.child, "exit")
        }),
)

const run = <A, E>(work: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(work)

/** A server of one's own, all of whose files are on that file system. */
export const make = Effect.gen(function* () {
  const path = (yield* disk)?.path ?? null
  // Few segments of its log are kept, so that a full disk is felt soon.
  const server = yield* Server.makeIn(path ?? tmpdir(), {
    max_wal_size: "64MB",
    min_wal_size: "32MB",
  })
  const attempt = async (tries: number): Promise<void> => {
    if (server.isRunning()) return undefined
    try {
      return await run(server.start)
    } catch (error) {
      if (tries === 0) throw error
      return attempt(tries - 1)
    }
  }
  // Two troubles may end it at once, and it starts once.
  let starting: Promise<void> | null = null
  const start = (): Promise<void> =>
    (starting ??= attempt(10).finally(() => {
      starting = null
    }))
  const database: Database = {
    url: server.url,
    crash: () => run(server.stop("immediate")),
    start,
    fill:
      path === null
        ? null
        : (isFull) => {
            const resize = (tries: number): void => {
              const { bfree, blocks, bsize } = statfsSync(path)
              const usedInKb = Math.ceil(((blocks - bfree) * bsize) / 1024)
              const kb = isFull ? usedInKb + leftInKb : sizeInKb
              const { status, stderr } = spawnSync("mount", ["-o", `remount,size=${kb}k`, path])
              if (status === 0) return
              // More than is left was written meanwhile, and no file system is smaller than its files.
              if (tries === 0) throw new Error(`The disk cannot be resized: ${String(stderr)}`)
              resize(tries - 1)
            }
            resize(isFull ? 20 : 0)
          },
  }
  return database
})
