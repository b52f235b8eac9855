/**
 * The chains that money moves on.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Action from "../domain/Action.ts"
import type * as ActionResult from "../domain/ActionResult.ts"
import type * as Asset from "../domain/Asset.ts"
import * as Caip from "../domain/Caip.ts"
import type * as Catalog from "../domain/Catalog.ts"
import type * as ChainState from "../domain/ChainState.ts"
import type * as GasCost from "../domain/GasCost.ts"
import type * as Lane from "../domain/Lane.ts"
import type * as Mode from "../domain/Mode.ts"
import type * as Money from "../domain/Money.ts"
import type * as OptionRouting from "../domain/OptionRouting.ts"
import type * as Payment from "../domain/Payment.ts"
import type * as PaymentOption from "../domain/PaymentOption.ts"
import type * as Transfer from "../domain/Transfer.ts"

/** The chain did not answer, or not in a way to rely on. Nothing is known: ask again. */
export class ChainUnavailable extends Schema.TaggedError<ChainUnavailable>()("ChainUnavailable", {
  chainId: Caip.ChainId,
  message: Schema.String,
}) {}

/** What the wallet signed or sent is not what the option asked for, or the token would refuse it. */
export class AttemptRefused extends Schema.TaggedError<AttemptRefused>()("AttemptRefused", {
  message: Schema.String,
}) {}

/** Nothing is sent on this chain now: for a limit of the operator, without a key, or because the chain cannot be trusted. */
export class SendingHalted extends Schema.TaggedError<SendingHalted>()("SendingHalted", {
  chainId: Caip.ChainId,
  message: Schema.String,
}) {}

/** An account's signer did not sign, or not what it was asked for. Nothing was stored or sent: ask again. */
export class SigningFailed extends Schema.TaggedError<SigningFailed>()("SigningFailed", {
  chainId: Caip.ChainId,
  /** `unavailable`: it did not answer in time, or said that it cannot. `untrusted`: what it returned was refused. */
  reason: Schema.Literals(["unavailable", "untrusted"]),
  message: Schema.String,
}) {}

/** The transfer would not go through now, and why. */
export class TransferRefused extends Schema.TaggedError<TransferRefused>()("TransferRefused", {
  /**
   * `paused`: the token is. `payee`: of money of ours, the token or the payee's contract does not let the payee have it,
   * while the same would reach another account. `blocked`: another party may not send or receive this token, or nobody
   * may. `barred`: the payer may not send it, which a final block shows, so what was not sent yet is given up. `short`:
   * the account does not hold enough now. `spent`: the authorization was used or revoked. `late`: it ends too soon to be
   * sent.
   */
  reason: Schema.Literals(["paused", "payee", "blocked", "barred", "short", "spent", "late"]),
  message: Schema.String,
}) {}

/** A token that can be taken now. */
export interface OfferedAsset {
  readonly asset: Asset.Asset
  /** How it is taken, in the operator's order of preference. */
  readonly flows: PaymentOption.Flows
  /** Below this the gas would eat the payment. */
  readonly minimum: Money.Quantity
  /** Seconds from the payer's part being done to final money: the network's table, or what an adapter measured. */
  readonly etaInS: number
  /** From this quantity on a payment must be surer to be final, and takes so long. */
  readonly large?: { readonly from: Money.Quantity; readonly etaInS: number }
  /** The accounts that collect on this chain, in a fixed order; a payment always gets the same one of them. */
  readonly collectingAccounts: ReadonlyArray<Caip.Address>
}

/** A token that should be taken and is not. */
export interface LeftOut {
  readonly token: Caip.Token
  /** What was found, where, and what to do. Anybody may read it. */
  readonly message: string
}

/** Something that a chain's nodes cannot do, though the chain is served. */
export interface Lack {
  readonly chainId: Caip.ChainId
  /** What it is, and what follows from it. Anybody may read it. */
  readonly message: string
}

/** How a node of a chain does now. */
export interface NodeHealth {
  /** When its newest block was made, as epoch milliseconds; null if it did not answer soon. */
  readonly newestBlockAt: number | null
  /** What it shows at a height that is final, the same for all nodes; left out if it shows nothing there. */
  readonly finalBlock?: ChainState.Mark
}

