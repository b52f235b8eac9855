/**
 * The history of one payment as the operator's API shows it: its evidence in order of time, each record with a sentence.
 *
 * It says which account paid, which the partner knows already, and nothing else about the payer. It describes what was
 * signed, and never shows the signature.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Explanation"
import * as Refunding from "@florin/core/domain/books/Refunding"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Family from "@florin/core/domain/chain/Family"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Money from "@florin/core/domain/ground/Money"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Ledger from "@florin/core/domain/money/Ledger"
import type * as Inflow from "@florin/core/domain/outflow/Inflow"
import * as Lane from "@florin/core/domain/outflow/Lane"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Entry from "@florin/core/domain/payment/Entry"
import type * as Event from "@florin/core/domain/payment/Event"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Evidence from "@florin/core/engine/status/Evidence"
import * as Result from "effect/Result"
import * as AmountView from "./AmountView.ts"
import * as AuditView from "./AuditView.ts"
import * as EventView from "./EventView.ts"
import * as InflowView from "./InflowView.ts"
import * as OutflowView from "./OutflowView.ts"
import * as TimeView from "./TimeView.ts"
import * as WebhookView from "./WebhookView.ts"

type WithoutTime<A> = A extends Wire.Item ? Omit<A, "at"> : never
type Content = WithoutTime<Wire.Item>

/** An item, and its position among the others. */
interface Placed {
  readonly order: number
  readonly item: Wire.Item
}

const itemAt = (at: number, content: Content): Placed => ({
  order: at,
  item: { at: TimeView.iso(at), ...content },
})

interface Shown extends Evidence.Evidence {
  readonly display: AmountView.Display
}

const text = ({ catalog }: Evidence.Evidence, token: Caip.Token, quantity: Money.Quantity) =>
  `${Amount.toText({ unit: Amount.token(token), quantity }, catalog)} on ${Catalog.networkName(catalog, token.chainId)}`

const accountText = (
  { catalog }: Evidence.Evidence,
  { chainId }: Pick<Caip.Token, "chainId">,
  address: Caip.Address,
) => Family.formatAccount(catalog, { chainId, address })

const signedOnEvm: { readonly [F in Eip155.Flow]: string } = {
  eip3009: "an EIP-3009 authorization to receive",
  permit2: "a Permit2 transfer",
  permit: "an EIP-2612 permit",
  transfer: "a message that states what the transaction pays",
}

/** What the payer signed. Another family may use the same names for different flows. */
const signedFor = ({ flow, token }: PaymentOption.PaymentOption): string =>
  Caip.namespaceOf(token.chainId) === Eip155.family.namespace && Eip155.isFlow(flow)
    ? signedOnEvm[flow]
    : "the message that its wallet was asked to sign"

const confirmationItems = (shown: Shown): ReadonlyArray<Placed> => {
  const attempt = Payment.attemptOf(shown.payment)
  if (attempt === null) return []
  const { buyer, confirmedAt, option, outputs } = attempt
  return [
    itemAt(confirmedAt, {
      kind: "confirmation",
      sentence: `The payer signed ${signedFor(option)}, for ${text(shown, option.token, option.quantity)}`,
      record: {
        amount: AmountView.ofToken(option, shown.display),
        flow: option.flow,
        payTo: accountText(shown, option.token, option.payTo),
        offeredAt: TimeView.iso(option.issuedAt * 1000),
        expiresAt: TimeView.iso(option.expiresAt * 1000),
        buyer: buyer.accountText,
        wallet: buyer.providerName,
        signed: signedFor(option),
        txIds: outputs._tag === "Sent" ? [outputs.txHash] : outputs.approvals,
      },
    }),
  ]
}

/** `1 other share` */
const otherShares = (count: number): string => `${count} other ${count === 1 ? "share" : "shares"}`

