/**
 * The type of ids: they compare byte by byte.
 *
 * @module
 */

export const id = `text COLLATE "C"`
