/**
 * Money in suspense, as an operator lists it and sends it back.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Incoming from "../../domain/books/Incoming.ts"
import type * as Caip from "../../domain/chain/Caip.ts"
import type * as InflowId from "../../domain/chain/InflowId.ts"
import * as Conflict from "../../domain/ground/Conflict.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import type * as Inflow from "../../domain/outflow/Inflow.ts"
import * as AuditLog from "../../domain/partner/AuditLog.ts"
import { Assets } from "../../ports/Assets.ts"
import { Identifiers } from "../../ports/Identifiers.ts"
import { inflow, InflowStore } from "../../ports/InflowStore.ts"
import { recordDeed } from "../record/AuditLog.ts"
import * as Writes from "../record/Writes.ts"

/**
 * What arrived in one token: each transfer above a small value, and the sum of the smaller ones, which anybody may send
 * as a nuisance.
 */
export interface OfToken {
  readonly token: Caip.Token
  readonly transfers: ReadonlyArray<Inflow.Inflow>
  /** All transfers that are not in `transfers`. */
  readonly others: { readonly count: number; readonly quantity: bigint }
}

/** The most transfers of one token that are listed one by one, oldest first. */
const listedMax = 200

/** What is in suspense in a mode. Transfers of less than one unit of their token are listed as a sum. */
export const list = Effect.fn("Inflows.list")(function* (mode: Mode.Mode) {
  const store = yield* InflowStore
  const assets = yield* Assets
  return yield* Effect.forEach(yield* store.sums(mode), ({ count, quantity, token }) =>
    Effect.map(
      store.inflows({
        _tag: "Suspended",
        mode,
        token,
        least: 10n ** BigInt(assets.find(token)?.decimals ?? 0),
        limit: listedMax,
      }),
      (transfers): OfToken => {
        const listed = transfers.reduce((sum, { transfer }) => sum + transfer.movement.quantity, 0n)
        const others = { count: count - transfers.length, quantity: quantity - listed }
        // The sum was read before the transfers, of which some may have arrived meanwhile.
        const isSum = others.count > 0 && others.quantity > 0n
        return { token, transfers, others: isSum ? others : { count: 0, quantity: 0n } }
      },
    ),
  )
})

/** The transfers of a transaction that no payment claimed at first, and what became of them. */
export const broughtBy = Effect.fn("Inflows.broughtBy")(function* (txHash: string) {
  return yield* (yield* InflowStore).inflows({ _tag: "Transaction", txHash })
})

/** The reason why it is not in suspense, if it is not. */
export const whyNot = ({ missedSince, state }: Inflow.Inflow): string => {
  switch (state._tag) {
    case "Suspended":
      return missedSince === undefined
        ? "it changed meanwhile: list it again"
        : "its block is gone from the chain: it can be returned after its transfer is found again"
    case "Taken":
      return `it belongs to payment ${state.paymentId}`
    case "Returning":
      return `it was returned already, by ${state.outflowId}`
    case "Funded":
      return "it was recorded as your own money"
    case "Gone":
      return "a reorganisation of the chain removed it"
  }
}

/** Makes the workers send it back to the account that it came from; returns the outflow's id. */
export const giveBack = Effect.fn("Inflows.giveBack")(function* (id: InflowId.InflowId) {
  const found = yield* inflow(id)
  const outflowId = yield* (yield* Identifiers).outflow
  const now = yield* Clock.currentTimeMillis
  const decided = Writes.decide({ inflows: [id] }, ({ inflows: [current = found] }) => {
    const write = Incoming.giveBack(current, outflowId, now)
    return write === null ? Result.fail(Conflict.of(whyNot(current))) : Result.succeed(write)
  })
  const changes = [AuditLog.became("txHash", found.transfer.txHash)]
  const { hint, mode } = found
  yield* recordDeed(decided, () =>
    hint === undefined
      ? { action: "unclaimed_transfer.returned", partnerId: null, mode, subject: id, changes }
      : {
          action: "late_transfer.returned",
          partnerId: hint.partnerId,
          mode,
          subject: hint.paymentId,
          changes,
        },
  )
  return outflowId
})
