/**
 * Merchants on the wire.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Domain from "@florin/core/domain/partner/Merchant"
import * as Schema from "effect/Schema"
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
  createdAt: Schema.String.annotate({
    format: "date-time",
    description: "ISO 8601, with milliseconds, in UTC",
  }),
}).annotate({ identifier: "Merchant" })

/** A merchant, and the destinations of its money. */
export interface Profile extends Schema.Schema.Type<typeof Profile> {}
export const Profile = Schema.Struct({
  ...Merchant.fields,
  settlements: Settlement.Settlements,
}).annotate({ identifier: "MerchantProfile" })

const merchantName = Schema.String.check(
  Schema.isMinCodePoints(1, { message: "must not be empty" }),
  Schema.isMaxCodePoints(Limits.merchantNameMaxLength, {
    message: `must have at most ${Limits.merchantNameMaxLength} characters`,
  }),
).annotate({ examples: ["Corner Shop"] })
const email = Schema.String.check(
  Schema.isMaxCodePoints(Limits.merchantEmailMaxLength, {
    message: `must have at most ${Limits.merchantEmailMaxLength} characters`,
  }),
)
const merchantEmail = email.annotate({ format: "email", examples: ["shop@example.com"] })
const url = Schema.String.check(
  Schema.isMaxCodePoints(Limits.urlMaxLength, {
    message: `must have at most ${Limits.urlMaxLength} characters`,
  }),
)

/** The members that a change unsets with null. */
const face = {
  iconUrl: Schema.optionalKey(
    Schema.NullOr(
      url.annotate({
        format: "uri",
        description: "https only; null removes the icon",
        examples: ["https://shop.example/icon.png"],
      }),
    ),
  ),
  brandColor: Schema.optionalKey(
    Schema.NullOr(
      Schema.String.annotate({
        pattern: "^#[0-9A-Fa-f]{6}$",
        description:
          "The color of the brand. The pages use it for buttons and links, in shades that people can read; null removes it",
        examples: ["#1f6feb"],
      }),
    ),
  ),
  supportEmail: Schema.optionalKey(
    Schema.NullOr(
      email.annotate({
        format: "email",
        description: "Where payers get help; the pages show it. Null removes it",
        examples: ["help@shop.example"],
      }),
    ),
  ),
  supportUrl: Schema.optionalKey(
    Schema.NullOr(
      url.annotate({
        format: "uri",
        description:
          "A page where payers get help; the pages link to it. https only; null removes it",
        examples: ["https://shop.example/help"],
      }),
    ),
  ),
  checkoutOrigins: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        Schema.String.annotate({
          description: "An origin on https, or `http://localhost` for a test merchant",
        }),
      )
        .check(Schema.isMaxLength(Limits.checkoutOriginsMax))
        .annotate({
          description:
            "The origins whose pages may show the merchant's checkout in a frame. The list replaces the earlier one; null or an empty list removes it",
          examples: [["https://shop.example"]],
        }),
    ),
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
