/**
 * The drawing of a token, with that of its network in the corner.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import { Picture } from "../Picture.tsx"
import * as SafeUrl from "../SafeUrl.ts"

interface Props {
  readonly display: Amount.Display
  readonly hasNetwork?: boolean
}

export const TokenMark = ({ display, hasNetwork = true }: Props) => {
  const network = SafeUrl.iconPath(display.networkIconUrl)
  return (
    <span class="token-mark">
      <Picture name={display.assetSymbol} url={SafeUrl.iconPath(display.iconUrl)} shape="coin" />
      {hasNetwork && network !== undefined && (
        <Picture name={display.networkName ?? ""} url={network} shape="tile" />
      )}
    </span>
  )
}
