/**
 * The default payout policy of merchants that have none of their own and whose partner has none, from the settings of
 * the service.
 *
 * @module
 */
import * as Credit from "@florin/core/domain/money/Credit"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as Place from "../access/Place.ts"
import type * as Settings from "./Settings.ts"

/** On local chains gas costs nothing, and a person who tries the service wants to see the payout. */
export const local: PayoutPolicy.ByMode = {
  live: PayoutPolicy.immediate,
  test: PayoutPolicy.immediate,
}

/** The credit limit of partners on local chains: unlimited, because the money there is worth nothing. */
export const localCredit: Credit.ByMode = { live: Credit.unlimited, test: Credit.unlimited }

/** The settings, with defaults for those that are not set. */
export const make = (
  { payouts, testPayouts }: Pick<Settings.Values, "payouts" | "testPayouts">,
  usual: PayoutPolicy.ByMode,
): PayoutPolicy.ByMode => ({ live: payouts ?? usual.live, test: testPayouts ?? usual.test })

/** The defaults of the service whose storage a command opens. */
export const usualIn = (
  { rpc, testRpc }: Pick<Settings.Values, "rpc" | "testRpc">,
  place: Place.Place,
): { readonly payouts: PayoutPolicy.ByMode; readonly credit: Credit.ByMode } =>
  rpc.length + testRpc.length === 0 && place._tag !== "Memory" && Place.exists(place)
    ? { payouts: local, credit: localCredit }
    : { payouts: PayoutPolicy.defaults, credit: Credit.defaults }
