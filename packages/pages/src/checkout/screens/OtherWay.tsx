/**
 * The way back to the start.
 *
 * @module
 */
import type { Props } from "./Screen.ts"

export const OtherWay = ({ view, session }: Pick<Props, "session" | "view">) => (
  <button class="button quiet" type="button" onClick={session.leave}>
    {view.messages.otherWay}
  </button>
)
