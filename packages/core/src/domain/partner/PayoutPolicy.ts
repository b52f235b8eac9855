/**
 * When a merchant's shares are paid out: each one immediately, or many in one transfer.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Asset from "../chain/Asset.ts"
import * as Invalid from "../ground/Invalid.ts"
import * as Limits from "../ground/Limits.ts"
import type * as Mode from "../ground/Mode.ts"

export type PayoutPolicy = typeof PayoutPolicy.Type
export const PayoutPolicy = Schema.TaggedUnion({
  Immediate: {},
  /**
   * Pays this long after the first share, or when shares of this many whole units of a token wait, whichever is first.
   */
  Batched: { everyInMs: Schema.Int, atUnits: Schema.optionalKey(Schema.Int) },
})

export const immediate: PayoutPolicy = { _tag: "Immediate" }

/** A policy for each mode. */
export type ByMode = { readonly [M in Mode.Mode]: PayoutPolicy }

/** The service's default: in test mode the payout should be visible immediately, and in live mode gas costs money. */
export const defaults: ByMode = {
  test: immediate,
  live: { _tag: "Batched", everyInMs: 15 * 60_000 },
}

const pattern = /^(?<minutes>[1-9][0-9]{0,4})m(?:\/(?<units>[1-9][0-9]{0,11}))?$/u

/**
 * Reads a policy as an operator writes it: `immediate`, `15m`, or `15m/500`.
 *
 * @example
 * PayoutPolicy.parse("60m/500") // every 60 minutes, or at 500 units of a token
 */
export const parse = (text: string): Result.Result<PayoutPolicy, Invalid.InvalidInput> => {
  if (text === "immediate") return Result.succeed(immediate)
  const { minutes, units } = pattern.exec(text)?.groups ?? {}
  const everyInMs = Number(minutes) * 60_000
  return minutes === undefined || everyInMs > Limits.payoutEveryMaxInMs
    ? Invalid.fail(
        "payouts",
        `must be "immediate", minutes such as "15m", or minutes and units of a token such as "15m/500"; at most ${Limits.payoutEveryMaxInMs / 60_000}m`,
      )
    : Result.succeed({
        _tag: "Batched",
        everyInMs,
        ...(units !== undefined && { atUnits: Number(units) }),
      })
}

/** The text that {@link parse} reads. */
export const format = (policy: PayoutPolicy): string => {
  if (policy._tag === "Immediate") return "immediate"
  const { atUnits, everyInMs } = policy
  return `${everyInMs / 60_000}m${atUnits === undefined ? "" : `/${atUnits}`}`
}

/** Whether the waiting quantity matters. */
export const countsUnits = (policy: PayoutPolicy): boolean =>
  policy._tag === "Batched" && policy.atUnits !== undefined

/** Whether shares of this quantity are worth a transfer, no matter their age. */
export const isEnough = (
  policy: PayoutPolicy,
  asset: Pick<Asset.Asset, "decimals"> | undefined,
  quantity: bigint,
): boolean => {
  if (policy._tag === "Immediate") return true
  const { atUnits } = policy
  if (atUnits === undefined || asset === undefined) return false
  return quantity >= BigInt(atUnits) * 10n ** BigInt(asset.decimals)
}

/** The latest payout time of a share that waits since `since`. */
export const dueAt = (policy: PayoutPolicy, since: number): number =>
  policy._tag === "Immediate" ? since : since + policy.everyInMs
