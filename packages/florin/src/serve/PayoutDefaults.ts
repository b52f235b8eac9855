/**
 * The default payout policy of merchants that have none of their own and whose partner has none, from the settings of
 * the service.
 *
 * @module
 */
import * as Credit from "@florin/core/domain/money/Credit"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as Result from "effect/Result"
import * as Place from "../access/Place.ts"
import type * as Failure from "../terminal/Failure.ts"
import * as ConfigFile from "./ConfigFile.ts"
import * as Setting from "./Setting.ts"
import * as Settings from "./Settings.ts"

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

/** The defaults of the service whose storage a command opens, as far as the environment sets them. */
export const read = (
  env: { readonly [name: string]: string | undefined },
  place: Place.Place,
): Result.Result<PayoutPolicy.ByMode, Failure.CommandFailed> =>
  Result.flatMap(ConfigFile.sources({}, env), (sources) =>
    Result.map(
      Result.all({
        payouts: Setting.read(Settings.rows.payouts, sources),
        rpc: Setting.read(Settings.rows.rpc, sources),
        testPayouts: Setting.read(Settings.rows.testPayouts, sources),
        testRpc: Setting.read(Settings.rows.testRpc, sources),
      }),
      ({ rpc, testRpc, ...given }) => {
        const isLocal =
          rpc.length + testRpc.length === 0 && place._tag !== "Memory" && Place.exists(place)
        return make(given, isLocal ? local : PayoutPolicy.defaults)
      },
    ),
  )
