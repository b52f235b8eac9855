/**
 * Bytes on a real connection to a listening server: requests one after the other, most of them broken.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { assert } from "@effect/vitest"
import * as HostileText from "@florin/testing/HostileText"
import { Effect } from "effect"
import * as Drawing from "../../test-support/drawing.ts"
import * as Wire from "../wire.ts"

const json = '{"referenceId":"","amount":{"unit":"iso4217/USD","value":"1"}}'
const line = (method: string, target: string, ...headers: ReadonlyArray<string>): string =>
  [`${method} ${target} HTTP/1.1`, "Host: florin.test", ...headers, "", ""].join("\r\n")
/** Stands for the key of a partner. */
const placeholder = "API_KEY"
const hasKey = `Api-Key: ${placeholder}`
const isJson = "Content-Type: application/json"

/** Requests whose answers depend on nothing but themselves. None of them is `HEAD`, whose answers have no body. */
const requests = [
  line("GET", "/healthz"),
  line("GET", "/healthz?a=%00#b", "Accept: text/html;q=0.1, */*", "X-Forwarded-For: 1.2.3.4, ::1"),
  line("GET", "http://florin.test/v1/payments/pay_1", "Api-Key: none"),
  line("OPTIONS", "/v1/gateway/payment/pay_1", "Origin: https://a.example"),
  line("GET", "/nowhere", "Cookie: a=b", "Cookie: c=d"),
  line("POST", "/v1/payments", isJson, `Content-Length: ${json.length}`) + json,
  line("POST", "/v1/payments", isJson, hasKey, `Content-Length: ${json.length}`) + json,
  line("POST", "/v1/payments", isJson, hasKey, "Transfer-Encoding: chunked") +
    "2\r\n[]\r\n0\r\n\r\n",
  line("POST", "/v1/payments", isJson, "Transfer-Encoding: chunked") +
    `5;ext=1\r\n${json.slice(0, 5)}\r\n${(json.length - 5).toString(16)}\r\n${json.slice(5)}\r\n0\r\nTrailer: a\r\n\r\n`,
  line("PUT", "/v1/payments", isJson, "Content-Length: 0"),
] as const

/**
 * No `Upgrade`: after it, Node drops what arrived with the same packet. No `CONNECT`: after it, Node drops responses that
 * wait for earlier ones.
 */
const pieces = [
  "\r\n\r\n",
  "\n",
  "\r",
  "Content-Length: 5\r\n",
  "Content-Length: 0\r\nContent-Length: 9\r\n",
  "Content-Length: -1\r\n",
  "Content-Length: 99999999999999999999\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding: identity, chunked\r\n",
  "Transfer-Encoding : chunked\r\n",
  "Expect: 100-continue\r\n",
  "Expect: nothing\r\n",
  "Connection: close\r\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "GET /healthz HTTP/1.0\r\n\r\n",
  "GET /healthz\r\n\r\n",
  "GET  /healthz HTTP/1.1\r\n\r\n",
  "Host: other.test\r\n",
  " folded\r\n",
  ": \r\n",
  "\0",
  "\xff",
  "ffffffffffffffff\r\n",
  "0\r\n\r\n",
  "x".repeat(17_000),
] as const

const insert = (draw: Drawing.Draw, text: string): string => {
  const at = draw(text.length + 1)
  return text.slice(0, at) + Drawing.oneOf(draw, pieces) + text.slice(at)
}

/** Latin-1, as the bytes of a connection. */
export interface Script {
  readonly text: string
  /** How many bytes are sent at a time. */
  readonly sizes: ReadonlyArray<number>
}

const requestsMax = 4

export const isWhole = (text: string): boolean => {
  let rest = text
  for (;;) {
    const next = requests.find((each) => rest.startsWith(each))
    if (next === undefined) return rest === ""
    rest = rest.slice(next.length)
  }
}

export const draw = (seed: number): Script => {
  const chance = Drawing.make(seed)
  let text = ""
  for (let count = 1 + chance(requestsMax); count > 0; count--) {
    text += Drawing.oneOf(chance, requests)
  }
  for (let count = chance(3); count > 0; count--) text = insert(chance, text)
  if (chance(3) === 0) text = HostileText.mutate([text], chance(2 ** 32))
  const largest = 1 + chance(chance(2) === 0 ? 3 : 200)
  return { text, sizes: Array.from({ length: 8 }, () => 1 + chance(largest)) }
}

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** The parts of a text that are sent one after the other; after so many, the rest. */
const partsMax = 200
const partsOf = ({ sizes, text }: Script): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let at = 0
  while (at < text.length && parts.length < partsMax) {
    const size = sizes[parts.length % sizes.length] ?? 1
    parts.push(text.slice(at, at + size))
    at += size
  }
  return [...parts, text.slice(at)].filter((part) => part !== "")
}

/** Where a server listens, and a key that it knows. */
interface Target {
  readonly port: number
  readonly key: string
}

/** What a request is answered alone, and whether this is the last answer on its connection. */
interface Alone {
  readonly told: string
  readonly isLast: boolean
}

/** What an answer says, without what differs each time. */
const toldBy = ({ body, headers, status }: Wire.Reply): string =>
  [status, headers.get("content-type"), body.replaceAll(/"req_\w+"/gu, "")].join(" ")

/** The answer to what is no HTTP. It is not sent if an earlier answer is still on its way, and closes the connection. */
const isLastRefusal = ({ body }: Wire.Reply): boolean => body.includes('"req_none"')

const isLastAnswer = ({ headers }: Wire.Reply): boolean => headers.get("connection") === "close"

