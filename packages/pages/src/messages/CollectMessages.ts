/**
 * Every text of the data-collection page, and the English ones.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import { isolate, type Catalogue } from "./Messages.ts"

/** The fields of the interface, by their ids. */
type FieldId =
  | "dob"
  | "fullName"
  | "pobAddress"
  | "pobCountry"
  | "porAddress"
  | "porCountry"
  | "tosConfirmed"

export interface CollectMessages {
  /** The labels of fields. A field that is missing here has the service's own name, which is English. */
  readonly fields: Readonly<Record<FieldId, string>>
  readonly title: string
  /** Why the page asks the payer for data. */
  readonly lead: (merchantName: string) => string
  /** Above the alternatives, such as birth or residence. */
  readonly test: string
  readonly oneOfThese: string
  readonly chooseCountry: string
  readonly terms: string
  readonly privacy: string
  /** Introduces the links to both documents. */
  readonly toRead: string
  readonly newWindow: string
  readonly send: string
  readonly sending: string
  readonly problems: (count: number) => string

  readonly missing: (name: string) => string
  readonly notAccepted: string
  readonly tooShort: (name: string, min: number) => string
  readonly tooLong: (name: string, max: number) => string
  readonly notADate: (name: string) => string
  readonly malformed: (name: string) => string
  /** `message` is the server's, such as `must not be empty`. */
  readonly refused: (name: string, message: string) => string

  readonly notSent: string
  readonly doneTitle: string
  readonly done: string
  readonly closedTitle: string
  readonly closed: { readonly [Status in NonNullable<HostedPage.Collect["closed"]>]: string }
  readonly absentTitle: string
  readonly absent: string
}

export const english: Catalogue<CollectMessages> = {
  language: "en",
  direction: "ltr",
  texts: {
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
    lead: (merchantName) =>
      `Your payment to ${isolate(merchantName)} needs a few details about you.`,
    test: "TEST · no real money",
    oneOfThese: "Enter one of these",
    chooseCountry: "Choose a country",
    terms: "Terms",
    privacy: "Privacy policy",
    toRead: "Read before you accept",
    newWindow: "opens in a new window",
    send: "Accept and send",
    sending: "Sending …",
    problems: (count) => (count === 1 ? "1 field to correct" : `${count} fields to correct`),

    missing: (name) => `${name} is required.`,
    notAccepted: "Nothing is sent until you accept the terms and the privacy policy.",
    tooShort: (name, min) => `${name} needs at least ${min} characters.`,
    tooLong: (name, max) => `${name} can have at most ${max} characters.`,
    notADate: (name) => `${name} must be a complete date.`,
    malformed: (name) => `${name} has the wrong format.`,
    refused: (name, message) => `${name} ${message}.`,

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
}
