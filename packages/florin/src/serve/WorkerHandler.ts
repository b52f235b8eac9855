/**
 * The HTTP handler of a process that only runs workers: it responds to liveness and readiness checks. Every other call
 * gets an error, which shows a load balancer that sends them by mistake.
 *
 * @module
 */
import { Handler } from "@florin/server/Handler"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const paths: ReadonlyArray<string> = ["/healthz", "/readyz"]

/** A path that does not exist: the handler refuses and logs it, as any other unknown path. */
const nowhere = "nowhere"

const message = `this process runs workers (--role worker) and serves only ${paths.join(" and ")}: send calls to a process with --role api`

/** Wraps the handler of all paths. */
export const layer: Layer.Layer<Handler, never, Handler> = Layer.effect(
  Handler,
  Effect.map(Effect.service(Handler), ({ respond, close }) =>
    Handler.of({
      close,
      respond: (incoming) =>
        paths.includes(incoming.path)
          ? respond(incoming)
          : Effect.map(respond({ ...incoming, path: nowhere }), ({ headers, status }) => ({
              status,
              headers,
              body: JSON.stringify({
                code: "not_found",
                message,
                requestId: headers["request-id"],
              }),
            })),
    }),
  ),
)
