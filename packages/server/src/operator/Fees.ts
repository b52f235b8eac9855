/**
 * Fees as an operator writes them.
 *
 * @module
 */
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import * as Amount from "@florin/core/domain/money/Amount"
import * as FeeTerms from "@florin/core/domain/money/Fees"
import * as Result from "effect/Result"

interface FixedFee {
  readonly unit: string
  readonly value: string
}

/** What a payment costs its merchant. A part that is not named stays. */
export interface Fees {
  /**
   * A fixed amount for each payment, in minor units of a currency: `{ unit: "iso4217/USD", value: "10" }` is 0.10 USD.
   * It may be stated in several currencies. For a payment in none of them, the first one is converted.
   */
  readonly fixed?: ReadonlyArray<FixedFee>
  /** A share of the paid amount: `"0.4"` is 0.4 %. */
  readonly percentage?: string
  /** Whether refunds return the fee in proportion. By default never, except for what the payment's share lacks. */
  readonly returned?: FeeTerms.Returned
}

const fixedOf = (
  fixed: FixedFee,
  catalog: Catalog.Catalog,
): Result.Result<FeeTerms.Fixed, Amount.InvalidAmount | FeeTerms.InvalidFees> =>
  Result.flatMap(Amount.parse(fixed, catalog), ({ quantity, unit }) =>
    unit._tag === "Fiat"
      ? Result.succeed({ currency: unit.currency, quantity })
      : Result.fail(
          new FeeTerms.InvalidFees({
            field: "fixed",
            message: "the fixed fee is in a currency, such as iso4217/USD, and not in a token",
          }),
        ),
  )

/** Reads the parts of fees that are named. */
export const read = ({ fixed, percentage, returned }: Fees, catalog: Catalog.Catalog) =>
  Result.gen(function* () {
    const parts: Array<FeeTerms.Fixed> = []
    for (const each of fixed ?? []) parts.push(yield* fixedOf(each, catalog))
    return {
      fixed: fixed === undefined ? undefined : yield* FeeTerms.makeFixed(parts),
      percentage:
        percentage === undefined ? undefined : yield* FeeTerms.parsePercentage(percentage),
      returned,
    }
  }).pipe(
    Result.mapError(
      ({ field, message }) =>
        new Invalid.InvalidInput({ issues: [Invalid.issue(`fees.${field}`, message)] }),
    ),
  )
