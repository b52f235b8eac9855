/**
 * The default payout policy and credit, from the settings of the service.
 *
 * @module
 */
import * as Credit from "@florin/core/domain/money/Credit"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import type * as Settings from "./Settings.ts"

/** What applies to merchants and partners that have nothing of their own. */
export interface Usual {
  readonly payouts: PayoutPolicy.ByMode
  readonly credit: Credit.ByMode
}

export const usual: Usual = { payouts: PayoutPolicy.defaults, credit: Credit.defaults }

/**
 * On local chains gas costs nothing, and a person who tries the service wants to see the payout. The money there is
 * worth nothing, so credit is unlimited.
 */
export const local: Usual = {
  payouts: { live: PayoutPolicy.immediate, test: PayoutPolicy.immediate },
  credit: { live: Credit.unlimited, test: Credit.unlimited },
}

/** The settings, with defaults for those that are not set. */
export const make = (
  { payouts, testPayouts }: Pick<Settings.Values, "payouts" | "testPayouts">,
  { payouts: { live, test } }: Usual,
): PayoutPolicy.ByMode => ({ live: payouts ?? live, test: testPayouts ?? test })
