/**
 * Pages of lists on the wire.
 *
 * @module
 */
import * as Schema from "effect/Schema"

/** A page of items, and the cursor of the next one. */
export const of = <S extends Schema.Constraint>(item: S, identifier: string) =>
  Schema.Struct({
    data: Schema.Array(item),
    nextCursor: Schema.NullOr(Schema.String),
  }).annotate({ identifier })
