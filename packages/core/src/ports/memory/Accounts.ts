/**
 * Partners, keys, merchants and destinations, in memory.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Caip from "../../domain/chain/Caip.ts"
import type * as MerchantId from "../../domain/ground/MerchantId.ts"
import type * as PartnerId from "../../domain/ground/PartnerId.ts"
import * as Page from "../../domain/list/Page.ts"
import * as ApiKey from "../../domain/partner/ApiKey.ts"
import * as Likeness from "../../domain/partner/Likeness.ts"
import * as Merchant from "../../domain/partner/Merchant.ts"
import * as SettlementDestination from "../../domain/partner/SettlementDestination.ts"
import type * as Event from "../../domain/payment/Event.ts"
import { AccountStore, type MerchantsSought, type Namesake, type Tenant } from "../AccountStore.ts"
import { atomic, requireFound, isTenants } from "./Rows.ts"

const namesakeOf = (each: Merchant.Partner | Merchant.Merchant): Namesake =>
  "partnerId" in each
    ? { partnerId: each.partnerId, merchantId: each.id, name: each.name }
    : { partnerId: each.id, merchantId: null, name: each.name }

/** What destinations need from parts that are created later. */
interface Others {
  readonly announceChange: (event: Event.DestinationEvent) => void
  readonly changes: () => ReadonlyArray<Event.DestinationEvent>
  readonly owedTokens: (merchantId: MerchantId.MerchantId) => ReadonlyArray<Caip.Token>
  readonly settleOwed: (merchantId: MerchantId.MerchantId, token: Caip.Token, now: number) => void
}

