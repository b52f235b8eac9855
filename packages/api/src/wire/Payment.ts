/**
 * Payments on the wire, as payers and partners see them.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as PaymentState from "@florin/core/domain/payment/PaymentState"
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import * as Held from "./Held.ts"
import * as Members from "./Members.ts"
import * as Option from "./Option.ts"
import * as Payout from "./Payout.ts"
import * as Refund from "./Refund.ts"
import * as Text from "./Text.ts"

export const Status = PaymentState.Status.annotate({ identifier: "PaymentStatus" })

export const failureCodes = ["declined_user"] as const
const FailureCode = Schema.NullOr(Schema.Literals(failureCodes))

/** The account that pays, and its wallet. */
export interface Buyer extends Schema.Schema.Type<typeof Buyer> {}
export const Buyer = Schema.Struct({
  accountCaip10: Text.account.annotate({ description: "A CAIP-10 account" }),
  accountProviderName: Text.plain("The wallet"),
  accountProviderIcon: Text.plain("An icon of the wallet, or of wallets in general"),
}).annotate({ identifier: "Buyer" })

/** A line of the order, as payers see it. */
export interface ShownLineItem extends Schema.Schema.Type<typeof ShownLineItem> {}
export const ShownLineItem = Schema.Struct({
  name: Schema.String,
  quantity: Schema.Int,
  amount: Schema.optionalKey(Amount.Amount),
}).annotate({ identifier: "ShownLineItem" })

/** What the merchant says about a payment. */
const description = Schema.optionalKey(Text.plain("The purpose of the payment, as plain text"))
const lineItems = Schema.optionalKey(Schema.Array(ShownLineItem))

/** What a payer sees of a payment before paying it. */
export interface Info extends Schema.Schema.Type<typeof Info> {}
export const Info = Schema.Struct({
  amount: Amount.Amount,
  buyer: Schema.NullOr(Buyer),
  expiresAt: Schema.Int.annotate({ format: "int64", description: "Unix seconds" }),
  merchant: Schema.Struct({
    name: Schema.String,
    iconUrl: Schema.optionalKey(Schema.String),
    brandColor: Schema.optionalKey(Text.plain("The color of the merchant's brand: `#1f6feb`")),
    supportEmail: Schema.optionalKey(Schema.String),
    supportUrl: Schema.optionalKey(Schema.String),
  }),
  description,
  lineItems,
  status: Status,
}).annotate({ identifier: "PaymentInfo" })

export interface OptionsResponse extends Schema.Schema.Type<typeof OptionsResponse> {}
export const OptionsResponse = Schema.Struct({
  options: Schema.NullOr(Schema.Array(Option.PaymentOption)).annotate({
    description: "Null if the payment accepts no options any more; empty if no account can pay",
  }),
  collectData: Schema.optionalKey(Option.CollectData),
  info: Schema.optionalKey(Info),
}).annotate({ identifier: "OptionsResponse" })

const Paid = Schema.NullOr(
  Schema.Struct({
    optionAmount: Amount.Amount,
    txId: Text.plain("The hash of the transaction that paid"),
  }).annotate({
    identifier: "PaidInfo",
  }),
)

const isFinal = Schema.Boolean.annotate({ description: "Whether the status is final" })

const pollInMs = Schema.optionalKey(
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
    format: "int64",
    description: "Milliseconds to wait before the next call; absent if the status is final",
  }),
)

export interface ConfirmResponse extends Schema.Schema.Type<typeof ConfirmResponse> {}
export const ConfirmResponse = Schema.Struct({
  status: Status,
  isFinal,
  pollInMs,
  info: Paid.annotateKey({ description: "Present only if the payment succeeded" }),
}).annotate({ identifier: "ConfirmResponse" })

export const failureCode = Schema.optionalKey(
  FailureCode.annotate({ description: "Present only if the payment failed" }),
)

