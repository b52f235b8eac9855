/**
 * The agreement between the start page on a developer's machine and its service.
 *
 * @module
 */

/** The path to which the page posts `{"open": "test"}`, `live` or `operator`, for the link that opens the console. */
export const consolePath = "/pages/console"

interface Keys {
  readonly partnerKey: string
  readonly walletKey: string
  readonly merchantId: string
}

/** The data that the server puts into the document. It contains every key of the service. */
export interface Start extends Keys {
  readonly page: "start"
  /** The same for live payments, which run on the same local chains. */
  readonly live: Keys
  /** The command that forwards events to a server on this machine. */
  readonly listenCommand: string
  /** The currencies that a payment can be created in. */
  readonly currencies: ReadonlyArray<string>
  /** The outcomes that a test payment can be asked to have. */
  readonly outcomes: ReadonlyArray<string>
  readonly chains: ReadonlyArray<{
    readonly name: string
    readonly chainId: number
    readonly rpcUrl: string
  }>
  /** Accounts that hold every token. */
  readonly wallets: ReadonlyArray<{ readonly address: string; readonly privateKey: string }>
}
