/**
 * Outgoing money as the operator's API shows it.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Outflow"
import * as Family from "@florin/core/domain/chain/Family"
import type * as Money from "@florin/core/domain/ground/Money"
import * as Payout from "@florin/core/domain/list/Payout"
import * as TokenAmount from "@florin/core/domain/money/TokenAmount"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Relayer from "@florin/core/engine/chain/Relayer"
import * as Effect from "effect/Effect"
import type * as AmountView from "./AmountView.ts"
import * as PayoutView from "./PayoutView.ts"
import * as TimeView from "./TimeView.ts"

const problem = (outflow: Outflow.Outflow, known: Family.Known): Wire.Outflow["problem"] => {
  const obstacle = Outflow.obstacleOf(outflow)
  if (obstacle === null) return null
  const { token } = outflow.movement
  const amount = (quantity: Money.Quantity) => TokenAmount.json(token, quantity, known)
  const moved = Outflow.astrayOf(outflow)
  return {
    message: obstacle.reason,
    movedOtherwise: Outflow.movedOtherwise(outflow),
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

/** An outflow of a list, with the hash of its newest transaction, or of the final one. */
const listedWith = (
  each: Payout.Listed,
  lastTxId: string | null,
  display: AmountView.Display,
): Wire.Listed => {
  const { payout: shown } = each
  const { mode, movement, partnerId = null } = shown
  const { from: address, token } = movement
  const [paymentId = null] = Payout.isPayout(shown) ? [] : Outflow.paymentIds(shown)
  const [inflowId = null] = Outflow.inflowIds(shown)
  return {
    ...PayoutView.listedPayout(each, display),
    mode,
    partnerId,
    purpose: Outflow.factsOf(shown).word,
    from: Family.formatAccount(display.catalog, { chainId: token.chainId, address }),
    lastTxId,
    blockNumber: shown.state._tag === "Paid" ? shown.state.transfer.blockNumber : null,
    missingSince: TimeView.isoOrNull(shown.auditedSince),
    reverts: shown.reverts ?? 0,
    problem: problem(shown, display.catalog),
    paymentId,
    inflowId,
  }
}

export const listed = (each: Payout.Listed, display: AmountView.Display) =>
  Effect.map(lastTxIdOf(each.payout), (lastTxId) => listedWith(each, lastTxId, display))

/** An outflow with its shares. */
export const withTxId = (
  shown: Outflow.Outflow,
  lastTxId: string | null,
  display: AmountView.Display,
): Wire.Outflow => ({
  ...listedWith(Payout.toListed(shown), lastTxId, display),
  ...PayoutView.shares(shown, display.catalog),
})

export const outflow = (shown: Outflow.Outflow, display: AmountView.Display) =>
  Effect.map(lastTxIdOf(shown), (lastTxId) => withTxId(shown, lastTxId, display))
