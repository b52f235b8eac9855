/**
 * WalletConnect for the checkout of `createFlorin`: what was built, and the operator's project.
 *
 * @example
 * const walletConnect = WalletConnect.load({ projectId, name: "Example Pay" })
 * const pages = await Pages.load({ termsUrl, privacyUrl, walletConnect })
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import { documentOf, filesOf } from "@florin/pages/Site"

/** WalletConnect's own relay. */
export const defaultRelayUrl = "wss://relay.walletconnect.org"

export interface Settings {
  /** The id of your project, which https://dashboard.walletconnect.com creates. It is public. */
  readonly projectId: string
  /** The name under which the payer's wallet lists the connection, such as `Example Pay`. */
  readonly name: string
  /** Another relay than {@link defaultRelayUrl}. */
  readonly relayUrl?: string
}

const built = new URL("../dist/site/", import.meta.url)

/** Reads the frame into memory. Throws if it is not built. */
export const load = (
  { name, projectId, relayUrl = defaultRelayUrl }: Settings,
  folder: URL = built,
): HostedPage.WalletConnect => ({
  files: filesOf(folder, "@florin/walletconnect", ["walletconnect"]),
  document: documentOf(folder, "walletconnect"),
  projectId,
  relayUrl,
  name,
})
