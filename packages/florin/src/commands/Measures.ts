/**
 * What an operator does to a partner or a merchant that is not trusted: a command for each measure, in the same words.
 *
 * @module
 */
import type * as Merchant from "@florin/core/domain/Merchant"

interface Words {
  readonly short: string
  readonly description: string
  /** What is true then. */
  readonly done: string
}

export const words: { readonly [M in Merchant.Measure]: Words } = {
  suspend: {
    short: "Take no new payments",
    description:
      "Refuse new payments. Payments that are open already can still be paid, and money still goes out: freeze stops that.",
    done: "takes no new payments",
  },
  resume: {
    short: "Take new payments again",
    description: "Take new payments again after suspend.",
    done: "takes new payments again",
  },
  freeze: {
    short: "Pay nothing out",
    description:
      "Send no payout, refund or return of late money. What is signed already is still sent, and new payments are still taken: suspend stops these.",
    done: "is frozen: nothing is paid out, refunded or returned",
  },
  unfreeze: {
    short: "Pay out again",
    description: "Pay out again after freeze. What waited is sent within 10 minutes.",
    done: "is not frozen any more: what waited is sent within 10 minutes",
  },
}

export const storageNote = "This is for the operator: it opens the storage."
