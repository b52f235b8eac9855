/**
 * What the start page of a service on a developer's machine and that service agree on.
 *
 * @module
 */

interface Keys {
  readonly partnerKey: string
  readonly walletKey: string
  readonly merchantId: string
}

/** What the server puts into the document. It holds every key of the service. */
export interface Start extends Keys {
  readonly page: "start"
  /** The same for live payments, which run on the same local chains. */
  readonly live: Keys
  /** The command that forwards events to a server on this machine. */
  readonly listenCommand: string
  /** The currencies that a payment can be created in. */
  readonly currencies: ReadonlyArray<string>
  /** How a test payment can be asked to end. */
  readonly outcomes: ReadonlyArray<string>
  readonly chains: ReadonlyArray<{
    readonly name: string
    readonly chainId: number
    readonly rpcUrl: string
  }>
  /** Accounts that hold every token. */
  readonly wallets: ReadonlyArray<{ readonly address: string; readonly privateKey: string }>
}
