/**
 * The open matters of a payment, and what somebody has to do about them.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Terms from "../../domain/books/Terms.ts"
import type * as Caip from "../../domain/chain/Caip.ts"
import type * as Catalog from "../../domain/chain/Catalog.ts"
import * as Family from "../../domain/chain/Family.ts"
import * as Transfer from "../../domain/chain/Transfer.ts"
import * as Limits from "../../domain/ground/Limits.ts"
import * as Money from "../../domain/ground/Money.ts"
import type * as OutflowId from "../../domain/ground/OutflowId.ts"
import * as Rfc3339 from "../../domain/ground/Rfc3339.ts"
import * as Amount from "../../domain/money/Amount.ts"
import type * as Fees from "../../domain/money/Fees.ts"
import * as Ledger from "../../domain/money/Ledger.ts"
import * as Outflow from "../../domain/outflow/Outflow.ts"
import * as OutflowState from "../../domain/outflow/OutflowState.ts"
import * as PayoutPolicy from "../../domain/partner/PayoutPolicy.ts"
import * as Entry from "../../domain/payment/Entry.ts"
import * as Payment from "../../domain/payment/Payment.ts"
import * as Refund from "../../domain/payment/Refund.ts"
import * as Evidence from "./Evidence.ts"

export interface Verdict {
  /** The current state, in one sentence. */
  readonly text: string
  /** `waits for …: do …` */
  readonly open: ReadonlyArray<string>
}

const seeThrough = "make sure that a worker runs"

/** What allows new money to be sent on a chain: a worker, unless sending is stopped there. */
const toSend = ({ halted }: Evidence.Evidence, chainId: Caip.ChainId | undefined): string =>
  chainId === undefined || !halted.includes(chainId)
    ? seeThrough
    : `its chain is stopped: find out why, then \`florin chains resume ${chainId}\``

/** What allows money to go out: the same, unless the operator froze its owner. */
const toPayOut = (evidence: Evidence.Evidence, chainId: Caip.ChainId | undefined): string => {
  const { merchant, partner } = evidence
  if (partner.frozenAt !== undefined) {
    return `its partner is frozen: find out why, then \`florin partners unfreeze ${partner.id}\``
  }
  return merchant.frozenAt === undefined
    ? toSend(evidence, chainId)
    : `its merchant is frozen: find out why, then \`florin merchants unfreeze ${merchant.id}\``
}

const dayInMs = 24 * 60 * 60 * 1000

/** `2026-03-01 12:15 (UTC)` */
const minuteText = (at: number): string =>
  `${Rfc3339.format(at).slice(0, 16).replace("T", " ")} (UTC)`

/** `12:15 (UTC)`, with the day unless it is within the next 24 hours. */
const timeText = (at: number, now: number): string =>
  at - now < dayInMs ? minuteText(at).slice("2026-03-01 ".length) : minuteText(at)

/** `99.90 USDC of 100.00 USDC arrived, and 100.00 USDC left the account`; null if the expected amount was moved. */
const movedText = (outflow: Outflow.Outflow, catalog: Catalog.Catalog): string | null => {
  const moved = Outflow.astrayOf(outflow)
  if (moved === null) return null
  const { quantity, token } = outflow.movement
  const textOf = (amount: Money.Quantity): string =>
    Amount.toText({ unit: Amount.token(token), quantity: amount }, catalog)
  return `${textOf(moved.transfer.movement.quantity)} of ${textOf(quantity)} arrived, and ${textOf(moved.left)} left the account`
}

