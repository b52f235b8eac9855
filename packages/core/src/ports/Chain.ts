/**
 * The chains that money moves on.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Action from "../domain/chain/Action.ts"
import type * as ActionResult from "../domain/chain/ActionResult.ts"
import type * as Asset from "../domain/chain/Asset.ts"
import * as Caip from "../domain/chain/Caip.ts"
import type * as Catalog from "../domain/chain/Catalog.ts"
import type * as ChainState from "../domain/chain/ChainState.ts"
import type * as PaymentOption from "../domain/chain/PaymentOption.ts"
import type * as Transfer from "../domain/chain/Transfer.ts"
import type * as Mode from "../domain/ground/Mode.ts"
import type * as Money from "../domain/ground/Money.ts"
import type * as PaymentId from "../domain/ground/PaymentId.ts"
import type * as GasCost from "../domain/money/GasCost.ts"
import type * as Lane from "../domain/outflow/Lane.ts"
import type * as OptionRouting from "../domain/payment/OptionRouting.ts"
import type * as Payment from "../domain/payment/Payment.ts"

/** The chain did not respond, or its response cannot be relied on. Nothing is known: call again. */
export class ChainUnavailable extends Schema.TaggedError<ChainUnavailable>()("ChainUnavailable", {
  chainId: Caip.ChainId,
  message: Schema.String,
}) {
  static readonly of = (chainId: Caip.ChainId, what: string) =>
    new ChainUnavailable({ chainId, message: `chain ${chainId}: ${what}` })
}

/**
 * Nodes limit how many transactions of this account wait for a block, and this one is not the next. It is not lost, and
 * nothing is wrong with it: send the same bytes again once the earlier ones are mined.
 */
export class InFlightLimit extends Schema.TaggedError<InFlightLimit>()("InFlightLimit", {
  chainId: Caip.ChainId,
  message: Schema.String,
}) {
  static readonly of = (chainId: Caip.ChainId, what: string) =>
    new InFlightLimit({ chainId, message: `chain ${chainId}: ${what}` })
}

/** What the wallet signed or sent does not match the option, or the token would refuse it. */
export class AttemptRefused extends Schema.TaggedError<AttemptRefused>()("AttemptRefused", {
  message: Schema.String,
}) {}

/**
 * Nothing is sent on this chain now: because of an operator's limit, because a key is missing, or because the chain
 * cannot be trusted.
 */
export class SendingHalted extends Schema.TaggedError<SendingHalted>()("SendingHalted", {
  chainId: Caip.ChainId,
  message: Schema.String,
}) {
  static readonly of = (chainId: Caip.ChainId, what: string) =>
    new SendingHalted({ chainId, message: `chain ${chainId}: ${what}` })
}

/** An account's signer did not sign, or signed something else. Nothing was stored or sent: call again. */
export class SigningFailed extends Schema.TaggedError<SigningFailed>()("SigningFailed", {
  chainId: Caip.ChainId,
  /**
   * `unavailable`: it did not respond in time, or reported that it cannot sign. `untrusted`: its response was refused.
   */
  reason: Schema.Literals(["unavailable", "untrusted"]),
  message: Schema.String,
}) {}

/** The transfer would fail now, and why. */
export class TransferRefused extends Schema.TaggedError<TransferRefused>()("TransferRefused", {
  /**
   * Why the transfer would fail:
   * - `paused`: the token is paused.
   * - `payee`: for our own money, the token or the payee's contract refuses this payee, while the same transfer to
   *   another account would succeed.
   * - `blocked`: another party may not send or receive this token, or nobody may.
   * - `barred`: the payer may not send it. A final block shows this, so what was not sent yet is given up.
   * - `short`: the account does not hold enough now.
   * - `spent`: the authorization was used or revoked.
   * - `late`: the authorization expires too soon to be sent.
   */
  reason: Schema.Literals(["paused", "payee", "blocked", "barred", "short", "spent", "late"]),
  message: Schema.String,
}) {}

