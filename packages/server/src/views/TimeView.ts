/**
 * Times as the wire shows them.
 *
 * @module
 */
import * as DateTime from "effect/DateTime"

/** Epoch milliseconds as ISO 8601 with milliseconds and Z. */
export const iso = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))

export const isoOrNull = (at: number | null | undefined): string | null =>
  at === null || at === undefined ? null : iso(at)
