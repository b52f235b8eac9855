/**
 * Writes lines of CSV (RFC 4180) that are safe to open in a spreadsheet: no value becomes a formula, and every character
 * is seen.
 *
 * @module
 */
import * as Unseen from "../ground/Unseen.ts"

const startsFormula = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/u

const number = /^-?[0-9]+(?:\.[0-9]+)?$/u

/** A spreadsheet shows what follows the apostrophe as text. A number is no formula, and can be summed. */
const harmless = (value: string): string =>
  startsFormula.test(value) && !number.test(value) ? `'${value}` : value

const quoted = (value: string): string =>
  /[",]/u.test(value) ? `"${value.replaceAll('"', '""')}"` : value

/**
 * @example
 * Csv.line(["a,b", "=1+1"]) // "\"a,b\",'=1+1\r\n"
 */
export const line = (values: ReadonlyArray<string>): string =>
  `${values.map((value) => quoted(Unseen.escape(harmless(value)))).join(",")}\r\n`
