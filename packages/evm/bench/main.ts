/**
 * `pnpm bench`: what a request costs us, next to the same request at peers that are written by hand, as processes of
 * their own and by turns in one run. Only ratios of one run count, of processor time where processors are shared.
 *
 * @example
 * pnpm bench
 * pnpm bench http confirm --quick
 * pnpm bench longpoll --json
 * pnpm bench pay --payments 500
 * pnpm bench million --payments 100000
 *
 * @module
 */
import { type ChildProcess, fork, type StdioOptions } from "node:child_process"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { cpus, loadavg } from "node:os"
import process, { stdout } from "node:process"
import { setTimeout as sleep } from "node:timers/promises"
import { isDeepStrictEqual, parseArgs } from "node:util"
import * as DateTime from "effect/DateTime"
import { getAddress } from "viem/utils"
import type * as Child from "./child.ts"
import * as Load from "./load.ts"

interface Server extends Child.Started {
  readonly process: ChildProcess
}

const sides = {
  florin: { file: new URL("./florin.ts", import.meta.url), of: [], execArgv: [] },
  "florin, wasm": {
    file: new URL("./florin.ts", import.meta.url),
    of: [],
    execArgv: ["--import", new URL("./withoutAddon.ts", import.meta.url).href],
  },
  fastify: { file: new URL("./peer.ts", import.meta.url), of: ["fastify"], execArgv: [] },
  raw: { file: new URL("./peer.ts", import.meta.url), of: ["raw"], execArgv: [] },
} as const
type Side = keyof typeof sides

/** What was measured of each side, turn by turn. */
interface Row {
  readonly name: string
  readonly unit: string
  readonly turns: ReadonlyArray<Partial<Readonly<Record<Side, number>>>>
}

interface Size {
  readonly turns: number
  readonly polls: number
  readonly payments: number
}

const whole: Size = { turns: 9, polls: 10_000, payments: 500 }
const quick: Size = { turns: 3, polls: 2000, payments: 100 }

/** What a child logs is no part of the report. */
const stdio: StdioOptions = ["ignore", 2, 2, "ipc"]

const start = async (side: Side): Promise<Server> => {
  const { execArgv, file, of } = sides[side]
  const child = fork(file, of, {
    execArgv: ["--expose-gc", "--no-warnings", ...execArgv],
    stdio,
  })
  const [started]: Array<Child.Started> = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => Promise.reject(new Error(`${side} does not start`))),
  ])
  if (started === undefined) throw new Error(`${side} does not start`)
  return { process: child, ...started }
}

/** Starts some sides, and stops them when the work with them is done. */
const withServers = async <S extends Side, A>(
  names: ReadonlyArray<S>,
  use: (servers: ReadonlyMap<S, Server>) => Promise<A>,
): Promise<A> => {
  const servers = new Map<S, Server>()
  try {
    // oxlint-disable-next-line no-await-in-loop -- a start disturbs the next one
    for (const name of names) servers.set(name, await start(name))
    return await use(servers)
  } finally {
    for (const { process: child } of servers.values()) {
      child.disconnect()
      // oxlint-disable-next-line no-await-in-loop -- its end disturbs the next one
      await once(child, "exit")
    }
  }
}

const ask = async ({ process: child }: Server, asked: Child.Asked) => {
  child.send(asked)
  const [message] = await once(child, "message")
  return message
}

const usage = (server: Server, of?: "memory"): Promise<Child.Usage> =>
  ask(server, { ask: "usage", ...(of && { of }) })

const prepare = (
  server: Server,
  count: number,
  isForged = false,
): Promise<ReadonlyArray<Child.Prepared>> => ask(server, { ask: "prepare", count, isForged })

const textOf = ({ key }: Server, method: string, path: string, body = ""): string =>
  [
    `${method} /v1/gateway/payment/${path} HTTP/1.1`,
    "Host: localhost",
    `Api-Key: ${key}`,
    "Svc-Version: 2026-02-18",
    ...(body === "" ? [] : ["Content-Type: application/json", `Content-Length: ${body.length}`]),
    "",
    body,
  ].join("\r\n")

