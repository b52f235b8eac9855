/**
 * The operator records a payout or refund that is on the chain but not in the ledger, as after a restore to an older
 * backup. What is recorded is not sent again.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Balance from "../../domain/books/Balance.ts"
import * as Outgoing from "../../domain/books/Outgoing.ts"
import * as Recording from "../../domain/books/Recording.ts"
import * as Refunding from "../../domain/books/Refunding.ts"
import * as Caip from "../../domain/chain/Caip.ts"
import * as Family from "../../domain/chain/Family.ts"
import type * as Transfer from "../../domain/chain/Transfer.ts"
import * as Conflict from "../../domain/ground/Conflict.ts"
import * as Limits from "../../domain/ground/Limits.ts"
import type * as MerchantId from "../../domain/ground/MerchantId.ts"
import * as Mode from "../../domain/ground/Mode.ts"
import type * as OutflowId from "../../domain/ground/OutflowId.ts"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import * as Lane from "../../domain/outflow/Lane.ts"
import * as Outflow from "../../domain/outflow/Outflow.ts"
import * as AuditLog from "../../domain/partner/AuditLog.ts"
import type * as Merchant from "../../domain/partner/Merchant.ts"
import * as Entry from "../../domain/payment/Entry.ts"
import * as Payment from "../../domain/payment/Payment.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { type Chain, Chains } from "../../ports/Chain.ts"
import { Identifiers } from "../../ports/Identifiers.ts"
import { LaneStore } from "../../ports/LaneStore.ts"
import { debtsOf, LedgerStore } from "../../ports/LedgerStore.ts"
import { OutflowStore, findOutflow } from "../../ports/OutflowStore.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"
import * as Relayer from "../chain/Relayer.ts"
import { recordDeed } from "../record/AuditLog.ts"
import * as Writes from "../record/Writes.ts"

const refuse = Conflict.of

const notSought = "the transaction does not move the money that the payment waits for"

/** The token and accounts that identify one of our transfers. */
type Ends = Pick<Transfer.Movement, "token" | "from" | "to">

/** The transfer that a transaction made between two accounts, once it is final; null if it made none. */
const transferIn = Effect.fnUntraced(function* (
  chain: Chain["Service"],
  txHash: string,
  { from, to, token }: Ends,
) {
  const account = { chainId: token.chainId, address: from }
  const observation = yield* chain.lookLate({ txHash, option: { account, payTo: to, token } })
  switch (observation._tag) {
    case "Final":
      return observation.evidence
    case "Included":
      return yield* refuse("the transaction is not final yet: try again after it is")
    case "Due":
    case "Unseen":
      return yield* refuse("the chain does not show the transaction: check its hash, or try again")
    case "Impossible":
    case "Replaced":
      return null
  }
})

/**
 * Refuses a transaction that a worker follows. One that failed for good passes: after a deep reorganisation it may
 * succeed on the branch that remained. If it paid something that the ledger knows, its claim is taken. If the ledger has
 * another transaction with the same nonce, this one passes only if the ledger's own can never be mined: a node that is
 * behind does not see what another node showed. On a chain without nonces, each of our transactions is known by its hash.
 */
const isUnknown = Effect.fnUntraced(function* (
  chain: Chain["Service"],
  mode: Mode.Mode,
  { movement, txHash, txNonce }: Transfer.Evidence,
) {
  const lane = { chainId: movement.token.chainId, sender: movement.from }
  const [relayed] = yield* (yield* LaneStore).laneTransactions(lane, txNonce, txNonce)
  if (relayed === undefined) return
  if (Lane.hashes(relayed).includes(txHash)) {
    const open = yield* (yield* OutflowStore).openOutflows(mode)
    const isFollowed = open.some(
      ({ state }) =>
        state._tag === "Sent" &&
        state.slot.nonce === txNonce &&
        state.slot.lane.sender === lane.sender &&
        state.slot.lane.chainId === lane.chainId,
    )
    return isFollowed
      ? yield* refuse("the ledger has the transaction already, for another payment")
      : undefined
  }
  // If the chain has no nonces, others may write any number, so the number rules out none of our transactions.
  if ((yield* chain.nonceFloor(lane)) === null) return
  const observation = yield* chain.look({ movement, relayed, attempt: null })
  if (observation._tag !== "Replaced") {
    return yield* refuse(
      "the ledger's own transaction with that nonce may still be mined: try again",
    )
  }
})

