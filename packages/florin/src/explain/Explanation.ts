/**
 * The story of one payment, told from what is known about it: pure, so that the same knowledge is always told alike.
 *
 * It says which account paid, as the partner is told it anyway, and nothing else about the payer; of what was signed it
 * says what it was, never the signature.
 *
 * @module
 */
import * as Amount from "@florin/core/domain/Amount"
import * as Caip from "@florin/core/domain/Caip"
import * as Fees from "@florin/core/domain/Fees"
import * as Lane from "@florin/core/domain/Lane"
import * as Ledger from "@florin/core/domain/Ledger"
import * as Money from "@florin/core/domain/Money"
import * as Network from "@florin/core/domain/Network"
import * as Payment from "@florin/core/domain/Payment"
import type * as PaymentOption from "@florin/core/domain/PaymentOption"
import type * as Refund from "@florin/core/domain/Refund"
import type * as Settlement from "@florin/core/domain/Settlement"
import type * as Transfer from "@florin/core/domain/Transfer"
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
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
  /** Epoch milliseconds; null where nobody wrote down when it was. */
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

/** A line, and where it stands among the others. */
interface Placed extends Line {
  readonly order: number
}

const timeText = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))

const placed = (at: number, kind: Kind, text: string, details: Details = {}): Placed => ({
  at,
  order: at,
  kind,
  text,
  details,
})

/** Something of which only is known that it was over by then. */
const by = (order: number, kind: Kind, text: string, details: Details = {}): Placed => ({
  ...placed(order, kind, text, details),
  at: null,
})

const tokens = (token: Caip.Token, quantity: Money.Quantity): string =>
  `${Amount.toText({ unit: Amount.token(token), quantity })} on ` +
  (Network.find(token.chainId)?.name ?? `chain ${token.chainId}`)

const created = ({ merchant, partner, payment }: Known): Placed => {
  const { fixed, percentage } = payment.feeTerms
  const fixedText = Amount.toText({
    unit: Amount.fiat(fixed.currency),
    quantity: fixed.quantity,
  })
  return placed(
    payment.createdAt,
    "decision",
    `Created by ${partner.name} for ${merchant.name}: ${Amount.toText(payment.amount)}`,
    {
      mode: payment.mode,
      reference: payment.referenceId,
      partner: payment.partnerId,
      merchant: payment.merchantId,
      fees: `${fixedText} + ${Fees.formatPercentage(percentage)} %`,
      expires: timeText(payment.expiresAt * 1000),
    },
  )
}

const signedFor: { readonly [F in PaymentOption.Flow]: string } = {
  eip3009: "an EIP-3009 authorization to receive",
  permit2: "a Permit2 transfer",
  transfer: "a statement of what the transaction pays",
}

const attempted = ({ payment }: Known): ReadonlyArray<Placed> => {
  const attempt = Payment.attemptOf(payment)
  if (attempt === null) return []
  const { buyer, option, outputs } = attempt
  return [
    placed(
      option.issuedAt * 1000,
      "decision",
      `Offered the option that was chosen: ${tokens(option.token, option.quantity)}`,
      {
        flow: option.flow,
        "pay to": Caip.formatAddress(option.payTo),
        expires: timeText(option.expiresAt * 1000),
      },
    ),
    placed(
      attempt.confirmedAt,
      "decision",
      `Confirmed by ${buyer.accountText}${buyer.providerName === null ? "" : ` with ${buyer.providerName}`}`,
      {
        signed: signedFor[option.flow],
        ...(outputs._tag === "Sent" && { transaction: outputs.txHash }),
        ...(outputs._tag === "Authorized" &&
          outputs.approvals.length > 0 && { approvals: outputs.approvals.join(" ") }),
      },
    ),
  ]
}

const sent = ({ earlierHashes = [], hash, lane, nonce, signedAt }: Lane.Transaction): Placed => {
  const outbids =
    earlierHashes.length === 0
      ? ""
      : `, signed again with a higher fee ${earlierHashes.length} times`
  return placed(signedAt, "transaction", `Signed a transaction of ours: nonce ${nonce}${outbids}`, {
    lane: Caip.formatAccount({ chainId: lane.chainId, address: lane.sender }),
    hash,
    ...(earlierHashes.length > 0 && { earlier: earlierHashes.join(" ") }),
  })
}

const found = (at: number, what: string, transfer: Transfer.Evidence): Placed => {
  const { from, quantity, to, token } = transfer.movement
  return placed(at, "transfer", `${what}: ${tokens(token, quantity)}`, {
    from: Caip.formatAddress(from),
    to: Caip.formatAddress(to),
    transaction: transfer.txHash,
    block: transfer.blockNumber,
    log: transfer.logIndex,
  })
}

const settled = (
  settlement: Settlement.Settlement,
  token: Caip.Token,
  succeededAt: number,
): ReadonlyArray<Placed> => {
  switch (settlement._tag) {
    case "Owed":
      return [by(succeededAt, "decision", "The merchant has no destination for this: it is owed")]
    case "Pending":
    case "Processing":
      return [
        by(succeededAt, "decision", "The merchant's share is to be paid out", {
          destination: Caip.formatAccount(settlement.destination),
        }),
      ]
    case "Successful":
      return [
        found(settlement.settledAt, "The merchant was paid out, finally", settlement.transfer),
      ]
    case "Netted":
      return [
        placed(
          settlement.settledAt,
          "decision",
          `The merchant's share paid off its debt: ${tokens(token, settlement.netted)}`,
        ),
      ]
    case "Held":
      return [
        placed(settlement.heldAt, "decision", "The payout is held", { reason: settlement.reason }),
      ]
    case "Cancelled":
      return [by(succeededAt, "decision", "The payout was cancelled, as a refund came first")]
  }
}

