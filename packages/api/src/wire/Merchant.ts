/**
 * Merchants on the wire.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as Domain from "@florin/core/domain/partner/Merchant"
import * as Schema from "effect/Schema"
import * as Members from "./Members.ts"
import * as Partner from "./Partner.ts"
import * as Settlement from "./Settlement.ts"
import * as Text from "./Text.ts"

export interface Merchant extends Schema.Schema.Type<typeof Merchant> {}
export const Merchant = Schema.Struct({
  id: Text.merchantId,
  name: Schema.String,
  email: Schema.String,
  iconUrl: Schema.NullOr(Schema.String),
  brandColor: Schema.NullOr(Schema.String).annotate({
    description: "The color of the merchant's brand on its payments' pages: `#1f6feb`",
  }),
  supportEmail: Schema.NullOr(Schema.String),
  supportUrl: Schema.NullOr(Schema.String),
  checkoutOrigins: Schema.Array(Schema.String).annotate({
    description: "The origins whose pages may show the merchant's checkout in a frame",
  }),
  status: Domain.Status.annotate({ identifier: "MerchantStatus" }),
  createdAt: Text.dateTime,
}).annotate({ identifier: "Merchant" })

/** A merchant, and the destinations of its money. */
export interface Profile extends Schema.Schema.Type<typeof Profile> {}
export const Profile = Schema.Struct({
  ...Merchant.fields,
  settlements: Settlement.Settlements,
}).annotate({ identifier: "MerchantProfile" })

const upTo = (max: number) =>
  Schema.isMaxCodePoints(max, { message: `must have at most ${max} characters` })
const merchantName = Schema.String.check(
  Schema.isMinCodePoints(1, { message: "must not be empty" }),
  upTo(Limits.merchantNameMaxLength),
).annotate({ description: "The name that payers see", examples: ["Corner Shop"] })
const email = Schema.String.check(upTo(Limits.merchantEmailMaxLength))
const merchantEmail = email.annotate({
  format: "email",
  description: "The email address of the merchant",
  examples: ["shop@example.com"],
})
const url = Schema.String.check(upTo(Limits.urlMaxLength))

/** A member that a change unsets with null. */
const removable = <S extends Schema.Constraint>(schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema))

const face = {
  iconUrl: removable(
    url.annotate({
      format: "uri",
      description: "The URL of the icon, https only; null removes it",
      examples: ["https://shop.example/icon.png"],
    }),
  ),
  brandColor: removable(
    Schema.String.annotate({
      pattern: "^#[0-9A-Fa-f]{6}$",
      description:
        "The color of the brand. The pages use it for buttons and links, in shades that people can read; null removes it",
      examples: ["#1f6feb"],
    }),
  ),
  supportEmail: removable(
    email.annotate({
      format: "email",
      description: "Where payers get help; the pages show it. Null removes it",
      examples: ["help@shop.example"],
    }),
  ),
  supportUrl: removable(
    url.annotate({
      format: "uri",
      description:
        "A page where payers get help; the pages link to it. https only; null removes it",
      examples: ["https://shop.example/help"],
    }),
  ),
  checkoutOrigins: removable(
    Schema.Array(Text.plain("An origin on https, or `http://localhost` for a test merchant"))
      .check(Schema.isMaxLength(Limits.checkoutOriginsMax))
      .annotate({
        description:
          "The origins whose pages may show the merchant's checkout in a frame. The list replaces the earlier one; null or an empty list removes it",
        examples: [["https://shop.example"]],
      }),
  ),
}

export interface CreateRequest extends Schema.Schema.Type<typeof CreateRequest> {}
export const CreateRequest = Schema.Struct({ merchantName, merchantEmail, ...face }).annotate({
  identifier: "CreateMerchantRequest",
})

export interface UpdateRequest extends Schema.Schema.Type<typeof UpdateRequest> {}
export const UpdateRequest = Schema.Struct({
  merchantName: Schema.optionalKey(merchantName),
  merchantEmail: Schema.optionalKey(merchantEmail),
  ...face,
}).annotate({
  identifier: "UpdateMerchantRequest",
  description: "Send at least one of the members",
})

export interface Response extends Schema.Schema.Type<typeof Response> {}
export const Response = Schema.Struct({ merchant: Merchant }).annotate({
  identifier: "MerchantResponse",
})

export interface ProfileResponse extends Schema.Schema.Type<typeof ProfileResponse> {}
export const ProfileResponse = Schema.Struct({ merchant: Profile }).annotate({
  identifier: "MerchantProfileResponse",
})

