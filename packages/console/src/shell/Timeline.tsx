/**
 * What happened to one thing, in order.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import { Time } from "./Pieces.tsx"

export interface Step {
  readonly key: string
  readonly title: ComponentChildren
  /** Undefined if the time is not known, or if it has not happened yet. */
  readonly at?: string | number | undefined
  readonly tone: "done" | "now" | "bad" | "ahead"
  readonly body?: ComponentChildren
}

export const Timeline = ({ steps }: { readonly steps: ReadonlyArray<Step> }) => (
  <ol class="timeline">
    {steps.map(({ at, body, key, title, tone }) => (
      <li key={key} class={tone}>
        <p class="stepTitle">
          <span>{title}</span>
          {at !== undefined && <Time at={at} />}
        </p>
        {body !== undefined && <div class="stepBody">{body}</div>}
      </li>
    ))}
  </ol>
)
