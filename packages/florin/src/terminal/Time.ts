/**
 * Times as a person and a program read them, in UTC.
 *
 * @module
 */
import * as DateTime from "effect/DateTime"

/** `2026-03-01T12:15:00.000Z` */
export const iso = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))

/** `2026-03-01 12:15` of such a text, in a column whose name says that it is UTC. */
export const minute = (text: string): string => text.slice(0, 16).replace("T", " ")

/** `2026-03-01 12:15:00 (UTC)` */
export const second = (text: string): string => `${text.slice(0, 19).replace("T", " ")} (UTC)`
