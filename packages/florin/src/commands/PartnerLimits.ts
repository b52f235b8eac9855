/**
 * `florin partners limits`: the limits for the payouts and refunds of a partner.
 *
 * @module
 */
import * as Mode from "@florin/core/domain/ground/Mode"
import type * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Credit from "@florin/core/domain/money/Credit"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import * as Merchants from "@florin/core/engine/Merchants"
import { AccountStore, findPartner } from "@florin/core/ports/AccountStore"
import type * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Access from "../storage/Access.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"

/** A limit, or null to remove it. */
const limit = <A>(
  name: string,
  example: string,
  description: string,
  read: (text: string) => Result.Result<A, { readonly message: string }>,
) =>
  Flags.string(name, example, description).pipe(
    Flag.filterMap(
      (text) => (text === "none" ? Option.some(null) : Result.getSuccess(read(text))),
      () => `none, or as ${example}`,
    ),
    Flag.optional,
  )

/** Amounts per day. At least one is needed: use `freeze` to allow nothing at all. */
const perDay = (text: string) =>
  Result.filterOrFail(
    Credit.parse(text),
    (credit) => credit._tag === "Limited" && credit.amounts.length > 0,
    () => ({ message: Flags.creditFormat }),
  )

/** The limits of a partner; a flag that is not given changes nothing. */
export const flags = {
  payoutDelay: limit(
    "payout-delay",
    "24h",
    "Earliest payout of a share after its payment succeeded, in minutes, hours or days (default: none)",
    PartnerLimits.parseDelay,
  ),
  reserve: limit(
    "reserve",
    '"10% 30d"',
    "Part of each share to hold back, and for how long after its payment succeeded (default: none)",
    PartnerLimits.parseReserve,
  ),
  payoutsPerDay: limit(
    "payouts-per-day",
    '"1000 USD"',
    "Maximum of all payouts to its merchants within any 24 hours (default: none)",
    perDay,
  ),
  refundsPerDay: limit(
    "refunds-per-day",
    '"500 USD"',
    "Maximum of all refunds within any 24 hours (default: none)",
    perDay,
  ),
  netsMerchants: Flags.optionalChoice(
    "net-merchants",
    ["yes", "no"],
    "Also pay refunds after the payout from the open shares of its other merchants (default: no)",
  ),
}

interface Given {
  readonly payoutDelay: Option.Option<number | null>
  readonly reserve: Option.Option<PartnerLimits.Reserve | null>
  readonly payoutsPerDay: Option.Option<Credit.Credit | null>
  readonly refundsPerDay: Option.Option<Credit.Credit | null>
  readonly netsMerchants: Option.Option<"yes" | "no">
}

/** The changes that the flags request. */
export const patchOf = (given: Given): PartnerLimits.Patch => ({
  ...(Option.isSome(given.payoutDelay) && { payoutDelayInMs: given.payoutDelay.value }),
  ...(Option.isSome(given.reserve) && { reserve: given.reserve.value }),
  ...(Option.isSome(given.payoutsPerDay) && { payoutsPerDay: given.payoutsPerDay.value }),
  ...(Option.isSome(given.refundsPerDay) && { refundsPerDay: given.refundsPerDay.value }),
  ...(Option.isSome(given.netsMerchants) && {
    netsMerchants: given.netsMerchants.value === "yes",
  }),
})

/** The limits of both modes, as an operator writes them. */
export const asJson = ({ limits }: Merchant.Partner) => ({
  live: PartnerLimits.format(limits?.live ?? PartnerLimits.none),
  test: PartnerLimits.format(limits?.test ?? PartnerLimits.none),
})

/** Sets or shows the limits of the partner that the argument names. */
export const command = (partnerId: Argument.Argument<PartnerId.PartnerId>) =>
  Command.make(
    "limits",
    {
      partnerId,
      ...flags,
      mode: Flags.choice("mode", Mode.Mode.literals, "Live or test money (default: live)").pipe(
        Flag.withDefault("live" as const),
      ),
      ...Access.flags,
    },
    Effect.fnUntraced(function* (options) {
      const { mode, partnerId: id } = options
      const patch = patchOf(options)
      const partner = yield* (
        Object.keys(patch).length === 0
          ? Effect.flatMap(AccountStore, (accounts) => findPartner(accounts, id))
          : Merchants.changePartner(id, { limits: { [mode]: patch } })
      ).pipe(Access.inStorage(options, "florin partners limits"))
      const limits = asJson(partner)
      if (options.json) return Terminal.json({ partnerId: id, limits })
      const { netsMerchants, payoutDelay, payoutsPerDay, refundsPerDay, reserve } = limits[mode]
      Terminal.heading(`The ${mode} limits of ${id}`)
      Terminal.fact("payout delay", payoutDelay ?? "none")
      Terminal.fact("reserve", reserve ?? "none")
      Terminal.fact("payouts per day", payoutsPerDay ?? "none")
      Terminal.fact("refunds per day", refundsPerDay ?? "none")
      Terminal.fact("net merchants", netsMerchants ? "yes" : "no")
    }),
  ).pipe(
    Command.withDescription(
      "Set or show the limits of a partner's payouts and refunds. A flag that is not given changes nothing; none removes a limit. Payouts and refunds that wait for a limit are sent automatically: `florin stuck` shows when.",
    ),
    Command.withShortDescription("Set or show a partner's payout and refund limits"),
    Command.withExamples([
      { command: 'florin partners limits prtn_… --payout-delay 24h --reserve "10% 30d"' },
      { command: 'florin partners limits prtn_… --refunds-per-day "500 USD, 500 EUR"' },
      { command: "florin partners limits prtn_…" },
    ]),
  )
