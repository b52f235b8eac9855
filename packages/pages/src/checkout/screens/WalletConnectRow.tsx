/**
 * The row with which a payer asks for WalletConnect. Nothing of it is loaded before.
 *
 * @module
 */
import { Picture } from "../Picture.tsx"
import { Chevron } from "./Mark.tsx"
import type { Props } from "./Screen.ts"

export const WalletConnectRow = ({
  view,
  wallets,
  session,
}: Pick<Props, "session" | "view" | "wallets">) => {
  const wallet = wallets.find(({ remote }) => remote !== undefined)
  return wallet?.remote === undefined ? null : (
    <button class="row" type="button" onClick={() => session.connect(wallet)}>
      <Picture name={wallet.remote.brand} url={undefined} shape="tile" />
      <span class="row-name">
        {wallet.remote.brand}
        <span class="note">{view.messages.onAnotherDevice}</span>
      </span>
      <Chevron />
    </button>
  )
}
