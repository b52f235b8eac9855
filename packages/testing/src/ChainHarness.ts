/**
 * What the chain suite needs of the world behind a `Chain` port: an adapter's test provides it beside the port.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/Caip"
import type * as Money from "@florin/core/domain/Money"
import type * as PaymentOption from "@florin/core/domain/PaymentOption"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Kit } from "./Kit.ts"
import type * as Wallet from "./Wallet.ts"

/**
 * One chain that the suite may do anything to. Blocks come by hand only, so that a rule can tell what is mined, what is
 * final, and what is neither.
 */
export class ChainHarness extends Context.Service<
  ChainHarness,
  {
    /** The family of the chain, as its payers have it. */
    readonly kit: Kit
    /** Tokens that the port offers, on the same chain: one that is taken directly, and one by an allowance if there is one. */
    readonly tokens: { readonly direct: Caip.Token; readonly allowed?: Caip.Token }
    /** How many blocks on top make a block final; at least 1. */
    readonly finalityDepth: number
    /** The chain's time. */
    readonly nowInS: Effect.Effect<number>
    /** Moves the chain's time on; the next block shows it. */
    readonly pass: (seconds: number) => Effect.Effect<void>
    readonly mine: (count: number) => Effect.Effect<void>
    /**
     * Replaces the newest blocks by as many others. What was in them is forgotten, or waits again for the next block.
     */
    readonly reorg: (depth: number, orphans: "forgotten" | "waiting") => Effect.Effect<void>
    /** Cuts the port off from its chain, and connects it again. */
    readonly connect: (connected: boolean) => Effect.Effect<void>

    /** Adds to what an account holds. */
    readonly fund: (
      token: Caip.Token,
      address: Caip.Address,
      quantity: bigint,
    ) => Effect.Effect<void>
    /** Puts an address on the token's blocklist, or takes it off. */
    readonly block: (
      token: Caip.Token,
      address: Caip.Address,
      blocked: boolean,
    ) => Effect.Effect<void>
    /** Pauses the token, or ends that, where an issuer can. */
    readonly pause?: (token: Caip.Token, paused: boolean) => Effect.Effect<void>
    /** What wallets send their own transactions through, where they do; the harness sees to their gas. */
    readonly node?: Wallet.Node
    /**
     * Sends several quantities of a token to an account in one transaction of the payer's, as contracts do; answers its
     * hash. Needed where wallets send and a transaction may hold several transfers.
     */
    readonly batch?: (
      payer: Wallet.Payer,
      token: Caip.Token,
      to: Caip.Address,
      quantities: ReadonlyArray<Money.Quantity>,
    ) => Effect.Effect<string>
    /** Hands in a signed authorization past the port; answers the transaction hash. */
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
