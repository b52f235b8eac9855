/**
 * Text with a button that copies it.
 *
 * @module
 */
import { useState } from "preact/hooks"

const copiedInMs = 2000

export const CopyButton = ({ name, text }: { readonly name: string; readonly text: string }) => {
  const [state, setState] = useState<"Copy" | "Copied" | "Not copied">("Copy")
  const show = (result: typeof state) => {
    setState(result)
    setTimeout(() => setState("Copy"), copiedInMs)
  }
  return (
    <button
      type="button"
      class="quiet"
      onClick={() =>
        void navigator.clipboard.writeText(text).then(
          () => show("Copied"),
          () => show("Not copied"),
        )
      }
    >
      <span aria-live="polite">{state}</span>
      <span class="unseen"> {name}</span>
    </button>
  )
}

/** A name, its value, and the button. */
export const Fact = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <div class="fact">
    <dt>{name}</dt>
    <dd>
      <code>{text}</code>
      <CopyButton name={name} text={text} />
    </dd>
  </div>
)