export interface StatusResponse extends Schema.Schema.Type<typeof StatusResponse> {}
export const StatusResponse = Schema.Struct({
  ...ConfirmResponse.fields,
  failureCode,
}).annotate({ identifier: "StatusResponse" })

/** The URLs to which the payer's browser goes afterwards. */
export const Checkout = Schema.Struct({
  successUrl: Schema.String.annotate({ format: "uri", examples: ["https://shop.example/thanks"] }),
  errorUrl: Schema.String.annotate({ format: "uri", examples: ["https://shop.example/sorry"] }),
}).annotate({ identifier: "Checkout" })

/** Data that a partner stores with a payment, for itself. */
export type Metadata = typeof Metadata.Type
export const Metadata = Schema.Record(
  Schema.String,
  Schema.String.annotate({ message: "every value must be text" }).check(
    Schema.isMaxCodePoints(Limits.metadataValueMaxLength),
  ),
)
  .check(
    Schema.isMaxProperties(Limits.metadataEntriesMax),
    Schema.isPropertyNames(
      Schema.String.check(
        Schema.isMinCodePoints(1),
        Schema.isMaxCodePoints(Limits.metadataKeyMaxLength),
      ),
    ),
  )
  .annotate({
    identifier: "Metadata",
    description:
      "Your own key–value pairs of text. They are stored and returned unchanged, and never shown to the payer. U+0000 and unpaired surrogates are not allowed",
    examples: [{ cart: "6735" }],
  })

/** A line of the order, as it is sent. */
export const LineItem = Schema.Struct({
  name: Schema.String.check(
    Schema.isMinCodePoints(1),
    Schema.isMaxCodePoints(Limits.lineItemNameMaxLength),
  ).annotate({ examples: ["Coffee beans"] }),
  ...Members.optional({
    quantity: Schema.Int.check(
      Schema.isBetween({ minimum: 1, maximum: Limits.lineItemQuantityMax }),
    ).annotate({ description: "1 by default" }),
    amount: Amount.Quantity.annotate({
      description: "The amount of the whole line, in the same unit as the payment's amount",
    }),
  }),
}).annotate({ identifier: "LineItem" })

export interface CreateRequest extends Schema.Schema.Type<typeof CreateRequest> {}
export const CreateRequest = Schema.Struct({
  referenceId: Schema.String.check(
    Schema.isMinCodePoints(1, { message: "must not be empty" }),
    Schema.isMaxCodePoints(Limits.referenceIdMaxLength, {
      message: `must have at most ${Limits.referenceIdMaxLength} characters`,
    }),
  ).annotate({ description: "The merchant's own reference", examples: ["ORDER-7"] }),
  amount: Amount.Quantity,
  ...Members.optional({
    expiresAt: Schema.Int.annotate({
      format: "int64",
      description: `Unix seconds in the future, at most ${Limits.paymentLifeMaxInS} seconds from now; by default ${Limits.paymentLifeDefaultInS} seconds from now`,
    }),
    merchantId: Text.merchantId.annotate({
      description:
        "The merchant that is paid, if there is no Merchant-Id header. If both are missing, it is the partner's only active merchant",
    }),
    checkout: Checkout,
    metadata: Metadata,
    description: Schema.String.check(
      Schema.isMinCodePoints(1),
      Schema.isMaxCodePoints(Limits.descriptionMaxLength),
    ).annotate({
      description: "The purpose of the payment. The checkout shows it as plain text",
      examples: ["Two bags of coffee"],
    }),
    lineItems: Schema.Array(LineItem).check(Schema.isMaxLength(Limits.lineItemsMax)).annotate({
      description:
        "The lines of the order. The checkout shows them, and the service does not add them up: the payer pays `amount`, which may include taxes, shipping or a discount",
    }),
  }),
}).annotate({ identifier: "CreatePaymentRequest" })

