/**
 * The agreement between the console's tab for trying things and a service on a developer's machine. No other service
 * has any of it.
 *
 * @module
 */

/** The path that returns a {@link Local}, and to which a page posts an {@link Open} for a link into a console. */
export const path = "/local/console"

/** The screen of the tab, below the console's own path. */
export const screen = "/try"

/** Which console: that of the first partner in a mode, or the operator's. */
export const consoles = ["test", "live", "operator"] as const

export interface Open {
  readonly open: (typeof consoles)[number]
}

/** A link that signs in, once. */
export interface Opened {
  readonly link: string
}

/** Keys to try a service with. */
export interface Keys {
  readonly partnerKey: string
  readonly walletKey: string
  readonly merchantId: string
}

/** What a developer needs. It contains every key of the service. */
export interface Local {
  readonly test: Keys
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
