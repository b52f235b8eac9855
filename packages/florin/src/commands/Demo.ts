/**
 * `florin demo`: the same as `florin dev --once`, under the name that people look for.
 *
 * @module
 */
import * as Command from "effect/cli/Command"
import * as Option from "effect/Option"
import * as Flags from "../terminal/Flags.ts"
import * as Dev from "./Dev.ts"

export const command = Command.make("demo", { chains: Flags.chains }, ({ chains }) =>
  Dev.run({
    chains,
    once: true,
    collect: false,
    rate: [],
    verbose: false,
    storage: Option.some("memory"),
    directory: ".florin",
    port: Option.none(),
    fieldHeader: Option.none(),
    readyFile: Option.none(),
  }),
).pipe(
  Command.withDescription(
    "Run one payment of every kind on local chains and in memory: pay, settle, refund and reconcile, then exit. The same as florin dev --once.",
  ),
)
