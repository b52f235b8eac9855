/**
 * Why money on its way out is held, on the wire: a word, never an account or what a node said.
 *
 * @module
 */
import * as Obstacle from "@florin/core/domain/Obstacle"
import * as Schema from "effect/Schema"

export interface Held extends Schema.Schema.Type<typeof Held> {}
export const Held = Schema.Struct({
  reason: Schema.optionalKey(
    Schema.Literals([...Obstacle.heldCodes, "destination"]).annotate({
      description:
        "`payee`: the account cannot be paid in this token. `screening`: screening refuses it. `moved`: the transaction moved something else. `reverting`: it reverts again and again. `lost`: a reorganisation took it back. `destination`: the merchant's share waits until the change of its destination takes effect, by itself. Absent if it was held before there were reasons",
    }),
  ),
  since: Schema.String.annotate({
    format: "date-time",
    description: "ISO 8601, with milliseconds, in UTC",
  }),
}).annotate({
  identifier: "Held",
  description:
    "There exactly while the money is held: the operator has to retry it, unless the reason is `destination`",
})
