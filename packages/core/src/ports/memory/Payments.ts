/**
 * Payments, in memory.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Refunding from "../../domain/books/Refunding.ts"
import * as Caip from "../../domain/chain/Caip.ts"
import * as Claim from "../../domain/chain/Claim.ts"
import * as Limits from "../../domain/ground/Limits.ts"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import * as PaymentIdForm from "../../domain/ground/PaymentIdForm.ts"
import * as PaymentQuery from "../../domain/list/PaymentQuery.ts"
import * as PaymentSeries from "../../domain/list/PaymentSeries.ts"
import * as PaymentStats from "../../domain/list/PaymentStats.ts"
import type * as Change from "../../domain/payment/Change.ts"
import * as Payment from "../../domain/payment/Payment.ts"
import type { Tenant } from "../AccountStore.ts"
import { type ClaimedLog, PaymentStore, type Resting } from "../PaymentStore.ts"
import type { AuditLogs } from "./AuditLogs.ts"
import type { Lanes } from "./Lanes.ts"
import { collectedKey, type Records } from "./Records.ts"
import type { Responses } from "./Responses.ts"
import { atomic, requireFound, isTenants } from "./Rows.ts"

/** Newest block first. */
const byCheckpoint = (left: Resting, right: Resting): number =>
  right.checkpoint.number - left.checkpoint.number || (left.claim > right.claim ? -1 : 1)

export const make = (
  { draws, claims, collected, payments, replaceCollected, restingOn, write }: Records,
  { respondOnce }: Pick<Responses, "respondOnce">,
  auditLogs: Pick<AuditLogs, "add">,
  { transactionAt }: Pick<Lanes, "transactionAt">,
) => {
  const keepFirstCollected = (id: PaymentId.PaymentId, data: Change.Collected): boolean => {
    const of = collected.get(id)
    if (of?.has(collectedKey(data)) === true) return true
    if ((of?.size ?? 0) >= Limits.collectedPerPaymentMax) return false
    replaceCollected(id, data)
    return true
  }

  const paymentsOf = (tenant: Tenant): ReadonlyArray<Payment.Payment> =>
    [...payments.values()].filter((each) => isTenants(tenant, each))

  return PaymentStore.of({
    createPayment: (change, once, response, now, entry) =>
      atomic(() =>
        respondOnce(once, now, () => {
          // A repeated call creates nothing again.
          if (payments.has(change.payment.id)) return Result.succeed(response)
          // A new payment claims nothing and moves nothing, so nothing can refuse it.
          write({ payments: [{ ...change, claims: [], ledger: [] }], outflows: [] }, null)
          auditLogs.add(entry ?? null)
          return Result.succeed(response)
        }),
      ),
    payment: (of) =>
      atomic(() => {
        if (typeof of === "string") return requireFound("payment", payments.get(of))
        return requireFound(
          "refund",
          paymentsOf(of.tenant).find((each) =>
            Payment.refunds(each).some(({ id }) => id === of.refundId),
          ),
        )
      }),
    committed: (accounts, flows) => Effect.sync(() => draws.committed(accounts, flows)),
    isAwaited: (account, txHash) =>
      Effect.sync(() =>
        draws.isAwaited(account, txHash, ({ lane, nonce }) => transactionAt(lane, nonce)),
      ),
    resting: (mode, chainId, { after, fromBlock, limit }) =>
      Effect.sync(() =>
        [...restingOn(mode, chainId).values()]
          .filter(({ checkpoint }) => checkpoint.number >= fromBlock)
          .toSorted(byCheckpoint)
          .filter((each) => after === null || byCheckpoint(after, each) < 0)
          .slice(0, limit),
      ),
    claimsOf: (chainId, txHash) =>
      Effect.sync(() => {
        const prefix = Claim.transfersPrefix(chainId, txHash)
        return [...claims]
          .flatMap(([key, id]): ReadonlyArray<ClaimedLog> =>
            key.startsWith(prefix)
              ? [
                  {
                    txHash,
                    logIndex: Number(key.slice(prefix.length)),
                    paymentId: PaymentIdForm.isPaymentId(id) ? id : null,
                  },
                ]
              : [],
          )
          .toSorted((left, right) => left.logIndex - right.logIndex)
      }),
    payments: (tenant, query, now) =>
      Effect.sync(() => PaymentQuery.page(paymentsOf(tenant), query, now)),
    paymentStats: (tenant, filter, now) =>
      Effect.sync(() => PaymentStats.of(paymentsOf(tenant), filter, now)),
    paymentSeries: (tenant, filter, edges, now) =>
      Effect.sync(() => PaymentSeries.of(paymentsOf(tenant), filter, edges, now)),
    lastSentRefund: (tenant, token, merchantId) =>
      Effect.sync(() => {
        const sent = paymentsOf(tenant)
          .filter((each) => each.merchantId === merchantId)
          .flatMap((payment) =>
            Refunding.sentByMerchant(payment).map(({ id, requestedAt, token: own }) => ({
              paymentId: payment.id,
              refundId: id,
              requestedAt,
              isOfToken: Caip.sameToken(own, token),
            })),
          )
        const [last] = sent
          .filter(({ isOfToken }) => isOfToken)
          .toSorted(
            (left, right) =>
              right.requestedAt - left.requestedAt || (left.refundId > right.refundId ? -1 : 1),
          )
        return last === undefined ? null : { paymentId: last.paymentId, refundId: last.refundId }
      }),
    stuckPayments: (mode) =>
      Effect.sync(() =>
        [...payments.values()].filter((each) => each.mode === mode && Payment.isStuck(each)),
      ),
    putCollected: (id, data) =>
      atomic(() =>
        Result.map(requireFound("payment", payments.get(id)), () => keepFirstCollected(id, data)),
      ),
    collected: (id) => Effect.sync(() => [...(collected.get(id)?.values() ?? [])]),
    paymentsWithCollected: (account) =>
      Effect.sync(() =>
        [...collected].flatMap(([id, of]) =>
          [...of.values()].some((each) => Caip.sameAccount(each.account, account)) ? [id] : [],
        ),
      ),
    eraseCollected: (id, account) =>
      Effect.sync(() => {
        const of = collected.get(id)
        const erased = [...(of ?? [])].filter(
          ([, each]) => account === null || Caip.sameAccount(each.account, account),
        )
        for (const [key] of erased) of?.delete(key)
        if (of?.size === 0) collected.delete(id)
        return erased.length
      }),
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
}
