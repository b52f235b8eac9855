/**
 * Limits that an operator sets for one partner and mode, so that money does not leave faster than a person can check
 * it: a delay and a reserve for payouts, and limits on a day's payouts and refunds. All of them are optional.
 *
 * @module
 */
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Invalid from "../ground/Invalid.ts"
import * as Limits from "../ground/Limits.ts"
import * as Money from "../ground/Money.ts"
import * as Credit from "../money/Credit.ts"
import * as Fees from "../money/Fees.ts"

const Reserve = Schema.Struct({ percentage: Fees.Percentage, forInMs: Schema.Int })
export type Reserve = typeof Reserve.Type

export interface PartnerLimits extends Schema.Schema.Type<typeof PartnerLimits> {}
export const PartnerLimits = Schema.Struct({
  /** A share is paid out no sooner than this after its payment succeeded. */
  payoutDelayInMs: Schema.optionalKey(Schema.Int),
  /** This part of each share is paid out no sooner than this after its payment succeeded. */
  reserve: Schema.optionalKey(Reserve),
  /** What may be paid out to its merchants in a day. */
  payoutsPerDay: Schema.optionalKey(Credit.Credit),
  /** What may be refunded in a day. */
  refundsPerDay: Schema.optionalKey(Credit.Credit),
  /** Whether a refund is also paid from the open shares of its partner's other merchants. */
  netsMerchants: Schema.optionalKey(Schema.Boolean),
})

/** What the operator set for each mode. */
export interface ByMode extends Schema.Schema.Type<typeof ByMode> {}
export const ByMode = Schema.Struct({
  test: Schema.optionalKey(PartnerLimits),
  live: Schema.optionalKey(PartnerLimits),
})

export const none: PartnerLimits = {}

/** Changes of the limits: null removes one, and absent ones stay. */
export type Patch = { readonly [K in keyof PartnerLimits]?: PartnerLimits[K] | null }

const isLimits = Schema.is(PartnerLimits)

export const change = (limits: PartnerLimits, patch: Patch): PartnerLimits => {
  const kept: unknown = Object.fromEntries(
    Object.entries({ ...limits, ...patch }).filter(([, limit]) => (limit ?? false) !== false),
  )
  return isLimits(kept) ? kept : limits
}

/** The share of a payment. */
export interface Share {
  readonly net: Money.Quantity
  readonly succeededAt: number
}

const whole = 100_000_000n

/** How much of a share may not be paid out yet: all of it at first, then the reserve, which is rounded up. */
export const heldBack = (
  { payoutDelayInMs, reserve }: PartnerLimits,
  { net, succeededAt }: Share,
  now: number,
): Money.Quantity => {
  if (payoutDelayInMs !== undefined && now < succeededAt + payoutDelayInMs) return net
  if (reserve === undefined || now >= succeededAt + reserve.forInMs) return Money.zero
  return Money.clamp((net * BigInt(reserve.percentage) + whole - 1n) / whole, net)
}

/** When the next part of a share with this much left may be paid out; `now` if a part may be paid already. */
export const payableAt = (
  limits: PartnerLimits,
  share: Share & { readonly left: Money.Quantity },
  now: number,
): number => {
  const { payoutDelayInMs = 0, reserve } = limits
  const { left, succeededAt } = share
  const times = [now, succeededAt + payoutDelayInMs, succeededAt + (reserve?.forInMs ?? 0)]
  const isPayable = (at: number) => at >= now && heldBack(limits, share, at) < left
  return times.toSorted((a, b) => a - b).find(isPayable) ?? now
}

const unitsInMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const timePattern = /^(?<count>[1-9][0-9]{0,5})(?<unit>[mhd])$/u

const readTime = (text: string): number | null => {
  const { count, unit } = timePattern.exec(text)?.groups ?? {}
  const inMs =
    unit === "m" || unit === "h" || unit === "d" ? Number(count) * unitsInMs[unit] : Number.NaN
  return inMs <= Limits.partnerHoldMaxInMs ? inMs : null
}

