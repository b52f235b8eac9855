/**
 * Calls the addresses that partners gave us, and waits for no more than the status.
 *
 * @module
 */
import type * as Webhook from "@florin/core/domain/Webhook"
import { Settings } from "@florin/core/ports/Settings"
import { type Call, CallFailed, WebhookTransport } from "@florin/core/ports/WebhookTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Outbound from "./Outbound.ts"

const callLimitInMs = 10_000

/** The transport over a resolver, as the policy has it. */
export const layerResolving = (
  resolverFor: (policy: Webhook.UrlPolicy) => Outbound.Resolve,
): Layer.Layer<WebhookTransport, never, Settings> =>
  Layer.effect(
    WebhookTransport,
    Effect.gen(function* () {
      const { allowPrivateWebhooks: allowPrivate } = yield* Settings
      const call = Outbound.make({
        allowPrivate,
        resolve: resolverFor({ allowPrivate }),
        limitInMs: callLimitInMs,
        answerMaxBytes: 0,
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
    }),
  )

/** The transport over the usual resolver. */
export const layer = layerResolving(Outbound.usual)
