/**
 * The port for the operator alone: its API, metrics, and the health of the process. Collectors receive the same figures without
 * a request.
 *
 * @module
 */
import * as NodeListener from "@florin/server/NodeListener"
import * as OperatorHandler from "@florin/server/OperatorHandler"
import * as Scrape from "@florin/server/Scrape"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Settings from "./Settings.ts"

/** How often figures are updated for a collector, which sends no requests. */
const lookEvery = "30 seconds"

const listening = (options: NodeListener.Options) =>
  Effect.gen(function* () {
    const listener = Layer.provide(NodeListener.layer(options), OperatorHandler.layer)
    const { url } = Context.get(yield* Layer.build(listener), NodeListener.NodeListener)
    yield* Effect.logInfo("the operator's port is open").pipe(Effect.annotateLogs({ url }))
  })

const looking = Effect.flatMap(Scrape.make, (look) =>
  Effect.forkScoped(Effect.forever(Effect.delay(look, lookEvery))),
)

/**
 * Listens next to the handler of the public port if such a port is set, and updates figures for a collector if there is
 * one.
 */
export const layer = ({
  operatorHost: host,
  operatorPort: port,
  otlp,
}: Pick<Settings.Values, "operatorHost" | "operatorPort" | "otlp">): Layer.Layer<
  never,
  NodeListener.ListenFailed,
  Layer.Services<typeof OperatorHandler.layer> | Scrape.Ports
> =>
  Layer.merge(
    port === null ? Layer.empty : Layer.effectDiscard(listening({ host, port })),
    otlp === null ? Layer.empty : Layer.effectDiscard(looking),
  )
