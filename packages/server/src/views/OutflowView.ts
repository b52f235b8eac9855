/**
 * Outgoing money as the operator's API shows it.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Outflow"
import * as Family from "@florin/core/domain/chain/Family"
import type * as Money from "@florin/core/domain/ground/Money"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Relayer from "@florin/core/engine/Relayer"
import * as Effect from "effect/Effect"
import type * as AmountView from "./AmountView.ts"
import * as PayoutView from "./PayoutView.ts"
import * as TimeView from "./TimeView.ts"

export const purposes: { readonly [Tag in Outflow.Purpose["_tag"]]: Wire.Outflow["purpose"] } = {
  Settle: "payout",
  Refund: "refund",
  Return: "return",
  Move: "move",
  Withdraw: "withdrawal",
  Sweep: "sweep",
}

const problem = (outflow: Outflow.Outflow, known: Family.Known): Wire.Outflow["problem"] => {
  const obstacle = Outflow.obstacleOf(outflow)
  if (obstacle === null) return null
  const { token } = outflow.movement
  const amount = (quantity: Money.Quantity) =>
    Amount.format({ unit: Amount.token(token), quantity }, known)
  const moved = Outflow.astrayOf(outflow)
  return {
    message: obstacle.reason,
    since: TimeView.iso(obstacle.since),
    moved: moved && {
      txId: moved.transfer.txHash,
      arrived: amount(moved.transfer.movement.quantity),
      left: amount(moved.left),
      transfers: moved.transfers.map(({ quantity, to: address }) => ({
        to: Family.formatAccount(known, { chainId: token.chainId, address }),
        amount: amount(quantity),
      })),
    },
  }
}

const lastTxIdOf = ({ state }: Outflow.Outflow) => {
  if (state._tag === "Paid") return Effect.succeed(state.transfer.txHash)
  return state._tag === "Sent"
    ? Effect.map(Relayer.transactionAt(state.slot), ({ hash }) => hash)
    : Effect.succeed(null)
}

/** An outflow with the hash of its newest transaction, or of the final one. */
export const withTxId = (
  shown: Outflow.Outflow,
  lastTxId: string | null,
  display: AmountView.Display,
): Wire.Outflow => {
  const { mode, movement, partnerId = null, purpose } = shown
  const { from: address, token } = movement
  const paymentIds = Outflow.paymentIds(shown)
  const [paymentId = null] = purpose._tag === "Settle" ? [] : paymentIds
  const [inflowId = null] = Outflow.inflowIds(shown)
  return {
    ...PayoutView.listedPayout({ payout: shown, shareCount: paymentIds.length }, display),
    ...PayoutView.shares(shown, display.catalog),
    mode,
    partnerId,
    purpose: purposes[purpose._tag],
    from: Family.formatAccount(display.catalog, { chainId: token.chainId, address }),
    lastTxId,
    problem: problem(shown, display.catalog),
    paymentId,
    inflowId,
  }
}

export const outflow = (shown: Outflow.Outflow, display: AmountView.Display) =>
  Effect.map(lastTxIdOf(shown), (lastTxId) => withTxId(shown, lastTxId, display))