/** A token that can be taken now. */
export interface OfferedAsset {
  readonly asset: Asset.Asset
  /** The flows that collect it, in the operator's order of preference. */
  readonly flows: PaymentOption.Flows
  /** The smallest payment: below it, gas would cost too much of the payment. */
  readonly minimum: Money.Quantity
  /**
   * Seconds from the end of the payer's part until the money is final: from the network's table, or as an adapter
   * measured it.
   */
  readonly etaInS: number
  /** From this quantity on, a payment needs more certainty to be final, and takes this long. */
  readonly large?: { readonly from: Money.Quantity; readonly etaInS: number }
  /** The accounts that collect on this chain, in a fixed order. A payment always gets the same one of them. */
  readonly collectingAccounts: ReadonlyArray<Caip.Address>
}

/** A token that is configured but not offered. */
export interface LeftOut {
  readonly token: Caip.Token
  /** What was found, where, and what to do. The text is public. */
  readonly message: string
}

/** Something that a chain's nodes cannot do, though the chain is served. */
export interface Lack {
  readonly chainId: Caip.ChainId
  /** What it is, and what follows from it. The text is public. */
  readonly message: string
}

/** The current state of a node of a chain. */
export interface NodeHealth {
  /** When its newest block was made, as epoch milliseconds; null if it did not respond in time. */
  readonly newestBlockAt: number | null
  /** The number of its newest block. */
  readonly newestBlock?: number
  /** The name of its host, without what its URL has of keys. */
  readonly host?: string
  /** Why it did not respond, without URLs and keys. */
  readonly error?: string
  /** The block that it shows at a final height, which is the same for all nodes; left out if it shows none there. */
  readonly finalBlock?: ChainState.Checkpoint
}

/** A transfer that we send: with the payer's authorization, or from our own account. */
export type Order =
  | {
      readonly _tag: "Collect"
      readonly attempt: Payment.Attempt
      /** The most that it may cost, in the coin's smallest unit, if the payer's account has code. */
      readonly costMax?: bigint
    }
  | { readonly _tag: "Send"; readonly movement: Transfer.Movement }

/**
 * How certain a figure must be. `one`: as any single node reports it. `agreed`: as several sources report it that an
 * adapter does not trust one by one. An `agreed` figure may be lower than the truth for a while, but one source alone
 * can never make it higher.
 */
export type Belief = "one" | "agreed"

/** What to look for on the chain. */
export interface Sought {
  readonly movement: Transfer.Movement
  /** Our own transaction, if we sent one. */
  readonly relayed: Lane.Transaction | null
  /** The attempt that this money belongs to, if a payer signed or sent it. */
  readonly attempt: Pick<Payment.Attempt, "option" | "outputs"> | null
  /**
   * When the payer's part was done, if a payer waits for this. An adapter may use it to measure how long payments take,
   * so callers that look again at a final transfer leave it out.
   */
  readonly waitingSince?: number
  /**
   * Whether a decision ends something if the transfer is not there now. Then the silence of one source is not enough.
   */
  readonly isLast?: true
  /** Logs that count for something else, even if they are equal to what is sought. */
  readonly except?: ReadonlyArray<Transfer.LogId>
}

/** What an account has of a token, for payments in progress. */
export interface Funds {
  readonly balance: Money.Quantity
  /**
   * What it allows, including approvals that the outputs name and that are mined; the largest quantity for a flow that
   * draws on no allowance.
   */
  readonly allowance: Money.Quantity
  /** The payments for whose options no more is taken: their money has moved, or their authorization is used up. */
  readonly taken: ReadonlyArray<PaymentId.PaymentId>
}

/** A transaction that pays, for the person who waits for it. */
export interface Awaited {
  readonly token: Caip.Token
  readonly quantity: Money.Quantity
  /** The hashes under which it may be found, the newest first. */
  readonly hashes: readonly [string, ...ReadonlyArray<string>]
}

