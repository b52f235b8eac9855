/**
 * Where a merchant's money goes: one destination per token.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Balance from "../../domain/books/Balance.ts"
import * as Caip from "../../domain/chain/Caip.ts"
import * as Transfer from "../../domain/chain/Transfer.ts"
import * as Conflict from "../../domain/ground/Conflict.ts"
import * as Invalid from "../../domain/ground/Invalid.ts"
import type * as MerchantId from "../../domain/ground/MerchantId.ts"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import * as AuditLog from "../../domain/partner/AuditLog.ts"
import * as SettlementDestination from "../../domain/partner/SettlementDestination.ts"
import * as Entry from "../../domain/payment/Entry.ts"
import * as Event from "../../domain/payment/Event.ts"
import type * as Payment from "../../domain/payment/Payment.ts"
import { AccountStore, type DestinationWrite, type Tenant } from "../../ports/AccountStore.ts"
import { Assets } from "../../ports/Assets.ts"
import { Acting } from "../../ports/AuditStore.ts"
import { Chains } from "../../ports/Chain.ts"
import { Identifiers } from "../../ports/Identifiers.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"
import { Screening } from "../../ports/Screening.ts"
import { Settings } from "../../ports/Settings.ts"
import { idReader } from "../../ports/StorageError.ts"
import * as OwnAccounts from "../chain/OwnAccounts.ts"
import * as Merchants from "../partner/Merchants.ts"
import { recordDeed, replacing } from "../record/AuditLog.ts"
import * as StoredResponse from "../record/StoredResponse.ts"
import * as Writes from "../record/Writes.ts"
import * as Retry from "./Retry.ts"

const textOf = ({ destinationText }: SettlementDestination.SettlementDestination) => destinationText

/**
 * The audit entry for a change of a merchant's destination: the account is null if there is none, and each change says
 * when it takes effect.
 */
const deedOf = (
  action: AuditLog.Action,
  tenant: Tenant,
  before: SettlementDestination.SettlementDestination | null,
  after: SettlementDestination.SettlementDestination,
): AuditLog.Deed | null => {
  const isDeleted = after.deletedAt !== undefined
  const [from, to] = [before && textOf(before), isDeleted ? null : textOf(after)]
  const waited = before?.takesEffectAt ?? null
  const waits = isDeleted ? null : (after.takesEffectAt ?? null)
  const [signs, signed] = [before?.statement !== undefined, after.statement !== undefined]
  const changes = [
    ...(signs === signed || isDeleted ? [] : [AuditLog.became("isProven", !signed, !signs)]),
    ...(from === to ? [] : [AuditLog.became(after.assetText, to, from)]),
    ...(waited === waits ? [] : [AuditLog.became("takesEffectAt", waits, waited)]),
  ]
  return changes.length === 0 ? null : { ...tenant, action, subject: after.merchantId, changes }
}

const stored = StoredResponse.codec(Schema.Array(SettlementDestination.SettlementDestination))

const readId = idReader("destination", SettlementDestination.SettlementDestinationId)

const knownAccounts = Effect.gen(function* () {
  return { catalog: yield* Assets, accounts: yield* OwnAccounts.all }
})

/** Refuses accounts that screening refuses, and reports each under the name that the caller gave it. */
const screen = Effect.fnUntraced(function* (
  named: ReadonlyArray<{ readonly field: string; readonly account: Caip.Account }>,
) {
  const refused = yield* (yield* Screening).refused(named.map(({ account }) => account))
  yield* Effect.fromResult(
    Invalid.check(
      named.flatMap(({ account, field }) =>
        refused.some((each) => Caip.sameAccount(each, account))
          ? [Invalid.issue(field, "screening refuses the account: use another one")]
          : [],
      ),
    ),
  )
})

/** A merchant's destinations, oldest first. */
export const list = Effect.fn("Settlements.list")(function* (tenant: Tenant, merchantId: string) {
  const merchant = yield* Merchants.getPresent(tenant, merchantId)
  return yield* Merchants.destinationsOf(merchant.id)
})

/** Every change of a merchant's destinations, oldest first, including those of a deleted merchant. */
export const history = Effect.fn("Settlements.history")(function* (
  tenant: Tenant,
  merchantId: string,
) {
  const merchant = yield* Merchants.getWithDeleted(tenant, merchantId)
  return yield* (yield* AccountStore).destinationHistory(merchant.id)
})

/** How long a change that is made now waits. */
const delayIn = Effect.fnUntraced(function* ({ mode }: Tenant) {
  const { destinationDelayInMs, proveDestinations } = yield* Settings
  const delay: SettlementDestination.Delay = {
    delayInMs: destinationDelayInMs[mode],
    now: yield* Clock.currentTimeMillis,
    ...(proveDestinations && { provenIn: mode }),
  }
  return delay
})

