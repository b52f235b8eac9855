/**
 * Paths with ids in them.
 *
 * @module
 */

/** A path with ids in it: at`/payments/${id}`. */
export const at = (parts: TemplateStringsArray, ...ids: ReadonlyArray<string>): string =>
  String.raw({ raw: parts }, ...ids.map(encodeURIComponent))
