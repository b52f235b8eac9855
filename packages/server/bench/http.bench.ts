/**
 * P1 and P2: our server against Fastify by hand, each a process of its own, loaded by turns. Only ratios of one run
 * count: requests a second, and processor time for each request, which tells more where processors are shared.
 *
 * What metrics cost: the processor time of a request with them and without.
 *
 * P7: what a parked poll holds.
 *
 * @example
 * node bench/http.bench.ts
 *
 * @module
 */
import { deepStrictEqual } from "node:assert"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { stdout } from "node:process"
import { setTimeout as sleep } from "node:timers/promises"
import { Schema } from "effect"
import * as Ground from "./ground.ts"
import * as Load from "./load.ts"

const pairs = 9
const warmUpInMs = 3000
const runInMs = 1500
const connections = 32
const polls = 2000

interface Server extends Ground.Started {
  readonly process: ChildProcess
}

const start = async (file: URL, ...args: ReadonlyArray<string>): Promise<Server> => {
  const child = fork(file, args, { execArgv: ["--expose-gc"] })
  const [message] = await once(child, "message")
  return { process: child, ...Schema.decodeUnknownSync(Ground.Started)(message) }
}

const usage = async ({ process: child }: Server, of: "time" | "memory"): Promise<Ground.Usage> => {
  child.send(of)
  const [message] = await once(child, "message")
  return Schema.decodeUnknownSync(Ground.Usage)(message)
}

const body = JSON.stringify({ accounts: Ground.accounts })

