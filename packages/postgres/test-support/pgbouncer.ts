/**
 * The real PgBouncer, which Debian and Ubuntu have as the package `pgbouncer`.
 *
 * @module
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { chown, mkdtemp, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import * as Server from "./server.ts"

/** Debian puts it where only root's PATH looks. */
const environment = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` }

export const isInstalled = spawnSync("pgbouncer", ["--version"], { env: environment }).status === 0

/** Says loudly what was not tested because it is not there. */
export const announce = (what: string): void => {
  if (isInstalled) return
  process.stderr.write(
    `SKIPPED: ${what} not tested with PgBouncer, which is not installed: apt-get install pgbouncer\n`,
  )
}

export interface Settings {
  readonly pool_mode: "session" | "transaction" | "statement"
  readonly [name: string]: string | number
}

/** Ends PgBouncer with its own input, which ends even when this process is killed, and removes its files. */
const reaped = `
pgbouncer "$1/pgbouncer.ini" &
cat >/dev/null
kill -KILL $!
rm -rf "$1"`

const freePort = Effect.callback<number>((resume) => {
  const probe = createServer()
  probe.listen(0, "127.0.0.1", () => {
    const address = probe.address()
    probe.close(() =>
      resume(Effect.succeed(typeof address === "object" ? (address?.port ?? 0) : 0)),
    )
  })
})

const started = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    let said = ""
    child.stderr?.on("data", (chunk) => {
      said += String(chunk)
      if (said.includes("process up")) resume(Effect.void)
    })
    child.once("exit", () => resume(Effect.die(new Error(`PgBouncer ended: ${said}`))))
  })

/** A PgBouncer in front of the server of the run, until the scope closes: the address of a database through it. */
export const make = Effect.fnUntraced(function* (
  database: string,
  settings: Settings,
  serverPort?: number,
) {
  const server = new URL(inject("postgres").url)
  const directory = yield* Effect.promise(() => mkdtemp(join(tmpdir(), "florin-pgbouncer-")))
  const port = yield* freePort
  const login = [
    `host=${server.hostname}`,
    `port=${serverPort ?? (server.port || 5432)}`,
    `user=${server.username}`,
    server.password === "" ? "" : `password=${decodeURIComponent(server.password)}`,
  ]
  const options = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "any",
    ...settings,
  }
  const lines = Object.entries(options).map(([name, value]) => `${name} = ${value}`)
  const file = join(directory, "pgbouncer.ini")
  yield* Effect.promise(async () => {
    await writeFile(
      file,
      ["[databases]", `* = ${login.join(" ")}`, "[pgbouncer]", ...lines].join("\n"),
    )
    const { uid, gid } = Server.account
    if (uid !== undefined) await Promise.all([directory, file].map((each) => chown(each, uid, gid)))
  })
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn("sh", ["-c", reaped, "reaped", directory], {
        ...Server.account,
        detached: true,
        env: environment,
        stdio: ["pipe", "ignore", "pipe"],
      }),
    ),
    (running) =>
      Effect.callback<void>((resume) => {
        running.removeAllListeners("exit").once("exit", () => resume(Effect.void))
        running.stdin.end()
      }),
  )
  yield* started(child)
  const url = new URL(database)
  url.host = `127.0.0.1:${port}`
  return url.href
})
