/**
 * Sends calls to the addresses that partners registered.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Webhook from "../domain/notify/Webhook.ts"

/** The call failed. `message` is our own reason, never text from the other side. */
export class CallFailed extends Schema.TaggedError<CallFailed>()("CallFailed", {
  message: Schema.String,
}) {}

export interface Call {
  readonly url: string
  readonly headers: Webhook.Headers
  readonly body: string
}

/**
 * The webhook transport port.
 *
 * An adapter resolves the host, refuses private addresses unless they are allowed, and connects to the very address
 * that it checked. It follows no redirect, reads only the status of a response, and has a timeout.
 */
export class WebhookTransport extends Context.Service<
  WebhookTransport,
  {
    /** Returns the HTTP status. */
    readonly post: (call: Call) => Effect.Effect<number, CallFailed>
  }
>()("@florin/core/ports/WebhookTransport") {
  /** Passes calls to a function instead of the network: for tests. */
  static readonly layerFunction = (post: (call: Call) => number) =>
    Layer.succeed(WebhookTransport, { post: (call) => Effect.sync(() => post(call)) })
}
