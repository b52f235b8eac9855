/**
 * What needs the operator, on the wire.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Text from "./Text.ts"

const needsAttention = Schema.Boolean.annotate({
  description:
    "Whether a person must act. Other findings resolve by themselves, or may be intended",
})
const parts = (description: string) => Schema.Array(Schema.String).annotate({ description })

export interface Status extends Schema.Schema.Type<typeof Status> {}
export const Status = Schema.Struct({
  at: Text.dateTime,
  needsAttention,
  findings: Schema.Array(
    Schema.Struct({
      finding: Schema.String.annotate({ description: "Its name", examples: ["chain_halted"] }),
      needsAttention,
      message: Schema.String.annotate({ description: "What was found, where, and since when" }),
      commands: Schema.Array(Schema.String).annotate({
        description: "The commands that help. The last one decides",
      }),
      details: Schema.JsonObject.annotate({ description: "The same as data" }),
    }).annotate({ identifier: "Finding" }),
  ).annotate({
    description: "Those that need a person come first, and live money before test money",
  }),
  fine: parts("The parts that were read and have no findings"),
  skipped: parts("The parts that were not read"),
}).annotate({ identifier: "Status" })
