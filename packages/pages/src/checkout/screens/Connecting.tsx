/**
 * The screen while a wallet connects. A wallet on another device needs a code for that. One on this phone needs a link:
 * nobody scans the screen in their hand, so there the code is folded.
 *
 * @module
 */
import { useEffect, useState } from "preact/hooks"
import * as Media from "../Media.ts"
import { QrCode } from "../QrCode.tsx"
import type { On } from "../View.ts"
import { Busy } from "./Busy.tsx"
import { Copy, Folded, OtherWay } from "./Pieces.tsx"

export const Connecting = (props: On<"Connecting">) => {
  const { view, screen, say } = props
  const { messages } = view
  const [uri, setUri] = useState<string | undefined>(undefined)
  const isPhone = !Media.useMedia(Media.mouse)
  useEffect(() => screen.wallet.remote?.watch(setUri), [])
  if (uri === undefined) {
    // The text for a wallet elsewhere is about the code, which is not there yet.
    const text = screen.wallet.remote ? messages.preparing.title : props.said.text
    return (
      <Busy said={{ ...props.said, text }}>
        <OtherWay {...props} />
      </Busy>
    )
  }
  const code = (
    <section class="scan" aria-label={messages.pairing.title}>
      <QrCode text={uri} label={messages.pairing.title} />
      <p class="note">{messages.pairing.text}</p>
    </section>
  )
  return (
    <>
      {isPhone ? (
        <>
          <a class="button" href={uri}>
            {messages.inWalletApp}
          </a>
          <Folded title={messages.otherDevice}>{code}</Folded>
        </>
      ) : (
        code
      )}
      <Copy view={view} what="link" text={uri} say={say} />
      <OtherWay {...props} />
    </>
  )
}
