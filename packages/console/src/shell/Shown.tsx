/**
 * What was loaded, and until then that it loads, or why it does not.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import type { Loaded } from "./Load.ts"
import { Skeleton } from "./Pieces.tsx"
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
