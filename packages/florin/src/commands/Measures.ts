/**
 * The measures of an operator against a partner or a merchant that is not trusted: what holds after each, in the same
 * words for both.
 *
 * @module
 */
import type * as Merchant from "@florin/core/domain/partner/Merchant"

export const done: { readonly [M in Merchant.Measure]: string } = {
  suspend: "does not accept new payments",
  resume: "accepts new payments again",
  freeze: "is frozen: nothing is paid out, refunded or returned",
  unfreeze: "is not frozen any more: transfers that waited are sent within 10 minutes",
}
