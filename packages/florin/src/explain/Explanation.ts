/**
 * The history of one payment, built from its evidence. It is pure, so the same evidence always gives the same text.
 *
 * It says which account paid, which the partner knows already, and nothing else about the payer. It describes what was
 * signed, and never shows the signature.
 *
 * @module
 */
import * as Refunding from "@florin/core/domain/books/Refunding"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Family from "@florin/core/domain/chain/Family"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import type * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Lane from "@florin/core/domain/outflow/Lane"
import type * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Entry from "@florin/core/domain/payment/Entry"
import type * as LineItem from "@florin/core/domain/payment/LineItem"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Result from "effect/Result"
import * as Time from "../terminal/Time.ts"
import * as Evidence from "./Evidence.ts"
import * as Matters from "./Matters.ts"
import type * as Requests from "./Requests.ts"

export type Kind =
  | "decision"
  | "event"
  | "transaction"
  | "transfer"
  | "ledger"
  | "delivery"
  | "request"

type Details = Readonly<Record<string, string | number>>

interface Line {
  /** Epoch milliseconds; null if the time was not recorded. */
  readonly at: number | null
  readonly kind: Kind
  readonly text: string
  readonly details: Details
}

export interface Explanation {
  readonly lines: ReadonlyArray<Line>
  readonly verdict: Matters.Verdict
}

export interface Known extends Evidence.Evidence {
  readonly requests: ReadonlyArray<Requests.Request>
}

/** A line, and its position among the others. */
interface Placed extends Line {
  readonly order: number
}

const placed = (at: number, kind: Kind, text: string, details: Details = {}): Placed => ({
  at,
  order: at,
  kind,
  text,
  details,
})

/** An event whose time is unknown; it is only known that it was over by then. */
const by = (order: number, kind: Kind, text: string, details: Details = {}): Placed => ({
  ...placed(order, kind, text, details),
  at: null,
})

const tokens = (
  { catalog }: Pick<Known, "catalog">,
  token: Caip.Token,
  quantity: Money.Quantity,
): string =>
  `${Amount.toText({ unit: Amount.token(token), quantity }, catalog)} on ${Catalog.networkName(catalog, token.chainId)}`

const addressText = (
  { catalog }: Pick<Known, "catalog">,
  { chainId }: Caip.Token,
  address: Caip.Address,
): string => Family.formatAddress(catalog, { chainId, address })

const itemText = (
  { name, quantity, total }: LineItem.LineItem,
  { amount: { unit } }: Payment.Payment,
  catalog: Catalog.Catalog,
): string => {
  const amount = total === undefined ? "" : `, ${Amount.toText({ unit, quantity: total }, catalog)}`
  return `${quantity}x ${name}${amount}`
}

const created = ({ catalog, merchant, partner, payment }: Known): Placed => {
  const { description, feeTerms, lineItems = [] } = payment
  return placed(
    payment.createdAt,
    "decision",
    `Created by ${partner.name} for ${merchant.name}: ${Amount.toText(payment.amount, catalog)}`,
    {
      mode: payment.mode,
      reference: payment.referenceId,
      ...(description !== undefined && { description }),
      ...(lineItems.length > 0 && {
        items: lineItems.map((item) => itemText(item, payment, catalog)).join("; "),
      }),
      partner: payment.partnerId,
      merchant: payment.merchantId,
      fees: `${Fees.formatFixed(feeTerms)} + ${Fees.formatPercentage(feeTerms.percentage)} %`,
      expires: Time.iso(payment.expiresAt * 1000),
    },
  )
}

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

