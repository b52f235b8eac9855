/**
 * The operator's port: the operator's API, metrics, and the health of the process. It is a separate port, so that the
 * public one neither shows what the service owes and holds nor can be asked to change it.
 *
 * @module
 */
import type { Confusables as ConfusablesPort } from "@florin/core/ports/Confusables"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Confusables from "./edge/Confusables.ts"
import { EdgeSettings } from "./edge/EdgeSettings.ts"
import { Handler, type Route } from "./Handler.ts"
import * as Health from "./Health.ts"
import * as Groups from "./operations/Groups.ts"
import type * as Operation from "./operations/Operation.ts"
import * as Console from "./pages/Console.ts"
import * as Page from "./pages/Page.ts"
import * as Scrape from "./Scrape.ts"

const metricsPath = "/metrics"

const metrics = Effect.gen(function* () {
  const context = yield* Effect.context<never>()
  const text = Effect.provideContext(yield* Scrape.text, context)
  return Page.make(metricsPath, () =>
    Effect.map(text, (body) => ({
      status: 200,
      headers: { "content-type": Scrape.contentType, "cache-control": "no-store" },
      body,
    })),
  )
})

const routes = (settings: EdgeSettings["Service"]) =>
  Effect.map(metrics, (page): ReadonlyArray<Route> => [
    ...Groups.operator,
    ...Health.pages,
    page,
    ...Console.make("operator", settings),
  ])

const onlyOperations = Effect.succeed<ReadonlyArray<Route>>(Groups.operator)

/** No browser calls this port from a page of another origin, and a scrape every few seconds is no news. */
const edge = Layer.effect(
  EdgeSettings,
  Effect.map(EdgeSettings, ({ log, ...settings }) => ({
    ...settings,
    apps: new Map(),
    legacyList: false,
    fieldVersionHeaders: [],
    allowedOrigins: [],
    pages: null,
    log:
      log === null
        ? null
        : (line) => {
            if (line.route !== metricsPath) log(line)
          },
  })),
)

type OperatorLayer = Layer.Layer<
  Handler,
  never,
  EdgeSettings | Exclude<Operation.Ports, ConfusablesPort>
>

/** Runs next to the handler of the public port. Closing it closes nothing there. */
const beside = (handler: ReturnType<typeof Handler.layerOf<never, never>>): OperatorLayer =>
  Layer.effect(
    Handler,
    Effect.map(Handler, ({ respond }) => Handler.of({ respond, close: Effect.void })),
  ).pipe(Layer.provide(handler), Layer.provide([edge, Confusables.layer]))

/** The operator's port. */
export const layer: OperatorLayer = beside(Handler.layerOf(routes))

/** The operator's API on a socket that only the operator may open. It needs no key there. */
export const layerTrusted: OperatorLayer = beside(Handler.layerOf(() => onlyOperations, true))
