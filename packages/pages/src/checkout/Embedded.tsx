/**
 * The checkout's side of a frame in a shop's page: it reports the payment's status and its own height, offers a tab of
 * its own, and closes. If money may be on its way, it asks the payer first.
 *
 * @module
 */
import { useEffect, useRef, useState } from "preact/hooks"
import type { Frame } from "./Frame.ts"
import * as Machine from "./Machine.ts"
import { Question } from "./Question.tsx"
import type { View } from "./View.ts"

interface Props {
  readonly view: View
  readonly frame: Frame
  readonly state: Machine.State
}

export const Embedded = ({ view, frame, state }: Props) => {
  const { messages, origin, page } = view
  const { isFinal, status } = state.status
  // Counted: when the browser reports that a question closed, the payer may have been asked anew.
  const [asked, setAsked] = useState(0)
  const [kept, setKept] = useState(0)
  const mayBeSending = Machine.mayBeSending(state)
  const isAtRisk = useRef(false)
  isAtRisk.current = mayBeSending
  useEffect(() => {
    frame.report({
      type: "ready",
      title: messages.payTo(page.info.merchant.name),
      close: messages.close,
    })
    const ask = () => {
      frame.report({ type: isAtRisk.current ? "stay" : "close" })
      if (isAtRisk.current) setAsked((before) => before + 1)
    }
    frame.onCloseAsked(ask)
    // A key that is pressed here never reaches the page around. Escape in a dialog closes that dialog.
    const listen = ({ isComposing, key }: KeyboardEvent) => {
      const isOwn = document.querySelector("dialog[open]") !== null
      if (key === "Escape" && !isComposing && !isOwn && frame.mode === "modal") ask()
    }
    addEventListener("keydown", listen)
    return () => removeEventListener("keydown", listen)
  }, [])
  useEffect(
    () => frame.report({ type: "status", paymentId: page.paymentId, status, isFinal }),
    [status],
  )
  useEffect(() => {
    const root = document.querySelector("#page")
    if (root === null || frame.mode === "modal") return
    const observer = new ResizeObserver(() =>
      frame.report({ type: "resize", height: Math.ceil(root.getBoundingClientRect().height) }),
    )
    observer.observe(root)
    return () => observer.disconnect()
  }, [])
  return (
    <>
      {/* The new tab would not know of money that may be on its way, and would offer to pay again. */}
      {!isFinal && !mayBeSending && (
        <p class="own-tab">
          {messages.ownTab.text}{" "}
          <a href={`${origin}/?pid=${page.paymentId}`} target="_blank" rel="noopener noreferrer">
            {messages.ownTab.title}
          </a>
        </p>
      )}
      {asked > kept && mayBeSending && (
        <Question
          key={asked}
          said={messages.leave}
          keep={messages.stay}
          act={messages.closeAnyway}
          onKeep={() => setKept(asked)}
          onAct={() => frame.report({ type: "close" })}
        />
      )}
    </>
  )
}