/** What an outflow waits for, in any state. */
const toBePaid = (
  evidence: Evidence.Evidence,
  outflowId: OutflowId.OutflowId,
  what: string,
): string => {
  const outflow = Evidence.outflowOf(evidence, outflowId)
  const obstacle = outflow?.state._tag === "Waiting" ? outflow.state.obstacle : undefined
  if (obstacle !== undefined) {
    const { code, reason, since } = obstacle
    const token = outflow?.movement.token
    const next =
      code === "stopped" && token !== undefined
        ? `\`florin assets resume ${Family.formatToken(evidence.catalog, token)}\``
        : code === "halted"
          ? toSend(evidence, token?.chainId)
          : seeThrough
    return `waits for ${what} to be sent, retried automatically since ${minuteText(since)}, because ${reason}: ${next}`
  }
  return outflow?.state._tag === "Sent"
    ? `waits for ${what} ${Evidence.hashAt(evidence, outflow.state.slot)} to be final: ${seeThrough}`
    : `waits for ${what} to be sent: ${toPayOut(evidence, outflow?.movement.token.chainId)}`
}

/** What somebody has to do about money that is held on its way out. */
const toBeFreed = (
  evidence: Evidence.Evidence,
  {
    movedOtherwise,
    outflowId,
    reason,
  }: Transfer.Failure & { readonly outflowId: OutflowId.OutflowId },
  what: string,
  command: string,
): string => {
  if (movedOtherwise !== true) {
    return `waits for you to retry ${what}: fix the cause, then \`florin ${command}\``
  }
  const { catalog } = evidence
  const outflow = Evidence.outflowOf(evidence, outflowId)
  const moved = outflow === null ? null : movedText(outflow, catalog)
  const why = moved === null ? reason : `${reason}: ${moved}`
  return `waits for you to look into ${what} (${outflowId}): ${Transfer.whyNotRetried(why)}`
}

type Paid = Extract<Payment.State, { readonly _tag: "Succeeded" }>

/** A share waits for other shares until its payout policy makes it due. */
const toBeGathered = (evidence: Evidence.Evidence, { attempt }: Paid): string => {
  const { merchant, now, partner, payouts } = evidence
  const { chainId } = attempt.option.token
  const terms = { merchant, partner, policy: payouts }
  const turn = Terms.turnOf(evidence.payment, terms, now)
  if (turn?.waitsFor === "limits") {
    return `waits for the limits of its partner until ${timeText(turn.from, now)}: nothing to do (\`florin partners show ${partner.id}\`)`
  }
  if (turn === null || turn.dueAt === null || turn.dueAt <= now) {
    return `waits for its payout to be sent: ${toPayOut(evidence, chainId)}`
  }
  const { dueAt } = turn
  const next = evidence.halted.includes(chainId) ? toSend(evidence, chainId) : "nothing to do"
  return `waits to be gathered with other shares until ${timeText(dueAt, now)} at the latest, by the payout policy ${PayoutPolicy.format(payouts)}: ${next}`
}

/** `its payout`, or the number of shares that are paid out together. */
const payoutOf = (evidence: Evidence.Evidence, outflowId: OutflowId.OutflowId): string => {
  const outflow = Evidence.outflowOf(evidence, outflowId)
  const count = outflow === null ? 0 : Outflow.sharesOf(outflow).length
  return count > 1 ? `its payout of ${count} shares` : "its payout"
}

const ofSettlement = (
  evidence: Evidence.Evidence,
  state: Paid,
): readonly [is: string, open: string | null] => {
  const { attempt, entry } = state
  const { id, merchantId } = evidence.payment
  if (entry.waitsSince !== undefined) {
    return [
      "not settled yet",
      "waits until the merchant's settlement destination is in effect: its account signs if required, and a change takes effect with time or with " +
        `\`florin merchants settlements confirm ${merchantId} <settlementId> <destination>\``,
    ]
  }
  const part = Entry.going(entry)
  if (part?._tag === "Carried") {
    return ["not settled yet", toBePaid(evidence, part.outflowId, "its payout")]
  }
  if (part !== undefined) {
    const what = payoutOf(evidence, part.outflowId)
    return ["its payout is held", toBeFreed(evidence, part, what, `payments settle ${id}`)]
  }
  const refunded = Entry.refundAwaited(entry)
  if (refunded !== null) {
    return [
      "not settled yet",
      `waits until the refund of ${refunded} is final, which the merchant's share paid for: \`florin explain ${refunded}\``,
    ]
  }
  if (!Entry.isWaiting(entry)) {
    return [Entry.isRefunded(entry) ? "not settled" : "settled", null]
  }
  return entry.destination === null
    ? [
        "owed",
        "waits for a settlement destination to be in effect: the merchant registers one with " +
          `\`florin merchants settlements add ${merchantId} ${Family.formatToken(evidence.catalog, attempt.option.token)} <destination>\``,
      ]
    : ["not settled yet", toBeGathered(evidence, state)]
}

