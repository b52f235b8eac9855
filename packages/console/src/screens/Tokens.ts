/**
 * The tokens that a face knows, for what the API names only by its id.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import type * as Asset from "@florin/api/wire/Asset"
import type * as Chain from "@florin/api/wire/Chain"
import { useGet } from "../shell/Api.ts"
import { useConsole } from "../shell/Console.tsx"
import { useLoad } from "../shell/Load.ts"
import * as Reader from "../shell/Reader.ts"

export type Tokens = ReadonlyArray<{
  /** Its CAIP-19 id, without `caip19/`. */
  readonly asset: string
  readonly display: Amount.Display
}>

/** None until they are loaded. */
export const useTokens = (): Tokens => {
  const { face } = useConsole().session
  const get = useGet()
  const loaded = useLoad(face, async (signal): Promise<Tokens> => {
    if (face === "operator") {
      const { tokens } = await get<Chain.Tokens>("/tokens", signal)
      return tokens.map(({ asset, decimals, networkName, symbol }) => ({
        asset,
        display: {
          assetName: symbol,
          assetSymbol: symbol,
          decimals,
          ...(networkName !== null && { networkName }),
        },
      }))
    }
    const { assets } = await get<Asset.List>("/assets", signal)
    return assets.map(({ asset, decimals, name, network, symbol }) => ({
      asset,
      display: { assetName: name, assetSymbol: symbol, decimals, networkName: network.name },
    }))
  })
  return loaded.value ?? []
}

/** How a token is shown, by its id or its unit, in any spelling; undefined if the face does not know it. */
export const displayOf = (tokens: Tokens, of: string): Amount.Display | undefined => {
  const wanted = of.replace("caip19/", "").toLowerCase()
  return tokens.find(({ asset }) => asset.toLowerCase() === wanted)?.display
}

/** Token and network, or the id of a token that the face does not know. */
export const nameOf = (tokens: Tokens, asset: string): string =>
  Reader.token(displayOf(tokens, asset) ?? { assetSymbol: asset })
