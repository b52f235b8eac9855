/**
 * Every text of the checkout page, and the English ones.
 *
 * @module
 */
import { isolate, type Catalogue } from "./Messages.ts"

export interface ScreenText {
  readonly title: string
  readonly text: string
}

/** Texts with a name or an amount are functions, so that each language can place it. */
export const english = {
  language: "en",
  texts: {
    payTo: (merchant: string) => `Pay ${isolate(merchant)}`,
    test: "TEST · no real money",
    reference: "Reference",
    amount: "Amount",
    recipient: "To",
    /** How many lines of the order are folded. */
    moreItems: (count: number) => (count === 1 ? "1 more item" : `${count} more items`),
    paying: "You pay",
    secondsLeft: (clock: string) => `${clock} left`,
    minuteLeft: "One minute left to pay.",
    terms: "Terms",
    privacy: "Privacy",
    newWindow: "opens in a new window",

    scan: {
      title: "Scan to pay",
      text: "Scan this code with your phone's camera or with a wallet app.",
    },
    qrCode: (merchant: string) => `QR code of the link to pay ${isolate(merchant)}`,
    inWalletApp: "Pay in your wallet app",
    /** What the link to a wallet app does, and who learns of it. */
    walletAppLink: "Opens this payment in the app. The maker of the app can see the payment link.",
    otherWalletApp: "Another wallet app",
    otherDevice: "Pay from another device",
    otherWallet: "Use another wallet",
    copyLink: "Copy link",
    copied: "Link copied",
    copyFailed: "Copying failed.",
    inThisBrowser: "Pay with a wallet in this browser",
    /** The name of a wallet that has not said its name. */
    namelessWallet: "Browser wallet",
    or: "or scan",
    anyWallet: "This page updates as soon as you have paid.",
    onAnotherDevice: "Connect a wallet on your phone or another device",
    pairing: {
      title: "Connect your wallet",
      text: "Scan this code with a wallet app, and allow the connection there.",
    },

    connecting: (wallet: string) => ({
      title: `Connect ${isolate(wallet)}`,
      text: `Allow this page to see your accounts in ${isolate(wallet)}.`,
    }),
    preparing: { title: "One moment", text: "Looking up how you can pay." },
    choose: (wallet: string) => ({
      title: "Choose how to pay",
      text: `Your accounts in ${isolate(wallet)} can pay in these ways.`,
    }),
    onNetwork: (network: string) => `on ${isolate(network)}`,
    recommended: "Recommended",
    filter: "Find a token or network",
    noMatch: "No way to pay matches this name.",
    ways: (count: number) => (count === 1 ? "1 way to pay" : `${count} ways to pay`),
    aboutSeconds: (seconds: number) => `about ${seconds}\u00a0s`,
    aboutMinutes: (minutes: number) => `about ${minutes}\u00a0min`,
    networkFee: {
      none: "no network fee",
      maybe: "a network fee may apply",
      some: "plus a network fee",
    },
    networkFeeAbout: (amount: string) => `network fee about ${amount}`,
    networkFeeBelow: (amount: string) => `network fee less than ${amount}`,
    balance: (amount: string) => `Balance ${amount}`,
    steps: (count: number) => `${count} steps`,
    /** Some languages count the smaller number, too: it comes as a number and as the text of `steps`. */
    stepsRange: (least: number, _leastSteps: string, mostSteps: string) =>
      `${least} or ${mostSteps}`,
    needsData: "A short form first",
    form: { title: "Your details", text: "This payment needs a few details about you." },
    close: "Close",
    otherWay: "Pay another way",

    step: (step: number, steps: number) => `Step ${step} of ${steps}`,
    sign: (wallet: string) => ({
      title: `Sign in ${isolate(wallet)}`,
      text: `Open ${isolate(wallet)} and sign the payment. Signing costs no network fee.`,
    }),
    allow: (wallet: string, amount: string) => ({
      title: `Allow in ${isolate(wallet)}`,
      text: `Open ${isolate(wallet)} and allow up to ${isolate(amount)} to be used for this payment. This step does not pay yet. It costs a network fee.`,
    }),
    send: (wallet: string) => ({
      title: `Send in ${isolate(wallet)}`,
      text: `Open ${isolate(wallet)} and send the payment. It costs a network fee.`,
    }),
    confirming: { title: "Sending your payment", text: "Keep this page open for a moment." },
    processing: {
      title: "Payment on its way",
      text: "The network is confirming it, usually within a minute. You can leave this page: the payment continues.",
    },
    confirmations: "Confirmations",
    blocks: (confirmed: number, needed: number) =>
      needed === 1 ? `${confirmed} of 1 block` : `${confirmed} of ${needed} blocks`,

    cancel: "Cancel payment",
    cancelling: (merchant: string) => ({
      title: "Cancel this payment?",
      text: `You can then no longer pay ${isolate(merchant)} with this link.`,
    }),
    keep: "Keep payment",

    noFit: (wallet: string) => ({
      title: "This wallet cannot pay now",
      text: `No account that ${isolate(wallet)} shared has enough of a token that is accepted now.`,
    }),
    wouldDo: "Any one of these is enough",
    checkAgain: "Check again",

    succeeded: (merchant: string) => ({
      title: "Paid",
      text: `${isolate(merchant)} has your payment. Thank you.`,
    }),
    unpaid: {
      failed: (merchant: string) => ({
        title: "Payment failed",
        text: `The payment could not be completed. Ask ${isolate(merchant)} for a new payment link.`,
      }),
      declined: () => ({
        title: "Payment declined",
        text: "This account cannot be used for payments here.",
      }),
      expired: (merchant: string) => ({
        title: "Time is up",
        text: `This payment was not paid in time. Ask ${isolate(merchant)} for a new payment link.`,
      }),
      cancelled: (merchant: string) => ({
        title: "Payment cancelled",
        text: `This payment was cancelled. You can no longer pay ${isolate(merchant)} with this link.`,
      }),
    },
    ifSent: (merchant: string) =>
      `If money for this payment has left your account anyway, ask ${isolate(merchant)} to send it back, and show them the transaction hash.`,
    whatYouSent: "What you sent",
    money: {
      unsigned: (merchant: string) =>
        `Do not pay again. Sign in your wallet to confirm that you sent this: continue with the same wallet and account. If you cannot, show ${isolate(merchant)} this transaction.`,
      unreported: () => "Do not pay again. The service does not know about it yet: try again.",
      unsignedLate: (merchant: string) =>
        `This did not pay ${isolate(merchant)}, and your wallet has not signed that you sent it. Sign, so that the service knows about it and the money can be sent back. If you cannot, show ${isolate(merchant)} this transaction.`,
      unreportedLate: (merchant: string) =>
        `This did not pay ${isolate(merchant)}, and the service does not know about it yet. Reload this page, so that the service knows and the money can be sent back.`,
      reported: (merchant: string) =>
        `This did not pay ${isolate(merchant)}. The service knows about it. If the network executed it, ask ${isolate(merchant)} to send the money back, and show them this transaction.`,
    },
    mayBeSentLate: (merchant: string) =>
      `Your wallet was asked to send this payment, and has not reported whether it did. Check your wallet: if it still asks, decline. If it sent the payment, ask ${isolate(merchant)} to send the money back, and show them the transaction hash.`,
    signIn: (wallet: string) => `Sign in ${isolate(wallet)}`,
    refused: {
      title: "This wallet cannot pay here",
      text: "None of its accounts can be used for payments here.",
    },
    transaction: "Transaction",
    copyHash: "Copy hash",
    hashCopied: "Hash copied",
    seeTransaction: "See transaction",
    print: "Print receipt",
    download: "Download receipt",
    receipt: "Receipt",
    issued: "Issued",
    /** What was refunded, and each refund before and after it is final. */
    refund: {
      whole: "This payment was refunded.",
      part: "A part of this payment was refunded.",
      open: "Refund in progress",
      sent: "Refund sent",
    },
    help: (merchant: string) => `Questions? Contact ${isolate(merchant)}`,
    helpPage: "Help page",
    backTo: (merchant: string) => `Back to ${isolate(merchant)}`,
    leavingIn: (seconds: number) =>
      seconds === 1 ? "Taking you back in 1 second" : `Taking you back in ${seconds} seconds`,
    stay: "Stay here",
    leave: {
      title: "Close the checkout?",
      text: "Your payment may be on its way. Stay until this page says that it has arrived.",
    },
    closeAnyway: "Close anyway",
    ownTab: {
      title: "Open in a new tab",
      text: "Is your wallet missing? Some wallets need a tab of their own.",
    },

    halted: {
      rejected: "Declined in your wallet",
      wallet: "Check your wallet",
      offline: "No connection",
      service: "Service unavailable",
      other: "Payment stopped",
    },
    tryAgain: "Try again",
    reload: "Reload",
    rejected:
      "You declined this step in your wallet, so it was not done. Continue when you are ready.",
    pending: "Your wallet has an open request. Respond to it there, then try again.",
    wrongNetwork: (network: string) =>
      `Your wallet did not switch to ${isolate(network)}. Add or select that network in your wallet, then try again.`,
    noAccount: "The wallet shared no account. Unlock it, then try again.",
    otherAccount:
      "The wallet shared another account. In the wallet, select the account that sent this payment, then try again.",
    walletFailed:
      "The wallet did not respond as expected. Open it and check whether it sent anything, then try again.",
    unreachable: "WalletConnect cannot be reached now. Try again, or pay another way.",
    disconnected:
      "The connection to your wallet ended. Open it and check whether it sent anything, then try again.",
    offline: "The connection was lost. This page keeps what your wallet has done so far.",
    stale: "This page has been open for a long time. Reload it to continue.",
    unsafe:
      "The service requested something that this page does not allow, so your wallet was not asked.",
    service: "The service could not do this now. Please try again.",
    optionExpired: "That offer has expired. These are the current offers.",
    formClosed: "The form was closed before it was sent.",
    mayBeSent:
      "Your wallet was asked to send this payment, and has not reported whether it did. Check your wallet first: if it sent the payment, do not pay again, and show the merchant the transaction hash. If not, choose the wallet to continue.",
    sent: "You have sent this payment.",
    unsigned: "You have sent this payment, but your wallet has not signed for it.",
    sentLate:
      "The service learned of your transfer only after the offer had expired, so it does not count as the payment. Ask the merchant before you pay again.",
    goOn: "You have already started to pay. Choose the same wallet to continue.",
  },
} satisfies Catalogue<unknown>

export type CheckoutMessages = (typeof english)["texts"]

/** Why the page waits for the payer. */
export type Cause = keyof CheckoutMessages["halted"]

/** Whether the payer pays a network fee: `maybe` if that is known only once the steps are built. */
export type NetworkFee = keyof CheckoutMessages["networkFee"]
