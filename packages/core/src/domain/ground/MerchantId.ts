/**
 * The id of a merchant.
 *
 * @module
 */
import * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"

export type MerchantId = Brand.Branded<string, "MerchantId">
export const MerchantId = Schema.String.check(Schema.isPattern(/^mrch_[0-9A-Za-z]{1,64}$/u)).pipe(
  Schema.fromBrand("MerchantId", Brand.nominal<MerchantId>()),
)
