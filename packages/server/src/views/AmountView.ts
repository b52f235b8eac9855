/**
 * Amounts as the wire shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Amount"
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Amount from "@florin/core/domain/money/Amount"

/** The data that amounts are displayed with: the names of tokens, and where the service is. */
export interface Display {
  readonly catalog: Catalog.Catalog
  readonly publicUrl: string
}

export const iconUrl = ({ publicUrl }: Display, name: string): string =>
  `${publicUrl}/icons/${name}.svg`

const unitDisplay = (unit: Amount.Unit, shown: Display): Wire.Display => {
  const { assetName, assetSymbol, decimals, icon, network } = Amount.display(unit, shown.catalog)
  return {
    assetName,
    assetSymbol,
    decimals,
    iconUrl: iconUrl(shown, icon),
    ...(network && { networkName: network.name, networkIconUrl: iconUrl(shown, network.icon) }),
  }
}

/** A unit, with the display data for a person. */
export const unit = (of: Amount.Unit, shown: Display) => ({
  unit: Amount.formatUnit(of, shown.catalog),
  display: unitDisplay(of, shown),
})

/** An amount, with the display data for a person. */
export const of = (amount: Amount.Amount, shown: Display): Wire.Amount => ({
  ...Amount.format(amount, shown.catalog),
  display: unitDisplay(amount.unit, shown),
})

/** The same of a token, such as what a transfer moves or an option pays. */
export const ofToken = (
  { quantity, token }: Pick<Transfer.Movement, "quantity" | "token">,
  shown: Display,
): Wire.Amount => of({ unit: Amount.token(token), quantity }, shown)
