/**
 * What the process answers over HTTP while it stays up: whether it is alive, and the story of its payment.
 *
 * @module
 */
import { createServer, type Server } from "node:http"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The address cannot be listened on. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  message: Schema.String,
}) {}

const host = "127.0.0.1"
const lastPort = 65_535

/** Another port to try; 0 takes any that is free. */
const after = (port: number): number => (port < lastPort ? port + 1 : 0)

const explain = (error: NodeJS.ErrnoException, port: number): string =>
  error.code === "EADDRINUSE"
    ? `port ${port} is taken: try --port ${after(port)}`
    : `cannot listen on ${host}:${port} (${error.code ?? "unknown"}): try another --port`

const create = (story: () => string): Server =>
  createServer((request, response) => {
    const path = request.url?.split("?")[0]
    const text = path === "/healthz" ? "ok\n" : path === "/" ? story() : undefined
    const isRead = request.method === "GET" || request.method === "HEAD"
    const status = text === undefined ? 404 : isRead ? 200 : 405
    response.writeHead(status, {
      "content-type": "text/plain; charset=utf-8",
      ...(status === 405 && { allow: "GET, HEAD" }),
    })
    response.end(text === undefined ? "not found\n" : isRead ? text : "method not allowed\n")
  })

/** Listens until the scope ends; answers the address. */
export const serve = (port: number, story: () => string) =>
  Effect.acquireRelease(
    Effect.callback<Server, ListenFailed>((resume) => {
      const server = create(story)
      server.once("error", (error) => {
        resume(Effect.fail(new ListenFailed({ message: explain(error, port) })))
      })
      server.listen(port, host, () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      }),
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      const bound = typeof address === "object" && address !== null ? address.port : port
      return `http://${host}:${bound}`
    }),
  )
