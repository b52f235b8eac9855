/**
 * Amounts on the wire.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Text from "./Text.ts"

/** The display data of an amount for a person. A fiat currency has no network. */
export interface Display extends Schema.Schema.Type<typeof Display> {}
export const Display = Schema.Struct({
  assetName: Schema.String,
  assetSymbol: Schema.String,
  decimals: Schema.Int.annotate({
    description: "The number of decimals of the value",
  }),
  iconUrl: Schema.optionalKey(Schema.String),
  networkName: Schema.optionalKey(Schema.String),
  networkIconUrl: Schema.optionalKey(Schema.String),
}).annotate({ identifier: "AmountDisplay" })

/** A quantity in the smallest unit of an asset, as text. */
export interface Quantity extends Schema.Schema.Type<typeof Quantity> {}
export const Quantity = Schema.Struct({
  unit: Text.unit.annotate({
    description: "`caip19/<chain>/<namespace>:<contract>` or `iso4217/<currency>`",
    examples: ["iso4217/USD"],
  }),
  value: Text.quantity.annotate({
    description: "An integer in the smallest unit of the asset",
    examples: ["1234"],
  }),
}).annotate({ identifier: "Quantity" })

export interface Amount extends Schema.Schema.Type<typeof Amount> {}
export const Amount = Schema.Struct({ ...Quantity.fields, display: Display }).annotate({
  identifier: "Amount",
})
