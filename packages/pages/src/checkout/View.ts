/**
 * The data with which every part of the page is rendered.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import type { CheckoutMessages } from "../messages/CheckoutMessages.ts"
import * as Amounts from "../shared/Amounts.ts"
import type { Frame } from "./Frame.ts"

export interface View {
  readonly page: HostedPage.Checkout
  readonly messages: CheckoutMessages
  /** The language of the messages, as BCP 47. */
  readonly language: string
  /** The format of amounts and times, as BCP 47. */
  readonly locale: string
  /** The page's own origin. */
  readonly origin: string
  /** The server's time in epoch milliseconds. */
  readonly now: () => number
  /** The frame in a shop's page that the checkout is shown in. */
  readonly frame?: Frame | undefined
}

/** A chain's display name, or its identifier if no token of the payment is on it. */
export const networkName = ({ page }: View, chain: string): string =>
  page.accepted.find(({ unit }) => Amounts.chainOf(unit) === chain)?.display.networkName ?? chain
