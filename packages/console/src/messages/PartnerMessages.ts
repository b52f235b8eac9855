/**
 * Every text of the screens of partners and shops, and the English ones.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"
import type * as Refund from "@florin/api/wire/Refund"
import type { Catalogue } from "@florin/pages/Messages"

export type Status = Payment.Item["status"]
export type RefundStatus = Refund.Refund["status"]
export type Period = "day" | "week" | "month"

export interface PartnerMessages {
  readonly tabs: {
    readonly [T in "overview" | "payments"]: string
  }
  readonly search: string
  readonly status: { readonly [S in Status]: string }
  readonly refundStatus: { readonly [S in RefundStatus]: string }
  readonly all: string
  readonly any: string

  readonly overview: {
    readonly title: string
    readonly note: (zone: string) => string
    readonly period: { readonly [P in Period]: string }
    readonly last: (days: number) => string
    readonly net: string
    readonly gross: (amount: string) => string
    readonly refunded: string
    readonly payments: string
    readonly customers: (count: string) => string
    readonly waiting: string
    readonly waitingNote: string
    readonly revenue: (currency: string) => string
    readonly states: string
    readonly ways: string
    readonly recent: string
    readonly part: (count: string, day: string) => string
    readonly earlier: string
    readonly empty: { readonly title: string; readonly text: string }
    readonly nothing: string
    readonly count: (count: number) => string
  }

  readonly payments: {
    readonly title: string
    readonly totals: (payments: string, customers: string) => string
    readonly create: string
    readonly reference: string
    readonly amount: string
    readonly status: string
    readonly paidWith: string
    readonly merchant: string
    readonly created: string
    readonly from: string
    readonly to: string
    readonly token: string
    readonly network: string
    readonly currency: string
    readonly sort: string
    readonly newest: string
    readonly oldest: string
    readonly highest: string
    readonly lowest: string
    readonly clear: string
    readonly csv: string
    readonly none: { readonly title: string; readonly text: string }
    readonly noMatch: { readonly title: string; readonly text: string }
  }
}

export const english: Catalogue<PartnerMessages> = {
  language: "en",
  direction: "ltr",
  texts: {
    tabs: { overview: "Overview", payments: "Payments" },
    search: "Find a payment by reference or id",
    status: {
      requires_action: "Open",
      processing: "Processing",
      succeeded: "Succeeded",
      failed: "Failed",
      expired: "Expired",
      cancelled: "Cancelled",
    },
    refundStatus: {
      pending: "Pending",
      processing: "Processing",
      succeeded: "Refunded",
      failed: "Failed",
      held: "Held",
    },
    all: "All",
    any: "Any",
    overview: {
      title: "Overview",
      note: (zone) => `Days in your time zone, ${zone}`,
      period: { day: "By day", week: "By week", month: "By month" },
      last: (days) => `${days} days`,
      net: "Net revenue",
      gross: (amount) => `${amount} before refunds`,
      refunded: "Refunded",
      payments: "Payments",
      customers: (count) => `${count} customers`,
      waiting: "On the way to you",
      waitingNote: "Payouts that are not final yet",
      revenue: (currency) => `Revenue in ${currency}`,
      states: "What became of payments",
      ways: "By token and network",
      recent: "Newest payments",
      part: (count, day) =>
        `The plots show the newest ${count} payments, which go back to ${day}. The totals count all of them.`,
      earlier: "Load earlier payments",
      empty: {
        title: "No payments in this period",
        text: "Create a payment link, and share it with a customer.",
      },
      nothing: "Nothing was paid in this period.",
      count: (count) => (count === 1 ? "1 payment" : `${count} payments`),
    },
    payments: {
      title: "Payments",
      totals: (payments, customers) => `${payments} payments, ${customers} customers`,
      create: "Create payment link",
      reference: "Reference",
      amount: "Amount",
      status: "Status",
      paidWith: "Paid with",
      merchant: "Merchant",
      created: "Created",
      from: "From",
      to: "Until",
      token: "Token",
      network: "Network",
      currency: "Currency",
      sort: "Order",
      newest: "Newest first",
      oldest: "Oldest first",
      highest: "Highest amount first",
      lowest: "Lowest amount first",
      clear: "Clear filters",
      csv: "Export CSV",
      none: {
        title: "No payments yet",
        text: "Create a payment link, and share it with a customer.",
      },
      noMatch: {
        title: "No payment matches these filters",
        text: "Remove a filter to see more. A reference is found by 3 to 35 of its characters.",
      },
    },
  },
}
