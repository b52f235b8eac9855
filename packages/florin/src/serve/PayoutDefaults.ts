/**
 * When merchants are paid out that have no payout policy of their own, and whose partner has none: what the settings of
 * the service say.
 *
 * @module
 */
import * as Credit from "@florin/core/domain/Credit"
import * as PayoutPolicy from "@florin/core/domain/PayoutPolicy"
import * as Result from "effect/Result"
import * as Place from "../access/Place.ts"
import type * as Failure from "../Failure.ts"
import * as ConfigFile from "./ConfigFile.ts"
import * as Setting from "./Setting.ts"
import * as Settings from "./Settings.ts"

/** On local chains gas costs nothing, and whoever tries something out wants to see the payout. */
export const local: PayoutPolicy.ByMode = {
  live: PayoutPolicy.immediate,
  test: PayoutPolicy.immediate,
}

/** What partners may owe on local chains: money that is worth nothing is lent to everybody. */
export const localCredit: Credit.ByMode = { live: Credit.unlimited, test: Credit.unlimited }

/** What is set, and else what is usual. */
export const make = (
  { payouts, testPayouts }: Pick<Settings.Values, "payouts" | "testPayouts">,
  usual: PayoutPolicy.ByMode,
): PayoutPolicy.ByMode => ({ live: payouts ?? usual.live, test: testPayouts ?? usual.test })

/** The defaults of the service whose storage a command opens, as far as the environment says so. */
export const read = (
  env: { readonly [name: string]: string | undefined },
  place: Place.Place,
): Result.Result<PayoutPolicy.ByMode, Failure.CommandFailed> =>
  Result.flatMap(ConfigFile.sources({}, env), (sources) =>
    Result.map(
      Result.all({
        payouts: Setting.read(Settings.payouts, sources),
        rpc: Setting.read(Settings.rpc, sources),
        testPayouts: Setting.read(Settings.testPayouts, sources),
        testRpc: Setting.read(Settings.testRpc, sources),
      }),
      ({ rpc, testRpc, ...given }) => {
        const isLocal =
          rpc.length + testRpc.length === 0 && place._tag !== "Memory" && Place.exists(place)
        return make(given, isLocal ? local : PayoutPolicy.defaults)
      },
    ),
  )
