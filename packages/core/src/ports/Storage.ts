/**
 * Where everything that must not be lost is kept.
 *
 * Storage takes decisions, not setters: it hands a pure function the current state inside its own transaction, and
 * writes everything that the decision holds, or nothing of it. That is how nothing is lost or doubled.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as ApiKey from "../domain/ApiKey.ts"
import type * as Caip from "../domain/Caip.ts"
import type * as ChainState from "../domain/ChainState.ts"
import type * as Change from "../domain/Change.ts"
import type * as Event from "../domain/Event.ts"
import type * as Idempotency from "../domain/Idempotency.ts"
import type * as Lane from "../domain/Lane.ts"
import * as Ledger from "../domain/Ledger.ts"
import type * as Merchant from "../domain/Merchant.ts"
import type * as Mode from "../domain/Mode.ts"
import type * as Payment from "../domain/Payment.ts"
import type * as PaymentFilter from "../domain/PaymentFilter.ts"
import type * as PaymentId from "../domain/PaymentId.ts"
import type * as PaymentQuery from "../domain/PaymentQuery.ts"
import type * as PaymentStats from "../domain/PaymentStats.ts"
import type * as Refund from "../domain/Refund.ts"
import type * as SettlementDestination from "../domain/SettlementDestination.ts"
import type * as Webhook from "../domain/Webhook.ts"

/** The storage cannot answer now. Whether a write happened is not known: read before deciding again. */
export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()(
  "StorageUnavailable",
  { message: Schema.String },
) {}

/** There is no such object, or it belongs to somebody else: the two are not told apart. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  what: Schema.Literals([
    "partner",
    "merchant",
    "payment",
    "destination",
    "key",
    "refund",
    "webhook",
  ]),
  message: Schema.String,
}) {
  static readonly of = (what: NotFound["what"]) =>
    new NotFound({ what, message: `there is no such ${what}` })
}

/** A transfer or an authorization of the decision was claimed before, by this or another payment. */
export class ClaimTaken extends Schema.TaggedError<ClaimTaken>()("ClaimTaken", {
  claim: Schema.String,
  message: Schema.String,
}) {
  static readonly of = (claim: string) =>
    new ClaimTaken({ claim, message: "it was claimed before" })
}

/** The decision would take from a ledger account what it does not hold. */
export class Overdrawn extends Schema.TaggedError<Overdrawn>()("Overdrawn", {
  account: Schema.String,
  message: Schema.String,
}) {
  static readonly ofAccount = (account: Ledger.Account) =>
    new Overdrawn({
      account: Ledger.accountKey(account),
      message: "the ledger account does not hold this much",
    })
  static readonly ofFloat = () =>
    new Overdrawn({
      account: "float",
      message: "the operator's own money is not enough: put some into the collecting account",
    })
}

/** The lease on the work lapsed and somebody else took it up, or it is no longer due. Nothing was written. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {
  message: Schema.String,
}) {
  static readonly of = () =>
    new LeaseLost({ message: "somebody else took up this work: nothing was written" })
}

/** Another process signed on the lane first. Nothing was written: sign again, for the lane as it is now. */
export class LaneMoved extends Schema.TaggedError<LaneMoved>()("LaneMoved", {
  message: Schema.String,
}) {
  static readonly of = () => new LaneMoved({ message: "another process signed on the lane first" })
}

/** The key stands for another request, or for another movement of the operator's own. */
export class IdempotencyConflict extends Schema.TaggedError<IdempotencyConflict>()(
  "IdempotencyConflict",
  { message: Schema.String },
) {
  static readonly ofRequest = () =>
    new IdempotencyConflict({
      message: "this Idempotency-Key was used for another request: use a new one",
    })
  static readonly ofMovement = () =>
    new IdempotencyConflict({ message: "this key stands for another movement: use a new one" })
}

/** Whose data, and which half of it. Every look-up that starts from a partner carries both. */
export interface Tenant {
  readonly partnerId: Merchant.PartnerId
  readonly mode: Mode.Mode
}

/** A key, and the partner who holds it; null where a wallet does, or where the partner is not there. */
export interface KeyWithPartner {
  readonly key: ApiKey.ApiKey
  readonly partner: Merchant.Partner | null
}

/** A request that is to be answered once: its key, and what it asked for. */
export interface Once {
  readonly scope: Idempotency.Scope
  readonly key: Idempotency.IdempotencyKey
  readonly fingerprint: Idempotency.Fingerprint
}