/** Creates the event of a change, in the name of the current actor. */
const announcing = Effect.fnUntraced(function* (tenant: Tenant) {
  const by = { ...tenant, acting: yield* Acting, now: yield* Clock.currentTimeMillis }
  return (
    before: SettlementDestination.SettlementDestination | null,
    after: SettlementDestination.SettlementDestination,
  ) => Event.ofDestination(before, after, by)
})

interface Named {
  readonly tenant: Tenant
  readonly merchantId: MerchantId.MerchantId
  readonly id: SettlementDestination.SettlementDestinationId
}

const named = Effect.fnUntraced(function* (
  tenant: Tenant,
  merchantId: string,
  id: string,
  find: typeof Merchants.getPresent = Merchants.getPresent,
) {
  const merchant = yield* find(tenant, merchantId)
  const of: Named = { tenant, merchantId: merchant.id, id: yield* Effect.fromResult(readId(id)) }
  return of
})

/** Runs a decision on a destination, announces the change, and records it. */
const modify = Effect.fnUntraced(function* <E>(
  { id, merchantId, tenant }: Named,
  action: AuditLog.Action,
  decide: (
    current: SettlementDestination.SettlementDestination,
    now: number,
  ) => Result.Result<SettlementDestination.SettlementDestination, E>,
) {
  const now = yield* Clock.currentTimeMillis
  const announce = yield* announcing(tenant)
  const accounts = yield* AccountStore
  const replaced = replacing(
    (decided) => accounts.modifyDestination(merchantId, id, decided),
    (current: SettlementDestination.SettlementDestination) =>
      Result.map(decide(current, now), (destination): DestinationWrite => ({
        destination,
        event: announce(current, destination),
      })),
  )
  return yield* recordDeed(replaced, ({ after, before }) => deedOf(action, tenant, before, after))
})

/** Registers destinations, all or none of them, once per key. */
export const create = Effect.fn("Settlements.create")(function* (request: {
  readonly tenant: Tenant
  readonly merchantId: string
  readonly settlements: ReadonlyArray<{ readonly asset: string; readonly destination: string }>
  readonly idempotencyKey: string | undefined
}) {
  const { idempotencyKey, merchantId, tenant } = request
  const settlements = request.settlements.map(({ asset, destination }) => ({ asset, destination }))
  const accounts = yield* AccountStore
  const identifiers = yield* Identifiers
  const delay = yield* delayIn(tenant)
  const { now } = delay
  const once = yield* Effect.fromResult(
    StoredResponse.requireOnce(idempotencyKey, {
      tenant,
      endpoint: `POST /v1/merchants/${merchantId}/settlements/crypto`,
      body: settlements,
    }),
  )
  // This check comes first, because the merchant may be gone by now. Nothing is remembered for text that is not a
  // merchant's id.
  const isId = Result.isSuccess(Merchants.readId(merchantId))
  const earlier = yield* StoredResponse.earlier(isId ? once : null, stored)
  if (earlier !== null) return { destinations: earlier.written, replayed: true }

  const known = yield* knownAccounts
  const entries = yield* Effect.forEach(settlements, (each) =>
    Effect.map(identifiers.destination, (id) => ({ ...each, id })),
  )
  const read = yield* Effect.fromResult(SettlementDestination.read(entries, known))
  const merchant = yield* Merchants.getPresent(tenant, merchantId)
  yield* screen(
    read.map(({ destination: account }, index) => ({
      field: `settlements[${index}].destination`,
      account,
    })),
  )
  const announce = yield* announcing(tenant)
  const write = accounts.addDestinations(
    merchant.id,
    (existing, past) =>
      Result.map(SettlementDestination.create(merchant.id, read, existing, now), (all) => {
        const added = all.map((each) => SettlementDestination.register(each, past, delay))
        const events = added.flatMap(
          (each) => announce(SettlementDestination.predecessor(each, past) ?? null, each) ?? [],
        )
        return { added, events }
      }),
    now,
  )
  const { replayed, written } = yield* StoredResponse.respond(once, stored, write, (added) => ({
    ...tenant,
    action: "destination.registered",
    subject: merchant.id,
    changes: added.map((each) => AuditLog.became(each.assetText, textOf(each))),
  }))
  return { destinations: written, replayed }
})

