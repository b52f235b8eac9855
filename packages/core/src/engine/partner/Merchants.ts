/**
 * The partner's merchants: created, listed, changed and deleted.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as MerchantId from "../../domain/ground/MerchantId.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import type * as PartnerId from "../../domain/ground/PartnerId.ts"
import type * as Version from "../../domain/ground/Version.ts"
import * as MerchantQuery from "../../domain/list/MerchantQuery.ts"
import * as Page from "../../domain/list/Page.ts"
import * as PageLimit from "../../domain/list/PageLimit.ts"
import type * as Credit from "../../domain/money/Credit.ts"
import * as Fees from "../../domain/money/Fees.ts"
import * as Outflow from "../../domain/outflow/Outflow.ts"
import * as AuditLog from "../../domain/partner/AuditLog.ts"
import * as Merchant from "../../domain/partner/Merchant.ts"
import * as PartnerLimits from "../../domain/partner/PartnerLimits.ts"
import * as PayoutPolicy from "../../domain/partner/PayoutPolicy.ts"
import * as SettlementDestination from "../../domain/partner/SettlementDestination.ts"
import {
  AccountStore,
  findMerchant,
  findPartner,
  type Namesake,
  type Tenant,
} from "../../ports/AccountStore.ts"
import { Identifiers } from "../../ports/Identifiers.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"
import { Settings } from "../../ports/Settings.ts"
import { idReader, NotFound, requireOne } from "../../ports/StorageError.ts"
import { recordChange, replacing } from "../record/AuditLog.ts"
import * as StoredResponse from "../record/StoredResponse.ts"
import * as Keys from "./Keys.ts"
import * as Namesakes from "./Namesakes.ts"

/** Reads a merchant's id. Text that cannot be an id is treated like an unknown id. */
export const readId = idReader("merchant", MerchantId.MerchantId)

const requirePresent = (merchant: Merchant.Merchant): Result.Result<Merchant.Merchant, NotFound> =>
  merchant.deletedAt === null ? Result.succeed(merchant) : Result.fail(NotFound.of("merchant"))

/** A merchant of the tenant, also if it is deleted. */
export const getWithDeleted = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  const merchantId = yield* Effect.fromResult(readId(id))
  return yield* findMerchant(yield* AccountStore, tenant, merchantId)
})

/** A merchant of the tenant that was not deleted. */
export const getPresent = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
  return yield* Effect.fromResult(requirePresent(yield* getWithDeleted(tenant, id)))
})

/** An address is personal data, so the audit log records only that it changed. */
const deedOf = AuditLog.deeds<Merchant.Merchant>(
  {
    kept: {
      merchantName: ({ name }) => name,
      iconUrl: ({ iconUrl }) => iconUrl,
      brandColor: ({ brandColor }) => brandColor ?? null,
      supportUrl: ({ supportUrl }) => supportUrl ?? null,
      checkoutOrigins: ({ checkoutOrigins }) => checkoutOrigins?.join(" ") ?? null,
      status: ({ status }) => status,
      payouts: ({ payouts }) => (payouts === undefined ? null : PayoutPolicy.format(payouts)),
      feePercentage: ({ feeTerms }) =>
        feeTerms === undefined ? null : Keys.feeTexts(feeTerms).percentage,
      feeFixed: ({ feeTerms }) => (feeTerms === undefined ? null : Keys.feeTexts(feeTerms).fixed),
      feeReturned: ({ feeTerms }) =>
        feeTerms === undefined ? null : Keys.feeTexts(feeTerms).returned,
      isDeleted: ({ deletedAt }) => deletedAt !== null,
      isFrozen: ({ frozenAt }) => frozenAt !== undefined,
      waitsForApproval: ({ waiting }) => waiting !== undefined,
    },
    hidden: {
      merchantEmail: ({ email }) => email,
      supportEmail: ({ supportEmail }) => supportEmail ?? null,
    },
  },
  ({ id: subject, mode, partnerId }) => ({ partnerId, mode, subject }),
)

const stored = StoredResponse.codec(Merchant.Merchant)

/** A merchant that waits for the operator's approval, and the names of other partners that resemble its name. */
export interface Waiting {
  readonly merchant: Merchant.Merchant
  readonly namesakes: ReadonlyArray<Namesake>
}

/**
 * The names that a live merchant's name resembles. Test merchants are not compared, because nobody pays money to them.
 */
const compared = ({ mode, partnerId }: Tenant, name: string | undefined) =>
  mode === "test" || name === undefined ? Effect.succeed(null) : Namesakes.find(partnerId, name)