/** How far a transaction has got, as one source reports it. */
export interface Progress {
  /** The hash that is on the chain; until one is, the newest. */
  readonly hash: string
  /**
   * The blocks on top of it, and how many make it final, of which no more are counted. Null while no block has it, and
   * if the chain's policy does not count blocks.
   */
  readonly blocks: { readonly confirmed: number; readonly needed: number } | null
}

/** What a wallet did, to be judged. */
export interface Judged extends Pick<Payment.Attempt, "option" | "outputs"> {
  readonly except?: Sought["except"]
}

/** A transfer to look for by its hash, for a payment that no longer takes money. */
export interface SoughtLate extends Pick<Sought, "except" | "isLast"> {
  readonly txHash: string
  readonly option: Pick<PaymentOption.PaymentOption, "account" | "payTo" | "token"> &
    Partial<Pick<PaymentOption.PaymentOption, "quantity">>
}

/**
 * The chain port.
 *
 * Contract, checked by `ChainSuite` on every adapter:
 * - Every call can be repeated: reading changes nothing, and broadcasting the same bytes again is harmless.
 * - `look` reads the canonical chain. An `Included` transfer may become `Unseen` again after a reorganisation. A
 *   `Final` transfer stays final, up to the chain's finality policy. `Impossible` and `Replaced` are final too.
 * - `Impossible` has `movedOtherwise` exactly if the transaction was mined with success: what it moved instead may have
 *   paid the right payee, so it must never be sent again automatically. For one of our transfers, `Impossible` also says
 *   what was `moved`, by the token's logs from our account or else by balances, unless neither shows it.
 * - `stands` is false for a checkpoint only if the chain shows another block with its number. A node that is behind, or does
 *   not have the block, has not responded. The service looks again for everything in a block that does not stand.
 * - A movement counts only by its exact Transfer log, on the token's own contract, in a canonical block; never by a
 *   transaction's status alone. A transfer that pays more or less is another movement.
 * - `Final` names one log. Of several equal ones the adapter names one that belongs to the attempt: the one with its
 *   authorization nonce, the transaction that the wallet named, or our own transaction.
 * - One transaction may hold equal transfers for several payments. `look`, `lookLate` and `verify` skip the logs of
 *   `except`, and take another equal one. If none is left, the transaction moved no such money. `lookLate` takes a log
 *   of any quantity, but prefers one of the option's quantity if that is named.
 * - A call without a response fails with `ChainUnavailable`; it never means "not there".
 * - `broadcast` fails with `InFlightLimit` if nodes take no more transactions of the account for now. Once a node has
 *   said so, at most one transaction of the account is in flight while the limit lasts.
 * - `rehearse` refuses with `payee` only if the payee is the only obstacle: any other refusal passes, and holds no
 *   payout.
 * - Some results end a payment, or cause money to be booked or sent: `Due`, `Final`, `Replaced`, `Impossible`, a log
 *   that `shows` confirms, and a lasting refusal by `rehearse`. The adapter concludes them from as many sources as it
 *   needs so that no single source can invent them.
 * - On a chain that does not number transactions, the lane counts for itself. The adapter writes the number as a memo
 *   into what it signs, so that one of our transfers names its slot. `Replaced` then means that our transaction expired
 *   before it was mined. Nothing is outbid or filled there, because two versions could both be mined.
 * - A permit takes two of our transactions. `sign` signs the one that is due by the chain's state. `look` returns
 *   `Due` once the permit is on the chain, whether we or others sent it, and the money must now be collected. A mined
 *   permit is not a payment: only the transfer is. Once the transaction that collects the money is signed, only its
 *   mining ends the payment. One of our permits that finally failed is not sent again.
 */
