/**
 * Every text of the checkout page, and the English ones.
 *
 * @module
 */
import { isolate, type Catalogue } from "./Messages.ts"

/** How money stands that the wallet sent and that has not paid. */
type Standing = "unsigned" | "untold" | "unsignedLate" | "untoldLate" | "told"

/** How a payment stands when nothing will change any more, and it was not paid. */
type Unpaid = "failed" | "declined" | "expired" | "cancelled"

/** Whether the payer pays the network: `maybe` if that is known only once the steps are built. */
export type NetworkFee = "none" | "maybe" | "some"

export interface Said {
  readonly title: string
  readonly text: string
}

/** Texts are functions where a name or an amount stands in them, so that each language puts it where it belongs. */
export interface CheckoutMessages {
  readonly payTo: (merchant: string) => string
  readonly test: string
  readonly reference: string
  readonly amount: string
  readonly paying: string
  readonly secondsLeft: (clock: string) => string
  readonly minuteLeft: string
  readonly terms: string
  readonly privacy: string
  readonly newWindow: string

  readonly scan: Said
  readonly qrCode: (merchant: string) => string
  readonly openInWallet: string
  readonly copyLink: string
  readonly copied: string
  readonly copyFailed: string
  readonly inThisBrowser: string
  readonly or: string
  readonly anyWallet: string

  readonly connecting: (wallet: string) => Said
  readonly preparing: Said
  readonly choose: (wallet: string) => Said
  readonly onNetwork: (network: string) => string
  readonly recommended: string
  readonly filter: string
  readonly noMatch: string
  readonly ways: (count: number) => string
  readonly aboutSeconds: (seconds: number) => string
  readonly aboutMinutes: (minutes: number) => string
  readonly networkFee: { readonly [F in NetworkFee]: string }
  readonly steps: (least: number, most: number) => string
  readonly needsData: string
  readonly form: Said
  readonly close: string
  readonly otherWay: string

  readonly step: (step: number, steps: number) => string
  readonly sign: (wallet: string) => Said
  readonly allow: (wallet: string) => Said
  readonly send: (wallet: string) => Said
  readonly confirming: Said
  readonly processing: Said

  readonly noFit: (wallet: string) => Said
  readonly wouldDo: string
  readonly checkAgain: string

  readonly succeeded: (merchant: string) => Said
  readonly unpaid: { readonly [S in Unpaid]: (merchant: string) => Said }
  readonly ifSent: (merchant: string) => string
  readonly whatYouSent: string
  readonly money: { readonly [S in Standing]: (merchant: string) => string }
  readonly mayBeSentLate: (merchant: string) => string
  readonly signIn: (wallet: string) => string
  readonly refused: Said
  readonly absent: Said
  readonly transaction: string
  readonly copyHash: string
  readonly hashCopied: string
  readonly seeTransaction: string
  readonly print: string
  readonly backTo: (merchant: string) => string
  readonly leavingIn: (seconds: number) => string
  readonly stay: string

  readonly halted: string
  readonly tryAgain: string
  readonly reload: string
  readonly rejected: string
  readonly pending: string
  readonly wrongNetwork: (network: string) => string
  readonly noAccount: string
  readonly otherAccount: string
  readonly walletFailed: string
  readonly offline: string
  readonly stale: string
  readonly unsafe: string
  readonly service: string
  readonly optionExpired: string
  readonly formClosed: string
  readonly goOn: string
  readonly mayBeSent: string
  readonly sent: string
  readonly unsigned: string
  readonly sentLate: string
}

