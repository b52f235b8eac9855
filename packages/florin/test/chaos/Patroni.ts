/**
 * PostgreSQL as it is run for real: two members of which Patroni makes one the primary, etcd that knows which, strict
 * synchronous replication, and PgBouncer in front. All of it comes from Debian's packages.
 *
 * @module
 */
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import * as Files from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { env, kill } from "node:process"
import { setTimeout } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Server from "../../../postgres/test-support/server.ts"
import * as Port from "./Port.ts"

const debian = "/usr/lib/postgresql"
/** Debian puts some programs where only root's PATH looks. */
const environment = { PATH: `${env["PATH"]}:/usr/sbin`, HOME: tmpdir(), LANG: "C.UTF-8" }
const runs = (program: string) =>
  spawnSync(program, ["--version"], { env: environment }).status === 0

/** Where the newest server of this machine is: the npm package has neither `pg_rewind` nor `pg_basebackup`. */
const newest = Files.existsSync(debian)
  ? Files.readdirSync(debian)
      .toSorted((left, right) => Number(right) - Number(left))
      .map((version) => join(debian, version, "bin"))
      .find((bin) => Files.existsSync(join(bin, "pg_rewind")))
  : undefined

/** What is not installed, by the name of its package. */
export const missing: ReadonlyArray<string> = [
  ...(runs("patroni") ? [] : ["patroni"]),
  ...(runs("etcd") ? [] : ["etcd-server"]),
  ...(runs("pgbouncer") ? [] : ["pgbouncer"]),
  ...(newest === undefined ? ["postgresql"] : []),
]

/** The seconds that a primary is believed in without a sign of life. */
const ttlInS = 8

/** A machine with much else to do takes its time. */
const patienceInMs = 180_000

/** Waits for the end of its input, which comes even when this process is killed, then ends all that runs in a folder. */
const reaper = `
cat >/dev/null
for pids in "$1"/*.pid; do kill -KILL $(cat "$pids"); done
for pids in "$1"/*/postmaster.pid; do
  parent=$(head -n 1 "$pids")
  kill -KILL $(ps -o pid= --ppid "$parent") "$parent"
done
sleep 1
rm -rf "$1"`

const raise = (message: string): never => {
  throw new Error(message)
}

const standbys = `SELECT count(*) FROM pg_stat_replication
  WHERE sync_state = 'sync' AND application_name IN ('a', 'b')`

/** Asks again until it is so, or for too long. */
const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
  for (const endsAt = Date.now() + patienceInMs; ;) {
    // oxlint-disable-next-line no-await-in-loop -- It is asked until it is so.
    if (await isSo()) return
    if (Date.now() > endsAt) raise(`it took too long until ${what}`)
    // oxlint-disable-next-line no-await-in-loop
    await setTimeout(100)
  }
}

/** Signals a process, if it is there. */
const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    kill(pid, name)
  } catch {
    // It has ended.
  }
}

const exchange = (program: string, words: ReadonlyArray<string>, timeout = 10_000) =>
  new Promise<{ readonly isDone: boolean; readonly out: string }>((resolve) => {
    execFile(
      program,
      words,
      { env: environment, timeout, killSignal: "SIGKILL" },
      (error, out, err) => resolve({ isDone: error === null, out: `${out}${err}` }),
    )
  })

const responds = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1000) })).ok
  } catch {
    return false
  }
}

