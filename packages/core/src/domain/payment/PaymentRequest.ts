/**
 * Reads the request for a payment, and creates the payment.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Asset from "../chain/Asset.ts"
import * as Caip from "../chain/Caip.ts"
import type * as Catalog from "../chain/Catalog.ts"
import * as Invalid from "../ground/Invalid.ts"
import * as Limits from "../ground/Limits.ts"
import type * as MerchantId from "../ground/MerchantId.ts"
import type * as Mode from "../ground/Mode.ts"
import type * as Money from "../ground/Money.ts"
import type * as PartnerId from "../ground/PartnerId.ts"
import type * as PaymentId from "../ground/PaymentId.ts"
import * as WebUrl from "../ground/WebUrl.ts"
import * as Amount from "../money/Amount.ts"
import * as Fees from "../money/Fees.ts"
import type * as Rates from "../money/Rates.ts"
import * as Change from "./Change.ts"
import * as LineItem from "./LineItem.ts"
import * as Metadata from "./Metadata.ts"
import * as TestOutcome from "./TestOutcome.ts"

/** The request as it was sent. */
export interface Request extends Schema.Schema.Type<typeof Request> {}
export const Request = Schema.Struct({
  referenceId: Schema.String,
  amount: Schema.Struct({ unit: Schema.String, value: Schema.String }),
  /** Unix seconds. */
  expiresAt: Schema.optional(Schema.Number),
  checkout: Schema.optional(Schema.Struct({ successUrl: Schema.String, errorUrl: Schema.String })),
  metadata: Schema.optional(Metadata.Metadata),
  description: Schema.optional(Schema.String),
  lineItems: Schema.optional(Schema.Array(LineItem.Request)),
})

/** What the service adds to a request. */
export interface Terms {
  readonly id: PaymentId.PaymentId
  readonly partnerId: PartnerId.PartnerId
  readonly merchantId: MerchantId.MerchantId
  readonly mode: Mode.Mode
  readonly feeTerms: Fees.FeeTerms
  readonly now: number
}

const checkoutIssues = (
  checkout: Request["checkout"],
  mode: Mode.Mode,
): ReadonlyArray<Invalid.Issue> =>
  checkout === undefined
    ? []
    : (["successUrl", "errorUrl"] as const).flatMap((name) =>
        Invalid.issueOf(`checkout.${name}`, WebUrl.parseIn[mode](checkout[name])),
      )

const expiryIssues = (expiresAt: number, nowInS: number): ReadonlyArray<Invalid.Issue> => {
  if (!Number.isSafeInteger(expiresAt) || expiresAt <= nowInS) {
    return [Invalid.issue("expiresAt", "must be a time in the future, in unix seconds")]
  }
  return expiresAt > nowInS + Limits.paymentLifeMaxInS
    ? [Invalid.issue("expiresAt", `must be at most ${Limits.paymentLifeMaxInS} seconds from now`)]
    : []
}

/** A fiat quantity in the token with the most decimals, at one to one: a payment is not bound to one rate. */
const inFinestToken = (
  quantity: Money.Quantity,
  { currency }: Amount.Fiat,
  { assets }: Catalog.Catalog,
): bigint => {
  const { decimals } = Amount.currencies[currency]
  return quantity * 10n ** BigInt(Math.max(0, ...assets.map((each) => each.decimals - decimals)))
}

/** Reads the amount of a payment: more than zero, and no more than fits into any token. */
const readAmount = (
  input: Request["amount"],
  catalog: Catalog.Catalog,
): Result.Result<Amount.Amount, Invalid.InvalidInput> =>
  Result.filterOrFail(
    Amount.readPositive("amount", input, catalog),
    ({ quantity, unit }) =>
      unit._tag === "Token" || inFinestToken(quantity, unit, catalog) <= Limits.maxQuantity,
    () => Invalid.of("amount.value", "is more than every token can hold"),
  )

/** The content of a request, decoded. */
export interface Asked {
  readonly amount: Amount.Amount
  /** Unix seconds. */
  readonly expiresAt: number
  readonly lineItems: ReadonlyArray<LineItem.LineItem>
}