const attempted = (known: Known): ReadonlyArray<Placed> => {
  const { payment } = known
  const attempt = Payment.attemptOf(payment)
  if (attempt === null) return []
  const { buyer, option, outputs } = attempt
  return [
    placed(
      // The option's time is in whole seconds, which may be just before its payment's.
      Math.max(option.issuedAt * 1000, payment.createdAt),
      "decision",
      `Offered the chosen option: ${tokens(known, option.token, option.quantity)}`,
      {
        flow: option.flow,
        "pay to": addressText(known, option.token, option.payTo),
        expires: Time.iso(option.expiresAt * 1000),
      },
    ),
    placed(
      attempt.confirmedAt,
      "decision",
      `Confirmed by ${buyer.accountText}${buyer.providerName === null ? "" : ` with ${buyer.providerName}`}`,
      {
        signed: signedFor(option),
        ...(outputs._tag === "Sent" && { transaction: outputs.txHash }),
        ...(outputs._tag === "Authorized" &&
          outputs.approvals.length > 0 && { approvals: outputs.approvals.join(" ") }),
      },
    ),
  ]
}

const purposeNames: { readonly [Tag in Outflow.Purpose["_tag"]]: string } = {
  Settle: "payout",
  Refund: "refund",
  Return: "return of unclaimed money",
  Move: "move between accounts",
  Withdraw: "withdrawal",
  Sweep: "sweep",
}

/** The outflow that a transaction sends. */
const sentBy = ({ outflows }: Known, transaction: Lane.Transaction): Outflow.Outflow | undefined =>
  outflows.find(({ state }) => {
    switch (state._tag) {
      case "Sent": {
        const { lane, nonce } = state.slot
        const own = transaction.lane
        return (
          nonce === transaction.nonce && lane.chainId === own.chainId && lane.sender === own.sender
        )
      }
      case "Paid":
        return Lane.hashes(transaction).includes(state.transfer.txHash)
      default:
        return false
    }
  })

const sent =
  (known: Known) =>
  (transaction: Lane.Transaction): Placed => {
    const { earlierHashes = [], hash, lane, nonce, signedAt } = transaction
    const outbids =
      earlierHashes.length === 0
        ? ""
        : `, signed again with a higher fee ${earlierHashes.length} times`
    const outflow = sentBy(known, transaction)
    return placed(
      signedAt,
      "transaction",
      `Signed a transaction of the service: nonce ${nonce}${outbids}`,
      {
        ...(outflow !== undefined && {
          for: `${purposeNames[outflow.purpose._tag]} ${outflow.id}`,
        }),
        lane: Family.formatAccount(known.catalog, { chainId: lane.chainId, address: lane.sender }),
        hash,
        ...(earlierHashes.length > 0 && { earlier: earlierHashes.join(" ") }),
      },
    )
  }

const found = (
  known: Pick<Known, "catalog">,
  at: number,
  what: string,
  transfer: Transfer.Log,
): Placed => {
  const { from, quantity, to, token } = transfer.movement
  return placed(at, "transfer", `${what}: ${tokens(known, token, quantity)}`, {
    from: addressText(known, token, from),
    to: addressText(known, token, to),
    transaction: transfer.txHash,
    block: transfer.blockNumber,
    log: transfer.logIndex,
  })
}

/** The final transfer of an outflow, or only its hash if the outflow was read before it was paid. */
const foundOut = (
  known: Pick<Known, "catalog">,
  at: number,
  what: string,
  outflow: Outflow.Outflow | null,
  txHash: string,
): Placed =>
  outflow?.state._tag === "Paid"
    ? found(known, at, what, outflow.state.transfer)
    : placed(at, "transfer", what, { transaction: txHash })

/** `1 other share` */
const otherShares = (count: number): string => `${count} other ${count === 1 ? "share" : "shares"}`

const others = ({ purpose }: Outflow.Outflow): number =>
  purpose._tag === "Settle" ? purpose.shares.length - 1 : 0

/** When the merchant's share became part of a payout, and with how many others. */
const gathered = (known: Known, outflow: Outflow.Outflow): ReadonlyArray<Placed> => {
  const { payment } = known
  const share = Evidence.shareIn(outflow, payment)
  if (share === null) return []
  const { createdAt, id, movement } = outflow
  const { quantity, to, token } = movement
  const own = `The merchant's share of ${tokens(known, token, share.quantity)}`
  return [
    placed(
      createdAt,
      "decision",
      others(outflow) === 0
        ? `${own} became a payout of its own`
        : `${own} was gathered with ${otherShares(others(outflow))} into one payout of ${tokens(known, token, quantity)}`,
      {
        payout: id,
        destination: Family.formatAccount(known.catalog, { chainId: token.chainId, address: to }),
        ...(share.netted > 0n && { "kept for its debt": tokens(known, token, share.netted) }),
      },
    ),
  ]
}

