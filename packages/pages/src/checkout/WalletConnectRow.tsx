/**
 * The row with which a payer asks for WalletConnect. Nothing of it is loaded before.
 *
 * @module
 */
import type { InjectedWallet } from "./InjectedWallet.ts"
import { Picture } from "./Picture.tsx"
import type { View } from "./View.ts"
import { brand } from "./WalletConnect.ts"

interface Props {
  readonly view: View
  readonly wallets: ReadonlyArray<InjectedWallet>
  readonly onPress: (wallet: InjectedWallet) => void
}

export const WalletConnectRow = ({ view, wallets, onPress }: Props) => {
  const wallet = wallets.find(({ remote }) => remote !== undefined)
  return wallet === undefined ? null : (
    <button class="row" type="button" onClick={() => onPress(wallet)}>
      <Picture name={brand} url={undefined} shape="tile" />
      <span class="row-name">
        {brand}
        <span class="note">{view.messages.onAnotherDevice}</span>
      </span>
    </button>
  )
}
