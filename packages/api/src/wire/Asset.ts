/**
 * Tokens on the wire: what payments can be asked and paid in.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Text from "./Text.ts"

export interface Asset extends Schema.Schema.Type<typeof Asset> {}
export const Asset = Schema.Struct({
  asset: Text.asset.annotate({
    description: "Its CAIP-19 asset id without `caip19/`, as settlements name it",
    examples: ["eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"],
  }),
  symbol: Schema.String,
  name: Schema.String,
  decimals: Schema.Int,
  peg: Schema.NullOr(Schema.String).annotate({
    description: "The currency that one token is worth one unit of",
  }),
  iconUrl: Schema.String,
  network: Schema.Struct({
    id: Text.chainId.annotate({ description: "The CAIP-2 id of its chain" }),
    name: Schema.String,
    iconUrl: Schema.String,
  }),
  flows: Schema.Array(Schema.String).annotate({
    description:
      "How payers can hand it over, in the operator's order. On EVM chains (`eip155`) `eip3009`, `permit` and `permit2` are signed and cost the payer no gas, except for the first approval of Permit2; `transfer` is sent by the payer's wallet",
  }),
  isOffered: Schema.Boolean.annotate({ description: "Whether payers can pay in it now" }),
  minimum: Schema.NullOr(Text.quantity).annotate({
    description: "Payments below this are not offered in it, in its smallest unit",
  }),
  reason: Schema.NullOr(Schema.String).annotate({ description: "Why it is not offered now" }),
}).annotate({ identifier: "Asset" })

export interface List extends Schema.Schema.Type<typeof List> {}
export const List = Schema.Struct({ assets: Schema.Array(Asset) }).annotate({
  identifier: "AssetList",
})
