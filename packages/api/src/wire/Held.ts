/**
 * Why an outgoing transfer is held, on the wire: a word, never an account or an error text from a node.
 *
 * @module
 */
import * as Obstacle from "@florin/core/domain/chain/Obstacle"
import * as Schema from "effect/Schema"
import * as Text from "./Text.ts"

export interface Held extends Schema.Schema.Type<typeof Held> {}
export const Held = Schema.Struct({
  reason: Schema.optionalKey(
    Schema.Literals([...Obstacle.heldCodes, "destination"]).annotate({
      description:
        "`payee`: the account cannot be paid in this token. `screening`: screening refuses the account. `moved`: the transaction moved something else. `reverting`: the transaction reverts repeatedly. `lost`: a reorganisation removed the transaction. `destination`: the merchant's share waits until the change of its destination takes effect; then it continues automatically. Absent for money that was held before reasons were recorded",
    }),
  ),
  since: Text.dateTime,
}).annotate({
  identifier: "Held",
  description:
    "Present only while the money is held. The operator has to retry it, unless the reason is `destination`",
})