/** What a request gets, without what differs from one process to the next. */
const outline = async ({ port }: Server, text: string) => {
  const [head = "", body = ""] = text.split("\r\n\r\n")
  const [line = "", ...fields] = head.split("\r\n")
  const [method = "", path = ""] = line.split(" ")
  const headers = fields.map((field): [string, string] => {
    const [name = "", value = ""] = field.split(": ")
    return [name, value]
  })
  const sent = headers.filter(([name]) => name !== "Host" && name !== "Content-Length")
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: sent,
    ...(body !== "" && { body }),
  })
  const shown: unknown = JSON.parse(
    (await response.text())
      .replaceAll(/"id":"[^"]*"/gu, '"id":""')
      .replaceAll(/0x[0-9a-f]{64}/gu, "0x")
      .replaceAll(/\d{10}/gu, "0")
      .replaceAll(/\\"to\\":\\"0x[0-9a-f]{40}/gu, "to"),
  )
  const names = ["cache-control", "svc-version", "vary"]
  return { shown, headers: names.map((name) => response.headers.get(name)) }
}

/**
 * Turns before the measured ones, so that all code is compiled: by count, as a busy machine stretches time. The engine
 * still compiles code of ours after 16,000 calls, which takes processor time.
 */
const warmUps = 8

/** The processor time of a server for each of some requests. */
const cpuOf = async (server: Server, texts: ReadonlyArray<string>): Promise<number> => {
  const before = await usage(server)
  await Load.each(server.port, texts, { connections: 16 })
  return (((await usage(server)).cpuInMs - before.cpuInMs) * 1000) / texts.length
}

const turnsOf = async <S extends Side>(
  servers: ReadonlyMap<S, Server>,
  turns: number,
  measure: (server: Server) => Promise<number>,
): Promise<Row["turns"]> => {
  const measured: Array<Partial<Record<Side, number>>> = []
  for (let turn = 0; turn < warmUps + turns; turn += 1) {
    const of: Partial<Record<Side, number>> = {}
    // oxlint-disable-next-line no-await-in-loop -- by turns is the point
    for (const [name, server] of servers) of[name] = await measure(server)
    measured.push(of)
  }
  return measured.slice(warmUps)
}

/** Accounts as wallets send them, with a checksum. */
const accounts = (count: number): ReadonlyArray<string> =>
  Array.from(
    { length: count },
    (_, index) => `eip155:8453:${getAddress(`0x${(index + 0xabcdef01).toString(16).repeat(5)}`)}`,
  )

interface Request {
  readonly name: string
  /** In each turn: as many as take about as long as those of another row. */
  readonly count: number
  readonly textFor: (server: Server) => string
}

const optionsFor = (of: number, count: number): Request => ({
  name: `options, ${of} account${of === 1 ? "" : "s"}`,
  count,
  textFor: (server) =>
    textOf(
      server,
      "POST",
      `${server.paymentId}/options`,
      JSON.stringify({ accounts: accounts(of) }),
    ),
})

const requests: ReadonlyArray<Request> = [
  {
    name: "status",
    count: 5000,
    textFor: (server) => textOf(server, "GET", `${server.paymentId}/status`),
  },
  optionsFor(1, 2000),
  optionsFor(8, 800),
  optionsFor(64, 150),
]

const http = ({ turns }: Size): Promise<ReadonlyArray<Row>> =>
  withServers(["florin", "fastify", "raw"], async (servers) => {
    const rows: Array<Row> = []
    for (const { count, name, textFor } of requests) {
      const outlines: Array<unknown> = []
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      for (const each of servers.values()) outlines.push(await outline(each, textFor(each)))
      if (!outlines.every((each) => isDeepStrictEqual(each, outlines[0]))) {
        throw new Error(`${name}: the sides do not respond the same`)
      }
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const measured = await turnsOf(servers, turns, (server) =>
        cpuOf(
          server,
          Array.from({ length: count }, () => textFor(server)),
        ),
      )
      rows.push({ name, unit: "µs of CPU", turns: measured })
    }
    return rows
  })

