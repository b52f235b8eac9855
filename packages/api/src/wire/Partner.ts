/**
 * Partners on the wire, as the operator sees and changes them. Policies and limits are texts, as a person writes them.
 *
 * @module
 */
import * as Version from "@florin/core/domain/ground/Version"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import * as Members from "./Members.ts"
import * as Text from "./Text.ts"

const fixed = Schema.Array(Amount.Quantity).annotate({
  description:
    "A fixed amount for each payment, in minor units of a currency, for each currency at most once. For a payment in none of them, the first one is converted",
  examples: [[{ unit: "iso4217/USD", value: "10" }]],
})
const percentage = Schema.String.annotate({
  description: "A share of the paid amount, in percent",
  examples: ["0.4"],
})
const returned = Schema.Literals(["never", "withRefund"]).annotate({
  description:
    "Whether refunds return the fee in proportion, or never: a refund then takes what the payment's own share lacks from other shares or credit of its merchant",
})
const versionPin = Version.Version.annotate({
  description: "The oldest API version in which the service responds to its calls",
})

export interface Fees extends Schema.Schema.Type<typeof Fees> {}
export const Fees = Schema.Struct({ fixed, percentage, returned }).annotate({ identifier: "Fees" })

/** Fees of which some may be left out. */
export interface FeesRequest extends Schema.Schema.Type<typeof FeesRequest> {}
export const FeesRequest = Schema.Struct(
  Members.optional({ fixed, percentage, returned }),
).annotate({ identifier: "FeesRequest" })

export const payouts = Schema.String.annotate({
  description:
    "When its merchants are paid out: `immediate`, every so many minutes, or earlier from an amount",
  examples: ["15m", "60m/500"],
})
const ofService = { description: "Null: the service's default", [Text.nullWord]: "default" }

/** Null if the service's default applies. */
export const credit = Schema.NullOr(
  Schema.String.annotate({
    description:
      "What its merchants may owe after refunds of money that they had received: amounts of currencies, `unlimited` or `none`",
    examples: ["1000 USD", "1000 USD, 500 EUR"],
  }),
).annotate(ofService)

const secondPerson = Schema.Boolean.annotate({
  description:
    "Whether a second person of the partner must approve changes of settlement destinations and new keys. Give its first two people keys or sign-in links yourself: a person that one of them invites counts as that one",
})

const limits = Record.map(PartnerLimits.table, ({ description, example }) =>
  Schema.NullOr(Schema.String.annotate({ description, examples: [example] })),
)
const netsMerchants = Schema.Boolean.annotate({
  description:
    "Whether a refund is also paid from the open shares of its other merchants that have a settlement destination",
})

const Limits = Schema.Struct({
  ...limits,
  netsMerchants,
}).annotate({ identifier: "PartnerLimits" })

/** Changes of limits: null removes one, and what is left out stays. */
export interface LimitsRequest extends Schema.Schema.Type<typeof LimitsRequest> {}
export const LimitsRequest = Schema.Struct({
  ...Record.map(limits, (each) => Schema.optionalKey(each)),
  netsMerchants: Schema.optionalKey(netsMerchants),
}).annotate({ identifier: "PartnerLimitsRequest" })

export const partnerId = Text.partnerId.annotate({ description: "The partner's id" })

export interface Partner extends Schema.Schema.Type<typeof Partner> {}
export const Partner = Schema.Struct({
  id: partnerId,
  name: Schema.String,
  versionPin,
  fees: Fees,
  payouts: Schema.NullOr(payouts).annotate(ofService),
  credit: Schema.Struct({ test: credit, live: credit }),
  limits: Schema.Struct({ test: Limits, live: Limits }),
  secondPerson,
  suspendedAt: Schema.NullOr(Text.dateTime),
  frozenAt: Schema.NullOr(Text.dateTime),
}).annotate({ identifier: "Partner" })

export interface List extends Schema.Schema.Type<typeof List> {}
export const List = Schema.Struct({ partners: Schema.Array(Partner) }).annotate({
  identifier: "PartnerList",
})

/** A name that looks like another one. */
export const Namesake = Schema.Struct({
  partnerId: Text.partnerId,
  merchantId: Schema.NullOr(Text.merchantId).annotate({
    description: "Null if it is the partner's own name",
  }),
  name: Schema.String,
}).annotate({ identifier: "Namesake" })

export interface Resembling extends Schema.Schema.Type<typeof Resembling> {}
export const Resembling = Schema.Struct({
  resembles: Schema.Array(Namesake).annotate({
    description: "Other partners, and their merchants, whose names it looks like",
  }),
}).annotate({ identifier: "ResemblingNames" })

const settings = {
  ...Members.optional({
    versionPin,
    fees: FeesRequest,
    payouts: Schema.NullOr(payouts).annotate(ofService),
    credit: Schema.Struct({
      test: Schema.optionalKey(credit),
      live: Schema.optionalKey(credit),
    }),
    limits: Schema.Struct({
      test: Schema.optionalKey(LimitsRequest),
      live: Schema.optionalKey(LimitsRequest),
    }),
  }),
}

export interface CreateRequest extends Schema.Schema.Type<typeof CreateRequest> {}
export const CreateRequest = Schema.Struct({
  name: Schema.String.annotate({
    description: "The partner's name. Only the operator sees it",
    examples: ["Corner Payments"],
  }),
  ...settings,
}).annotate({ identifier: "CreatePartnerRequest" })

export const EnsureRequest = Schema.Struct({
  ...CreateRequest.fields,
  key: Schema.optionalKey(
    Text.plain("Your own identifier for the partner, which never changes. Default: its name"),
  ),
}).annotate({ identifier: "EnsurePartnerRequest" })

export interface ChangeRequest extends Schema.Schema.Type<typeof ChangeRequest> {}
export const ChangeRequest = Schema.Struct({
  name: Schema.optionalKey(Text.plain("The new name")),
  secondPerson: Schema.optionalKey(secondPerson),
  ...settings,
}).annotate({ identifier: "ChangePartnerRequest" })
