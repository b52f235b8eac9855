/**
 * The messages between the checkout and the frame of WalletConnect, over a port that the checkout hands to the frame.
 *
 * @module
 */

/** The message with which the checkout hands over the port. */
export const greeting = "florin-walletconnect"

/** From the checkout to the frame. */
export type ToFrame =
  /**
   * Opens the connection for these chains. It continues the one in `stored`, or else asks for a new one if `mayPair`.
   */
  | {
      readonly _tag: "Connect"
      readonly chains: ReadonlyArray<string>
      readonly stored: Stored
      readonly mayPair: boolean
    }
  | {
      readonly _tag: "Request"
      readonly id: number
      readonly chain: string
      readonly method: string
      readonly params: ReadonlyArray<unknown>
    }
  /** Closes the connection, also in the wallet. */
  | { readonly _tag: "Leave" }

/** From the frame to the checkout. */
export type FromFrame =
  /** What the payer's wallet scans or opens. */
  | { readonly _tag: "Pairing"; readonly uri: string }
  /** The accounts as CAIP-10, and what the wallet says about itself. */
  | {
      readonly _tag: "Connected"
      readonly accounts: ReadonlyArray<string>
      readonly name: string
      readonly icon: string | undefined
    }
  | { readonly _tag: "Result"; readonly id: number; readonly result: unknown }
  /** The code is one of EIP-1193. */
  | { readonly _tag: "Failed"; readonly id: number; readonly code: number }
  /** There is no connection: none could be made, or it is over. */
  | { readonly _tag: "Ended"; readonly code: number }
  /** What the frame stores from now on, as it has no storage of its own. */
  | { readonly _tag: "Stored"; readonly stored: Stored }

/** What the frame stores, as JSON texts. */
export type Stored = { readonly [key: string]: string }

/** The payer declined (EIP-1193). */
export const rejectedCode = 4001

/** There is no connection to the wallet (EIP-1193). */
export const disconnectedCode = 4900
