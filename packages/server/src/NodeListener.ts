/**
 * Serves on Node's own HTTP server, or as part of one that is there already. HTTP/1 only: put TLS and HTTP/2 before it.
 *
 * @example
 * const server = await NodeListener.listen(florin, { port: 3000 })
 * console.log(server.url)
 * await server.close()
 * await florin.dispose()
 *
 * @example
 * // Express: what is not Florin's goes on to the routes below it.
 * app.use(NodeListener.requestListener(florin))
 *
 * @module
 */
import { Buffer } from "node:buffer"
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http"
import * as Net from "node:net"
import type { Duplex } from "node:stream"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Exchange from "./Exchange.ts"
import type { Florin } from "./Florin.ts"
import { Handler } from "./Handler.ts"
import * as NodeExchange from "./NodeExchange.ts"
import * as Problems from "./Problems.ts"

/** The address cannot be listened on. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  message: Schema.String,
}) {}

export interface Limits {
  /** The head of a request must have arrived by then: 10 s. */
  readonly headersInMs: number
  /** The whole request must have arrived by then: 30 s. How long its answer is waited for is not limited. */
  readonly requestInMs: number
  /** How long a connection is kept for the next request: 5 s. Behind a balancer, take longer than it keeps its own. */
  readonly keepAliveInMs: number
  /** A connection on which nothing moves is closed: after 60 s. No poll is parked that long. */
  readonly stalledInMs: number
  /** Longest head of a request: 16 KiB. */
  readonly headersMaxBytes: number
  /** How long requests may take to be finished when the server ends: 30 s. */
  readonly shutdownInMs: number
}

const limitsDefault: Limits = {
  headersInMs: 10_000,
  requestInMs: 30_000,
  keepAliveInMs: 5000,
  stalledInMs: 60_000,
  headersMaxBytes: 16 * 1024,
  shutdownInMs: 30_000,
}

export interface Options extends Partial<Limits> {
  /** 3000 where none is given; 0 takes any that is free. */
  readonly port?: number
  /** `127.0.0.1` where none is given; `0.0.0.0` or `::` is reached from everywhere. */
  readonly host?: string
}

interface Address {
  readonly host: string
  readonly port: number
  readonly url: string
}

/** A server that listens, and where. */
export class NodeListener extends Context.Service<NodeListener, Address>()(
  "@florin/server/NodeListener",
) {}

const lastPort = 65_535

/** Another port to try; 0 takes any that is free. */
const after = (port: number): number => (port < lastPort ? port + 1 : 0)

const explain = ({ code = "unknown" }: NodeJS.ErrnoException, host: string, port: number) =>
  new ListenFailed({
    message:
      code === "EADDRINUSE"
        ? `port ${port} is in use: try --port ${after(port)}`
        : `cannot listen on ${host}:${port} (${code}): try another --port`,
  })

const addressOf = (server: Server, host: string): Address => {
  const bound = server.address()
  const port = typeof bound === "object" && bound !== null ? bound.port : 0
  return { host, port, url: `http://${Net.isIPv6(host) ? `[${host}]` : host}:${port}` }
}

