/**
 * What was loaded, and until then that it loads, or why it does not.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import type { Loaded } from "./Load.ts"
import { Empty, type EmptyText, Skeleton } from "./Pieces.tsx"
import { ProblemNote } from "./Problem.tsx"

/** What was loaded, or that it loads, or why it does not. What was loaded before stays under the error. */
export const Shown = <A,>({
  of: { error, reload, value },
  children,
}: {
  readonly of: Pick<Loaded<A>, "error" | "reload" | "value">
  readonly children: (value: A) => ComponentChildren
}) => (
  <>
    {error !== undefined && <ProblemNote error={error} retry={reload} />}
    {value === undefined ? error === undefined && <Skeleton rows={6} /> : children(value)}
  </>
)

/** Cards, one for each row of what was loaded. */
export const Records = <A, Row>({
  of,
  rows,
  empty,
  look = "findings",
  children,
}: {
  readonly of: Loaded<A>
  readonly rows: (value: A) => ReadonlyArray<Row>
  readonly empty: EmptyText
  /** Below each other, or next to each other where there is room. */
  readonly look?: "findings" | "cards"
  readonly children: (row: Row) => ComponentChildren
}) => (
  <Shown of={of}>
    {(value) =>
      rows(value).length === 0 ? (
        <Empty {...empty} />
      ) : (
        <ul class={look}>{rows(value).map(children)}</ul>
      )
    }
  </Shown>
)
