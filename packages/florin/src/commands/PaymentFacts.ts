/**
 * One payment and the state of its money, as `payments show` and `explain` print it.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"
import * as Printable from "../terminal/Printable.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"
import * as WireAmount from "../terminal/WireAmount.ts"

export const styles: { readonly [S in Payment.Details["status"]]: Terminal.Style } = {
  requires_action: "cyan",
  processing: "yellow",
  succeeded: "green",
  failed: "red",
  expired: "dim",
  cancelled: "dim",
}

/** A time in Unix seconds. */
export const secondText = (unixSeconds: number): string => Time.second(Time.iso(unixSeconds * 1000))

/** Prints the payment and the state of its money. */
export const print = (found: Payment.Details): void => {
  const { amount, buyer, info, merchant, payout, refunds = [], settlement, status } = found
  const fact = (name: string, text: string | null | undefined): void =>
    Terminal.fact(name, text && Printable.from(text))
  const failure = typeof found.failureCode === "string" ? ` (${found.failureCode})` : ""
  Terminal.heading(found.paymentId)
  Terminal.fact(
    "status",
    `${Terminal.applyStyle(styles[status], status)}${failure}${found.isFinal ? ", final" : ""}`,
  )
  fact("amount", WireAmount.toText(amount))
  fact("merchant", `${merchant.name} (${merchant.id})`)
  fact("reference", found.referenceId)
  if (found.description !== undefined) {
    Terminal.writeWrapped("for", found.description)
  }
  for (const { amount: total, name, quantity } of found.lineItems ?? []) {
    const of = total === undefined ? "" : `, ${WireAmount.toText(total)}`
    Terminal.writeWrapped("item", `${quantity}x ${name}${of}`)
  }
  for (const [key, value] of Object.entries(found.metadata)) fact("metadata", `${key}=${value}`)
  fact("created", Time.second(found.createdAt))
  if (status === "requires_action" || status === "expired") {
    fact("expires", secondText(found.expiresAt))
  }
  if (found.cancelledAt !== undefined) {
    fact("cancelled", `${Time.second(found.cancelledAt)}, ${found.cancelledReason}`)
  }
  fact(
    "payer",
    buyer && [buyer.accountCaip10, buyer.accountProviderName].filter(Boolean).join(", with "),
  )
  fact("paid", info && WireAmount.toText(info.optionAmount))
  fact("in", info?.txId)
  if (info !== null && payout !== undefined) {
    const why = payout.reason === null ? "" : ` (${payout.reason})`
    const when = payout.dueAt === null ? "" : `, at the latest ${Time.second(payout.dueAt)}`
    fact("payout", `${payout.state}${why}${when}`)
    fact("by", payout.id)
  }
  if (info !== null && settlement !== null) {
    const { amount: settled, txId } = settlement.successful
    fact("settled", WireAmount.toText({ ...info.optionAmount, ...settled }))
    fact("in", txId)
  }
  for (const refund of refunds) {
    fact("refund", `${WireAmount.toText(refund.amount)}, ${refund.status}`)
    fact("by", refund.refundId)
  }
  fact("link", found.gatewayUrl)
}