const requests: Readonly<Record<string, (server: Server) => string>> = {
  "http status": ({ key, paymentId }) =>
    `GET /v1/gateway/payment/${paymentId}/status HTTP/1.1\r\nHost: localhost\r\nApi-Key: ${key}\r\nSvc-Version: 2026-02-18\r\n\r\n`,
  "http options": ({ key, paymentId }) =>
    `POST /v1/gateway/payment/${paymentId}/options HTTP/1.1\r\nHost: localhost\r\nApi-Key: ${key}\r\nSvc-Version: 2026-02-18\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
}

interface Measured {
  readonly perSecond: number
  readonly cpuInMicros: number
}

const measure = async (server: Server, text: string, inMs: number): Promise<Measured> => {
  const before = await usage(server, "time")
  const answered = await Load.run({ port: server.port, text }, { connections, inMs })
  const after = await usage(server, "time")
  return {
    perSecond: (answered * 1000) / inMs,
    cpuInMicros: ((after.cpuInMs - before.cpuInMs) * 1000) / answered,
  }
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN

const medianOf = (all: ReadonlyArray<Measured>, what: keyof Measured): number =>
  median(all.map((each) => each[what]))

/** An answer without its ids, its times and the order of its members: the same from both. */
const outline = async (server: Server, text: string): Promise<string> => {
  const [head = "", sent = ""] = text.split("\r\n\r\n")
  const [first = "", ...lines] = head.split("\r\n")
  const [method = "", path = ""] = first.split(" ")
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: lines.slice(1).map((line): [string, string] => {
      const [name = "", value = ""] = line.split(": ")
      return [name, value]
    }),
    ...(sent !== "" && { body: sent }),
  })
  return (await response.text())
    .replaceAll(/"id":"[^"]*"/gu, '"id":""')
    .replaceAll(/0x[0-9a-f]{64}/gu, "0x")
    .replaceAll(/\d{10}/gu, "0")
    .replaceAll(/\\"to\\":\\"0x[0-9a-f]{40}/gu, "to")
}

const compare = async (name: string, ours: Server, theirs: Server): Promise<string> => {
  const text = requests[name] ?? (() => "")
  const [mine, other] = [await outline(ours, text(ours)), await outline(theirs, text(theirs))]
  deepStrictEqual(JSON.parse(mine), JSON.parse(other))
  await measure(ours, text(ours), warmUpInMs)
  await measure(theirs, text(theirs), warmUpInMs)
  const florin: Array<Measured> = []
  const fastify: Array<Measured> = []
  for (let pair = 0; pair < pairs; pair += 1) {
    // oxlint-disable-next-line no-await-in-loop -- by turns is the point
    florin.push(await measure(ours, text(ours), runInMs))
    // oxlint-disable-next-line no-await-in-loop -- by turns is the point
    fastify.push(await measure(theirs, text(theirs), runInMs))
  }
  const ratio = (what: keyof Measured) =>
    median(florin.map((each, index) => each[what] / (fastify[index]?.[what] ?? Number.NaN)))
  const cells = [
    name.padEnd(14),
    medianOf(florin, "perSecond").toFixed(0),
    medianOf(fastify, "perSecond").toFixed(0),
    ratio("perSecond").toFixed(2),
    medianOf(florin, "cpuInMicros").toFixed(0),
    medianOf(fastify, "cpuInMicros").toFixed(0),
    (1 / ratio("cpuInMicros")).toFixed(2),
  ]
  return cells.map((cell) => cell.padStart(10)).join(" ")
}

/**
 * The least processor time that a request takes, in microseconds, of our server started in several ways. A process differs
 * from the next by more than what is looked for, so each way has several, by turns.
 */
const costs = async (name: string, ...ways: ReadonlyArray<ReadonlyArray<string>>) => {
  const text = requests[name] ?? (() => "")
  const least = ways.map(() => Infinity)
  for (let turn = 0; turn < pairs * ways.length; turn += 1) {
    const way = turn % ways.length
    // oxlint-disable-next-line no-await-in-loop -- by turns is the point
    const server = await start(florin, ...(ways[way] ?? []))
    // oxlint-disable-next-line no-await-in-loop -- by turns is the point
    await measure(server, text(server), warmUpInMs)
    for (let run = 0; run < 3; run += 1) {
      // oxlint-disable-next-line no-await-in-loop -- by turns is the point
      const { cpuInMicros } = await measure(server, text(server), runInMs)
      least[way] = Math.min(least[way] ?? Infinity, cpuInMicros)
    }
    server.process.kill()
  }
  return least
}

/** Parks polls; answers their connections. */
const park = async ({ key, paymentId, port }: Server, count: number): Promise<Array<Socket>> => {
  const sockets = Array.from({ length: count }, () => connect({ port, host: "127.0.0.1" }))
  await Promise.all(sockets.map((socket) => once(socket, "connect")))
  for (const socket of sockets) {
    socket.write(
      `GET /v1/gateway/payment/${paymentId}/status?maxPollMs=20000 HTTP/1.1\r\nHost: localhost\r\nApi-Key: ${key}\r\n\r\n`,
    )
  }
  await sleep(2000)
  return sockets
}

/** Bytes that each parked poll holds in the server, with its connection. The first ones only warm it up. */
const parked = async (server: Server): Promise<number> => {
  const first = await park(server, polls / 4)
  const before = await usage(server, "memory")
  const others = await park(server, polls)
  const after = await usage(server, "memory")
  for (const socket of [...first, ...others]) socket.destroy()
  return (after.rssBytes - before.rssBytes) / polls
}

const florin = new URL("./florin.ts", import.meta.url)
const fastify = new URL("./fastify.ts", import.meta.url)
const ours = await start(florin)
const theirs = await start(fastify)
stdout.write(`medians of ${pairs} pairs of ${runInMs} ms, ${connections} connections\n\n`)
stdout.write("                 florin/s  fastify/s    ratio  florin µs fastify µs    ratio\n")
for (const name of Object.keys(requests)) {
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  stdout.write(`${await compare(name, ours, theirs)}\n`)
}
const [measured = 0, unmeasured = 0] = await costs("http status", [], ["unmeasured"])
const more = `${((measured / unmeasured - 1) * 100).toFixed(1)} %`
stdout.write(
  `\nmetrics: ${measured.toFixed(1)} µs with, ${unmeasured.toFixed(1)} µs without, ${more}\n`,
)
const fresh = await start(florin)
stdout.write(`\nparked poll: ${((await parked(fresh)) / 1024).toFixed(1)} KiB each, of ${polls}\n`)
for (const { process: child } of [ours, theirs, fresh]) child.kill()
