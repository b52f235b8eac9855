/**
 * How much may be paid out to the merchants of a partner, or refunded for them, in a day.
 *
 * A day is any 24 hours, so that two limits cannot both be used up around midnight. Outflows count if they were sent
 * and not reversed, at the pegs of their tokens, as debts do for credit.
 *
 * @module
 */
import type * as Asset from "../chain/Asset.ts"
import type * as Caip from "../chain/Caip.ts"
import type * as Mode from "../ground/Mode.ts"
import type * as PartnerId from "../ground/PartnerId.ts"
import * as Credit from "../money/Credit.ts"
import type * as PartnerLimits from "../partner/PartnerLimits.ts"
import * as Outflow from "./Outflow.ts"
import * as OutflowState from "./OutflowState.ts"

export const dayInMs = 24 * 60 * 60 * 1000

/** Outflows that are counted together. */
export interface Counted {
  readonly partnerId: PartnerId.PartnerId
  readonly mode: Mode.Mode
  readonly kind: "payouts" | "refunds"
}

/** Text that is the same for outflows that are counted together, for keys and columns. */
export const countedKey = ({ kind, mode, partnerId }: Counted): string =>
  `${partnerId}/${mode}/${kind}`

/** The group in which an outflow is counted; null if no limit counts it. */
export const countedOf = (outflow: Outflow.Outflow): Counted | null => {
  const { mode, partnerId } = outflow
  const { counted: kind } = Outflow.factsOf(outflow)
  return partnerId === undefined || kind === null ? null : { partnerId, mode, kind }
}

/** What was sent, and when. */
export interface Sent {
  readonly at: number
  readonly token: Caip.Token
  readonly quantity: bigint
}

/**
 * What an outflow adds to a day's total: nothing before it is sent, and nothing after it was reversed. What moved
 * elsewhere left, too.
 */
export const sentOf = (outflow: Outflow.Outflow): Sent | null => {
  const { movement, sentAt: at } = outflow
  const isAstray = Outflow.movedOtherwise(outflow) && Outflow.astrayOf(outflow)?.left !== 0n
  const isCounted = isAstray || OutflowState.isBooked[Outflow.status(outflow)]
  return isCounted && at !== undefined
    ? { at, token: movement.token, quantity: movement.quantity }
    : null
}

/** An outflow that is sent within a limit. */
export interface Draw extends Counted, Credit.Terms {
  /** Outflows sent later than this count, in epoch milliseconds. */
  readonly since: number
}

/** The limit for an outflow that is sent now; null if its partner has none. */
export const drawOf = (
  counted: Counted,
  { payoutsPerDay, refundsPerDay }: PartnerLimits.PartnerLimits,
  assets: Credit.Terms["assets"],
  now: number,
): Draw | null => {
  const credit = counted.kind === "payouts" ? payoutsPerDay : refundsPerDay
  return credit === undefined ? null : { ...counted, credit, assets, since: now - dayInMs }
}

/** Whether the limit allows all of this in a day. */
export const allows = (draw: Draw, sent: ReadonlyArray<Sent>): boolean => Credit.covers(draw, sent)

/**
 * When this much more may be sent if nothing else is: now, or when enough of what was sent is a day old. Null if it
 * exceeds the limit of a whole day.
 */
export const goesOnAt = (
  draw: Draw,
  sent: ReadonlyArray<Sent>,
  wanted: Omit<Sent, "at">,
): number | null => {
  const next = { ...wanted, at: draw.since + dayInMs }
  const counted = sent.filter(({ at }) => at > draw.since).toSorted((a, b) => a.at - b.at)
  // The least number of them, oldest first, that must be a day old.
  let [enough, tooFew] = [counted.length, -1]
  if (!allows(draw, [next])) return null
  while (enough - tooFew > 1) {
    const middle = Math.floor((enough + tooFew) / 2)
    if (allows(draw, [...counted.slice(middle), next])) enough = middle
    else tooFew = middle
  }
  return (counted[enough - 1]?.at ?? draw.since) + dayInMs
}

/** The most of a token that one payout may carry so that it fits into a day; null if there is no limit. */
export const payoutMost = (
  { payoutsPerDay }: PartnerLimits.PartnerLimits,
  asset: Asset.Asset | undefined,
): bigint | null => (payoutsPerDay === undefined ? null : Credit.most(payoutsPerDay, asset))
