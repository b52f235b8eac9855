/**
 * Cancels the payment for the payer, who is asked once before.
 *
 * @module
 */
import { useState } from "preact/hooks"
import { Question } from "../Question.tsx"
import type { Props } from "../View.ts"

export const Cancel = ({ view: { messages, page }, session }: Pick<Props, "session" | "view">) => {
  const [state, setState] = useState<"idle" | "asking" | "cancelling">("idle")
  const cancel = async () => {
    setState("cancelling")
    await session.cancel()
    // Still here if it failed.
    setState("idle")
  }
  return (
    <>
      <button class="link" type="button" onClick={() => setState("asking")}>
        {messages.cancel}
      </button>
      {state !== "idle" && (
        <Question
          said={messages.cancelling(page.info.merchant.name)}
          keep={messages.keep}
          act={messages.cancel}
          isBusy={state === "cancelling"}
          onKeep={() => setState("idle")}
          onAct={cancel}
        />
      )}
    </>
  )
}