const settled = (
  known: Known,
  entry: Entry.Entry,
  token: Caip.Token,
  succeededAt: number,
): ReadonlyArray<Placed> => {
  const outflowId = Entry.outflowOf(entry)
  const outflow = outflowId === null ? null : Evidence.outflowOf(known, outflowId)
  const begun = outflow === null ? [] : gathered(known, outflow)
  const { destination } = entry
  const at = entry.settled?.at ?? succeededAt
  switch (Entry.status(entry)) {
    case "waiting":
      return [
        destination === null
          ? by(
              succeededAt,
              "decision",
              "The merchant has no destination in effect for this: it is owed",
            )
          : by(succeededAt, "decision", "The merchant's share waits to be gathered into a payout", {
              destination: Family.formatAccount(known.catalog, destination),
            }),
      ]
    case "processing":
      return [...begun, ...waiting("the payout", outflow)]
    case "paid": {
      const count = outflow === null ? 0 : others(outflow)
      const advance = outflow?.purpose._tag === "Settle" ? outflow.purpose.advance : undefined
      const paid = foundOut(
        known,
        at,
        `The merchant's payout is final${count === 0 ? "" : `, with ${otherShares(count)}`}`,
        outflow,
        entry.settled?.txHash ?? "",
      )
      const details = {
        ...paid.details,
        ...(count > 0 && { share: tokens(known, token, Entry.paid(entry)) }),
        ...(advance !== undefined && {
          advance: `${tokens(known, token, advance.quantity)} to ${advance.merchantId}`,
        }),
      }
      return [...begun, { ...paid, details }]
    }
    case "netted":
      return [
        placed(
          at,
          "decision",
          `The merchant's share paid off its debt: ${tokens(known, token, entry.quantity)}`,
          { ...(entry.settled?.txHash !== undefined && { transaction: entry.settled.txHash }) },
        ),
      ]
    case "held": {
      const { heldAt, reason } = Entry.heldOf(entry) ?? { heldAt: succeededAt, reason: "" }
      return [...begun, placed(heldAt, "decision", "The payout is held", { reason })]
    }
    case "cancelled":
      return [by(succeededAt, "decision", "The payout was cancelled, as a refund came first")]
  }
}

/** The state of an outflow that waits to be sent: its retry, and what blocks it. */
const waiting = (what: string, outflow: Outflow.Outflow | null): ReadonlyArray<Placed> => {
  if (outflow?.state._tag !== "Waiting") return []
  const { obstacle, releasedAt } = outflow.state
  return [
    ...(releasedAt === undefined
      ? []
      : [placed(releasedAt, "decision", `An operator retried ${what}`)]),
    ...(obstacle === undefined
      ? []
      : [
          placed(
            obstacle.since,
            "decision",
            `${what.charAt(0).toUpperCase()}${what.slice(1)} waits, and is retried automatically`,
            {
              reason: obstacle.reason,
            },
          ),
        ]),
  ]
}

const refunded = (known: Known, refund: Refund.Refund): ReadonlyArray<Placed> => {
  const outflow = Evidence.outflowOf(known, refund.outflowId)
  const asked = placed(
    refund.requestedAt,
    "decision",
    `A refund was requested: ${tokens(known, refund.token, refund.quantity)}`,
    {
      refund: refund.id,
      ...(refund.reason !== undefined && { reason: refund.reason }),
      to: Family.formatAccount(known.catalog, refund.to),
      ...(refund.fee > 0n && { "returned fee": tokens(known, refund.token, refund.fee) }),
      ...(Refunding.isElsewhere(known.payment, refund) && {
        proof: "the account that paid signed for this one",
      }),
      from: Refund.drawsOnFloat(refund)
        ? "the merchant's open shares, and the operator's float"
        : "the collected money",
    },
  )
  switch (refund.state._tag) {
    case "Succeeded": {
      const { succeededAt, txHash } = refund.state
      return [asked, foundOut(known, succeededAt, "The payer's refund is final", outflow, txHash)]
    }
    case "Held":
      return [
        asked,
        placed(refund.state.heldAt, "decision", "The refund is held", {
          reason: refund.state.reason,
        }),
      ]
    default:
      return [asked, ...waiting("the refund", outflow)]
  }
}

