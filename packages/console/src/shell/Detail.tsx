/**
 * The screen of one record, by its description: where it comes from, what it is called, what can be done, and its cards.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import type { Loaded } from "./Load.ts"
import { type Back, Head } from "./Pieces.tsx"
import { Shown } from "./Shown.tsx"

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
  readonly back: Back
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
