/**
 * The fees of payments, as operators write them.
 *
 * @module
 */
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Money from "@florin/core/domain/ground/Money"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Flags from "../terminal/Flags.ts"

const percentage = Flags.string("fee-percentage", "0.4", "Fee in percent of the paid amount").pipe(
  Flag.filterMap(
    (text) => Result.getSuccess(Fees.parsePercentage(text)),
    () => "a decimal number from 0 to 100 with at most 6 decimals",
  ),
  Flag.optional,
)

const fixed = Flags.string(
  "fee-fixed",
  '"0.10 USD"',
  "Fixed fee for each payment, in one or several currencies: 0.10 USD, 0.09 EUR",
).pipe(
  Flag.filterMap(
    (text) => Result.getSuccess(Fees.parseFixed(text)),
    () => 'amounts with their currencies, each once, such as "0.10 USD" or "0.10 USD, 0.09 EUR"',
  ),
  Flag.optional,
)

const returned = Flags.optionalChoice(
  "fee-returned",
  ["never", "withRefund"],
  "Whether refunds return the fee in proportion (default: never)",
)

/** The fees of payments, as flags. */
export const flags = { percentage, fixed, returned }

interface WireFees {
  readonly fixed: ReadonlyArray<{ readonly unit: string; readonly value: string }>
  readonly percentage: string
  readonly returned: Fees.Returned | "never"
}

/** The parts of the fees that the flags set, as the operator's API takes them. */
export const asked = (options: {
  readonly percentage: Option.Option<Fees.Percentage>
  readonly fixed: Option.Option<Fees.FixedFee>
  readonly returned: Option.Option<Fees.Returned>
}) => {
  const { fixed: parts, percentage: share, returned: back } = options
  return {
    ...(Option.isSome(share) && { percentage: Fees.formatPercentage(share.value) }),
    ...(Option.isSome(parts) && {
      fixed: Fees.fixedParts(parts.value).map(({ currency, quantity }) => ({
        unit: `iso4217/${currency}`,
        value: String(quantity),
      })),
    }),
    ...(Option.isSome(back) && { returned: back.value }),
  }
}

const amountOf = ({ unit, value }: WireFees["fixed"][number]): string => {
  const currency = unit.replace("iso4217/", "")
  return Amount.isCurrency(currency)
    ? Amount.toText(
        { unit: Amount.fiat(currency), quantity: Money.clamp(BigInt(value), Money.largest) },
        Catalog.empty,
      )
    : `${value} ${unit}`
}

/** `0.10 USD + 0.4 %`, from a record of the operator's API. */
export const text = ({ fixed: parts, percentage: share, returned: back }: WireFees): string =>
  `${parts.map(amountOf).join(", ")} + ${share} %${back === "never" ? "" : ", returned with refunds"}`
