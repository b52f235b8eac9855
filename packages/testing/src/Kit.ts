/**
 * What the simulated chain and the chain suite know of a family of chains: how its payers sign, and what they send.
 *
 * @module
 */
import type * as Action from "@florin/core/domain/Action"
import type * as Asset from "@florin/core/domain/Asset"
import type * as Caip from "@florin/core/domain/Caip"
import type * as Family from "@florin/core/domain/Family"
import type * as Money from "@florin/core/domain/Money"
import type * as PaymentOption from "@florin/core/domain/PaymentOption"
import type * as Call from "./simulated/Call.ts"
import type * as Wallet from "./Wallet.ts"

/**
 * What a flow comes to. `direct`: the token honours what the payer signed. `allowed`: so does a contract which the payer
 * let take the token before. `sent`: the wallet sends the token, and signs a statement. `permitted`: the payer signs what
 * lets us take the token, we send that, and then take it.
 */
export const roles = ["direct", "allowed", "sent", "permitted"] as const
export type Role = (typeof roles)[number]

/** What a wallet sends to a token: to move it, and to let another account take it. */
export interface Calls {
  readonly transfer: (to: Caip.Address, quantity: Money.Quantity) => string
  readonly approve: (spender: Caip.Address, quantity: Money.Quantity) => string
}

/** What the chain suite asks of a family. */
export interface Kit {
  readonly family: Family.Family
  /** The family's flow of each role that it has. */
  readonly flows: { readonly direct: PaymentOption.Flow } & {
    readonly [R in Role]?: PaymentOption.Flow
  }
  /** Whether its chains number the transactions of an account. */
  readonly isNumbered: boolean
  /** A wallet by its number, the same in every run. */
  readonly wallet: (seed: number) => Wallet.Payer
  /** The signature that ends an option's steps, by any wallet, sent nowhere. */
  readonly signature: (payer: Wallet.Payer, chosen: Action.Chosen) => string
  /** The signature of a text that people read. */
  readonly signText: (payer: Wallet.Payer, text: string) => string
  /** A well-formed hash that no transaction has, by a name. */
  readonly hash: (name: string) => string
  /** What a wallet sends to a token; needed where the family has `sent`. */
  readonly calls?: Calls
  /** Other ways to write a signature that mean the same, by what they are. */
  readonly spellings: { readonly [name: string]: (signature: string) => string }
  /** What is made of a good signature, and is none. */
  readonly forgeries: { readonly [name: string]: (signature: string) => string }
}

/** What the simulated chain asks besides. */
export interface SimulatedKit extends Kit {
  readonly calls: Calls
  /** What `allowed` payers let take their tokens. */
  readonly contract: Caip.Address
  /** Whether a token refuses to raise what a payer allows: it must be set to 0 first. */
  readonly approveResets: (asset: Asset.Asset) => boolean
  /** The steps of an option, where the payer allowed so much, and other payments will use what is committed. */
  readonly executable: (
    chosen: Action.Chosen,
    allowance: Money.Quantity,
    committed: Money.Quantity,
  ) => ReadonlyArray<Action.WalletRpc>
  /** Whether a signature, in its one spelling, is that of the option's own account. */
  readonly isSigned: (chosen: Action.Chosen, signature: string) => boolean
  /** The same of a text that people read. */
  readonly isTextSigned: (address: Caip.Address, text: string, signature: string) => boolean
  /** What the chain makes of what a wallet sends to a token. */
  readonly callOf: (token: Caip.Address, data: string) => Call.Call
  /** How a transaction's bytes are named. */
  readonly hashOf: (bytes: Uint8Array) => string
}

/** The role of a flow. A family's other flows have none: no chain here knows them. */
export const roleOf = ({ flows }: Kit, flow: PaymentOption.Flow): Role | undefined =>
  roles.find((role) => flows[role] === flow)
