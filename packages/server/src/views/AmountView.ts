/**
 * Amounts as the wire shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Amount"
import * as Amount from "@florin/core/domain/Amount"

/** Addresses of the drawings that we serve. */
export interface Icons {
  readonly of: (name: string) => string
}

export const icons = (publicUrl: string): Icons => ({
  of: (name) => `${publicUrl}/icons/${name}.svg`,
})

const display = (unit: Amount.Unit, { of }: Icons): Wire.Display => {
  const { assetName, assetSymbol, decimals, icon, network } = Amount.display(unit)
  return {
    assetName,
    assetSymbol,
    decimals,
    iconUrl: of(icon),
    ...(network && { networkName: network.name, networkIconUrl: of(network.icon) }),
  }
}

/** An amount with what a person is shown beside it. */
export const of = (amount: Amount.Amount, from: Icons): Wire.Amount => ({
  ...Amount.format(amount),
  display: display(amount.unit, from),
})
