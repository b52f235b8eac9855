/**
 * A receipt as a document of its own, which the payer keeps. It loads nothing and runs nothing.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"
import { directionOf, isolate } from "../messages/Messages.ts"
import * as Amounts from "../shared/Amounts.ts"
import { escape, isolated } from "../shared/Html.ts"
import * as SafeUrl from "./SafeUrl.ts"
import type { View } from "./View.ts"

const style =
  "body{max-width:34rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif;color:#111}" +
  "table{width:100%;border-collapse:collapse}td,th{padding:.5rem 0;border-bottom:1px solid #ddd;text-align:start;vertical-align:top;font-weight:400}" +
  "th{padding-inline-end:1rem;color:#555}td{overflow-wrap:anywhere}"

/** One row: what it is, and its value as texts that each have a direction of their own, or as a link. */
type Row = readonly [
  label: string,
  value: string | ReadonlyArray<string>,
  link?: string | undefined,
]

const rowOf = ([label, value, link]: Row): string => {
  const text = [value].flat().map(isolated).join(" ")
  const shown = link === undefined ? text : `<a href="${escape(link)}" rel="noreferrer">${text}</a>`
  return `<tr><th scope="row">${escape(label)}</th><td>${shown}</td></tr>`
}

/** The receipt of a paid payment, as HTML. `issuedAt` is in epoch milliseconds. */
export const html = (
  { language, locale, messages, origin, page }: View,
  { optionAmount, txId }: NonNullable<Payment.StatusResponse["info"]>,
  issuedAt: number,
): string => {
  const { amount, description, lineItems = [], merchant } = page.info
  const { networkName } = optionAmount.display
  const paid = Amounts.format(optionAmount, locale)
  const chain = Amounts.chainOf(optionAmount.unit) ?? ""
  const issued = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "long" })
  const rows: ReadonlyArray<Row> = [
    [messages.recipient, merchant.name],
    [messages.reference, page.referenceId],
    ...(description === undefined ? [] : [["", description] as const]),
    ...lineItems.map((item): Row => [
      item.amount === undefined ? "" : Amounts.format(item.amount, locale),
      item.quantity === 1 ? item.name : [`${item.quantity} ×`, item.name],
    ]),
    [messages.amount, Amounts.format(amount, locale)],
    [messages.paying, networkName === undefined ? paid : [paid, messages.onNetwork(networkName)]],
    [messages.transaction, txId, SafeUrl.transaction(page.explorers[chain], txId, origin)],
    ...(page.refunds?.each ?? []).map((each): Row => [
      messages.refund[each.txId === null ? "open" : "sent"],
      [Amounts.format(each.amount, locale), each.to],
      each.txId === null
        ? undefined
        : SafeUrl.transaction(page.explorers[chain], each.txId, origin),
    ]),
    [messages.issued, issued.format(issuedAt)],
  ]
  const title = `${messages.receipt} · ${isolate(merchant.name)}`
  const test = page.mode === "test" ? `<p><strong>${escape(messages.test)}</strong></p>` : ""
  return `<!doctype html>
<html lang="${escape(language)}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>${style}</style>
</head>
<body>
${test}<h1>${escape(messages.receipt)}</h1>
<table>
${rows.map(rowOf).join("\n")}
</table>
</body>
</html>
`
}