/** What happened, by the payment as it was right after the event. */
const eventText = (shown: Shown, { payment, refundId, type }: Event.Event): string => {
  const { catalog, merchant, partner } = shown
  const { state } = payment
  const refund =
    Payment.refunds(payment).find(({ id }) => id === refundId) ?? Payment.refundOf(payment)
  switch (type) {
    case "payment.created": {
      const { amount, feeTerms } = payment
      return `Created by ${partner.name} for ${merchant.name}: ${Amount.toText(amount, catalog)}, for a fee of ${Amount.formatWritten(feeTerms.fixed)} + ${Fees.formatPercentage(feeTerms.percentage)} %`
    }
    case "payment.processing": {
      const buyer = Payment.attemptOf(payment)?.buyer
      return `Confirmed by ${buyer?.accountText ?? "?"}${buyer?.providerName ? ` with ${buyer.providerName}` : ""}`
    }
    case "payment.succeeded":
      return state._tag === "Succeeded"
        ? `Paid, for a fee of ${text(shown, state.attempt.option.token, state.charge.total)}`
        : "Paid"
    case "payment.failed":
      return state._tag === "Failed" ? `Failed: ${state.reason}` : "Failed"
    case "payment.expired":
      return "Expired"
    case "payment.cancelled":
      return state._tag === "Cancelled" ? `Cancelled: ${state.reason}` : "Cancelled"
    case "payment.settled": {
      if (state._tag !== "Succeeded" || Entry.status(state.entry) !== "netted") {
        return "The merchant is paid"
      }
      return `The merchant's share paid off its debt: ${text(shown, state.attempt.option.token, state.entry.quantity)}`
    }
    case "settlement.held": {
      const held = state._tag === "Succeeded" ? Entry.heldOf(state.entry) : null
      return `The payout is held: ${held?.reason ?? "?"}`
    }
    case "refund.pending": {
      if (refund === null) return "A refund was requested"
      const from = Refund.drawsOnFloat(refund)
        ? "what is left of the payment's share, the merchant's other shares, and credit"
        : "the payment's share"
      const to = Refunding.isElsewhere(payment, refund)
        ? `, to ${Family.formatAccount(catalog, refund.to)}: the account that paid signed for this one`
        : ""
      const why = refund.reason === undefined ? "" : `. Reason: ${refund.reason}`
      return `A refund was requested: ${text(shown, refund.token, refund.quantity)}, from ${from}${to}${why}`
    }
    case "refund.processing":
      return "The refund is sent"
    case "refund.succeeded":
      return "The payer has its refund"
    case "refund.held":
      return `The refund is held: ${refund?.state._tag === "Held" ? refund.state.reason : "?"}`
  }
}

const eventItems = (shown: Shown): ReadonlyArray<Placed> =>
  shown.events.map((event) =>
    itemAt(event.createdAt, {
      kind: "event",
      sentence: eventText(shown, event),
      record: EventView.ofPayment(event, shown.catalog),
    }),
  )

/** The outflow that a transaction sends. */
const sentBy = ({ outflows }: Shown, transaction: Lane.Transaction) =>
  outflows.find(({ state }) => {
    if (state._tag === "Paid") return Lane.hashes(transaction).includes(state.transfer.txHash)
    if (state._tag !== "Sent") return false
    const { lane, nonce } = state.slot
    return (
      nonce === transaction.nonce &&
      lane.chainId === transaction.lane.chainId &&
      lane.sender === transaction.lane.sender
    )
  })

const transactionItems = (shown: Shown): ReadonlyArray<Placed> =>
  shown.transactions.map((transaction) => {
    const { earlierHashes = [], hash, lane, nonce, signedAt } = transaction
    const outflow = sentBy(shown, transaction)
    const outbids =
      earlierHashes.length === 0
        ? ""
        : `, signed again with a higher fee ${earlierHashes.length} times`
    const forWhat = outflow === undefined ? "" : ` for the ${Outflow.factsOf(outflow).noun}`
    return itemAt(signedAt, {
      kind: "transaction",
      sentence: `Signed a transaction of the service${forWhat}: nonce ${nonce}${outbids}`,
      record: {
        account: accountText(shown, lane, lane.sender),
        nonce,
        txId: hash,
        earlierTxIds: earlierHashes,
        outflowId: outflow?.id ?? null,
        signedAt: TimeView.iso(signedAt),
      },
    })
  })

