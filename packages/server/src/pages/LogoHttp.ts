/**
 * Fetches the logos of merchants, within the size limit and over HTTPS only.
 *
 * @module
 */
import * as WebUrl from "@florin/core/domain/ground/WebUrl"
import type * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Effect from "effect/Effect"
import * as Outbound from "../http/Outbound.ts"
import type * as Logos from "./Logos.ts"

const fetchLimitInMs = 5000
const logoMaxBytes = 256 * 1024

/** Makes the fetcher for a URL policy, with the default resolver or another one. */
export const makeFetch = (policy: Webhook.UrlPolicy, resolve?: Outbound.Resolve): Logos.Fetch => {
  const call = Outbound.make({
    ...policy,
    resolve,
    limitInMs: fetchLimitInMs,
    responseMaxBytes: logoMaxBytes,
  })
  return Effect.fn("LogoHttp.fetch")(
    function* (url: string) {
      yield* Effect.fromResult(WebUrl.parseHttps(url))
      const { body, status } = yield* call({
        method: "GET",
        url,
        headers: { accept: "image/*", "accept-encoding": "identity" },
      })
      return status === 200 ? body : null
    },
    Effect.orElseSucceed(() => null),
  )
}
