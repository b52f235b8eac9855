/**
 * Every text of the data-collection page, and the English ones.
 *
 * @module
 */
import { isolate, type Catalogue } from "./Messages.ts"

export const english = {
  language: "en",
  texts: {
    /** The labels of fields. A field that is missing here has the service's own name, which is English. */
    fields: {
      fullName: "Full name",
      dob: "Date of birth",
      pobCountry: "Country of birth",
      pobAddress: "Place of birth",
      porCountry: "Country of residence",
      porAddress: "Address of residence",
      tosConfirmed: "I accept the terms and the privacy policy",
    },
    title: "Your details",
    /** Why the page asks the payer for data. */
    lead: (merchantName: string) =>
      `Your payment to ${isolate(merchantName)} needs a few details about you.`,
    /** Above the alternatives, such as birth or residence. */
    test: "TEST · no real money",
    oneOfThese: "Enter one of these",
    chooseCountry: "Choose a country",
    terms: "Terms",
    privacy: "Privacy policy",
    /** Introduces the links to both documents. */
    toRead: "Read before you accept",
    newWindow: "opens in a new window",
    send: "Accept and send",
    sending: "Sending …",
    problems: (count: number) =>
      count === 1 ? "1 field to correct" : `${count} fields to correct`,

    missing: (name: string) => `${name} is required.`,
    notAccepted: "Nothing is sent until you accept the terms and the privacy policy.",
    tooShort: (name: string, min: number) => `${name} needs at least ${min} characters.`,
    tooLong: (name: string, max: number) => `${name} can have at most ${max} characters.`,
    notADate: (name: string) => `${name} must be a complete date.`,
    malformed: (name: string) => `${name} has the wrong format.`,
    /** `message` is the server's, such as `must not be empty`. */
    refused: (name: string, message: string) => `${name} ${message}.`,

    notSent: "Your details were not saved. Check your connection and send them again.",
    doneTitle: "Thank you",
    done: "Your details are saved. Go back to your wallet to finish the payment.",
    closedTitle: "No details are needed any more",
    closed: {
      requires_action: "This payment does not need details now.",
      processing: "The payment is already on its way.",
      succeeded: "The payment is already paid.",
      failed: "The payment failed.",
      expired: "The payment has expired. Ask the merchant for a new one.",
      cancelled: "The payment was cancelled.",
    },
    absentTitle: "This page cannot be used",
    absent: "The link is wrong or has expired. Go back to your wallet and start again.",
  },
} satisfies Catalogue<unknown>

export type CollectMessages = (typeof english)["texts"]