/** The request for a new merchant. */
export interface Create extends Merchant.Draft {
  readonly tenant: Tenant
  readonly idempotencyKey: string | undefined
}

/** A null is the same as a missing member. */
const bodyOf = (draft: Merchant.Draft): Schema.Json =>
  Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== null))

/** Creates a merchant, once per key. */
export const create = Effect.fn("Merchants.create")(function* ({
  idempotencyKey,
  tenant,
  ...draft
}: Create) {
  const now = yield* Clock.currentTimeMillis
  const once = yield* Effect.fromResult(
    StoredResponse.requireOnce(idempotencyKey, {
      tenant,
      endpoint: "POST /v1/merchants",
      body: bodyOf(draft),
    }),
  )
  const accounts = yield* AccountStore
  const { approveMerchants: approval } = yield* Settings
  const id = yield* (yield* Identifiers).merchant
  const named = yield* Effect.fromResult(
    Merchant.create(draft, { id, partnerId: tenant.partnerId, mode: tenant.mode, now }),
  )
  return yield* Namesakes.naming(id, compared(tenant, draft.name), (alike) => {
    const merchant = Merchant.review(null, named, alike, { approval, now })
    const write = Effect.as(accounts.addMerchant(merchant), merchant)
    return Effect.map(StoredResponse.respondOnce(once, stored, write), ({ replayed, written }) => ({
      written: { merchant: written, replayed },
      isNamed: !replayed,
      deed: replayed ? null : deedOf("merchant.created", null, merchant),
    }))
  })
})

/** A merchant by its id alone, as the operator names it, also if it is deleted. */
export const find = Effect.fnUntraced(function* (id: string) {
  const ids = [yield* Effect.fromResult(readId(id))]
  const accounts = yield* AccountStore
  return yield* requireOne("merchant", accounts.findMerchants({ _tag: "Ids", tenant: null, ids }))
})

/** A page of the merchants that are not deleted, newest first: a partner's, or those of all for the operator. */
export const list = Effect.fn("Merchants.list")(function* (
  scope: MerchantQuery.Scope,
  raw: MerchantQuery.Raw,
) {
  const { sealKey: key } = yield* Settings
  const { after, filter, limit } = yield* Effect.fromResult(
    MerchantQuery.parse(raw, { key, scope }),
  )
  const page = yield* (yield* AccountStore).merchants(scope, filter, { after, limit })
  return {
    items: page.items,
    totalCount: page.totalCount,
    nextCursor: Page.nextCursor(page, (last) =>
      MerchantQuery.encodeCursor(key, scope, filter, last),
    ),
  }
})

/** A merchant's current destinations, oldest first. */
export const destinationsOf = Effect.fnUntraced(function* (id: MerchantId.MerchantId) {
  const now = yield* Clock.currentTimeMillis
  const destinations = yield* (yield* AccountStore).destinations([id], null)
  return destinations
    .filter(SettlementDestination.isRegistered)
    .map((each) => SettlementDestination.asOf(each, now))
})

/** A merchant with its destinations. */
export const get = Effect.fn("Merchants.get")(function* (tenant: Tenant, id: string) {
  const merchant = yield* getPresent(tenant, id)
  const destinations = yield* destinationsOf(merchant.id)
  return { merchant, destinations }
})

/** Changes a merchant, maybe its name, which is compared. */
const naming = Effect.fnUntraced(function* <E>(
  tenant: Tenant,
  id: string,
  name: string | undefined,
  decide: (
    current: Merchant.Merchant,
    alike: Namesakes.Found | null,
  ) => Result.Result<Merchant.Merchant, E>,
) {
  const merchantId = yield* Effect.fromResult(readId(id))
  const accounts = yield* AccountStore
  return yield* Namesakes.naming(merchantId, compared(tenant, name), (alike) =>
    Effect.map(
      replacing(
        (decided) => accounts.modifyMerchant(tenant, merchantId, decided),
        (current: Merchant.Merchant) =>
          Result.flatMap(requirePresent(current), (present) => decide(present, alike)),
      ),
      ({ after, before }) => ({
        written: after,
        isNamed: before?.name !== after.name,
        deed: deedOf("merchant.changed", before, after),
      }),
    ),
  )
})

