/**
 * Rows under each other, as wide as the terminal at most.
 *
 * @module
 */
import { stdout } from "node:process"
import * as Printable from "./Printable.ts"
import * as Terminal from "./Terminal.ts"

export interface Column<Row> {
  readonly name: string
  readonly of: (row: Row) => string
  /** Cut where the terminal is too narrow; all else is needed whole. */
  readonly isCut?: boolean
}

const gap = "  "
const cutToMin = 8

const lengthOf = (text: string): number => Array.from(text).length

const cut = (text: string, width: number): string =>
  lengthOf(text) > width
    ? `${Array.from(text)
        .slice(0, width - 1)
        .join("")}…`
    : text

/** Lines of a table; without a width they are as long as they need. */
export const lines = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  width: number = Number.POSITIVE_INFINITY,
): ReadonlyArray<string> => {
  const texts = [
    columns.map(({ name }) => name),
    ...rows.map((row) => columns.map(({ of }) => Printable.from(of(row)))),
  ]
  const widths = columns.map((_, index) =>
    Math.max(...texts.map((line) => lengthOf(line[index] ?? ""))),
  )
  let over = widths.reduce((sum, each) => sum + each, gap.length * (columns.length - 1)) - width
  const fitting = widths.map((each, index) => {
    if (over <= 0 || columns[index]?.isCut !== true) return each
    const fits = Math.min(each, Math.max(cutToMin, each - over))
    over -= each - fits
    return fits
  })
  return texts.map((line) =>
    line
      .map((text, index) => {
        const fits = fitting[index] ?? 0
        const shown = cut(text, fits)
        return shown + " ".repeat(fits - lengthOf(shown))
      })
      .join(gap)
      .trimEnd(),
  )
}

const indent = 2

export const print = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>): void => {
  const width = stdout.isTTY ? stdout.columns - indent : undefined
  for (const line of lines(columns, rows, width)) Terminal.plain(line)
}
