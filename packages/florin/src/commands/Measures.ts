/**
 * The measures of an operator against a partner or a merchant that is not trusted: one command each, with the same
 * words for both.
 *
 * @module
 */
import type * as Merchant from "@florin/core/domain/partner/Merchant"

interface Words {
  readonly short: string
  readonly description: string
  /** The message after the measure is applied. */
  readonly done: string
}

export const words: { readonly [M in Merchant.Measure]: Words } = {
  suspend: {
    short: "Refuse new payments",
    description:
      "Refuse new payments. Open payments can still be paid, and payouts and refunds continue. Use freeze to stop these.",
    done: "does not accept new payments",
  },
  resume: {
    short: "Accept new payments again",
    description: "Accept new payments again after suspend.",
    done: "accepts new payments again",
  },
  freeze: {
    short: "Stop payouts, refunds and returns",
    description:
      "Stop payouts, refunds and returns of late money. Transactions that are signed already are still sent. New payments are still accepted; use suspend to refuse them.",
    done: "is frozen: nothing is paid out, refunded or returned",
  },
  unfreeze: {
    short: "Allow payouts, refunds and returns again",
    description:
      "Allow payouts, refunds and returns again after freeze. Transfers that waited are sent within 10 minutes.",
    done: "is not frozen any more: transfers that waited are sent within 10 minutes",
  },
}
