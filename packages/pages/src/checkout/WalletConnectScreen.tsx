/**
 * The code with which the payer's wallet connects. `waiting` is shown until there is one, and `children` below it.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { Remote } from "./InjectedWallet.ts"
import { QrCode } from "./QrCode.tsx"
import type { View } from "./View.ts"

interface Props {
  readonly view: View
  readonly remote: Remote
  readonly waiting: ComponentChildren
  readonly children: (uri: string) => ComponentChildren
}

export const WalletConnectScreen = ({ view: { messages }, remote, waiting, children }: Props) => {
  const [uri, setUri] = useState<string | undefined>(undefined)
  useEffect(() => remote.watch(setUri), [])
  return uri === undefined ? (
    <>{waiting}</>
  ) : (
    <section class="scan" aria-label={messages.pairing.title}>
      <a class="button only-on-phone" href={uri}>
        {messages.openInWallet}
      </a>
      <QrCode text={uri} label={messages.pairing.title} />
      <p class="note">{messages.pairing.text}</p>
      {children(uri)}
    </section>
  )
}
