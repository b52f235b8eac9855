/**
 * How far long work has come, on one line of standard error; nothing where nobody looks.
 *
 * @module
 */
import { stderr } from "node:process"

const barWidth = 30

/** The bar as text. */
export const text = (done: number, total: number): string => {
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const full = Math.round(share * barWidth)
  return `${"█".repeat(full)}${"░".repeat(barWidth - full)} ${Math.floor(share * 100)} % (${done} of ${total})`
}

export const show = (done: number, total: number): void => {
  if (stderr.isTTY) stderr.write(`\r  ${text(done, total)}\u001b[K`)
}

/** Takes it away again. */
export const clear = (): void => {
  if (stderr.isTTY) stderr.write("\r\u001b[K")
}