export interface Page extends Schema.Schema.Type<typeof Page> {}
export const Page = Schema.Struct({
  merchants: Schema.Array(Merchant),
  totalCount: Schema.Int.annotate({
    format: "int64",
    description: "Counts everything that matches the filters, not only this page",
  }),
  nextCursor: Schema.NullOr(Schema.String),
}).annotate({ identifier: "MerchantPage" })

/** What payers see of a merchant, and what the operator approves. */
const Look = Schema.Struct({
  name: Schema.String,
  iconUrl: Schema.NullOr(Schema.String),
  supportEmail: Schema.NullOr(Schema.String),
  supportUrl: Schema.NullOr(Schema.String),
}).annotate({ identifier: "MerchantLook" })

const terms = {
  fees: Schema.NullOr(Partner.Fees).annotate({ description: "Null: its partner's fees" }),
  payouts: Schema.NullOr(Partner.payouts).annotate({
    description: "Null: its partner's policy",
    [Text.nullWord]: "default",
  }),
}

/** A merchant of any partner, as the operator sees it. */
export interface Owned extends Schema.Schema.Type<typeof Owned> {}
export const Owned = Schema.Struct({
  ...Merchant.fields,
  partnerId: Text.partnerId,
  mode: Mode.Mode,
  ...terms,
  frozenAt: Schema.NullOr(Text.dateTime),
  deletedAt: Schema.NullOr(Text.dateTime),
  waiting: Schema.NullOr(
    Schema.Struct({
      since: Text.dateTime,
      isAlike: Schema.Boolean.annotate({
        description: "Whether the name looked like one of another partner when it was set",
      }),
      approved: Schema.NullOr(Look).annotate({
        description: "The look that payers see meanwhile. Null if nothing was approved yet",
      }),
      takesPayments: Schema.Boolean.annotate({
        description: "Whether it takes live payments before you approve it",
      }),
    }),
  ).annotate({
    description: "Null unless a name, an icon or a support contact waits for your approval",
  }),
}).annotate({ identifier: "OwnedMerchant" })

export interface OwnedProfile extends Schema.Schema.Type<typeof OwnedProfile> {}
export const OwnedProfile = Schema.Struct({
  ...Owned.fields,
  settlements: Settlement.Settlements,
}).annotate({ identifier: "OwnedMerchantProfile" })

export interface OwnedPage extends Schema.Schema.Type<typeof OwnedPage> {}
export const OwnedPage = Schema.Struct({
  merchants: Schema.Array(Owned),
  totalCount: Schema.Int,
  nextCursor: Schema.NullOr(Schema.String),
}).annotate({ identifier: "OwnedMerchantPage" })

export interface WaitingPage extends Schema.Schema.Type<typeof WaitingPage> {}
export const WaitingPage = Schema.Struct({
  merchants: Schema.Array(
    Schema.Struct({
      ...Owned.fields,
      resembles: Schema.Array(
        Schema.Struct({
          partnerId: Text.partnerId,
          merchantId: Schema.NullOr(Text.merchantId).annotate({
            description: "Null if it is the name of the partner itself",
          }),
          name: Schema.String,
        }),
      ).annotate({ description: "Names of other partners that its name looks like now" }),
    }).annotate({ identifier: "WaitingMerchant" }),
  ),
  nextCursor: Schema.NullOr(Schema.String),
}).annotate({ identifier: "WaitingMerchantPage" })

export const ApproveRequest = Schema.Struct({
  name: Look.fields.name,
  iconUrl: Schema.optionalKey(Look.fields.iconUrl),
  supportEmail: Schema.optionalKey(Look.fields.supportEmail),
  supportUrl: Schema.optionalKey(Look.fields.supportUrl),
}).annotate({
  identifier: "ApproveMerchantRequest",
  description:
    "The name, icon and support contact that you saw. Leave out what the merchant does not have",
})

export const OperatorChangeRequest = Schema.Struct(
  Members.optional({
    name: Text.plain("Payers see it. It needs no approval"),
    status: Merchant.fields.status.annotate({
      description: "Only an `active` merchant takes new payments",
    }),
    fees: Schema.NullOr(Partner.FeesRequest).annotate({
      description: "Of future payments. Null: its partner's fees",
      [Text.nullWord]: "default",
    }),
    payouts: terms.payouts,
  }),
).annotate({ identifier: "OperatorChangeMerchantRequest" })
