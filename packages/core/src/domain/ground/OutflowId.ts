/**
 * The id of outgoing money.
 *
 * @module
 */
import * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"

export type OutflowId = Brand.Branded<string, "OutflowId">
export const OutflowId = Schema.String.check(Schema.isPattern(/^out_[0-9A-Za-z]{1,64}$/u)).pipe(
  Schema.fromBrand("OutflowId", Brand.nominal<OutflowId>()),
)
