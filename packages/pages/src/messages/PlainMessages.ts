/**
 * Every text of the pages that run no script, and the English ones. The checkout's own texts serve them, too.
 *
 * @module
 */
import type { Catalogue } from "./Messages.ts"

export const english = {
  language: "en",
  texts: {
    notFound: {
      title: "Page not found",
      text: "There is nothing at this address. If you came to pay, check that the payment link is complete, or ask for a new one.",
    },
    needsScript:
      "This page needs JavaScript, which this browser does not run. To pay, open this link in a wallet app, or in a browser with JavaScript.",
    payBy: (time: string) => `Pay by ${time}`,
  },
} satisfies Catalogue<unknown>

export type PlainMessages = (typeof english)["texts"]
