/**
 * Query parameters that several calls share.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/Limits"
import * as Schema from "effect/Schema"

/** Lets the server hold the call until something changes. */
export const longPoll = {
  maxPollMs: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
      format: "int64",
      description: `Milliseconds that the call may be held until something changes: ${Limits.longPollMaxInMs} at most`,
    }),
  ),
} as const

const texts = Schema.optionalKey(Schema.Array(Schema.NonEmptyString))

export const page = {
  cursor: Schema.optionalKey(
    Schema.String.annotate({ description: "The nextCursor of the page before" }),
  ),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Limits.listPageMax })).annotate({
      description: "How many items a page has",
      default: Limits.listPageDefault,
    }),
  ),
} as const

const dateTime = (description: string) =>
  Schema.optionalKey(
    Schema.String.annotate({ format: "date-time", description: `RFC 3339, ${description}` }),
  )

/** The statuses that a list can be filtered by. */
export const listedStatuses = [
  "requires_action",
  "processing",
  "succeeded",
  "failed",
  "expired",
] as const

/** The filters of a list of payments. */
export const payments = {
  startTs: dateTime("inclusive"),
  endTs: dateTime("exclusive"),
  token_symbol: texts.annotateKey({ description: "Symbols, such as USDC" }),
  asset: Schema.optionalKey(
    Schema.String.annotate({ description: "Deprecated: use token_symbol", deprecated: true }),
  ),
  network: Schema.optionalKey(
    Schema.String.annotate({ description: "CAIP-2 chain ids, separated by commas" }),
  ),
  sortBy: Schema.optionalKey(Schema.Literals(["date", "amount"])),
  sortDir: Schema.optionalKey(Schema.Literals(["asc", "desc"])),
  ...page,
  status: Schema.optionalKey(Schema.Array(Schema.Literals(listedStatuses))),
  referenceId: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(
        new RegExp(
          `^[A-Za-z0-9 /:.,+-]{${Limits.referenceFilterMinLength},${Limits.referenceFilterMaxLength}}$`,
          "u",
        ),
      ),
    ).annotate({ description: "Part of the reference" }),
  ),
  merchantId: texts.annotateKey({ description: "Only these merchants" }),
} as const

/** The filters of a list of merchants. */
export const merchants = {
  ...page,
  status: Schema.optionalKey(Schema.Literals(["active", "inactive", "suspended"])),
  search: Schema.optionalKey(
    Schema.String.check(
      Schema.isMaxLength(Limits.merchantSearchMaxLength, {
        message: `must have at most ${Limits.merchantSearchMaxLength} characters`,
      }),
    ).annotate({ description: "Part of the name or of the id" }),
  ),
} as const