const written = ({ body, headers, status }: Exchange.OutgoingText): string =>
  [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n")

const tooSlow = new Exchange.BodyTooSlow({
  message: "the request did not arrive in time: send it again",
})

const isTimeout = ({ code }: NodeJS.ErrnoException): boolean => code === "ERR_HTTP_REQUEST_TIMEOUT"

const { refusal } = NodeExchange

const notHttp = refusal(400, "invalid_params", "this cannot be read as an HTTP request")
const noTunnel = refusal(405, "method_not_allowed", "this is no proxy")

const ofClientError = (
  error: NodeJS.ErrnoException,
  { headersMaxBytes }: Limits,
): Exchange.OutgoingText => {
  if (isTimeout(error)) return refusal(408, "invalid_params", tooSlow.message)
  return error.code === "HPE_HEADER_OVERFLOW"
    ? refusal(431, "invalid_params", `path and headers are longer than ${headersMaxBytes} bytes`)
    : notHttp
}

/** Node found no request in what came, or none in time. Calls that are being answered are answered first. */
const onClientError =
  (connections: NodeExchange.Connections, limits: Limits) =>
  (error: NodeJS.ErrnoException, socket: Duplex): void => {
    const connection = connections.of(socket)
    if (!socket.writable || error.code === "ECONNRESET") {
      socket.destroy()
      return
    }
    if (connection.isBroken) return
    connection.isBroken = true
    const { calls, newest } = connection
    for (const call of calls) {
      if (!call.request.complete) call.lose(isTimeout(error) ? tooSlow : Exchange.bodyLost)
    }
    if (newest?.complete === false) {
      // It has its answer already, or gets it now: another one would be taken for the next request's.
      if (calls.size === 0) NodeExchange.closeSoon(socket)
    } else if (calls.size === 0) {
      socket.write(written(ofClientError(error, limits)))
      NodeExchange.closeSoon(socket)
    }
  }

const create = (
  context: Context.Context<Handler>,
  connections: NodeExchange.Connections,
  limits: Limits,
): Server => {
  const runner = NodeExchange.runner(context)
  const take =
    (awaitsContinue: boolean): RequestListener =>
    (request, response) =>
      new NodeExchange.Call(connections, request, response, awaitsContinue).run(runner)
  const server = createServer({
    keepAlive: true,
    headersTimeout: limits.headersInMs,
    requestTimeout: Math.max(limits.headersInMs, limits.requestInMs),
    connectionsCheckingInterval: Math.min(1000, limits.headersInMs, limits.requestInMs),
    keepAliveTimeout: limits.keepAliveInMs,
    maxHeaderSize: limits.headersMaxBytes,
    joinDuplicateHeaders: true,
    optimizeEmptyRequests: true,
    // Refused by every call, with a body like every other problem.
    requireHostHeader: false,
  })
  server.timeout = limits.stalledInMs
  server.on("connection", (socket) => connections.of(socket))
  server.on("clientError", onClientError(connections, limits))
  server.on("request", take(false))
  server.on("checkContinue", take(true))
  server.on("checkExpectation", take(false))
  server.on("connect", (_request, socket) => {
    socket.write(written(noTunnel))
    NodeExchange.closeSoon(socket)
  })
  return server
}

const open = (server: Server, host: string, port: number) =>
  Effect.callback<Server, ListenFailed>((resume) => {
    server.once("error", (error) => resume(Effect.fail(explain(error, host, port))))
    server.listen(port, host, () => resume(Effect.succeed(server)))
  })

/** What was sent before the caller could know that the server ends arrives within this time. */
const quietInMs = 100

/** Until all that had arrived is read: a loop that was busy comes to its timers first. */
const haveRead = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const shutDown = Effect.fnUntraced(function* (
  server: Server,
  connections: NodeExchange.Connections,
  handler: Handler["Service"],
  { shutdownInMs }: Limits,
) {
  connections.isClosing = true
  const closed = Effect.callback<void>((resume) => {
    // Not the HTTP server's own: it closes connections whose next request is on its way already.
    Net.Server.prototype.close.call(server, () => resume(Effect.void))
  })
  const closingIdle = Effect.sleep(quietInMs).pipe(
    Effect.andThen(haveRead),
    Effect.andThen(Effect.sync(() => connections.closeIdle())),
    Effect.forever,
  )
  const answering = Effect.all([closed, handler.close], { concurrency: "unbounded" }).pipe(
    Effect.raceFirst(closingIdle),
    Effect.timeoutOption(shutdownInMs),
    Effect.interruptible,
  )
  // Whoever ends may have been interrupted, and would not wait for anything that can be.
  yield* Fiber.await(yield* Effect.forkDetach(answering, { startImmediately: true }))
  server.closeAllConnections()
  server.close()
})

const make = Effect.fnUntraced(function* ({ host = "127.0.0.1", port = 3000, ...own }: Options) {
  const limits = { ...limitsDefault, ...own }
  const context = yield* Effect.context<Handler>()
  const handler = yield* Handler
  const connections = new NodeExchange.Connections()
  const server = yield* Effect.acquireRelease(
    open(create(context, connections, limits), host, port),
    (listening) => shutDown(listening, connections, handler, limits),
  )
  return addressOf(server, host)
})

/**
 * Listens until the scope ends. Then no connection is taken any more, parked polls are answered at once, and what was
 * asked is answered.
 *
 * @example
 * NodeListener.layer({ port: 3000 }).pipe(Layer.provide(Florin.layer({ publicUrl })))
 */
export const layer = (options: Options = {}): Layer.Layer<NodeListener, ListenFailed, Handler> =>
  Layer.effect(NodeListener, make(options))

export interface Listening extends Address {
  /**
   * Takes no more connections, answers what was asked, parked polls at once, and resolves when all is told. It is for
   * the end of a process: from then on the service parks no poll.
   */
  readonly close: () => Promise<void>
}

/**
 * Listens. Rejects with {@link ListenFailed} where the address cannot be had. Close it before the service is disposed of.
 *
 * @example
 * const server = await NodeListener.listen(florin, { port: 3000 })
 * process.once("SIGTERM", () => server.close().then(florin.dispose))
 */
export const listen = async (
  florin: Pick<Florin, "run">,
  options: Options = {},
): Promise<Listening> => {
  const scope = Scope.makeUnsafe()
  const address = await florin.run(Scope.provide(make(options), scope))
  return { ...address, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/**
 * Answers requests of a server that is there already: `http.createServer(listener)`, or `app.use(listener)` of Express and
 * Connect. What is not Florin's goes on to `next`, if there is one. Under a path of the app (`app.use("/pay", listener)`)
 * Florin sees what comes after it. A parser of JSON may come first: what it left in `request.body` is read. Time limits
 * are that server's.
 *
 * @example
 * http.createServer(NodeListener.requestListener(florin)).listen(3000)
 */
export const requestListener = (florin: Pick<Florin, "run">) => {
  const connections = new NodeExchange.Connections()
  let runner: NodeExchange.Runner | undefined
  return (request: IncomingMessage, response: ServerResponse, next?: () => void): void => {
    const call = new NodeExchange.Call(connections, request, response, false, next)
    if (runner !== undefined) {
      call.run(runner)
      return
    }
    florin.run(Effect.map(Effect.context<Handler>(), NodeExchange.runner)).then(
      (started) => {
        runner = started
        return call.run(started)
      },
      () => call.answer(Problems.ofEnding("req_none")),
    )
  }
}
