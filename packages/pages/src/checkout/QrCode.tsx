/**
 * A link as a QR code, dark on a white tile even in dark mode, as many scanners read nothing else.
 *
 * @module
 */
import { useMemo } from "preact/hooks"
import * as QrPath from "./QrPath.ts"

export const QrCode = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const { path, size } = useMemo(() => QrPath.of(text), [text])
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={path} shape-rendering="crispEdges" />
    </svg>
  )
}