const makeMember = (options: {
  readonly name: string
  readonly directory: string
  readonly etcdPort: number
  readonly port: number
  readonly apiPort: number
  readonly start: (name: string, program: string, words: ReadonlyArray<string>) => ChildProcess
}) => {
  const { apiPort, directory, etcdPort, name, port, start } = options
  const data = join(directory, name)
  const file = join(directory, `${name}.json`)
  const api = `http://127.0.0.1:${apiPort}`
  const login = (username: string) => ({ username, password: "florin" })
  const settings = {
    scope: "chaos",
    name,
    restapi: { listen: `127.0.0.1:${apiPort}`, connect_address: `127.0.0.1:${apiPort}` },
    // With the API of etcd 3, an old primary that wakes takes the lock from the new one (Patroni 3.0.2, of Debian 12).
    etcd: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ttl: ttlInS,
        loop_wait: 1,
        retry_timeout: 3,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: {
          use_pg_rewind: true,
          parameters: {
            max_connections: 200,
            wal_log_hints: "on",
            wal_keep_size: "512MB",
            // Only the machine's own fall would lose something; a killed server still keeps what it committed.
            fsync: "off",
            deadlock_timeout: "50ms",
          },
        },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C" }, "no-sync"],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: data,
      bin_dir: newest,
      pgpass: join(directory, `${name}.pgpass`),
      remove_data_directory_on_rewind_failure: true,
      basebackup: [{ checkpoint: "fast" }],
      parameters: { unix_socket_directories: directory },
      pg_hba: [
        "host all all 127.0.0.1/32 trust",
        "host replication all 127.0.0.1/32 trust",
        "local all all trust",
      ],
      authentication: { superuser: login("florin"), replication: login("replicator") },
    },
  }
  Files.writeFileSync(file, JSON.stringify(settings))
  let patroni: ChildProcess | null = null

  const postmaster = (): string | undefined => {
    const written = join(data, "postmaster.pid")
    return Files.existsSync(written)
      ? Files.readFileSync(written, "utf8").split("\n")[0]
      : undefined
  }
  /** The processes of the server, but its first, by what each is for. */
  const children = (): ReadonlyArray<{ readonly pid: number; readonly what: string }> => {
    const parent = postmaster()
    if (parent === undefined) return []
    const words = ["-ww", "-o", "pid=,args=", "--ppid", parent]
    const lines = spawnSync("ps", words, { encoding: "utf8" }).stdout.split("\n")
    return lines.map((what) => ({ pid: Number.parseInt(what, 10), what }))
  }
  /** The Patroni over the server, the server, and all its processes. */
  const pids = (): ReadonlyArray<number> =>
    [patroni?.pid, postmaster(), ...children().map(({ pid }) => pid)]
      .map(Number)
      .filter((pid) => pid > 0)
  const signalAll = (what: NodeJS.Signals) => {
    // A server that is stopped first starts no further process.
    for (const pid of pids().slice(0, 2)) signal(pid, what)
    for (const pid of pids().slice(2)) signal(pid, what)
  }
  return {
    name,
    port,
    url: `postgres://florin@127.0.0.1:${port}/postgres`,
    api,
    /** Its Patroni has the leader's lock, and its server takes writes. */
    isPrimary: () => responds(`${api}/primary`),
    /** It has everything that the primary confirms. */
    isSynchronous: () => responds(`${api}/synchronous`),
    start: () => {
      patroni = start(name, "patroni", [file])
    },
    /** As if the machine lost its power. */
    kill: () => signalAll("SIGKILL"),
    /** As if the machine stood still. */
    stop: () => signalAll("SIGSTOP"),
    /** As if the network to the primary stood still. */
    receive: (what: "SIGSTOP" | "SIGKILL") => {
      for (const child of children()) {
        if (child.what.includes("walreceiver")) signal(child.pid, what)
      }
    },
    wake: () => signalAll("SIGCONT"),
    /** Patroni's own change of roles, which waits until nothing is missing. */
    handOver: async (candidate: string): Promise<boolean> => {
      try {
        const response = await fetch(`${api}/switchover`, {
          method: "POST",
          body: JSON.stringify({ leader: name, candidate }),
          signal: AbortSignal.timeout(60_000),
        })
        return response.ok
      } catch {
        return false
      }
    },
  }
}
export type Member = ReturnType<typeof makeMember>

