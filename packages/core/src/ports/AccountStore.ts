/**
 * The store of accounts: partners with their API keys, and merchants with their settlement destinations.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as ApiKey from "../domain/ApiKey.ts"
import type * as Caip from "../domain/Caip.ts"
import type * as Event from "../domain/Event.ts"
import type * as Merchant from "../domain/Merchant.ts"
import type * as Mode from "../domain/Mode.ts"
import type * as SettlementDestination from "../domain/SettlementDestination.ts"
import type { Created, Once } from "./AnswerStore.ts"
import type {
  Found,
  IdempotencyConflict,
  NotFound,
  Read,
  StorageUnavailable,
} from "./StorageError.ts"

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

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
}

/** A name that looks like another one: of a merchant, or of a partner itself. */
export interface Namesake {
  readonly partnerId: Merchant.PartnerId
  readonly merchantId: Merchant.MerchantId | null
  readonly name: string
}

/** A destination as it becomes, and what is announced of that. */
export interface DestinationWrite {
  readonly destination: SettlementDestination.SettlementDestination
  readonly event: Event.DestinationEvent | null
}

export interface MerchantPage extends Page<Merchant.Merchant> {
  readonly totalCount: number
}

/**
 * Stores partners, API keys, merchants and settlement destinations.
 *
 * Contract, besides that of every store in `Storage`:
 * - `keyByHash` alone may lag behind what other processes wrote, by at most `Limits.keyRememberedInMs`.
 * - Lists are in the order that their member names, then by id.
 * - A destination that is deleted is listed no more, but the last one of each token is kept. The event of a change is
 *   announced with it: it is in the feed and waits to be fanned out, or nothing is written.
 * - With a destination that is added, the oldest share that its merchant is owed in the token becomes due for `settle`:
 *   both are written, or neither is. The worker that settles it brings the others along.
 */
export class AccountStore extends Context.Service<
  AccountStore,
  {
    /** Writes a partner, new or changed. */
    readonly putPartner: (partner: Merchant.Partner) => Read<void>
    /** Writes a new partner, unless there is one with its id: whether it did. Of several at the same time, one does. */
    readonly addPartner: (partner: Merchant.Partner) => Read<boolean>
    readonly partner: (id: Merchant.PartnerId) => Found<Merchant.Partner>
    /** Runs `decide` on a partner as it is, and writes what it returns. */
    readonly modifyPartner: (
      id: Merchant.PartnerId,
      decide: (current: Merchant.Partner) => Merchant.Partner,
    ) => Found<Merchant.Partner>
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
    /** A partner's keys that are good at a time by `ApiKey.check`, newest first. */
    readonly goodKeys: (
      partnerId: Merchant.PartnerId,
      now: number,
    ) => Read<ReadonlyArray<ApiKey.ApiKey>>
    /** Newest first; of one partner, or every wallet's where there is none. */
    readonly keys: (partnerId: Merchant.PartnerId | null) => Read<ReadonlyArray<ApiKey.ApiKey>>
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
    /**
     * The names that share a likeness, of other partners and of their live merchants that were not deleted: `limit` of
     * them at most, those of partners first, then the oldest merchants. `likenessesOf` is asked about names that were stored without. In a
     * transaction, whoever asks about the same likeness waits until it ends, so of two that are given at once the second
     * finds the first.
     */
    readonly namesakes: (
      of: {
        readonly partnerId: Merchant.PartnerId
        readonly likenesses: ReadonlyArray<string>
      },
      likenessesOf: (name: string) => ReadonlyArray<string>,
      limit: number,
    ) => Read<ReadonlyArray<Namesake>>
    /** Merchants of all partners that wait for the operator and were not deleted, oldest first. */
    readonly waitingMerchants: (limit: number) => Read<Page<Merchant.Merchant>>
    /** A merchant's destinations, oldest first. */
    readonly destinations: (
      merchantId: Merchant.MerchantId,
    ) => Read<ReadonlyArray<SettlementDestination.SettlementDestination>>
    /** The last destination that each of the merchants has or had for a token, in any order. */
    readonly lastDestinations: (
      token: Caip.Token,
      merchants: ReadonlyArray<Merchant.MerchantId>,
    ) => Read<ReadonlyArray<SettlementDestination.SettlementDestination>>
    /** Every change of a merchant's destinations, the oldest first. */
    readonly destinationHistory: (
      merchantId: Merchant.MerchantId,
    ) => Read<ReadonlyArray<Event.DestinationEvent>>
    /** The merchants of a mode that are paid at this account in this token, those first that said so first. */
    readonly payees: (
      mode: Mode.Mode,
      token: Caip.Token,
      destination: Caip.Address,
    ) => Read<ReadonlyArray<Merchant.Merchant>>
    /**
     * Adds destinations once per key. `decide` sees what is registered now and what was before, and its answer is
     * remembered; of two that add the same asset at once, one is refused by its own decision.
     */
    readonly addDestinations: <E>(
      merchantId: Merchant.MerchantId,
      once: Once,
      decide: (
        existing: ReadonlyArray<SettlementDestination.SettlementDestination>,
        past: SettlementDestination.Past,
      ) => Result.Result<
        {
          readonly added: ReadonlyArray<SettlementDestination.SettlementDestination>
          readonly events?: ReadonlyArray<Event.DestinationEvent>
          readonly answer: string
        },
        E
      >,
      now: number,
    ) => Effect.Effect<Created, E | IdempotencyConflict | StorageUnavailable>
    /** Runs `decide` on a destination that is not deleted, and writes what it returns. */
    readonly modifyDestination: <E>(
      merchantId: Merchant.MerchantId,
      id: SettlementDestination.SettlementDestinationId,
      decide: (
        current: SettlementDestination.SettlementDestination,
      ) => Result.Result<DestinationWrite, E>,
    ) => Effect.Effect<
      SettlementDestination.SettlementDestination,
      E | NotFound | StorageUnavailable
    >
  }
>()("@florin/core/ports/AccountStore") {}