const refunded = (refund: Refund.Refund): ReadonlyArray<Placed> => {
  const asked = placed(
    refund.requestedAt,
    "decision",
    `A refund was asked for: ${tokens(refund.token, refund.quantity)}`,
    {
      refund: refund.id,
      to: Caip.formatAccount(refund.to),
      from: refund.drawsOnFloat ? "the operator's float" : "what was collected",
    },
  )
  switch (refund.state._tag) {
    case "Succeeded":
      return [
        asked,
        found(refund.state.succeededAt, "The payer was paid back, finally", refund.state.transfer),
      ]
    case "Held":
      return [
        asked,
        placed(refund.state.heldAt, "decision", "The refund is held", {
          reason: refund.state.reason,
        }),
      ]
    default:
      return [asked]
  }
}

const lost = ({ lostAt, reason }: Payment.Loss): Placed =>
  placed(lostAt, "transfer", "A reorganisation took the transfer back, for good", { reason })

/** What became of it, beside what was sent for it. */
const ended = ({ payment }: Known): ReadonlyArray<Placed> => {
  const { state } = payment
  switch (state._tag) {
    case "Succeeded": {
      const { attempt, charge, refund, settlement, succeededAt, transfer } = state
      const { token } = attempt.option
      const paid = found(succeededAt, "The payer's transfer is final", transfer)
      return [
        { ...paid, details: { ...paid.details, fee: tokens(token, charge.total) } },
        ...settled(settlement, token, succeededAt),
        ...(refund === null ? [] : refunded(refund)),
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

const late = ({ payment }: Known): ReadonlyArray<Placed> =>
  payment.late.flatMap((each) => {
    switch (each._tag) {
      case "Reported":
        return [
          placed(each.reportedAt, "decision", "A transfer was reported too late", {
            transaction: each.txHash,
          }),
        ]
      case "Suspended":
        return [found(each.suspendedAt, "It came too late and is in suspense", each.transfer)]
      case "Returning":
        return [
          {
            ...found(each.slot.takenAt, "It came too late and goes back", each.transfer),
            at: null,
          },
        ]
      case "Returned":
        return [
          { ...found(each.returnedAt, "It came too late", each.transfer), at: null },
          found(each.returnedAt, "It was given back, finally", each.returnedBy),
          ...(each.lost === undefined ? [] : [lost(each.lost)]),
        ]
      case "Unfounded":
        return [
          by(payment.updatedAt, "decision", "A transfer that was reported is none", {
            transaction: each.txHash,
            reason: each.reason,
          }),
        ]
    }
  })

const announced = ({ events }: Known): ReadonlyArray<Placed> =>
  events.map(({ createdAt, id, stateVersion, type }) =>
    placed(createdAt, "event", `Announced ${type}, payment_state_version ${stateVersion}`, {
      event: id,
    }),
  )

/** `+12.5 USDC` */
const signed = (token: Caip.Token, delta: bigint): string => {
  const size = Money.Quantity.make(delta < 0n ? -delta : delta)
  return `${delta < 0n ? "-" : "+"}${Amount.toText({ unit: Amount.token(token), quantity: size })}`
}

/** When a ledger transaction was written, where what it was written with says so. */
const writtenAt = ({ payment: { state } }: Known, sentAt: (hash: string) => number | null) => {
  if (state._tag !== "Succeeded") return {}
  const { refund, settlement, succeededAt } = state
  return {
    collect: succeededAt,
    ...(settlement._tag === "Processing" && { settle: settlement.slot.takenAt }),
    ...(settlement._tag === "Successful" && { settle: sentAt(settlement.transfer.txHash) }),
    ...(settlement._tag === "Netted" && { net: settlement.settledAt }),
    ...(refund?.state._tag === "Processing" && { refund: refund.state.slot.takenAt }),
    ...(refund?.state._tag === "Succeeded" && { refund: sentAt(refund.state.transfer.txHash) }),
    ...(state.lost !== undefined && { lose: state.lost.lostAt }),
  } satisfies Partial<Record<Ledger.Kind, number | null>>
}

const booked = (known: Known): ReadonlyArray<Placed> => {
  const times: Partial<Record<Ledger.Kind, number | null>> = writtenAt(
    known,
    (hash) => known.transactions.find((each) => Lane.hashes(each).includes(hash))?.signedAt ?? null,
  )
  let order = known.payment.createdAt
  return known.ledger.map(({ kind, postings }) => {
    // What was written twice has two times, of which the payment knows one.
    const isOnly = known.ledger.filter((each) => each.kind === kind).length === 1
    const at = isOnly ? (times[kind] ?? null) : null
    // They are told in the order they were written, whatever is known of their times.
    order = Math.max(order, at ?? order)
    const isSound = Result.isSuccess(Ledger.transaction(kind, postings))
    const details = postings.map(({ account, delta, token }, index) => [
      `${index + 1} ${Ledger.accountKey(account)}`,
      signed(token, delta),
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
          `Webhook ${type} to ${host}, attempt ${index + 1}: ${status ?? error ?? "no answer"}`,
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

/** Tells everything in the order of time, and at the end where it stands. */
export const explain = (known: Known): Explanation => ({
  lines: [
    ...requested(known),
    created(known),
    ...attempted(known),
    ...known.transactions.map(sent),
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
  lines: lines.map(({ at, ...line }) => ({ at: at === null ? null : timeText(at), ...line })),
  verdict,
})

export type Json = ReturnType<typeof toJson>
