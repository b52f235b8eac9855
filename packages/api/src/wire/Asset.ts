/**
 * Tokens on the wire: the assets that payments can be requested and paid in.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Text from "./Text.ts"

export interface Asset extends Schema.Schema.Type<typeof Asset> {}
export const Asset = Schema.Struct({
  asset: Text.asset.annotate({
    description: "The CAIP-19 asset id without `caip19/`, as in settlements",
    examples: ["eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"],
  }),
  symbol: Schema.String,
  name: Schema.String,
  decimals: Schema.Int,
  peg: Schema.NullOr(Schema.String).annotate({
    description: "The currency of which one token is worth one unit",
  }),
  iconUrl: Schema.String,
  network: Schema.Struct({
    id: Text.chainId.annotate({ description: "The CAIP-2 id of the chain" }),
    name: Schema.String,
    iconUrl: Schema.String,
  }),
  flows: Schema.Array(Schema.String).annotate({
    description:
      "The ways to pay with the token, in the operator's order. On EVM chains (`eip155`), the payer signs `eip3009`, `permit` and `permit2` and pays no gas, except for the first approval of Permit2. The payer's wallet sends a `transfer` itself",
  }),
  isOffered: Schema.Boolean.annotate({ description: "Whether payers can pay with the token now" }),
  minimum: Schema.NullOr(Text.quantity).annotate({
    description:
      "The smallest payment for which the token is offered, in the token's smallest unit",
  }),
  reason: Schema.NullOr(Schema.String).annotate({
    description: "Why the token is not offered now",
  }),
}).annotate({ identifier: "Asset" })

export interface List extends Schema.Schema.Type<typeof List> {}
export const List = Schema.Struct({ assets: Schema.Array(Asset) }).annotate({
  identifier: "AssetList",
})