/** A transfer of ours: with the payer's authorization, or from our own account. */
export type Order =
  | {
      readonly _tag: "Collect"
      readonly attempt: Payment.Attempt
      /** The most that it may cost, in the coin's smallest unit, if the payer's account has code. */
      readonly costMax?: bigint
    }
  | { readonly _tag: "Send"; readonly movement: Transfer.Movement }

/**
 * How surely a figure is wanted: as any node tells it, or as those sources tell it that an adapter does not believe one by
 * one. Of the second kind it may be lower than the truth for a while, never higher because of one source.
 */
export type Belief = "one" | "agreed"

/** What to look for on chain. */
export interface Sought {
  readonly movement: Transfer.Movement
  /** Our own transaction, where we made it. */
  readonly relayed: Lane.Transaction | null
  /** The attempt whose money this is, where a payer signed or sent it. */
  readonly attempt: Pick<Payment.Attempt, "option" | "outputs"> | null
  /**
   * When the payer's part was done, if a payer waits for this. An adapter may measure by it how long payments take, so
   * whoever looks again at what was final leaves it out.
   */
  readonly waitingSince?: number
  /** Whether it ends something if it is not there now: silence of one source is not enough then. */
  readonly isLast?: true
  /** Logs that count for something else, however equal they are. */
  readonly except?: ReadonlyArray<Transfer.LogId>
}

/** What a wallet did, to be judged. */
export interface Judged extends Pick<Payment.Attempt, "option" | "outputs"> {
  readonly except?: Sought["except"]
}

/** A transfer to look for by its hash, for a payment that takes no more. */
export interface SoughtLate extends Pick<Sought, "except" | "isLast"> {
  readonly txHash: string
  readonly option: Pick<PaymentOption.PaymentOption, "account" | "payTo" | "token"> &
    Partial<Pick<PaymentOption.PaymentOption, "quantity">>
}

/**
 * The chain port.
 *
 * Contract, checked by `ChainSuite` on every adapter:
 * - Everything may be asked again: reading changes nothing, and broadcasting the same bytes again is harmless.
 * - `look` answers from the canonical chain. What was `Included` may become `Unseen` again: a reorganisation. What was
 *   `Final` stays, up to the chain's finality policy. `Impossible` and `Replaced` are final too.
 * - `Impossible` says `movedOtherwise` exactly where the transaction was mined with success: what it moved instead may
 *   have paid whom it was for, so it must never be sent again by itself. Of a transfer of ours it says what was `moved`,
 *   by the token's logs from our account or else by balances, unless nothing tells.
 * - A mark does not stand only where the chain shows another block of its number. A node that is behind, or does not have
 *   the block, has not answered. What was in a block that does not stand is looked for again.
 * - A movement counts only by its exact Transfer log, on the token's own contract, in a canonical block; never by a
 *   transaction's status alone. A transfer that pays more or less is another movement.
 * - `Final` names one log. Of several equal ones the adapter names one that belongs to the attempt: the one with its
 *   authorization nonce, the transaction that the wallet named, or our own transaction.
 * - One transaction may hold equal transfers for several payments. `look`, `lookLate` and `verify` pass over the logs of
 *   `except`, and take another equal one; where none is left, the transaction moved no such money. `lookLate` takes a log of
 *   any quantity, but one of the option's quantity first, if that is named.
 * - An unanswered call is `ChainUnavailable`, never "not there".
 * - `rehearse` refuses with `payee` only if nothing but the payee is in the way: all else passes, and holds no payout.
 * - What ends a payment, has money booked or sent (`Due`, `Final`, `Replaced`, `Impossible`, what it `shows`, a refusal by
 *   `rehearse` that lasts) is concluded from as many sources as the adapter needs so that no single one can make it up.
 * - On a chain that numbers no transactions the lane counts for itself. The adapter writes the number into what it signs,
 *   as a memo, so that a transfer of ours names its slot; `Replaced` means there that ours ran out before it was mined.
 *   Nothing is outbid or filled there: two versions could be mined both.
 * - A permit takes two transactions of ours. `sign` signs the one that is due by the chain's state; `look` says `Due` once
 *   the permit is on the chain, whoever sent it, and the money is to be taken. A landed permit is no payment: only the
 *   transfer is, and once the transaction that takes the money was signed, only its mining ends the payment. A permit of
 *   ours that finally failed is not sent again.
 */
