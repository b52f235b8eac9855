/**
 * Florin in a Fastify app.
 *
 * @example
 * await app.register(florinRoutes(florin))
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Florin } from "../Florin.ts"
import * as NodeListener from "../NodeListener.ts"

/** What Florin uses of Fastify. */
export interface App {
  readonly addHook: {
    (
      name: "onRequest",
      hook: (
        request: { readonly raw: IncomingMessage },
        reply: { readonly raw: ServerResponse },
        done: () => void,
      ) => void,
    ): unknown
    (name: "preClose", hook: () => Promise<void>): unknown
  }
}

/**
 * A plugin that serves the API below the path of `publicUrl` and the checkout at the root. All other requests are the
 * app's. When the app closes, waiting polls get a response immediately, and Florin is disposed of.
 */
export const florinRoutes = (florin: Pick<Florin, "dispose" | "publicUrl" | "run">) => {
  const listener = NodeListener.appListener(florin)
  const plugin = async (app: App): Promise<void> => {
    // A hook sees a request before the app's routes, which would win for `/`, and before its parsers read the body.
    app.addHook("onRequest", ({ raw }, reply, done) => listener(raw, reply.raw, done))
    app.addHook("preClose", florin.dispose)
  }
  // Without this, Fastify would give the hooks only to routes that the plugin itself adds.
  return Object.assign(plugin, { [Symbol.for("skip-override")]: true })
}