const timeExpected = `minutes, hours or days such as "90m", "24h" or "7d", at most ${Limits.partnerHoldMaxInMs / unitsInMs.d}d`

/** Reads a payout delay: `24h`. */
export const parseDelay = (text: string): Result.Result<number, Invalid.InvalidInput> => {
  const inMs = readTime(text)
  return inMs === null
    ? Invalid.fail("payoutDelay", `must be ${timeExpected}`)
    : Result.succeed(inMs)
}

/**
 * Reads a reserve.
 *
 * @example
 * PartnerLimits.parseReserve("10% 30d") // a tenth of each share, for 30 days
 */
export const parseReserve = (text: string): Result.Result<Reserve, Invalid.InvalidInput> => {
  const [share = "", time = "", ...rest] = text.split(" ")
  const percentage = Fees.parsePercentage(share.slice(0, -1))
  const forInMs = readTime(time)
  return share.endsWith("%") &&
    rest.length === 0 &&
    forInMs !== null &&
    Result.isSuccess(percentage)
    ? Result.succeed({ percentage: percentage.success, forInMs })
    : Invalid.fail("reserve", `must be a share and a time such as "10% 30d": ${timeExpected}`)
}

/** `24h`, in the largest unit that leaves no remainder. */
export const formatTime = (inMs: number): string => {
  if (inMs % unitsInMs.d === 0) return `${inMs / unitsInMs.d}d`
  return inMs % unitsInMs.h === 0 ? `${inMs / unitsInMs.h}h` : `${inMs / unitsInMs.m}m`
}

/** A limit that an operator writes as a text. */
interface Row<A> {
  readonly description: string
  readonly example: string
  readonly parse: (text: string) => Result.Result<A, Invalid.InvalidInput>
  readonly format: (limit: A) => string
  readonly get: (limits: PartnerLimits) => A | undefined
  readonly set: (limit: A | null) => Patch
}

const row = <A>({ description, example, format: print, get, parse, set }: Row<A>) => ({
  description,
  example,
  /** The change that a text asks for. */
  read: (text: string) => Result.map(parse(text), set),
  /** The change that removes the limit. */
  removal: set(null),
  /** Null if it is not set. */
  text: (limits: PartnerLimits): string | null => {
    const limit = get(limits)
    return limit === undefined ? null : print(limit)
  },
})

/** The limits by their names in the API, from which flags, forms and texts follow. */
export const table = {
  payoutDelay: row({
    description: "How long after its payment a share is paid out at the earliest",
    example: "24h",
    parse: parseDelay,
    format: formatTime,
    get: ({ payoutDelayInMs }) => payoutDelayInMs,
    set: (payoutDelayInMs) => ({ payoutDelayInMs }),
  }),
  reserve: row({
    description: "The part of each share that is paid out later, and how much later",
    example: "10% 30d",
    parse: parseReserve,
    format: ({ forInMs, percentage }) =>
      `${Fees.formatPercentage(percentage)}% ${formatTime(forInMs)}`,
    get: ({ reserve }) => reserve,
    set: (reserve) => ({ reserve }),
  }),
  payoutsPerDay: row({
    description: "What may be paid out to its merchants in a day",
    example: "5000 USD",
    parse: Credit.parse,
    format: Credit.format,
    get: ({ payoutsPerDay }) => payoutsPerDay,
    set: (payoutsPerDay) => ({ payoutsPerDay }),
  }),
  refundsPerDay: row({
    description: "What may be refunded in a day",
    example: "500 USD",
    parse: Credit.parse,
    format: Credit.format,
    get: ({ refundsPerDay }) => refundsPerDay,
    set: (refundsPerDay) => ({ refundsPerDay }),
  }),
}

/** Each limit as an operator writes it; null for those that are not set. */
export const format = (limits: PartnerLimits) => ({
  ...Record.map(table, ({ text }) => text(limits)),
  netsMerchants: limits.netsMerchants === true,
})
