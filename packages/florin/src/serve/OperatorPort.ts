/**
 * The port for the operator alone: metrics, and the health of the process.
 *
 * @module
 */
import type { Handler } from "@florin/server/Handler"
import * as NodeListener from "@florin/server/NodeListener"
import * as OperatorHandler from "@florin/server/OperatorHandler"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Settings from "./Settings.ts"

/** Listens if there is such a port, next to the handler of the public one. */
export const layer = ({
  operatorHost: host,
  operatorPort: port,
}: Pick<Settings.Values, "operatorHost" | "operatorPort">): Layer.Layer<
  never,
  NodeListener.ListenFailed,
  Handler | OperatorHandler.Ports
> =>
  port === null
    ? Layer.empty
    : Layer.effectDiscard(
        Effect.gen(function* () {
          const listening = NodeListener.layer({ host, port })
          const built = yield* Layer.build(Layer.provide(listening, OperatorHandler.layer))
          const { url } = Context.get(built, NodeListener.NodeListener)
          yield* Effect.logInfo("metrics are served").pipe(
            Effect.annotateLogs({ url: `${url}/metrics` }),
          )
        }),
      )