const confirmOf = (server: Server, { optionId, paymentId, signature }: Child.Prepared): string =>
  textOf(
    server,
    "POST",
    `${paymentId}/confirm`,
    JSON.stringify({ optionId, results: [{ type: "walletRpc", data: [signature] }] }),
  )

const taken = { status: "processing", isFinal: false, pollInMs: 1000, info: null }

/** Confirms in each turn, and of the side that takes longest. */
const [confirms, fewConfirms] = [1500, 300]

const confirm = ({ turns }: Size): Promise<ReadonlyArray<Row>> =>
  withServers(["florin", "florin, wasm", "fastify", "raw"], async (servers) => {
    for (const server of servers.values()) {
      // oxlint-disable no-await-in-loop -- one after the other
      const [good] = await prepare(server, 1)
      const [forged] = await prepare(server, 1, true)
      if (good === undefined || forged === undefined) throw new Error("nothing is prepared")
      const accepted = (await outline(server, confirmOf(server, good))).shown
      const refused = (await outline(server, confirmOf(server, forged))).shown
      if (!isDeepStrictEqual(accepted, taken) || isDeepStrictEqual(refused, taken)) {
        throw new Error("a signature is refused, or a forgery is taken")
      }
      // oxlint-enable no-await-in-loop
    }
    const measured = await turnsOf(servers, turns, async (server) => {
      const count = server === servers.get("fastify") ? fewConfirms : confirms
      const prepared = await prepare(server, count)
      return cpuOf(
        server,
        prepared.map((each) => confirmOf(server, each)),
      )
    })
    return [{ name: "confirm", unit: "µs of CPU", turns: measured }]
  })

/** Waits until a server has nothing left to do. */
const settle = async (server: Server): Promise<void> => {
  for (let before = -Infinity; ;) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { cpuInMs } = await usage(server)
    if (cpuInMs - before < 10) return
    before = cpuInMs
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await sleep(500)
  }
}

/** Parks polls, and returns their connections. */
const park = async (server: Server, count: number): Promise<ReadonlyArray<Socket>> => {
  const text = textOf(server, "GET", `${server.paymentId}/status?maxPollMs=25000`)
  const sockets: Array<Socket> = []
  while (sockets.length < count) {
    // No more at a time than wait to be accepted: the kernel would have the others try again seconds later.
    const some = Array.from({ length: Math.min(250, count - sockets.length) }, () =>
      connect({ port: server.port, host: "127.0.0.1", noDelay: true }),
    )
    // oxlint-disable-next-line no-await-in-loop -- some after the others
    await Promise.all(some.map((socket) => once(socket, "connect")))
    for (const socket of some) socket.write(text)
    sockets.push(...some)
    // oxlint-disable-next-line no-await-in-loop -- they are accepted before it responds
    await usage(server)
  }
  await settle(server)
  return sockets
}

const parkedNames = ["KiB", "reads", "idle", "woken", "held"] as const

const idleInMs = 6000

/** One process: what a parked poll holds, what it costs while nothing happens, and what waking all of them costs. */
const parkedOf = async (server: Server, polls: number) => {
  const first = await park(server, polls / 4)
  for (const socket of first) socket.destroy()
  await sleep(500)
  const empty = await usage(server, "memory")
  const sockets = await park(server, polls)
  const full = await usage(server, "memory")
  await sleep(idleInMs)
  const later = await usage(server)
  const responses = sockets.map((socket) => once(socket, "data"))
  await ask(server, { ask: "watch" })
  await sleep(100)
  await ask(server, { ask: "change" })
  await Promise.all(responses)
  const woken = await usage(server)
  for (const socket of sockets) socket.destroy()
  return {
    KiB: (full.rssBytes - empty.rssBytes) / polls / 1024,
    reads: ((later.reads - full.reads) * 1000) / idleInMs,
    idle: ((later.cpuInMs - full.cpuInMs) * 1000) / idleInMs,
    woken: ((woken.cpuInMs - later.cpuInMs) * 1000) / polls,
    held: woken.heldInMs,
  }
}

