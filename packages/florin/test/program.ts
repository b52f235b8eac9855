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
import * as ReadyFile from "../src/access/ReadyFile.ts"
import * as Directory from "./directory.ts"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
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

const startFile = (
  file: string,
  args: ReadonlyArray<string>,
  environment: { readonly [name: string]: string } = {},
): Started => {
  const child = spawn(node, [file, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: env["PATH"], ...environment },
  })
  alive.add(child)
  const said = { out: "", err: "" }
  child.stdout.on("data", (chunk) => (said.out += String(chunk)))
  child.stderr.on("data", (chunk) => (said.err += String(chunk)))
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code) => {
      alive.delete(child)
      resolve({ code, ...said })
    })
  })
  return { child, said, ended }
}

/** Starts it; its environment holds what is given, and nothing that this machine happens to say. */
export const start = (
  args: ReadonlyArray<string>,
  environment?: { readonly [name: string]: string },
): Started => startFile(main, args, environment)

/** Runs it to its end. */
export const run = (...args: ReadonlyArray<string>): Promise<Ended> => start(args).ended

const severalFile = fileURLToPath(new URL("./several.ts", import.meta.url))

/** Runs several in one process, for rules about many small things; answers how each ended, in their order. */
export const several = async (
  commands: ReadonlyArray<ReadonlyArray<string>>,
  environment?: { readonly [name: string]: string },
): Promise<ReadonlyArray<Ended>> => {
  const { err, out } = await startFile(
    severalFile,
    commands.map((words) => JSON.stringify(words)),
    environment,
  ).ended
  const [outs, errs] = [out.split("\f"), err.split("\f")]
  const codes: ReadonlyArray<number> = JSON.parse(outs.at(-1) ?? "")
  return codes.map((code, index) => ({ code, out: outs[index] ?? "", err: errs[index] ?? "" }))
}

const readReady = Schema.decodeSync(Schema.fromJsonString(ReadyFile.Ready))

export interface Running extends Pick<Started, "said"> {
  readonly ready: ReadyFile.Ready
  readonly readyFile: string
  readonly child: ChildProcess
  readonly said: Started["said"]
  readonly ended: Promise<Ended>
}

/** Resolves once the file is there; rejects where the program ends before. */
const written = (file: string, child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    const looking = setInterval(() => {
      if (!existsSync(file)) return
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
  const { child, ended, said } = start([...given, ...args])
  await written(readyFile, child)
  return { ready: readReady(readFileSync(readyFile, "utf8")), readyFile, child, ended, said }
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
