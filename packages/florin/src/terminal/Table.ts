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
  /** Cut where the terminal is too narrow; all else is needed whole, and goes below where it does not fit. */
  readonly isCut?: boolean
  /** Words, which are broken between two of them where they go below. */
  readonly isProse?: boolean
}

const gap = "  "
/** How a column says that there is nothing. */
const none = "-"
const cutToMin = 8

const lengthOf = (text: string): number => Array.from(text).length

const cut = (text: string, width: number): string =>
  lengthOf(text) > width
    ? `${Array.from(text)
        .slice(0, width - 1)
        .join("")}…`
    : text

/** The lines of the names and of each row: one each, and more where what is needed whole does not fit on one. */
const blocks = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  texts: ReadonlyArray<ReadonlyArray<string>>,
  width: number,
): ReadonlyArray<ReadonlyArray<string>> => {
  const widths = columns.map((_, index) =>
    texts.reduce((widest, line) => Math.max(widest, lengthOf(line[index] ?? "")), 0),
  )
  let over = widths.reduce((sum, each) => sum + each, gap.length * (columns.length - 1)) - width
  const fitting = widths.map((each, index) => {
    if (over <= 0 || columns[index]?.isCut !== true) return each
    const fits = Math.min(each, Math.max(cutToMin, each - over))
    over -= each - fits
    return fits
  })
  if (over > 0 && columns.length > 1) {
    const last = columns.length - 1
    return blocks(columns.slice(0, last), texts, width).map((block, index) => {
      const below = texts[index]?.[last] ?? ""
      const broken =
        columns[last]?.isProse === true ? Terminal.rows(below, width - gap.length) : [below]
      // What says nothing needs no line.
      return block.concat(broken.flatMap((row) => (row === "" || row === none ? [] : [gap + row])))
    })
  }
  return texts.map((line) => [
    fitting
      .map((fits, index) => {
        const shown = cut(line[index] ?? "", fits)
        return shown + " ".repeat(fits - lengthOf(shown))
      })
      .join(gap)
      .trimEnd(),
  ])
}

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
  return blocks(columns, texts, width).flat()
}

const indent = 2

export const print = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>): void => {
  const width = stdout.isTTY ? stdout.columns - indent : undefined
  for (const line of lines(columns, rows, width)) Terminal.plain(line)
}
