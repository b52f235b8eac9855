/**
 * The way out to the addresses that partners gave us.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Webhook from "../domain/Webhook.ts"

/** The call was not answered. `message` is our word for why, never what the other side said. */
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
 * An adapter resolves the host, refuses private addresses unless they are allowed, and connects to the very address it
 * checked. It follows no redirect, reads no more of an answer than its status, and gives up after a time.
 */
export class WebhookTransport extends Context.Service<
  WebhookTransport,
  {
    /** Answers the HTTP status. */
    readonly post: (call: Call) => Effect.Effect<number, CallFailed>
  }
>()("@florin/core/ports/WebhookTransport") {
  /** Hands calls to a function instead of the network: for tests. */
  static readonly layerFunction = (post: (call: Call) => number) =>
    Layer.succeed(WebhookTransport, { post: (call) => Effect.sync(() => post(call)) })
}
