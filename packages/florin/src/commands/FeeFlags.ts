/**
 * The fees of payments, as operators write them.
 *
 * @module
 */
import * as Partner from "@florin/api/wire/Partner"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Flag from "effect/cli/Flag"
import * as Result from "effect/Result"
import * as Taken from "../operator/Taken.ts"
import * as Flags from "../terminal/Flags.ts"

/** The fees of payments, as flags. */
export const flags = {
  ...Taken.ofSchema(Partner.FeesRequest, ["fixed"]),
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
      parts.map(({ currency, quantity }) =>
        Amount.format({ unit: Amount.fiat(currency), quantity }, Catalog.empty),
      ),
    ),
    Flag.optional,
  ),
}

const amountOf = ({ unit, value }: Partner.Partner["fees"]["fixed"][number]): string =>
  Result.match(Amount.read("fees", { unit, value }, Catalog.empty), {
    onFailure: () => `${value} ${unit}`,
    onSuccess: (amount) => Amount.toText(amount, Catalog.empty),
  })

/** `0.10 USD + 0.4 %`, from a record of the operator's API. */
export const text = ({ fixed, percentage, returned }: Partner.Partner["fees"]): string =>
  `${fixed.map(amountOf).join(", ")} + ${percentage} %${returned === "never" ? "" : ", returned with refunds"}`