export class Chain extends Context.Service<
  Chain,
  {
    /** The assets and networks of the adapter, whether they can be taken now or not. */
    readonly catalog: Catalog.Catalog
    /** The reachable chains, in a fixed order. */
    readonly chainIds: ReadonlyArray<Caip.ChainId>
    /** Our own accounts on these chains, including those that take no new payments. */
    readonly accounts: ReadonlyArray<Caip.Account>
    /** Those of `accounts` whose key is not in this process. They collect and are scanned, but sign nothing. */
    readonly keyless: ReadonlyArray<Caip.Account>
    /** What one of our accounts holds of the coin that pays for gas, in its smallest unit. */
    readonly coins: (account: Caip.Account) => Effect.Effect<bigint, ChainUnavailable>
    /** The newest block that is final by the chain's policy; null while the chain is too young to have one. */
    readonly finalCheckpoint: (
      chainId: Caip.ChainId,
    ) => Effect.Effect<ChainState.Checkpoint | null, ChainUnavailable>
    /** Whether a block that was final is still on the canonical chain. */
    readonly stands: (
      chainId: Caip.ChainId,
      checkpoint: ChainState.Checkpoint,
    ) => Effect.Effect<boolean, ChainUnavailable>
    /** What can be taken now: assets that failed their start-up check are left out. */
    readonly offered: Effect.Effect<ReadonlyArray<OfferedAsset>>
    /** The tokens that are left out now, and why. It returns immediately. */
    readonly faults: Effect.Effect<ReadonlyArray<LeftOut>>
    /** What nodes were found to lack so far. It returns immediately. */
    readonly lacks: Effect.Effect<ReadonlyArray<Lack>>
    /** The state of each node of a chain, in the order of their configuration. A node that hangs delays no other. */
    readonly nodes: (
      chainId: Caip.ChainId,
    ) => Effect.Effect<ReadonlyArray<NodeHealth>, ChainUnavailable>
    /**
     * What accounts hold of offered tokens on their own chains, and what else their options need: one batched request
     * per chain, all chains at the same time. A chain that does not respond is left out; the call fails only if none
     * responds. An adapter leaves out an account that the token is known to bar.
     */
    readonly holdings: (
      accounts: ReadonlyArray<{ readonly account: Caip.Account; readonly accountText: string }>,
      assets: ReadonlyArray<OfferedAsset>,
    ) => Effect.Effect<ReadonlyArray<OptionRouting.Holding>, ChainUnavailable>
    /**
     * The actions that the wallet must execute for an option, by the chain's current state. Other payments will use
     * what is committed: the steps leave enough for them, and are refused if they would use it up.
     */
    readonly actions: (
      chosen: Action.Chosen,
      committed: Money.Quantity,
    ) => Effect.Effect<ReadonlyArray<Action.WalletRpc>, AttemptRefused | ChainUnavailable>
    /**
     * What an account has for an option that we send, and which of its other options are finished. The balance is not
     * older than that, so it contains nothing of what is reported as taken. If the option's own money has moved, the
     * account has the largest quantity, because nothing more is taken.
     */
    readonly funds: (
      attempt: Pick<Payment.Attempt, "option" | "outputs">,
      others: ReadonlyArray<PaymentOption.PaymentOption>,
    ) => Effect.Effect<Funds, ChainUnavailable>
    /** What one of our accounts holds of a token. */
    readonly balance: (
      token: Caip.Token,
      address: Caip.Address,
      belief?: Belief,
    ) => Effect.Effect<Money.Quantity, ChainUnavailable>
    /**
     * Judges a signature as the token itself will judge it, or a transaction that the wallet reports as sent. Returns
     * the outputs to keep, with the signature in the form that will be submitted: the canonical form if the account has
     * no code.
     */
    readonly verify: (
      judged: Judged,
    ) => Effect.Effect<ActionResult.Outputs, AttemptRefused | ChainUnavailable>
    /**
     * Whether an account signed a text, in the way wallets sign texts for people. A contract may verify it by itself.
     * The result is as certain as one that sends money must be.
     */
    readonly isSignedBy: (
      account: Caip.Account,
      text: string,
      signature: string,
    ) => Effect.Effect<boolean, ChainUnavailable>
    /** Simulates an order just before it is signed. */
    readonly rehearse: (order: Order) => Effect.Effect<void, TransferRefused | ChainUnavailable>
    /**
     * The next nonce of an account as the chain knows it. It is a lower bound, not the exact next nonce. Null on a
     * chain that does not number an account's transactions.
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
     * Signs a transaction again that has waited too long: the same call with the same nonce and a higher fee. Null if
     * it does not wait because of its fee, or if the fee may not rise further.
     */
    readonly outbid: (
      relayed: Lane.Transaction,
    ) => Effect.Effect<Lane.Transaction | null, ChainUnavailable | SendingHalted | SigningFailed>
    /**
     * Signs a transaction that does nothing, for a nonce that no other transaction will use and that later ones wait
     * for.
     */
    readonly fill: (
      lane: Lane.Lane,
      nonce: number,
    ) => Effect.Effect<Lane.Transaction, ChainUnavailable | SendingHalted | SigningFailed>
    /** What our transactions cost by the newest reading of the chain, from memory; null if they cost nothing. */
    readonly gasCost: (chainId: Caip.ChainId) => GasCost.GasCost | null
    /**
     * What the transactions that the payer's wallet sends for an option usually cost by the newest reading of the chain,
     * from memory: nothing if the wallet only signs, null before the first reading. It is for display, and decides
     * nothing. `stepCount` is what the family counted.
     */
    readonly payerCost: (chosen: Action.Chosen, stepCount: number) => GasCost.Coins | null
    /** The most that each account may spend on gas in an hour, or null without a limit. */
    readonly spendPerHour: (chainId: Caip.ChainId) => bigint | null
    /**
     * Sends stored bytes. Success means only that a node accepted them; `ChainUnavailable` does not mean that no node
     * did. After `InFlightLimit`, later transactions of the account wait, too.
     */
    readonly broadcast: (
      relayed: Lane.Transaction,
    ) => Effect.Effect<void, ChainUnavailable | InFlightLimit>
    readonly look: (sought: Sought) => Effect.Effect<Transfer.Observation, ChainUnavailable>
    /**
     * How far a transaction has got, in at most one request to one source. It is for display, and decides nothing: a
     * reorganisation may set it back.
     */
    readonly progress: (awaited: Awaited) => Effect.Effect<Progress, ChainUnavailable>
    /**
     * Between which accounts tokens moved in a transaction that one of our accounts sent, on any of the chains.
     * `lookLate` reports the position of such a transfer. Empty if no chain that responds shows such a transaction.
     */
    readonly outgoing: (
      txHash: string,
    ) => Effect.Effect<
      ReadonlyArray<Pick<Transfer.Movement, "token" | "from" | "to">>,
      ChainUnavailable
    >
    /**
     * The transfers of served tokens to our accounts in these blocks, from accounts that are not ours. It is the union
     * of what all sources show, so one source alone can hide nothing, but it can invent transfers. Null if no source
     * has the logs of the blocks.
     */
    readonly arrivals: (
      chainId: Caip.ChainId,
      range: { readonly fromBlock: number; readonly toBlock: number },
    ) => Effect.Effect<ReadonlyArray<Transfer.Log> | null, ChainUnavailable>
    /** Whether the canonical chain has exactly this log, in a final block. */
    readonly shows: (log: Transfer.Log) => Effect.Effect<boolean, ChainUnavailable>
    /** Looks for a transfer that was reported only by its hash, for a payment that no longer takes money. */
    readonly lookLate: (late: SoughtLate) => Effect.Effect<Transfer.Observation, ChainUnavailable>
  }
>()("@florin/core/ports/Chain") {}

/** The chains of each mode. Test payments never touch a live chain. */
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