/** Names another account for a token. It takes effect after the service's delay, and shares in the token wait until then. */
export const changeDestination = Effect.fn("Settlements.changeDestination")(function* (
  tenant: Tenant,
  merchantId: string,
  id: string,
  destination: string,
) {
  const known = yield* knownAccounts
  const account = yield* Effect.fromResult(
    SettlementDestination.readDestination(destination, known),
  )
  const one = yield* named(tenant, merchantId, id)
  yield* screen([{ field: "destination", account }])
  const delay = yield* delayIn(tenant)
  const changed = yield* modify(one, "destination.changed", (current) =>
    Result.map(SettlementDestination.changeDestination(current, destination, known), (next) =>
      SettlementDestination.change(current, next, delay),
    ),
  )
  return changed.after
})

/** Takes the signature with which a destination's account shows that somebody controls it. */
export const prove = Effect.fn("Settlements.prove")(function* (
  tenant: Tenant,
  merchantId: string,
  id: string,
  destination: string,
  signature: string,
) {
  const account = yield* Effect.fromResult(
    SettlementDestination.readDestination(destination, yield* knownAccounts),
  )
  const one = yield* named(tenant, merchantId, id)
  const found = yield* Merchants.destinationsOf(one.merchantId)
  const { statement } = found.find((each) => each.id === one.id) ?? {}
  const chain = (yield* Chains).of(tenant.mode)
  // If nothing is to be proven, the decision returns the reason.
  if (statement !== undefined && !(yield* chain.isSignedBy(account, statement, signature))) {
    return yield* Invalid.of(
      "proof",
      "is not the account's signature of the statement: sign it as it is",
    )
  }
  const proven = yield* modify(one, "destination.proven", (current, now) =>
    current.statement === statement
      ? SettlementDestination.prove(current, account, now)
      : Invalid.fail("proof", "the destination changed meanwhile: sign its new statement"),
  )
  return proven.after
})

/** The operator makes a change take effect now, and names the new account. */
export const confirm = Effect.fn("Settlements.confirm")(function* (
  tenant: Tenant,
  merchantId: string,
  id: string,
  destination: string,
) {
  // It was checked when it was requested.
  const known = { catalog: yield* Assets, accounts: [] }
  const account = yield* Effect.fromResult(
    SettlementDestination.readDestination(destination, known),
  )
  const one = yield* named(tenant, merchantId, id, Merchants.getWithDeleted)
  const confirmed = yield* modify(one, "destination.confirmed", (current, now) =>
    SettlementDestination.confirm(current, account, now),
  )
  return confirmed.after
})

/** Deletes a destination: the merchant is still owed later payments in that token. Returns the deleted destination. */
export const remove = Effect.fn("Settlements.remove")(function* (
  tenant: Tenant,
  merchantId: string,
  id: string,
) {
  const removed = yield* modify(
    yield* named(tenant, merchantId, id),
    "destination.deleted",
    (current, now) => Result.succeed(SettlementDestination.remove(current, now)),
  )
  return removed.before ?? removed.after
})

const heldOf = ({ state }: Payment.Payment) =>
  state._tag === "Succeeded" ? Entry.heldOf(state.entry) : undefined

const whyNotRetried = (payment: Payment.Payment): string => {
  const held = heldOf(payment)
  return held?.movedOtherwise === true
    ? Transfer.whyNotRetried(held.reason)
    : "the payment has no held or owed share, or its merchant no destination in effect for the token"
}

/**
 * The operator retries a share that is held or owed; returns the payment, and the merchant's current destination, for
 * which the share is gathered again. Shares that were held together are retried together.
 */
export const retry = Effect.fn("Settlements.retry")(function* (id: PaymentId.PaymentId) {
  const payments = yield* PaymentStore
  const payment = yield* payments.payment(id)
  const { merchantId, state } = payment
  const nothing = Conflict.of(whyNotRetried(payment))
  if (state._tag !== "Succeeded") return yield* nothing
  const { token } = state.attempt.option
  const now = yield* Clock.currentTimeMillis
  const [last] = yield* (yield* AccountStore).destinations([merchantId], token)
  const account = SettlementDestination.registeredAt(last, now)
  if (account === null) return yield* nothing
  const held = heldOf(payment)
  if (held !== undefined) {
    const changed = yield* Retry.outflow(held.outflowId)
    return { payment: changed.find((each) => each.id === id) ?? (yield* nothing), account }
  }
  const retried = yield* recordDeed(
    Writes.decidePayment(id, (current) => {
      const isOwed = Balance.tokenOwed(current) !== null
      const change = isOwed ? Balance.aim(current, { _tag: "Pays", account }, now) : null
      return change === null ? Result.fail(nothing) : Result.succeed(change)
    }),
    ({ payment: { mode, partnerId } }) => ({
      action: "settlement.retried",
      partnerId,
      mode,
      subject: id,
      changes: [],
    }),
  )
  yield* Writes.announce([retried.change])
  return { payment: retried.payment, account }
})
