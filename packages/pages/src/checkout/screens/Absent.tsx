/**
 * The screen for a payment that does not exist.
 *
 * @module
 */
import type { View } from "../View.ts"
import { Mark } from "./Mark.tsx"

/** The screen for a payment that does not exist. It has no summary. */
export const Absent = ({ messages }: Pick<View, "messages">) => (
  <div class="card absent">
    <div class="panel">
      <h1>{messages.absent.title}</h1>
      <div class="state">
        <Mark kind="caution" />
        <p class="text">{messages.absent.text}</p>
      </div>
    </div>
  </div>
)
