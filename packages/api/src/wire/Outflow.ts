/**
 * Outgoing money on the wire as the operator sees it: payouts as in the partner's API, refunds, returns, and the
 * operator's own money.
 *
 * @module
 */
import * as Domain from "@florin/core/domain/list/Payout"
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import * as Mode from "./Mode.ts"
import * as Pages from "./Page.ts"
import * as Payout from "./Payout.ts"
import * as Text from "./Text.ts"

export const outflowId = Text.payoutId.annotate({ description: "The id of the outflow, out_…" })

const Moved = Schema.Struct({
  txId: Text.plain("The hash of the transaction"),
  arrived: Amount.Quantity.annotateKey({ description: "What the destination received" }),
  left: Amount.Quantity.annotateKey({ description: "What left the account of the service" }),
  transfers: Schema.Array(
    Schema.Struct({ to: Text.account, amount: Amount.Quantity }).annotate({
      identifier: "MovedTransfer",
    }),
  ),
}).annotate({ identifier: "MovedOtherwise" })

/** An outflow without the shares of a payout, because it may have many. */
export interface Listed extends Schema.Schema.Type<typeof Listed> {}
export const Listed = Schema.Struct({
  ...Payout.Payout.fields,
  mode: Mode.mode,
  partnerId: Schema.NullOr(Text.partnerId).annotate({
    description: "Null if the money belongs to no partner",
  }),
  purpose: Domain.Purpose.annotate({ identifier: "OutflowPurpose" }),
  from: Text.account.annotate({ description: "The account of the service that sends it" }),
  lastTxId: Schema.NullOr(Schema.String).annotate({
    description:
      "The hash of its newest transaction, also before that is final; null if none is signed",
  }),
  blockNumber: Schema.NullOr(Schema.Int).annotate({
    description: "The block of its final transfer; null until that is final",
  }),
  missingSince: Schema.NullOr(Text.dateTime).annotate({
    description: "Since when the chain lacks its final transfer; null if it does not",
  }),
  reverts: Schema.Int.annotate({ description: "How many of its transactions reverted" }),
  problem: Schema.NullOr(
    Schema.Struct({
      message: Text.plain("What was found, and what to do"),
      movedOtherwise: Schema.Boolean.annotate({
        description:
          "Whether its transaction moved something other than the amount, so that it is accepted or released, not retried",
      }),
      since: Text.dateTime,
      moved: Schema.NullOr(Moved).annotate({
        description:
          "What its transaction moved instead of the amount; null if it did not, or if the chain does not report it",
      }),
    }).annotate({ identifier: "OutflowProblem" }),
  ).annotate({ description: "Why it waits or is held; null if nothing is in its way" }),
  paymentId: Schema.NullOr(Text.paymentId).annotate({
    description: "The payment of a refund or a return; null for others",
  }),
  inflowId: Schema.NullOr(Text.inflowId).annotate({
    description: "The unclaimed transfer that it returns; null for others",
  }),
}).annotate({ identifier: "ListedOutflow" })

export interface Page extends Schema.Schema.Type<typeof Page> {}
export const Page = Pages.of(Listed, "OutflowPage")

export interface Outflow extends Schema.Schema.Type<typeof Outflow> {}
export const Outflow = Schema.Struct({
  ...Payout.Details.fields,
  ...Listed.fields,
}).annotate({ identifier: "Outflow" })

export interface Short extends Schema.Schema.Type<typeof Short> {}
export const Short = Schema.Struct({
  short: Schema.Array(
    Schema.Struct({
      outflow: Outflow,
      missing: Amount.Quantity.annotateKey({ description: "How much its account lacks" }),
    }).annotate({ identifier: "ShortOutflow" }),
  ),
}).annotate({ identifier: "ShortOutflows" })

export const Retried = Schema.Struct({
  outflows: Schema.Array(
    Schema.Struct({
      outflowId,
      isRetried: Schema.Boolean.annotate({
        description: "False if it stays held, or if it is not held anymore",
      }),
      paymentIds: Schema.Array(Text.paymentId),
    }).annotate({ identifier: "RetriedOutflow" }),
  ),
}).annotate({ identifier: "RetriedOutflows" })