const lost = ({ lostAt, reason }: Payment.Loss): Placed =>
  placed(lostAt, "transfer", "A reorganisation removed the transfer for good", { reason })

/** The result of the payment, apart from what was sent for it. */
const ended = (known: Known): ReadonlyArray<Placed> => {
  const { payment } = known
  const { state } = payment
  switch (state._tag) {
    case "Succeeded": {
      const { attempt, charge, entry, refunds, succeededAt, transfer } = state
      const { token } = attempt.option
      const paid = found(known, succeededAt, "The payer's transfer is final", transfer)
      return [
        { ...paid, details: { ...paid.details, fee: tokens(known, token, charge.total) } },
        ...settled(known, entry, token, succeededAt),
        ...refunds.flatMap((each) => refunded(known, each)),
        ...(state.lost === undefined ? [] : [lost(state.lost)]),
      ]
    }
    case "Failed":
      return [placed(state.failedAt, "decision", "Failed", { reason: state.reason })]
    case "Cancelled":
      return [placed(state.cancelledAt, "decision", "Cancelled", { reason: state.reason })]
    case "Expired":
      return [placed(payment.expiresAt * 1000, "decision", "Expired")]
    default:
      return []
  }
}

/** What became of money that was reported for the payment, and that it does not take. */
const late = (known: Known): ReadonlyArray<Placed> => [
  ...known.payment.reports.map(({ reportedAt, txHash }) =>
    placed(reportedAt, "decision", "A transfer was reported that it does not take", {
      transaction: txHash,
    }),
  ),
  ...known.inflows.flatMap(({ foundAt, state, transfer, updatedAt }) => [
    found(known, foundAt, "A transfer that it does not take went into suspense", transfer),
    ...(state._tag === "Returning" ? returned(known, state.outflowId) : []),
    ...(state._tag === "Funded"
      ? [by(updatedAt, "decision", "The operator recorded it as its own money")]
      : []),
    ...(state._tag === "Gone"
      ? [by(updatedAt, "transfer", "A reorganisation removed it for good")]
      : []),
  ]),
]

const returned = (known: Known, outflowId: OutflowId.OutflowId): ReadonlyArray<Placed> => {
  const outflow = Evidence.outflowOf(known, outflowId)
  if (outflow === null) return []
  const { createdAt, id, state } = outflow
  return [
    placed(createdAt, "decision", "An operator returned it", { payout: id }),
    ...waiting("the return", outflow),
    ...(state._tag === "Held"
      ? [placed(state.heldAt, "decision", "The return is held", { reason: state.reason })]
      : []),
    ...(state._tag === "Paid"
      ? [found(known, state.paidAt, "Its return is final", state.transfer)]
      : []),
  ]
}

const announced = ({ events }: Known): ReadonlyArray<Placed> =>
  events.map(({ createdAt, id, stateVersion, type }) =>
    placed(createdAt, "event", `Announced ${type}, payment_state_version ${stateVersion}`, {
      event: id,
    }),
  )

/** `+12.50 USDC` */
const signed = (catalog: Catalog.Catalog, token: Caip.Token, delta: bigint): string => {
  const size = Money.Quantity.make(delta < 0n ? -delta : delta)
  return `${delta < 0n ? "-" : "+"}${Amount.toText({ unit: Amount.token(token), quantity: size }, catalog)}`
}

/** When an outflow was sent; null if it was not sent or the time was not recorded. */
const sentAt = (known: Known, outflowId: OutflowId.OutflowId | null): number | null => {
  const outflow = outflowId === null ? null : Evidence.outflowOf(known, outflowId)
  switch (outflow?.state._tag) {
    case "Sent":
      return outflow.state.slot.takenAt
    case "Paid": {
      const { txHash } = outflow.state.transfer
      const sending = known.transactions.find((each) => Lane.hashes(each).includes(txHash))
      return sending?.signedAt ?? null
    }
    default:
      return null
  }
}

