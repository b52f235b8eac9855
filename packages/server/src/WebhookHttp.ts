/**
 * Calls the addresses that partners gave us, over Node's own HTTP, and reaches nothing but the internet with them.
 *
 * A name is resolved once, every address it has is checked, and only those are connected to: a resolver that answers
 * otherwise the next time is not asked again. The name stays in `Host` and in the TLS handshake.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import * as Dns from "node:dns/promises"
import * as Http from "node:http"
import * as Https from "node:https"
import { isIP, type LookupFunction } from "node:net"
import * as Webhook from "@florin/core/domain/Webhook"
import { Settings } from "@florin/core/ports/Settings"
import { type Call, CallFailed, WebhookTransport } from "@florin/core/ports/WebhookTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Every address of a host, as text. It rejects where there is none. */
export type Resolve = (host: string) => Promise<ReadonlyArray<string>>

const callLimitInMs = 10_000
const answerHeadMaxBytes = 16 * 1024

const failed = (message: string) => new CallFailed({ message })
const noAddress = failed("the host has no address")
const notPublic = failed(
  "the host has a private, local or reserved address: use one that the internet can reach",
)
const tooSlow = failed(`there was no answer within ${callLimitInMs / 1000} s`)

type Addresses = readonly [first: string, ...rest: ReadonlyArray<string>]

/** The addresses to connect to. One that is not public spoils the name: it was not meant for the internet. */
const resolveChecked = Effect.fnUntraced(function* (
  host: string,
  resolve: Resolve,
  { allowPrivate }: Webhook.UrlPolicy,
) {
  const [first, ...rest] =
    isIP(host) === 0
      ? yield* Effect.tryPromise({ try: () => resolve(host), catch: () => noAddress })
      : [host]
  if (first === undefined) return yield* noAddress
  const addresses: Addresses = [first, ...rest]
  return allowPrivate || addresses.every(Webhook.isPublicAddress) ? addresses : yield* notPublic
})

/** Answers what was checked, in place of a resolver. */
const pinned = (addresses: Addresses): LookupFunction => {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, { all }, done) =>
    all === true ? done(null, entries) : done(null, addresses[0], isIP(addresses[0]))
}

/** How far a call has come; it tells what went wrong better than the many codes of errors do. */
type Stage = "connecting" | "securing" | "waiting"

const reasons = {
  connecting: failed("no connection could be made"),
  securing: failed("TLS could not be agreed on: look at the certificate, its chain and its name"),
  waiting: failed("the connection ended without an answer"),
} as const satisfies Record<Stage, CallFailed>

const explain = (stage: Stage, { code = "" }: NodeJS.ErrnoException): CallFailed => {
  if (code === "HPE_HEADER_OVERFLOW") {
    return failed(`the head of the answer is longer than ${answerHeadMaxBytes} bytes`)
  }
  return code.startsWith("HPE_") ? failed("the answer is not HTTP") : reasons[stage]
}

const send = (url: URL, addresses: Addresses, { body, headers }: Call) =>
  Effect.callback<number, CallFailed>((resume) => {
    const isSecure = url.protocol === "https:"
    let stage: Stage = "connecting"
    const request = (isSecure ? Https : Http).request(url, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "user-agent": "Florin",
      },
      // A pool, or a proxy that the process was told of, would connect to what was not checked.
      agent: false,
      lookup: pinned(addresses),
      maxHeaderSize: answerHeadMaxBytes,
      rejectUnauthorized: true,
    })
    request.on("socket", (socket) => {
      socket.once("connect", () => {
        stage = isSecure ? "securing" : "waiting"
      })
      socket.once("secureConnect", () => {
        stage = "waiting"
      })
    })
    request.on("error", (error) => resume(explain(stage, error)))
    // The only word of an answer that switches to another protocol.
    request.on("close", () => resume(reasons[stage]))
    request.on("response", ({ statusCode = 0 }) => {
      request.destroy()
      resume(Effect.succeed(statusCode))
    })
    request.end(body)
    return Effect.sync(() => {
      request.destroy()
    })
  })

/** The transport over a resolver of your own. */
export const layerResolving = (resolve: Resolve): Layer.Layer<WebhookTransport, never, Settings> =>
  Layer.effect(
    WebhookTransport,
    Effect.gen(function* () {
      const { allowPrivateWebhooks: allowPrivate } = yield* Settings
      const policy = { allowPrivate }
      const post = Effect.fn("WebhookHttp.post")(
        function* (call: Call) {
          yield* Effect.mapError(Effect.fromResult(Webhook.parseUrl(call.url, policy)), (error) =>
            failed(error.message),
          )
          const url = new URL(call.url)
          const host = url.hostname.replace(/^\[|\]$/gu, "")
          return yield* send(url, yield* resolveChecked(host, resolve, policy), call)
        },
        Effect.timeoutOrElse({ duration: callLimitInMs, orElse: () => tooSlow }),
      )
      return { post }
    }),
  )

/** The transport over the machine's resolver. */
export const layer = layerResolving(async (host) => {
  const entries = await Dns.lookup(host, { all: true })
  return entries.map(({ address }) => address)
})
