/**
 * Where the payer gets help from the merchant.
 *
 * @module
 */
import * as SafeUrl from "../SafeUrl.ts"
import type { View } from "../View.ts"

export const Help = ({ view: { messages, origin, page } }: { readonly view: View }) => {
  const { name, supportEmail, supportUrl } = page.info.merchant
  const email = SafeUrl.email(supportEmail, page.referenceId)
  const url = SafeUrl.web(supportUrl, origin)
  return email === undefined && url === undefined ? null : (
    <div class="help">
      <p class="note">{messages.help(name)}</p>
      {email !== undefined && (
        <a class="link" href={email}>
          <bdi>{supportEmail}</bdi>
        </a>
      )}
      {url !== undefined && (
        <a class="link" href={url} target="_blank" rel="noopener noreferrer">
          {messages.helpPage}
          <span class="unseen"> ({messages.newWindow})</span>
        </a>
      )}
    </div>
  )
}
