/**
 * Carries a request on a connection of Node's HTTP server, and its response, directly between Node's streams and the
 * handler.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import type * as Problem from "@florin/api/Problem"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Problems from "./edge/Problems.ts"
import { Handler } from "./Handler.ts"
import * as Exchange from "./http/Exchange.ts"

type Lost = Exchange.BodyLost | Exchange.BodyTooSlow

/**
 * A response that ends a connection may be sent before the request's body has arrived. The rest of the body is read and
 * discarded until one of these limits is reached. If the connection were closed immediately, it would be reset, and the
 * caller would lose the response.
 */
const lingerMaxBytes = 16 * 1024 * 1024
const lingerInMs = 2000

/** Ends a connection on which everything was sent: when the caller ends it too, or a little later. */
export const closeSoon = (socket: Duplex): void => {
  socket.end()
  const timer = setTimeout(() => socket.destroy(), lingerInMs)
  socket.once("close", () => clearTimeout(timer))
}

/** A connection, and the calls in progress on it. */
export interface Connection {
  readonly socket: Duplex
  readonly calls: Set<Call>
  /** The most recent request. */
  newest: IncomingMessage | null
  /** Its response, which is sent after all earlier ones. */
  newestResponse: ServerResponse | null
  /** Whether later input is ignored: it cannot be parsed any more, or the last response is sent. */
  isOver: boolean
}

/** Closes a connection that has no open request and nothing left to send. */
export const closeIfIdle = ({ calls, newest, socket }: Connection): void => {
  if (calls.size === 0 && socket.writableLength === 0 && newest?.complete !== false) {
    socket.destroy()
  }
}

/** The connections of a server. When a connection closes, it is forgotten and its calls are interrupted. */
export class Connections {
  readonly #open = new Map<Duplex, Connection>()
  /** Whether the server is shutting down: every connection is closed with its last response. */
  isClosing = false

  of(socket: Duplex): Connection {
    const known = this.#open.get(socket)
    if (known !== undefined) return known
    const connection: Connection = {
      socket,
      calls: new Set(),
      newest: null,
      newestResponse: null,
      isOver: false,
    }
    this.#open.set(socket, connection)
    socket.once("close", () => {
      this.#open.delete(socket)
      for (const call of connection.calls) call.abandon()
    })
    return connection
  }

  /** Closes the connections that have no open request and nothing left to send. */
  closeIdle(): void {
    for (const connection of this.#open.values()) closeIfIdle(connection)
  }
}

/** Runs the calls of a server, one fiber for each. */
export interface Runner {
  readonly handler: Handler["Service"]
  readonly fork: <A>(effect: Effect.Effect<A>) => Fiber.Fiber<A>
}

export const runner = (context: Context.Context<Handler>): Runner => ({
  handler: Context.get(context, Handler),
  fork: Effect.runForkWith(context),
})

/** The response to a request that never reached the handler. It is in no log, so its request id is none. */
export const refusal = (
  status: number,
  code: Problem.Code,
  message: string,
): Exchange.OutgoingText =>
  Exchange.json(
    status,
    { code, message, requestId: "req_none" },
    { "request-id": "req_none", connection: "close" },
  )

const noHost = refusal(400, "invalid_params", "send a Host header")

const empty = Effect.succeed(new Uint8Array())
const tooLarge = Effect.fail(Exchange.bodyTooLarge)

const encoder = new TextEncoder()

/**
 * The content of `request.body`, if a parser of the surrounding server has read the body, as bytes: JSON that is
 * written again has the same meaning.
 */
const bytesOfParsed = (request: IncomingMessage): Uint8Array | undefined => {
  const body: unknown = Reflect.get(request, "body")
  if (body instanceof Uint8Array) return body
  if (typeof body === "string") return encoder.encode(body)
  if (typeof body !== "object") return undefined
  // JSON that is nested too deeply, or a value that JSON cannot express, cannot be written.
  return Result.getOrUndefined(Result.try(() => encoder.encode(JSON.stringify(body))))
}

/** One request until its response is sent, or until it is passed on. */
export class Call {
  readonly #connections: Connections
  readonly #connection: Connection
  readonly #response: ServerResponse
  readonly #awaitsContinue: boolean
  /** Passes the request to the next part of the server. */
  readonly #next: (() => void) | undefined
  /** The path and query as Florin reads them. */
  readonly #target: string
  readonly request: IncomingMessage
  #fiber: Fiber.Fiber<Exchange.Outgoing | void> | undefined
  /** Why the rest of the body will not arrive. */
  #lost: Lost | undefined
  /** Notifies the reader of the body that the rest will not arrive. */
  #onLost: ((lost: Lost) => void) | undefined