/** What a refund lacks that its merchant and the credit of its partner do not cover, and what helps. */
const lacking = (
  { catalog, payment: { feeTerms, mode, partnerId } }: Evidence.Evidence,
  { total }: Fees.Charge,
  refund: Refund.Refund,
): string => {
  const quantity = Refund.need(refund)
  const missing =
    quantity === 0n
      ? "the debt of its merchant to be within the credit of its partner, which is checked at least every minute: payouts of its next sales pay the debt off, once it has a settlement destination"
      : `${Amount.toText({ ...Refund.amount(refund), quantity }, catalog)} from the next sales of its merchant, which are kept for it`
  const later =
    feeTerms.returned === undefined && total > 0n
      ? `. Refunds do not return the fee: \`florin partners change ${partnerId} --fee-returned withRefund\` changes that for later payments`
      : ""
  return `waits for ${missing}; or grant its partner credit: \`florin partners change ${partnerId} --credit <credit> --mode ${mode}\`${later}`
}

const ofRefund = (
  evidence: Evidence.Evidence,
  { attempt, charge }: Paid,
  refund: Refund.Refund,
): readonly [is: string, open: string | null] => {
  const { catalog } = evidence
  const { id, mode } = evidence.payment
  const { quantity, state, token } = refund
  const { payTo: address } = attempt.option
  const from = Family.formatAccount(catalog, { chainId: token.chainId, address })
  switch (state._tag) {
    case "Pending": {
      const lack = Refund.lack(refund)
      if (lack === "credit") return ["to be refunded", lacking(evidence, charge, refund)]
      if (lack === "limit" || evidence.missing === 0n) {
        return ["to be refunded", toBePaid(evidence, refund.outflowId, "its refund")]
      }
      const missing = Money.clamp(evidence.missing, quantity)
      return [
        "to be refunded",
        `waits for money to refund from: ${from} lacks ${Amount.toText({ unit: Amount.token(token), quantity: missing }, catalog)} of your own. ` +
          "The service moves it there if its other accounts have it; " +
          `else send it, then \`florin float put ${Family.formatToken(catalog, token)} ${from} <amount> --mode ${mode} --transaction <hash>\``,
      ]
    }
    case "Processing":
      return ["to be refunded", toBePaid(evidence, refund.outflowId, "its refund")]
    case "Succeeded":
      return ["refunded", null]
    case "Held":
      return [
        "its refund is held",
        toBeFreed(
          evidence,
          { ...state, outflowId: refund.outflowId },
          "its refund",
          `refunds retry ${id}`,
        ),
      ]
  }
}

