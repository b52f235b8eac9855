/**
 * What the chain suite needs in addition to a `Chain` port to control the chain behind it. An adapter's test provides
 * it together with the port.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Money from "@florin/core/domain/ground/Money"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Kit } from "./Kit.ts"
import type * as Wallet from "./Wallet.ts"

/**
 * One chain that the suite fully controls. Blocks are made only by hand, so that a rule knows what is mined, what is
 * final, and what is neither.
 */
export class ChainHarness extends Context.Service<
  ChainHarness,
  {
    /** The family of the chain, with its payers. */
    readonly kit: Kit
    /**
     * Tokens that the port offers on the chain: one that is taken directly, and one that is taken by an allowance if
     * there is one.
     */
    readonly tokens: { readonly direct: Caip.Token; readonly allowed?: Caip.Token }
    /** How many blocks on top make a block final; at least 1. */
    readonly finalityDepth: number
    /** The chain's time. */
    readonly nowInS: Effect.Effect<number>
    /** Advances the chain's time; the next block shows it. */
    readonly pass: (seconds: number) => Effect.Effect<void>
    readonly mine: (count: number) => Effect.Effect<void>
    /**
     * Replaces the newest blocks with as many others. Transactions in them are forgotten, or wait again for the next
     * block.
     */
    readonly reorg: (depth: number, orphans: "forgotten" | "waiting") => Effect.Effect<void>
    /** Disconnects the port from its chain, or connects it again. */
    readonly connect: (connected: boolean) => Effect.Effect<void>

    /** Adds to an account's balance. */
    readonly fund: (
      token: Caip.Token,
      address: Caip.Address,
      quantity: bigint,
    ) => Effect.Effect<void>
    /** Adds an address to the token's blocklist, or removes it. */
    readonly block: (
      token: Caip.Token,
      address: Caip.Address,
      blocked: boolean,
    ) => Effect.Effect<void>
    /**
     * Makes nodes take one transaction of an account at a time, or ends that. Leave it out if no node of the family has
     * such a limit. EVM nodes have it for accounts that delegate (EIP-7702).
     */
    readonly delegate?: (address: Caip.Address, delegates: boolean) => Effect.Effect<void>
    /** Pauses or resumes the token, if its issuer can. */
    readonly pause?: (token: Caip.Token, paused: boolean) => Effect.Effect<void>
    /** The node through which wallets send their own transactions, if they do; the harness pays for their gas. */
    readonly node?: Wallet.Node
    /**
     * Sends several quantities of a token to an account in one transaction of the payer's, as contracts do; returns its
     * hash. It is needed if wallets send transactions and one transaction may hold several transfers.
     */
    readonly batch?: (
      payer: Wallet.Payer,
      token: Caip.Token,
      to: Caip.Address,
      quantities: ReadonlyArray<Money.Quantity>,
    ) => Effect.Effect<string>
    /** Submits a signed authorization without the port; returns the transaction hash. */
    readonly submitAuthorization: (
      option: PaymentOption.PaymentOption,
      signature: string,
    ) => Effect.Effect<string>
    /** The payer revokes the authorization of a direct option. */
    readonly cancelAuthorization: (
      option: PaymentOption.PaymentOption,
      payer: Wallet.Payer,
    ) => Effect.Effect<void>
  }
>()("@florin/testing/ChainHarness") {}
