/**
 * The screen while a wallet connects. A wallet on another device needs a code for that, or on this phone a link.
 *
 * @module
 */
import { useEffect, useState } from "preact/hooks"
import * as Media from "../Media.ts"
import { QrCode } from "../QrCode.tsx"
import { Busy } from "./Busy.tsx"
import { Copy } from "./Copy.tsx"
import { OtherWay } from "./OtherWay.tsx"
import type { On } from "./Screen.ts"

export const Connecting = (props: On<"Connecting">) => {
  const { view, screen, say } = props
  const { messages } = view
  const [uri, setUri] = useState<string | undefined>(undefined)
  const isPhone = !Media.useMedia(Media.mouse)
  useEffect(() => screen.wallet.remote?.watch(setUri), [])
  return uri === undefined ? (
    <Busy {...props}>
      <OtherWay {...props} />
    </Busy>
  ) : (
    <section class="scan" aria-label={messages.pairing.title}>
      {isPhone && (
        <a class="button" href={uri}>
          {messages.inWalletApp}
        </a>
      )}
      <QrCode text={uri} label={messages.pairing.title} />
      <p class="note">{messages.pairing.text}</p>
      <Copy
        text={uri}
        label={messages.copyLink}
        done={messages.copied}
        failed={messages.copyFailed}
        say={say}
      />
      <OtherWay {...props} />
    </section>
  )
}
