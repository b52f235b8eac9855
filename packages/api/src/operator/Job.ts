/**
 * Long work of the operator's API. Its response is a stream of server-sent events: progress, and at last the result or
 * why there is none.
 *
 * @module
 */
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Problem from "../Problem.ts"
import * as Text from "../wire/Text.ts"

export interface Progress extends Schema.Schema.Type<typeof Progress> {}
export const Progress = Schema.Struct({
  what: Text.plain("What is worked on"),
  done: Schema.Int,
  of: Schema.Int.annotate({ description: "How many there are" }),
}).annotate({ identifier: "JobProgress" })

/** One event of a job. The last one has the result, or the problem. */
export type Said<A> =
  | { readonly progress: Progress }
  | { readonly result: A }
  | { readonly problem: Problem.Problem }

const said = <S extends Schema.Constraint>(result: S) =>
  Schema.Union([
    Schema.Struct({ progress: Progress }),
    Schema.Struct({ result }),
    Schema.Struct({ problem: Problem.body(Struct.keys(Problem.statuses)) }),
  ])

/** The successful response of a job. */
export const stream = <S extends Schema.Constraint>(result: S) =>
  HttpApiSchema.StreamSse({ events: Schema.Struct({ data: Schema.fromJsonString(said(result)) }) })