/** Whether the ledger's transaction for an outflow, if there is one, can never be mined. */
const isReplaced = Effect.fnUntraced(function* (
  chain: Chain["Service"],
  { movement, state }: Outflow.Outflow,
) {
  if (state._tag !== "Sent") return true
  const relayed = yield* Relayer.transactionAt(state.slot)
  const own = yield* chain.look({ movement, relayed, attempt: null })
  return own._tag === "Replaced"
})

const anotherQuantity = "the transaction moved another amount than the payment waits for"

const changedMeanwhile = refuse("the payment changed meanwhile: try again")

const deedOf = (
  { mode, partnerId }: Pick<Outflow.Outflow, "mode" | "partnerId">,
  subject: OutflowId.OutflowId,
  { txHash }: Transfer.Evidence,
): AuditLog.Deed => ({
  action: "payout.recorded",
  partnerId: partnerId ?? null,
  mode,
  subject,
  changes: [AuditLog.became("txHash", txHash)],
})

/** Records that a transfer is exactly what an outflow was to make. */
const payOutflow = Effect.fnUntraced(function* (
  chain: Chain["Service"],
  outflow: Outflow.Outflow | null,
  transfer: Transfer.Evidence,
) {
  if (outflow === null || transfer.movement.quantity !== outflow.movement.quantity) {
    return yield* refuse(anotherQuantity)
  }
  yield* isUnknown(chain, outflow.mode, transfer)
  const now = yield* Clock.currentTimeMillis
  const writing = Writes.decide(
    { outflows: [outflow.id], payments: Outflow.paymentIds(outflow) },
    ({ outflows: [current], payments }) => {
      // A worker may have signed another transaction since then, which would be sent in addition to this one.
      if (current?.revision !== outflow.revision) return Result.fail(changedMeanwhile)
      const write = Outgoing.pay({ outflow: current, payments }, transfer, now)
      return write === null ? Result.fail(changedMeanwhile) : Result.succeed(write)
    },
  )
  return yield* recordDeed(writing, () => deedOf(outflow, outflow.id, transfer))
})

/** A time later than any lease, in epoch milliseconds. */
const afterAll = 8_640_000_000_000_000

const isUnsent = ({ state }: Outflow.Outflow): boolean =>
  state._tag === "Waiting" || (state._tag === "Held" && state.movedOtherwise !== true)

/** Records which shares a transfer to a merchant's destination paid, and which part of it is an advance. */
const payShares = Effect.fnUntraced(function* (
  chain: Chain["Service"],
  transfer: Transfer.Evidence,
  {
    advanceTo,
    group,
    named,
  }: {
    readonly group: Balance.Group
    readonly named: PaymentId.PaymentId | null
    readonly advanceTo: MerchantId.MerchantId | null
  },
) {
  yield* isUnknown(chain, group.mode, transfer)
  const store = yield* OutflowStore
  const { from, to, token } = transfer.movement
  const isAlike = ({ movement, partnerId, purpose }: Outflow.Outflow): boolean =>
    purpose._tag === "Settle" &&
    partnerId === group.partnerId &&
    Caip.sameToken(movement.token, token) &&
    movement.from === from &&
    movement.to === to
  const alike = (yield* store.openOutflows(group.mode)).filter(isAlike)
  const replaced = yield* Effect.filter(
    alike.filter(({ state }) => state._tag === "Sent"),
    (each) => isReplaced(chain, each),
  )
  // What one of them moved instead is in the books already: only its exact amount pays it.
  const same =
    alike.find((each) => Outflow.astrayOf(each)?.transfer.txHash === transfer.txHash) ??
    replaced.find((each) => each.movement.quantity === transfer.movement.quantity)
  if (same !== undefined) return yield* payOutflow(chain, same, transfer)
  const outflows = alike.filter(isUnsent)
  // Shares that are held back count, too: a payout that the ledger does not know may have paid them.
  const pending = yield* store.waitingShares(
    { _tag: "Group", group, now: afterAll },
    Limits.sharesRecordedMax,
  )
  const payments = new Set([
    ...(named === null ? [] : [named]),
    ...pending.map(({ paymentId }) => paymentId),
    ...outflows.flatMap(Outflow.paymentIds),
  ])
  const merchants = new Set([
    ...pending.map(({ merchantId }) => merchantId),
    ...outflows.flatMap(Outflow.merchantsOf),
    ...(advanceTo === null ? [] : [advanceTo]),
  ])
  const debts = yield* debtsOf(yield* LedgerStore, group.mode, token, [...merchants])
  const outflowId = yield* (yield* Identifiers).outflow
  const now = yield* Clock.currentTimeMillis
  const writing = Writes.decide(
    { outflows: outflows.map(({ id }) => id), payments: [...payments] },
    (shown) => {
      if (!shown.outflows.every(isUnsent)) return Result.fail(changedMeanwhile)
      const write = Recording.record(
        { transfer, outflows: shown.outflows, payments: shown.payments, debts },
        { partnerId: group.partnerId, mode: group.mode, outflowId, named, advanceTo, now },
      )
      return write === null
        ? Result.fail(
            refuse(
              named === null
                ? "nothing is owed to the account that the transaction paid"
                : anotherQuantity,
            ),
          )
        : Result.succeed(write)
    },
  )
  return yield* recordDeed(writing, () => deedOf(group, outflowId, transfer))
})

