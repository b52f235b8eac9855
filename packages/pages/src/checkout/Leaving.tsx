/**
 * The way back to the merchant: a button, and an automatic redirect after a while unless the payer chooses to stay.
 * There is no redirect if the payment was already over when the page opened, for example after the browser's back
 * button: that payer was at the merchant before. There is none either if the payer's money is not where it should be,
 * as the page explains where it is.
 *
 * In a frame of the merchant's page, the way back is to close the checkout. A checkout that is part of the page stays.
 *
 * @module
 */
import { useEffect, useState } from "preact/hooks"
import * as Amounts from "../shared/Amounts.ts"
import * as SafeUrl from "./SafeUrl.ts"
import type { View } from "./View.ts"

const waitInS = 8

interface Props {
  readonly view: View
  readonly to: string | undefined
  readonly isByItself: boolean
}

export const Leaving = ({ view, to, isByItself }: Props) => {
  const { frame, locale, messages, origin, page } = view
  const url = SafeUrl.merchant(to, page, origin)
  const isWay = frame === undefined ? url !== undefined : frame.mode === "modal"
  const [rest, setLeft] = useState(page.status.isFinal ? undefined : waitInS)
  const left = isByItself ? rest : undefined
  // A browser may keep the page in its present state, and show it again later.
  const stay = () => setLeft(undefined)
  useEffect(() => {
    if (!isWay || left === undefined) return
    if (left === 0) {
      stay()
      if (frame !== undefined) frame.report({ type: "close" })
      else if (url !== undefined) location.assign(url)
      return
    }
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [isWay, left])
  const label = messages.backTo(page.info.merchant.name)
  return !isWay ? null : (
    <div class="leaving">
      {frame === undefined && url !== undefined && (
        <a class="button" href={url} onClick={stay}>
          {label}
        </a>
      )}
      {frame !== undefined && (
        <button class="button" type="button" onClick={() => frame.report({ type: "close" })}>
          {label}
        </button>
      )}
      {left !== undefined && (
        <p class="note">
          {Amounts.withDigits(messages.leavingIn(left), locale)}{" "}
          <button class="link" type="button" onClick={stay}>
            {messages.stay}
          </button>
        </p>
      )}
    </div>
  )
}
