/**
 * Why something failed, in a sentence.
 *
 * @module
 */
import { Refused, Unreachable } from "@florin/client"
import type { ComponentChildren } from "preact"
import type { Loaded } from "./Load.ts"
import { Empty, type EmptyText, Head, Skeleton } from "./Pieces.tsx"
import * as Texts from "./Texts.ts"

/** What happened, and what to do. */
export const sentence = (error: unknown): string => {
  const { problem } = Texts.texts
  if (error instanceof Unreachable) return problem.unreachable
  if (!(error instanceof Refused)) return problem.other
  if (error.status === 401) return problem.signedOut
  if (error.status === 403) return problem.forbidden
  const issues = error.issues.map(({ field, message }) => `${field}: ${message}`).join(". ")
  const said = issues === "" ? error.message : issues
  return said.charAt(0).toUpperCase() + said.slice(1)
}

export const ProblemNote = ({
  error,
  retry,
}: {
  readonly error: unknown
  readonly retry?: () => void
}) => {
  const { problem } = Texts.texts
  return (
    <div class="problem" role="alert">
      <p>{sentence(error)}</p>
      {error instanceof Refused && error.requestId !== "" && (
        <p class="note">
          {problem.request} <code>{error.requestId}</code>
        </p>
      )}
      {retry !== undefined && (
        <button type="button" class="button quiet" onClick={retry}>
          {problem.again}
        </button>
      )}
    </div>
  )
}

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

/** The screen of one record, by its description. */
export const Detail = <A,>({
  of,
  back,
  name,
  title,
  note,
  acts,
  main,
  side,
  isSideFirst = false,
}: {
  readonly of: Loaded<A>
  readonly back: { readonly to: string; readonly name: string }
  /** Its title until it is loaded. */
  readonly name: string
  readonly title: (value: A) => ComponentChildren
  readonly note?: ((value: A) => ComponentChildren) | undefined
  readonly acts?: (value: A) => ComponentChildren
  readonly main: (value: A) => ComponentChildren
  readonly side?: (value: A) => ComponentChildren
  /** Whether it is above the rest on a phone. */
  readonly isSideFirst?: boolean
}) => {
  const { value } = of
  return (
    <>
      <Head
        back={back}
        title={value === undefined ? name : title(value)}
        note={value !== undefined && note?.(value)}
      >
        {value !== undefined && acts?.(value)}
      </Head>
      <Shown of={of}>
        {(shown) =>
          side === undefined ? (
            main(shown)
          ) : (
            <div class="columns">
              <div class="stack">{main(shown)}</div>
              <div class={isSideFirst ? "stack leads" : "stack"}>{side(shown)}</div>
            </div>
          )
        }
      </Shown>
    </>
  )
}
