/**
 * Prints rows as a table that is at most as wide as the terminal.
 *
 * @module
 */
import { stdout } from "node:process"
import * as Hint from "./Hint.ts"
import * as Printable from "./Printable.ts"
import * as Terminal from "./Terminal.ts"

export interface Column<Row> {
  readonly name: string
  readonly of: (row: Row) => string
  /**
   * Truncated if the terminal is too narrow. Other columns are printed in full; if they do not fit, below the row and
   * with their name.
   */
  readonly isCut?: boolean
  /** Our own prose, which is wrapped between words below the row. Its commands are made pasteable. */
  readonly isProse?: boolean
  /** Left out if the terminal is still too narrow, the last one first. */
  readonly isOptional?: boolean
  readonly style?: (row: Row) => Terminal.Style
}

/** The words of a heading. */
interface Counted {
  readonly name: string
  readonly none: string
  readonly count?: number
}

const gap = "  "
/** The text of an empty cell. */
const none = "-"
const cutToMin = 8

/** East Asian letters and emoji, which take two columns of a terminal. */
const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}\p{Emoji_Presentation}]/gu

/** The columns of a terminal that a text takes, one for each character of most. Accents take none. */
const lengthOf = (text: string): number =>
  /^[ -~]*$/u.test(text)
    ? text.length
    : Array.from(text.replaceAll(/\p{Mn}/gu, "").replaceAll(wide, "  ")).length

const cut = (text: string, width: number): string => {
  if (lengthOf(text) <= width) return text
  const shown = Array.from(text).slice(0, width - 1)
  while (lengthOf(shown.join("")) >= width) shown.pop()
  return `${shown.join("")}…`
}

/** The lines of the header and of each row: one each, and more if a column that must be complete does not fit. */
const blocks = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  texts: ReadonlyArray<ReadonlyArray<string>>,
  rows: ReadonlyArray<Row>,
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
  const optional = columns.findLastIndex(({ isOptional }) => isOptional === true)
  if (over > 0 && optional >= 0) {
    const isLeft = (_: unknown, index: number) => index !== optional
    return blocks(
      columns.filter(isLeft),
      texts.map((line) => line.filter(isLeft)),
      rows,
      width,
    )
  }
  if (over > 0 && columns.length > 1) {
    const last = columns.length - 1
    return blocks(columns.slice(0, last), texts, rows, width).map((block, index) => {
      const below = texts[index]?.[last] ?? ""
      // The header has no line below, because each of these has its label. An empty cell needs none.
      if (index === 0 || below === "" || below === none) return block
      const label = `${columns[last]?.name}:`
      const text = `${label} ${below}`
      const room = width - gap.length
      const whole = lengthOf(text) > room ? [label, gap + below] : [text]
      const broken = columns[last]?.isProse === true ? Terminal.rows(text, room) : whole
      return block.concat(broken.map((row) => gap + row))
    })
  }
  return texts.map((line, number) => [
    fitting
      .map((fits, index) => {
        const shown = cut(line[index] ?? "", fits)
        // The header comes before the rows.
        const row = rows[number - 1]
        const style = row === undefined ? undefined : columns[index]?.style?.(row)
        return (
          (style === undefined ? shown : Terminal.applyStyle(style, shown)) +
          " ".repeat(fits - lengthOf(shown))
        )
      })
      .join(gap)
      .trimEnd(),
  ])
}

/** The lines of a table; without a width they are as long as they need. */
export const lines = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  width: number = Number.POSITIVE_INFINITY,
): ReadonlyArray<string> => {
  const texts = [
    columns.map(({ name }) => name),
    ...rows.map((row) =>
      columns.map(({ isProse, of }) =>
        isProse === true ? Hint.makePasteable(Printable.output(of(row))) : Printable.from(of(row)),
      ),
    ),
  ]
  return blocks(columns, texts, rows, width).flat()
}

const indent = 2

/** A column that is empty in each row is left out. */
export const print = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>): void => {
  const width = stdout.isTTY ? Terminal.width() - indent : undefined
  const filled = columns.filter(({ of }) => rows.some((row) => of(row) !== none))
  for (const line of lines(filled, rows, width)) Terminal.plain(line)
}

/** Prints the rows, or that there are none. */
export const list = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  whenEmpty: string,
): void => (rows.length === 0 ? Terminal.plain(whenEmpty) : print(columns, rows))

/** The same below a heading: how many there are, of which these rows may be a page. */
export const counted = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  { count = rows.length, name, none: whenEmpty }: Counted,
): void => {
  Terminal.heading(count === 0 ? whenEmpty : `${name}: ${count}`)
  if (rows.length > 0) print(columns, rows)
}
