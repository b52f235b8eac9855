/**
 * The accounts that the operator's own money may be sent to, and what is swept there. Each process decides by its own
 * settings, and by default nothing leaves.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Treasury from "../domain/outflow/Treasury.ts"

export const TreasuryPolicy = Context.Reference<Treasury.Policy>(
  "@florin/core/ports/TreasuryPolicy",
  { defaultValue: () => Treasury.closedPolicy },
)
