/**
 * What screens show of payments in the same way.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"
import { at } from "../shell/Path.ts"
import * as Reader from "../shell/Reader.ts"

/** The requested amount, in a currency or in a token. */
export const requested = ({ fiatAmount, tokenAmount }: Payment.Item): string => {
  const amount = fiatAmount ?? tokenAmount
  return amount === undefined ? "" : Reader.amount(amount)
}

/** Token and network, such as `USDC · Base`. */
export const way = ({ tokenAmount }: Payment.Item): string =>
  [tokenAmount?.display.assetSymbol, tokenAmount?.display.networkName]
    .filter((text) => text !== undefined)
    .join(" · ")

/** Where a payment is shown. The API reads it for its merchant only. */
export const toPayment = (paymentId: string, merchantId: string): string =>
  at`/payments/${paymentId}?merchantId=${merchantId}`