export class Chain extends Context.Service<
  Chain,
  {
    /** The assets and networks that the adapter brings, whether they can be taken now or not. */
    readonly catalog: Catalog.Catalog
    /** The chains that can be reached, in a fixed order. */
    readonly chainIds: ReadonlyArray<Caip.ChainId>
    /** Our own accounts on these chains, also those that take no new payments. */
    readonly accounts: ReadonlyArray<Caip.Account>
    /** Those of `accounts` whose key is not in this process: they collect and are looked for, and nothing is signed. */
    readonly keyless: ReadonlyArray<Caip.Account>
    /** What one of our accounts has of the coin that pays for transactions, in its smallest unit. */
    readonly coins: (account: Caip.Account) => Effect.Effect<bigint, ChainUnavailable>
    /** The newest block that is final by the chain's policy; null while the chain is too young to have one. */
    readonly finalMark: (
      chainId: Caip.ChainId,
    ) => Effect.Effect<ChainState.Mark | null, ChainUnavailable>
    /** Whether a block that was final is still on the canonical chain. */
    readonly stands: (
      chainId: Caip.ChainId,
      mark: ChainState.Mark,
    ) => Effect.Effect<boolean, ChainUnavailable>
    /** What can be taken now: assets that failed their start-up check are left out. */
    readonly offered: Effect.Effect<ReadonlyArray<OfferedAsset>>
    /** What is left out for now, and why; this waits for nothing. */
    readonly faults: Effect.Effect<ReadonlyArray<LeftOut>>
    /** What nodes were found to lack so far; this waits for nothing. */
    readonly lacks: Effect.Effect<ReadonlyArray<Lack>>
    /** How each node of a chain does now, in the order of their configuration. A node that hangs holds up no other. */
    readonly nodes: (
      chainId: Caip.ChainId,
    ) => Effect.Effect<ReadonlyArray<NodeHealth>, ChainUnavailable>
    /**
     * What accounts hold of offered tokens on their own chains, and what options for them need to know besides: one
     * batched request per chain, all chains at once. A chain that does not answer is left out; only when none answers does
     * this fail. An adapter leaves out an account that the token is known to bar.
     */
    readonly holdings: (
      accounts: ReadonlyArray<{ readonly account: Caip.Account; readonly accountText: string }>,
      assets: ReadonlyArray<OfferedAsset>,
    ) => Effect.Effect<ReadonlyArray<OptionRouting.Holding>, ChainUnavailable>
    /**
     * What the wallet is to execute for an option, as the chain stands now. Other payments will use what is committed: the
     * steps leave enough for them, and are refused where they would take it from them.
     */
    readonly actions: (
      chosen: Action.Chosen,
      committed: Money.Quantity,
    ) => Effect.Effect<ReadonlyArray<Action.WalletRpc>, AttemptRefused | ChainUnavailable>
    /**
     * What an account allows of the option's token now, by a flow that draws on that: approvals that the outputs name are
     * in it once they are mined. The largest quantity where the money moved already, so that nothing is drawn any more.
     */
    readonly allowance: (
      attempt: Pick<Payment.Attempt, "option" | "outputs">,
    ) => Effect.Effect<Money.Quantity, ChainUnavailable>
    /** What one of our accounts holds. */
    readonly balance: (
      token: Caip.Token,
      address: Caip.Address,
      belief?: Belief,
    ) => Effect.Effect<Money.Quantity, ChainUnavailable>
    /**
     * Judges a signature as the token itself will judge it, or a transaction the wallet says it sent. Returns the outputs
     * to keep, with the signature in the spelling that will be handed in: of an account without code, the canonical one.
     */
    readonly verify: (
      judged: Judged,
    ) => Effect.Effect<ActionResult.Outputs, AttemptRefused | ChainUnavailable>
    /**
     * Whether an account signed a text, as wallets sign texts to people. One that is a contract may say so itself: it is
     * believed as what has money sent.
     */
    readonly isSignedBy: (
      account: Caip.Account,
      text: string,
      signature: string,
    ) => Effect.Effect<boolean, ChainUnavailable>
    /** Simulates an order right before it is signed. */
    readonly rehearse: (order: Order) => Effect.Effect<void, TransferRefused | ChainUnavailable>
    /**
     * The next nonce of an account as the chain knows it: a floor, not an order. Null on a chain that does not number an
     * account's transactions.
     */
    readonly nonceFloor: (
      lane: Lane.Lane,
      belief?: Belief,
    ) => Effect.Effect<number | null, ChainUnavailable>
    /** Signs the transaction of an order, unless it may cost more than the operator allows or the account holds. */
    readonly sign: (
      lane: Lane.Lane,
      nonce: number,
      order: Order,
    ) => Effect.Effect<Lane.Transaction, ChainUnavailable | SendingHalted | SigningFailed>
    /**
     * Signs a transaction again that waits too long: the same call with the same nonce and a higher fee. Null where it
     * does not wait for its fee, or where that may rise no further.
     */
    readonly outbid: (
      relayed: Lane.Transaction,
    ) => Effect.Effect<Lane.Transaction | null, ChainUnavailable | SendingHalted | SigningFailed>
    /** Signs a transaction that does nothing, for a nonce that no other will take: what follows waits for it. */
    readonly fill: (
      lane: Lane.Lane,
      nonce: number,
    ) => Effect.Effect<Lane.Transaction, ChainUnavailable | SendingHalted | SigningFailed>
    /** What our transactions cost by the newest look at the chain, from memory; null where they cost nothing. */
    readonly gasCost: (chainId: Caip.ChainId) => GasCost.GasCost | null
    /** The most that each account may spend on gas in an hour, or null without a limit. */
    readonly spendPerHour: (chainId: Caip.ChainId) => bigint | null
    /** Sends stored bytes. Success means only that a node took them; failure does not mean that none did. */
    readonly broadcast: (relayed: Lane.Transaction) => Effect.Effect<void, ChainUnavailable>
    readonly look: (sought: Sought) => Effect.Effect<Transfer.Sighting, ChainUnavailable>
    /**
     * Between whom tokens moved in a transaction that one of our accounts sent, on any of the chains. Where a transfer
     * stands, `lookLate` tells. Empty if no chain that answers shows such a transaction.
     */
    readonly outgoing: (
      txHash: string,
    ) => Effect.Effect<
      ReadonlyArray<Pick<Transfer.Movement, "token" | "from" | "to">>,
      ChainUnavailable
    >
    /**
     * The transfers of served tokens to our accounts in these blocks, from accounts that are not ours: the union of what
     * sources show, so that one alone hides nothing, and makes up what it likes. Null if none has the logs of the blocks.
     */
    readonly arrivals: (
      chainId: Caip.ChainId,
      range: { readonly fromBlock: number; readonly toBlock: number },
    ) => Effect.Effect<ReadonlyArray<Transfer.Log> | null, ChainUnavailable>
    /** Whether the canonical chain has this very log, in a final block. */
    readonly shows: (log: Transfer.Log) => Effect.Effect<boolean, ChainUnavailable>
    /** Looks for a transfer that was reported with its hash only, for a payment that takes no more. */
    readonly lookLate: (late: SoughtLate) => Effect.Effect<Transfer.Sighting, ChainUnavailable>
  }
>()("@florin/core/ports/Chain") {}

/** The chains that each mode's money moves on. Test payments never touch a live chain. */
export class Chains extends Context.Service<
  Chains,
  { readonly of: (mode: Mode.Mode) => Chain["Service"] }
>()("@florin/core/ports/Chain/Chains") {
  /** One chain for both modes, as in tests and in development. */
  static readonly layerShared = Layer.effect(
    Chains,
    Effect.map(Chain, (chain) => Chains.of({ of: () => chain })),
  )

  /** A chain for each mode. */
  static readonly layer = <E, R, E2, R2>(chains: {
    readonly live: Layer.Layer<Chain, E, R>
    readonly test: Layer.Layer<Chain, E2, R2>
  }) =>
    Layer.effect(
      Chains,
      Effect.gen(function* () {
        const live = Context.get(yield* Layer.build(Layer.fresh(chains.live)), Chain)
        const test = Context.get(yield* Layer.build(Layer.fresh(chains.test)), Chain)
        return Chains.of({ of: (mode) => (mode === "live" ? live : test) })
      }),
    )
}
