/**
 * A list of any length as a table: only the rows on the screen are in the document. On a phone a row has two lines.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { List } from "./Api.ts"
import { Empty, type EmptyText, State, Time } from "./Pieces.tsx"
import { ProblemNote } from "./Problem.tsx"
import * as Reader from "./Reader.ts"
import { Link } from "./Route.tsx"
import * as Texts from "./Texts.ts"

export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ComponentChildren
  /**
   * Its place on a phone: on the first line at the start or end, on the second one at the start or end, or nowhere. The
   * title is the link of the row.
   */
  readonly place: "title" | "end" | "below" | "belowEnd" | "wide"
  /** Its part of the width, or its own width in `grid-template-columns`. */
  readonly width: number | string
  /** Aligned at the end, as numbers are. */
  readonly isNumber?: boolean
}

/** A column of texts. */
export const column = <Row,>(
  name: string,
  place: Column<Row>["place"],
  width: number | string,
  cell: Column<Row>["cell"],
): Column<Row> => ({ name, place, width, cell })

/** A column of amounts or counts, which are aligned at the end. */
export const numbers = <Row,>(...of: Parameters<typeof column<Row>>): Column<Row> => ({
  ...column(...of),
  isNumber: true,
})

/** When something happened to each row. */
export const times = <Row,>(
  name: string,
  place: Column<Row>["place"],
  at: (row: Row) => string,
): Column<Row> => numbers(name, place, "8rem", (row) => <Time at={at(row)} />)

/** The state of each row, in a word. */
export const states = <Row, S extends string>(
  name: string,
  place: Column<Row>["place"],
  of: (row: Row) => S,
  texts: { readonly [Name in S]: string },
): Column<Row> => column(name, place, "8rem", (row) => <State is={of(row)} texts={texts} />)

/** Rows beyond the screen, on each side. */
const beyond = 4
const rowsMax = 60
const guessInPx = 52
/** How many rows before the end the next page is loaded. */
const ahead = 20

export const Table = <Row,>({
  name,
  columns,
  list,
  to,
  empty,
}: {
  readonly name: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly list: List<Row, unknown>
  /** Where a row leads, if anywhere. */
  readonly to?: ((row: Row) => string) | undefined
  readonly empty: EmptyText
}) => {
  const body = useRef<HTMLDivElement>(null)
  const [seen, setSeen] = useState({ first: 0, count: 30, heightInPx: guessInPx })
  const { more, moreError, rows = [] } = list
  const total = rows.length

  const look = () => {
    const element = body.current
    if (element === null) return
    const heightInPx =
      element.querySelector("[data-row]")?.getBoundingClientRect().height ?? seen.heightInPx
    const above = Math.max(0, -element.getBoundingClientRect().top)
    const first = Math.max(0, Math.min(Math.floor(above / heightInPx) - beyond, total - 1))
    const count = Math.min(rowsMax, Math.ceil(innerHeight / heightInPx) + 2 * beyond)
    setSeen((was) =>
      was.first === first && was.count === count && was.heightInPx === heightInPx
        ? was
        : { first, count, heightInPx },
    )
  }
  useLayoutEffect(look, [total])
  // The listeners stay, and always see the newest rows: a scroll that comes between two renders would not come again.
  const latest = useRef(look)
  latest.current = look
  useEffect(() => {
    const listener = () => latest.current()
    addEventListener("scroll", listener, { passive: true })
    addEventListener("resize", listener)
    return () => {
      removeEventListener("scroll", listener)
      removeEventListener("resize", listener)
    }
  }, [])
  const end = Math.min(total, seen.first + seen.count)
  useEffect(() => {
    if (more !== undefined && end >= total - ahead) more()
  }, [end, total, more === undefined])

  if (rows.length === 0) return <Empty {...empty} />
  const template = columns
    .map(({ width }) => (typeof width === "string" ? width : `minmax(0, ${width}fr)`))
    .join(" ")
  const classOf = ({ isNumber = false, place }: Column<Row>) =>
    `${place}${isNumber ? " number" : ""}`
  return (
    <div>
      <div
        class={`table${list.isLoading ? " loading" : ""}`}
        role="table"
        aria-label={name}
        aria-rowcount={more === undefined ? total + 1 : -1}
        style={{ "--columns": template }}
      >
        <div role="rowgroup" class="head">
          <div role="row" class="row">
            {columns.map((each) => (
              <span key={each.name} role="columnheader" class={classOf(each)}>
                {each.name}
              </span>
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          ref={body}
          style={{
            paddingTop: `${seen.first * seen.heightInPx}px`,
            paddingBottom: `${(total - end) * seen.heightInPx}px`,
          }}
        >
          {rows.slice(seen.first, end).map((row, index) => (
            <div
              key={list.idOf(row)}
              role="row"
              class="row"
              data-row
              aria-rowindex={seen.first + index + 2}
            >
              {columns.map((each) => (
                <span key={each.name} role="cell" class={classOf(each)}>
                  {each.place === "title" && to !== undefined ? (
                    <Link to={to(row)} class="rowLink">
                      {each.cell(row)}
                    </Link>
                  ) : (
                    each.cell(row)
                  )}
                </span>
              ))}
            </div>
          ))}
        </div>
      </div>
      {moreError !== undefined ? (
        <ProblemNote error={moreError} retry={more} />
      ) : (
        more !== undefined && <p class="note tableEnd">{Texts.texts.more}</p>
      )}
      <p class="unseen" role="status">
        {Texts.texts.rows(Reader.count(total))}
      </p>
    </div>
  )
}

/** Moves the focus to the next or previous row. */
export const moveRow = (by: 1 | -1): void => {
  const links = [...document.querySelectorAll<HTMLElement>(".rowLink")]
  const at = links.findIndex((link) => link === document.activeElement)
  const link = links[at === -1 ? (by === 1 ? 0 : links.length - 1) : at + by]
  link?.focus()
  link?.scrollIntoView({ block: "nearest" })
}
