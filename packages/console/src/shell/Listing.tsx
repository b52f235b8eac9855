/**
 * The screen of a list, by its description: what it is called, where it comes from, how it is filtered, what a row shows
 * and opens, and what is said if there is none.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import { type Rows, useRows } from "./Api.ts"
import { asked, type Filter } from "./Filter.ts"
import { Filters } from "./Filters.tsx"
import type { List } from "./Load.ts"
import { type EmptyText, Head } from "./Pieces.tsx"
import { Link, usePlace } from "./Route.tsx"
import { type Column, Table } from "./Table.tsx"
import * as Texts from "./Texts.ts"

interface Listing<Row, Page> extends Omit<Rows<Row, Page>, "query"> {
  readonly title: string
  readonly note: string | ((page: Page) => ComponentChildren)
  readonly actions?: (list: List<Row, Page>) => ComponentChildren
  readonly filters?: ReadonlyArray<Filter>
  /** Narrows a list that comes in one piece, which the API does not filter. */
  readonly matches?: (row: Row, query: URLSearchParams) => boolean
  readonly columns: ReadonlyArray<Column<Row>>
  /** Where a row leads. */
  readonly to?: (row: Row) => string
  readonly none: EmptyText
  /** If there is none that the filters match. */
  readonly noMatch?: EmptyText
  /** What is below the table, such as a row that is open. */
  readonly below?: (rows: ReadonlyArray<Row>) => ComponentChildren
}

export const Listing = <Row, Page extends object>({
  actions,
  below,
  columns,
  filters = [],
  idOf,
  isLive = true,
  matches = () => true,
  noMatch,
  none,
  note,
  title,
  to,
  ...source
}: Listing<Row, Page>) => {
  const { path, query } = usePlace()
  const texts = Texts.texts.filters
  const wanted = asked(filters, query)
  const all = useRows({ ...source, idOf, isLive, query: source.isWhole === true ? {} : wanted })
  const list = { ...all, rows: all.rows?.filter((row) => matches(row, query)) }
  const clear = <Link to={path}>{texts.clear}</Link>
  return (
    <>
      <Head
        title={title}
        note={typeof note === "string" ? note : list.extra !== undefined && note(list.extra)}
      >
        {actions?.(list)}
      </Head>
      <Filters filters={filters} />
      <Table
        name={title}
        columns={columns}
        list={list}
        idOf={idOf}
        {...(to !== undefined && { to })}
        empty={
          noMatch !== undefined && Object.keys(wanted).length > 0
            ? { ...noMatch, action: clear }
            : none
        }
      />
      {list.rows !== undefined && below?.(list.rows)}
    </>
  )
}
