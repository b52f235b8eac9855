/**
 * Test or live: which data a key reaches, and whether money is real. The two never mix.
 *
 * @module
 */
import * as Schema from "effect/Schema"

export type Mode = typeof Mode.Type
export const Mode = Schema.Literals(["test", "live"])