/** Changes only the named members. */
export const update = Effect.fn("Merchants.update")(function* (
  tenant: Tenant,
  id: string,
  patch: Merchant.Patch,
) {
  yield* Effect.fromResult(Merchant.checkPatch(patch, tenant.mode))
  const now = yield* Clock.currentTimeMillis
  const { approveMerchants: approval } = yield* Settings
  return yield* naming(tenant, id, patch.name, (current, alike) =>
    Result.map(Merchant.update(current, patch), (after) =>
      Merchant.review(current, after, alike, { approval, now }),
    ),
  )
})

/** A page of the merchants that wait for the operator's approval, oldest first, with the names that theirs resemble now. */
export const listWaiting = Effect.fn("Merchants.listWaiting")(function* (
  limit: PageLimit.Raw,
  cursor?: string,
) {
  const { sealKey: key } = yield* Settings
  const size = yield* Effect.fromResult(PageLimit.parse(limit))
  const after = yield* Effect.fromResult(MerchantQuery.readCursor(key, null, {}, cursor))
  const accounts = yield* AccountStore
  const found = yield* accounts.findMerchants({ _tag: "Waiting", limit: size + 1, after })
  const page = Page.cut(found, size)
  return {
    items: yield* Effect.forEach(page.items, (merchant) =>
      Effect.map(Namesakes.find(merchant.partnerId, merchant.name), ({ namesakes }): Waiting => ({
        merchant,
        namesakes,
      })),
    ),
    nextCursor: Page.nextCursor(page, (last) => MerchantQuery.encodeCursor(key, null, {}, last)),
  }
})

/**
 * The operator approves the name, icon and support contact that they saw. From then on payers see these, and new
 * payments are taken.
 */
export const approve = Effect.fn("Merchants.approve")(function* (
  tenant: Tenant,
  id: string,
  seen: Merchant.Look,
) {
  return yield* modify(tenant, id, "merchant.approved", (merchant) =>
    Result.flatMap(requirePresent(merchant), (current) => Merchant.approve(current, seen)),
  )
})

/** Deletes a merchant softly. Deleting it again returns the same result. */
export const remove = Effect.fn("Merchants.remove")(function* (tenant: Tenant, id: string) {
  const now = yield* Clock.currentTimeMillis
  return yield* modify(tenant, id, "merchant.deleted", (current) =>
    Result.succeed(Merchant.remove(current, now)),
  )
})

/** What the operator changes of a merchant. What is absent stays, and null restores what its partner has. */
export interface OperatorChange {
  /** It needs no approval, but the names that it resembles are still recorded. */
  readonly name?: string | undefined
  readonly status?: Merchant.Status | undefined
  /** Earlier payments keep their terms. Terms that are not named stay as they are, or as the partner's are. */
  readonly fees?: Parameters<typeof Fees.change>[1] | null | undefined
  readonly payouts?: PayoutPolicy.PayoutPolicy | null | undefined
}

/** The operator changes a merchant. */
export const changeAsOperator = Effect.fn("Merchants.changeAsOperator")(function* (
  tenant: Tenant,
  id: string,
  { fees, name, payouts, status }: OperatorChange,
) {
  if (name !== undefined) yield* Effect.fromResult(Merchant.checkPatch({ name }, tenant.mode))
  const partner = yield* findPartner(yield* AccountStore, tenant.partnerId)
  return yield* naming(tenant, id, name, (current, alike) => {
    let changing = current
    if (name !== undefined) changing = Merchant.rename(changing, name, alike?.likenesses ?? null)
    if (status !== undefined) changing = Merchant.setStatus(changing, status)
    if (payouts !== undefined) changing = Merchant.setPayouts(changing, payouts)
    if (fees === undefined) return Result.succeed(changing)
    const terms = fees && Fees.change(Merchant.feesOf(changing, partner), fees)
    return Result.succeed(Merchant.setFees(changing, terms))
  })
})

/** What the operator changes of a partner. What is absent stays, and null restores the service's default. */
export interface PartnerChange {
  readonly name?: string | undefined
  /** The oldest API version in which the service responds to its calls. */
  readonly versionPin?: Version.Version | undefined
  /** Earlier payments keep their terms. */
  readonly fees?: Parameters<typeof Fees.change>[1] | undefined
  readonly payouts?: PayoutPolicy.PayoutPolicy | null | undefined
  readonly credit?: { readonly [M in Mode.Mode]?: Credit.Credit | null } | undefined
  readonly limits?: { readonly [M in Mode.Mode]?: PartnerLimits.Patch } | undefined
  readonly secondPerson?: boolean | undefined
}

