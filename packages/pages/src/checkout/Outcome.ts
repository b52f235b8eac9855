/**
 * How an attempt to pay ended: what the payer is told, and whether they may choose again.
 *
 * @module
 */
import { Refused, SignerFailed, UnsafeAction, type PayResult } from "@florin/client"
import * as InjectedWallet from "./InjectedWallet.ts"
import * as KeptPayment from "./KeptPayment.ts"
import * as Machine from "./Machine.ts"

type Wallet = InjectedWallet.InjectedWallet

export type Outcome =
  | { readonly _tag: "Go"; readonly to: Machine.Step }
  | { readonly _tag: "ChooseAgain"; readonly notice?: Machine.Notice | undefined }
  | Extract<Machine.Event, { readonly _tag: "Heard" }>

const rejected = 4001
const pending = -32_002

/** Only then is it known that the wallet did not send: the payer said no, or it was never asked to. */
export const isUnsent = (result: PayResult): boolean =>
  result._tag === "Stopped" &&
  result.error instanceof SignerFailed &&
  (result.error.cause instanceof InjectedWallet.WrongNetwork ||
    result.error.cause instanceof InjectedWallet.TooLate ||
    InjectedWallet.codeOf(result.error.cause) === rejected)

/** What a wallet that failed is to the payer. */
export const noticeOfWallet = (cause: unknown): Machine.Notice => {
  if (InjectedWallet.codeOf(cause) === pending) return { _tag: "Pending" }
  return InjectedWallet.codeOf(cause) === rejected ? { _tag: "Rejected" } : { _tag: "WalletFailed" }
}

type Stopped = Extract<PayResult, { readonly _tag: "Stopped" }>

/** What stands in the way, for the payer. */
const noticeOf = (error: Stopped["error"]): Machine.Notice => {
  if (error instanceof SignerFailed) {
    const { cause } = error
    return cause instanceof InjectedWallet.WrongNetwork
      ? { _tag: "WrongNetwork", chain: cause.chain }
      : noticeOfWallet(cause)
  }
  if (error instanceof UnsafeAction) return { _tag: "Unsafe" }
  if (error instanceof Refused) return { _tag: error.status === 401 ? "Stale" : "Service" }
  return { _tag: error._tag === "Unreadable" ? "Service" : "Offline" }
}

const go = (to: Machine.Step): Outcome => ({ _tag: "Go", to })

const ofStopped = ({ error, resume }: Stopped, isUnsure: boolean): Outcome => {
  if (error instanceof Refused && error.code === "sanctioned_user") return go({ _tag: "Refused" })
  const notice = noticeOf(error)
  if (resume !== undefined && Machine.hasSent(resume)) {
    const isUnsigned = notice._tag === "Rejected" || notice._tag === "WalletFailed"
    const sent = isUnsigned ? ({ _tag: "Unsigned" } as const) : notice
    return go({ _tag: "Halted", notice: sent, mayLeave: false })
  }
  // Before other ways are shown, the payer is to look what became of an earlier one.
  if (notice._tag === "Rejected" && isUnsure) return go({ _tag: "Idle" })
  if (notice._tag === "Rejected" && resume === undefined) return { _tag: "ChooseAgain", notice }
  const mayLeave = resume === undefined || !KeptPayment.isComplete({ resume })
  return go({ _tag: "Halted", notice, mayLeave })
}

/** What follows a result; `isUnsure` while another attempt may have sent the money. */
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
    // The page's own watching tells the rest.
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
