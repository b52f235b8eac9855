/**
 * The data form in a dialog. It is one of our own pages, and only messages from that frame are trusted.
 *
 * @module
 */
import { readFormMessage } from "@florin/client"
import { useEffect, useRef } from "preact/hooks"
import type { View } from "./View.ts"

interface Props {
  readonly view: View
  readonly url: string
  readonly onClosed: (isDone: boolean) => void
}

/** The form uses the language of the page around it. */
const inLanguage = (url: string, language: string): string => {
  const form = new URL(url)
  form.searchParams.set("lang", language)
  return form.href
}

export const CollectDialog = ({ view, url, onClosed }: Props) => {
  const { language, messages, origin } = view
  const dialog = useRef<HTMLDialogElement>(null)
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
    const listen = ({ data, origin: from, source }: MessageEvent<unknown>) => {
      if (from !== origin || source === null || source !== frame.current?.contentWindow) return
      const message = typeof data === "string" ? readFormMessage(data) : undefined
      // The form itself reports errors, as the payer can correct them there.
      if (message?._tag === "Completed") onClosed(true)
    }
    addEventListener("message", listen)
    return () => removeEventListener("message", listen)
  }, [])
  /** A key that is pressed in the frame never reaches the dialog around it. */
  const listenInside = () => {
    frame.current?.contentWindow?.addEventListener("keydown", ({ isComposing, key }) => {
      if (key === "Escape" && !isComposing) dialog.current?.close()
    })
  }
  return (
    <dialog
      class="form"
      ref={dialog}
      aria-label={messages.form.title}
      onClose={() => onClosed(false)}
    >
      <button class="close" type="button" onClick={() => dialog.current?.close()}>
        <span aria-hidden="true">✕</span>
        <span class="unseen">{messages.close}</span>
      </button>
      <iframe
        ref={frame}
        src={inLanguage(url, language)}
        title={messages.form.title}
        referrerpolicy="no-referrer"
        onLoad={listenInside}
      />
    </dialog>
  )
}
