/**
 * The words of each screen: its title, its text, and its notices.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import type { Cause, ScreenText } from "../messages/CheckoutMessages.ts"
import * as Amounts from "../shared/Amounts.ts"
import type * as Machine from "./Machine.ts"
import { networkName, type On, type View } from "./View.ts"

/** The text of each notice, and why the page waits for the payer if it stops there. */
const notices: {
  readonly [T in Machine.Notice["_tag"]]: readonly [text: Uncapitalize<T>, cause: Cause]
} = {
  WrongNetwork: ["wrongNetwork", "wallet"],
  Rejected: ["rejected", "rejected"],
  Pending: ["pending", "wallet"],
  NoAccount: ["noAccount", "wallet"],
  OtherAccount: ["otherAccount", "wallet"],
  WalletFailed: ["walletFailed", "wallet"],
  Unreachable: ["unreachable", "offline"],
  Disconnected: ["disconnected", "wallet"],
  Offline: ["offline", "offline"],
  Stale: ["stale", "other"],
  Unsafe: ["unsafe", "other"],
  Service: ["service", "service"],
  OptionExpired: ["optionExpired", "other"],
  FormClosed: ["formClosed", "other"],
  GoOn: ["goOn", "other"],
  MayBeSent: ["mayBeSent", "other"],
  Sent: ["sent", "other"],
  Unsigned: ["unsigned", "other"],
  SentLate: ["sentLate", "other"],
}

type Speaking = Pick<View, "locale" | "messages" | "page">

export const noticeText = (view: Speaking, notice: Machine.Notice): string =>
  notice._tag === "WrongNetwork"
    ? view.messages.wrongNetwork(networkName(view, notice.chain))
    : view.messages[notices[notice._tag][0]]

/** A payer who has sent the money sees no other way to pay. */
export const isAfterSending = ({ notice }: Pick<On<"Waiting">["screen"], "notice">): boolean =>
  notice?._tag === "Sent" || notice?._tag === "SentLate"

/** The text that a screen announces. `chosen` is what the payer chose to pay with. */
export const screenText = (
  view: Speaking,
  screen: Machine.Screen,
  chosen: Amount.Amount | undefined,
): ScreenText => {
  const { locale, messages, page } = view
  const merchant = page.info.merchant.name
  switch (screen._tag) {
    case "Waiting":
      return {
        title: messages.payTo(merchant),
        text: isAfterSending(screen) ? messages.sent : messages.scan.text,
      }
    case "Connecting":
      return screen.wallet.remote === undefined
        ? messages.connecting(screen.wallet.name)
        : messages.pairing
    case "Preparing":
      return messages.preparing
    case "Choosing":
      return messages.choose(screen.wallet.name)
    case "Collecting":
      return messages.form
    case "Asking":
      return messages[screen.asks](
        screen.wallet.name,
        Amounts.format(chosen ?? page.info.amount, locale),
      )
    case "Confirming":
      return messages.confirming
    case "Processing":
      return messages.processing
    case "NoFit":
      return messages.noFit(screen.wallet.name)
    case "Refused":
      return messages.refused
    case "Halted":
      return {
        title: messages.halted[notices[screen.notice._tag][1]],
        text: noticeText(view, screen.notice),
      }
    case "Succeeded":
      return messages.succeeded(merchant)
    case "Unpaid":
      return messages.unpaid[screen.how](merchant)
  }
}
