/**
 * Every text of the screens of partners and shops, and the English ones.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"
import type * as Refund from "@florin/api/wire/Refund"
import { type Catalogue, isolate } from "@florin/pages/Messages"

export type Status = Payment.Item["status"]
export type RefundStatus = Refund.Refund["status"]
export type ShareState = NonNullable<Payment.Item["payout"]>["state"]
export type ShareReason = NonNullable<NonNullable<Payment.Item["payout"]>["reason"]>
export type RefundReason = NonNullable<Refund.Refund["pendingReason"]>
export type Life = "hour" | "day" | "week"
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
    readonly filters: string
  }

  readonly payment: {
    readonly of: (reference: string) => string
    readonly details: string
    readonly history: string
    readonly created: string
    readonly waits: string
    readonly expiresAt: string
    readonly processing: string
    readonly paid: string
    readonly failed: string
    readonly expired: string
    readonly cancelled: string
    readonly cancelledBy: { readonly [By in "cancelled_by_user" | "cancelled_by_merchant"]: string }
    readonly share: { readonly [S in ShareState]: string }
    readonly shareReason: { readonly [R in ShareReason]: string }
    readonly refundOf: (amount: string) => string
    readonly pendingReason: { readonly [R in RefundReason]: string }
    readonly payout: string
    readonly id: string
    readonly payer: string
    readonly wallet: string
    readonly transaction: string
    readonly description: string
    readonly items: string
    readonly metadata: string
    readonly link: string
    readonly qr: string
    readonly reason: string
    readonly open: string
    readonly refund: string
    readonly refundTitle: string
    readonly refundAmount: (currency: string) => string
    readonly refundLeft: (amount: string) => string
    readonly refundReason: string
    readonly refundReasonHint: string
    readonly refundButton: (amount: string) => string
    readonly refundNote: (account: string) => string
    readonly refundDone: (amount: string) => string
    readonly invalidAmount: string
    readonly cancel: string
    readonly cancelTitle: string
    readonly cancelNote: (amount: string) => string
    readonly cancelDone: string
  }

  readonly create: {
    readonly title: string
    readonly amount: string
    readonly currency: string
    readonly reference: string
    readonly referenceHint: string
    readonly description: string
    readonly descriptionHint: string
    readonly merchant: string
    readonly expires: string
    readonly lives: { readonly [L in Life]: string }
    readonly items: string
    readonly itemName: string
    readonly quantity: string
    readonly addItem: string
    readonly removeItem: (name: string) => string
    readonly button: string
    readonly done: string
    readonly doneNote: (amount: string) => string
    readonly another: string
    readonly see: string
    readonly needsReference: string
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
      filters: "Filters",
    },
    payment: {
      of: (reference) => `Payment ${isolate(reference)}`,
      details: "Details",
      history: "What happened",
      created: "Created",
      waits: "Waits for the payer",
      expiresAt: "Can be paid until",
      processing: "The network confirms the payment",
      paid: "Paid",
      failed: "Failed: the payer's account is not accepted",
      expired: "Expired: it was not paid in time",
      cancelled: "Cancelled",
      cancelledBy: {
        cancelled_by_user: "By the payer",
        cancelled_by_merchant: "By the merchant",
      },
      share: {
        waiting: "Waits to be paid out",
        processing: "In a payout",
        held: "Payout held: the operator has to retry it",
        paid: "Paid out to the merchant",
        netted: "Set off against earlier refunds",
        cancelled: "Not paid out: the payment was refunded",
      },
      shareReason: {
        policy: "It is paid out together with others.",
        held_back: "The operator delays payouts for some time.",
        queued: "Its payout was not sent yet.",
        sent: "Its payout was sent, but is not final yet.",
        payee: "The destination cannot be paid.",
        screening: "Screening refuses the destination.",
        moved: "Its transaction moved something else.",
        reverting: "Its transaction reverts repeatedly.",
        lost: "A reorganisation of the chain removed its transfer.",
        paused: "The token is paused.",
        blocked: "The token refuses the transfer.",
        short: "The service has too little of the token now.",
        float: "The operator has too little of its own money on the account.",
        credit: "There is too little credit.",
        reverted: "Its transaction reverted.",
        node: "The chain does not respond.",
        halted: "Sending on the chain is halted.",
        stopped: "Sending of the token is stopped.",
        frozen: "The merchant or the partner is frozen.",
        limit: "A daily limit is reached.",
        destination: "The merchant has no destination in effect for the token.",
      },
      refundOf: (amount) => `Refund of ${amount}`,
      pendingReason: {
        insufficient_credit:
          "The merchant was already paid its share. The refund waits for its next shares.",
        insufficient_funds: "The operator has too little of the token now.",
        daily_limit: "The limit for refunds in 24 hours is reached.",
      },
      payout: "Payout",
      id: "Payment id",
      payer: "Payer",
      wallet: "Wallet",
      transaction: "Transaction",
      description: "Description",
      items: "Items",
      metadata: "Metadata",
      link: "Payment link",
      qr: "QR code of the payment link",
      reason: "Reason",
      open: "Open the checkout",
      refund: "Refund",
      refundTitle: "Refund this payment",
      refundAmount: (currency) => `Amount in ${currency}`,
      refundLeft: (amount) => `At most ${amount} can be refunded.`,
      refundReason: "Reason",
      refundReasonHint: "For your own records. The payer does not see it.",
      refundButton: (amount) => `Refund ${amount}`,
      refundNote: (account) =>
        `The money goes back to the account that paid, ${isolate(account)}. This cannot be undone.`,
      refundDone: (amount) => `The refund of ${amount} is on its way.`,
      invalidAmount: "Enter an amount, such as 12.50.",
      cancel: "Cancel payment",
      cancelTitle: "Cancel this payment?",
      cancelNote: (amount) =>
        `Nobody can pay the ${amount} with this link any more. This cannot be undone.`,
      cancelDone: "The payment is cancelled.",
    },
    create: {
      title: "Create payment link",
      amount: "Amount",
      currency: "Currency",
      reference: "Reference",
      referenceHint: "Your own number for the order.",
      description: "Description",
      descriptionHint: "The payer sees it. You can leave it empty.",
      merchant: "Merchant",
      expires: "Can be paid for",
      lives: { hour: "1 hour", day: "1 day", week: "7 days" },
      items: "Items",
      itemName: "Name",
      quantity: "Quantity",
      addItem: "Add an item",
      removeItem: (name) => `Remove ${isolate(name)}`,
      button: "Create link",
      done: "The link is ready",
      doneNote: (amount) => `Share it with the payer, who pays ${amount}.`,
      another: "Create another",
      see: "See the payment",
      needsReference: "Enter a reference.",
    },
  },
}
