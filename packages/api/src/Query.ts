/**
 * Query parameters that several calls share.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as MerchantQuery from "@florin/core/domain/list/MerchantQuery"
import * as PageLimit from "@florin/core/domain/list/PageLimit"
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import * as PaymentSeries from "@florin/core/domain/list/PaymentSeries"
import * as PaymentSort from "@florin/core/domain/list/PaymentSort"
import * as Payout from "@florin/core/domain/list/Payout"
import * as Statement from "@florin/core/domain/list/Statement"
import * as OutflowState from "@florin/core/domain/outflow/OutflowState"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Struct from "effect/Struct"
import * as Members from "./wire/Members.ts"
import * as Text from "./wire/Text.ts"

/** A value that is sent as text: how the text is read, and the rule that is reported if it cannot be read. */
const fromText = <S extends Schema.Codec<unknown>>(
  value: S,
  read: (text: string) => S["Encoded"] | undefined,
  rule: string,
) =>
  Schema.String.pipe(
    Schema.decodeTo(value, {
      decode: SchemaGetter.transformEffect((text) => {
        const found = read(text)
        return found === undefined
          ? Effect.fail(new SchemaIssue.InvalidValue({ message: rule }))
          : Effect.succeed(found)
      }),
      encode: SchemaGetter.String(),
    }),
  )

const int64 = /^[0-9]{1,19}$/u
const int64Max = 2n ** 63n - 1n

/** A number that is too large counts as the largest possible one: no call is held that long. */
const readInt64 = (text: string): number | undefined =>
  int64.test(text) && BigInt(text) <= int64Max
    ? Math.min(Number(text), Number.MAX_SAFE_INTEGER)
    : undefined

const flags: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
])

/** A flag that is off by default. */
export const flag = (description: string) =>
  Schema.optionalKey(
    fromText(
      Schema.Boolean.annotate({ description }),
      (text) => flags.get(text),
      "must be true or false",
    ),
  )

/** Lets the server hold the call until something changes. */
export const longPoll = {
  maxPollMs: Schema.optionalKey(
    fromText(
      Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
        format: "int64",
        description: `How long the service may wait for a change before it responds, in milliseconds: ${Limits.longPollMaxInMs} at most`,
      }),
      readInt64,
      "must be a whole number of milliseconds from 0",
    ),
  ),
} as const

export const page = Members.optional({
  cursor: Text.plain("The nextCursor of the previous page"),
  limit: fromText(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Limits.listPageMax })).annotate({
      description: "The number of items on a page",
      default: Limits.listPageDefault,
    }),
    PageLimit.read,
    PageLimit.rule,
  ),
})

/** A filter of payments as a parameter: an array if it may be sent several times. */
interface Parameter extends Struct.Lambda {
  (filter: PaymentFilter.Described): Schema.Top
  readonly "~lambda.out": this["~lambda.in"] extends {
    readonly item: infer Item extends Schema.Top
    readonly isRepeatable: infer Repeats
  }
    ? Schema.optionalKey<Repeats extends true ? Schema.$Array<Item> : Item>
    : never
}

/** Examples for filters whose rule names none: values of a family of chains. */
const examples: { readonly [name: string]: string } = {
  network: ", such as eip155:8453,eip155:56",
}

const parameter = Struct.lambda<Parameter>((filter) =>
  Schema.optionalKey(filter.isRepeatable ? Schema.Array(filter.item) : filter.item).annotateKey({
    description: `${filter.description}. It ${filter.rule}${examples[filter.name] ?? ""}`,
    ...(filter.isDeprecated && { deprecated: true }),
  }),
)

interface Name extends Struct.Lambda {
  (filter: PaymentFilter.Described): string
  readonly "~lambda.out": this["~lambda.in"] extends { readonly name: infer Of } ? Of : never
}

const filters = Struct.renameKeys(
  Struct.map(PaymentFilter.table, parameter),
  Struct.map(
    PaymentFilter.table,
    Struct.lambda<Name>(({ name }) => name),
  ),
)

/** The filters of a list of payments, and its order. */
export const payments = {
  ...filters,
  ...Members.optional({
    sortBy: Schema.Literals(PaymentSort.orders).annotate({
      description: "What the payments are sorted by",
      default: "date",
    }),
    sortDir: Schema.Literals(PaymentSort.directions).annotate({
      description: "`asc`: the smallest or oldest first",
      default: "desc",
    }),
  }),
  ...page,
} as const

/** The payments that statistics count, and their periods. */
export const statistics = {
  ...Members.optional({
    by: Schema.Literals(PaymentSeries.periods).annotate({
      message: PaymentSeries.periodRule,
      description: `The length of a bucket. Weeks begin on Monday. There are ${Limits.seriesBucketsMax} buckets at most; without \`startTs\`, the last ${Limits.seriesBucketsDefault}`,
      default: "day",
    }),
    timeZone: Schema.String.annotate({
      description: "The IANA time zone in which days, weeks and months begin: Europe/Berlin",
      default: "UTC",
    }),
  }),
  ...filters,
} as const

/** The filters of a list of merchants. */
export const merchants = {
  ...Members.optional({
    status: Merchant.Status.annotate({
      message: MerchantQuery.statusRule,
      description: "Only merchants with this status",
    }),
    search: Schema.String.check(
      Schema.isMinLength(1, { message: MerchantQuery.searchRule }),
      Schema.isMaxCodePoints(Limits.merchantSearchMaxLength, { message: MerchantQuery.searchRule }),
    ).annotate({ description: "A part of the name or of the id" }),
  }),
  ...page,
} as const

const day = Schema.String.annotate({ format: "date" }).check(
  Schema.isPattern(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/u, { message: Statement.dayRule }),
)

/** The period of a statement. */
export const statement = {
  from: day.annotateKey({ description: "The first day, in UTC" }),
  to: day.annotateKey({ description: "The last day, in UTC. The statement includes it" }),
  format: Schema.optionalKey(
    Schema.Literals(["json", "csv"]).annotate({
      description: "`csv` is for spreadsheets: one row for each token, with amounts in whole units",
      default: "json",
    }),
  ),
} as const

/** The payment whose refunds are listed. */
export const refunds = {
  paymentId: Schema.String.annotateKey({ description: "The payment" }),
} as const

/** The filters of a list of balances. */
export const balances = {
  merchantId: Schema.optionalKey(Text.plain("Only this merchant's")),
  asset: Schema.optionalKey(Text.plain("Only in this token: a CAIP-19 asset")),
  ...page,
} as const

/** The filters of a list of payouts. */
export const payouts = {
  ...Members.optional({
    merchantId: Text.plain("Only payouts that pay this merchant"),
    status: OutflowState.Status.annotate({
      message: Payout.statusRule,
      description: "Only payouts in this state",
    }),
  }),
  startTs: payments.startTs,
  endTs: payments.endTs,
  ...page,
} as const
