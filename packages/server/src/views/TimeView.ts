/**
 * Times as the wire shows them.
 *
 * @module
 */
import * as Rfc3339 from "@florin/core/domain/ground/Rfc3339"

export const iso = Rfc3339.format

export const isoOrNull = (at: number | null | undefined): string | null =>
  at === null || at === undefined ? null : iso(at)