const ofState = (
  evidence: Evidence.Evidence,
): ReadonlyArray<readonly [is: string, open: string | null]> => {
  const { now, payment } = evidence
  const { expiresAt, state } = payment
  switch (state._tag) {
    case "RequiresAction":
      return Payment.isOverdue(payment, now)
        ? [["expired", null]]
        : [
            [
              "not paid yet",
              `waits for the payer until ${minuteText(expiresAt * 1000)}: send the payer the link`,
            ],
          ]
    case "Processing": {
      const { attempt, slot } = state
      const ours = slot === null ? undefined : Evidence.hashAt(evidence, slot)
      const hash = attempt.outputs._tag === "Sent" ? attempt.outputs.txHash : ours
      return [
        [
          "confirmed",
          hash === undefined
            ? `waits for its money to be collected: ${toSend(evidence, attempt.option.token.chainId)}`
            : `waits for ${hash} to be final: ${seeThrough}`,
        ],
      ]
    }
    case "Succeeded":
      return [
        ["paid", null],
        ofSettlement(evidence, state),
        ...state.refunds.map((each) => ofRefund(evidence, state, each)),
        ...(state.lost === undefined
          ? []
          : [["its transfer lost to a reorganisation", null] as const]),
      ]
    case "Failed":
      return [["failed", null]]
    case "Expired":
      return [["expired", null]]
    case "Cancelled":
      return [["cancelled", null]]
  }
}

const ofLate = (evidence: Evidence.Evidence): ReadonlyArray<string> => [
  ...evidence.payment.reports.map(
    ({ reportedAt, txHash }) =>
      `waits for ${txHash} until ${minuteText(reportedAt + Limits.lateWatchedInMs)} at the latest: nothing to do`,
  ),
  ...evidence.inflows.flatMap(({ id, state }): ReadonlyArray<string> => {
    const what = "the return of unclaimed money"
    switch (state._tag) {
      case "Suspended":
        return [`waits for unclaimed money to be returned: \`florin unclaimed return ${id}\``]
      case "Returning": {
        const { outflowId } = state
        const outflow = Evidence.outflowOf(evidence, outflowId)
        if (outflow?.state._tag === "Held") {
          const held = { ...outflow.state, outflowId }
          return [toBeFreed(evidence, held, what, `payouts retry ${outflowId}`)]
        }
        const isOpen = outflow !== null && OutflowState.isOpen[Outflow.status(outflow)]
        return isOpen ? [toBePaid(evidence, outflowId, what)] : []
      }
      default:
        return []
    }
  }),
]

const ofWebhooks = ({ deliveries, payment }: Evidence.Evidence): ReadonlyArray<string> => {
  // A disabled endpoint is not called any more.
  const givenUp = deliveries.filter(
    ({ delivery, endpoint }) => delivery.state === "givenUp" && endpoint.disabledAt === null,
  ).length
  const pending = deliveries.filter(({ delivery }) => delivery.state === "pending").length
  return [
    ...(givenUp === 0
      ? []
      : [
          `waits for ${givenUp} webhooks that were given up: fix the receiver, then \`florin webhooks replay ${payment.id}\``,
        ]),
    ...(pending === 0 ? [] : [`waits for ${pending} webhooks to be received: check the receiver`]),
  ]
}

const ofLedger = ({ ledger }: Evidence.Evidence): ReadonlyArray<string> =>
  ledger.every(({ kind, postings }) => Result.isSuccess(Ledger.transaction(kind, postings)))
    ? []
    : ["waits for you to look at a ledger that does not sum to zero: stop the workers"]

/**
 * @example
 * Verdict.judge(evidence).text // "Paid, settled, nothing open."
 */
export const judge = (evidence: Evidence.Evidence): Verdict => {
  const standing = ofState(evidence)
  const open = [
    ...standing.flatMap(([, each]) => (each === null ? [] : [each])),
    ...([evidence.payment, ...evidence.outflows].every(
      ({ auditedSince }) => auditedSince === undefined,
    ) && evidence.inflows.every(({ missedSince }) => missedSince === undefined)
      ? []
      : [`waits for a final transfer that is missing on the chain: ${seeThrough}`]),
    ...ofLate(evidence),
    ...ofWebhooks(evidence),
    ...ofLedger(evidence),
  ]
  const words = standing.map(([is]) => is).join(", ")
  const begun = words.charAt(0).toUpperCase() + words.slice(1)
  return {
    open,
    text: open.length === 0 ? `${begun}, nothing open.` : `${begun}; ${open.join("; ")}.`,
  }
}
