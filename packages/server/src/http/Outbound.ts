/**
 * Calls hosts that others named, over Node's own HTTP, and only on the public internet.
 *
 * A name is resolved once, every address it has is checked, and the call connects only to those addresses. The resolver
 * is not asked again, so a different result the next time has no effect. The name stays in `Host` and in the TLS
 * handshake. Redirects are not followed.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import * as Dns from "node:dns/promises"
import * as Https from "node:https"
import { isIP, type LookupFunction } from "node:net"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Http from "@florin/core/node/Http"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Every address of a host, as text. If it has none, the result is empty or the promise rejects. */
export type Resolve = (host: string) => Promise<ReadonlyArray<string>>

/** The machine's own resolver, which also knows the names of the local network. */
const byMachine: Resolve = async (host) => {
  const entries = await Dns.lookup(host, { all: true })
  return entries.map(({ address }) => address)
}

const asksTwice = { timeout: 2000, tries: 2 }

/**
 * Asks name servers directly, by default the machine's. The machine's own resolver has four threads for the whole
 * process. Hosts whose name servers do not respond could block all four, and with them the connections to chains and
 * databases.
 */
export const byNameServers = (servers?: ReadonlyArray<string>): Resolve => {
  const resolver = new Dns.Resolver(asksTwice)
  if (servers !== undefined) resolver.setServers(servers)
  return async (host) => {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return found.flatMap((each) => (each.status === "fulfilled" ? each.value : []))
  }
}

export interface Options extends Webhook.UrlPolicy {
  /** By default name servers, or where private addresses are allowed the machine's own resolver. */
  readonly resolve?: Resolve | undefined
  /** Timeout for the whole response. */
  readonly limitInMs: number
  /** Maximum size of a response's body. With 0 the call does not wait for a body. */
  readonly responseMaxBytes: number
}

export interface Call {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Response {
  readonly status: number
  readonly body: Uint8Array
}

/** A call failed. `message` is our own reason and never contains text of the other side. */
export class NoResponse extends Schema.TaggedError<NoResponse>()("NoResponse", {
  message: Schema.String,
}) {}

const responseHeadMaxBytes = 16 * 1024

const failed = (message: string) => new NoResponse({ message })
const noAddress = failed("the host has no address")
const notPublic = failed(
  "the host has a private, local or reserved address: use one that the internet can reach",
)

type Addresses = readonly [first: string, ...rest: ReadonlyArray<string>]

/**
 * Returns the addresses to connect to. If one of them is not public, the host is refused: its name was not meant for
 * the internet.
 */
const resolveChecked = Effect.fnUntraced(function* (
  host: string,
  allowPrivate: boolean,
  resolve: Resolve,
) {
  const [first, ...rest] =
    isIP(host) === 0
      ? yield* Effect.tryPromise({ try: () => resolve(host), catch: () => noAddress })
      : [host]
  if (first === undefined) return yield* noAddress
  const addresses: Addresses = [first, ...rest]
  return allowPrivate || addresses.every(Webhook.isPublicAddress) ? addresses : yield* notPublic
})

/** A resolver that returns only the checked addresses. */
const pinned = (addresses: Addresses): LookupFunction => {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, { all }, done) =>
    all === true ? done(null, entries) : done(null, addresses[0], isIP(addresses[0]))
}

/** How far a call has come. This explains a failure better than the many error codes. */
type Stage = "connecting" | "securing" | "waiting" | "reading"

const reasons = {
  connecting: failed("the connection failed"),
  securing: failed("the TLS handshake failed: check the certificate, its chain and its name"),
  waiting: failed("the connection was closed without a response"),
  reading: failed("the connection was closed in the middle of the response"),
} as const satisfies Record<Stage, NoResponse>

const explain = (stage: Stage, { code = "" }: NodeJS.ErrnoException): NoResponse => {
  if (code === "HPE_HEADER_OVERFLOW") {
    return failed(`the head of the response is longer than ${responseHeadMaxBytes} bytes`)
  }
  return code.startsWith("HPE_") ? failed("the response is not HTTP") : reasons[stage]
}

const send = (
  { body, headers, method, url }: Call,
  addresses: Addresses,
  { responseMaxBytes }: Options,
) =>
  Effect.callback<Response, NoResponse>((resume) => {
    const isSecure = url.startsWith("https:")
    let stage: Stage = "connecting"
    const request = (isSecure ? Https : Http).request(url, {
      method,
      headers: {
        ...headers,
        ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
        "user-agent": "Florin",
      },
      // A pool, or a proxy from the process's settings, would connect to addresses that were not checked.
      agent: false,
      lookup: pinned(addresses),
      maxHeaderSize: responseHeadMaxBytes,
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
    // The only event for a response that switches to another protocol or is cut off.
    request.on("close", () => resume(reasons[stage]))
    request.on("response", (response) => {
      stage = "reading"
      const { statusCode: status = 0 } = response
      const end = (result: Effect.Effect<Response, NoResponse>) => {
        request.destroy()
        resume(result)
      }
      if (responseMaxBytes === 0) {
        end(Effect.succeed({ status, body: new Uint8Array() }))
        return
      }
      const chunks: Array<Buffer> = []
      let length = 0
      response.on("data", (chunk: Buffer) => {
        length += chunk.length
        chunks.push(chunk)
        if (length > responseMaxBytes) {
          end(Effect.fail(failed(`the response is longer than ${responseMaxBytes} bytes`)))
        }
      })
      response.on("end", () => end(Effect.succeed({ status, body: Buffer.concat(chunks) })))
    })
    request.end(body)
    return Effect.sync(() => {
      request.destroy()
    })
  })

/** Makes the function that calls hosts under a policy. */
export const make = (options: Options) => {
  const { allowPrivate, limitInMs, resolve = allowPrivate ? byMachine : byNameServers() } = options
  const tooSlow = failed(`no response within ${limitInMs / 1000} s`)
  return Effect.fnUntraced(
    function* (call: Call) {
      yield* Effect.mapError(Effect.fromResult(Webhook.parseUrl(call.url, options)), (error) =>
        failed(error.message),
      )
      // The host as Node parses it: `0x7f.1` is an address.
      const host = new URL(call.url).hostname.replace(/^\[|\]$/gu, "")
      return yield* send(call, yield* resolveChecked(host, allowPrivate, resolve), options)
    },
    Effect.timeoutOrElse({ duration: limitInMs, orElse: () => tooSlow }),
  )
}
