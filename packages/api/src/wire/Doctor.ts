/**
 * What should hold before real money moves, on the wire.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Text from "./Text.ts"

const verdicts = {
  ok: "it holds",
  mend: "it must be fixed",
  decide: "it may be intended",
  look: "it could not be checked",
} as const

export interface Checks extends Schema.Schema.Type<typeof Checks> {}
export const Checks = Schema.Struct({
  checks: Schema.Array(
    Schema.Struct({
      item: Schema.String,
      verdict: Schema.Literals(Struct.keys(verdicts)).annotate({
        description: Text.meanings(verdicts),
      }),
      holds: Text.plain("The condition that should hold"),
      seen: Schema.Array(Schema.String).annotate({ description: "What was found" }),
      mend: Text.plain("What to do if it does not hold"),
    }).annotate({ identifier: "Check" }),
  ),
}).annotate({ identifier: "Checks" })
