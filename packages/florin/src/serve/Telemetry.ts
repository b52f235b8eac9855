/**
 * Exports traces, metrics and logs over OTLP, for operators who have a collector.
 *
 * @module
 */
import { Handler } from "@florin/server/Handler"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Tracer from "effect/Tracer"
import type * as Settings from "./Settings.ts"

type Given = Pick<Settings.Values, "otlp" | "otlpHeaders" | "role">

/** The kind of an error. Its message may quote data that no other system should store. */
const kindOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return "Defect"
  if ("_tag" in error && typeof error._tag === "string") return error._tag
  return error instanceof Error ? error.name : "Defect"
}

/** An exit as it appears in a span. */
const withoutDetails = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> => {
  if (Exit.isSuccess(exit)) return Exit.void
  if (Cause.hasInterruptsOnly(exit.cause)) return exit
  const name = kindOf(Cause.squash(exit.cause))
  return Exit.fail({ name, message: name, stack: "" })
}

/** Spans with the kind of error that ended them, and no other details of it. */
const discreet = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const span = tracer.span(options)
      const end = span.end.bind(span)
      span.end = (endTime, exit) => end(endTime, withoutDetails(exit))
      return span
    },
  })

/** Exports the telemetry of everything within it to the configured collector, if there is one. */
export const layer = ({ otlp, otlpHeaders, role }: Given): Layer.Layer<never> =>
  otlp === null
    ? Layer.empty
    : Layer.unwrap(
        Effect.gen(function* () {
          // Loaded only if telemetry is exported.
          const [http, Otlp] = yield* Effect.promise(() =>
            Promise.all([
              import("effect/http/FetchHttpClient"),
              import("effect/observability/Otlp"),
            ]),
          )
          const exporting = Otlp.layerJson({
            baseUrl: Redacted.value(otlp),
            headers: Object.fromEntries(otlpHeaders.map(Redacted.value)),
            resource: { serviceName: "florin", attributes: { "florin.role": role } },
          })
          return Layer.effect(Tracer.Tracer, Effect.map(Tracer.Tracer, discreet)).pipe(
            Layer.provideMerge(exporting),
            Layer.provide(http.layer),
          )
        }),
      )

/** Creates a trace for each request, with the Request-Id that is also in logs and the audit log. */
export const layerTracing: Layer.Layer<Handler, never, Handler> = Layer.effect(
  Handler,
  Effect.map(Handler, ({ respond, close }) =>
    Handler.of({
      close,
      respond: (incoming) =>
        Effect.withSpan(
          Effect.tap(respond(incoming), ({ headers, status }) =>
            Effect.annotateCurrentSpan({
              requestId: headers["request-id"],
              "http.response.status_code": status,
            }),
          ),
          "request",
          { kind: "server", root: true },
        ),
    }),
  ),
)
