/**
 * The agreement between the test wallets in a checkout and the service on a developer's machine.
 *
 * @module
 */

/** The path to which the test wallets send requests to sign or to send. */
export const path = "/local/wallets"

/** The accounts of the test wallets. */
export const accounts = ["rich", "poor", "smart"] as const

/** A test wallet's request to the server. */
export interface Request {
  readonly account: (typeof accounts)[number]
  /** CAIP-2, such as `eip155:8453`. */
  readonly chainId: string
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** The server's response to it. */
export interface Response {
  readonly result?: unknown
  /** The error with which a provider rejects (EIP-1193). */
  readonly error?: { readonly code: number; readonly message: string }
}
