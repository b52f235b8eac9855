/**
 * A button that copies a text.
 *
 * @module
 */
import { useEffect, useState } from "preact/hooks"
import type { Props } from "./Screen.ts"

export const Copy = ({
  text,
  label,
  done,
  failed,
  say,
}: {
  readonly text: string
  readonly label: string
  readonly done: string
  readonly failed: string
  readonly say: Props["say"]
}) => {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 2500)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
      say(done)
    } catch {
      say(failed)
    }
  }
  return (
    <button class="button quiet" type="button" onClick={copy}>
      {isCopied ? done : label}
    </button>
  )
}
