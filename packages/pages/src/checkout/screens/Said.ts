/**
 * The words of each screen: its title, its text, and its notices.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import type { Cause, Said } from "../../messages/CheckoutMessages.ts"
import * as Amounts from "../../shared/Amounts.ts"
import type * as Machine from "../Machine.ts"
import { networkName, type View } from "../View.ts"
import type { On } from "./Screen.ts"

export const noticeText = (view: View, notice: Machine.Notice): string => {
  const { messages } = view
  switch (notice._tag) {
    case "WrongNetwork":
      return messages.wrongNetwork(networkName(view, notice.chain))
    case "Rejected":
      return messages.rejected
    case "Pending":
      return messages.pending
    case "NoAccount":
      return messages.noAccount
    case "OtherAccount":
      return messages.otherAccount
    case "WalletFailed":
      return messages.walletFailed
    case "Disconnected":
      return messages.disconnected
    case "Offline":
      return messages.offline
    case "Stale":
      return messages.stale
    case "Unsafe":
      return messages.unsafe
    case "Service":
      return messages.service
    case "OptionExpired":
      return messages.optionExpired
    case "FormClosed":
      return messages.formClosed
    case "GoOn":
      return messages.goOn
    case "MayBeSent":
      return messages.mayBeSent
    case "Sent":
      return messages.sent
    case "Unsigned":
      return messages.unsigned
    case "SentLate":
      return messages.sentLate
  }
}

const causeOf = ({ _tag }: Machine.Notice): Cause => {
  switch (_tag) {
    case "Rejected":
      return "rejected"
    case "Pending":
    case "WrongNetwork":
    case "NoAccount":
    case "OtherAccount":
    case "WalletFailed":
    case "Disconnected":
      return "wallet"
    case "Offline":
      return "offline"
    case "Service":
      return "service"
    default:
      return "other"
  }
}

/** A payer who has sent the money sees no other way to pay. */
export const isAfterSending = ({ notice }: Pick<On<"Waiting">["screen"], "notice">): boolean =>
  notice?._tag === "Sent" || notice?._tag === "SentLate"

/** The text that a screen announces. `chosen` is what the payer chose to pay with. */
export const saidBy = (
  view: View,
  screen: Machine.Screen,
  chosen: Amount.Amount | undefined,
): Said => {
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
        title: messages.halted[causeOf(screen.notice)],
        text: noticeText(view, screen.notice),
      }
    case "Succeeded":
      return messages.succeeded(merchant)
    case "Unpaid":
      return messages.unpaid[screen.how](merchant)
  }
}