export interface Created extends Schema.Schema.Type<typeof Created> {}
export const Created = Schema.Struct({
  paymentId: Text.paymentId,
  status: Status,
  expiresAt: Schema.Int.annotate({ format: "int64", description: "Unix seconds" }),
  isFinal,
  pollInMs,
  gatewayUrl: Text.plain("The payment link"),
  metadata: Metadata,
  description,
  lineItems,
}).annotate({ identifier: "CreatedPayment" })

export interface Cancelled extends Schema.Schema.Type<typeof Cancelled> {}
export const Cancelled = Schema.Struct({
  paymentId: Text.paymentId,
  status: Schema.Literal("cancelled"),
  cancelledReason: Schema.Literals(["cancelled_by_user", "cancelled_by_merchant"]),
  cancelledAt: Text.dateTime,
}).annotate({ identifier: "CancelledPayment" })

const MerchantOf = Schema.Struct({
  id: Text.merchantId,
  name: Schema.String,
  iconUrl: Schema.optionalKey(Schema.String),
})

const refunded = Schema.optionalKey(Amount.Amount).annotateKey({
  description: "The sum of its refunds, sent or not yet, in the paid token",
})

export interface Details extends Schema.Schema.Type<typeof Details> {}
export const Details = Schema.Struct({
  paymentId: Text.paymentId,
  referenceId: Schema.String,
  metadata: Metadata,
  description,
  lineItems,
  ...StatusResponse.fields,
  settlement: Schema.NullOr(
    Schema.Struct({
      successful: Schema.Struct({ txId: Schema.String, amount: Amount.Quantity }),
    }).annotate({ identifier: "Settled" }),
  ).annotateKey({ description: "Null until the merchant is paid" }),
  settlementHeld: Schema.optionalKey(Held.Held),
  payout: Schema.optionalKey(Payout.SharePayout),
  refund: Schema.optionalKey(Refund.Refund).annotateKey({
    description: "The refund that was requested last",
  }),
  refunds: Schema.optionalKey(Schema.Array(Refund.Refund)).annotateKey({
    description: "All refunds, oldest first",
  }),
  refunded,
  merchant: MerchantOf,
  amount: Amount.Amount,
  buyer: Schema.NullOr(Buyer).annotateKey({ description: "Null until the payment is confirmed" }),
  gatewayUrl: Created.fields.gatewayUrl,
  expiresAt: Created.fields.expiresAt,
  createdAt: Text.dateTime,
  cancelledReason: Schema.optionalKey(Cancelled.fields.cancelledReason),
  cancelledAt: Schema.optionalKey(Text.dateTime),
}).annotate({ identifier: "PaymentDetails" })

export interface Item extends Schema.Schema.Type<typeof Item> {}
export const Item = Schema.Struct({
  paymentId: Text.paymentId,
  merchant: MerchantOf,
  referenceId: Schema.String,
  metadata: Metadata,
  status: Status,
  isTerminal: isFinal,
  fiatAmount: Schema.optionalKey(Amount.Amount),
  tokenAmount: Schema.optionalKey(Amount.Amount),
  buyer: Schema.optionalKey(Buyer),
  transaction: Schema.optionalKey(
    Schema.Struct({
      networkId: Text.plain("The chain id, as the filter `network` takes it"),
      hash: Schema.String,
      nonce: Schema.Int.annotate({ format: "int64" }),
    }),
  ),
  settlement: Schema.Struct({
    settled: Schema.Boolean,
    amount: Schema.optionalKey(Amount.Amount),
    txHash: Schema.optionalKey(Schema.String),
  }),
  payout: Schema.optionalKey(Payout.SharePayout),
  refund: Schema.optionalKey(Refund.Refund),
  refunded,
  fees: Schema.optionalKey(
    Schema.Struct({
      total: Amount.Amount,
      fixed: Amount.Amount,
      percentage: Text.plain("In percent: `0.4` means 0.4 %"),
    }),
  ),
  createdAt: Text.dateTime,
  lastUpdatedAt: Text.dateTime,
  settledAt: Schema.optionalKey(Text.dateTime),
}).annotate({ identifier: "PaymentItem" })

