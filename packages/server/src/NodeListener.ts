/**
 * Serves on Node's own HTTP server, or as part of an existing one. HTTP/1 only: put TLS and HTTP/2 before it.
 *
 * @example
 * const server = await NodeListener.listen(florin, { port: 3000 })
 * console.log(server.url)
 * await server.close()
 * await florin.dispose()
 *
 * @module
 */
import { Buffer } from "node:buffer"
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http"
import * as Net from "node:net"
import type { Duplex } from "node:stream"
import { createServer, STATUS_CODES } from "@florin/core/node/Http"
import * as PrivateSocket from "@florin/core/node/PrivateSocket"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Problems from "./edge/Problems.ts"
import type { Florin } from "./Florin.ts"
import { Handler } from "./Handler.ts"
import * as Exchange from "./http/Exchange.ts"
import * as Mount from "./http/Mount.ts"
import * as NodeExchange from "./NodeExchange.ts"

/** The address is not available to listen on. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  message: Schema.String,
}) {}

export interface Limits {
  /** Timeout for the head of a request: 10 s. */
  readonly headersInMs: number
  /** Timeout for the whole request: 30 s. The time for its response is not limited. */
  readonly requestInMs: number
  /**
   * How long an idle connection is kept for the next request: 5 s. Behind a load balancer, set a longer time than the
   * balancer's own.
   */
  readonly keepAliveInMs: number
  /** A connection without any traffic is closed after this time: 60 s. No poll is held that long. */
  readonly stalledInMs: number
  /** Maximum size of a request's head: 16 KiB. */
  readonly headersMaxBytes: number
  /** How long open requests may take to finish when the server shuts down: 30 s. */
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
  /** By default 3000; 0 picks any free port. */
  readonly port?: number
  /** By default `127.0.0.1`. With `0.0.0.0` or `::` the server is reachable from everywhere. */
  readonly host?: string
}

interface Address {
  readonly host: string
  readonly port: number
  readonly url: string
}

/** A listening server, and its address. */
export class NodeListener extends Context.Service<NodeListener, Address>()(
  "@florin/server/NodeListener",
) {}

const explain = ({ code = "unknown" }: NodeJS.ErrnoException, host: string, port: number) =>
  new ListenFailed({
    message:
      code === "EADDRINUSE"
        ? `port ${port} is in use: choose another, or 0 for any free port`
        : `cannot listen on ${host}:${port} (${code}): check the address, or choose another port`,
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

const isSent = ({ newestResponse }: NodeExchange.Connection): boolean =>
  newestResponse === null || newestResponse.writableFinished

/**
 * Node could not parse a request, or it did not arrive in time. The responses to earlier requests are sent first: a
 * refusal in between would be taken for one of them.
 */
const onClientError =
  (connections: NodeExchange.Connections, limits: Limits) =>
  (error: NodeJS.ErrnoException, socket: Duplex): void => {
    const connection = connections.of(socket)
    if (!socket.writable || error.code === "ECONNRESET") {
      socket.destroy()
      return
    }
    if (connection.isOver) return
    connection.isOver = true
    const { calls, newest, newestResponse } = connection
    for (const call of calls) {
      if (!call.request.complete) call.lose(isTimeout(error) ? tooSlow : Exchange.bodyLost)
    }
    const end = () => {
      if (!socket.writable) return
      // The newest call has its response already. The caller would take a second one for the response to its next request.
      if (newest?.complete !== false) socket.write(written(ofClientError(error, limits)))
      NodeExchange.closeSoon(socket)
    }
    if (isSent(connection)) end()
    else newestResponse?.once("finish", end)
  }

/**
 * A caller asks for a tunnel. Node has given up the connection, so nothing but this ends it: it cannot wait for
 * responses that are not sent yet, and does not put a refusal in their place.
 */
const onConnect =
  (connections: NodeExchange.Connections) =>
  (_request: IncomingMessage, socket: Duplex): void => {
    const connection = connections.of(socket)
    if (!connection.isOver && isSent(connection)) socket.write(written(noTunnel))
    connection.isOver = true
    NodeExchange.closeSoon(socket)
  }

/** Node and its timers are not exact: a head that Node still waits for is not cut off. */
const slackInMs = 2000

/**
 * Closes connections on which no request begins, and returns what restarts their time. Node restarts its own timeout with
 * every byte, so a caller could keep a connection with empty lines.
 */
const limitIdle = (
  server: Server,
  connections: NodeExchange.Connections,
  { headersInMs, keepAliveInMs }: Limits,
) => {
  const timers = new WeakMap<Duplex, NodeJS.Timeout>()
  server.on("connection", (socket) => {
    const connection = connections.of(socket)
    const close = () => NodeExchange.closeIfIdle(connection)
    const timer = setInterval(close, keepAliveInMs + headersInMs + slackInMs)
    timers.set(socket, timer.unref())
    socket.once("close", () => clearInterval(timer))
  })
  return (socket: Duplex): void => {
    if (!socket.destroyed) timers.get(socket)?.refresh()
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
    (request, response) => {
      const { socket } = request
      response.once("close", () => restart(socket))
      new NodeExchange.Call(connections, request, response, awaitsContinue).run(runner)
    }
  const server = createServer({
    keepAlive: true,
    headersTimeout: limits.headersInMs,
    requestTimeout: Math.max(limits.headersInMs, limits.requestInMs),
    connectionsCheckingInterval: Math.min(1000, limits.headersInMs, limits.requestInMs),
    keepAliveTimeout: limits.keepAliveInMs,
    maxHeaderSize: limits.headersMaxBytes,
    joinDuplicateHeaders: true,
    optimizeEmptyRequests: true,
    // Every call checks this itself and refuses with the same kind of body as for every other problem.
    requireHostHeader: false,
  })
  const restart = limitIdle(server, connections, limits)
  server.timeout = limits.stalledInMs
  server.on("clientError", onClientError(connections, limits))
  server.on("request", take(false))
  server.on("checkContinue", take(true))
  server.on("checkExpectation", take(false))
  server.on("connect", onConnect(connections))
  return server
}

const open = (server: Server, host: string, port: number) =>
  Effect.callback<Server, ListenFailed>((resume) => {
    server.once("error", (error) => resume(Effect.fail(explain(error, host, port))))
    server.listen(port, host, () => resume(Effect.succeed(server)))
  })

/** Requests that a caller sent before it could know about the shutdown arrive within this time. */
const quietInMs = 100

/** Waits until everything that had arrived is read: a busy event loop runs its timers first. */
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
    // Not the HTTP server's own `close`: it closes connections whose next request is already on its way.
    Net.Server.prototype.close.call(server, () => resume(Effect.void))
  })
  const closingIdle = Effect.sleep(quietInMs).pipe(
    Effect.andThen(haveRead),
    Effect.andThen(Effect.sync(() => connections.closeIdle())),
    Effect.forever,
  )
  const closing = Effect.all([closed, handler.close], { concurrency: "unbounded" }).pipe(
    Effect.raceFirst(closingIdle),
    Effect.timeoutOption(shutdownInMs),
    Effect.interruptible,
  )
  // The fiber that shuts down may have been interrupted, and would not wait for anything interruptible.
  yield* Fiber.await(yield* Effect.forkDetach(closing, { startImmediately: true }))
  server.closeAllConnections()
  server.close()
})

