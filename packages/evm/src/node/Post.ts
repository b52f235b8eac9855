/**
 * Sends one HTTP request with calls to one node.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as MutableRef from "effect/MutableRef"
import * as Redacted from "effect/Redacted"
import { getHttpRpcClient } from "viem/utils"
import type { Call, Reply } from "./Call.ts"
import * as Fault from "./Fault.ts"
import * as Responses from "./Responses.ts"

/** Sends calls in one request, as a list or, if it is a single call, outside of one. */
export type Post = (
  calls: ReadonlyArray<Call>,
  isList: boolean,
) => Effect.Effect<ReadonlyArray<Reply>, Fault.Fault>

export const make = (url: Redacted.Redacted, answerWithinInMs: number): Post => {
  const client = getHttpRpcClient(Redacted.value(url), { timeout: 0 })
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
        id: firstId + index,
        method,
        params,
      }))
      const [only] = list
      const http = { status: 0, body: "" }
      const onResponse = async (response: Response) => {
        http.status = response.status
        if (response.status >= 400) http.body = await response.clone().text()
      }
      const fault = () => Fault.ofStatus(http.status, http.body, scrub)
      return Effect.tryPromise({
        try: (signal) =>
          client.request({
            body: isList || only === undefined ? list : only,
            fetchOptions: { signal },
            onResponse,
          }),
        catch: fault,
      }).pipe(
        // If its body has a JSON-RPC error, it counts as a response: for a single call, that error is the result.
        Effect.filterOrFail(
          () => http.status < 400 || (!isList && Fault.requestStatuses.has(http.status)),
          fault,
        ),
        Effect.timeoutOrElse({ duration: answerWithinInMs, orElse: () => Effect.fail(silence) }),
        Effect.flatMap((body) =>
          Effect.fromResult(Responses.read({ calls, firstId, isList }, body, scrub)),
        ),
      )
    })
}