export const make = ({ announceChange, changes, owedTokens, settleOwed }: Others) => {
  const partners = new Map<PartnerId.PartnerId, Merchant.Partner>()
  const keys = new Map<ApiKey.ApiKeyId, ApiKey.ApiKey>()
  const keysByHash = new Map<ApiKey.KeyHash, ApiKey.ApiKeyId>()
  const merchants = new Map<MerchantId.MerchantId, Merchant.Merchant>()
  const destinations = new Map<
    SettlementDestination.SettlementDestinationId,
    SettlementDestination.SettlementDestination
  >()

  const merchantOf = (
    tenant: Tenant | null,
    id: MerchantId.MerchantId,
  ): Merchant.Merchant | undefined => {
    const merchant = merchants.get(id)
    return merchant !== undefined && (tenant === null || isTenants(tenant, merchant))
      ? merchant
      : undefined
  }

  const lastDestinations = (token: Caip.Token | null, ids: ReadonlyArray<MerchantId.MerchantId>) =>
    [...destinations.values()]
      .filter(
        (each) =>
          ids.includes(each.merchantId) && (token === null || Caip.sameToken(each.token, token)),
      )
      .toSorted((left, right) => left.createdAt - right.createdAt)

  const find = (which: MerchantsSought): ReadonlyArray<Merchant.Merchant> => {
    switch (which._tag) {
      case "Ids":
        return [...new Set(which.ids)].flatMap((id) => merchantOf(which.tenant, id) ?? [])
      case "Payees":
        return [...destinations.values()]
          .filter(
            (each) =>
              SettlementDestination.isRegistered(each) &&
              Caip.sameToken(each.token, which.token) &&
              [each.destination.address, each.before?.destination.address].includes(
                which.destination,
              ),
          )
          .toSorted((left, right) => left.createdAt - right.createdAt)
          .flatMap(({ merchantId }) => merchants.get(merchantId) ?? [])
          .filter(({ mode }) => mode === which.mode)
      case "Waiting": {
        const { after = null } = which
        return [...merchants.values()]
          .filter((each) => each.waiting !== undefined && each.deletedAt === null)
          .filter((each) => after === null || Merchant.newestFirst(each, after) < 0)
          .toSorted((left, right) => Merchant.newestFirst(right, left))
          .slice(0, which.limit)
      }
    }
  }

  /** Writes a destination in place of the deleted one of its token. */
  const add = (added: SettlementDestination.SettlementDestination): void => {
    for (const { deletedAt, id } of lastDestinations(added.token, [added.merchantId])) {
      if (deletedAt !== undefined) destinations.delete(id)
    }
    destinations.set(added.id, added)
  }

  const writeKeys = (changed: ReadonlyArray<ApiKey.ApiKey>): void => {
    for (const key of changed) {
      keys.set(key.id, key)
      keysByHash.set(key.hash, key.id)
    }
  }

  const partnerOf = (owner: ApiKey.Owner): Merchant.Partner | null =>
    owner._tag === "Partner" ? (partners.get(owner.partnerId) ?? null) : null

  return {
    partners,
    merchants,
    lastDestinations,
    store: AccountStore.of({
      addPartner: (partner) =>
        Effect.sync(() => {
          const isNew = !partners.has(partner.id)
          if (isNew) partners.set(partner.id, partner)
          return isNew
        }),
      modifyPartner: (id, decide) =>
        atomic(() =>
          Result.map(requireFound("partner", partners.get(id)), (current) => {
            const changed = decide(current)
            partners.set(id, changed)
            return changed
          }),
        ),
      partners: (ids) =>
        Effect.sync(() => [...partners.values()].filter(({ id }) => ids?.includes(id) ?? true)),
      putKeys: (changed) => Effect.sync(() => writeKeys(changed)),
      keyByHash: (hash) =>
        atomic(() => {
          const id = keysByHash.get(hash)
          return Result.map(
            requireFound("key", id === undefined ? undefined : keys.get(id)),
            (key) => ({
              key,
              partner: partnerOf(key.owner),
            }),
          )
        }),
      modifyKey: (id, decide) =>
        atomic(() =>
          Result.flatMap(requireFound("key", keys.get(id)), (key) =>
            Result.map(decide(key), ({ result, keys: changed }) => {
              writeKeys(changed)
              return result
            }),
          ),
        ),
      keys: (of, validAt) =>
        Effect.sync(() =>
          [...keys.values()]
            .filter((key) =>
              of !== null && typeof of === "object"
                ? key.id === of.id
                : of === ApiKey.partnerIdOf(key),
            )
            .filter((key) => validAt === null || Result.isSuccess(ApiKey.check(key, validAt)))
            .toReversed()
            .toSorted((left, right) => right.createdAt - left.createdAt),
        ),
      addMerchant: (merchant) =>
        Effect.sync(() => {
          if (!merchants.has(merchant.id)) merchants.set(merchant.id, merchant)
        }),
      findMerchants: (which) => Effect.sync(() => find(which)),
      modifyMerchant: (tenant, id, decide) =>
        atomic(() =>
          Result.flatMap(requireFound("merchant", merchantOf(tenant, id)), (current) =>
            Result.map(decide(current), (changed) => {
              merchants.set(id, changed)
              return changed
            }),
          ),
        ),
      merchants: ({ mode, partnerId }, filter, { after, limit }) =>
        Effect.sync(() => {
          const listed = [...merchants.values()]
            .filter(
              (each) =>
                (partnerId === null || each.partnerId === partnerId) &&
                (mode === null || each.mode === mode) &&
                Merchant.isListed(each, filter),
            )
            .toSorted(Merchant.newestFirst)
          const rest = listed.filter(
            (each) => after === null || Merchant.newestFirst(after, each) < 0,
          )
          return { ...Page.cut(rest, limit), totalCount: listed.length }
        }),
      namesakes: ({ likenesses, partnerId }, limit) =>
        Effect.sync(() => {
          const named: ReadonlyArray<Merchant.Partner | Merchant.Merchant> = [
            ...partners.values(),
            ...[...merchants.values()]
              .filter(({ deletedAt, mode }) => mode === "live" && deletedAt === null)
              .toSorted((left, right) => Merchant.newestFirst(right, left)),
          ]
          return named
            .map((each) => ({ each, namesake: namesakeOf(each) }))
            .filter(
              ({ each, namesake }) =>
                namesake.partnerId !== partnerId &&
                Likeness.isAlike(each.likenesses ?? [], likenesses),
            )
            .slice(0, limit)
            .map(({ namesake }) => namesake)
        }),
      destinations: (ids, token) => Effect.sync(() => lastDestinations(token, ids)),
      destinationHistory: (merchantId) =>
        Effect.sync(() => changes().filter((each) => each.merchantId === merchantId)),
      addDestinations: (merchantId, decide, now) =>
        atomic(() => {
          const all = lastDestinations(null, [merchantId])
          const existing = all.filter(SettlementDestination.isRegistered)
          const deleted = all.filter((each) => !existing.includes(each))
          return Result.map(
            decide(existing, { deleted, owed: owedTokens(merchantId) }),
            ({ added, events = [] }) => {
              for (const each of added) {
                add(each)
                settleOwed(merchantId, each.token, now)
              }
              for (const each of events) announceChange(each)
              return added
            },
          )
        }),
      modifyDestination: (merchantId, id, decide) =>
        atomic(() => {
          const known = destinations.get(id)
          const isOwn =
            known?.merchantId === merchantId && SettlementDestination.isRegistered(known)
          const own = isOwn ? known : undefined
          return Result.flatMap(requireFound("destination", own), (current) =>
            Result.map(decide(current), ({ destination, event }) => {
              destinations.set(id, destination)
              if (event !== null) announceChange(event)
              return destination
            }),
          )
        }),
    }),
  }
}

/** What the ledger needs of the accounts. */
export type Accounts = ReturnType<typeof make>
