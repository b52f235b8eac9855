/**
 * What few payers need, folded behind its title.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import { Chevron } from "./Mark.tsx"

export const Folded = ({
  title,
  children,
}: {
  readonly title: string
  readonly children: ComponentChildren
}) => (
  <details>
    <summary class="row">
      <span class="row-name">{title}</span>
      <Chevron />
    </summary>
    {children}
  </details>
)
