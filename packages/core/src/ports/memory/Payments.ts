/**
 * Payments and their due work, in memory.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Caip from "../../domain/Caip.ts"
import * as Change from "../../domain/Change.ts"
import * as Claim from "../../domain/Claim.ts"
import type * as Mode from "../../domain/Mode.ts"
import * as Payment from "../../domain/Payment.ts"
import type * as PaymentId from "../../domain/PaymentId.ts"
import * as PaymentQuery from "../../domain/PaymentQuery.ts"
import * as PaymentStats from "../../domain/PaymentStats.ts"
import type * as Refund from "../../domain/Refund.ts"
import type { Tenant } from "../AccountStore.ts"
import { DueWork, type Hold } from "../DueWork.ts"
import { type Decision, PaymentStore, type Resting } from "../PaymentStore.ts"
import { ClaimTaken, LeaseLost, type Overdrawn } from "../StorageError.ts"
import type { Answers } from "./Answers.ts"
import type { Events } from "./Events.ts"
import type { Lanes } from "./Lanes.ts"
import type { Ledgers } from "./Ledgers.ts"
import { append, atomic, found, isTenants, tenantKey } from "./Rows.ts"
import { WorkQueue } from "./WorkQueue.ts"

const restingKey = (mode: Mode.Mode, chainId: Caip.ChainId): string => `${mode}:${chainId}`

/** The newest block first. */
const byMark = (left: Resting, right: Resting): number =>
  right.mark.number - left.mark.number || (left.claim > right.claim ? -1 : 1)

/** The parts that a change writes to, besides the payment itself. */
interface Parts {
  readonly answers: Pick<Answers, "answerOnce">
  readonly lanes: Pick<Lanes, "checkLane" | "place">
  readonly ledgers: Pick<Ledgers, "checkLedger" | "book">
  readonly events: Pick<Events, "announce">
}

