/**
 * The members of a shape.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"

/** Members that may be left out. */
export const optional = <const Fields extends Readonly<Record<string, Schema.Constraint>>>(
  fields: Fields,
) => Struct.map(fields, Schema.optionalKey)
