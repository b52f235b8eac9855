/**
 * The operator tells the ledger of a payout or refund that the chain has and the ledger does not, as after a restore to
 * an older backup: what is written down is not sent again.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Change from "../domain/Change.ts"
import * as Lane from "../domain/Lane.ts"
import * as Money from "../domain/Money.ts"
import * as Payment from "../domain/Payment.ts"
import type * as PaymentId from "../domain/PaymentId.ts"
import * as Refunding from "../domain/Refunding.ts"
import * as SettlementMatching from "../domain/SettlementMatching.ts"
import type * as Transfer from "../domain/Transfer.ts"
import { type Chain, Chains } from "../ports/Chain.ts"
import { LaneStore } from "../ports/LaneStore.ts"
import { LedgerStore } from "../ports/LedgerStore.ts"
import { PaymentStore } from "../ports/PaymentStore.ts"
import { Signals } from "../ports/Signals.ts"
import * as Relayer from "./Relayer.ts"

/** The transaction is not what the payment waits for, or not for good yet. */
export class NotRecorded extends Schema.TaggedError<NotRecorded>()("NotRecorded", {
  message: Schema.String,
}) {}

/** Money of ours that a payment waits for. */
interface Open {
  readonly movement: Transfer.Movement
  /** What stands for it here, where something was signed. */
  readonly slot: Lane.Slot | null
  readonly record: (
    current: Payment.Payment,
    transfer: Transfer.Evidence,
    now: number,
  ) => Change.Change | null
}

const openRefund = (payment: Payment.Payment): Open | null => {
  const [refund, movement] = [Payment.refundOf(payment), Refunding.movement(payment)]
  if (refund === null || movement === null) return null
  return refund.state._tag === "Processing"
    ? { movement, slot: refund.state.slot, record: Refunding.complete }
    : { movement, slot: null, record: Refunding.record }
}

/** The merchant's share, also where a refund cancelled it that was asked for after it was paid out. */
const openSettlement = (payment: Payment.Payment, debt: Money.Quantity): Open | null => {
  if (payment.state._tag !== "Succeeded") return null
  const { attempt, settlement } = payment.state
  if (settlement._tag === "Processing") {
    const { token, payTo } = attempt.option
    const { destination, quantity, slot } = settlement
    const movement = { token, from: payTo, to: destination.address, quantity }
    return { movement, slot, record: SettlementMatching.complete }
  }
  const planned = SettlementMatching.planUnknown(payment, debt)
  if (planned === null || planned.movement === null) return null
  const record: Open["record"] = (current, transfer, now) =>
    SettlementMatching.record(current, planned, transfer, now)
  return { movement: planned.movement, slot: null, record }
}

/** What may be recorded: the share first, as the refund is booked by whether the merchant had it. */
const opensOf = Effect.fnUntraced(function* (payment: Payment.Payment) {
  if (payment.state._tag !== "Succeeded") return []
  const { token } = payment.state.attempt.option
  const debtor = { _tag: "Debt", merchantId: payment.merchantId } as const
  const debt = yield* (yield* LedgerStore).balance(payment.mode, debtor, token)
  const settlement = openSettlement(
    payment,
    Result.getOrElse(Money.fromBigInt(debt), () => Money.zero),
  )
  return [settlement, openRefund(payment)].filter((open) => open !== null)
})

const refuse = (message: string) => new NotRecorded({ message })

const notSought = "the transaction does not move the money that the payment waits for"

const changedMeanwhile = refuse("the payment changed meanwhile: ask again")

/** The transfer in a transaction, once it is final and exactly the one that is sought; or why it cannot be that. */
const transferIn = Effect.fnUntraced(function* (
  chain: Chain["Service"],
  txHash: string,
  { movement, slot }: Open,
) {
  if (slot !== null) {
    const relayed = yield* Relayer.transactionAt(slot)
    const own = yield* chain.look({ movement, relayed, attempt: null })
    if (own._tag !== "Replaced") {
      return "the payment's own transaction may still be mined: a worker follows it"
    }
  }
  const { from, quantity, to, token } = movement
  const account = { chainId: token.chainId, address: from }
  const sighting = yield* chain.lookLate({ txHash, option: { account, payTo: to, token } })
  switch (sighting._tag) {
    case "Final":
      return sighting.evidence.movement.quantity === quantity
        ? sighting.evidence
        : "the transaction moved another quantity than the payment waits for"
    case "Included":
      return yield* refuse("the transaction is not final yet: ask again once it is")
    case "Unseen":
      return yield* refuse("the chain does not show the transaction: check its hash, or ask again")
    case "Impossible":
    case "Replaced":
      return notSought
  }
})

/** The one of them that a transaction made, and its transfer. */
const madeBy = Effect.fnUntraced(function* (
  chain: Chain["Service"],
  txHash: string,
  opens: ReadonlyArray<Open>,
) {
  let why: string = notSought
  for (const open of opens) {
    const transfer = yield* transferIn(chain, txHash, open)
    if (typeof transfer !== "string") return { open, transfer }
    if (why === notSought) why = transfer
  }
  return yield* refuse(why)
})

/**
 * Refuses what another payment waits for, or rests on, under the same nonce. A node that is behind does not see what
 * another one showed, so nothing but that the ledger's own can never be mined lets a transaction pass.
 */
const isUnknown = Effect.fnUntraced(function* (
  chain: Chain["Service"],
  { movement, txHash, txNonce }: Transfer.Evidence,
) {
  const lane = { chainId: movement.token.chainId, sender: movement.from }
  const relayed = yield* (yield* LaneStore).laneTransaction(lane, txNonce)
  if (relayed === null) return
  if (Lane.hashes(relayed).includes(txHash)) {
    return yield* refuse("the ledger knows of the transaction: it stands for another payment")
  }
  const sighting = yield* chain.look({ movement, relayed, attempt: null })
  if (sighting._tag !== "Replaced") {
    return yield* refuse("the ledger's own transaction of that nonce may still be mined: ask again")
  }
})

/** Writes down that a transaction made the payout or refund that a payment waits for; answers the payment. */
export const record = Effect.fn("PaidOut.record")(function* (
  id: PaymentId.PaymentId,
  txHash: string,
) {
  const payments = yield* PaymentStore
  const payment = yield* payments.payment(id)
  const nothing = refuse(
    payment.state._tag === "Succeeded" && payment.state.settlement._tag === "Cancelled"
      ? "nothing of the payment waits to be sent: its refund took the merchant's share back, so settle with the merchant by hand if it was paid out as well"
      : "the payment has no payout or refund that waits to be sent",
  )
  const opens = yield* opensOf(payment)
  if (opens.length === 0) return yield* nothing
  const chain = (yield* Chains).of(payment.mode)
  const { open, transfer } = yield* madeBy(chain, txHash, opens)
  yield* isUnknown(chain, transfer)
  const now = yield* Clock.currentTimeMillis
  const recorded = yield* payments
    .modifyPayment(id, (current) => {
      // A worker may have signed another transfer since: that one would be sent beside this.
      if (current.revision !== payment.revision) return Result.fail(changedMeanwhile)
      const change = open.record(current, transfer, now)
      return change === null
        ? Result.fail(nothing)
        : Result.succeed({ answer: change.payment, change })
    })
    .pipe(Effect.catchTag("ClaimTaken", () => refuse("the transaction stands for another payment")))
  yield* (yield* Signals).changed(id)
  return recorded
})
