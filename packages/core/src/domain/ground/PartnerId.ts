/**
 * The id of a partner: the party that owns merchants and holds partner keys.
 *
 * @module
 */
import * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"

export type PartnerId = Brand.Branded<string, "PartnerId">
export const PartnerId = Schema.String.check(Schema.isPattern(/^prtn_[0-9A-Za-z]{1,64}$/u)).pipe(
  Schema.fromBrand("PartnerId", Brand.nominal<PartnerId>()),
)
