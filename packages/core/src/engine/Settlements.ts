/**
 * Where a merchant's money goes: one destination per token.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as AuditLog from "../domain/AuditLog.ts"
import * as Caip from "../domain/Caip.ts"
import * as Invalid from "../domain/Invalid.ts"
import type * as Payment from "../domain/Payment.ts"
import type * as PaymentId from "../domain/PaymentId.ts"
import * as SettlementDestination from "../domain/SettlementDestination.ts"
import * as SettlementMatching from "../domain/SettlementMatching.ts"
import * as Transfer from "../domain/Transfer.ts"
import { AccountStore, type Tenant } from "../ports/AccountStore.ts"
import { AnswerStore } from "../ports/AnswerStore.ts"
import { Assets } from "../ports/Assets.ts"
import { Identifiers } from "../ports/Identifiers.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { Screening } from "../ports/Screening.ts"
import { Signals } from "../ports/Signals.ts"
import { NotFound } from "../ports/StorageError.ts"
import * as Answer from "./Answer.ts"
import { recorded, watching } from "./AuditLog.ts"
import * as Merchants from "./Merchants.ts"
import * as OwnAccounts from "./OwnAccounts.ts"
import * as Retry from "./Retry.ts"

/** There is no held or owed share, or the merchant has nowhere to send it. */
export class NothingToSettle extends Schema.TaggedError<NothingToSettle>()("NothingToSettle", {
  message: Schema.String,
}) {}

const textOf = ({ destinationText }: SettlementDestination.SettlementDestination) => destinationText

/** What was done to a destination of a merchant: its account is null where there is none. */
const deedOf = (
  action: AuditLog.Action,
  tenant: Tenant,
  before: SettlementDestination.SettlementDestination | null,
  after: SettlementDestination.SettlementDestination | null,
): AuditLog.Deed | null => {
  const known = after ?? before
  const [from, to] = [before && textOf(before), after && textOf(after)]
  return known === null || from === to
    ? null
    : {
        ...tenant,
        action,
        subject: known.merchantId,
        changes: [AuditLog.became(known.assetText, to, from)],
      }
}

const answers = Answer.codec(Schema.Array(SettlementDestination.SettlementDestination))

const isDestinationId = Schema.is(SettlementDestination.SettlementDestinationId)

const readId = (
  text: string,
): Result.Result<SettlementDestination.SettlementDestinationId, NotFound> =>
  isDestinationId(text) ? Result.succeed(text) : Result.fail(NotFound.of("destination"))

/** What a destination is compared with. */
const knownAccounts = Effect.gen(function* () {
  return { catalog: yield* Assets, accounts: yield* OwnAccounts.all }
})

/** Refuses accounts that screening refuses, each under the name that a caller gave it. */
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
  const merchant = yield* Merchants.present(tenant, merchantId)
  return yield* (yield* AccountStore).destinations(merchant.id)
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
  const answerStore = yield* AnswerStore
  const identifiers = yield* Identifiers
  const now = yield* Clock.currentTimeMillis
  const once = yield* Effect.fromResult(
    Answer.requireOnce(idempotencyKey, {
      tenant,
      endpoint: `POST /v1/merchants/${merchantId}/settlements/crypto`,
      body: settlements,
    }),
  )
  // First of all, as the merchant may be gone by now. Nothing is remembered for what is no merchant's id.
  const earlier = Result.isSuccess(Merchants.readId(merchantId))
    ? yield* answerStore.answered(once, now)
    : null
  if (earlier !== null) return { destinations: answers.decode(earlier), replayed: true }

  const known = yield* knownAccounts
  const entries = yield* Effect.forEach(settlements, (each) =>
    Effect.map(identifiers.destination, (id) => ({ ...each, id })),
  )
  const read = yield* Effect.fromResult(SettlementDestination.read(entries, known))
  const merchant = yield* Merchants.present(tenant, merchantId)
  yield* screen(
    read.map(({ destination: account }, index) => ({
      field: `settlements[${index}].destination`,
      account,
    })),
  )
  const created = yield* recorded(
    accounts.addDestinations(
      merchant.id,
      once,
      (existing) =>
        Result.map(
          SettlementDestination.create(merchant.id, entries, existing, known, now),
          (added) => ({ added, answer: answers.encode(added) }),
        ),
      now,
    ),
    ({ answer, replayed }) =>
      replayed
        ? null
        : {
            ...tenant,
            action: "destination.registered",
            subject: merchant.id,
            changes: answers
              .decode(answer)
              .map((each) => AuditLog.became(each.assetText, textOf(each))),
          },
  )
  return {
    destinations: answers.decode(created.answer),
    replayed: created.replayed,
  }
})

/** Sends future settlements of a token elsewhere. */
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
  const merchant = yield* Merchants.present(tenant, merchantId)
  const destinationId = yield* Effect.fromResult(readId(id))
  yield* screen([{ field: "destination", account }])
  const watched = watching((current: SettlementDestination.SettlementDestination) =>
    SettlementDestination.changeDestination(current, destination, known),
  )
  return yield* recorded(
    (yield* AccountStore).modifyDestination(merchant.id, destinationId, watched.decide),
    (changed) => deedOf("destination.changed", tenant, watched.before(), changed),
  )
})

/** Forgets a destination: later payments in that token stay owed. Answers what it was. */
export const remove = Effect.fn("Settlements.remove")(function* (
  tenant: Tenant,
  merchantId: string,
  id: string,
) {
  const merchant = yield* Merchants.present(tenant, merchantId)
  const destinationId = yield* Effect.fromResult(readId(id))
  return yield* recorded(
    (yield* AccountStore).modifyDestination(merchant.id, destinationId, () => Result.succeed(null)),
    (removed) => deedOf("destination.deleted", tenant, removed, null),
  )
})

const whyNotRetried = ({ state }: Payment.Payment): string =>
  state._tag === "Succeeded" &&
  state.settlement._tag === "Held" &&
  state.settlement.movedOtherwise === true
    ? Transfer.notSentAgain(state.settlement.reason)
    : "the payment has no held or owed share, or its merchant no destination for the token"

/**
 * The operator retries a share that is held or owed, to the destination that the merchant has now. What was held together
 * is retried together.
 */
export const retry = Effect.fn("Settlements.retry")(function* (id: PaymentId.PaymentId) {
  const payments = yield* PaymentStore
  const payment = yield* payments.payment(id)
  const { merchantId, state } = payment
  const nothing = new NothingToSettle({ message: whyNotRetried(payment) })
  if (state._tag !== "Succeeded") return yield* nothing
  const { token } = state.attempt.option
  const destinations = yield* (yield* AccountStore).destinations(merchantId)
  const destination = SettlementMatching.match(token, destinations)
  if (destination === null) return yield* nothing
  if (state.settlement._tag === "Held") {
    const changed = yield* Retry.outflow(state.settlement.outflowId)
    return changed.find((each) => each.id === id) ?? (yield* nothing)
  }
  const now = yield* Clock.currentTimeMillis
  const retried = yield* recorded(
    payments.modifyPayment(id, (current) => {
      const change = SettlementMatching.due(current, destination, now)
      return change === null
        ? Result.fail(nothing)
        : Result.succeed({ answer: change.payment, change })
    }),
    ({ mode, partnerId }) => ({
      action: "settlement.retried",
      partnerId,
      mode,
      subject: id,
      changes: [],
    }),
  )
  yield* (yield* Signals).changed(id)
  return retried
})
