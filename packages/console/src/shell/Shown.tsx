/**
 * What was loaded, and until then that it loads, or why it does not.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import { useRead } from "./Api.ts"
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

/** Reads something for a part of a screen, and shows it as it changes. */
export const Read = <A extends object>({
  path,
  isLive = true,
  children,
}: {
  readonly path: string
  readonly isLive?: boolean
  readonly children: (value: A, reload: () => void) => ComponentChildren
}) => {
  const read = useRead<A>(path, {}, isLive)
  return <Shown of={read}>{(value) => children(value, read.reload)}</Shown>
}
