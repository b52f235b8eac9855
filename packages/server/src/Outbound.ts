/**
 * Calls hosts that others named, over Node's own HTTP, and reaches nothing but the internet with them.
 *
 * A name is resolved once, every address it has is checked, and only those are connected to: a resolver that answers
 * otherwise the next time is not asked again. The name stays in `Host` and in the TLS handshake. No redirect is followed.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import * as Dns from "node:dns/promises"
import * as Http from "node:http"
import * as Https from "node:https"
import { isIP, type LookupFunction } from "node:net"
import * as Webhook from "@florin/core/domain/Webhook"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Every address of a host, as text. Where there is none, it finds none or rejects. */
export type Resolve = (host: string) => Promise<ReadonlyArray<string>>

/** The machine's own resolver, which knows the names of its own network, too. */
const byMachine: Resolve = async (host) => {
  const entries = await Dns.lookup(host, { all: true })
  return entries.map(({ address }) => address)
}

const asksTwice = { timeout: 2000, tries: 2 }

/**
 * Asks name servers, usually the machine's. Its own resolver has four threads for the whole process, and whoever names
 * hosts whose name servers are dead could hold all of them, before chains and databases as well.
 */
export const byNameServers = (servers?: ReadonlyArray<string>): Resolve => {
  const resolver = new Dns.Resolver(asksTwice)
  if (servers !== undefined) resolver.setServers(servers)
  return async (host) => {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return found.flatMap((each) => (each.status === "fulfilled" ? each.value : []))
  }
}

/** How names are resolved under a policy. */
export const usual = ({ allowPrivate }: Webhook.UrlPolicy): Resolve =>
  allowPrivate ? byMachine : byNameServers()

export interface Options extends Webhook.UrlPolicy {
  readonly resolve: Resolve
  /** The whole answer must have arrived by then. */
  readonly limitInMs: number
  /** The longest body of an answer; with 0 none is waited for. */
  readonly answerMaxBytes: number
}

export interface Call {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Answer {
  readonly status: number
  readonly body: Uint8Array
}

/** Nothing came of a call. `message` is our word for why, never what the other side said. */
export class Unanswered extends Schema.TaggedError<Unanswered>()("Unanswered", {
  message: Schema.String,
}) {}

const answerHeadMaxBytes = 16 * 1024

const failed = (message: string) => new Unanswered({ message })
const noAddress = failed("the host has no address")
const notPublic = failed(
  "the host has a private, local or reserved address: use one that the internet can reach",
)

type Addresses = readonly [first: string, ...rest: ReadonlyArray<string>]

/** The addresses to connect to. One that is not public spoils the name: it was not meant for the internet. */
const resolveChecked = Effect.fnUntraced(function* (
  host: string,
  { allowPrivate, resolve }: Options,
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
type Stage = "connecting" | "securing" | "waiting" | "reading"

const reasons = {
  connecting: failed("the connection failed"),
  securing: failed("the TLS handshake failed: check the certificate, its chain and its name"),
  waiting: failed("the connection was closed without a response"),
  reading: failed("the connection was closed in the middle of the response"),
} as const satisfies Record<Stage, Unanswered>

const explain = (stage: Stage, { code = "" }: NodeJS.ErrnoException): Unanswered => {
  if (code === "HPE_HEADER_OVERFLOW") {
    return failed(`the head of the response is longer than ${answerHeadMaxBytes} bytes`)
  }
  return code.startsWith("HPE_") ? failed("the response is not HTTP") : reasons[stage]
}

const send = (
  { body, headers, method, url }: Call,
  addresses: Addresses,
  { answerMaxBytes }: Options,
) =>
  Effect.callback<Answer, Unanswered>((resume) => {
    const isSecure = url.startsWith("https:")
    let stage: Stage = "connecting"
    const request = (isSecure ? Https : Http).request(url, {
      method,
      headers: {
        ...headers,
        ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
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
    // The only word of an answer that switches to another protocol, or is cut off.
    request.on("close", () => resume(reasons[stage]))
    request.on("response", (response) => {
      stage = "reading"
      const { statusCode: status = 0 } = response
      const end = (answer: Effect.Effect<Answer, Unanswered>) => {
        request.destroy()
        resume(answer)
      }
      if (answerMaxBytes === 0) {
        end(Effect.succeed({ status, body: new Uint8Array() }))
        return
      }
      const chunks: Array<Buffer> = []
      let length = 0
      response.on("data", (chunk: Buffer) => {
        length += chunk.length
        chunks.push(chunk)
        if (length > answerMaxBytes) {
          end(Effect.fail(failed(`the response is longer than ${answerMaxBytes} bytes`)))
        }
      })
      response.on("end", () => end(Effect.succeed({ status, body: Buffer.concat(chunks) })))
    })
    request.end(body)
    return Effect.sync(() => {
      request.destroy()
    })
  })

/** Makes what calls under a policy. */
export const make = (options: Options) => {
  const { limitInMs } = options
  const tooSlow = failed(`no response within ${limitInMs / 1000} s`)
  return Effect.fnUntraced(
    function* (call: Call) {
      yield* Effect.mapError(Effect.fromResult(Webhook.parseUrl(call.url, options)), (error) =>
        failed(error.message),
      )
      // As Node reads it: `0x7f.1` is an address.
      const host = new URL(call.url).hostname.replace(/^\[|\]$/gu, "")
      return yield* send(call, yield* resolveChecked(host, options), options)
    },
    Effect.timeoutOrElse({ duration: limitInMs, orElse: () => tooSlow }),
  )
}