const Revenue = Schema.Struct({
  amount: Schema.Finite.annotate({ description: "In the currency's main unit: 12.34" }),
  currency: Schema.String,
}).annotate({ identifier: "Revenue" })

const Stats = Schema.Struct({
  totalRevenue: Schema.Array(Revenue).annotateKey({
    description:
      "Gross: the requested amounts of succeeded payments, before fees, including payments that were refunded later",
  }),
  totalRefunded: Schema.Array(Revenue).annotateKey({
    description:
      "The part of `totalRevenue` of which a refund was requested, sent or not yet, in the same currencies",
  }),
  netRevenue: Schema.Array(Revenue).annotateKey({
    description: "Net of refunds: `totalRevenue` less `totalRefunded`, before fees",
  }),
  totalTransactions: Schema.Int.annotate({ format: "int64" }),
  totalCustomers: Schema.Int.annotate({
    format: "int64",
    description: "The number of different accounts that paid",
  }),
}).annotate({ identifier: "PaymentStats" })

export interface Page extends Schema.Schema.Type<typeof Page> {}
export const Page = Schema.Struct({
  data: Schema.Array(Item),
  nextCursor: Schema.NullOr(Schema.String),
  stats: Stats.annotateKey({
    description: "Counts everything that matches the filters, not only this page",
  }),
}).annotate({ identifier: "PaymentPage" })

/** What the payments of a part of statistics come to. */
const counts = {
  payments: Schema.Int.annotate({
    format: "int64",
    description: "The number of payments that were created",
  }),
  succeeded: Schema.Int.annotate({ format: "int64", description: "How many of them succeeded" }),
  revenue: Schema.Array(
    Schema.Struct({
      gross: Amount.Quantity.annotateKey({
        description: "The requested amounts of those that succeeded, before fees",
      }),
      refunded: Amount.Quantity.annotateKey({
        description: "The part of it of which a refund was requested, sent or not yet",
      }),
      net: Amount.Quantity.annotateKey({ description: "The rest" }),
    }).annotate({ identifier: "RevenueOfUnit" }),
  ).annotate({ description: "One for each unit. Units are never added up" }),
}

export interface Statistics extends Schema.Schema.Type<typeof Statistics> {}
export const Statistics = Schema.Struct({
  buckets: Schema.Array(
    Schema.Struct({
      startTs: Text.dateTime,
      endTs: Text.dateTime.annotate({ description: "The start of the next one" }),
      ...counts,
    }).annotate({ identifier: "StatisticsBucket" }),
  ).annotate({
    description:
      "Every day, week or month, oldest first, also those without payments. A payment counts when it was created",
  }),
  statuses: Schema.Array(
    Schema.Struct({ status: Status, payments: counts.payments }).annotate({
      identifier: "StatisticsStatus",
    }),
  ).annotate({ description: "How many payments have which status now, for the whole time" }),
  tokens: Schema.Array(
    Schema.Struct({
      unit: Schema.NullOr(Text.tokenUnit).annotate({
        description: "The token that was paid or requested; null while the payer may choose",
      }),
      ...counts,
    }).annotate({ identifier: "StatisticsToken" }),
  ).annotate({ description: "By token, for the whole time, the one with the most payments first" }),
  timeToSuccess: Schema.Array(
    Schema.Struct({
      upToMs: Schema.NullOr(Schema.Int).annotate({
        description: "The longest time of this class, in milliseconds; null if it has no end",
      }),
      payments: counts.payments,
    }).annotate({ identifier: "StatisticsTime" }),
  ).annotate({
    description: "How long it took from the creation of a payment until it succeeded, in classes",
  }),
  units: Schema.Array(
    Schema.Struct({ unit: Text.unit, display: Amount.Display }).annotate({
      identifier: "StatisticsUnit",
    }),
  ).annotate({ description: "The display data of each unit above" }),
}).annotate({ identifier: "PaymentStatistics" })