const changed = (partner: Merchant.Partner, change: PartnerChange): Merchant.Partner => {
  const { name = partner.name, versionPin = partner.versionPin } = change
  const { payouts: policy, ...others } = partner
  const payouts = change.payouts === undefined ? (policy ?? null) : change.payouts
  const credit = Object.entries({ ...partner.credit, ...change.credit }).filter(
    ([, granted]) => granted !== null,
  )
  const limits = Struct.keys(change.limits ?? {}).map(
    (mode) =>
      [
        mode,
        PartnerLimits.change(Merchant.limitsOf(partner, mode), change.limits?.[mode] ?? {}),
      ] as const,
  )
  return {
    ...others,
    name,
    versionPin,
    feeTerms: Fees.change(partner.feeTerms, change.fees ?? {}),
    ...(payouts !== null && { payouts }),
    ...(change.credit !== undefined && { credit: Object.fromEntries(credit) }),
    ...(limits.length > 0 && { limits: { ...partner.limits, ...Object.fromEntries(limits) } }),
    ...(change.secondPerson !== undefined && { secondPerson: change.secondPerson }),
  }
}

/**
 * The operator changes a partner. The names that a new name resembles are recorded, as when the partner was created.
 */
export const changePartner = Effect.fn("Merchants.changePartner")(function* (
  id: PartnerId.PartnerId,
  change: PartnerChange,
) {
  const { name, versionPin } = change
  yield* Effect.fromResult(
    Merchant.checkPartner({
      ...(name !== undefined && { name }),
      ...(versionPin !== undefined && { versionPin }),
    }),
  )
  const accounts = yield* AccountStore
  const comparing = name === undefined ? Effect.succeed(null) : Namesakes.find(id, name)
  return yield* Namesakes.naming(id, comparing, (alike) =>
    Effect.map(
      replacing(
        (decide) => accounts.modifyPartner(id, decide),
        (current: Merchant.Partner) => ({
          ...changed(current, change),
          ...(alike !== null && { likenesses: alike.likenesses }),
        }),
      ),
      ({ after, before }) => ({
        written: after,
        isNamed: true,
        deed: Keys.partnerDeed(before, after),
      }),
    ),
  )
})

/** The operator suspends or freezes a merchant, or reverses that. */
export const take = Effect.fn("Merchants.take")(function* (
  tenant: Tenant,
  id: string,
  measure: Merchant.Measure,
) {
  const now = yield* Clock.currentTimeMillis
  // A deleted merchant's shares are still settled, so it may be frozen, too.
  return yield* modify(tenant, id, "merchant.changed", (current) =>
    Result.succeed(Merchant.take(current, measure, now)),
  )
})

/** The same for all merchants of a partner. */
export const takeOfPartner = Effect.fn("Merchants.takeOfPartner")(function* (
  id: PartnerId.PartnerId,
  measure: Merchant.Measure,
) {
  const now = yield* Clock.currentTimeMillis
  const accounts = yield* AccountStore
  return yield* recordChange(
    (decide) => accounts.modifyPartner(id, decide),
    (current: Merchant.Partner) => Merchant.takeOfPartner(current, measure, now),
    Keys.partnerDeed,
  )
})

/** The merchants whose payments' money an outflow carries. */
export const ofOutflow = Effect.fnUntraced(function* (outflow: Outflow.Outflow) {
  const merchants = Outflow.merchantsOf(outflow)
  if (merchants.length > 0) return merchants
  const payments = yield* PaymentStore
  const carried = yield* Effect.forEach(Outflow.paymentIds(outflow), payments.payment)
  return carried.map(({ merchantId }) => merchantId)
})

/** The frozen merchants among those named, which are paid nothing. */
export const listFrozen = Effect.fnUntraced(function* (
  tenant: Tenant,
  ids: ReadonlyArray<MerchantId.MerchantId>,
) {
  const accounts = yield* AccountStore
  const { frozenAt } = yield* findPartner(accounts, tenant.partnerId)
  if (frozenAt !== undefined) return new Set(ids)
  const merchants = yield* accounts.findMerchants({ _tag: "Ids", tenant, ids })
  return new Set(merchants.filter((each) => each.frozenAt !== undefined).map(({ id }) => id))
})

const modify = Effect.fnUntraced(function* <E>(
  tenant: Tenant,
  id: string,
  action: AuditLog.Action,
  decide: (current: Merchant.Merchant) => Result.Result<Merchant.Merchant, E>,
) {
  const merchantId = yield* Effect.fromResult(readId(id))
  const accounts = yield* AccountStore
  return yield* recordChange(
    (decided) => accounts.modifyMerchant(tenant, merchantId, decided),
    decide,
    (before, after) => deedOf(action, before, after),
  )
})