/** What a decision says: the answer for the caller, and what is written with it. No change writes nothing. */
export interface Decision<A> {
  readonly answer: A
  readonly change?: Change.Change | null
}

/** The right to do one piece of due work, until the lease lapses or the work is written. */
export interface Hold {
  readonly kind: Change.WorkKind
  readonly fence: number
}

export interface Claimed {
  readonly payment: Payment.Payment
  readonly hold: Hold
  /** How often this work was put off since it was last set due. */
  readonly failures: number
}

/** A final transfer that a payment rests on, by its claim, and the block that it was found in. */
export interface Resting {
  readonly claim: string
  readonly paymentId: PaymentId.PaymentId
  readonly mark: ChainState.Mark
}

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
}

export interface MerchantPage extends Page<Merchant.Merchant> {
  readonly totalCount: number
}

/** A created object, or the answer that an earlier request with the same key got. */
export interface Created {
  readonly replayed: boolean
  /** The answer as it was remembered. */
  readonly answer: string
}

/** One webhook delivery that is due, with what is needed to make it. */
export interface ClaimedDelivery {
  readonly delivery: Webhook.Delivery
  readonly endpoint: Webhook.Endpoint
  readonly event: Event.Event
  readonly fence: number
}

export interface FeedEntry {
  /** Grows with every event of a tenant; where to go on from. */
  readonly sequence: number
  readonly event: Event.Event
}

type Found<A> = Effect.Effect<A, NotFound | StorageUnavailable>
type Read<A> = Effect.Effect<A, StorageUnavailable>

/**
 * The storage port.
 *
 * Contract, checked by `StorageSuite` on every adapter:
 * - A decision may run several times; only the last run counts, so it is pure and total.
 * - Decisions on one payment are in one order: each sees everything that the one before it wrote. Of many at once
 *   that exclude each other, exactly one writes.
 * - All of a change is visible, or none: the payment, its event, ledger lines, claims, due work and the transaction
 *   in its lane. A failed write changes nothing and takes no nonce.
 * - A claim is kept for ever. The first change that holds it wins, every later one is `ClaimTaken`. A change that moves
 *   a transfer takes its claim along, so that the place it left is free.
 * - After `StorageUnavailable` the caller does not know whether it was written; every operation can be repeated. What
 *   cannot succeed by repeating it is a defect.
 * - What was answered is read by every later call, in every process; `keyByHash` alone may lag behind other processes.
 * - Order: lists are by their sort, then id; events by sequence; due work by when it is due; deliveries newest first.
 * - Due work can be claimed from the moment that `nextDueAt` names. A hold is good until its work is claimed by somebody
 *   else, set anew or postponed, even where its lease has lapsed; a write that names its kind uses it up.
 * - A lane has no gaps but those that its signers leave: a nonce is taken only together with the transaction it is for,
 *   and of several that sign for one lane as it was, exactly one writes.
 * - Ledger transactions come from `Ledger`, whose movements balance by how they are built. Balances of zero may be left
 *   out.
 * - An event waits to be fanned out from the change that it is part of. It is fanned out once, with all of its deliveries
 *   or none, and after the events of its payment that came before it, however many do so at once.
 * - A replayed delivery is taken from whoever holds it.
 * - Texts of outside may hold anything: what JSON columns cannot keep, U+0000 and halves of surrogate pairs, may be read
 *   back as U+FFFD, and never keeps a thing from being written.
 */
