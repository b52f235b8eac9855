/**
 * Every text of the screens of partners and shops, and the English ones.
 *
 * @module
 */
import type * as Key from "@florin/api/wire/Key"
import type * as Merchant from "@florin/api/wire/Merchant"
import type * as Payment from "@florin/api/wire/Payment"
import type * as Payout from "@florin/api/wire/Payout"
import type * as Refund from "@florin/api/wire/Refund"
import type * as Statement from "@florin/api/wire/Statement"
import type * as Webhook from "@florin/api/wire/Webhook"
import { type Catalogue, isolate } from "@florin/pages/Messages"

export type Status = Payment.Item["status"]
export type RefundStatus = Refund.Refund["status"]
export type ShareState = NonNullable<Payment.Item["payout"]>["state"]
export type ShareReason = NonNullable<NonNullable<Payment.Item["payout"]>["reason"]>
export type RefundReason = NonNullable<Refund.Refund["pendingReason"]>
export type PayoutState = Payout.Payout["state"]
export type Line = Exclude<keyof Statement.OfToken, "unit" | "display" | "opening" | "closing">
export type Scope = Key.Key["scopes"][number]
export type Role = "viewer" | "support" | "finance" | "admin"
export type DeliveryState = Webhook.Delivery["state"]
export type Life = "hour" | "day" | "week"
export type Period = "day" | "week" | "month"