export const english: Catalogue<CheckoutMessages> = {
  language: "en",
  direction: "ltr",
  texts: {
    payTo: (merchant) => `Pay ${isolate(merchant)}`,
    test: "TEST · no real money",
    reference: "Reference",
    amount: "Amount",
    paying: "You pay",
    secondsLeft: (clock) => `${clock} left`,
    minuteLeft: "One minute left to pay.",
    terms: "Terms",
    privacy: "Privacy",
    newWindow: "opens in a new window",

    scan: {
      title: "Scan to pay",
      text: "Scan this code with your phone's camera or with a wallet app.",
    },
    qrCode: (merchant) => `QR code of the link to pay ${isolate(merchant)}`,
    openInWallet: "Open in wallet app",
    copyLink: "Copy link",
    copied: "Link copied",
    copyFailed: "That could not be copied.",
    inThisBrowser: "Pay with a wallet in this browser",
    or: "or scan",
    anyWallet: "This page follows along: as soon as you have paid, it shows here.",

    connecting: (wallet) => ({
      title: `Connect ${isolate(wallet)}`,
      text: `Allow this page to see your accounts in ${isolate(wallet)}.`,
    }),
    preparing: { title: "One moment", text: "Looking up how you can pay." },
    choose: (wallet) => ({
      title: "Choose how to pay",
      text: `Your accounts in ${isolate(wallet)} can pay in these ways.`,
    }),
    onNetwork: (network) => `on ${isolate(network)}`,
    recommended: "Recommended",
    filter: "Find a token or network",
    noMatch: "No way to pay has this in its name.",
    ways: (count) => (count === 1 ? "1 way to pay" : `${count} ways to pay`),
    aboutSeconds: (seconds) => `about ${seconds}\u00a0s`,
    aboutMinutes: (minutes) => `about ${minutes}\u00a0min`,
    networkFee: {
      none: "no network fee",
      maybe: "a network fee may apply",
      some: "plus a network fee",
    },
    steps: (least, most) => (least < most ? `${least} or ${most} steps` : `${most} steps`),
    needsData: "A short form first",
    form: { title: "Your details", text: "This payment needs a few details about you." },
    close: "Close",
    otherWay: "Pay another way",

    step: (step, steps) => `Step ${step} of ${steps}`,
    sign: (wallet) => ({
      title: `Sign in ${isolate(wallet)}`,
      text: `Open ${isolate(wallet)} and sign the payment. Signing costs no network fee.`,
    }),
    allow: (wallet) => ({
      title: `Allow in ${isolate(wallet)}`,
      text: `Open ${isolate(wallet)} and let the token be used for payments, up to the amount of this one. Nothing is paid by this step. It costs a network fee.`,
    }),
    send: (wallet) => ({
      title: `Send in ${isolate(wallet)}`,
      text: `Open ${isolate(wallet)} and send the payment. It costs a network fee.`,
    }),
    confirming: { title: "Sending your payment", text: "Keep this page open for a moment." },
    processing: {
      title: "Payment on its way",
      text: "The network is confirming it, mostly within a minute. You may leave this page: the payment goes on.",
    },

    noFit: (wallet) => ({
      title: "This wallet cannot pay this now",
      text: `No account that ${isolate(wallet)} shared holds enough of a token that is offered now.`,
    }),
    wouldDo: "Any one of these would do",
    checkAgain: "Check again",

    succeeded: (merchant) => ({
      title: "Paid",
      text: `${isolate(merchant)} has your payment. Thank you.`,
    }),
    unpaid: {
      failed: (merchant) => ({
        title: "Payment failed",
        text: `The payment could not be completed. Ask ${isolate(merchant)} for a new payment link.`,
      }),
      declined: () => ({
        title: "Payment declined",
        text: "This account cannot be used for payments here.",
      }),
      expired: (merchant) => ({
        title: "Time is up",
        text: `This payment was not paid in time. Ask ${isolate(merchant)} for a new payment link.`,
      }),
      cancelled: (merchant) => ({
        title: "Payment cancelled",
        text: `This payment was called off. Nothing more can be paid to ${isolate(merchant)} with this link.`,
      }),
    },
    ifSent: (merchant) =>
      `If money has left your account for this payment all the same, ask ${isolate(merchant)} to have it sent back, and show them the transaction's hash.`,
    whatYouSent: "What you sent",
    money: {
      unsigned: (merchant) =>
        `Do not pay again. Your wallet must still sign that it was you: go on with the same wallet and account. If you cannot, show ${isolate(merchant)} this transaction.`,
      untold: () => "Do not pay again. The service could not be told of it yet: try again.",
      unsignedLate: (merchant) =>
        `This did not pay ${isolate(merchant)}, and your wallet has not signed that it was you. Sign, so that the service hears of it and it can be sent back. If you cannot, show ${isolate(merchant)} this transaction.`,
      untoldLate: (merchant) =>
        `This did not pay ${isolate(merchant)}, and the service could not be told of it yet. Reload this page, so that the service hears of it and it can be sent back.`,
      told: (merchant) =>
        `This did not pay ${isolate(merchant)}. The service was told of it. If the network carried it out, ask ${isolate(merchant)} to have it sent back, and show them this transaction.`,
    },
    mayBeSentLate: (merchant) =>
      `Your wallet was asked to send this payment, and has not said whether it did. Look there: if it still asks, say no. If it was sent, ask ${isolate(merchant)} to have it sent back, and show them its hash.`,
    signIn: (wallet) => `Sign in ${isolate(wallet)}`,
    refused: {
      title: "This wallet cannot pay here",
      text: "None of its accounts can be used for payments here.",
    },
    absent: {
      title: "No such payment",
      text: "Check that the link is complete, or ask for a new one.",
    },
    transaction: "Transaction",
    copyHash: "Copy hash",
    hashCopied: "Hash copied",
    seeTransaction: "See transaction",
    print: "Print receipt",
    backTo: (merchant) => `Back to ${isolate(merchant)}`,
    leavingIn: (seconds) =>
      seconds === 1 ? "Taking you back in 1 second" : `Taking you back in ${seconds} seconds`,
    stay: "Stay here",

    halted: "Something is in the way",
    tryAgain: "Try again",
    reload: "Reload",
    rejected:
      "You said no in your wallet, so it did not do this step. Go on whenever you are ready.",
    pending: "Your wallet has a question open. Answer it there, then try again.",
    wrongNetwork: (network) =>
      `Your wallet did not change to ${isolate(network)}. Add or choose that network in your wallet, then try again.`,
    noAccount: "The wallet shared no account. Unlock it, then try again.",
    otherAccount:
      "The wallet shared another account. Choose there the one that sent this payment, then try again.",
    walletFailed:
      "The wallet did not answer as it should. Open it and look whether it sent anything, then try again.",
    offline: "The connection is gone. What your wallet has done so far is kept on this page.",
    stale: "This page has been open for a long time. Reload it to go on.",
    unsafe:
      "The service asked your wallet for something that this page does not allow, so your wallet was not asked.",
    service: "The service could not do this right now. Please try again.",
    optionExpired: "That offer ran out. Here is what is on offer now.",
    formClosed: "The form was closed before it was sent.",
    mayBeSent:
      "Your wallet was asked to send this payment, and has not said whether it did. Look there first: if it was sent, do not pay again, and show the merchant its hash. If not, choose the wallet to go on.",
    sent: "You have sent this payment.",
    unsigned: "You have sent this payment, and your wallet did not sign for it.",
    sentLate:
      "The offer ran out before the service heard that you sent the money, so it does not count. Do not pay again before you have asked the merchant.",
    goOn: "You have begun to pay. Choose the same wallet to go on where you stopped.",
  },
}
