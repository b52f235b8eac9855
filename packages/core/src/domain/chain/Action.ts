/**
 * What a wallet is asked to do for an option. The option's family of chains decides the details.
 *
 * @module
 */
import type * as Asset from "./Asset.ts"
import type * as Caip from "./Caip.ts"
import type * as PaymentOption from "./PaymentOption.ts"

/** A step that the wallet executes; each parameter is a string, and JSON if it is structured. */
export interface WalletRpc {
  readonly _tag: "WalletRpc"
  readonly chainId: Caip.ChainId
  /** The method of the wallet's provider, such as `eth_signTypedData_v4`. */
  readonly method: string
  readonly params: ReadonlyArray<string>
}

/** A step that depends on the chain's state at signing time, and must be fetched first. */
export interface Build {
  readonly _tag: "Build"
  readonly data: string
}

export type Action = WalletRpc | Build

/** An option, and the asset that it pays in. */
export interface Chosen {
  readonly option: PaymentOption.PaymentOption
  readonly asset: Asset.Asset
}

/** Whether the `data` of a fetch is right: empty means all actions; otherwise it is what the option was offered with. */
export const isBuildData = (offered: ReadonlyArray<Action>, data: string): boolean =>
  data === "" || offered.some((action) => action._tag === "Build" && action.data === data)
