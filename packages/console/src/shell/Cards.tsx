/**
 * The screen of a list whose rows are cards, by its description: what it is called, where it comes from, how it is
 * filtered, and what is said if there is none.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import { useRead } from "./Api.ts"
import { asked, type Filter } from "./Filter.ts"
import { Filters } from "./Filters.tsx"
import type { Loaded } from "./Load.ts"
import { type Back, Empty, type EmptyText, Head } from "./Pieces.tsx"
import { usePlace } from "./Route.tsx"
import { Shown } from "./Shown.tsx"

interface Description<Page, Row> {
  readonly title: string
  readonly note: ComponentChildren
  readonly back?: Back
  readonly actions?: (read: Loaded<Page>) => ComponentChildren
  readonly path: string
  readonly query?: { readonly [name: string]: string | number | undefined }
  readonly filters?: ReadonlyArray<Filter>
  readonly rows: (page: Page) => ReadonlyArray<Row>
  /** Below each other, or next to each other where there is room. */
  readonly look?: "findings" | "cards"
  readonly none: EmptyText
  readonly card: (row: Row, reload: () => void) => ComponentChildren
  /** What is below the cards, or false. If there is anything, it is not said that there is nothing. */
  readonly below?: (page: Page) => ComponentChildren
}

export const Cards = <Page extends object, Row>({
  actions,
  back,
  below,
  card,
  filters = [],
  look = "findings",
  none,
  note,
  path,
  query = {},
  rows,
  title,
}: Description<Page, Row>) => {
  const place = usePlace()
  const read = useRead<Page>(path, { ...query, ...asked(filters, place.query) })
  return (
    <>
      <Head title={title} note={note} {...(back !== undefined && { back })}>
        {actions?.(read)}
      </Head>
      <Filters filters={filters} />
      <Shown of={read}>
        {(page) => {
          const found = rows(page)
          const others = below?.(page) ?? false
          return (
            <>
              {found.length === 0 && others === false && <Empty {...none} />}
              {found.length > 0 && (
                <ul class={look}>{found.map((row) => card(row, read.reload))}</ul>
              )}
              {others}
            </>
          )
        }}
      </Shown>
    </>
  )
}
