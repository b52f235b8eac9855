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
    const kept = KeptPayment.load(store, paymentId)
    const resumed = kept !== undefined && KeptPayment.isOf(kept, accounts) ? kept : undefined
    go({ _tag: "Preparing" })

    let asks: Machine.Asks = "sign"
    const onProgress = (progress: Progress) => {
      if (progress._tag === "Executed") {
        const executed = { walletId: wallet?.id ?? "", resume: progress.resume }
        // What was begun and then left is dropped, unless the money went, or the wallet has meanwhile done all of it.
        if (!signal.aborted || asks === "send" || KeptPayment.isComplete(executed)) {
          KeptPayment.save(store, executed)
        }
      } else if (progress._tag === "Executing" && wallet !== undefined) {
        const { resume, step, steps } = progress
        asks = Machine.asksOf(resume)
        if (asks === "send" && !signal.aborted) {
          KeptPayment.save(store, { walletId: wallet.id, resume, mayBeSent: true })
        }
        go({ _tag: "Asking", wallet, step, steps, asks })
      } else if (progress._tag === "Confirming") {
        go({ _tag: "Confirming" })
      } else if (progress._tag === "Processing") {
        KeptPayment.remove(store, paymentId)
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
      ...(resumed === undefined ? {} : { resume: resumed.resume }),
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
    const isVoid = result._tag === "OptionExpired" || result._tag === "AlreadyFinal"
    if (isVoid || "paidHere" in result) KeptPayment.remove(store, paymentId)
    else KeptPayment.settle(store, paymentId)
    if (signal.aborted) return
    await ended(result, wallet, accounts, go)
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
        if (notice._tag === "Rejected" && result.resume === undefined) return chooseAgain(notice)
        const mayLeave =
          result.resume === undefined || !KeptPayment.isComplete({ resume: result.resume })
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
          ? { _tag: "Idle", notice }
          : { _tag: "Halted", notice, mayLeave: true },
      )
    }
  }

  return {
    resume: async () => {
      const kept = KeptPayment.load(store, paymentId)
      if (kept === undefined) return
      if (KeptPayment.isComplete(kept)) await run(undefined, [kept.resume.account])
      else {
        const notice = { _tag: kept.mayBeSent === true ? "MayBeSent" : "GoOn" } as const
        dispatch({ _tag: "Went", to: { _tag: "Idle", notice } })
      }
    },
    announced: async (wallet) => {
      if (seen.has(wallet.id)) return
      seen.add(wallet.id)
      dispatch({ _tag: "Announced", wallet })
      const kept = KeptPayment.load(store, paymentId)
      // One that may have sent the payment goes on only when the payer says so.
      const goesOn = kept?.walletId === wallet.id && kept.mayBeSent !== true
      if (goesOn && !KeptPayment.isComplete(kept)) {
        await connectWith(wallet, true)
      }
    },
    connect: (wallet) => connectWith(wallet, false),
    pick: (option) => chosen(option),
    collected: (isDone) => closed(isDone ? "completed" : undefined),
    again: () => retry(),
    leave: () => {
      const kept = KeptPayment.load(store, paymentId)
      if (kept !== undefined && !KeptPayment.isComplete(kept)) {
        KeptPayment.remove(store, paymentId)
      }
      const { go } = begin()
      go({ _tag: "Idle" })
    },
    stop: () => current.abort(),
  }
}
