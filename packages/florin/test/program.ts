/**
 * Runs the real program, as a shell does.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { env } from "node:process"
import { fileURLToPath } from "node:url"
import * as Schema from "effect/Schema"
import * as Processes from "../../postgres/test-support/processes.ts"
import * as ReadyFile from "../src/access/ReadyFile.ts"
import * as Directory from "./directory.ts"

const main = new URL("../src/main.ts", import.meta.url)
const runner = new URL("./runner.ts", import.meta.url)
/** The Node that the repository brings, whichever runs the tests. */
const node = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const alive = new Set<ChildProcess>()

export interface Started {
  readonly child: ChildProcess
  /** All that it said until now. */
  readonly said: { readonly out: string; readonly err: string }
  readonly ended: Promise<Ended>
}

type Environment = { readonly [name: string]: string }

/**
 * Starts it; its environment holds what is given, and nothing that this machine happens to say. Its output may go to a
 * file.
 */
export const start = (
  args: ReadonlyArray<string>,
  environment: Environment = {},
  output: "pipe" | number = "pipe",
): Started => {
  // Which files are loaded can be seen of the sources alone.
  const file = "TEST_LOADED" in environment ? fileURLToPath(main) : Processes.fileOf(main)
  const child = spawn(node, [file, ...args], {
    stdio: ["ignore", output, output],
    env: { PATH: env["PATH"], ...environment },
  })
  alive.add(child)
  const said = { out: "", err: "" }
  child.stdout?.on("data", (chunk) => (said.out += String(chunk)))
  child.stderr?.on("data", (chunk) => (said.err += String(chunk)))
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code) => {
      alive.delete(child)
      resolve({ code, ...said })
    })
  })
  return { child, said, ended }
}

/** A process that runs commands one after another, which takes a tenth of the time of a process for each. */
const startRunner = (environment: Environment) => {
  const child = spawn(node, [Processes.fileOf(runner)], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { PATH: env["PATH"], ...environment },
  })
  child.stdout?.setEncoding("utf8")
  child.stderr?.setEncoding("utf8")
  return child
}

/** Runners that wait for a command, by their environment, which a process reads once. Each takes memory. */
const idle = new Map<string, ChildProcess>()
const idleMax = 2

const keep = (key: string, child: ChildProcess) => {
  idle.get(key)?.kill("SIGKILL")
  idle.set(key, child)
  const [oldest] = idle
  if (oldest === undefined || idle.size <= idleMax) return
  idle.delete(oldest[0])
  oldest[1].kill("SIGKILL")
}

const runnerIn = (key: string, environment: Environment) => {
  const found = idle.get(key)
  idle.delete(key)
  return found?.connected === true ? found : startRunner(environment)
}

/**
 * Runs a command to its end; its environment holds what is given. What is tested of the process itself, such as a signal
 * or a closed pipe, needs `start`.
 */
export const runIn = (environment: Environment, ...words: ReadonlyArray<string>): Promise<Ended> =>
  new Promise((resolve) => {
    const key = JSON.stringify(environment)
    const child = runnerIn(key, environment)
    alive.add(child)
    const said = { out: "", err: "" }
    const end = (code: number | null, out: string, err: string) => {
      child.stdout?.off("data", readOut)
      child.stderr?.off("data", readErr)
      child.off("close", close)
      alive.delete(child)
      resolve({ code, out, err })
    }
    const look = () => {
      const [out = "", code, after] = said.out.split("\f")
      const [err = "", complete] = said.err.split("\f")
      if (after === undefined || complete === undefined) return
      end(Number(code), out, err)
      keep(key, child)
    }
    const readOut = (chunk: string) => {
      said.out += chunk
      look()
    }
    const readErr = (chunk: string) => {
      said.err += chunk
      look()
    }
    const close = (code: number | null) => end(code, said.out, said.err)
    child.stdout?.on("data", readOut)
    child.stderr?.on("data", readErr)
    child.on("close", close)
    child.send(words)
  })

export const run = (...words: ReadonlyArray<string>): Promise<Ended> => runIn({}, ...words)

/** Runs several one after another; returns how each ended, in their order. */
export const several = async (
  commands: ReadonlyArray<ReadonlyArray<string>>,
  environment: Environment = {},
): Promise<ReadonlyArray<Ended>> => {
  const ends: Array<Ended> = []
  // oxlint-disable-next-line no-await-in-loop -- One may change what the next one reads.
  for (const words of commands) ends.push(await runIn(environment, ...words))
  return ends
}

const readReady = Schema.decodeSync(Schema.fromJsonString(ReadyFile.Ready))

export interface Running extends Pick<Started, "said"> {
  readonly ready: ReadyFile.Ready
  readonly readyFile: string
  readonly child: ChildProcess
  readonly said: Started["said"]
  readonly ended: Promise<Ended>
}

/** Resolves once the file is there and the program has introduced itself; rejects where it ends before. */
const introduced = (file: string, { child, said }: Started): Promise<void> =>
  new Promise((resolve, reject) => {
    const looking = setInterval(() => {
      if (!existsSync(file) || !said.out.includes("Ctrl-C")) return
      clearInterval(looking)
      resolve()
    }, 100)
    child.once("close", () => {
      clearInterval(looking)
      reject(new Error("it ended before it was ready"))
    })
  })

/** Runs `florin dev` on any free port until it is ready. */
export const dev = async (directory: string, ...args: ReadonlyArray<string>): Promise<Running> => {
  const readyFile = join(directory, "named.json")
  const given = ["dev", "--port", "0", "--ready-file", readyFile, "--directory", directory]
  const started = start([...given, ...args])
  await introduced(readyFile, started)
  return { ready: readReady(readFileSync(readyFile, "utf8")), readyFile, ...started }
}

/** Ends it as Ctrl-C does. */
export const interrupt = ({ child, ended }: Running): Promise<Ended> => {
  child.kill("SIGINT")
  return ended
}

/** Ends what still runs because a test failed. */
export const killAll = (): void => {
  for (const child of alive) child.kill("SIGKILL")
}

/** A directory for as long as the work lasts; what still runs then, because the work failed, is ended. */
export const inDirectory = async (work: (directory: string) => Promise<void>): Promise<void> => {
  const directory = Directory.make()
  try {
    await work(directory)
  } finally {
    killAll()
    Directory.remove(directory)
  }
}
