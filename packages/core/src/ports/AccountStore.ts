/**
 * The store of accounts: partners with their API keys, and merchants with their settlement destinations.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Caip from "../domain/chain/Caip.ts"
import type * as MerchantId from "../domain/ground/MerchantId.ts"
import type * as Mode from "../domain/ground/Mode.ts"
import type * as PartnerId from "../domain/ground/PartnerId.ts"
import type * as MerchantQuery from "../domain/list/MerchantQuery.ts"
import type * as Listed from "../domain/list/Page.ts"
import type * as ApiKey from "../domain/partner/ApiKey.ts"
import type * as Merchant from "../domain/partner/Merchant.ts"
import type * as SettlementDestination from "../domain/partner/SettlementDestination.ts"
import type * as Event from "../domain/payment/Event.ts"
import {
  type Found,
  type NotFound,
  type Read,
  requireOne,
  type StorageUnavailable,
} from "./StorageError.ts"

/** The partner and the mode that data belongs to. Every look-up that starts from a partner carries both. */
export interface Tenant {
  readonly partnerId: PartnerId.PartnerId
  readonly mode: Mode.Mode
}

/**
 * A key with the partner that holds it. The partner is null if a wallet holds the key, or if the partner does not
 * exist.
 */
export interface KeyWithPartner {
  readonly key: ApiKey.ApiKey
  readonly partner: Merchant.Partner | null
}

export type Page<A> = Listed.Page<A>

/** A name that looks like another one: the name of a merchant or of a partner. */
export interface Namesake {
  readonly partnerId: PartnerId.PartnerId
  readonly merchantId: MerchantId.MerchantId | null
  readonly name: string
}

/** Which merchants to find. */
export type MerchantsSought =
  /** Those of the tenant, or of any for null, with these ids, deleted ones too: each once, in any order. */
  | {
      readonly _tag: "Ids"
      readonly tenant: Tenant | null
      readonly ids: ReadonlyArray<MerchantId.MerchantId>
    }
  /** Those of a mode whose destination for this token is this account, in the order in which they named it. */
  | {
      readonly _tag: "Payees"
      readonly mode: Mode.Mode
      readonly token: Caip.Token
      readonly destination: Caip.Address
    }
  /**
   * Those of all partners that wait for the operator's approval and were not deleted, oldest first; `after` is the last
   * one of the previous page.
   */
  | {
      readonly _tag: "Waiting"
      readonly limit: number
      readonly after?: Pick<Merchant.Merchant, "createdAt" | "id"> | null
    }

/** A destination as it is written, and the events that announce the change. */
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
 * Contract, in addition to that of every store in `Storage`:
 * - Only `keyByHash` may lag behind what other processes wrote, by at most `Limits.keyRememberedInMs`.
 * - Lists are in the order that their member names, then by id.
 * - A deleted destination is no longer listed, but the last one of each token is kept. The event of a change is
 *   announced with the change: the event is in the feed and waits to be fanned out, or nothing is written.
 * - When a destination is added, the oldest share that its merchant is owed in the token becomes due for `settle`: both
 *   are written, or neither is. The worker that settles this share settles the others with it.
 */
