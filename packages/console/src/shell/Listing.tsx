/**
 * The screen of a list, by its description: what it is called, where it comes from, how it is filtered, what is shown of a
 * row, in columns of a table or as a card, and what is said if there is none.
 *
 * @module
 */
import { type ComponentChildren, Fragment } from "preact"
import { type List, type Rows, useRows } from "./Api.ts"
import { Detail, type Part } from "./Detail.tsx"
import { asked, type Filter } from "./Filter.ts"
import { Filters } from "./Filters.tsx"
import { type Back, Button, Empty, type EmptyText } from "./Pieces.tsx"
import { ProblemNote } from "./Problem.tsx"
import { Link, usePlace } from "./Route.tsx"
import { type Column, Table } from "./Table.tsx"
import * as Texts from "./Texts.ts"

/** The texts of a list, as the messages have them. */
interface ListTexts {
  readonly title: string
  readonly note?: string
  readonly none: EmptyText
  /** If there is none that the filters match, and there is more to say about that. */
  readonly noMatch?: EmptyText
}

interface Listing<Row, Page> extends Rows<Row, Page> {
  readonly texts: ListTexts
  /** Stands in place of the note of the texts. */
  readonly note?: Part<Page>
  readonly back?: Back
  readonly actions?: (list: List<Row, Page>) => ComponentChildren
  readonly filters?: ReadonlyArray<Filter>
  /** Narrows what the API does not filter. */
  readonly matches?: (row: Row, query: URLSearchParams) => boolean
  readonly columns?: ReadonlyArray<Column<Row>>
  readonly to?: (row: Row) => string
  /** What is shown of a row in place of columns. */
  readonly card?: (row: Row) => ComponentChildren
  /** Cards stand below each other, or next to each other where there is room. */
  readonly look?: "findings" | "cards"
  /** What to do next if there is none. */
  readonly next?: ComponentChildren
  /** What is below, such as a row that is open. Below cards it can stand for what there is. */
  readonly below?: (page: Page, list: List<Row, Page>) => ComponentChildren
}

/** Loads the next page of a list that does not do so by itself. */
export const More = <Row, Page>({ of: { more, moreError } }: { readonly of: List<Row, Page> }) =>
  moreError === undefined ? (
    more !== undefined && (
      <Button look="quiet" onClick={more}>
        {Texts.texts.showMore}
      </Button>
    )
  ) : (
    <ProblemNote error={moreError} retry={more} />
  )

export const Listing = <Row, Page extends object>({
  actions,
  back,
  below,
  card,
  columns = [],
  filters = [],
  look = "findings",
  matches = () => true,
  next,
  note,
  texts,
  to,
  ...source
}: Listing<Row, Page>) => {
  const { path, query } = usePlace()
  const all = useRows({ ...source, query: { ...source.query, ...asked(filters, query) } })
  const list = { ...all, rows: all.rows?.filter((row) => matches(row, query)) }
  const { rows = [], value } = list
  const isNarrowed = filters.some(({ name }) => query.has(name))
  const filterTexts = Texts.texts.filters
  const { noMatch = filterTexts.none, none, title } = texts
  const empty = isNarrowed
    ? { ...noMatch, action: <Link to={path}>{filterTexts.clear}</Link> }
    : { ...none, action: next }
  const others = value !== undefined && (below?.(value, list) ?? false)
  return (
    <Detail
      of={list}
      back={back}
      name={title}
      note={note ?? texts.note}
      acts={actions?.(list)}
      above={<Filters filters={filters} />}
      main={() => (
        <>
          {card === undefined ? (
            <Table name={title} columns={columns} list={list} to={to} empty={empty} />
          ) : rows.length > 0 ? (
            <>
              <ul class={look}>
                {rows.map((row) => (
                  <Fragment key={list.idOf(row)}>{card(row)}</Fragment>
                ))}
              </ul>
              <More of={list} />
            </>
          ) : (
            others === false && <Empty {...empty} />
          )}
          {others}
        </>
      )}
    />
  )
}
