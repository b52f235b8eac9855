/**
 * The deny list on the wire.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Text from "./Text.ts"

export interface DenyList extends Schema.Schema.Type<typeof DenyList> {}
export const DenyList = Schema.Struct({
  inForce: Schema.NullOr(Schema.Int).annotate({
    description: "How many addresses the list in force has; null before the first list",
  }),
  refused: Schema.NullOr(
    Schema.Struct({
      digest: Text.plain("Identifies exactly this list"),
      listed: Schema.Int.annotate({ description: "How many addresses it has" }),
      lost: Schema.Array(Schema.String).annotate({
        description: "The addresses of the list in force that it lacks",
      }),
      since: Text.dateTime,
    }).annotate({ identifier: "RefusedDenyList" }),
  ).annotate({ description: "A newer list that waits for you; null if none was refused" }),
}).annotate({ identifier: "DenyList" })

export const ConfirmRequest = Schema.Struct({
  digest: Text.plain("The digest of the refused list that you looked at"),
}).annotate({ identifier: "ConfirmDenyListRequest" })
