/**
 * Traces, metrics and logs to a collector that speaks OTLP, for operators who have one.
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

/** The kind of an error: its message may quote what no other system should keep. */
const kindOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return "Defect"
  if ("_tag" in error && typeof error._tag === "string") return error._tag
  return error instanceof Error ? error.name : "Defect"
}

/** An exit as a span tells it. */
const told = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> => {
  if (Exit.isSuccess(exit)) return Exit.void
  if (Cause.hasInterruptsOnly(exit.cause)) return exit
  const name = kindOf(Cause.squash(exit.cause))
  return Exit.fail({ name, message: name, stack: "" })
}

/** Spans that say which kind of error ended them, and nothing else of it. */
const discreet = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const span = tracer.span(options)
      const end = span.end.bind(span)
      span.end = (endTime, exit) => end(endTime, told(exit))
      return span
    },
  })

/** Sends what happens within it to the collector that is configured, if one is. */
export const layer = ({ otlp, otlpHeaders, role }: Given): Layer.Layer<never> =>
  otlp === null
    ? Layer.empty
    : Layer.unwrap(
        Effect.gen(function* () {
          // Loaded by those who export.
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

/** A trace for each request, which has its Request-Id as logs and the audit log have it. */
export const traced: Layer.Layer<Handler, never, Handler> = Layer.effect(
  Handler,
  Effect.map(Handler, ({ answer, close }) =>
    Handler.of({
      close,
      answer: (incoming) =>
        Effect.withSpan(
          Effect.tap(answer(incoming), ({ headers, status }) =>
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
