/**
 * An account whose key is with Web3Signer, or with another service that supports its `eth_signTransaction`. A
 * Web3Signer signs for the one chain that it was started with (`--chain-id`), so each chain has one of its own.
 *
 * Files with credentials are read for each signature: another token or certificate needs no restart.
 *
 * @example
 * const account = Web3Signer.account({
 *   address: "0x…",
 *   url: "https://signer.internal:9000",
 *   caFile: "/etc/florin/ca.pem",
 *   certFile: "/etc/florin/client.pem",
 *   certKeyFile: "/run/secrets/client-key.pem",
 * })
 *
 * @module
 */
import { request as requestHttps } from "node:https"
import { request as requestHttp } from "@florin/core/node/Http"
import type { RelayerAccount } from "@florin/evm/Signer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Call from "./Call.ts"
import * as Unavailable from "./Unavailable.ts"

export interface Options extends Omit<RelayerAccount, "signTransaction"> {
  /** The URL contains no user and no password. */
  readonly url: string
  /** A file with a token that is sent as `Authorization: Bearer`. */
  readonly tokenFile?: string
  /** A file with the certificates that must have signed the server's, in place of the default ones. */
  readonly caFile?: string
  /** Files with the client certificate, and its key. */
  readonly certFile?: string
  readonly certKeyFile?: string
}

const decode = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      result: Schema.optionalKey(Schema.NullOr(Schema.String)),
      error: Schema.optionalKey(Schema.NullOr(Schema.Struct({ message: Schema.String }))),
    }),
  ),
)

/** A signed transaction is a few kilobytes. */
const responseBytesMax = 1_000_000

const secretOf = (path: string | undefined) =>
  path === undefined ? undefined : Unavailable.readSecret(path).trim()
const textOf = (path: string | undefined) =>
  path === undefined ? undefined : Unavailable.readText(path)

const codeOf = (error: unknown): string =>
  Predicate.hasProperty(error, "code") && Predicate.isString(error.code) ? ` (${error.code})` : ""

/** Each call opens its own connection: the other side may be closing a kept one at that moment. */
const begin = ({ caFile, certFile, certKeyFile, tokenFile, url }: Options, signal: AbortSignal) => {
  const [token, ca, cert] = [secretOf(tokenFile), textOf(caFile), textOf(certFile)]
  const key = secretOf(certKeyFile)
  const headers = {
    "content-type": "application/json",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const ask = url.startsWith("https:") ? requestHttps : requestHttp
  try {
    return ask(url, { method: "POST", agent: false, signal, ca, cert, key, headers })
  } catch {
    throw Unavailable.because("the url, a certificate or the token of Web3Signer cannot be used")
  }
}

const post = (options: Options, body: string, signal: AbortSignal) =>
  new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const unreachable = (error?: unknown) =>
      reject(Unavailable.because(`Web3Signer cannot be reached${codeOf(error)}`))
    const sent = begin(options, signal)
    sent.on("error", unreachable)
    sent.on("response", (response) => {
      const chunks: Array<Buffer> = []
      let size = 0
      response.on("error", unreachable)
      response.on("data", (chunk: Buffer) => {
        size += chunk.length
        if (size > responseBytesMax) response.destroy()
        else chunks.push(chunk)
      })
      response.on("close", () => {
        if (!response.complete) return unreachable()
        const text = Buffer.concat(chunks).toString("utf8")
        return resolve({ status: response.statusCode ?? 0, text })
      })
    })
    sent.end(body)
  })

export const account = (options: Options): RelayerAccount => ({
  ...options,
  signTransaction: async (transaction, { signal }) => {
    const params = [Call.of(options.address, transaction)]
    const call = { jsonrpc: "2.0", id: 1, method: "eth_signTransaction", params }
    const { status, text } = await post(options, JSON.stringify(call), signal)
    const { error, result } = Option.getOrElse(decode(text), () => ({
      error: undefined,
      result: undefined,
    }))
    if (error) throw Unavailable.because(`Web3Signer says: ${Unavailable.scrub(error.message)}`)
    if (status !== 200 || !result) {
      throw Unavailable.because(`Web3Signer responded with HTTP ${status} and no transaction`)
    }
    return `0x${result.replace(/^0x/u, "")}`
  },
})
