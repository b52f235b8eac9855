/**
 * Maps every refusal of the service to a problem of the interface. This is the only place that assigns a status to an
 * error.
 *
 * @module
 */
import * as Problem from "@florin/api/Problem"
import type * as Refunding from "@florin/core/domain/books/Refunding"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Conflict from "@florin/core/domain/ground/Conflict"
import type * as Invalid from "@florin/core/domain/ground/Invalid"
import type * as Version from "@florin/core/domain/ground/Version"
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import type * as Approval from "@florin/core/domain/partner/Approval"
import type * as Idempotency from "@florin/core/domain/partner/Idempotency"
import type * as Passkey from "@florin/core/domain/partner/Passkey"
import type * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import type * as PageToken from "@florin/core/domain/payment/PageToken"
import type * as PaymentState from "@florin/core/domain/payment/PaymentState"
import type * as Float from "@florin/core/engine/books/Float"
import type * as Refunds from "@florin/core/engine/books/Refunds"
import type * as Approvals from "@florin/core/engine/partner/Approvals"
import type * as PartnerKeys from "@florin/core/engine/partner/PartnerKeys"
import type * as Offers from "@florin/core/engine/payment/Offers"
import type * as PayerData from "@florin/core/engine/payment/PayerData"
import type * as Payments from "@florin/core/engine/payment/Payments"
import type * as StoredResponse from "@florin/core/engine/record/StoredResponse"
import type * as Chain from "@florin/core/ports/Chain"
import type * as Screening from "@florin/core/ports/Screening"
import type {
  ClaimTaken,
  Uncovered,
  IdempotencyConflict,
  LeaseLost,
  NotFound,
  Overdrawn,
  StorageUnavailable,
} from "@florin/core/ports/StorageError"
import type * as Vault from "@florin/core/ports/Vault"
import * as Match from "effect/Match"
import * as Exchange from "../http/Exchange.ts"
import type * as Admission from "./Admission.ts"
import * as ApiShape from "./ApiShape.ts"
import type * as Authentication from "./Authentication.ts"
import type * as Body from "./Body.ts"
import type { TooManyJobs } from "./JobPlaces.ts"
import type * as RateLimit from "./RateLimit.ts"

interface Reported {
  readonly code: Problem.Code
  readonly message: string
  /** Set if it differs from the code's own status. */
  readonly status?: number
  readonly issues?: ReadonlyArray<Problem.Issue>
  readonly retryAfterInS?: number
  /** For a passkey to sign, before the call is repeated. */
  readonly challenge?: string | null
  /** The id under which the request waits for a second person. */
  readonly approval?: string
}

/** Places for forms, and gas for refunds, are free again within an hour. Callers should try again sooner. */
const budgetFullInS = 600

const internal: Reported = {
  code: "internal_error",
  message:
    "something went wrong on our side: try again, and report the requestId if the error stays",
}

const unavailable: Reported = {
  code: "unavailable",
  message: "the service is unavailable: try again in a moment",
  retryAfterInS: 1,
}

/** A broken rule of one member, whose message is whole by itself. */
const ofMember = (field: string, message: string): Reported => ({
  code: "params_validation",
  message,
  issues: [{ field, message }],
})

/** A refusal whose message says everything else. */
const plain =
  <R extends { readonly message: string }>(
    code: Problem.Code,
    more: Pick<Reported, "retryAfterInS" | "status"> = {},
  ) =>
  ({ message }: R): Reported => ({ code, message, ...more })

/** A refusal that says nothing to the caller. */
const always =
  <R>(reported: Reported): ((refusal: R) => Reported) =>
  () =>
    reported

