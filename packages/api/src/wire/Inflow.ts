/**
 * Unclaimed money on the wire: transfers to the service's accounts that no payment claimed.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Amount from "./Amount.ts"
import * as Mode from "./Mode.ts"
import * as Text from "./Text.ts"

const states = {
  suspended: "it waits for a decision",
  taken: "a payment took it",
  returning: "an outflow returns it",
  funded: "it was recorded as your own money",
  gone: "a reorganisation removed it",
} as const

export const inflowId = Text.inflowId.annotate({ description: "The id of the unclaimed transfer" })

export interface Inflow extends Schema.Schema.Type<typeof Inflow> {}
export const Inflow = Schema.Struct({
  id: inflowId,
  mode: Mode.mode,
  state: Schema.Literals(Struct.keys(states)).annotate({
    identifier: "InflowState",
    description: Text.meanings(states),
  }),
  obstacle: Schema.NullOr(Schema.String).annotate({
    description: "Why it cannot be returned; null if it can",
  }),
  amount: Amount.Amount,
  from: Text.account.annotate({ description: "The account that sent it" }),
  to: Text.account.annotate({ description: "The account of the service that received it" }),
  txId: Text.plain("The hash of its transaction"),
  paymentId: Schema.NullOr(Text.paymentId).annotate({
    description: "The payment for which its payer reported it; null if nobody did",
  }),
  foundAt: Text.dateTime,
}).annotate({ identifier: "Inflow" })

export interface List extends Schema.Schema.Type<typeof List> {}
export const List = Schema.Struct({
  inflows: Schema.Array(Inflow),
  others: Schema.Array(
    Schema.Struct({
      mode: Mode.mode,
      count: Schema.Int.annotate({ description: "The number of these transfers" }),
      amount: Amount.Amount,
    }).annotate({ identifier: "InflowSum" }),
  ).annotate({
    description:
      "The transfers that are not in the list, as a sum for each token: smaller than one unit, or more than 200 of a token",
  }),
}).annotate({ identifier: "InflowList" })

export interface Brought extends Schema.Schema.Type<typeof Brought> {}
export const Brought = Schema.Struct({ inflows: Schema.Array(Inflow) }).annotate({
  identifier: "InflowsOfTransaction",
})
