/**
 * The data with which every part of the page is rendered, and what every screen gets in addition.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import type * as HostedPage from "@florin/api/wire/HostedPage"
import type { CheckoutMessages, ScreenText } from "../messages/CheckoutMessages.ts"
import * as Amounts from "../shared/Amounts.ts"
import type { Frame } from "./Frame.ts"
import type * as InjectedWallet from "./InjectedWallet.ts"
import type * as Machine from "./Machine.ts"
import type { Session } from "./Session.ts"

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
export const networkName = ({ page }: Pick<View, "page">, chain: string): string =>
  page.accepted.find(({ unit }) => Amounts.chainOf(unit) === chain)?.display.networkName ?? chain

export interface Props {
  readonly view: View
  readonly screen: Machine.Screen
  /** What the payer chose to pay with. */
  readonly chosen: Amount.Amount | undefined
  readonly wallets: ReadonlyArray<InjectedWallet.InjectedWallet>
  readonly money: MoneySent
  readonly session: Session
  /** Announces text to payers who cannot see the change. */
  readonly say: (text: string) => void
  /** The title and the text of the screen. The title gets the focus on every screen except the first. */
  readonly said: ScreenText
  readonly isFirst: boolean
}

/** Money that was sent and has not paid. */
interface MoneySent {
  readonly transfers: ReadonlyArray<Machine.OtherTransfer>
  readonly mayBeSent: boolean
}

export const isNone = ({ transfers, mayBeSent }: MoneySent): boolean =>
  transfers.length === 0 && !mayBeSent

export type On<Tag extends Machine.Screen["_tag"]> = Omit<Props, "screen"> & {
  readonly screen: Extract<Machine.Screen, { readonly _tag: Tag }>
}
