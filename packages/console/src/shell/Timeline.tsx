/**
 * What happened to one thing, in order.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import { Paragraphs, Time, toneOf } from "./Pieces.tsx"

/** How the states of each tone look as steps: over, as they should be or not, under way, or still ahead. */
const looks = { good: "done", bad: "bad", caution: "now", calm: "now", plain: "ahead" } as const

export interface Step {
  /** A state of anything, such as `paid` or `waiting`. */
  readonly is: string
  readonly title: ComponentChildren
  /** Undefined if the time is not known, or if it has not happened yet. */
  readonly at?: string | number | null | undefined
  readonly body: ReadonlyArray<ComponentChildren>
}

export const step = (
  is: Step["is"],
  title: ComponentChildren,
  at?: Step["at"],
  ...body: Step["body"]
): Step => ({ is, title, at, body })

export const Timeline = ({ steps }: { readonly steps: ReadonlyArray<Step> }) => (
  <ol class="timeline">
    {steps.map(({ at, body, is, title }, index) => (
      <li key={index} class={looks[toneOf(is)]}>
        <p class="stepTitle">
          <span>{title}</span>
          {at !== undefined && at !== null && <Time at={at} />}
        </p>
        {body.length > 0 && (
          <div class="stepBody">
            <Paragraphs of={body} />
          </div>
        )}
      </li>
    ))}
  </ol>
)