export class AccountStore extends Context.Service<
  AccountStore,
  {
    /** Writes a new partner unless its id exists; returns whether it did. Of concurrent calls, exactly one writes. */
    readonly addPartner: (partner: Merchant.Partner) => Read<boolean>
    /** Runs `decide` on the current partner, and writes what it returns. */
    readonly modifyPartner: (
      id: PartnerId.PartnerId,
      decide: (current: Merchant.Partner) => Merchant.Partner,
    ) => Found<Merchant.Partner>
    /** The partners with these ids, or all of them for null, in the order in which they were added. */
    readonly partners: (
      ids: ReadonlyArray<PartnerId.PartnerId> | null,
    ) => Read<ReadonlyArray<Merchant.Partner>>
    /** Writes new keys, all or none of them. */
    readonly putKeys: (keys: ReadonlyArray<ApiKey.ApiKey>) => Read<void>
    /**
     * Finds a key by its hash. Every call starts with this look-up, so it is one read. It is the only read that may
     * lag: by at most `Limits.keyRememberedInMs` behind other processes.
     */
    readonly keyByHash: (hash: ApiKey.KeyHash) => Found<KeyWithPartner>
    /** Runs `decide` on the current key, and writes all keys that it returns or none of them. */
    readonly modifyKey: <A, E>(
      id: ApiKey.ApiKeyId,
      decide: (
        current: ApiKey.ApiKey,
      ) => Result.Result<{ readonly result: A; readonly keys: ReadonlyArray<ApiKey.ApiKey> }, E>,
    ) => Effect.Effect<A, E | NotFound | StorageUnavailable>
    /**
     * The keys of one partner, those of all wallets for null, or the one with an id, newest first: all of them, or those
     * that `ApiKey.check` accepts at a time.
     */
    readonly keys: (
      of: PartnerId.PartnerId | { readonly id: ApiKey.ApiKeyId } | null,
      validAt: number | null,
    ) => Read<ReadonlyArray<ApiKey.ApiKey>>
    /** Writes a new merchant unless its id exists. */
    readonly addMerchant: (merchant: Merchant.Merchant) => Read<void>
    readonly findMerchants: (which: MerchantsSought) => Read<ReadonlyArray<Merchant.Merchant>>
    readonly modifyMerchant: <E>(
      tenant: Tenant,
      id: MerchantId.MerchantId,
      decide: (current: Merchant.Merchant) => Result.Result<Merchant.Merchant, E>,
    ) => Effect.Effect<Merchant.Merchant, E | NotFound | StorageUnavailable>
    /** Newest first, without deleted ones. `after` is the last item of the previous page. */
    readonly merchants: (
      scope: MerchantQuery.Scope,
      filter: Merchant.Filter,
      page: {
        readonly after: { readonly createdAt: number; readonly id: string } | null
        readonly limit: number
      },
    ) => Read<MerchantPage>
    /**
     * The names of other partners, and of their live merchants that were not deleted, that share a likeness: at most
     * `limit`, partners first, then merchants from the oldest. In a transaction, a second caller with the same likeness
     * waits until the first transaction ends. So if two such names are given at the same time, the second call finds the
     * first.
     */
    readonly namesakes: (
      of: {
        readonly partnerId: PartnerId.PartnerId
        readonly likenesses: ReadonlyArray<string>
      },
      limit: number,
    ) => Read<ReadonlyArray<Namesake>>
    /** The current or last destination of each of these merchants for a token, or for each token, oldest first. */
    readonly destinations: (
      merchants: ReadonlyArray<MerchantId.MerchantId>,
      token: Caip.Token | null,
    ) => Read<ReadonlyArray<SettlementDestination.SettlementDestination>>
    /** Every change of a merchant's destinations, oldest first. */
    readonly destinationHistory: (
      merchantId: MerchantId.MerchantId,
    ) => Read<ReadonlyArray<Event.DestinationEvent>>
    /**
     * Adds destinations, and returns them. `decide` sees the current and the earlier destinations. If two calls add the
     * same asset at the same time, the decision of one of them refuses it.
     */
    readonly addDestinations: <E>(
      merchantId: MerchantId.MerchantId,
      decide: (
        existing: ReadonlyArray<SettlementDestination.SettlementDestination>,
        past: SettlementDestination.Past,
      ) => Result.Result<
        {
          readonly added: ReadonlyArray<SettlementDestination.SettlementDestination>
          readonly events?: ReadonlyArray<Event.DestinationEvent>
        },
        E
      >,
      now: number,
    ) => Effect.Effect<
      ReadonlyArray<SettlementDestination.SettlementDestination>,
      E | StorageUnavailable
    >
    /** Runs `decide` on a destination that is not deleted, and writes what it returns. */
    readonly modifyDestination: <E>(
      merchantId: MerchantId.MerchantId,
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

/** A partner, which must exist. */
export const findPartner = (
  accounts: AccountStore["Service"],
  id: PartnerId.PartnerId,
): Found<Merchant.Partner> => requireOne("partner", accounts.partners([id]))

/** A merchant of the tenant, which must exist, also if it is deleted. */
export const findMerchant = (
  accounts: AccountStore["Service"],
  tenant: Tenant,
  id: MerchantId.MerchantId,
): Found<Merchant.Merchant> =>
  requireOne("merchant", accounts.findMerchants({ _tag: "Ids", tenant, ids: [id] }))
