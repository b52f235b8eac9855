/**
 * A small picture from a third party, or the first letter of its name. It never shows more information than the text
 * next to it.
 *
 * @module
 */
import { useState } from "preact/hooks"

interface Props {
  readonly name: string
  readonly url: string | undefined
  readonly shape: "coin" | "tile"
}

export const Picture = ({ name, url, shape }: Props) => {
  const [failed, setFailed] = useState<string | undefined>(undefined)
  const [initial = "?"] = Array.from(name.trim())
  return url === undefined || failed === url ? (
    <span class={`picture ${shape}`} aria-hidden="true">
      {initial.toUpperCase()}
    </span>
  ) : (
    <img
      class={`picture ${shape}`}
      src={url}
      alt=""
      referrerpolicy="no-referrer"
      onError={() => setFailed(url)}
    />
  )
}