/** Every refusal of a call, and what it reports. The caller causes none of those that are internal. */
const reports = {
  ApprovalRefused: ({ code, message }: Approval.ApprovalRefused) => ({ code, message }),
  ApprovalRequired: ({ id, message }: Approvals.ApprovalRequired) => ({
    code: "approval_required",
    message,
    approval: id,
  }),
  AttemptRefused: ({ message }: Chain.AttemptRefused) => ({
    ...ofMember("results", message),
    status: 422,
  }),
  BodyLost: plain<Exchange.BodyLost>("invalid_params"),
  BodyTooDeep: plain<Idempotency.BodyTooDeep>("invalid_params"),
  BodyTooLarge: plain<Exchange.BodyTooLarge>("payload_too_large"),
  BodyTooSlow: plain<Exchange.BodyTooSlow>("invalid_params", { status: 408 }),
  ChainUnavailable: always<Chain.ChainUnavailable>({
    code: "bad_gateway",
    message: "the chain cannot be reached now: try again",
  }),
  ClaimTaken: always<ClaimTaken>(internal),
  Conflict: plain<Conflict.Conflict>("invalid_state"),
  DataRequired: ({ message }: PayerData.DataRequired) => ofMember("collectedData", message),
  FloatRefused: plain<Float.FloatRefused>("invalid_state"),
  Forbidden: plain<Authentication.Forbidden>("forbidden"),
  HeaderNotAscii: plain<ApiKey.HeaderNotAscii>("header_not_ascii"),
  IdempotencyConflict: plain<IdempotencyConflict>("idempotency_conflict"),
  InvalidApiKey: plain<ApiKey.InvalidApiKey>("invalid_api_key"),
  InvalidApp: ({ code, message }: Authentication.InvalidApp) => ({ code, message }),
  InvalidInput: ({ issues, message }: Invalid.InvalidInput) => ({
    code: "params_validation",
    message,
    issues,
  }),
  InvalidPageToken: plain<PageToken.InvalidPageToken>("invalid_api_key"),
  KeyEnded: plain<PartnerKeys.KeyEnded>("invalid_state"),
  KeyTooStrong: plain<ApiKey.KeyTooStrong>("forbidden"),
  LastKey: plain<PartnerKeys.LastKey>("invalid_state"),
  LeaseLost: always<LeaseLost>(unavailable),
  MerchantNotFound: plain<Payments.MerchantNotFound>("merchant_not_found"),
  MissingIdempotencyKey: plain<StoredResponse.MissingIdempotencyKey>("missing_idempotency_key"),
  MissingMerchantId: plain<Payments.MissingMerchantId>("missing_merchant_id"),
  NotApproved: plain<Payments.NotApproved>("forbidden"),
  NotFound: plain<NotFound>("not_found"),
  NotJson: plain<Body.NotJson>("unsupported_media_type"),
  OptionExpired: plain<PaymentOption.OptionExpired>("quote_expired"),
  OptionNotFound: ({ message }: PaymentOption.OptionNotFound) => ofMember("optionId", message),
  Overdrawn: always<Overdrawn>(internal),
  Overloaded: always<Admission.Overloaded>(unavailable),
  PasskeyAsked: ({ challenge, code, message }: Authentication.PasskeyAsked) => ({
    code,
    message,
    challenge,
  }),
  PasskeyRefused: ({ message }: Passkey.PasskeyRefused) => ({
    ...ofMember("passkey", message),
    message: `passkey: ${message}`,
  }),
  RateLimited: ({ message, retryAfterInS }: RateLimit.RateLimited) => ({
    code: "rate_limited",
    message,
    retryAfterInS,
  }),
  RefundRefused: ({ code, message }: Refunding.RefundRefused) => ({ code, message }),
  SanctionedUser: plain<Offers.SanctionedUser>("sanctioned_user"),
  ScreeningUnavailable: always<Screening.ScreeningUnavailable>(unavailable),
  SettlementAssetConflict: plain<SettlementDestination.SettlementAssetConflict>(
    "settlement_asset_conflict",
  ),
  StateRefused: ({ message, refusal }: PaymentState.StateRefused) => ({ code: refusal, message }),
  StorageUnavailable: always<StorageUnavailable>(unavailable),
  Suspended: plain<Payments.Suspended>("forbidden"),
  TooLittleRandomness: always<ApiKey.TooLittleRandomness>(internal),
  TooManyForms: plain<PayerData.TooManyForms>("rate_limited", { retryAfterInS: budgetFullInS }),
  TooManyJobs: plain<TooManyJobs>("unavailable", { retryAfterInS: 60 }),
  TooManyParts: plain<Refunds.TooManyParts>("rate_limited", { retryAfterInS: budgetFullInS }),
  Uncovered: always<Uncovered>(internal),
  Unreadable: plain<Body.Unreadable>("invalid_params"),
  VaultRefused: always<Vault.VaultRefused>(internal),
  VersionRefused: ({ code, message }: Version.VersionRefused) => ({ code, message }),
} satisfies { readonly [tag: string]: (refusal: never) => Reported }

/** Every error with which a call can be refused. */
export type Refusal = Parameters<(typeof reports)[keyof typeof reports]>[0]

/** The problem for a refusal. `group` is the group of the operation, as a missing payment has a code of its own. */
export const problemOf = (refusal: Refusal, group: string): Reported => {
  const { _tag, message } = refusal
  if (_tag === "NotFound" && (group === "gateway" || group === "payments")) {
    return { code: "payment_not_found", message }
  }
  // Only the operator names what an account is to lose.
  return _tag === "Overdrawn" && (group === "outflows" || group === "float")
    ? { code: "invalid_state", message }
    : Match.valueTags(refusal, reports)
}

const bodyOf = ({ code, issues, message }: Reported, requestId: string): Problem.Problem => ({
  code,
  message,
  requestId,
  ...(issues !== undefined && { issues }),
})

const respond = (reported: Reported, requestId: string) => {
  const { approval, challenge = null, code, retryAfterInS, status } = reported
  const headers = {
    "request-id": requestId,
    ...(retryAfterInS !== undefined && { "retry-after": String(retryAfterInS) }),
    ...(challenge !== null && { "passkey-challenge": challenge }),
    ...(approval !== undefined && { approval }),
  }
  return {
    ...Exchange.json(status ?? Problem.statuses[code], bodyOf(reported, requestId), headers),
    code,
  }
}

/** The operation that refuses, and the profile in which its caller reads that. */
export interface Refusing {
  readonly group: string
  readonly name: string
  readonly profile: ApiShape.Profile
}

export const ofRefusal = (
  refusal: Refusal,
  { group, name, profile }: Refusing,
  requestId: string,
): Exchange.OutgoingText => {
  const reported = problemOf(refusal, group)
  const code = ApiShape.codeOf(profile, name, reported.code)
  return respond({ ...reported, code }, requestId)
}

/** The last event of a stream that was refused. */
export const streamed = (refusal: Refusal, group: string, requestId: string): Problem.Problem =>
  bodyOf(problemOf(refusal, group), requestId)

/** The problem for a bug in the service: it reveals nothing about the bug. */
export const ofDefect = (requestId: string): Exchange.OutgoingText => respond(internal, requestId)

/** The process is shutting down, or the caller disconnected. */
export const ofEnding = (requestId: string): Exchange.OutgoingText =>
  respond(unavailable, requestId)

export const nowhere = (requestId: string): Exchange.OutgoingText =>
  respond({ code: "not_found", message: "there is nothing at this path" }, requestId)

export const otherMethod = (
  allowed: ReadonlyArray<string>,
  requestId: string,
): Exchange.OutgoingText => {
  const allow = allowed.join(", ")
  const outgoing = respond(
    { code: "method_not_allowed", message: `this path supports ${allow}` },
    requestId,
  )
  return { ...outgoing, headers: { ...outgoing.headers, allow } }
}
