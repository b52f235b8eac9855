/**
 * A sentence that the payer must see before the rest.
 *
 * @module
 */
import type * as Machine from "../Machine.ts"
import type { View } from "../View.ts"
import { noticeText } from "./Said.ts"

export const Notice = ({
  view,
  notice,
}: {
  readonly view: View
  readonly notice: Machine.Notice
}) => (
  <p class="notice" role="alert">
    {noticeText(view, notice)}
  </p>
)
