/**
 * What the test wallets in a checkout and the service on a developer's machine agree on.
 *
 * @module
 */

/** Where the test wallets have their requests signed or sent. */
export const path = "/local/wallets"

/** Their accounts. */
export const accounts = ["rich", "poor", "smart"] as const

/** What a test wallet asks the server. */
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
  /** What a provider rejects with (EIP-1193). */
  readonly error?: { readonly code: number; readonly message: string }
}
