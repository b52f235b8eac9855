/**
 * P10: from the start of a process to its first answer, storage in memory, by turns: bare Node, the program from its
 * source, and as it is published; without a compile cache, and with one that is there. Only ratios of one run count, and
 * of these the processor time on a machine that is shared. Memory is what the process holds at its first answer.
 *
 * @example
 * node bench/Start.bench.ts
 *
 * @module
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { env, execPath, stdout } from "node:process"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"

const rounds = 7
const betweenTriesInMs = 3

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The floor: a server that loads nothing. */
const bare = `
const server = require("node:http").createServer((_, response) => response.end("ok"))
server.listen(process.env.FLORIN_PORT, "127.0.0.1")`

const cached = { NODE_COMPILE_CACHE: mkdtempSync(join(tmpdir(), "florin-start-")) }
const uncached = { NODE_DISABLE_COMPILE_CACHE: "1" }
const source = [fileOf("../src/main.ts"), "serve"]
const published = [fileOf("../dist/bin/florin.js"), "serve"]

const subjects: ReadonlyArray<{
  readonly name: string
  readonly args: ReadonlyArray<string>
  readonly environment: { readonly [name: string]: string }
}> = [
  { name: "bare node:http", args: ["--eval", bare], environment: uncached },
  { name: "source", args: source, environment: uncached },
  { name: "source, cached", args: source, environment: cached },
  { name: "published", args: published, environment: uncached },
  { name: "published, cached", args: published, environment: cached },
]

const freePort = async (): Promise<number> => {
  const server = createServer()
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (address === null || typeof address === "string") throw new Error("no port")
  return address.port
}

const answers = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url)).ok
  } catch {
    return false
  }
}

const firstAnswer = async (url: string, child: ChildProcess): Promise<void> => {
  // oxlint-disable-next-line no-await-in-loop -- one try after the other
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error("it ended before it answered")
    // oxlint-disable-next-line no-await-in-loop -- the processors are for the other process
    await sleep(betweenTriesInMs)
  }
}

const read = (child: ChildProcess, file: string): string =>
  readFileSync(`/proc/${child.pid}/${file}`, "utf8")

/** Of all threads, by the kernel's books. */
const cpuInMsOf = (child: ChildProcess): number =>
  readdirSync(`/proc/${child.pid}/task`)
    .map((thread) => Number(read(child, `task/${thread}/schedstat`).split(" ")[0]) / 1e6)
    .reduce((sum, each) => sum + each, 0)

const megabytesOf = (child: ChildProcess): number =>
  Number(/VmRSS:\s+(\d+)/u.exec(read(child, "status"))?.[1]) / 1024

/** What the first answer took. It is never asked for anything that its node would have to answer. */
const start = async ({ args, environment }: (typeof subjects)[number]) => {
  const port = await freePort()
  const began = performance.now()
  const child = spawn(execPath, args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      PATH: env["PATH"],
      FLORIN_PORT: `${port}`,
      FLORIN_STORAGE: "memory",
      FLORIN_RPC: "8453=http://127.0.0.1:9 8453=http://127.0.0.1:10",
      FLORIN_RELAYER_KEYS: `0x${"11".repeat(32)}`,
      FLORIN_I_KNOW: "true",
      ...environment,
    },
  })
  await firstAnswer(`http://127.0.0.1:${port}/healthz`, child)
  const taken = {
    inMs: performance.now() - began,
    cpuInMs: cpuInMsOf(child),
    megabytes: megabytesOf(child),
  }
  const ended = once(child, "close")
  child.kill()
  await ended
  return taken
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN

execFileSync(execPath, [fileOf("../scripts/bundle.ts")], { stdio: ["ignore", 2, 2] })
const measured = subjects.map((subject) => ({
  subject,
  turns: [] as Array<Awaited<ReturnType<typeof start>>>,
}))
// The first round fills the cache, and does not count.
for (let round = 0; round <= rounds; round += 1) {
  for (const { subject, turns } of measured) {
    // oxlint-disable-next-line no-await-in-loop -- by turns is the point
    const taken = await start(subject)
    if (round > 0) turns.push(taken)
  }
}
rmSync(cached.NODE_COMPILE_CACHE, { recursive: true })

const rows = measured.map(({ subject, turns }) => ({
  name: subject.name,
  inMs: median(turns.map(({ inMs }) => inMs)),
  cpuInMs: median(turns.map(({ cpuInMs }) => cpuInMs)),
  megabytes: median(turns.map(({ megabytes }) => megabytes)),
}))
const ratio = (value: number, floor = Number.NaN): string =>
  `${(value / floor).toFixed(1).padStart(5)} × bare`
stdout.write(`medians of ${rounds}, to the first answer: time, processor time, memory\n\n`)
for (const { cpuInMs, inMs, megabytes, name } of rows) {
  const time = `${inMs.toFixed(0).padStart(6)} ms ${ratio(inMs, rows[0]?.inMs)}`
  const cpu = `${cpuInMs.toFixed(0).padStart(6)} ms ${ratio(cpuInMs, rows[0]?.cpuInMs)}`
  stdout.write(`${name.padEnd(18)}${time}${cpu}${megabytes.toFixed(0).padStart(5)} MB\n`)
}
