/**
 * A QR code as an SVG path: one rectangle for each run of dark modules.
 *
 * @module
 */
import { encode } from "uqr"

/** The runs of dark modules in one row, each as a rectangle of the path. */
const rowOf = (row: ReadonlyArray<boolean>, y: number): string =>
  row.map((isDark, x) => (isDark && row[x - 1] !== true ? runFrom(row, x, y) : "")).join("")

const runFrom = (row: ReadonlyArray<boolean>, x: number, y: number): string => {
  const end = row.indexOf(false, x)
  const length = (end === -1 ? row.length : end) - x
  return `M${x} ${y}h${length}v1h-${length}z`
}

/** The dark modules as an SVG path, and the width of the code in modules. */
export const of = (text: string): { readonly path: string; readonly size: number } => {
  // The standard requires a quiet zone of four modules around the code.
  const { data, size } = encode(text, { ecc: "M", border: 4 })
  return { path: data.map(rowOf).join(""), size }
}

/** A whole SVG, dark on white, for a browser that runs no script. */
export const svg = (text: string): string => {
  const { path, size } = of(text)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#0f201b" shape-rendering="crispEdges" d="${path}"/></svg>`
}
