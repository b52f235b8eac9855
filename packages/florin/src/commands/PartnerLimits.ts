/**
 * `florin partners limits`: what bounds the payouts and refunds of a partner.
 *
 * @module
 */
import * as Credit from "@florin/core/domain/Credit"
import type * as Merchant from "@florin/core/domain/Merchant"
import * as Mode from "@florin/core/domain/Mode"
import * as PartnerLimits from "@florin/core/domain/PartnerLimits"
import * as Merchants from "@florin/core/engine/Merchants"
import { AccountStore } from "@florin/core/ports/AccountStore"
import type * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Access from "../access/Access.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"

/** A limit, or null to take it away. */
const limit = <A>(
  name: string,
  example: string,
  description: string,
  read: (text: string) => Result.Result<A, { readonly message: string }>,
) =>
  Flag.String(name).pipe(
    Flag.withMetavar(example),
    Flag.withDescription(description),
    Flag.filterMap(
      (text) => (text === "none" ? Option.some(null) : Result.getSuccess(read(text))),
      () => `none, or as ${example}`,
    ),
    Flag.optional,
  )

/** Amounts for a day; nothing at all is what `freeze` is for. */
const perDay = (text: string) =>
  Result.filterOrFail(
    Credit.parse(text),
    (credit) => credit._tag === "Limited" && credit.amounts.length > 0,
    () => ({ message: Flags.creditExpected }),
  )

/** What bounds a partner; a flag that is not given changes nothing. */
export const flags = {
  payoutDelay: limit(
    "payout-delay",
    "24h",
    "How long after its payment succeeded a share is paid out at the earliest: minutes, hours or days (none)",
    PartnerLimits.parseDelay,
  ),
  reserve: limit(
    "reserve",
    '"10% 30d"',
    "What of each share is kept back, and how long after its payment succeeded (none)",
    PartnerLimits.parseReserve,
  ),
  payoutsPerDay: limit(
    "payouts-per-day",
    '"1000 USD"',
    "What is paid out to its merchants within any 24 hours at most (none)",
    perDay,
  ),
  refundsPerDay: limit(
    "refunds-per-day",
    '"500 USD"',
    "What is refunded within any 24 hours at most (none)",
    perDay,
  ),
  netsMerchants: Flag.Literals("net-merchants", ["yes", "no"]).pipe(
    Flag.withDescription(
      "Whether a refund after the payout is paid from what its other merchants have coming, too (no)",
    ),
    Flag.optional,
  ),
}

interface Given {
  readonly payoutDelay: Option.Option<number | null>
  readonly reserve: Option.Option<PartnerLimits.Reserve | null>
  readonly payoutsPerDay: Option.Option<Credit.Credit | null>
  readonly refundsPerDay: Option.Option<Credit.Credit | null>
  readonly netsMerchants: Option.Option<"yes" | "no">
}

/** What the flags change. */
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
export const command = (partnerId: Argument.Argument<Merchant.PartnerId>) =>
  Command.make(
    "limits",
    {
      partnerId,
      ...flags,
      mode: Flag.Literals("mode", Mode.Mode.literals).pipe(
        Flag.withDescription("Of live or of test money (live)"),
        Flag.withDefault("live" as const),
      ),
      ...Access.flags,
      json: Flags.json,
    },
    Effect.fnUntraced(function* (options) {
      const { mode, partnerId: id } = options
      const patch = patchOf(options)
      const partner = yield* (
        Object.keys(patch).length === 0
          ? Effect.flatMap(AccountStore, (accounts) => accounts.partner(id))
          : Merchants.setPartnerLimits(id, mode, patch)
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
      "Bound what a partner's merchants are paid and what is refunded for them, or show what bounds them. A flag that is not given changes nothing; none takes a limit away. What waits for a limit goes on by itself: `florin stuck` says when.",
    ),
    Command.withShortDescription("Set what bounds a partner's payouts and refunds"),
    Command.withExamples([
      { command: 'florin partners limits prtn_… --payout-delay 24h --reserve "10% 30d"' },
      { command: 'florin partners limits prtn_… --refunds-per-day "500 USD, 500 EUR"' },
      { command: "florin partners limits prtn_…" },
    ]),
  )
