/**
 * Text, numbers or bytes that break the rule of their kind. The message says which rule; no code tells the kinds apart,
 * and whoever reads a field of a request reports it as `Invalid`.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

export class Malformed extends Schema.TaggedError<Malformed>()("Malformed", {
  message: Schema.String,
}) {}

export const fail = (message: string): Result.Result<never, Malformed> =>
  Result.fail(new Malformed({ message }))
