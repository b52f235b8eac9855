/**
 * Calls the URLs that partners or the operator configured, and waits only for the status code.
 *
 * @module
 */
import * as Alert from "@florin/core/domain/notify/Alert"
import type * as Webhook from "@florin/core/domain/notify/Webhook"
import { Settings } from "@florin/core/ports/Settings"
import { type Call, CallFailed, WebhookTransport } from "@florin/core/ports/WebhookTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Outbound from "./http/Outbound.ts"

const callLimitInMs = 10_000

const make = (
  { allowPrivate }: Webhook.UrlPolicy,
  resolve?: Outbound.Resolve,
): WebhookTransport["Service"] => {
  const call = Outbound.make({
    allowPrivate,
    resolve,
    limitInMs: callLimitInMs,
    responseMaxBytes: 0,
  })
  const post = Effect.fn("WebhookHttp.post")(
    function* ({ body, headers, url }: Call) {
      const { status } = yield* call({
        method: "POST",
        url,
        headers: { ...headers, "content-type": "application/json" },
        body,
      })
      return status
    },
    Effect.mapError(({ message }) => new CallFailed({ message })),
  )
  return { post }
}

/** The transport with a given resolver. */
export const layerResolving = (
  resolve?: Outbound.Resolve,
): Layer.Layer<WebhookTransport, never, Settings> =>
  Layer.effect(
    WebhookTransport,
    Effect.map(Settings, ({ allowPrivateWebhooks: allowPrivate }) =>
      make({ allowPrivate }, resolve),
    ),
  )

/** The transport with the default resolver. */
export const layer = layerResolving()

/** The transport to the operator's own URL, which may be in a private network. */
export const layerOwn = Layer.succeed(WebhookTransport, make(Alert.urlPolicy))
