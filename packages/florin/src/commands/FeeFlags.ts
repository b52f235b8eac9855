/**
 * The fees of payments, as operators write them.
 *
 * @module
 */
import type { Partner } from "@florin/api/wire/Partner"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Flags from "../terminal/Flags.ts"

/** The fees of payments, as flags. */
export const flags = {
  percentage: Flags.string("fee-percentage", "0.4", "Fee in percent of the paid amount").pipe(
    Flag.filterMap(
      (text) => Option.map(Result.getSuccess(Fees.parsePercentage(text)), Fees.formatPercentage),
      () => "a decimal number from 0 to 100 with at most 6 decimals",
    ),
    Flag.optional,
  ),
  fixed: Flags.string(
    "fee-fixed",
    '"0.10 USD"',
    "Fixed fee for each payment, in one or several currencies: 0.10 USD, 0.09 EUR",
  ).pipe(
    Flag.filterMap(
      (text) => Result.getSuccess(Fees.parseFixed(text)),
      () => 'amounts with their currencies, each once, such as "0.10 USD" or "0.10 USD, 0.09 EUR"',
    ),
    Flag.map((parts) =>
      Fees.fixedParts(parts).map(({ currency, quantity }) =>
        Amount.format({ unit: Amount.fiat(currency), quantity }, Catalog.empty),
      ),
    ),
    Flag.optional,
  ),
  returned: Flags.optionalChoice(
    "fee-returned",
    ["never", "withRefund"],
    "Whether refunds return the fee in proportion (default: never)",
  ),
}

const amountOf = ({ unit, value }: Partner["fees"]["fixed"][number]): string =>
  Result.match(Amount.parse({ unit, value }, Catalog.empty), {
    onFailure: () => `${value} ${unit}`,
    onSuccess: (amount) => Amount.toText(amount, Catalog.empty),
  })

/** `0.10 USD + 0.4 %`, from a record of the operator's API. */
export const text = ({ fixed, percentage, returned }: Partner["fees"]): string =>
  `${fixed.map(amountOf).join(", ")} + ${percentage} %${returned === "never" ? "" : ", returned with refunds"}`
