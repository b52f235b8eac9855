/**
 * The headers of a request, and which calls need them. Names are in lower case here, as HTTP ignores their case. The
 * OpenAPI document spells them as people do.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Version from "@florin/core/domain/ground/Version"
import * as Schema from "effect/Schema"
import * as Text from "./wire/Text.ts"

const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

/** Accepted on every call. `Api-Key` itself is the security scheme. */
export const common = {
  "svc-version": Schema.optionalKey(
    Version.Version.annotate({
      description: "The API version. The default is the version to which the caller is pinned",
    }),
  ),
  "app-id": text("Not checked if an Api-Key is sent"),
  "client-id": text("Not checked if an Api-Key is sent"),
  "sdk-name": text("For the service's logs only"),
  "sdk-version": text("For the service's logs only"),
  "sdk-platform": text("For the service's logs only"),
} as const

const merchantId = Text.merchantId.annotate({ description: "The id of the merchant" })
const idempotencyKey = Schema.String.check(
  Schema.isMinLength(1, { message: "must not be empty" }),
  Schema.isMaxLength(Limits.idempotencyKeyMaxLength, {
    message: `must have at most ${Limits.idempotencyKeyMaxLength} characters`,
  }),
).annotate({
  description:
    "A unique key for each new object: a retry with the same key does not create a second one",
})

/** For calls that need no merchant. If one is named, the call covers only its payments. */
export const partner = { ...common, "merchant-id": Schema.optionalKey(merchantId) } as const

/** For a call that the operator may allow to legacy clients. */
export const legacy = {
  ...common,
  "x-api-key": text("Instead of Api-Key, if the operator allows it"),
} as const

/** For reads of payments. The idempotency key is accepted, but has no effect. */
export const paymentRead = {
  ...common,
  "merchant-id": merchantId,
  "idempotency-key": Schema.optionalKey(idempotencyKey),
} as const

/** For calls of a merchant that create something. With an idempotency key they create it only once. */
export const createForMerchant = {
  ...partner,
  "idempotency-key": Schema.optionalKey(idempotencyKey),
} as const

/** For calls that create something that must not be created twice. */
export const createOnce = { ...common, "idempotency-key": idempotencyKey } as const

const passkeyResponse = text(
  "The use of a passkey: credential id, client data, authenticator data, signature and user handle, each in base64url, with a dot between each two. Its challenge is the header `Passkey-Challenge` of the response that asked for it",
)

/** For signing in without a key. */
export const signIn = { ...common, "passkey-response": passkeyResponse } as const

/** For a write of a session. The cookie alone does not show that the console sent it. */
export const session = {
  ...common,
  "csrf-token": text("The `csrfToken` of the session, which every write with its cookie needs"),
  "passkey-response": passkeyResponse,
} as const

/** For a stream that resumes where an earlier one ended. */
export const stream = {
  ...common,
  "last-event-id": text(
    "The id of the last event that you handled. It takes precedence over the cursor",
  ),
} as const

/** Spells a header's name as people do: `svc-version` becomes `Svc-Version`. */
export const spell = (name: string): string =>
  name.replace(/(?:^|-)[a-z]/gu, (letter) => letter.toUpperCase())
