/**
 * The outcome of an attempt to pay: what the payer sees, and whether they may choose again.
 *
 * @module
 */
import { Refused, SignerFailed, UnsafeAction, type PayResult } from "@florin/client"
import * as InjectedWallet from "./InjectedWallet.ts"
import * as KeptPayment from "./KeptPayment.ts"
import type * as Machine from "./Machine.ts"

type Wallet = InjectedWallet.InjectedWallet

export type Outcome =
  | { readonly _tag: "Go"; readonly to: Machine.Step }
  | { readonly _tag: "ChooseAgain"; readonly notice?: Machine.Notice | undefined }
  | Extract<Machine.Event, { readonly _tag: "Heard" }>

const rejected = 4001
const pending = -32_002
const disconnected = 4900

/**
 * Only with these results is it certain that the wallet did not send: the payer declined, or the wallet was never asked
 * to send.
 */
export const isUnsent = (result: PayResult): boolean =>
  result._tag === "Stopped" &&
  result.error instanceof SignerFailed &&
  (result.error.cause instanceof InjectedWallet.WrongNetwork ||
    result.error.cause instanceof InjectedWallet.TooLate ||
    InjectedWallet.codeOf(result.error.cause) === rejected)

/** The notice for a wallet's error. */
export const noticeOfWallet = (cause: unknown): Machine.Notice => {
  switch (InjectedWallet.codeOf(cause)) {
    case pending:
      return { _tag: "Pending" }
    case rejected:
      return { _tag: "Rejected" }
    case disconnected:
      return { _tag: "Disconnected" }
    case "unreachable":
      return { _tag: "Unreachable" }
    default:
      return { _tag: "WalletFailed" }
  }
}

type Stopped = Extract<PayResult, { readonly _tag: "Stopped" }>

/** The notice for an error that stopped the payment. */
const noticeOf = (error: Stopped["error"]): Machine.Notice => {
  if (error instanceof SignerFailed) {
    const { cause } = error
    if (!(cause instanceof InjectedWallet.WrongNetwork)) return noticeOfWallet(cause)
    const isGone = InjectedWallet.codeOf(cause.cause) === disconnected
    return isGone ? { _tag: "Disconnected" } : { _tag: "WrongNetwork", chain: cause.chain }
  }
  if (error instanceof UnsafeAction) return { _tag: "Unsafe" }
  if (error instanceof Refused) return { _tag: error.status === 401 ? "Stale" : "Service" }
  return { _tag: error._tag === "Unreadable" ? "Service" : "Offline" }
}

/** Whether the wallet was not asked to send because the offer expires. */
const isOfExpiring = (error: Stopped["error"]): boolean =>
  error instanceof SignerFailed &&
  error.cause instanceof InjectedWallet.TooLate &&
  error.cause.lateness === "option"

const go = (to: Machine.Step): Outcome => ({ _tag: "Go", to })

const ofStopped = ({ error, resume }: Stopped, isUnsure: boolean): Outcome => {
  if (error instanceof Refused && error.code === "sanctioned_user") return go({ _tag: "Refused" })
  if (isOfExpiring(error)) {
    return isUnsure
      ? go({ _tag: "Idle" })
      : { _tag: "ChooseAgain", notice: { _tag: "OptionExpired" } }
  }
  const notice = noticeOf(error)
  if (resume !== undefined && KeptPayment.hasSent(resume)) {
    const isUnsigned =
      notice._tag === "Rejected" || notice._tag === "WalletFailed" || notice._tag === "Disconnected"
    const sent = isUnsigned ? ({ _tag: "Unsigned" } as const) : notice
    return go({ _tag: "Halted", notice: sent, mayLeave: false })
  }
  // Before the page shows other ways to pay, the payer must check what became of an earlier transaction.
  if (notice._tag === "Rejected" && isUnsure) return go({ _tag: "Idle" })
  if (notice._tag === "Rejected" && resume === undefined) return { _tag: "ChooseAgain", notice }
  const mayLeave = resume === undefined || !KeptPayment.isComplete({ resume })
  return go({ _tag: "Halted", notice, mayLeave })
}

/** The page's reaction to a result. `isUnsure` is true while another attempt may have sent the money. */
export const of = (result: PayResult, wallet: Wallet | undefined, isUnsure: boolean): Outcome => {
  switch (result._tag) {
    case "Succeeded":
      return { _tag: "Heard", status: { status: "succeeded", isFinal: true, info: result.paid } }
    case "Failed": {
      const { failureCode } = result
      return {
        _tag: "Heard",
        status: { status: "failed", isFinal: true, info: null, failureCode },
      }
    }
    // The page's own watching reports the rest.
    case "AlreadyFinal":
    case "Unwatched":
    case "NotAPaymentLink":
      return go({ _tag: "Idle" })
    case "NoOption":
      return go(wallet === undefined ? { _tag: "Idle" } : { _tag: "NoFit", wallet })
    case "OptionExpired":
      return { _tag: "ChooseAgain", notice: { _tag: "OptionExpired" } }
    case "Declined":
    case "DataMissing":
    case "DataNeeded":
      return { _tag: "ChooseAgain", notice: { _tag: "FormClosed" } }
    case "Stopped":
      return ofStopped(result, isUnsure)
  }
}
