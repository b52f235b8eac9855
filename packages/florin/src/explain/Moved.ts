/**
 * What a transaction moved instead of the expected amount.
 *
 * @module
 */
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import type * as Money from "@florin/core/domain/ground/Money"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Outflow from "@florin/core/domain/outflow/Outflow"

/** `99.90 USDC of 100.00 USDC arrived, and 100.00 USDC left the account`; null if the expected amount was moved. */
export const toText = (outflow: Outflow.Outflow, catalog: Catalog.Catalog): string | null => {
  const moved = Outflow.astrayOf(outflow)
  if (moved === null) return null
  const { quantity, token } = outflow.movement
  const textOf = (amount: Money.Quantity): string =>
    Amount.toText({ unit: Amount.token(token), quantity: amount }, catalog)
  return `${textOf(moved.transfer.movement.quantity)} of ${textOf(quantity)} arrived, and ${textOf(moved.left)} left the account`
}
