/**
 * Turns the web's `Request` into a `Response`, for Hono, Next, Deno, Bun and workers.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Problems from "./edge/Problems.ts"
import { Handler } from "./Handler.ts"
import * as Exchange from "./http/Exchange.ts"

/** Reads a stream to its end, but no further than the longest body that we take. */
const readAll = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array<ArrayBuffer>> = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    if (length > Limits.bodyMaxBytes) throw Exchange.bodyTooLarge
    chunks.push(chunk)
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}

const bodyOf = (request: Request): Exchange.Incoming["body"] => {
  const { body } = request
  if (request.bodyUsed) return Effect.fail(Exchange.bodyAlreadyRead)
  if (body === null) return Effect.succeed(new Uint8Array())
  if (Number(request.headers.get("content-length")) > Limits.bodyMaxBytes) {
    return Effect.fail(Exchange.bodyTooLarge)
  }
  return Effect.tryPromise({
    try: () => readAll(body),
    catch: (error) => (error instanceof Exchange.BodyTooLarge ? error : Exchange.bodyLost),
  })
}

/** The address of a request, without its fragment. */
export const targetOf = ({ url }: Request): string => url.split("#", 1)[0] ?? ""

const incomingOf = (request: Request, target: string): Exchange.Incoming => {
  const { path, query } = Exchange.locate(target)
  return {
    method: request.method,
    path,
    query,
    header: (name) => request.headers.get(name) ?? undefined,
    body: bodyOf(request),
  }
}

type Fork = <A>(effect: Effect.Effect<A>) => Fiber.Fiber<A>

const encoder = new TextEncoder()

/** A body that is written while somebody reads it. */
const streamOf = (writing: Exchange.Writing, fork: Fork): ReadableStream<Uint8Array> => {
  const room = Latch.makeUnsafe(true)
  let fiber: Fiber.Fiber<void> | undefined
  return new ReadableStream({
    start: (controller) => {
      const write = (text: string) =>
        Effect.map(room.await, () => {
          controller.enqueue(encoder.encode(text))
          if ((controller.desiredSize ?? 0) <= 0) room.closeUnsafe()
        })
      fiber = fork(writing(write))
      fiber.addObserver((exit) => {
        if (Exit.isSuccess(exit)) controller.close()
        else if (!Exit.hasInterrupts(exit)) controller.error(new Error("the stream broke"))
      })
    },
    pull: () => {
      room.openUnsafe()
    },
    cancel: () => fiber?.interruptUnsafe(),
  })
}

/** Bytes may be in shared memory, which the web's `Response` does not accept. */
const bodyInit = (body: Exchange.Outgoing["body"], fork: Fork) => {
  if (typeof body === "function") return streamOf(body, fork)
  return typeof body === "string" ? body : new Uint8Array(body)
}

const responseOf = (
  { method }: Request,
  { body, headers, status }: Exchange.Outgoing,
  fork: Fork,
): Response =>
  new Response(Exchange.isBodiless(method, status) ? null : bodyInit(body, fork), {
    status,
    headers,
  })

/** Responds to a request. */
export const respond = Effect.fnUntraced(function* (request: Request) {
  const handler = yield* Handler
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const outgoing = yield* handler.respond(incomingOf(request, targetOf(request)))
  return responseOf(request, outgoing, fork)
})

/** Responds to a request at another path than its own; null if Florin has nothing there. */
export const respondAt = Effect.fnUntraced(function* (request: Request, target: string) {
  const handler = yield* Handler
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const outgoing = yield* handler.respond({ ...incomingOf(request, target), mayPassOn: true })
  return outgoing.isPassedOn === true ? null : responseOf(request, outgoing, fork)
})

/** Refuses a request that comes while the service shuts down. It is in no log, so its request id is none. */
export const refuse = (request: Request): Response =>
  responseOf(request, Problems.ofEnding("req_none"), Effect.runFork)