export class Storage extends Context.Service<
  Storage,
  {
    /** What time it is where everything is kept, in epoch milliseconds. */
    readonly time: Read<number>

    // --- partners and keys

    /** Writes a partner, new or changed. */
    readonly putPartner: (partner: Merchant.Partner) => Read<void>
    readonly partner: (id: Merchant.PartnerId) => Found<Merchant.Partner>
    readonly partners: Read<ReadonlyArray<Merchant.Partner>>
    /** Writes new keys, all or none of them. */
    readonly putKeys: (keys: ReadonlyArray<ApiKey.ApiKey>) => Read<void>
    /** What every call asks first, so one read; the only one that may lag: `Limits.keyRememberedInMs` behind other processes. */
    readonly keyByHash: (hash: ApiKey.KeyHash) => Found<KeyWithPartner>
    readonly key: (id: ApiKey.ApiKeyId) => Found<ApiKey.ApiKey>
    /** Runs `decide` on a key as it is, and writes the keys that it names, all or none of them. */
    readonly modifyKey: <A, E>(
      id: ApiKey.ApiKeyId,
      decide: (
        current: ApiKey.ApiKey,
      ) => Result.Result<{ readonly answer: A; readonly keys: ReadonlyArray<ApiKey.ApiKey> }, E>,
    ) => Effect.Effect<A, E | NotFound | StorageUnavailable>
    /** Newest first; of one partner, or every wallet's where there is none. */
    readonly keys: (partnerId: Merchant.PartnerId | null) => Read<ReadonlyArray<ApiKey.ApiKey>>

    // --- answers

    /**
     * What an earlier request with this key was answered, or null where none was or it is forgotten: the judgement that
     * a write with the same key would meet.
     */
    readonly answered: (
      once: Once,
      now: number,
    ) => Effect.Effect<string | null, IdempotencyConflict | StorageUnavailable>
    /** Deletes answers that are forgotten, `limit` of them at most, and passes over those in use; answers how many. */
    readonly deleteAnswers: (now: number, limit: number) => Read<number>

    // --- merchants

    /** Creates a merchant once per key. Concurrent calls with one key wait for the first and get its answer. */
    readonly createMerchant: (
      merchant: Merchant.Merchant,
      once: Once,
      answer: string,
      now: number,
    ) => Effect.Effect<Created, IdempotencyConflict | StorageUnavailable>
    /** A merchant of the tenant, a deleted one too. */
    readonly merchant: (tenant: Tenant, id: Merchant.MerchantId) => Found<Merchant.Merchant>
    /**
     * Those of the merchants that are the tenant's, deleted ones too, each once however often it is named, in any
     * order: one read for all of them. The others are left out.
     */
    readonly merchantsById: (
      tenant: Tenant,
      ids: ReadonlyArray<Merchant.MerchantId>,
    ) => Read<ReadonlyArray<Merchant.Merchant>>
    readonly modifyMerchant: <E>(
      tenant: Tenant,
      id: Merchant.MerchantId,
      decide: (current: Merchant.Merchant) => Result.Result<Merchant.Merchant, E>,
    ) => Effect.Effect<Merchant.Merchant, E | NotFound | StorageUnavailable>
    /** Newest first, without deleted ones. `after` is the last item of the page before. */
    readonly merchants: (
      tenant: Tenant,
      filter: Merchant.Filter,
      page: {
        readonly after: { readonly createdAt: number; readonly id: string } | null
        readonly limit: number
      },
    ) => Read<MerchantPage>

    // --- settlement destinations

    /** A merchant's destinations, oldest first. */
    readonly destinations: (
      merchantId: Merchant.MerchantId,
    ) => Read<ReadonlyArray<SettlementDestination.SettlementDestination>>
    /**
     * Adds destinations once per key. `decide` sees what is registered now, and its answer is remembered; of two that
     * add the same asset at once, one is refused by its own decision.
     */
    readonly addDestinations: <E>(
      merchantId: Merchant.MerchantId,
      once: Once,
      decide: (
        existing: ReadonlyArray<SettlementDestination.SettlementDestination>,
      ) => Result.Result<
        {
          readonly added: ReadonlyArray<SettlementDestination.SettlementDestination>
          readonly answer: string
        },
        E
      >,
      now: number,
    ) => Effect.Effect<Created, E | IdempotencyConflict | StorageUnavailable>
    readonly modifyDestination: <E>(
      merchantId: Merchant.MerchantId,
      id: SettlementDestination.SettlementDestinationId,
      decide: (
        current: SettlementDestination.SettlementDestination,
      ) => Result.Result<SettlementDestination.SettlementDestination | null, E>,
    ) => Effect.Effect<
      SettlementDestination.SettlementDestination,
      E | NotFound | StorageUnavailable
    >

    // --- payments

    /** Creates a payment, once per key where there is one. */
    readonly createPayment: (
      change: Change.Change,
      once: Once | null,
      answer: string,
      now: number,
    ) => Effect.Effect<Created, IdempotencyConflict | StorageUnavailable>
    readonly payment: (id: PaymentId.PaymentId) => Found<Payment.Payment>
    /** Runs `decide` on the payment as it is, and writes its change. With a hold, only while the hold is good. */
    readonly modifyPayment: <A, E>(
      id: PaymentId.PaymentId,
      decide: (current: Payment.Payment) => Result.Result<Decision<A>, E>,
      hold?: Hold,
    ) => Effect.Effect<A, E | NotFound | ClaimTaken | Overdrawn | LeaseLost | StorageUnavailable>
    /**
     * As `modifyPayment`, with a transaction that takes the next slot of its lane: the change and the transaction are
     * written together, or neither is. A decision without a change takes no slot.
     */
    readonly modifyPaymentInLane: <A, E>(
      id: PaymentId.PaymentId,
      signed: Lane.Signed,
      decide: (current: Payment.Payment) => Result.Result<Decision<A>, E>,
      hold: Hold | null,
    ) => Effect.Effect<
      A,
      E | NotFound | ClaimTaken | Overdrawn | LeaseLost | LaneMoved | StorageUnavailable
    >
    /**
     * The transfers that payments of a mode rest on: found in this block of a chain or a newer one, the newest block
     * first. `after` is the last one of the page before. One that is gone for good is left out.
     */
    readonly resting: (
      mode: Mode.Mode,
      chainId: Caip.ChainId,
      page: {
        readonly fromBlock: number
        readonly after: Resting | null
        readonly limit: number
      },
    ) => Read<ReadonlyArray<Resting>>
    /** A page of payments after the query's position. */
    readonly payments: (
      tenant: Tenant,
      query: PaymentQuery.PaymentQuery,
      now: number,
    ) => Read<Page<Payment.Payment>>
    /** Statistics over everything that the filter lets through. */
    readonly paymentStats: (
      tenant: Tenant,
      filter: PaymentFilter.Filter,
      now: number,
    ) => Read<PaymentStats.Stats>
    readonly paymentOfRefund: (tenant: Tenant, id: Refund.RefundId) => Found<Payment.Payment>
    /** Payments with something only an operator can move on: a held settlement or refund, or money in suspense. */
    readonly stuckPayments: (mode: Mode.Mode) => Read<ReadonlyArray<Payment.Payment>>

    // --- lanes

    /** Runs an effect while no other of this process has the lane: what it reads and signs stays the newest. */
    readonly inLaneTurn: <A, E, R>(
      lane: Lane.Lane,
      effect: Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E, R>
    /** A lane as its next signer must know it. */
    readonly laneState: (mode: Mode.Mode, lane: Lane.Lane) => Read<Lane.State>
    /** The transactions of a lane from a nonce on, in order, each in its newest version. */
    readonly laneTransactions: (
      lane: Lane.Lane,
      fromNonce: number,
    ) => Read<ReadonlyArray<Lane.Transaction>>
    /** The transaction of a nonce in its newest version, or null if the nonce was not taken here. */
    readonly laneTransaction: (lane: Lane.Lane, nonce: number) => Read<Lane.Transaction | null>
    /**
     * Writes a transaction into a slot that is not the next one: a higher bid over the version that it `replaces`, or a
     * transaction that does nothing into a slot that nobody took. Returns false, and writes nothing, if the slot or the
     * lane is not as its signer saw it.
     */
    readonly placeInLane: (signed: Lane.Signed, replaces: Lane.Transaction | null) => Read<boolean>

    // --- chains

    /** What is remembered of a mode's chains, by chain; those of which nothing is are left out. */
    readonly chainStates: (mode: Mode.Mode) => Read<ReadonlyArray<ChainState.ChainState>>
    /** Runs `decide` on what is remembered of a mode's chain, and writes what it answers, if anything; tells whether it did. */
    readonly modifyChainState: (
      mode: Mode.Mode,
      chainId: Caip.ChainId,
      decide: (current: ChainState.ChainState) => ChainState.ChainState | null,
    ) => Read<boolean>

    // --- due work

    /**
     * Leases due work of one kind, the longest due first. A piece of work has one holder at a time; when its lease
     * lapses it is due again, for whoever comes next, and the earlier holder's fence is worth nothing.
     */
    readonly claimDue: (
      kind: Change.WorkKind,
      options: { readonly limit: number; readonly leaseInMs: number; readonly now: number },
    ) => Read<ReadonlyArray<Claimed>>
    /** Gives work back that could not be done now, to be due again later; counts the failure. */
    readonly postpone: (
      id: PaymentId.PaymentId,
      hold: Hold,
      dueAt: number,
    ) => Effect.Effect<void, LeaseLost | StorageUnavailable>
    /** When the next work of a kind is due or its lease lapses, or null: so that a worker can sleep until then. */
    readonly nextDueAt: (kind: Change.WorkKind) => Read<number | null>

    // --- ledger

    /** The balance of one ledger account; 0 where nothing ever moved. */
    readonly balance: (mode: Mode.Mode, account: Ledger.Account, token: Caip.Token) => Read<bigint>
    /** What our accounts hold of a token beyond what is owed: `Ledger.float` of all balances. */
    readonly float: (mode: Mode.Mode, token: Caip.Token) => Read<bigint>
    /** What every account holds, of one token or of all. Test and live money never add up. */
    readonly balances: (mode: Mode.Mode, token: Caip.Token | null) => Read<Ledger.Balances>
    /** Every ledger transaction of a payment, in the order it was written. */
    readonly ledgerOf: (id: PaymentId.PaymentId) => Read<ReadonlyArray<Ledger.Transaction>>
    /**
     * Writes a movement that belongs to no payment, once per key, for ever: the operator's own money in or out, or a
     * loss. Another movement under the same key is refused, as is the same one in another mode.
     */
    readonly post: (
      mode: Mode.Mode,
      key: Idempotency.IdempotencyKey,
      transaction: Ledger.Transaction,
    ) => Effect.Effect<void, Overdrawn | IdempotencyConflict | StorageUnavailable>

    // --- collected data

    /**
     * Keeps what a payer's form held, sealed by the vault, for a payment and account. The first one stays: of many at once
     * one is kept, and the others change nothing. Only a change replaces it.
     */
    readonly putCollected: (id: PaymentId.PaymentId, data: Change.Collected) => Found<void>
    readonly collected: (id: PaymentId.PaymentId) => Read<ReadonlyArray<Change.Collected>>
    /** Deletes what is past its time, `limit` of it at most, and passes over what is in use; answers how many. */
    readonly deleteCollected: (now: number, limit: number) => Read<number>

    // --- events and deliveries

    /** A tenant's events after a sequence number, in order. */
    readonly events: (
      tenant: Tenant,
      after: number,
      limit: number,
    ) => Read<ReadonlyArray<FeedEntry>>
    readonly eventsOf: (id: PaymentId.PaymentId) => Read<ReadonlyArray<Event.Event>>
    /** Those of a payment's events that wait to be fanned out, in order. */
    readonly waitingEvents: (id: PaymentId.PaymentId) => Read<ReadonlyArray<Event.Event>>
    /**
     * Fans out the oldest events that wait for it, `limit` at most: runs `decide` on each of them and every endpoint of
     * its tenant, with the partner, as they are now, and writes the deliveries, and that the events wait no more. Answers how many events that
     * were.
     */
    readonly fanOut: (
      limit: number,
      decide: (
        event: Event.Notice,
        endpoint: Webhook.Endpoint,
        partner: Merchant.Partner,
      ) => Webhook.Delivery | null,
    ) => Read<number>
    /** Writes a webhook endpoint over whatever is there. */
    readonly putEndpoint: (endpoint: Webhook.Endpoint) => Read<void>
    /** Runs `decide` on an endpoint as it is, and writes what it answers. */
    readonly modifyEndpoint: <E>(
      tenant: Tenant,
      id: Webhook.EndpointId,
      decide: (current: Webhook.Endpoint) => Result.Result<Webhook.Endpoint, E>,
    ) => Effect.Effect<Webhook.Endpoint, E | NotFound | StorageUnavailable>
    readonly endpoints: (tenant: Tenant) => Read<ReadonlyArray<Webhook.Endpoint>>
    readonly deliveries: (
      endpointId: Webhook.EndpointId,
      limit: number,
    ) => Read<ReadonlyArray<Webhook.Delivery>>
    /** Those of the deliveries that there are, each once, in any order. */
    readonly deliveriesById: (
      ids: ReadonlyArray<Webhook.DeliveryId>,
    ) => Read<ReadonlyArray<Webhook.Delivery>>
    readonly claimDeliveries: (options: {
      readonly limit: number
      readonly leaseInMs: number
      readonly now: number
    }) => Read<ReadonlyArray<ClaimedDelivery>>
    /** Writes what became of a delivery, while its fence holds. */
    readonly finishDelivery: (
      delivery: Webhook.Delivery,
      fence: number,
    ) => Effect.Effect<void, LeaseLost | StorageUnavailable>
    /** Makes a delivery due again, whatever became of it. */
    readonly replayDelivery: (id: Webhook.DeliveryId, now: number) => Found<void>
  }
>()("@florin/core/ports/Storage") {}
