/**
 * The way back to the merchant: a button, and by itself after a while, unless the payer wants to stay.
 *
 * @module
 */
import { useEffect, useState } from "preact/hooks"
import * as SafeUrl from "./SafeUrl.ts"
import type { View } from "./View.ts"

const waitInS = 8

export const Leaving = ({ view, to }: { readonly view: View; readonly to: string | undefined }) => {
  const { messages, origin, page } = view
  const url = SafeUrl.web(to, origin)
  const [left, setLeft] = useState<number | undefined>(waitInS)
  useEffect(() => {
    if (url === undefined || left === undefined) return
    if (left === 0) {
      location.assign(url)
      return
    }
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [url, left])
  return url === undefined ? null : (
    <div class="leaving">
      <a class="button" href={url}>
        {messages.backTo(page.info.merchant.name)}
      </a>
      {left !== undefined && (
        <p class="note">
          {messages.leavingIn(left)}{" "}
          <button class="link" type="button" onClick={() => setLeft(undefined)}>
            {messages.stay}
          </button>
        </p>
      )}
    </div>
  )
}