const transferItem = (shown: Shown, at: number, what: string, transfer: Transfer.Log): Placed => {
  const { from, quantity, to, token } = transfer.movement
  return itemAt(at, {
    kind: "transfer",
    sentence: `${what}: ${text(shown, token, quantity)}`,
    record: {
      txId: transfer.txHash,
      amount: AmountView.ofToken(transfer.movement, shown.display),
      from: accountText(shown, token, from),
      to: accountText(shown, token, to),
      block: transfer.blockNumber,
      logIndex: transfer.logIndex,
    },
  })
}

const payerTransferItems = (shown: Shown): ReadonlyArray<Placed> => {
  const { state } = shown.payment
  if (state._tag !== "Succeeded") return []
  const { lost, succeededAt, transfer } = state
  const final = transferItem(shown, succeededAt, "The payer's transfer is final", transfer)
  if (lost === undefined) return [final]
  const what = `A reorganisation removed it for good, ${lost.reason}`
  return [final, transferItem(shown, lost.lostAt, what, transfer)]
}

const preparedText = (shown: Shown, outflow: Outflow.Outflow): string => {
  const { movement, purpose } = outflow
  const { quantity, to, token } = movement
  const share = Evidence.shareIn(outflow, shown.payment)
  const amount = text(shown, token, quantity)
  if (share === null || purpose._tag !== "Settle") {
    return `A ${Outflow.factsOf(outflow).noun} was prepared: ${amount} to ${accountText(shown, token, to)}`
  }
  const own = `The merchant's share of ${text(shown, token, share.quantity)}`
  const others = purpose.shares.length - 1
  return others === 0
    ? `${own} became a payout of its own`
    : `${own} was gathered with ${otherShares(others)} into one payout of ${amount}`
}

const txIdOf = (shown: Shown, { state }: Outflow.Outflow): string | null => {
  if (state._tag === "Paid") return state.transfer.txHash
  return state._tag === "Sent" ? Evidence.hashAt(shown, state.slot) : null
}

const outflowItems = (shown: Shown): ReadonlyArray<Placed> =>
  shown.outflows.flatMap((outflow) => {
    const { createdAt, state } = outflow
    const { noun } = Outflow.factsOf(outflow)
    const record = OutflowView.withTxId(outflow, txIdOf(shown, outflow), shown.display)
    const outflowItem = (at: number, sentence: string) =>
      itemAt(at, { kind: "outflow", sentence, record })
    const prepared = outflowItem(createdAt, preparedText(shown, outflow))
    switch (state._tag) {
      case "Waiting": {
        const { obstacle, releasedAt } = state
        const items = [prepared]
        if (releasedAt !== undefined) {
          items.push(outflowItem(releasedAt, `An operator retried the ${noun}`))
        }
        if (obstacle !== undefined) {
          const waits = `The ${noun} waits, and is retried automatically: ${obstacle.reason}`
          items.push(outflowItem(obstacle.since, waits))
        }
        return items
      }
      case "Held":
        return [prepared, outflowItem(state.heldAt, `The ${noun} is held: ${state.reason}`)]
      case "Paid": {
        const others = Outflow.sharesOf(outflow).length - 1
        const final = `The ${noun} is final${others > 0 ? `, with ${otherShares(others)}` : ""}`
        return [prepared, transferItem(shown, state.paidAt, final, state.transfer)]
      }
      case "Sent":
      case "Cancelled":
        return [prepared]
    }
  })

const inflowText = ({ state }: Inflow.Inflow): string => {
  const what = "A transfer that it does not take went into suspense"
  if (state._tag === "Funded") return `${what}, and was recorded as the operator's own money`
  return state._tag === "Gone" ? `${what}, and a reorganisation removed it for good` : what
}

/** What became of money that was reported for the payment, and that it does not take. */
const lateMoneyItems = (shown: Shown): ReadonlyArray<Placed> => [
  ...shown.payment.reports.map(({ reportedAt, txHash }) =>
    itemAt(reportedAt, {
      kind: "report",
      sentence: "A transfer was reported that it does not take",
      record: { txId: txHash },
    }),
  ),
  ...shown.inflows.map((inflow) =>
    itemAt(inflow.foundAt, {
      kind: "inflow",
      sentence: inflowText(inflow),
      record: InflowView.inflow(inflow, shown.display),
    }),
  ),
]