/** A primary and a standby that has everything, until the scope closes; logs go to a folder. */
export const make = Effect.fnUntraced(function* (logs: string) {
  const directory = Files.mkdtempSync(join(tmpdir(), "florin-patroni-"))
  const { gid, uid } = Server.account
  const own = (path: string) => {
    if (uid !== undefined && gid !== undefined) Files.chownSync(path, uid, gid)
  }
  own(directory)
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn("sh", ["-c", reaper, "reaper", directory], {
        stdio: ["pipe", "ignore", "ignore"],
        detached: true,
      }),
    ),
    (child) =>
      Effect.promise(() => {
        child.stdin?.end()
        return once(child, "exit")
      }),
  )
  Files.mkdirSync(logs, { recursive: true })
  const start = (name: string, program: string, words: ReadonlyArray<string>): ChildProcess => {
    const log = Files.openSync(join(logs, `${name}.log`), "a")
    const child = spawn(program, words, {
      ...Server.account,
      cwd: directory,
      env: environment,
      detached: true,
      stdio: ["ignore", log, log],
    })
    child.once("error", () => undefined)
    Files.writeFileSync(join(directory, `${name}.pid`), String(child.pid))
    return child
  }
  const [etcdPort, peerPort, poolPort, portA, portB, apiA, apiB] = yield* Effect.promise(() =>
    Promise.all([
      Port.free(),
      Port.free(),
      Port.free(),
      Port.free(),
      Port.free(),
      Port.free(),
      Port.free(),
    ]),
  )
  const etcd = `http://127.0.0.1:${etcdPort}`
  const peer = `http://127.0.0.1:${peerPort}`
  Files.mkdirSync(join(directory, "etcd"), { mode: 0o700 })
  own(join(directory, "etcd"))
  start("etcd", "etcd", [
    "--enable-v2=true",
    `--data-dir=${join(directory, "etcd")}`,
    `--listen-client-urls=${etcd}`,
    `--advertise-client-urls=${etcd}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ])
  const member = (name: string, port: number, apiPort: number) =>
    makeMember({ name, directory, etcdPort, port, apiPort, start })
  const members = [member("a", portA, apiA), member("b", portB, apiB)] as const
  const other = (than: Member): Member => (than === members[0] ? members[1] : members[0])
  const primary = async (): Promise<Member | null> => {
    const found = await Promise.all(members.map((each) => each.isPrimary()))
    return members[found.indexOf(true)] ?? null
  }
  const isWhole = async () => {
    const leader = await primary()
    return leader !== null && other(leader).isSynchronous()
  }
  yield* Effect.promise(async () => {
    await until("etcd responds", () => responds(`${etcd}/health`))
    members[0].start()
    await until("there is a primary", members[0].isPrimary)
    members[1].start()
    await until("the standby has everything", isWhole)
  })

  const psql = (url: string, statement: string, timeout?: number) =>
    exchange(join(newest ?? "", "psql"), ["-XAtq", "-d", url, "-c", statement], timeout)
  const probe = ({ url: at }: Member) => at.replace(/postgres$/u, "probe")
  for (const [at, statement] of [
    [members[0].url, "CREATE DATABASE probe"],
    [probe(members[0]), "CREATE TABLE written (number int)"],
  ] as const) {
    const { isDone, out } = yield* Effect.promise(() => psql(at, statement))
    if (!isDone) raise(`${statement}: ${out}`)
  }

  const writeTo = (by: Member) => psql(probe(by), "INSERT INTO written VALUES (1)", 3000)

  // What an operator's own tool does: it points PgBouncer to whom Patroni made the primary.
  const file = join(directory, "pgbouncer.ini")
  const users = join(directory, "users.txt")
  Files.writeFileSync(users, '"florin" ""\n')
  const point = (to: Member) => {
    const settings = {
      listen_addr: "127.0.0.1",
      listen_port: poolPort,
      unix_socket_dir: "",
      auth_type: "trust",
      auth_file: users,
      pool_mode: "session",
      default_pool_size: 100,
      max_client_conn: 1000,
      // By default it tries a server that did not respond again after 15 s.
      server_login_retry: 1,
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
    const target = `postgres = host=127.0.0.1 port=${to.port} user=florin`
    Files.writeFileSync(file, ["[databases]", target, "[pgbouncer]", ...lines, ""].join("\n"))
  }
  point(members[0])
  let pooler = start("pgbouncer", "pgbouncer", [file])
  const url = `postgres://florin@127.0.0.1:${poolPort}/postgres`
  yield* Effect.promise(() =>
    until("PgBouncer responds", async () => (await psql(url, "SELECT 1")).isDone),
  )
  let pointed = members[0].name
  const follow = async (): Promise<void> => {
    const leader = await primary()
    if (leader === null || leader.name === pointed) return
    point(leader)
    pointed = leader.name
    // A new start sends clients of the old primary away, which would wait for it for ever. KILL may end PgBouncer 1.18.
    const ended = once(pooler, "exit")
    pooler.kill("SIGKILL")
    await ended
    pooler = start("pgbouncer", "pgbouncer", [file])
  }
  yield* Effect.promise(follow).pipe(
    Effect.andThen(Effect.sleep(200)),
    Effect.forever,
    Effect.forkScoped,
  )

  return {
    url,
    members,
    other,
    primary,
    /** There is a primary, and the standby has everything that it confirms. */
    isWhole: () => until("the standby has everything", isWhole),
    until,
    /** Whether a member lets somebody write who asks it itself. */
    writes: async (by: Member): Promise<boolean> => (await writeTo(by)).isDone,
    /** Whether a write is on the standby, too: while it is copied, its copy counts as a standby for PostgreSQL. */
    confirms: async (by: Member): Promise<boolean> => {
      const { isDone } = await writeTo(by)
      if (!isDone) return false
      const { out } = await psql(by.url, standbys)
      return out.trim() === "1"
    },
  }
})

export type Patroni = Effect.Success<ReturnType<typeof make>>