/** Where the share of a payment goes, or would have gone without a refund of which nothing was sent. */
const groupOf = (payment: Payment.Payment): Balance.Group | null => {
  if (payment.state._tag !== "Succeeded") return null
  const { attempt, entry } = payment.state
  const { destination } = entry
  const isOpen = Entry.isRefunded(entry)
    ? Refunding.unsent(payment).length > 0
    : Entry.isWaiting(entry) || Entry.going(entry) !== undefined
  if (destination === null || !isOpen) return null
  const { mode, partnerId } = payment
  const { payTo: from, token } = attempt.option
  return { partnerId, mode, token, from, destination }
}

/** Our money that a payment waits for. */
interface Open {
  readonly ends: Ends
  /** What the transfer has to be of; null if it may be of several quantities. */
  readonly quantity: bigint | null
  /** The outflow that carries it, if there is one. */
  readonly outflow: Outflow.Outflow | null
  readonly pay: (
    chain: Chain["Service"],
    outflow: Outflow.Outflow | null,
    transfer: Transfer.Evidence,
  ) => ReturnType<typeof payOutflow> | ReturnType<typeof payShares>
}

/**
 * What may be recorded. The share is first, because the booking of the refund depends on whether the merchant received
 * the share.
 */
const opensOf = Effect.fnUntraced(function* (payment: Payment.Payment) {
  const store = yield* OutflowStore
  const opens: Array<Open> = []
  const group = groupOf(payment)
  if (group !== null && payment.state._tag === "Succeeded") {
    const part = Entry.going(payment.state.entry)
    const outflow = part?._tag === "Carried" ? yield* findOutflow(store, part.outflowId) : null
    opens.push({
      ends: { ...group, to: group.destination.address },
      quantity: null,
      outflow,
      pay: (chain, carrying, transfer) =>
        carrying?.state._tag === "Sent" && carrying.movement.quantity === transfer.movement.quantity
          ? payOutflow(chain, carrying, transfer)
          : payShares(chain, transfer, { group, named: payment.id, advanceTo: null }),
    })
  }
  for (const refund of Payment.refunds(payment)) {
    if (refund.state._tag === "Succeeded") continue
    const outflow = yield* findOutflow(store, refund.outflowId)
    const { quantity } = outflow.movement
    opens.push({ ends: outflow.movement, quantity, outflow, pay: payOutflow })
  }
  return opens
})

/** The one among them that a transaction paid, and its transfer. */
const madeBy = Effect.fnUntraced(function* (
  chain: Chain["Service"],
  txHash: string,
  opens: ReadonlyArray<Open>,
) {
  let why: string | null = null
  for (const open of opens) {
    if (open.outflow !== null && !(yield* isReplaced(chain, open.outflow))) {
      why ??= "the payment's own transaction may still be mined: a worker follows it"
      continue
    }
    const transfer = yield* transferIn(chain, txHash, open.ends)
    if (transfer === null) continue
    // Several refunds go to one payer: the quantity says which of them it is.
    if (open.quantity === null || open.quantity === transfer.movement.quantity) {
      return { open, transfer }
    }
    why ??= anotherQuantity
  }
  return yield* refuse(why ?? notSought)
})

