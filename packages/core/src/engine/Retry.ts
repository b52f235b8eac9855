/**
 * An operator retries money that is held on its way out.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Outflow from "../domain/Outflow.ts"
import * as Outgoing from "../domain/Outgoing.ts"
import * as SettlementMatching from "../domain/SettlementMatching.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { OutflowStore } from "../ports/OutflowStore.ts"
import { Signals } from "../ports/Signals.ts"

/** Where each merchant of a payout wants its token now, as far as it has a destination for it. */
export const destinationsOf = Effect.fn("Retry.destinationsOf")(function* ({
  movement,
  purpose,
}: Outflow.Outflow) {
  const accounts = yield* AccountStore
  const shares = purpose._tag === "Settle" ? purpose.shares : []
  const merchants = new Set(shares.map(({ merchantId }) => merchantId))
  const found = yield* Effect.forEach(merchants, (merchantId) =>
    Effect.map(accounts.destinations(merchantId), (destinations) => {
      const destination = SettlementMatching.match(movement.token, destinations)
      return destination === null ? [] : [[merchantId, destination] as const]
    }),
  )
  return new Map(found.flat())
})

/**
 * Retries an outflow, its shares to the destinations that their merchants have now; returns the payments that it changed:
 * none if it is not held, or moved something else.
 */
export const outflow = Effect.fn("Retry.outflow")(function* (id: Outflow.OutflowId) {
  const outflows = yield* OutflowStore
  const now = yield* Clock.currentTimeMillis
  const held = yield* outflows.outflow(id)
  const destinations = yield* destinationsOf(held)
  const changed = yield* outflows.modify(
    { outflows: [id], payments: Outflow.paymentIds(held) },
    Outgoing.deciding((current) => {
      const write = Outgoing.retry(current, destinations, now)
      return { answer: (write?.payments ?? []).map(({ payment }) => payment), write }
    }, []),
    null,
  )
  const signals = yield* Signals
  yield* Effect.forEach(changed, (payment) => signals.changed(payment.id), { discard: true })
  return changed
})
