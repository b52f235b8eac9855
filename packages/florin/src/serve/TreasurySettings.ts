/**
 * The accounts to which the operator's own money may go, from the settings of the service.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Treasury from "@florin/core/domain/outflow/Treasury"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

/** The checksum is required: money that is sent to a mistyped address is lost. */
export const account = {
  metavar: "ACCOUNT",
  expected: "an account with its chain, such as eip155:8453:0x…, with the capitals of its checksum",
  read: (given: string): Option.Option<Caip.Account> =>
    Option.filter(
      Result.getSuccess(Eip155.parseAccount(given)),
      (each) => Eip155.formatAccount(each) === given,
    ),
}

interface Values {
  readonly treasury: ReadonlyArray<Caip.Account>
  readonly sweep: ReadonlyArray<Caip.Account>
  readonly hotMax: number | null
  readonly sweepHours: number
}

const hourInMs = 60 * 60 * 1000

export const policy = ({ hotMax, sweep, sweepHours, treasury }: Values): Treasury.Policy => ({
  accounts: treasury,
  sweep:
    hotMax === null || sweep.length === 0
      ? null
      : { to: sweep, hotMax, everyInMs: sweepHours * hourInMs },
})

/** The conflict between settings, and what to do; undefined if there is none. */
export const conflict = ({ hotMax, sweep }: Values): string | undefined => {
  if ((hotMax === null) !== (sweep.length === 0)) {
    return "sweep and hotMax must be set together: sweep is where money is swept to, hotMax how much stays"
  }
  return new Set(sweep.map(({ chainId }) => chainId)).size === sweep.length
    ? undefined
    : "sweep has two accounts of one chain: keep one of them"
}
