/**
 * An operator retries money that is held on its way out.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Outgoing from "../../domain/books/Outgoing.ts"
import * as Caip from "../../domain/chain/Caip.ts"
import type * as Obstacle from "../../domain/chain/Obstacle.ts"
import * as Transfer from "../../domain/chain/Transfer.ts"
import * as Conflict from "../../domain/ground/Conflict.ts"
import type * as MerchantId from "../../domain/ground/MerchantId.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import type * as OutflowId from "../../domain/ground/OutflowId.ts"
import type * as PartnerId from "../../domain/ground/PartnerId.ts"
import * as Outflow from "../../domain/outflow/Outflow.ts"
import type * as AuditLog from "../../domain/partner/AuditLog.ts"
import type * as Change from "../../domain/payment/Change.ts"
import { OutflowStore, findOutflow } from "../../ports/OutflowStore.ts"
import * as Merchants from "../partner/Merchants.ts"
import { recordDeed } from "../record/AuditLog.ts"
import * as Writes from "../record/Writes.ts"

/** Writes an operator's decision on an outflow that is held; returns what it wrote, or null if it does not apply. */
export const decided = Effect.fnUntraced(function* (
  held: Outflow.Outflow,
  action: AuditLog.Action,
  decide: (current: Outgoing.Current, now: number) => Change.Write | null,
) {
  const now = yield* Clock.currentTimeMillis
  const { id, mode, partnerId = null } = held
  const written = yield* recordDeed(
    Writes.decideOutflow(held, (current) => decide(current, now)),
    (write) => write && { action, partnerId, mode, subject: id, changes: [] },
  )
  yield* Writes.announce(written?.payments ?? [])
  return written
})

/** Retries an outflow; null if it is not held, moved something else, or has to wait for another of the operator's. */
const retry = (held: Outflow.Outflow) =>
  Effect.catchTag(decided(held, "payout.retried", Outgoing.retry), "ClaimTaken", () =>
    Effect.succeed(null),
  )

/** Retries an outflow; returns the payments that it changed. */
export const outflow = Effect.fn("Retry.outflow")(function* (id: OutflowId.OutflowId) {
  const written = yield* retry(yield* findOutflow(yield* OutflowStore, id))
  return (written?.payments ?? []).map(({ payment }) => payment)
})

/** Retries an outflow that must be held. */
export const held = Effect.fn("Retry.held")(function* (id: OutflowId.OutflowId) {
  const current = yield* findOutflow(yield* OutflowStore, id)
  if ((yield* retry(current)) !== null) return undefined
  const { state } = current
  const message =
    state._tag !== "Held"
      ? `it is ${Outflow.status(current)}, and only held money can be retried`
      : state.movedOtherwise === true
        ? Transfer.whyNotRetried(state.reason)
        : "it changed meanwhile, what it returns is gone from the chain, or another transfer of the operator's money from the account is in progress"
  return yield* Conflict.of(message)
})

/** Selects some of the held money; a member that is absent lets everything through. */
export interface Filter {
  readonly mode?: Mode.Mode
  readonly partnerId?: PartnerId.PartnerId
  readonly merchantId?: MerchantId.MerchantId
  readonly token?: Caip.Token
  readonly code?: Obstacle.HeldCode
}

const isAsked = (
  { code, partnerId, token }: Filter,
  { movement, partnerId: owner, state }: Outflow.Outflow,
): boolean =>
  state._tag === "Held" &&
  (code === undefined || state.code === code) &&
  (partnerId === undefined || owner === partnerId) &&
  (token === undefined || Caip.sameToken(movement.token, token))

/**
 * Retries everything that is held and passes a filter; returns each as it was, and whether it was retried. An outflow
 * that moved something else is not retried, because it may be paid twice if it is sent again.
 */
export const retryHeld = Effect.fn("Retry.retryHeld")(function* (filter: Filter) {
  const store = yield* OutflowStore
  const modes = filter.mode === undefined ? (["live", "test"] as const) : [filter.mode]
  const open = (yield* Effect.forEach(modes, store.openOutflows)).flat()
  const asked = yield* Effect.filter(
    open.filter((each) => isAsked(filter, each)),
    (each) =>
      filter.merchantId === undefined
        ? Effect.succeed(true)
        : Effect.map(Merchants.ofOutflow(each), (all) =>
            all.some((id) => id === filter.merchantId),
          ),
  )
  return yield* Effect.forEach(asked, (each) =>
    Effect.map(retry(each), (written) => ({ outflow: each, isRetried: written !== null })),
  )
})
