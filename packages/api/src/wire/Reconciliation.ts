/**
 * The comparison of the ledger with the chains, and of the records with each other, on the wire.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import * as Mode from "./Mode.ts"
import * as Text from "./Text.ts"

export interface Account extends Schema.Schema.Type<typeof Account> {}
export const Account = Schema.Struct({
  mode: Mode.mode,
  account: Text.account.annotate({ description: "An account of the service" }),
  unit: Text.tokenUnit,
  display: Amount.Display,
  ledger: Text.signedQuantity.annotateKey({
    description: "What the ledger says it has, in the smallest unit of the token",
  }),
  onChain: Schema.NullOr(Text.signedQuantity).annotate({
    description: "What it has on the chain; null if the chain is not served",
  }),
}).annotate({ identifier: "ReconciledAccount" })

export interface Contradiction extends Schema.Schema.Type<typeof Contradiction> {}
export const Contradiction = Schema.Struct({
  mode: Mode.mode,
  subject: Text.plain(
    "The id of the payment, payout or partner; `ledger` if it is about no single one",
  ),
  what: Text.plain("What contradicts what"),
}).annotate({ identifier: "Contradiction" })

export interface Reconciliation extends Schema.Schema.Type<typeof Reconciliation> {}
export const Reconciliation = Schema.Struct({
  accounts: Schema.Array(Account).annotate({ description: "Each token on each account" }),
  overdrawn: Schema.Int.annotate({
    description: "Ledger accounts on the wrong side of zero. Only a fault can cause one",
  }),
  records: Schema.NullOr(
    Schema.Struct({
      payments: Schema.Int.annotate({ description: "How many were compared" }),
      count: Schema.Int.annotate({ description: "The number of contradictions" }),
      contradictions: Schema.Array(Contradiction).annotate({ description: "The first 1000" }),
    }).annotate({ identifier: "ReconciledRecords" }),
  ).annotate({ description: "Null unless `depth` is `records`" }),
}).annotate({ identifier: "Reconciliation" })
