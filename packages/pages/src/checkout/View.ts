/**
 * What every part of the page is drawn with.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import type { CheckoutMessages } from "../messages/CheckoutMessages.ts"
import * as Amounts from "../shared/Amounts.ts"

export interface View {
  readonly page: HostedPage.Checkout
  readonly messages: CheckoutMessages
  /** BCP 47, of the messages. */
  readonly language: string
  /** BCP 47; amounts and times are written in it. */
  readonly locale: string
  /** The page's own origin. */
  readonly origin: string
  /** The server's time in epoch milliseconds. */
  readonly now: () => number
}

/** A chain as people call it, or its identifier where no token of the payment is on it. */
export const networkName = ({ page }: View, chain: string): string =>
  page.accepted.find(({ unit }) => Amounts.chainOf(unit) === chain)?.display.networkName ?? chain
