/**
 * The service in memory behind a listener, in real time, and connections over which a test sends any bytes.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { connect, type Socket } from "node:net"
import { assert } from "@effect/vitest"
import { PaymentId } from "@florin/core/domain/ground/PaymentId"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Keys from "@florin/core/engine/partner/Keys"
import { Signals } from "@florin/core/ports/Signals"
import * as NodeListener from "@florin/server/NodeListener"
import { Effect, Layer, Schedule } from "effect"
import * as Scene from "./scene.ts"

/** The service behind a listener on a free port. */
export const layer = (limits: Partial<NodeListener.Limits> = {}, options: Scene.Options = {}) =>
  NodeListener.layer({ port: 0, ...limits }).pipe(Layer.provideMerge(Scene.layer(options)))

/** The key of a new partner. */
export const partnerKey = Effect.gen(function* () {
  const partner = yield* Keys.createPartner({ name: "Own", feeTerms: Fees.none })
  const issued = yield* Keys.issue({
    mode: "test",
    owner: { _tag: "Partner", partnerId: partner.id },
    name: "Own",
    expiresAt: null,
  })
  return issued.text
})

/** A partner with a merchant and a key, and the address of the service. */
export const make = Effect.gen(function* () {
  const { port, url } = yield* NodeListener.NodeListener
  const key = yield* partnerKey
  return { port, url, key, merchantId: yield* Scene.createMerchant(key) }
})

export interface Reply {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

interface Heard {
  /** The complete responses. */
  readonly answers: ReadonlyArray<Reply>
  /** The bytes after them. */
  readonly rest: Buffer
}

/** Parses received bytes. Responses to `HEAD` have a length, but no body. */
const read = (heard: Buffer, isHead: boolean): Heard => {
  const answers: Array<Reply> = []
  let rest = heard
  for (;;) {
    const headEndsAt = rest.indexOf("\r\n\r\n")
    if (headEndsAt === -1) return { answers, rest }
    const [statusLine = "", ...lines] = rest.subarray(0, headEndsAt).toString().split("\r\n")
    const headers = new Map(
      lines.map((line) => {
        const colonAt = line.indexOf(":")
        return [line.slice(0, colonAt).toLowerCase(), line.slice(colonAt + 1).trim()] as const
      }),
    )
    const status = Number(statusLine.split(" ")[1])
    const length = isHead || status < 200 ? 0 : Number(headers.get("content-length") ?? 0)
    const body = rest.subarray(headEndsAt + 4, headEndsAt + 4 + length)
    if (body.length < length) return { answers, rest }
    answers.push({ status, headers, body: body.toString() })
    rest = rest.subarray(headEndsAt + 4 + length)
  }
}

export interface Wire {
  readonly say: (what: string | Uint8Array) => void
  /** Waits for this many responses. Fails if the connection ends before. */
  readonly answers: (count: number) => Effect.Effect<ReadonlyArray<Reply>>
  /** Waits for the end of the connection; returns everything received, and whether it was reset. */
  readonly ended: Effect.Effect<Heard & { readonly wasReset: boolean }>
  /** Destroys the connection. */
  readonly hangUp: () => void
  readonly socket: Socket
}

const begin = (port: number, isHead: boolean): Wire => {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true })
  const chunks: Array<Buffer> = []
  const waiting = new Set<() => void>()
  const tell = () => {
    for (const look of waiting) look()
  }
  let wasReset = false
  socket.on("data", (chunk) => {
    chunks.push(chunk)
    tell()
  })
  socket.on("error", () => {
    wasReset = true
  })
  socket.on("close", tell)
  const heard = () => read(Buffer.concat(chunks), isHead)
  const until = <A>(look: () => A | undefined): Effect.Effect<A> =>
    Effect.callback((resume) => {
      const check = () => {
        const found = look()
        if (found === undefined) return
        waiting.delete(check)
        resume(Effect.succeed(found))
      }
      waiting.add(check)
      check()
    })
  return {
    socket,
    say: (what) => socket.write(what),
    answers: (count) =>
      Effect.map(
        until(() => {
          const { answers } = heard()
          return answers.length >= count || socket.closed ? answers : undefined
        }),
        (answers) =>
          answers.length >= count
            ? answers
            : assert.fail(`the connection ended after ${answers.length} of ${count} answers`),
      ),
    ended: until(() => (socket.closed ? { ...heard(), wasReset } : undefined)),
    hangUp: () => socket.destroy(),
  }
}

/** A connection of the scope. */
export const open = (port: number, { isHead = false } = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => begin(port, isHead)),
    (wire) => Effect.sync(wire.hangUp),
  )

/** A request as text. */
export const request = (
  method: string,
  target: string,
  headers: Readonly<Record<string, string | number>> = {},
  body = "",
): string =>
  [
    `${method} ${target} HTTP/1.1`,
    ...Object.entries({ Host: "florin.test", ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    "",
    body,
  ].join("\r\n")

/** A request with a body of JSON, and its length. */
export const post = (
  target: string,
  body: string,
  headers: Readonly<Record<string, string | number>> = {},
): string =>
  request(
    "POST",
    target,
    {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
      ...headers,
    },
    body,
  )

/** Sends a text repeatedly until the test ends. */
export const keepSaying = (wire: Wire, text: string) =>
  Effect.forkChild(
    Effect.repeat(
      Effect.sync(() => wire.say(text)),
      Schedule.spaced("5 millis"),
    ),
  )

const fetchOnce = async (url: string, init?: RequestInit) => {
  const response = await fetch(url, init)
  return { status: response.status, text: await response.text() }
}

/** Sends a request with fetch; null if there is no server. */
export const ask = (url: string, init?: RequestInit) =>
  Effect.orElseSucceed(
    Effect.tryPromise(() => fetchOnce(url, init)),
    () => null,
  )

/** Waits until a condition of the service holds. */
export const eventually = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.andThen(Effect.sleep(1), eventually(holds))))

/** Waits until this many calls are held for a payment. */
export const parked = Effect.fnUntraced(function* (id: string, count: number) {
  const signals = yield* Signals
  yield* eventually(() => signals.watching(PaymentId.make(id)).here === count)
})
