/**
 * The operator's own money on the wire.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import * as Mode from "./Mode.ts"
import * as Text from "./Text.ts"

const amount = Amount.Quantity.annotateKey({
  description: "More than 0 of a token on the chain of the account",
})

/** A movement that happened without the service. */
export interface Moved extends Schema.Schema.Type<typeof Moved> {}
export const Moved = Schema.Struct({
  mode: Mode.mode,
  key: Text.plain(
    "The hash of the transaction that moved it, or another text that identifies this movement alone",
  ),
  account: Text.account.annotate({ description: "The account of the service" }),
  amount,
}).annotate({ identifier: "FloatMovement" })

export const Recorded = Schema.Struct({ ...Moved.fields, amount: Amount.Amount }).annotate({
  identifier: "RecordedFloatMovement",
})

/** A transfer that the service is to make. */
export interface SendRequest extends Schema.Schema.Type<typeof SendRequest> {}
export const SendRequest = Schema.Struct({
  mode: Mode.mode,
  from: Text.account.annotate({ description: "The account of the service that sends it" }),
  to: Text.account.annotate({ description: "The account that receives it, on the same chain" }),
  amount,
}).annotate({ identifier: "SendFloatRequest" })