export interface PartnerMessages {
  readonly tabs: {
    readonly [
      T in "overview" | "payments" | "payouts" | "merchants" | "webhooks" | "keys" | "audit"
    ]: string
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

  readonly payouts: {
    readonly title: string
    readonly note: string
    readonly state: { readonly [S in PayoutState]: string }
    readonly payout: string
    readonly amount: string
    readonly status: string
    readonly destination: string
    readonly payments: string
    readonly created: string
    readonly sent: string
    readonly paid: string
    readonly waits: string
    readonly final: string
    readonly id: string
    readonly shares: string
    readonly netted: (amount: string) => string
    readonly advance: (amount: string) => string
    readonly empty: { readonly title: string; readonly text: string }
  }

  readonly merchants: {
    readonly title: string
    readonly note: (count: string) => string
    readonly name: string
    readonly email: string
    readonly status: string
    readonly states: { readonly [S in Merchant.Merchant["status"]]: string }
    readonly created: string
    readonly search: string
    readonly add: string
    readonly save: string
    readonly saved: string
    readonly remove: string
    readonly removeTitle: (name: string) => string
    readonly removeNote: string
    readonly removed: string
    readonly face: string
    readonly faceNote: string
    readonly icon: string
    readonly color: string
    readonly supportEmail: string
    readonly supportUrl: string
    readonly preview: string
    readonly pay: (amount: string) => string
    readonly destinations: string
    readonly destinationsNote: string
    readonly noDestinations: string
    readonly token: string
    readonly account: string
    readonly accountHint: string
    readonly invalidAccount: string
    readonly addDestination: string
    readonly change: string
    readonly changeTitle: string
    readonly changeNote: (token: string, account: string) => string
    readonly changed: string
    readonly takesEffect: (time: string) => string
    readonly inEffect: string
    readonly statementNote: string
    readonly prove: string
    readonly proof: string
    readonly proofHint: string
    readonly deleteTitle: string
    readonly deleteNote: (token: string, account: string) => string
    readonly payments: string
    readonly empty: { readonly title: string; readonly text: string }
  }

  readonly statement: {
    readonly title: string
    readonly from: string
    readonly to: string
    readonly opening: string
    readonly closing: string
    readonly line: { readonly [L in Line]: string }
    readonly csv: string
    readonly empty: { readonly title: string; readonly text: string }
    readonly utc: string
  }

  readonly webhooks: {
    readonly title: string
    readonly note: string
    readonly add: string
    readonly url: string
    readonly urlHint: string
    readonly types: string
    readonly typesHint: string
    readonly allTypes: string
    readonly secret: string
    readonly created: string
    readonly deliveries: string
    readonly state: { readonly [S in DeliveryState]: string }
    readonly test: string
    readonly tested: string
    readonly rotate: string
    readonly rotateTitle: string
    readonly rotateNote: string
    readonly remove: string
    readonly removeTitle: string
    readonly removeNote: string
    readonly removed: string
    readonly redeliver: string
    readonly redelivered: string
    readonly replay: string
    readonly replayTitle: string
    readonly replayFrom: string
    readonly replayState: string
    readonly replayed: (count: number) => string
    readonly event: string
    readonly attempts: string
    readonly noAttempt: string
    readonly next: string
    readonly body: string
    readonly noResponse: string
    readonly invalidUrl: string
    readonly older: string
    readonly empty: { readonly title: string; readonly text: string }
    readonly noDeliveries: { readonly title: string; readonly text: string }
  }

  readonly keys: {
    readonly title: string
    readonly note: string
    readonly people: string
    readonly peopleNote: string
    readonly programs: string
    readonly programsNote: string
    readonly invite: string
    readonly inviteTitle: string
    readonly person: string
    readonly role: string
    readonly roles: { readonly [R in Role]: string }
    readonly invited: string
    readonly invitedNote: string
    readonly session: string
    readonly pendingInvite: string
    readonly add: string
    readonly name: string
    readonly scopes: string
    readonly scope: { readonly [S in Scope]: string }
    readonly secret: string
    readonly hint: (hint: string) => string
    readonly lastUsed: string
    readonly never: string
    readonly validUntil: string
    readonly revoke: string
    readonly revokeTitle: (name: string) => string
    readonly revokeNote: string
    readonly revoked: (count: number) => string
    readonly rotate: string
    readonly rotateTitle: (name: string) => string
    readonly rotateNote: string
    readonly noPrograms: string
    readonly noPeople: string
    readonly needsName: string
  }

  readonly audit: {
    readonly title: string
    readonly note: string
    readonly action: string
    readonly subject: string
    readonly by: string
    readonly operator: string
    readonly when: string
    readonly changes: string
    readonly empty: { readonly title: string; readonly text: string }
  }
}

export const english: Catalogue<PartnerMessages> = {
  language: "en",
  direction: "ltr",
  texts: {
    tabs: {
      overview: "Overview",
      payments: "Payments",
      payouts: "Payouts",
      merchants: "Merchants",
      webhooks: "Webhooks",
      keys: "Keys and people",
      audit: "Audit log",
    },
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
    payouts: {
      title: "Payouts",
      note: "Transfers to your merchants",
      state: {
        waiting: "Waiting",
        sent: "Sent",
        paid: "Paid",
        held: "Held",
        cancelled: "Cancelled",
      },
      payout: "Payout",
      amount: "Amount",
      status: "Status",
      destination: "Destination",
      payments: "Payments",
      created: "Created",
      sent: "Sent",
      paid: "Final on the chain",
      waits: "Waits to be sent",
      final: "Waits until it is final",
      id: "Payout id",
      shares: "What it pays",
      netted: (amount) => `${amount} set off against refunds`,
      advance: (amount) => `${amount} more was sent than these shares. The merchant owes it.`,
      empty: {
        title: "No payouts",
        text: "A payout is made after a payment succeeded, if its merchant has a destination for the token.",
      },
    },
    merchants: {
      title: "Merchants",
      note: (count) => `${count} in all`,
      name: "Name",
      email: "Email",
      status: "Status",
      states: { active: "Active", inactive: "Inactive", suspended: "Suspended" },
      created: "Created",
      search: "Find a name or id",
      add: "Add merchant",
      save: "Save changes",
      saved: "The changes are saved.",
      remove: "Delete merchant",
      removeTitle: (name) => `Delete ${isolate(name)}?`,
      removeNote: "It takes no new payments. Its payments stay, and are still paid out.",
      removed: "The merchant is deleted.",
      face: "What payers see",
      faceNote: "Names, icons and contacts of live merchants may need the operator's approval.",
      icon: "URL of the icon",
      color: "Brand color",
      supportEmail: "Support email",
      supportUrl: "Support page",
      preview: "Preview of the checkout",
      pay: (amount) => `Pay ${amount}`,
      destinations: "Payout destinations",
      destinationsNote: "One account for each token. A change takes effect after a delay.",
      noDestinations: "There is no destination yet. Payments stay owed until you add one.",
      token: "Token",
      account: "Account",
      accountHint: "The address on the token's network: 0x…",
      invalidAccount: "Enter an address: 0x and 40 digits.",
      addDestination: "Add destination",
      change: "Change",
      changeTitle: "Change the destination",
      changeNote: (token, account) => `Payouts in ${token} will go to ${account}.`,
      changed: "The destination is saved.",
      takesEffect: (time) => `Takes effect ${time}. Payouts in this token wait until then.`,
      inEffect: "In effect",
      statementNote: "The account has to sign this text before it is paid:",
      prove: "Prove the account",
      proof: "Signature",
      proofHint: "The signature of the text by personal_sign: 0x…",
      deleteTitle: "Delete the destination?",
      deleteNote: (token, account) =>
        `Later payments in ${token} stay owed. They no longer go to ${account}.`,
      payments: "Payments of this merchant",
      empty: { title: "No merchants", text: "Add a merchant to take payments for it." },
    },
    statement: {
      title: "Statement",
      from: "From",
      to: "Until",
      opening: "Owed at the beginning",
      closing: "Owed at the end",
      line: {
        paidIn: "Payments",
        fees: "Fees",
        refunds: "Refunds",
        debt: "Refunds paid in advance",
        kept: "Kept for refunds",
        paidOut: "Payouts",
        transferred: "Between merchants",
      },
      csv: "Download CSV",
      empty: { title: "Nothing in this period", text: "Choose other days." },
      utc: "Days in UTC. Both days are included.",
    },
    webhooks: {
      title: "Webhooks",
      note: "Your URLs that receive events",
      add: "Add webhook",
      url: "URL",
      urlHint: "https, on a host that is reachable from the internet.",
      types: "Events",
      typesHint: "Choose none to get all, including those that later releases add.",
      allTypes: "All events",
      secret: "Signing secret",
      created: "Created",
      deliveries: "Deliveries",
      state: { pending: "Pending", delivered: "Delivered", given_up: "Given up" },
      test: "Send test event",
      tested: "The test event is on its way.",
      rotate: "Rotate secret",
      rotateTitle: "Rotate the signing secret?",
      rotateNote: "You get a new secret. Both secrets sign for 24 hours.",
      remove: "Delete",
      removeTitle: "Delete this webhook?",
      removeNote: "Events are no longer sent to it. This cannot be undone.",
      removed: "The webhook is deleted.",
      redeliver: "Redeliver",
      redelivered: "The event is sent again.",
      replay: "Replay events",
      replayTitle: "Send the events of a period again",
      replayFrom: "Events since",
      replayState: "Which deliveries",
      replayed: (count) =>
        count === 1 ? "1 event is sent again." : `${count} events are sent again.`,
      event: "Event",
      attempts: "Attempts",
      noAttempt: "Not sent yet",
      next: "Next attempt",
      body: "Body",
      noResponse: "No response",
      older: "Load older deliveries",
      invalidUrl: "Enter a URL that begins with https://.",
      empty: { title: "No webhooks", text: "Add one to hear of every change on your own server." },
      noDeliveries: {
        title: "No deliveries yet",
        text: "Send a test event to see whether your server receives it.",
      },
    },
    keys: {
      title: "Keys and people",
      note: "Who may call the API, and who may sign in here",
      people: "People",
      peopleNote: "A person opens a one-time link, and is then signed in on that browser.",
      programs: "API keys",
      programsNote: "For your servers. Keep them out of browsers and apps.",
      invite: "Invite a person",
      inviteTitle: "Invite a person",
      person: "Name",
      role: "Role",
      roles: {
        viewer: "Viewer: sees everything, changes nothing",
        support: "Support: payments and refunds",
        finance: "Finance: refunds, merchants, destinations",
        admin: "Admin: everything, and invites people",
      },
      invited: "The link is ready",
      invitedNote: "Send it to the person. It works once, for 15 minutes.",
      session: "Signed in",
      pendingInvite: "Invited",
      add: "Create API key",
      name: "Name",
      scopes: "Permissions",
      scope: {
        read: "Read everything",
        pay: "Create and cancel payments",
        refund: "Refund payments",
        manage: "Merchants and destinations",
        webhooks: "Webhooks",
        keys: "Keys and people",
      },
      secret: "API key",
      hint: (hint) => `${hint}…`,
      lastUsed: "Last used",
      never: "Never",
      validUntil: "Expires",
      revoke: "Revoke",
      revokeTitle: (name) => `Revoke ${isolate(name)}?`,
      revokeNote: "It stops working immediately, and so do all keys that it created.",
      revoked: (count) => (count === 1 ? "1 key is revoked." : `${count} keys are revoked.`),
      rotate: "Rotate",
      rotateTitle: (name) => `Rotate ${isolate(name)}?`,
      rotateNote: "You get a new key. The old one works for 24 more hours.",
      noPrograms: "There is no key for a program yet.",
      noPeople: "Nobody else is signed in.",
      needsName: "Enter a name.",
    },
    audit: {
      title: "Audit log",
      note: "Every change, and who made it",
      action: "Action",
      subject: "Object",
      by: "By",
      operator: "The operator",
      when: "When",
      changes: "Changes",
      empty: { title: "No entries", text: "Every change by your keys and people is listed here." },
    },
  },
}
