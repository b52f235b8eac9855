/**
 * One process of the service under a service manager: it is killed, stopped and started again, at the same port.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process"
import { openSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process, { env, execPath } from "node:process"
import { setTimeout as pause } from "node:timers/promises"
import * as Port from "./Port.ts"

export type Role = "api" | "worker" | "all"

export interface Options {
  readonly name: string
  readonly role: Role
  /** The program. */
  readonly program: string
  readonly variables: { readonly [name: string]: string }
  /** For its log and its clock. */
  readonly directory: string
  /** It ended, or came back, in a way that nobody asked for. */
  readonly report: (what: string) => void
}

const clock = new URL("../clock.ts", import.meta.url).href
/** Before a service manager starts a process again. */
const pauseInMs = 500
/** A machine with much else to do takes its time. */
const patienceInMs = 180_000

/** What still runs ends with this process. */
const alive = new Set<ChildProcess>()
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL")
})

export const make = async ({ directory, name, program, report, role, variables }: Options) => {
  const port = await Port.free()
  const url = `http://127.0.0.1:${port}`
  const file = join(directory, name.replace(" ", "-"))
  const log = openSync(`${file}.log`, "a")
  const setClock = (byInMs: number) => writeFileSync(`${file}.clock`, String(byInMs))
  setClock(0)
  let child: ChildProcess | null = null
  let ended: Promise<number | null> = Promise.resolve(null)
  let isWanted = true
  let wasThere = false

  const isThere = async (): Promise<boolean> => {
    try {
      return (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2000) })).ok
    } catch {
      return false
    }
  }

  const launch = (): void => {
    const started = spawn(execPath, [program, "serve", "--role", role, "--port", String(port)], {
      stdio: ["ignore", log, log],
      env: {
        PATH: env["PATH"],
        ...variables,
        NODE_OPTIONS: `--import=${clock}`,
        TEST_CLOCK: `${file}.clock`,
      },
    })
    child = started
    alive.add(started)
    wasThere = false
    ended = new Promise((resolve) => {
      started.once("close", (code, signal) => {
        child = null
        alive.delete(started)
        resolve(code)
        if (!isWanted) return
        if (wasThere) report(`${name} ended by itself with ${code ?? signal}`)
        // It may not have reached its database, and is started again until it does.
        setTimeout(() => {
          if (isWanted && child === null) launch()
        }, pauseInMs)
      })
    })
  }

  /** Resolves once it responds. */
  const start = async (): Promise<void> => {
    isWanted = true
    launch()
    for (const endsAt = Date.now() + patienceInMs; !wasThere;) {
      if (!isWanted) return
      if (Date.now() > endsAt) throw new Error(`${name} does not start: see ${file}.log`)
      // oxlint-disable-next-line no-await-in-loop -- It is asked until it responds.
      wasThere = await isThere()
      // oxlint-disable-next-line no-await-in-loop
      await pause(100)
    }
  }

  const end = (signal: "SIGTERM" | "SIGKILL"): Promise<number | null> => {
    isWanted = false
    child?.kill(signal)
    return ended
  }

  return {
    name,
    role,
    url,
    setClock,
    start,
    /** As `kill -9`. */
    kill: () => end("SIGKILL"),
    /** Politely; returns its exit code. */
    terminate: () => end("SIGTERM"),
    isUp: () => child !== null && isWanted,
    pid: () => child?.pid ?? null,
    /** Whether it has begun to serve. */
    isReady: () => child !== null && isWanted && wasThere,
    signal: (signal: "SIGSTOP" | "SIGCONT") => child?.kill(signal),
    isThere,
  }
}

export type Member = Awaited<ReturnType<typeof make>>
