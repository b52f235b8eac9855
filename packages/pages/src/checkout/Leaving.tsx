/**
 * The way back to the merchant: a button, and by itself after a while, unless the payer wants to stay. Who opens a payment
 * that was over already, as the browser's own button back does, has been there, and is not sent away again; nor is anybody
 * whose money is not where it should be, and who must read where it is.
 *
 * @module
 */
import { useEffect, useState } from "preact/hooks"
import * as SafeUrl from "./SafeUrl.ts"
import type { View } from "./View.ts"

const waitInS = 8

interface Props {
  readonly view: View
  readonly to: string | undefined
  readonly isByItself: boolean
}

export const Leaving = ({ view, to, isByItself }: Props) => {
  const { messages, origin, page } = view
  const url = SafeUrl.merchant(to, page, origin)
  const [rest, setLeft] = useState(page.status.isFinal ? undefined : waitInS)
  const left = isByItself ? rest : undefined
  // A browser may keep the page as it is left, and show it again.
  const stay = () => setLeft(undefined)
  useEffect(() => {
    if (url === undefined || left === undefined) return
    if (left === 0) {
      stay()
      location.assign(url)
      return
    }
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [url, left])
  return url === undefined ? null : (
    <div class="leaving">
      <a class="button" href={url} onClick={stay}>
        {messages.backTo(page.info.merchant.name)}
      </a>
      {left !== undefined && (
        <p class="note">
          {messages.leavingIn(left)}{" "}
          <button class="link" type="button" onClick={stay}>
            {messages.stay}
          </button>
        </p>
      )}
    </div>
  )
}
