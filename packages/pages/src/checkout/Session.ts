/**
 * One payer's attempt to pay on this page: drives `pay` with an injected wallet, and tells the machine what happens.
 *
 * Only the newest attempt is heard. An older one that was left while its wallet was asking may still end: what the
 * payer signed in it is kept all the same.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import type * as Option from "@florin/api/wire/Option"
import {
  pay,
  Refused,
  SignerFailed,
  UnsafeAction,
  type PayOptions,
  type PayResult,
  type Progress,
  type Resume,
} from "@florin/client"
import * as Amounts from "./Amounts.ts"
import * as InjectedWallet from "./InjectedWallet.ts"
import * as KeptPayment from "./KeptPayment.ts"
import * as Machine from "./Machine.ts"

export interface Options {
  readonly page: Pick<HostedPage.Checkout, "accepted" | "paymentId">
  readonly connection: Pick<PayOptions, "apiKey" | "baseUrl" | "fetch" | "timing">
  readonly store: Pick<Storage, "getItem" | "setItem" | "removeItem">
  /** The form's address on the page's own origin; undefined for one that leads elsewhere. */
  readonly formOf: (url: string) => string | undefined
  readonly dispatch: (event: Machine.Event) => void
}

export interface Session {
  /** Hands in what was signed before a reload; a wallet that was midway is waited for. */
  readonly resume: () => Promise<void>
  /** A wallet came up: goes on with it if it was midway, and cannot have sent the payment. */
  readonly announced: (wallet: InjectedWallet.InjectedWallet) => Promise<void>
  readonly connect: (wallet: InjectedWallet.InjectedWallet) => Promise<void>
  readonly pick: (option: Option.PaymentOption) => void
  readonly collected: (isDone: boolean) => void
  /** Goes on after something was in the way. */
  readonly again: () => Promise<void>
  /** Back to the start, whatever is going on. */
  readonly leave: () => void
  /** The payment needs nothing from here any more. */
  readonly stop: () => void
}

type Wallet = InjectedWallet.InjectedWallet

const gone: InjectedWallet.Provider = {
  request: () => Promise.reject(new Error("the wallet that was midway is not here")),
}

/** How long a call is held: the payer is to see soon that the payment was taken. */
const heldForInMs = 2_000
const rejected = 4001
const pending = -32_002

/** Only then is it known that the wallet did not send: the payer said no, or it was never asked to. */
const isUnsent = (result: PayResult): boolean =>
  result._tag === "Stopped" &&
  result.error instanceof SignerFailed &&
  (result.error.cause instanceof InjectedWallet.WrongNetwork ||
    InjectedWallet.codeOf(result.error.cause) === rejected)

/** What the payer must know of before anything else is said; undefined where no money is on its way. */
const noticeOfMoney = (kept: KeptPayment.KeptPayment | undefined): Machine.Notice | undefined => {
  if (kept === undefined) return undefined
  if (Machine.hasSent(kept.resume)) return { _tag: "Sent" }
  return kept.mayBeSent === true ? { _tag: "MayBeSent" } : undefined
}

const noticeOfWallet = (cause: unknown): Machine.Notice => {
  if (InjectedWallet.codeOf(cause) === pending) return { _tag: "Pending" }
  return InjectedWallet.codeOf(cause) === rejected ? { _tag: "Rejected" } : { _tag: "WalletFailed" }
}