/** Payments with their due work: a change writes both. */
export const make = ({
  answers: { answerOnce },
  events: { announce },
  lanes: { checkLane, place },
  ledgers: { book, checkLedger },
}: Parts) => {
  const payments = new Map<PaymentId.PaymentId, Payment.Payment>()
  const paymentsOfTenant = new Map<string, Array<PaymentId.PaymentId>>()
  const refunds = new Map<Refund.RefundId, PaymentId.PaymentId>()
  const claims = new Set<string>()
  const resting = new Map<string, Map<string, Resting>>()
  const collected = new Map<PaymentId.PaymentId, Map<string, Change.Collected>>()
  const work: { readonly [K in Change.WorkKind]: WorkQueue<PaymentId.PaymentId> } = {
    expire: new WorkQueue(),
    collect: new WorkQueue(),
    settle: new WorkQueue(),
    refund: new WorkQueue(),
    watch: new WorkQueue(),
    audit: new WorkQueue(),
  }

  const replaceCollected = (id: PaymentId.PaymentId, data: Change.Collected): void => {
    const of = collected.get(id) ?? new Map<string, Change.Collected>()
    collected.set(id, of.set(Caip.formatAccount(data.account), data))
  }

  const keepFirstCollected = (id: PaymentId.PaymentId, data: Change.Collected): void => {
    const isKnown = collected.get(id)?.has(Caip.formatAccount(data.account)) === true
    if (!isKnown) replaceCollected(id, data)
  }

  const restingOn = (mode: Mode.Mode, chainId: Caip.ChainId): Map<string, Resting> => {
    const key = restingKey(mode, chainId)
    const known = resting.get(key) ?? new Map<string, Resting>()
    resting.set(key, known)
    return known
  }

  const restOn = ({ id, mode }: Payment.Payment, claim: Claim.Claim): void => {
    if (claim._tag !== "Transfer") return
    const { blockHash, blockNumber, chainId } = claim
    const key = Claim.key(claim)
    const mark = { number: blockNumber, hash: blockHash }
    restingOn(mode, chainId).set(key, { claim: key, paymentId: id, mark })
  }

  const move = (payment: Payment.Payment, { from, to }: Change.Moved): void => {
    const left = Claim.ofTransfer(from)
    restingOn(payment.mode, left.chainId).delete(Claim.key(left))
    if (to === null) return
    const next = Claim.ofTransfer(to)
    claims.delete(Claim.key(left))
    claims.add(Claim.key(next))
    restOn(payment, next)
  }

  /** The claims of a change that nobody may have made before. */
  const newClaims = ({ claims: own, moved }: Change.Change): ReadonlyArray<string> => {
    const made = own.map(Claim.key)
    if (moved === undefined || moved.to === null) return made
    const next = Claim.key(Claim.ofTransfer(moved.to))
    return next === Claim.key(Claim.ofTransfer(moved.from)) ? made : [...made, next]
  }

  /** Checks everything that could refuse a change, then writes all of it. */
  const write = (
    change: Change.Change,
    hold: Hold | null,
  ): Result.Result<void, ClaimTaken | Overdrawn | LeaseLost> => {
    const { payment } = change
    if (hold !== null && !work[hold.kind].isHeld(payment.id, hold.fence)) {
      return Result.fail(LeaseLost.of())
    }
    const taken = newClaims(change).find((claim) => claims.has(claim))
    if (taken !== undefined) {
      return Result.fail(ClaimTaken.of(taken))
    }
    const after = checkLedger(payment.mode, change.ledger)
    if (Result.isFailure(after)) return Result.fail(after.failure)

    for (const claim of change.claims) {
      claims.add(Claim.key(claim))
      restOn(payment, claim)
    }
    if (change.moved !== undefined) move(payment, change.moved)
    if (change.collected !== undefined) replaceCollected(payment.id, change.collected)
    book(payment, change.ledger, after.success)
    payments.set(payment.id, payment)
    const refund = Payment.refundOf(payment)
    if (refund !== null) refunds.set(refund.id, payment.id)
    for (const kind of Change.workKinds) {
      const dueAt = change.due[kind]
      if (dueAt !== undefined) work[kind].set(payment.id, dueAt)
    }
    if (change.event !== undefined) announce(payment, change.event)
    return Result.void
  }

  const settle = <A>(
    decision: Decision<A>,
    hold: Hold | null,
  ): Result.Result<A, ClaimTaken | Overdrawn | LeaseLost> => {
    const { change } = decision
    return change === undefined || change === null
      ? Result.succeed(decision.answer)
      : Result.map(write(change, hold), () => decision.answer)
  }

  const paymentsOf = (tenant: Tenant): ReadonlyArray<Payment.Payment> =>
    (paymentsOfTenant.get(tenantKey(tenant)) ?? []).flatMap((id) => {
      const payment = payments.get(id)
      return payment === undefined ? [] : [payment]
    })

  const store = PaymentStore.of({
    createPayment: (change, once, answer, now) =>
      atomic(() =>
        answerOnce(once, now, () => {
          // A repeated call creates nothing again.
          if (payments.has(change.payment.id)) return Result.succeed(answer)
          // A new payment claims nothing and moves nothing, so nothing can refuse it.
          write({ ...change, claims: [], ledger: [] }, null)
          append(paymentsOfTenant, tenantKey(change.payment), change.payment.id)
          return Result.succeed(answer)
        }),
      ),
    payment: (id) => atomic(() => found("payment", payments.get(id))),
    modifyPayment: (id, decide, hold) =>
      atomic(() =>
        Result.flatMap(found("payment", payments.get(id)), (current) =>
          Result.flatMap(decide(current), (decision) => settle(decision, hold ?? null)),
        ),
      ),
    modifyPaymentInLane: (id, signed, decide, hold) =>
      atomic(() =>
        Result.flatMap(found("payment", payments.get(id)), (current) =>
          Result.flatMap(decide(current), ({ answer, change = null }) =>
            change === null
              ? Result.succeed(answer)
              : Result.flatMap(checkLane(signed), () =>
                  Result.map(write(change, hold), () => {
                    place(signed.transaction, null)
                    return answer
                  }),
                ),
          ),
        ),
      ),
    resting: (mode, chainId, { after, fromBlock, limit }) =>
      Effect.sync(() =>
        [...restingOn(mode, chainId).values()]
          .filter(({ mark }) => mark.number >= fromBlock)
          .toSorted(byMark)
          .filter((each) => after === null || byMark(after, each) < 0)
          .slice(0, limit),
      ),
    payments: (tenant, query, now) =>
      Effect.sync(() => {
        const page = PaymentQuery.page(paymentsOf(tenant), query, now)
        return { items: page.items, hasMore: page.next !== null }
      }),
    paymentStats: (tenant, filter, now) =>
      Effect.sync(() => PaymentStats.of(paymentsOf(tenant), filter, now)),
    paymentOfRefund: (tenant, id) =>
      atomic(() => {
        const paymentId = refunds.get(id)
        const payment = paymentId === undefined ? undefined : payments.get(paymentId)
        return found(
          "refund",
          payment !== undefined && isTenants(tenant, payment) ? payment : undefined,
        )
      }),
    stuckPayments: (mode) =>
      Effect.sync(() =>
        [...payments.values()].filter((each) => each.mode === mode && Payment.isStuck(each)),
      ),
    putCollected: (id, data) =>
      atomic(() =>
        Result.map(found("payment", payments.get(id)), () => keepFirstCollected(id, data)),
      ),
    collected: (id) => Effect.sync(() => [...(collected.get(id)?.values() ?? [])]),
    deleteCollected: (now, limit) =>
      Effect.sync(() => {
        let deleted = 0
        for (const [id, of] of collected) {
          for (const [key, each] of of) {
            if (each.deleteAt > now || deleted === limit) continue
            of.delete(key)
            deleted += 1
          }
          if (of.size === 0) collected.delete(id)
        }
        return deleted
      }),
  })

  const dueWork = DueWork.of({
    time: Clock.currentTimeMillis,
    claimDue: (kind, { limit, leaseInMs, now }) =>
      Effect.sync(() =>
        work[kind].claim(limit, leaseInMs, now).flatMap(([id, fence]) => {
          const payment = payments.get(id)
          const failures = work[kind].failures(id)
          return payment === undefined ? [] : [{ payment, hold: { kind, fence }, failures }]
        }),
      ),
    postpone: (id, hold, dueAt) =>
      atomic(() => {
        if (!work[hold.kind].isHeld(id, hold.fence)) return Result.fail(LeaseLost.of())
        work[hold.kind].postpone(id, dueAt)
        return Result.void
      }),
    nextDueAt: (kind) => Effect.sync(() => work[kind].nextAt()),
  })
  return { store, dueWork }
}
