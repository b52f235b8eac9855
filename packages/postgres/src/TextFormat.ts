/**
 * Values of PostgreSQL's text format, read as the driver of our own connections reads them: each type of a column is the
 * same in JavaScript whoever sent the statement.
 *
 * @module
 */
import { hexToBytes } from "@noble/hashes/utils.js"

const asIs = (text: string): string => text

const parsers = new Map<number, (text: string) => unknown>([
  [16, (text) => text === "t"],
  [17, (text) => hexToBytes(text.slice(2))],
  [20, BigInt],
  [21, Number],
  [23, Number],
  [26, Number],
  [114, JSON.parse],
  [700, Number],
  [701, Number],
  [3802, JSON.parse],
])

/** The reader of a type, by its OID. */
export const parserOf = (oid: number): ((text: string) => unknown) => parsers.get(oid) ?? asIs