/** What stands in the way, for the payer. */
const noticeOf = (
  error: Extract<PayResult, { readonly _tag: "Stopped" }>["error"],
): Machine.Notice => {
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

export const make = ({ page, connection, store, formOf, dispatch }: Options): Session => {
  const { paymentId } = page
  const chains = new Set(page.accepted.flatMap(({ unit }) => Amounts.chainOf(unit) ?? []))
  /** Wallets announce themselves again whenever anybody asks, also while one of them is signing. */
  const seen = new Set<string>()
  const load = () => KeptPayment.load(store, paymentId)
  /** The attempts that may have sent the money, and have not said that they did not; one of them may be before a reload. */
  const unsure = new Set<unknown>(load()?.mayBeSent === true ? ["before"] : [])
  const keep = (walletId: string, resume: Resume) =>
    KeptPayment.save(store, { walletId, resume, ...(unsure.size > 0 ? { mayBeSent: true } : {}) })
  let current = new AbortController()
  let retry: () => Promise<void> = () => Promise.resolve()
  let chosen: (option: Option.PaymentOption | undefined) => void = () => undefined
  let closed: (outcome: "completed" | undefined) => void = () => undefined

  const begin = () => {
    current.abort()
    current = new AbortController()
    const { signal } = current
    /** Says nothing for an attempt that was left. */
    const go = (to: Machine.Step) => {
      if (!signal.aborted) dispatch({ _tag: "Went", to })
    }
    // An attempt that is left while the payer is choosing ends as if nothing was chosen.
    signal.addEventListener("abort", () => {
      chosen(undefined)
      closed(undefined)
    })
    return { signal, go }
  }

  /** Pays with accounts that are known. `wallet` is undefined where only handing in is left. */
  const run = async (
    wallet: Wallet | undefined,
    accounts: ReadonlyArray<string>,
    notice?: Machine.Notice,
  ): Promise<void> => {
    const { signal, go } = begin()
    retry = () => run(wallet, accounts)
    const kept = load()
    // Where the wallet has given nothing, there is nothing to go on from, and the payer chooses anew.
    const isResumed =
      kept !== undefined && kept.resume.outputs.length > 0 && KeptPayment.isOf(kept, accounts)
    if (!isResumed && kept !== undefined && Machine.hasSent(kept.resume)) {
      return go({ _tag: "Idle", notice: noticeOfMoney(kept) })
    }
    let own = isResumed ? kept.resume : undefined
    go({ _tag: "Preparing" })

    let asks: Machine.Asks = "sign"
    const onProgress = (progress: Progress) => {
      if (progress._tag === "Executed") {
        own = progress.resume
        if (asks === "send") unsure.delete(signal)
        // What was begun and then left is dropped, unless the money went, or the wallet has meanwhile done all of it.
        if (!signal.aborted || asks === "send" || KeptPayment.isComplete(progress)) {
          keep(wallet?.id ?? "", progress.resume)
        }
      } else if (progress._tag === "Executing" && wallet !== undefined) {
        const { resume, step, steps } = progress
        asks = Machine.asksOf(resume)
        if (asks === "send") {
          unsure.add(signal)
          keep(wallet.id, resume)
        }
        go({ _tag: "Asking", wallet, step, steps, asks, mayLeave: !Machine.hasSent(resume) })
      } else if (progress._tag === "Confirming") {
        go({ _tag: "Confirming" })
      } else if (progress._tag === "Processing") {
        if (own !== undefined) KeptPayment.handedIn(store, own)
        dispatch({ _tag: "Accepted" })
      }
    }
    const result = await pay(paymentId, {
      ...connection,
      // The id is given as it is, so no host is trusted with it.
      payLinkHost: "invalid",
      accounts,
      signer: InjectedWallet.signer(wallet?.provider ?? gone),
      maxPollMs: heldForInMs,
      signal,
      onProgress,
      ...(own === undefined ? {} : { resume: own }),
      chooseOption: (options) =>
        new Promise((resolve) => {
          chosen = (option) => {
            if (option !== undefined) go({ _tag: "Preparing" })
            resolve(option)
          }
          if (wallet !== undefined) go({ _tag: "Choosing", wallet, options, notice })
        }),
      collectData: ({ url }) =>
        new Promise((resolve) => {
          closed = resolve
          const form = formOf(url)
          if (form === undefined) resolve(undefined)
          else go({ _tag: "Collecting", url: form })
        }),
    })
    const isLate = result._tag === "OptionExpired"
    const isOver = isLate || result._tag === "AlreadyFinal" || "paidHere" in result
    const isSentLate = isLate && own !== undefined && Machine.hasSent(own)
    if (isOver && !isSentLate && own !== undefined) KeptPayment.handedIn(store, own)
    // A no is the answer of this attempt alone.
    if (isUnsent(result) && unsure.delete(signal) && unsure.size === 0) {
      KeptPayment.settle(store, paymentId)
    }
    if (signal.aborted) return
    if (unsure.has(signal)) go({ _tag: "Idle", notice: { _tag: "MayBeSent" } })
    // Whoever sent the money is not told that nothing happened, and offered to send it again.
    else if (isSentLate) go({ _tag: "Halted", notice: { _tag: "Sent" }, mayLeave: false })
    else await ended(result, wallet, accounts, go)
  }

  const ended = (
    result: PayResult,
    wallet: Wallet | undefined,
    accounts: ReadonlyArray<string>,
    go: (to: Machine.Step) => void,
  ): Promise<void> | void => {
    const chooseAgain = (notice?: Machine.Notice) =>
      wallet === undefined ? go({ _tag: "Idle", notice }) : run(wallet, accounts, notice)
    switch (result._tag) {
      case "Succeeded":
        return dispatch({
          _tag: "Heard",
          status: { status: "succeeded", isFinal: true, info: result.paid },
        })
      case "Failed":
        return dispatch({
          _tag: "Heard",
          status: { status: "failed", isFinal: true, info: null, failureCode: result.failureCode },
        })
      // The page's own watching tells the rest.
      case "AlreadyFinal":
      case "Unwatched":
      case "NotAPaymentLink":
        return go({ _tag: "Idle" })
      case "NoOption":
        return wallet === undefined ? go({ _tag: "Idle" }) : go({ _tag: "NoFit", wallet })
      case "OptionExpired":
        return chooseAgain({ _tag: "OptionExpired" })
      case "Declined":
      case "DataMissing":
      case "DataNeeded":
        return chooseAgain({ _tag: "FormClosed" })
      case "Stopped": {
        const { error } = result
        if (error instanceof Refused && error.code === "sanctioned_user") {
          return go({ _tag: "Refused" })
        }
        const notice = noticeOf(error)
        const { resume } = result
        if (resume !== undefined && Machine.hasSent(resume)) {
          const saysWhatWasPaid = notice._tag === "Rejected" || notice._tag === "WalletFailed"
          const sent = saysWhatWasPaid ? ({ _tag: "Sent" } as const) : notice
          return go({ _tag: "Halted", notice: sent, mayLeave: false })
        }
        // That nothing was paid is said only where it is known.
        if (notice._tag === "Rejected" && unsure.size > 0) {
          return go({ _tag: "Idle", notice: { _tag: "MayBeSent" } })
        }
        if (notice._tag === "Rejected" && resume === undefined) return chooseAgain(notice)
        const mayLeave = resume === undefined || !KeptPayment.isComplete({ resume })
        return go({ _tag: "Halted", notice, mayLeave })
      }
    }
  }

  const connectWith = async (wallet: Wallet, silent: boolean): Promise<void> => {
    const { signal, go } = begin()
    retry = () => connectWith(wallet, false)
    if (!silent) go({ _tag: "Connecting", wallet })
    try {
      const held = await InjectedWallet.addresses(wallet.provider, silent)
      if (signal.aborted) return
      if (held.length > 0) {
        await run(wallet, InjectedWallet.accounts(held, chains))
      } else if (!silent) {
        go({ _tag: "Halted", notice: { _tag: "NoAccount" }, mayLeave: true })
      }
    } catch (error) {
      const notice = noticeOfWallet(error)
      if (silent) return
      go(
        notice._tag === "Rejected"
          ? { _tag: "Idle", notice: noticeOfMoney(load()) ?? notice }
          : { _tag: "Halted", notice, mayLeave: true },
      )
    }
  }

  const leave = () => {
    const kept = load()
    const notice = noticeOfMoney(kept)
    if (notice === undefined && kept !== undefined && !KeptPayment.isComplete(kept)) {
      KeptPayment.remove(store, paymentId)
    }
    const { go } = begin()
    go({ _tag: "Idle", notice })
  }

  return {
    resume: async () => {
      const kept = load()
      if (kept === undefined) return
      if (KeptPayment.isComplete(kept)) await run(undefined, [kept.resume.account])
      else {
        const notice = noticeOfMoney(kept) ?? ({ _tag: "GoOn" } as const)
        dispatch({ _tag: "Went", to: { _tag: "Idle", notice } })
      }
    },
    announced: async (wallet) => {
      if (seen.has(wallet.id)) return
      seen.add(wallet.id)
      dispatch({ _tag: "Announced", wallet })
      const kept = load()
      // One that may have sent the payment goes on only when the payer says so.
      const goesOn = kept?.walletId === wallet.id && kept.mayBeSent !== true
      if (goesOn && !KeptPayment.isComplete(kept)) {
        await connectWith(wallet, true)
      }
    },
    connect: (wallet) => connectWith(wallet, false),
    pick: (option) => {
      // The wallet may have said only now that it sent what was asked for in an attempt that was left.
      const kept = load()
      if (kept !== undefined && Machine.hasSent(kept.resume)) leave()
      else chosen(option)
    },
    collected: (isDone) => closed(isDone ? "completed" : undefined),
    again: () => retry(),
    leave,
    stop: () => current.abort(),
  }
}
