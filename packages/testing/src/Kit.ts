/**
 * What the simulated chain and the chain suite need to know about a family of chains: how its payers sign, and what
 * they send.
 *
 * @module
 */
import type * as Action from "@florin/core/domain/chain/Action"
import type * as Asset from "@florin/core/domain/chain/Asset"
import type * as Caip from "@florin/core/domain/chain/Caip"
import type * as Family from "@florin/core/domain/chain/Family"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Money from "@florin/core/domain/ground/Money"
import type * as Call from "./simulated/Call.ts"
import type * as Wallet from "./Wallet.ts"

/**
 * How a flow works.
 * - `direct`: the token accepts the payer's signature.
 * - `allowed`: a contract that the payer approved before accepts the payer's signature.
 * - `sent`: the wallet sends the token, and signs a statement.
 * - `permitted`: the payer signs a permit. We send the permit, and then take the token.
 */
export const roles = ["direct", "allowed", "sent", "permitted"] as const
export type Role = (typeof roles)[number]

/** What a wallet sends to a token: a transfer, or an approval of another account. */
export interface Calls {
  readonly transfer: (to: Caip.Address, quantity: Money.Quantity) => string
  readonly approve: (spender: Caip.Address, quantity: Money.Quantity) => string
}

/** What the chain suite needs of a family. */
export interface Kit {
  readonly family: Family.Family
  /** The family's flow for each role that it supports. */
  readonly flows: { readonly direct: PaymentOption.Flow } & {
    readonly [R in Role]?: PaymentOption.Flow
  }
  /** Whether its chains number the transactions of an account. */
  readonly isNumbered: boolean
  /** A wallet by its number, the same in every run. */
  readonly wallet: (seed: number) => Wallet.Payer
  /** The signature for an option's last step, by any wallet; nothing is sent. */
  readonly signature: (payer: Wallet.Payer, chosen: Action.Chosen) => string
  /** The signature of a text that people read. */
  readonly signText: (payer: Wallet.Payer, text: string) => string
  /** A well-formed hash, derived from a name, that no transaction has. */
  readonly hash: (name: string) => string
  /** What a wallet sends to a token; needed if the family has `sent`. */
  readonly calls?: Calls
  /** Other valid spellings of a signature, by name. */
  readonly spellings: { readonly [name: string]: (signature: string) => string }
  /** Invalid signatures that are made from a valid one, by name. */
  readonly forgeries: { readonly [name: string]: (signature: string) => string }
}

/** What the simulated chain needs in addition. */
export interface SimulatedKit extends Kit {
  readonly calls: Calls
  /** The contract that payers of `allowed` approve. */
  readonly contract: Caip.Address
  /** Whether a token refuses to raise an allowance that is not 0: it must be set to 0 first. */
  readonly approveResets: (asset: Asset.Asset) => boolean
  /** The steps of an option, given the payer's current allowance and what other payments will use of it. */
  readonly executable: (
    chosen: Action.Chosen,
    allowance: Money.Quantity,
    committed: Money.Quantity,
  ) => ReadonlyArray<Action.WalletRpc>
  /** Whether a signature, in its canonical spelling, is the option's own account's. */
  readonly isSigned: (chosen: Action.Chosen, signature: string) => boolean
  /** The same for a text that people read. */
  readonly isTextSigned: (address: Caip.Address, text: string, signature: string) => boolean
  /** How the chain reads what a wallet sends to a token. */
  readonly callOf: (token: Caip.Address, data: string) => Call.Call
  /** The hash of a transaction's bytes. */
  readonly hashOf: (bytes: Uint8Array) => string
}

/** The role of a flow. The family's other flows have none, because no chain here supports them. */
export const roleOf = ({ flows }: Kit, flow: PaymentOption.Flow): Role | undefined =>
  roles.find((role) => flows[role] === flow)