/** Records that a transaction paid the share or the refund that a payment waits for; returns the payment. */
export const record = Effect.fn("PaidOut.record")(function* (
  id: PaymentId.PaymentId,
  txHash: string,
) {
  const payment = yield* (yield* PaymentStore).payment(id)
  const opens = yield* opensOf(payment)
  if (opens.length === 0) {
    return yield* refuse(
      Balance.isCancelled(payment)
        ? "nothing of the payment waits to be sent: its refund took the merchant's share back, so settle with the merchant by hand if it was paid out as well"
        : "the payment has no payout or refund that waits to be sent",
    )
  }
  const chain = (yield* Chains).of(payment.mode)
  const { open, transfer } = yield* madeBy(chain, txHash, opens)
  const written = yield* open
    .pay(chain, open.outflow, transfer)
    .pipe(Effect.catchTag("ClaimTaken", () => refuse("the transaction belongs to another payment")))
  yield* Writes.announce(written.payments)
  const found = written.payments.find((change) => change.payment.id === id)
  return found?.payment ?? (yield* refuse(notSought))
})

/** How the ledger booked a payout that it did not know. */
export interface Recorded {
  readonly outflow: Outflow.Outflow
  readonly transfer: Transfer.Evidence
  /** The payments whose share it paid. */
  readonly paid: ReadonlyArray<Payment.Payment>
  /** The merchant that owes any part of the transfer that exceeds all shares. */
  readonly merchant: Merchant.Merchant
}

/** The merchant that a transfer paid. All merchants that are paid at that account must belong to one partner. */
const payeeOf = Effect.fnUntraced(function* (mode: Mode.Mode, { to, token }: Ends) {
  const accounts = yield* AccountStore
  const payees = yield* accounts.findMerchants({ _tag: "Payees", mode, token, destination: to })
  const [first] = payees
  const { catalog } = (yield* Chains).of(mode)
  const payee = Family.formatAddress(catalog, { chainId: token.chainId, address: to })
  if (first === undefined) {
    return yield* refuse(
      `no merchant is paid at ${payee} in this token: register that destination first`,
    )
  }
  return payees.every(({ partnerId }) => partnerId === first.partnerId)
    ? first
    : yield* refuse(
        `merchants of several partners are paid at ${payee}: record the transaction by payment, with \`florin payments record <paymentId> <txHash>\``,
      )
})

/** The transfer that one of our accounts made in a transaction, and the mode of that account. */
const outgoingIn = Effect.fnUntraced(function* (txHash: string) {
  const chains = yield* Chains
  for (const mode of Mode.Mode.literals) {
    const [ends, ...others] = yield* chains.of(mode).outgoing(txHash)
    if (ends !== undefined) return { ends, mode, others }
  }
  return yield* refuse(
    "no chain shows a transfer by one of our accounts in the transaction: check its hash, and that the nodes of its chain respond",
  )
})

/**
 * Records a payout that is on the chain but not in the ledger. It pays the shares that are owed to its destination,
 * oldest first. The rest is an advance, which later payouts deduct.
 */
export const recordPayout = Effect.fn("PaidOut.recordPayout")(function* (txHash: string) {
  const { ends, mode, others } = yield* outgoingIn(txHash)
  const chain = (yield* Chains).of(mode)
  if (others.length > 0) {
    return yield* refuse(
      "the transaction made several transfers, but a payout of the service makes one",
    )
  }
  const merchant = yield* payeeOf(mode, ends)
  const transfer = yield* transferIn(chain, txHash, ends)
  if (transfer === null) return yield* refuse("the transaction moved nothing")
  const { from, to, token } = ends
  const destination = { chainId: token.chainId, address: to }
  const group = { partnerId: merchant.partnerId, mode, token, from, destination }
  const written = yield* payShares(chain, transfer, {
    group,
    named: null,
    advanceTo: merchant.id,
  }).pipe(Effect.catchTag("ClaimTaken", () => refuse("the transaction was recorded already")))
  yield* Writes.announce(written.payments)
  const [paid] = written.outflows
  if (paid === undefined) return yield* Effect.die("a recorded payout is an outflow")
  const result: Recorded = {
    outflow: paid.outflow,
    transfer,
    paid: written.payments.flatMap(({ payment }) =>
      Payment.payoutOf(payment)?.txId === transfer.txHash ? [payment] : [],
    ),
    merchant,
  }
  return result
})