/** When an outflow was sent; null if it was not sent or the time was not recorded. */
const sentAt = ({ outflows, transactions }: Shown, id: string | null): number | null => {
  const state = outflows.find((each) => each.id === id)?.state
  if (state?._tag === "Sent") return state.slot.takenAt
  if (state?._tag !== "Paid") return null
  const { txHash } = state.transfer
  return transactions.find((each) => Lane.hashes(each).includes(txHash))?.signedAt ?? null
}

/** When a ledger transaction was written, if the record that it was written with has a time. */
const writtenAt = (shown: Shown): { readonly [K in Ledger.Kind]?: number | null } => {
  const { state } = shown.payment
  if (state._tag !== "Succeeded") return {}
  const { entry, lost, refunds, succeededAt } = state
  return {
    collect: succeededAt,
    settle: sentAt(shown, Entry.outflowOf(entry)),
    refund: sentAt(shown, refunds.at(-1)?.outflowId ?? null),
    ...(Entry.status(entry) === "netted" &&
      entry.settled !== undefined && { net: entry.settled.at }),
    ...(lost !== undefined && { lose: lost.lostAt }),
  }
}

const ledgerItems = (shown: Shown): ReadonlyArray<Placed> => {
  const times = writtenAt(shown)
  let order = shown.payment.createdAt
  return shown.ledger.map(({ kind, postings }) => {
    // A transaction that was written twice has two times, and the payment has only one of them.
    const isOnly = shown.ledger.filter((each) => each.kind === kind).length === 1
    const at = isOnly ? (times[kind] ?? null) : null
    // The items keep the order in which they were written, whatever is known of their times.
    order = Math.max(order, at ?? order)
    const isSound = Result.isSuccess(Ledger.transaction(kind, postings))
    const content: Content = {
      kind: "ledger",
      sentence: `Ledger: ${kind}, ${isSound ? "which sums to zero" : "WHICH DOES NOT SUM TO ZERO"}`,
      record: {
        kind,
        isSound,
        postings: postings.map(({ account, delta, token }) => ({
          account: Ledger.accountKey(account),
          ...AmountView.unit(Amount.token(token), shown.display),
          value: delta.toString(),
        })),
      },
    }
    return { order, item: { at: TimeView.isoOrNull(at), ...content } }
  })
}

const deliveryItems = (shown: Shown): ReadonlyArray<Placed> =>
  shown.deliveries.flatMap(({ delivery, endpoint, event: { type } }) => {
    const { attempts, dueAt, state } = delivery
    const what = `Webhook ${type} to ${WebhookView.hostOf(endpoint)}`
    const record = { ...WebhookView.delivery(delivery), webhookId: endpoint.id }
    const deliveryItem = (at: number, sentence: string) =>
      itemAt(at, { kind: "delivery", sentence, record })
    return [
      ...attempts.map(({ at, error, status }, index) =>
        deliveryItem(at, `${what}, attempt ${index + 1}: ${status ?? error ?? "no response"}`),
      ),
      ...(state === "pending" && dueAt !== null ? [deliveryItem(dueAt, `${what} is due`)] : []),
    ]
  })

const auditItems = ({ audited: entries }: Shown): ReadonlyArray<Placed> =>
  entries.map((entry) =>
    itemAt(entry.at, {
      kind: "audit",
      sentence: `In the audit log: ${entry.action}, by ${entry.actor._tag === "Key" ? entry.actor.keyId : (entry.actor.name ?? "the operator")}`,
      record: AuditView.owned(entry),
    }),
  )

/** All items in the order of time. What happened at the same time keeps this order. */
export const timeline = (
  evidence: Evidence.Evidence,
  display: AmountView.Display,
): Wire.Explanation["timeline"] => {
  const shown: Shown = { ...evidence, display }
  return [
    ...eventItems(shown),
    ...confirmationItems(shown),
    ...transactionItems(shown),
    ...payerTransferItems(shown),
    ...outflowItems(shown),
    ...lateMoneyItems(shown),
    ...ledgerItems(shown),
    ...deliveryItems(shown),
    ...auditItems(shown),
  ]
    .toSorted((left, right) => left.order - right.order)
    .map(({ item }) => item)
}
