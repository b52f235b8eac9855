/**
 * Personal data of payers on the wire.
 *
 * @module
 */
import * as Mode from "@florin/core/domain/ground/Mode"
import * as CollectData from "@florin/core/domain/payment/CollectData"
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import * as Payment from "./Payment.ts"
import * as Text from "./Text.ts"

const Stored = Schema.Struct({
  paymentId: Text.paymentId,
  account: Text.account.annotate({ description: "The payer's account" }),
  deleteAt: Text.dateTime.annotate({ description: "When the service deletes it" }),
  data: Schema.NullOr(CollectData.CollectedData).annotate({
    description:
      "The data as the payer entered it. Null if the vault cannot decrypt it: add its key",
  }),
}).annotate({ identifier: "PersonalData" })

export const List = Schema.Struct({ records: Schema.Array(Stored) }).annotate({
  identifier: "PersonalDataList",
})

export const Export = Schema.Struct({
  records: Schema.Array(
    Schema.Struct({
      ...Stored.fields,
      partnerId: Text.partnerId,
      merchantId: Text.merchantId,
      mode: Mode.Mode,
      referenceId: Schema.String,
      createdAt: Text.dateTime,
      status: Payment.Status,
      amount: Amount.Quantity,
      paidBy: Schema.NullOr(Text.account).annotate({ description: "The account that paid" }),
      paidAmount: Schema.NullOr(Amount.Quantity),
      txId: Schema.NullOr(Schema.String),
    }).annotate({ identifier: "ExportedPersonalData" }),
  ),
}).annotate({ identifier: "PersonalDataExport" })

const of = Schema.String.annotate({
  description: "A payment (pay_…), or an account in all its payments (eip155:8453:0x…)",
  examples: ["eip155:8453:0x2222222222222222222222222222222222222222"],
})

export const query = { of } as const

export const EraseRequest = Schema.Struct({ of }).annotate({
  identifier: "ErasePersonalDataRequest",
})

export const Erased = Schema.Struct({
  erased: Schema.Int.annotate({ description: "The number of erased records" }),
}).annotate({ identifier: "ErasedPersonalData" })
