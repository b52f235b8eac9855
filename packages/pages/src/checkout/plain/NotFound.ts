/**
 * The page for an address where nothing is, such as a payment link that is not complete.
 *
 * @module
 */
import type { Catalogue } from "../../messages/Messages.ts"
import type { PlainMessages } from "../../messages/PlainMessages.ts"
import * as Html from "../../shared/Html.ts"

export const html = (catalogue: Catalogue<PlainMessages>, stylesheet: string): string => {
  const { text, title } = catalogue.texts.notFound
  return Html.document(
    catalogue,
    stylesheet,
    Html.escape(title),
    `<div class="card absent">
<div class="panel">
<h1>${Html.escape(title)}</h1>
<div class="state">
<svg class="mark caution" viewBox="0 0 64 64" aria-hidden="true"><circle cx="32" cy="32" r="32" /><path d="M32 19v16M32 44v.5" /></svg>
<p class="text">${Html.escape(text)}</p>
</div>
</div>
</div>`,
  )
}