/** Reads a request for a payment, or reports everything that is wrong with it. */
export const read = (
  request: Request,
  catalog: Catalog.Catalog,
  { mode, now }: Pick<Terms, "mode" | "now">,
): Result.Result<Asked, Invalid.InvalidInput> => {
  const nowInS = Math.floor(now / 1000)
  const metadata = request.metadata ?? {}
  const outcome = TestOutcome.read({ metadata, mode })
  const asked = request.expiresAt ?? nowInS + Limits.paymentLifeDefaultInS
  const expiresAt = Math.min(asked, nowInS + outcome.lifeMaxInS)
  const amount = readAmount(request.amount, catalog)
  const unit = Result.isSuccess(amount) ? amount.success.unit : undefined
  const lineItems = LineItem.read("lineItems", request.lineItems ?? [], unit, catalog)
  const issues = [
    ...Invalid.textIssues("referenceId", request.referenceId, Limits.referenceIdMaxLength),
    ...(Result.isFailure(amount) ? amount.failure.issues : []),
    ...expiryIssues(asked, nowInS),
    ...checkoutIssues(request.checkout, mode),
    ...Metadata.issues("metadata", metadata),
    ...outcome.issues,
    ...(request.description === undefined
      ? []
      : Invalid.textIssues("description", request.description, Limits.descriptionMaxLength)),
    ...(Result.isFailure(lineItems) ? lineItems.failure.issues : []),
  ]
  return Result.gen(function* () {
    yield* Invalid.check(issues)
    return { amount: yield* amount, expiresAt, lineItems: yield* lineItems }
  })
}

const namedMax = 5

/**
 * The currencies as which tokens count, for a message. Tokens that count as the currency itself are named by their
 * symbols.
 */
const worthOf = (assets: ReadonlyArray<Asset.Asset>, currency: string): string => {
  const named = assets.map(({ peg, symbol }) => (peg === currency ? symbol : (peg ?? symbol)))
  return [...new Set(named)].slice(0, namedMax).join(" or ")
}

/**
 * Refuses a payment that nobody could ever pay. A price or token that is only missing now may return before the payment
 * expires.
 */
export const checkPayable = (
  { unit }: Amount.Amount,
  feeTerms: Fees.FeeTerms,
  means: Rates.Means,
): Result.Result<void, Invalid.InvalidInput> => {
  const { assets, couldPrice } = means
  const refuse = (message: string) => Invalid.fail("amount.unit", message)
  if (assets.length === 0) return refuse("no network is configured for payments of this mode")
  const asked = assets.filter((asset) =>
    unit._tag === "Token"
      ? Caip.sameToken(unit.token, asset.token)
      : couldPrice(unit.currency, asset),
  )
  if (asked.length === 0) {
    return refuse(
      unit._tag === "Token"
        ? "the token's network is not configured for payments of this mode"
        : `no rate from ${unit.currency} to ${worthOf(assets, unit.currency)} is configured, so no token can pay this: ask the operator to add one, or use another currency`,
    )
  }
  // The fee can be converted for all payable tokens, or for none.
  if (asked.some((asset) => Fees.wayIn(feeTerms, unit, asset, means) !== undefined)) {
    return Result.void
  }
  const from = feeTerms.fixed.map(({ currency }) => currency)
  const to = unit._tag === "Fiat" ? unit.currency : worthOf(asked, "")
  const isCurrency = Amount.isCurrency(to)
  return refuse(
    `the fixed fee is in ${from.join(" and ")}, and no rate from ${from.join(" or ")} to ${to} is configured: ask the operator to add one${isCurrency ? `, or to state the fixed fee in ${to}, too` : ""}`,
  )
}

/** Creates a payment, or reports everything that is wrong with its request. */
export const create = (
  request: Request,
  { now, ...terms }: Terms,
  catalog: Catalog.Catalog,
): Result.Result<Change.Change, Invalid.InvalidInput> =>
  Result.map(
    read(request, catalog, { mode: terms.mode, now }),
    ({ amount, expiresAt, lineItems }) =>
      Change.make(
        {
          ...terms,
          referenceId: request.referenceId,
          amount,
          checkout: request.checkout ?? null,
          metadata: request.metadata ?? {},
          ...(request.description !== undefined && { description: request.description }),
          ...(lineItems.length > 0 && { lineItems }),
          createdAt: now,
          updatedAt: now,
          expiresAt,
          revision: 0,
          stateVersion: -1,
          state: { _tag: "RequiresAction" },
          reports: [],
        },
        now,
        { event: "payment.created", due: { expire: expiresAt * 1000 } },
      ),
  )