/** When a ledger transaction was written, if the record that it was written with has a time. */
const writtenAt = (known: Known) => {
  const { state } = known.payment
  if (state._tag !== "Succeeded") return {}
  const { entry, refunds, succeededAt } = state
  return {
    collect: succeededAt,
    settle: sentAt(known, Entry.outflowOf(entry)),
    refund: sentAt(known, refunds.at(-1)?.outflowId ?? null),
    ...(Entry.status(entry) === "netted" &&
      entry.settled !== undefined && { net: entry.settled.at }),
    ...(state.lost !== undefined && { lose: state.lost.lostAt }),
  } satisfies Partial<Record<Ledger.Kind, number | null>>
}

const booked = (known: Known): ReadonlyArray<Placed> => {
  const times: Partial<Record<Ledger.Kind, number | null>> = writtenAt(known)
  let order = known.payment.createdAt
  return known.ledger.map(({ kind, postings }) => {
    // A transaction that was written twice has two times, and the payment has only one of them.
    const isOnly = known.ledger.filter((each) => each.kind === kind).length === 1
    const at = isOnly ? (times[kind] ?? null) : null
    // The lines keep the order in which they were written, whatever is known of their times.
    order = Math.max(order, at ?? order)
    const isSound = Result.isSuccess(Ledger.transaction(kind, postings))
    const details = postings.map(({ account, delta, token }, index) => [
      `${index + 1} ${Ledger.accountKey(account)}`,
      signed(known.catalog, token, delta),
    ])
    const line: Placed = {
      at,
      order,
      kind: "ledger",
      text: `Ledger: ${kind}, ${isSound ? "which sums to zero" : "WHICH DOES NOT SUM TO ZERO"}`,
      details: Object.fromEntries(details),
    }
    return line
  })
}

const delivered = ({ deliveries, endpoints, events }: Known): ReadonlyArray<Placed> =>
  deliveries.flatMap(({ attempts, dueAt, endpointId, eventId, state }) => {
    const type = events.find(({ id }) => id === eventId)?.type ?? eventId
    const endpoint = endpoints.find(({ id }) => id === endpointId)
    const host = endpoint === undefined ? "?" : Evidence.hostOf(endpoint)
    const about = { endpoint: endpointId, event: eventId }
    return [
      ...attempts.map(({ at, error, status }, index) =>
        placed(
          at,
          "delivery",
          `Webhook ${type} to ${host}, attempt ${index + 1}: ${status ?? error ?? "no response"}`,
          about,
        ),
      ),
      ...(state === "pending" && dueAt !== null
        ? [placed(dueAt, "delivery", `Webhook ${type} to ${host} is due`, about)]
        : []),
    ]
  })

const requested = ({ requests }: Known): ReadonlyArray<Placed> =>
  requests.map(({ at, code, durationInMs, keyId, method, requestId, route, status }) =>
    placed(
      at,
      "request",
      `${method} ${route ?? "?"} ${status}${code === null ? "" : ` ${code}`} in ${durationInMs} ms`,
      { request: requestId, ...(keyId !== null && { key: keyId }) },
    ),
  )

/** All lines in the order of time, and the current state at the end. */
export const explain = (known: Known): Explanation => ({
  lines: [
    ...requested(known),
    created(known),
    ...attempted(known),
    ...known.transactions.map(sent(known)),
    ...ended(known),
    ...late(known),
    ...booked(known),
    ...announced(known),
    ...delivered(known),
  ]
    .toSorted((left, right) => left.order - right.order)
    .map(({ at, details, kind, text }) => ({ at, kind, text, details })),
  verdict: Matters.judge(known),
})

/** The same for programs. */
export const toJson = ({ lines, verdict }: Explanation) => ({
  lines: lines.map(({ at, ...line }) => ({ at: at === null ? null : Time.iso(at), ...line })),
  verdict,
})

export type Json = ReturnType<typeof toJson>