const longpoll = async ({ polls, turns }: Size): Promise<ReadonlyArray<Row>> => {
  const measured: Record<(typeof parkedNames)[number], Array<Partial<Record<Side, number>>>> = {
    KiB: [],
    reads: [],
    idle: [],
    woken: [],
    held: [],
  }
  for (let turn = 0; turn < Math.ceil(turns / 3); turn += 1) {
    const of = new Map<Side, Awaited<ReturnType<typeof parkedOf>>>()
    for (const side of ["florin", "raw"] as const) {
      // oxlint-disable-next-line no-await-in-loop -- by turns is the point
      await withServers([side], async (servers) => {
        const server = servers.get(side)
        if (server !== undefined) of.set(side, await parkedOf(server, polls))
      })
    }
    for (const name of parkedNames) {
      measured[name].push(Object.fromEntries([...of].map(([side, each]) => [side, each[name]])))
    }
  }
  return [
    { name: "parked poll, with its connection", unit: "KiB", turns: measured.KiB },
    { name: "reads of storage while parked", unit: "a second", turns: measured.reads },
    { name: `${polls} parked polls`, unit: "ms of CPU a second", turns: measured.idle },
    { name: `one of ${polls} polls woken`, unit: "µs of CPU", turns: measured.woken },
    { name: "longest hold of the loop meanwhile", unit: "ms", turns: measured.held },
  ]
}

/** What a process of ours counts for each payment. */
const pay = async ({ payments }: Size): Promise<ReadonlyArray<Row>> => {
  const child = fork(new URL("./pay.ts", import.meta.url), [String(payments)], {
    execArgv: ["--no-warnings"],
    stdio,
  })
  const [counts]: Array<ReadonlyArray<{ name: string; unit: string; value: number }>> =
    await Promise.race([
      once(child, "message"),
      once(child, "exit").then(() => Promise.reject(new Error("a payment was not settled"))),
    ])
  return (counts ?? []).map(({ name, unit, value }) => ({ name, unit, turns: [{ florin: value }] }))
}

const benches = { http, confirm, longpoll, pay }

/** Programs with a report of their own, which run only if they are named. */
const programs = {
  million: "../../florin/bench/Million.bench.ts",
  lists: "../../postgres/bench/lists.bench.ts",
  reads: "../../postgres/bench/reads.bench.ts",
  claims: "../../postgres/bench/claims.bench.ts",
  signals: "../../postgres/bench/signals.bench.ts",
  start: "../../florin/bench/Start.bench.ts",
  webhooks: "../../florin/bench/Receivers.bench.ts",
  neighbours: "../../florin/bench/Neighbours.bench.ts",
  paint: "../../florin/bench/FirstPaint.bench.ts",
  overview: "../../florin/bench/Overview.bench.ts",
} as const

const runProgram = async (name: keyof typeof programs, payments: string | undefined) => {
  const child = fork(new URL(programs[name], import.meta.url), [], {
    execArgv: ["--no-warnings"],
    env: { ...process.env, ...(payments !== undefined && { PAYMENTS: payments }) },
    stdio: "inherit",
  })
  const [code] = await once(child, "exit")
  if (code !== 0) process.exitCode = 1
}

const usageText = `pnpm bench [name…] [--quick] [--json] [--payments <count>]

  http      options and status, next to Fastify and raw node:http
  confirm   confirms, next to the same
  longpoll  parked polls, next to raw node:http
  pay       what a payment costs, from its creation until it is paid out: statements, commits,
            write-ahead log, bytes and processor time, on a PostgreSQL of its own

Only if named, each with a report of its own:
  million     payments in bulk on a real process, which is killed in the middle: what each costs,
              and what was lost or doubled
  lists       pages, searches and statistics of a large tenant, next to the plain query
  reads, claims, signals  single calls of PostgreSQL
  start       from the start of a process to its first response, next to bare Node
  webhooks, neighbours    what a healthy receiver or chain feels of others that hang
  paint       the first paint of the checkout
  overview    the first screen of a large partner's console, in Chromium

  --quick     fewer turns, polls and payments
  --json      everything that was measured, as JSON
  --payments  how many payments \`pay\`, \`million\`, \`lists\` and \`overview\` make
`