const serve = Effect.fnUntraced(function* <E>(
  limits: Limits,
  opening: (server: Server) => Effect.Effect<Server, E>,
) {
  const context = yield* Effect.context<Handler>()
  const handler = yield* Handler
  const connections = new NodeExchange.Connections()
  return yield* Effect.acquireRelease(opening(create(context, connections, limits)), (listening) =>
    shutDown(listening, connections, handler, limits),
  )
})

const make = ({ host = "127.0.0.1", port = 3000, ...own }: Options) =>
  Effect.map(
    serve({ ...limitsDefault, ...own }, (server) => open(server, host, port)),
    (server) => addressOf(server, host),
  )

/**
 * Listens until the scope ends. Then it takes no more connections, responds to waiting polls immediately, and finishes
 * the open requests.
 *
 * @example
 * NodeListener.layer({ port: 3000 }).pipe(Layer.provide(Florin.layer({ publicUrl })))
 */
export const layer = (options: Options = {}): Layer.Layer<NodeListener, ListenFailed, Handler> =>
  Layer.effect(NodeListener, make(options))

const openSocket = (server: Server, place: PrivateSocket.Place) =>
  Effect.tryPromise({
    try: () =>
      PrivateSocket.listen(server, place).then((remove) => {
        server.once("close", remove)
        return server
      }),
    catch: (cause) =>
      new ListenFailed({
        message: `cannot listen on the socket ${place.name} in ${place.directory} (${String(cause)}): check that its file system supports Unix sockets`,
      }),
  })

/** Listens on a Unix socket that only the user of this process may open, until the scope ends. */
export const layerSocket = (
  place: PrivateSocket.Place,
): Layer.Layer<never, ListenFailed, Handler> =>
  Layer.effectDiscard(serve(limitsDefault, (server) => openSocket(server, place)))

export interface Listening extends Address {
  /**
   * Takes no more connections, finishes the open requests, responds to waiting polls immediately, and resolves when
   * everything is sent. Use it at the end of a process: from then on the service holds no polls.
   */
  readonly close: () => Promise<void>
}

/**
 * Starts to listen. Rejects with {@link ListenFailed} if the address is not available. Close it before you dispose of
 * the service.
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

type Listener = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void

const listenerOf = (florin: Pick<Florin, "run">, locate: (target: string) => string | null) => {
  const connections = new NodeExchange.Connections()
  let runner: NodeExchange.Runner | undefined
  const listener: Listener = (request, response, next) => {
    const target = locate(request.url ?? "")
    if (target === null) {
      next?.()
      return
    }
    const call = new NodeExchange.Call(connections, request, response, false, next, target)
    if (runner !== undefined) {
      call.run(runner)
      return
    }
    florin.run(Effect.map(Effect.context<Handler>(), NodeExchange.runner)).then(
      (started) => {
        runner = started
        return call.run(started)
      },
      () => call.respond(Problems.ofEnding("req_none")),
    )
  }
  return listener
}

/**
 * Makes a listener for an existing server: `http.createServer(listener)`, or `app.use(listener)` of Express and
 * Connect. A request that is not for Florin is passed to `next`, if there is one. Under a path of the app
 * (`app.use("/pay", listener)`) Florin sees the rest of the path. A JSON parser may run first: Florin then reads
 * `request.body`. Time limits are those of the server. Once the service is disposed of, every request gets 503.
 *
 * @example
 * http.createServer(NodeListener.requestListener(florin)).listen(3000)
 */
export const requestListener = (florin: Pick<Florin, "run">): Listener =>
  listenerOf(florin, (target) => target)

/**
 * Makes a listener for the root of an app: the API is below the path of `publicUrl`, the checkout where payment links
 * lead, and all other requests are passed to `next`. The app's own pages work even if Florin cannot start.
 */
export const appListener = (florin: Pick<Florin, "publicUrl" | "run">): Listener =>
  listenerOf(florin, (target) => Mount.locate(florin.publicUrl, target))
