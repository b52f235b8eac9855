/**
 * What was loaded, and the screen of it, by its description: where it belongs, what it is called, what can be done, and
 * what is shown of it.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import { useRead } from "./Api.ts"
import type { Loaded } from "./Load.ts"
import { type Back, Head, Skeleton } from "./Pieces.tsx"
import { ProblemNote } from "./Problem.tsx"

/** What was loaded, or that it loads, or why it does not. What was loaded before stays under the error. */
export const Shown = <A,>({
  of: { error, reload, value },
  children,
}: {
  readonly of: Loaded<A>
  readonly children: (value: A) => ComponentChildren
}) => (
  <>
    {error !== undefined && <ProblemNote error={error} retry={reload} />}
    {value === undefined ? error === undefined && <Skeleton /> : children(value)}
  </>
)

/** Reads something for a part of a screen, and shows it as it changes. */
export const Read = <A extends object>({
  path,
  children,
}: {
  readonly path: string
  readonly children: (value: A) => ComponentChildren
}) => <Shown of={useRead<A>(path)}>{children}</Shown>

/** A part of a screen, which may follow from what was loaded. */
export type Part<A> = ComponentChildren | ((value: A) => ComponentChildren)

export const Detail = <A,>({
  of,
  back,
  name,
  title = name,
  note,
  acts,
  above,
  main,
  side,
  isSideFirst = false,
}: {
  readonly of: Loaded<A>
  readonly back?: Back | undefined
  /** Its title until it is loaded, and also then if it has no other. */
  readonly name: string
  readonly title?: Part<A>
  readonly note?: Part<A>
  readonly acts?: Part<A>
  /** Stands there before it is loaded, such as filters. */
  readonly above?: ComponentChildren
  readonly main: (value: A) => ComponentChildren
  readonly side?: (value: A) => ComponentChildren
  /** Whether it is above the rest on a phone. */
  readonly isSideFirst?: boolean
}) => {
  const { value } = of
  const part = (each: Part<A>) =>
    typeof each === "function" ? value !== undefined && each(value) : each
  return (
    <>
      <Head back={back} title={part(title) || name} note={part(note)}>
        {part(acts)}
      </Head>
      {above}
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
