/**
 * Fees as an operator writes them.
 *
 * @module
 */
import type * as WireAmount from "@florin/api/wire/Amount"
import type * as Wire from "@florin/api/wire/Partner"
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import * as Amount from "@florin/core/domain/money/Amount"
import * as FeeTerms from "@florin/core/domain/money/Fees"
import * as Result from "effect/Result"

/** A part that is not named stays. */
type Fees = NonNullable<Wire.ChangeRequest["fees"]>

const fixedOf = (
  fixed: WireAmount.Quantity,
  catalog: Catalog.Catalog,
): Result.Result<Amount.OfCurrency, Invalid.InvalidInput> =>
  Result.flatMap(Amount.read("fees", fixed, catalog), ({ quantity, unit }) =>
    unit._tag === "Fiat"
      ? Result.succeed({ currency: unit.currency, quantity })
      : Invalid.fail(
          "fees.fixed",
          "the fixed fee is in a currency, such as iso4217/USD, and not in a token",
        ),
  )

/** Reads the parts of fees that are named. */
export const read = ({ fixed, percentage, returned }: Fees, catalog: Catalog.Catalog) =>
  Result.gen(function* () {
    const parts: Array<Amount.OfCurrency> = []
    for (const each of fixed ?? []) parts.push(yield* fixedOf(each, catalog))
    return {
      fixed: fixed === undefined ? undefined : yield* FeeTerms.makeFixed(parts),
      percentage:
        percentage === undefined ? undefined : yield* FeeTerms.parsePercentage(percentage),
      returned,
    }
  })
