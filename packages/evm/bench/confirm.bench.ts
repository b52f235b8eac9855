/**
 * P3: confirms with a real signature over typed data, each of a fresh payment: our server against Fastify with viem's
 * `verifyTypedData`, and both against ours without the addon. Each is a process of its own, loaded by turns. Only ratios
 * of one run count: confirms a second, and processor time for each.
 *
 * @example
 * node bench/confirm.bench.ts
 *
 * @module
 */
import { deepStrictEqual } from "node:assert"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { stdout } from "node:process"
import { Schema } from "effect"
import * as Load from "../../server/bench/load.ts"
import * as Ground from "./ground.ts"

const pairs = 7
const warmUps = 2
const connections = 16

interface Server extends Ground.Started {
  readonly name: string
  readonly process: ChildProcess
  /** Confirms in each turn: as many as take a second or so. */
  readonly perTurn: number
  readonly measured: Array<Measured>
}

interface Measured {
  readonly perSecond: number
  readonly cpuInMicros: number
}

const start = async (
  name: string,
  file: URL,
  perTurn: number,
  execArgv: ReadonlyArray<string> = [],
): Promise<Server> => {
  const child = fork(file, { execArgv: [...execArgv] })
  const [message] = await once(child, "message")
  const started = Schema.decodeUnknownSync(Ground.Started)(message)
  return { ...started, name, process: child, perTurn, measured: [] }
}

const ask = async (server: Server, asked: Ground.Asked): Promise<unknown> => {
  server.process.send(asked)
  const [message] = await once(server.process, "message")
  return message
}

const prepare = async (server: Server, count: number, isForged = false) =>
  Schema.decodeUnknownSync(Schema.Array(Ground.Prepared))(
    await ask(server, { prepare: count, isForged }),
  )

const cpuInMs = async (server: Server): Promise<number> =>
  Schema.decodeUnknownSync(Ground.Usage)(await ask(server, "time")).cpuInMs

const bodyOf = ({ optionId, signature }: Ground.Prepared): string =>
  JSON.stringify({ optionId, results: [{ type: "walletRpc", data: [signature] }] })

const textOf = (key: string, prepared: Ground.Prepared): string => {
  const body = bodyOf(prepared)
  return `POST /v1/gateway/payment/${prepared.paymentId}/confirm HTTP/1.1\r\nHost: localhost\r\nApi-Key: ${key}\r\nSvc-Version: 2026-02-18\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** What a server answers to a confirm, and whether it took it. */
const confirm = async (server: Server, isForged: boolean) => {
  const [prepared] = await prepare(server, 1, isForged)
  if (prepared === undefined) throw new Error("nothing is prepared")
  const path = `http://127.0.0.1:${server.port}/v1/gateway/payment/${prepared.paymentId}/confirm`
  const response = await fetch(path, {
    method: "POST",
    headers: { "Api-Key": server.key, "Content-Type": "application/json" },
    body: bodyOf(prepared),
  })
  return { isTaken: response.ok, answer: response.ok ? await response.json() : undefined }
}

const measure = async (server: Server): Promise<Measured> => {
  const texts = (await prepare(server, server.perTurn)).map((each) => textOf(server.key, each))
  const before = await cpuInMs(server)
  const inMs = await Load.each(server.port, texts, { connections })
  const usedInMs = (await cpuInMs(server)) - before
  return {
    perSecond: (server.perTurn * 1000) / inMs,
    cpuInMicros: (usedInMs * 1000) / server.perTurn,
  }
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN

const florin = new URL("./florin.ts", import.meta.url)
const withoutAddon = ["--import", new URL("./withoutAddon.ts", import.meta.url).href]
const servers = [
  await start("florin", florin, 2000),
  await start("florin, wasm", florin, 1000, withoutAddon),
  await start("fastify + viem", new URL("./fastify.ts", import.meta.url), 300),
]
const theirs = servers.at(-1)

const taken = {
  isTaken: true,
  answer: { status: "processing", isFinal: false, pollInMs: 1000, info: null },
}
for (const server of servers) {
  // oxlint-disable no-await-in-loop -- one after the other
  deepStrictEqual(await confirm(server, false), taken)
  const forged = await confirm(server, true)
  deepStrictEqual(forged.isTaken, false)
  for (let turn = 0; turn < warmUps; turn += 1) await measure(server)
  // oxlint-enable no-await-in-loop
}
for (let pair = 0; pair < pairs; pair += 1) {
  // oxlint-disable-next-line no-await-in-loop -- by turns is the point
  for (const server of servers) server.measured.push(await measure(server))
}

stdout.write(`medians of ${pairs} turns by ${connections} connections, storage in memory\n\n`)
stdout.write("                confirms/s  × theirs  µs of CPU  × theirs\n")
for (const { measured, name } of servers) {
  const of = (what: keyof Measured) => median(measured.map((each) => each[what]))
  const ratio = (what: keyof Measured) =>
    median(
      measured.map((each, turn) => each[what] / (theirs?.measured[turn]?.[what] ?? Number.NaN)),
    )
  const cells = [
    of("perSecond").toFixed(0).padStart(10),
    ratio("perSecond").toFixed(2).padStart(9),
    of("cpuInMicros").toFixed(0).padStart(10),
    (1 / ratio("cpuInMicros")).toFixed(2).padStart(9),
  ]
  stdout.write(`${name.padEnd(16)}${cells.join(" ")}\n`)
}
for (const { process: child } of servers) child.kill()
