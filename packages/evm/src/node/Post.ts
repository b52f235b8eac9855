/**
 * Sends one HTTP request with calls to one node, over Node's own client: `fetch` takes a multiple of its processor time.
 * Redirects are not followed.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import * as Https from "node:https"
import { createGunzip } from "node:zlib"
import * as Http from "@florin/core/node/Http"
import * as Effect from "effect/Effect"
import * as MutableRef from "effect/MutableRef"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { type Call, exceeding, type Reply } from "./Call.ts"
import * as Fault from "./Fault.ts"
import * as Responses from "./Responses.ts"

/** Sends calls in one request, as a list or, if it is a single call, outside of one. */
export type Post = (
  calls: ReadonlyArray<Call>,
  isList: boolean,
) => Effect.Effect<ReadonlyArray<Reply>, Fault.Fault>

/** A node must not fill the memory. Honest responses have at most some megabytes. */
const responseMaxCharacters = 16 * 1024 * 1024
const tooLong: Fault.Fault = { message: "the node's response is too long", isOfRequest: true }

const send = (url: string, body: string): Effect.Effect<Responses.Http, Fault.Fault> =>
  Effect.callback((resume) => {
    const made = Result.try(() =>
      (/^https:/iu.test(url) ? Https : Http).request(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          "accept-encoding": "identity",
          // Firewalls of providers refuse requests that name no client.
          "user-agent": "Florin",
        },
      }),
    )
    // The address has another scheme, or a user that cannot be read.
    if (Result.isFailure(made)) return resume(Effect.fail(Fault.unreachable))
    const request = made.success
    let hasBegun = false
    request.on("error", ({ code }: NodeJS.ErrnoException) => {
      // The node closed an idle connection in the moment in which it was used again.
      const isStale = request.reusedSocket && code === "ECONNRESET" && !hasBegun
      resume(isStale ? send(url, body) : Effect.fail(Fault.unreachable))
    })
    // The only event if the node switches to another protocol.
    request.on("close", () => {
      if (!hasBegun) resume(Effect.fail(Fault.unreachable))
    })
    request.on("response", (response) => {
      hasBegun = true
      let text = ""
      const { headers, statusCode: status = 0 } = response
      // Some proxies compress whatever they are asked for.
      const isGzip = headers["content-encoding"] === "gzip"
      const plain = isGzip ? response.pipe(createGunzip()) : response
      plain.setEncoding("utf8")
      plain.on("data", (chunk: string) => {
        text += chunk
        if (text.length <= responseMaxCharacters) return
        resume(Effect.fail(tooLong))
        plain.destroy()
        request.destroy()
      })
      plain.on("end", () => resume(Effect.succeed({ status, body: text })))
      for (const part of [response, plain])
        part.on("error", () => resume(Effect.fail(Fault.unreadable)))
    })
    request.end(body)
    return Effect.sync(() => {
      request.destroy()
    })
  })

export const make = (url: Redacted.Redacted, answerWithinInMs: number): Post => {
  const scrub = Fault.scrubber(Redacted.value(url))
  const nextId = MutableRef.make(1)
  const silence: Fault.Fault = {
    message: `the node did not respond within ${answerWithinInMs} ms`,
    isSilent: true,
  }
  return (calls, isList) =>
    Effect.suspend(() => {
      const firstId = MutableRef.getAndUpdate(nextId, (id) => id + calls.length)
      const list = calls.map(({ method, params }, index) => ({
        jsonrpc: "2.0",
        id: firstId + index,
        method,
        params,
      }))
      return send(Redacted.value(url), JSON.stringify(isList ? list : list[0])).pipe(
        Effect.timeoutOrElse({ duration: answerWithinInMs, orElse: () => Effect.fail(silence) }),
        Effect.flatMap((response) =>
          Effect.fromResult(Responses.read({ calls, firstId, isList }, response, scrub)),
        ),
        // Anybody can make one receipt too long: the other calls of the request must not fail with it.
        Effect.catchIf(
          (fault) => fault === tooLong && calls.length === 1,
          ({ message }) => Effect.succeed(calls.map((call) => exceeding(call, message))),
        ),
      )
    })
}
