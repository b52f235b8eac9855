/**
 * What a process answers that is there for the work alone: whether it lives, and whether it is ready. A balancer that
 * sends it calls by mistake is told so by each of them.
 *
 * @module
 */
import { Handler } from "@florin/server/Handler"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const answered: ReadonlyArray<string> = ["/healthz", "/readyz"]

/** A path that nothing is at: the handler refuses it, and writes it down, as any other. */
const nowhere = "nowhere"

const message = `this process runs workers (--role worker) and serves only ${answered.join(" and ")}: send calls to a process with --role api`

/** Over the handler that answers everything. */
export const layer: Layer.Layer<Handler, never, Handler> = Layer.effect(
  Handler,
  Effect.map(Effect.service(Handler), ({ answer, close }) =>
    Handler.of({
      close,
      answer: (incoming) =>
        answered.includes(incoming.path)
          ? answer(incoming)
          : Effect.map(answer({ ...incoming, path: nowhere }), ({ headers, status }) => ({
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
