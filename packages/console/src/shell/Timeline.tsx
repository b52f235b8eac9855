/**
 * What happened to one thing, in order.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import { Paragraphs, Time } from "./Pieces.tsx"

/** How each state looks as a step. */
const tones = {
  cancelled: "ahead",
  done: "done",
  failed: "bad",
  held: "bad",
  netted: "done",
  next: "ahead",
  paid: "done",
  pending: "now",
  processing: "now",
  sent: "now",
  succeeded: "done",
  waiting: "ahead",
} as const

export interface Step {
  readonly is: keyof typeof tones
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
      <li key={index} class={tones[is]}>
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
