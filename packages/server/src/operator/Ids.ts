/**
 * Reads ids that a query or a body names.
 *
 * @module
 */
import * as Invalid from "@florin/core/domain/ground/Invalid"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const isPartnerId = Schema.is(PartnerId.PartnerId)

export const partnerId = (text: string): Result.Result<PartnerId.PartnerId, Invalid.InvalidInput> =>
  isPartnerId(text)
    ? Result.succeed(text)
    : Invalid.fail("partnerId", "must be the id of a partner, prtn_…")
