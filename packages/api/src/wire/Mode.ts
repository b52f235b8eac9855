/**
 * Modes on the operator's wire: test money, live money, or both.
 *
 * @module
 */
import * as Domain from "@florin/core/domain/ground/Mode"
import * as Schema from "effect/Schema"

export const mode = Domain.Mode.annotate({ identifier: "Mode", description: "Test or live money" })

/** A member of a request that may leave the mode out. */
export const filter = {
  mode: Schema.optionalKey(
    Domain.Mode.annotate({ description: "Only this mode. Default: test and live" }),
  ),
}