  constructor(
    connections: Connections,
    request: IncomingMessage,
    response: ServerResponse,
    awaitsContinue: boolean,
    next?: () => void,
    target = request.url ?? "",
  ) {
    this.#connections = connections
    this.#connection = connections.of(request.socket)
    this.request = request
    this.#response = response
    this.#awaitsContinue = awaitsContinue
    this.#next = next
    this.#target = target
  }

  run({ fork, handler }: Runner): void {
    if (this.#connection.isOver || this.#response.destroyed) return
    const { headers, httpVersion } = this.request
    this.#connection.newest = this.request
    this.#connection.newestResponse = this.#response
    if (headers.host === undefined && httpVersion === "1.1") {
      this.respond(noHost)
      return
    }
    this.#connection.calls.add(this)
    // Another part of the server may respond instead, such as one that limits the time.
    if (this.#next !== undefined) this.#response.once("close", () => this.abandon())
    const fiber = fork(handler.respond(this.#incoming()))
    this.#fiber = fiber
    fiber.addObserver((exit) => {
      const outgoing = Exit.isSuccess(exit) ? exit.value : Problems.ofDefect("req_none")
      const { body } = outgoing
      if (outgoing.isPassedOn === true) this.#passOn()
      else if (typeof body === "function") this.#stream(outgoing, body, fork)
      else this.respond({ ...outgoing, body })
    })
  }

  /** Called when the caller disconnects. */
  abandon(): void {
    this.lose(Exchange.bodyLost)
    this.#fiber?.interruptUnsafe()
  }

  /** Called when the rest of the body will not arrive. */
  lose(lost: Lost): void {
    this.#lost = lost
    this.#onLost?.(lost)
  }

  #passOn(): void {
    this.#connection.calls.delete(this)
    if (!this.#response.destroyed) this.#next?.()
  }

  /** Whether the caller disconnected, or another part of the server responds already. */
  get #isOver(): boolean {
    return this.#response.destroyed || this.#response.headersSent
  }

  respond({ body, headers, status }: Exchange.OutgoingWhole): void {
    const response = this.#response
    this.#connection.calls.delete(this)
    if (this.#isOver) return
    const { method = "" } = this.request
    const text = Exchange.isBodiless(method, status) ? "" : body
    const bytesLeft = this.request.complete ? 0 : this.#bodyBytes()
    const closes = this.#closes(headers, bytesLeft)
    const length = Buffer.byteLength(body)
    const sent: Record<string, string | number> = { ...headers }
    if (status !== 204) sent["content-length"] = length
    if (closes) sent["connection"] = "close"
    response.writeHead(status, sent)
    // Text of ASCII characters only needs no encoding, and neither do bytes.
    const encoding = length === body.length ? "latin1" : "utf8"
    if (closes && bytesLeft > 0) this.#endSlowly(text, encoding)
    else response.end(text, encoding)
  }

  /**
   * Sends a body while it is being written. If writing fails, the connection is cut, so that no caller takes the part
   * for the whole.
   */
  #stream(
    { headers, status }: Exchange.Outgoing,
    body: Exchange.Writing,
    fork: Runner["fork"],
  ): void {
    const response = this.#response
    const { calls } = this.#connection
    if (this.#isOver || Exchange.isBodiless(this.request.method ?? "", status)) {
      calls.delete(this)
      if (!this.#isOver) response.writeHead(status, headers).end()
      return
    }
    response.writeHead(
      status,
      this.#closes(headers, 0) ? { ...headers, connection: "close" } : headers,
    )
    const fiber = fork(body((text) => this.#write(text)))
    this.#fiber = fiber
    fiber.addObserver((exit) => {
      calls.delete(this)
      if (Exit.isSuccess(exit)) response.end()
      else response.destroy()
    })
  }

  /** Resolves when the reader has room for more. */
  #write(text: string): Effect.Effect<void> {
    const response = this.#response
    return Effect.callback((resume) => {
      if (response.write(text)) return resume(Effect.void)
      const onDrain = () => resume(Effect.void)
      response.once("drain", onDrain)
      return Effect.sync(() => response.off("drain", onDrain))
    })
  }

  #incoming(): Exchange.Incoming {
    const { headers, method = "" } = this.request
    const { path, query } = Exchange.locate(this.#target)
    return {
      method,
      path,
      query,
      address: this.request.socket.remoteAddress,
      mayPassOn: this.#next !== undefined,
      header: (name) => {
        const value = headers[name]
        return typeof value === "object" ? value.join(", ") : value
      },
      body: this.#body(),
    }
  }

  /** The length of the body: the value in the request's head, or infinite. */
  #bodyBytes(): number {
    const { headers } = this.request
    const length = headers["content-length"]
    if (length !== undefined) return Number(length)
    return headers["transfer-encoding"] === undefined ? 0 : Number.POSITIVE_INFINITY
  }

  #body(): Exchange.Incoming["body"] {
    const bytes = this.#bodyBytes()
    if (bytes === 0) return empty
    return Number.isFinite(bytes) && bytes > Limits.bodyMaxBytes
      ? tooLarge
      : Effect.callback((resume) => this.#read(resume))
  }

  #read(resume: (body: Exchange.Incoming["body"]) => void): void {
    const { request } = this
    if (this.#lost === undefined && request.readableEnded) {
      const left = bytesOfParsed(request)
      if (left === undefined) return resume(Effect.fail(Exchange.bodyAlreadyRead))
      return resume(left.length > Limits.bodyMaxBytes ? tooLarge : Effect.succeed(left))
    }
    if (this.#lost !== undefined || request.destroyed) {
      return resume(Effect.fail(this.#lost ?? Exchange.bodyLost))
    }
    this.#onLost = (lost) => resume(Effect.fail(lost))
    if (this.#awaitsContinue) this.#response.writeContinue()
    const chunks: Array<Buffer> = []
    let length = 0
    request.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length <= Limits.bodyMaxBytes) {
        chunks.push(chunk)
      } else {
        chunks.length = 0
        resume(tooLarge)
      }
    })
    request.once("end", () => resume(Effect.succeed(Buffer.concat(chunks))))
  }

  /**
   * Whether this response is the last one of its connection, because it says so, its caller asked for it, or no more
   * requests are taken. Whatever the caller sends later then gets no response.
   */
  #closes(headers: Exchange.Outgoing["headers"], bytesLeft: number): boolean {
    const closes =
      headers["connection"] === "close" ||
      !this.#response.shouldKeepAlive ||
      this.#isLast(bytesLeft)
    this.#connection.isOver ||= closes
    return closes
  }

  /** Whether the connection takes no more requests after this response. */
  #isLast(bytesLeft: number): boolean {
    const { isOver, newest } = this.#connection
    if (newest !== this.request) return false
    if (isOver || this.#connections.isClosing) return true
    // Node reads the rest of a body, but we must not wait for one that may never arrive or never end.
    return bytesLeft > (this.#awaitsContinue ? 0 : Limits.bodyMaxBytes)
  }

  /** Sends the whole response now, and ends it when the caller stops sending. */
  #endSlowly(text: Exchange.OutgoingWhole["body"], encoding: BufferEncoding): void {
    const { request } = this
    const response = this.#response
    const end = () => {
      clearTimeout(timer)
      response.end()
    }
    const timer = setTimeout(end, lingerInMs)
    if (text.length === 0) response.flushHeaders()
    else response.write(text, encoding)
    let left = lingerMaxBytes
    request.on("data", (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) end()
    })
    request.once("end", end)
    request.once("close", () => clearTimeout(timer))
  }
}
