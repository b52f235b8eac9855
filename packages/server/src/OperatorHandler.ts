/**
 * The responses of the operator's port: metrics, and the health of the process. It is a separate port, so that the
 * public one does not show what the service owes and holds.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Exchange from "./Exchange.ts"
import { Handler } from "./Handler.ts"
import * as Scrape from "./Scrape.ts"

const passedOn: ReadonlyArray<string> = ["/healthz", "/readyz"]

const nowhere = Exchange.json(404, {
  code: "not_found",
  message: `this is the operator's port: it serves /metrics, ${passedOn.join(" and ")}`,
})

const notRead = Exchange.json(
  405,
  { code: "method_not_allowed", message: "use GET" },
  { allow: "GET" },
)

/** Runs over the handler of the public port. Closing it closes nothing there. */
export const layer: Layer.Layer<Handler, never, Handler | Scrape.Ports> = Layer.effect(
  Handler,
  Effect.gen(function* () {
    const { respond } = yield* Handler
    const context = yield* Effect.context<never>()
    const text = Effect.provideContext(yield* Scrape.text, context)
    const metrics = Effect.map(text, (body) => ({
      status: 200,
      headers: { "content-type": Scrape.contentType, "cache-control": "no-store" },
      body,
    }))
    return Handler.of({
      close: Effect.void,
      respond: (incoming) => {
        if (passedOn.includes(incoming.path)) return respond(incoming)
        if (incoming.path !== "/metrics") return Effect.succeed(nowhere)
        return incoming.method === "GET" || incoming.method === "HEAD"
          ? metrics
          : Effect.succeed(notRead)
      },
    })
  }),
)
