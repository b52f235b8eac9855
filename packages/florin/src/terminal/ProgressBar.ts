/**
 * The progress of long work, on one line of standard error. Prints nothing if standard error is not a terminal.
 *
 * @module
 */
import { env, stderr } from "node:process"

const widthMax = 30
const widthMin = 5

/** The bar as text; only the figures if there is no room for the bar. */
export const text = (
  done: number,
  total: number,
  columns: number = Number.POSITIVE_INFINITY,
): string => {
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const figures = `${Math.floor(share * 100)} % (${done} of ${total})`
  const width = Math.min(widthMax, columns - figures.length - 1)
  if (width < widthMin) return figures.slice(0, Math.max(0, columns))
  const full = Math.round(share * width)
  return `${"█".repeat(full)}${"░".repeat(width - full)} ${figures}`
}

const indent = "  "

/** A full line would start another one. */
const room = (): number =>
  stderr.columns > 0 ? stderr.columns - indent.length - 1 : Number.POSITIVE_INFINITY

/** Only a terminal that can return to the start of its line shows it. */
const isSeen = (): boolean => stderr.isTTY && env["TERM"] !== "dumb"

export const show = (done: number, total: number): void => {
  if (isSeen()) stderr.write(`\r${indent}${text(done, total, room())}\u001b[K`)
}

/** Removes the bar. */
export const clear = (): void => {
  if (isSeen()) stderr.write("\r\u001b[K")
}
