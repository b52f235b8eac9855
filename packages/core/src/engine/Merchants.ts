/**
 * The partner's merchants: made, listed, changed and taken away.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Merchant from "../domain/Merchant.ts"
import * as MerchantQuery from "../domain/MerchantQuery.ts"
import type * as PayoutPolicy from "../domain/PayoutPolicy.ts"
import { AccountStore, type Tenant } from "../ports/AccountStore.ts"
import { Identifiers } from "../ports/Identifiers.ts"
import { Settings } from "../ports/Settings.ts"
import { NotFound } from "../ports/StorageError.ts"
import * as Answer from "./Answer.ts"

const isMerchantId = Schema.is(Merchant.MerchantId)

/** A text that no merchant id can be is the id of no merchant. */
export const readId = (text: string): Result.Result<Merchant.MerchantId, NotFound> =>
  isMerchantId(text) ? Result.succeed(text) : Result.fail(NotFound.of("merchant"))

const requirePresent = (merchant: Merchant.Merchant): Result.Result<Merchant.Merchant, NotFound> =>
  merchant.deletedAt === null ? Result.succeed(merchant) : Result.fail(NotFound.of("merchant"))

/** A merchant of the tenant, a deleted one too. */
export const known = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  const merchantId = yield* Effect.fromResult(readId(id))
  return yield* (yield* AccountStore).merchant(tenant, merchantId)
})

/** A merchant of the tenant that was not deleted. */
export const present = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  return yield* Effect.fromResult(requirePresent(yield* known(tenant, id)))
})

const answers = Answer.codec(Merchant.Merchant)

/** Creates a merchant, once per key. */
export const create = Effect.fn("Merchants.create")(function* (request: {
  readonly tenant: Tenant
  readonly name: string
  readonly email: string
  readonly iconUrl?: string | null | undefined
  readonly idempotencyKey: string | undefined
}) {
  const { email, iconUrl = null, idempotencyKey, name, tenant } = request
  const body = { name, email, iconUrl }
  const now = yield* Clock.currentTimeMillis
  const once = yield* Effect.fromResult(
    Answer.requireOnce(idempotencyKey, {
      tenant,
      endpoint: "POST /v1/merchants",
      body,
    }),
  )
  const id = yield* (yield* Identifiers).merchant
  const merchant = yield* Effect.fromResult(
    Merchant.create(body, { id, partnerId: tenant.partnerId, mode: tenant.mode, now }),
  )
  const answer = answers.encode(merchant)
  const created = yield* (yield* AccountStore).createMerchant(merchant, once, answer, now)
  return {
    merchant: created.replayed ? answers.decode(created.answer) : merchant,
    replayed: created.replayed,
  }
})

/** A page of the merchants that were not deleted, newest first. */
export const list = Effect.fn("Merchants.list")(function* (tenant: Tenant, raw: MerchantQuery.Raw) {
  const { sealKey: key } = yield* Settings
  const { after, filter, limit } = yield* Effect.fromResult(
    MerchantQuery.parse(raw, { key, scope: tenant }),
  )
  const page = yield* (yield* AccountStore).merchants(tenant, filter, { after, limit })
  const last = page.items.at(-1)
  return {
    items: page.items,
    totalCount: page.totalCount,
    nextCursor:
      page.hasMore && last !== undefined
        ? MerchantQuery.encodeCursor(key, tenant, filter, last)
        : null,
  }
})

/** A merchant, and where its money goes. */
export const get = Effect.fn("Merchants.get")(function* (tenant: Tenant, id: string) {
  const merchant = yield* present(tenant, id)
  const destinations = yield* (yield* AccountStore).destinations(merchant.id)
  return { merchant, destinations }
})

/** Changes what is named, and nothing else. */
export const update = Effect.fn("Merchants.update")(function* (
  tenant: Tenant,
  id: string,
  patch: Merchant.Patch,
) {
  yield* Effect.fromResult(Merchant.checkPatch(patch))
  return yield* modify(tenant, id, (merchant) =>
    Result.flatMap(requirePresent(merchant), (current) => Merchant.update(current, patch)),
  )
})

/** Deletes a merchant softly. Deleting it again answers the same. */
export const remove = Effect.fn("Merchants.remove")(function* (tenant: Tenant, id: string) {
  const now = yield* Clock.currentTimeMillis
  return yield* modify(tenant, id, (current) => Result.succeed(Merchant.remove(current, now)))
})

/** The operator lets a merchant take payments, or stops it. */
export const setStatus = Effect.fn("Merchants.setStatus")(function* (
  tenant: Tenant,
  id: string,
  status: Merchant.Status,
) {
  return yield* modify(tenant, id, (merchant) =>
    Result.map(requirePresent(merchant), (current) => Merchant.setStatus(current, status)),
  )
})

/** The operator gives a merchant a payout policy of its own; with null its partner's holds. */
export const setPayouts = Effect.fn("Merchants.setPayouts")(function* (
  tenant: Tenant,
  id: string,
  policy: PayoutPolicy.PayoutPolicy | null,
) {
  return yield* modify(tenant, id, (merchant) =>
    Result.map(requirePresent(merchant), (current) => Merchant.setPayouts(current, policy)),
  )
})

/** The operator gives a partner's merchants a payout policy; with null the service's default holds. */
export const setPartnerPayouts = Effect.fn("Merchants.setPartnerPayouts")(function* (
  id: Merchant.PartnerId,
  policy: PayoutPolicy.PayoutPolicy | null,
) {
  const accounts = yield* AccountStore
  const { payouts: _, ...partner } = yield* accounts.partner(id)
  const changed: Merchant.Partner = policy === null ? partner : { ...partner, payouts: policy }
  yield* accounts.putPartner(changed)
  return changed
})

const modify = Effect.fnUntraced(function* <E>(
  tenant: Tenant,
  id: string,
  decide: (current: Merchant.Merchant) => Result.Result<Merchant.Merchant, E>,
) {
  const merchantId = yield* Effect.fromResult(readId(id))
  return yield* (yield* AccountStore).modifyMerchant(tenant, merchantId, decide)
})