const isHeader = /^[-!#$%&'*+.^_`|~0-9a-z]+$/u

const checkAnswer = ({ body, headers, status }: Wire.Reply): void => {
  assert.isTrue(status >= 100 && status < 500, `status ${status}`)
  for (const [name, value] of headers) {
    assert.match(name, isHeader)
    assert.match(value, /^[\t -~\x80-\xff]*$/u)
  }
  // Callers that prefer it get a page.
  if (status < 400 || headers.get("content-type")?.startsWith("text/html") === true) return
  const problem: Readonly<Record<string, unknown>> = JSON.parse(body)
  assert.includeMembers(Object.keys(problem), ["code", "message", "requestId"])
}

/** The last request of each script. If what comes before is whole, it ends the connection. */
const farewell = line("GET", "/healthz", "Connection: close")

/** In so many turns of the event loop without a byte, a service in memory has answered all that it will answer. */
const quietTurns = 100

const waitUntilQuiet = Effect.fnUntraced(function* ({ socket }: Wire.Wire) {
  let heard = socket.bytesRead
  for (let quiet = 0; quiet < quietTurns && !socket.closed; quiet++) {
    yield* turn
    if (socket.bytesRead > heard) quiet = 0
    heard = socket.bytesRead
  }
})

/**
 * Says everything; returns all answers, or null if the connection was reset, as in any server, by what was sent after
 * the last request that it takes.
 */
const hear = Effect.fnUntraced(function* ({ port }: Target, parts: ReadonlyArray<string>) {
  const wire = yield* Wire.open(port)
  for (const part of parts) {
    wire.say(Buffer.from(part, "latin1"))
    yield* turn
  }
  wire.say(farewell)
  yield* waitUntilQuiet(wire)
  wire.socket.end()
  const { answers, rest, wasReset } = yield* wire.ended
  for (const each of answers) checkAnswer(each)
  if (wasReset) {
    const mayBeReset = answers.some(isLastAnswer) || !isWhole(parts.join(""))
    assert.isTrue(mayBeReset, "the connection was reset")
    return null
  }
  assert.strictEqual(rest.toString(), "", "something follows the last answer")
  const last = answers.findIndex(isLastAnswer)
  if (last !== -1) assert.strictEqual(answers.length, last + 1, "an answer follows the last one")
  return answers.filter((each) => !isLastRefusal(each))
})

/**
 * Whether all is well with the answers to a script: each is whole HTTP and no error of ours, they are the same in
 * whatever pieces the bytes arrive, and whole requests get their own answers in their order.
 */
export const check = Effect.fnUntraced(function* (
  target: Target,
  script: Script,
  alone: ReadonlyMap<string, Alone>,
) {
  const withKey = { ...script, text: script.text.replaceAll(placeholder, target.key) }
  const whole = yield* hear(target, [withKey.text])
  const inPieces = yield* hear(target, partsOf(withKey))
  if (whole === null || inPieces === null) return
  assert.deepStrictEqual(inPieces.map(toldBy), whole.map(toldBy), "in pieces")
  if (!isWhole(script.text)) return
  const expected: Array<Alone> = []
  for (let rest = `${script.text}${farewell}`; rest !== "" && expected.at(-1)?.isLast !== true;) {
    const [text, told] = [...alone].find(([each]) => rest.startsWith(each)) ?? assert.fail()
    expected.push(told)
    rest = rest.slice(text.length)
  }
  assert.deepStrictEqual(
    whole.map(toldBy),
    expected.map(({ told }) => told),
    "whole requests",
  )
}, Effect.scoped)

/** What each request is answered when it is sent alone. */
export const answersAlone = (target: Target) =>
  Effect.map(
    Effect.forEach([...requests, farewell], (text) =>
      Effect.scoped(
        Effect.map(hear(target, [text.replaceAll(placeholder, target.key)]), (answers) => {
          const [answer = assert.fail("there is no answer")] = answers ?? []
          return [text, { told: toldBy(answer), isLast: isLastAnswer(answer) }] as const
        }),
      ),
    ),
    (entries) => new Map<string, Alone>(entries),
  )

/** A connection that stops in the middle of its requests. */
export interface Stall {
  /** All that is sent, in Latin-1. */
  readonly text: string
  /** What it sends again and again after that. */
  readonly drip: string | null
  readonly ending: "closes its side" | "resets" | "waits"
}

export const drawStall = (seed: number): Stall => {
  const { text } = draw(seed)
  const chance = Drawing.make(seed ^ 1)
  return {
    // Whole requests leave the connection idle.
    text: chance(3) === 0 ? text : text.slice(0, chance(text.length + 1)),
    drip: chance(2) === 0 ? Drawing.oneOf(chance, ["a", "\0", "\r\n"]) : null,
    ending: chance(8) === 0 ? "resets" : chance(4) === 0 ? "closes its side" : "waits",
  }
}

/**
 * Stops in the middle and waits, sends a byte now and then, closes its side, or resets the connection. The server ends
 * each, and what it answered is whole.
 */
export const stall = Effect.fnUntraced(function* (port: number, { drip, ending, text }: Stall) {
  const wire = yield* Wire.open(port)
  wire.say(Buffer.from(text, "latin1"))
  if (drip !== null) yield* Wire.keepSaying(wire, drip)
  if (ending === "resets") {
    wire.socket.resetAndDestroy()
    return
  }
  if (ending === "closes its side") wire.socket.end()
  const { answers } = yield* wire.ended
  for (const each of answers) checkAnswer(each)
}, Effect.scoped)
