/**
 * Writes decisions on payments, outflows and inflows, and wakes everybody who waits for a payment that changed.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Outgoing from "../../domain/books/Outgoing.ts"
import type * as InflowId from "../../domain/chain/InflowId.ts"
import type * as OutflowId from "../../domain/ground/OutflowId.ts"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import type * as Inflow from "../../domain/outflow/Inflow.ts"
import * as Outflow from "../../domain/outflow/Outflow.ts"
import type * as Change from "../../domain/payment/Change.ts"
import type * as Payment from "../../domain/payment/Payment.ts"
import type { Lease } from "../../ports/DueWork.ts"
import {
  OutflowStore,
  type Shown,
  type Subjects,
  type WriteDecision,
} from "../../ports/OutflowStore.ts"
import { Signals } from "../../ports/Signals.ts"
import { NotFound } from "../../ports/StorageError.ts"
import * as Metrics from "./Metrics.ts"

/** Notes what changes ended, and wakes all callers that wait for their payments. Call it once they are stored. */
export const announce = Effect.fnUntraced(function* (changes: ReadonlyArray<Change.Change>) {
  const signals = yield* Signals
  yield* Metrics.recordChanges(changes)
  yield* Effect.forEach(changes, ({ payment }) => signals.changed(payment.id), { discard: true })
})

/** Runs a decision that takes no slot of a lane, so that no other signer can have moved one. */
export const modify = <A, E>(
  subjects: Subjects,
  decision: (shown: Shown) => Result.Result<WriteDecision<A>, E>,
  lease: Lease | null,
) =>
  Effect.flatMap(OutflowStore, (store) =>
    Effect.catchTag(store.modify(subjects, decision, lease), "LaneMoved", Effect.die),
  )

/** Runs a decision on records, and writes what it returns. Nobody hears of it, as in a write that is recorded, too. */
export const decide = <W extends Change.Write | null, E>(
  subjects: Partial<Subjects>,
  decision: (shown: Shown) => Result.Result<W, E>,
  lease: Lease | null = null,
) =>
  modify(
    { outflows: [], payments: [], ...subjects },
    (shown) => Result.map(decision(shown), (write) => ({ result: write, write })),
    lease,
  )

/** The same, and announces it. */
export const write = <W extends Change.Write | null, E>(
  ...deciding: Parameters<typeof decide<W, E>>
) => Effect.tap(decide(...deciding), (written) => announce(written?.payments ?? []))

/** Runs a decision on an outflow and what it carries, or the payments that it names, as `decide` does. */
export const decideOutflow = (
  outflow: Outflow.Outflow,
  decision: (current: Outgoing.Current) => Change.Write | null,
  {
    lease = null,
    shown = Outflow.paymentIds(outflow),
  }: {
    readonly lease?: Lease | null
    readonly shown?: ReadonlyArray<PaymentId.PaymentId>
  } = {},
) =>
  decide(
    { outflows: [outflow.id], payments: shown, inflows: Outflow.inflowIds(outflow) },
    ({ inflows, outflows: [current], payments }) =>
      Result.succeed(
        current === undefined ? null : decision({ outflow: current, payments, inflows }),
      ),
    lease,
  )

/** Runs a decision on an inflow, and on the outflow that returns it; returns whether something was written. */
export const writeInflow = (
  id: InflowId.InflowId,
  decision: (current: Inflow.Inflow, returning: Outflow.Outflow | undefined) => Change.Write | null,
  outflows: ReadonlyArray<OutflowId.OutflowId> = [],
) =>
  Effect.map(
    write({ outflows, inflows: [id] }, ({ inflows: [current], outflows: [returning] }) =>
      Result.succeed(current === undefined ? null : decision(current, returning)),
    ),
    (written) => written !== null,
  )

/** A payment after a decision, and the change that was written; null if none was. */
interface Decided<C extends Change.Change | null> {
  readonly payment: Payment.Payment
  readonly change: C
}

/** Runs a decision on a payment, and writes its change, as `decide` does. */
export const decidePayment = <C extends Change.Change | null, E>(
  id: PaymentId.PaymentId,
  decision: (current: Payment.Payment) => Result.Result<C, E>,
  lease?: Lease,
) =>
  modify(
    { outflows: [], payments: [id] },
    ({ payments: [current] }): Result.Result<WriteDecision<Decided<C>>, E | NotFound> =>
      current === undefined
        ? Result.fail(NotFound.of("payment"))
        : Result.map(decision(current), (change) => ({
            result: { payment: change?.payment ?? current, change },
            write: change === null ? null : { payments: [change], outflows: [] },
          })),
    lease ?? null,
  )

/** The same, and announces it. */
export const writePayment = <C extends Change.Change | null, E>(
  ...deciding: Parameters<typeof decidePayment<C, E>>
) =>
  Effect.tap(decidePayment(...deciding), ({ change }) => announce(change === null ? [] : [change]))