/** The median, and between which values half of the turns are. */
const spread = (values: ReadonlyArray<number>) => {
  const sorted = values.toSorted((left, right) => left - right)
  const at = (part: number) => sorted[Math.round((sorted.length - 1) * part)] ?? Number.NaN
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

/** Each side, and how we compare: how many times a peer costs what we cost, and how many times raw we cost. */
const summary = ({ name, turns, unit }: Row) => {
  const names = Object.keys(sides).filter(
    (side): side is Side => turns[0]?.[side as Side] !== undefined,
  )
  const ratio = (over: Side, under: Side) =>
    spread(turns.map((each) => (each[over] ?? Number.NaN) / (each[under] ?? Number.NaN)))
  return {
    name,
    unit,
    turns: turns.length,
    sides: Object.fromEntries(
      names.map((side) => [side, spread(turns.map((each) => each[side] ?? Number.NaN))]),
    ),
    ratios: {
      ...(names.includes("fastify") && { "fastify / florin": ratio("fastify", "florin") }),
      ...(names.includes("raw") && { "florin / raw": ratio("florin", "raw") }),
    },
  }
}

const format = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    payments: { type: "string" },
    help: { type: "boolean", default: false },
  },
})
if (values.help) {
  stdout.write(usageText)
  process.exit(0)
}
const isBench = (name: string): name is keyof typeof benches => Object.hasOwn(benches, name)
const isProgram = (name: string): name is keyof typeof programs => Object.hasOwn(programs, name)
const chosen = positionals.length === 0 ? Object.keys(benches) : positionals
const unknown = chosen.filter((name) => !isBench(name) && !isProgram(name))
if (unknown.length > 0) {
  stdout.write(`there is no bench ${unknown.join(", ")}\n\n${usageText}`)
  process.exit(2)
}
const chosenSize = values.quick ? quick : whole
const payments = Number(values.payments ?? chosenSize.payments)
if (!Number.isSafeInteger(payments) || payments < 1) {
  stdout.write("--payments is a whole number from 1\n")
  process.exit(2)
}
const size = { ...chosenSize, payments }
// oxlint-disable-next-line no-await-in-loop -- one after the other
for (const name of chosen.filter(isProgram)) await runProgram(name, values.payments)
const results = []
/** How many processes wanted to run before the first bench: with more than there are processors, the machine is shared. */
const load = loadavg()[0] ?? 0
for (const name of chosen.filter(isBench)) {
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (const row of await benches[name](size)) {
    const result = summary(row)
    results.push({ bench: name, ...result })
    if (values.json) continue
    const { florin } = result.sides
    if (result.turns === 1 && florin !== undefined) {
      stdout.write(
        `${format(florin.median).padStart(8)} ${result.unit.padEnd(10)} ${result.name}\n`,
      )
      continue
    }
    stdout.write(`${name}: ${result.name} (${result.unit})\n`)
    for (const [side, { high, low, median }] of Object.entries({
      ...result.sides,
      ...result.ratios,
    })) {
      stdout.write(
        `  ${side.padEnd(18)} ${format(median).padStart(8)}  ${format(low)} to ${format(high)}\n`,
      )
    }
  }
}
if (values.json && results.length > 0) {
  const machine = { processors: cpus().length, model: cpus()[0]?.model.trim() ?? "", load }
  const run = {
    command: ["pnpm bench", ...process.argv.slice(2)].join(" "),
    date: DateTime.formatIso(DateTime.nowUnsafe()).slice(0, 10),
    node: process.version,
    machine,
    size,
    results,
  }
  stdout.write(`${JSON.stringify(run, null, 2)}\n`)
}
process.exit()
