/**
 * One payer's attempt to pay on this page: runs `pay` with an injected wallet, and reports to the state machine.
 *
 * Only the newest attempt is shown. An older attempt that the payer left while its wallet was asking may still finish:
 * what the payer signed in it is stored all the same.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import type * as HostedPage from "@florin/api/wire/HostedPage"
import type * as Option from "@florin/api/wire/Option"
import {
  asksOf,
  makeWallet,
  payById,
  sentHash,
  type Asks,
  type PayOptions,
  type PayResult,
  type Progress,
  Refused,
  type Resume,
} from "@florin/client"
import * as Amounts from "../shared/Amounts.ts"
import * as AcceptedAmount from "./AcceptedAmount.ts"
import * as InjectedWallet from "./InjectedWallet.ts"
import * as KeptPayment from "./KeptPayment.ts"
import * as Machine from "./Machine.ts"
import * as Outcome from "./Outcome.ts"
import * as SentMoney from "./SentMoney.ts"
import type * as TabStore from "./TabStore.ts"

export interface Options {
  readonly page: Pick<HostedPage.Checkout, "accepted" | "paymentId">
  readonly connection: Pick<PayOptions, "apiKey" | "baseUrl" | "fetch" | "timing">
  readonly store: TabStore.Store
  /** The server's time in epoch milliseconds. */
  readonly now: () => number
  /** The form's URL on the page's own origin; undefined if it leads elsewhere. */
  readonly formOf: (url: string) => string | undefined
  readonly dispatch: (event: Machine.Event) => void
}

export interface Session {
  /** Submits what was signed before a reload, or waits for the wallet of an unfinished attempt. */
  readonly resume: () => Promise<void>
  /** Called when a wallet appears: resumes its unfinished attempt, unless it may have sent the payment. */
  readonly announced: (wallet: InjectedWallet.InjectedWallet) => Promise<void>
  readonly connect: (wallet: InjectedWallet.InjectedWallet) => Promise<void>
  readonly pick: (option: Option.PaymentOption) => void
  readonly collected: (isDone: boolean) => void
  /** Retries after an error. */
  readonly again: () => Promise<void>
  /** Returns to the start, whatever is in progress. */
  readonly leave: () => void
  /** Cancels the payment, unless money may be on its way. */
  readonly cancel: () => Promise<void>
  /**
   * Called when the payment needs nothing more from this page. A wallet that is sending continues, as the service must
   * receive that.
   */
  readonly stop: () => void
}

type Wallet = InjectedWallet.InjectedWallet

const gone: InjectedWallet.Provider = {
  request: () => Promise.reject(new Error("the wallet of the unfinished payment is not here")),
}

/** How long a call is held: short, as the payer must see soon that the payment was accepted. */
const heldForInMs = 2_000

/** A wallet is not asked to send this close to the end of an offer: the service must receive the hash before. */
const marginInMs = 30_000

/** The stored state of sent money, from before this attempt. */
export const moneyKept = (store: TabStore.Store, paymentId: string): Machine.Money => ({
  transfers: SentMoney.load(store, paymentId),
  mayBeSent: KeptPayment.load(store, paymentId)?.mayBeSent === true,
})

/**
 * The chains on which the payer can pay, and the chain of an unfinished attempt: a payment that is over accepts nothing
 * any more.
 */
export const chains = ({ page, store }: Pick<Options, "page" | "store">): ReadonlySet<string> => {
  const kept = KeptPayment.load(store, page.paymentId)
  return new Set([
    ...page.accepted.flatMap(({ unit }) => Amounts.chainOf(unit) ?? []),
    ...(kept === undefined ? [] : [InjectedWallet.chainOf(kept.resume.account)]),
  ])
}

export const make = ({ page, connection, store, now, formOf, dispatch }: Options): Session => {
  const { paymentId } = page
  const gateway = makeWallet(connection)
  /** Wallets announce themselves again whenever any page script asks, also while one of them is signing. */
  const seen = new Set<string>()
  const load = () => KeptPayment.load(store, paymentId)
  /**
   * The attempts that may have sent the money, and have not reported that they did not. One of them may be from before
   * a reload.
   */
  const unsure = new Set<unknown>(load()?.mayBeSent === true ? ["before"] : [])
  const keep = (walletId: string, resume: Resume, amount: Amount.Amount | undefined) => {
    const kept = load()?.resume
    // This attempt must not overwrite a transfer of another attempt.
    if (kept !== undefined && Machine.hasSent(kept) && sentHash(kept) !== sentHash(resume)) return
    KeptPayment.save(store, {
      walletId,
      resume,
      ...(amount === undefined ? {} : { amount }),
      ...(unsure.size > 0 ? { mayBeSent: true } : {}),
    })
  }
  const learn = () =>
    dispatch({
      _tag: "Learned",
      money: { ...moneyKept(store, paymentId), mayBeSent: unsure.size > 0 },
    })
  const noteKnown = (own: Resume) => {
    const hash = sentHash(own)
    if (hash === undefined) return
    SentMoney.markKnown(store, paymentId, hash)
    learn()
  }
  const handedIn = (own: Resume) => {
    KeptPayment.handedIn(store, own)
    noteKnown(own)
  }
  let current = new AbortController()
  /** Whether the current attempt is sending, or has sent money that the service has not received a report of. */
  let isSending = false
  /** Whether the current attempt pays, and has neither sent the money nor submitted what was signed. */
  let isBeforePaying = false
  /** Whether the payment needs nothing more from this page. */
  let isOver = false
  let retry: () => Promise<void> = () => Promise.resolve()
  let chosen: (option: Option.PaymentOption | undefined) => void = () => undefined
  let closed: (outcome: "completed" | undefined) => void = () => undefined

  const begin = () => {
    current.abort()
    current = new AbortController()
    isSending = false
    isBeforePaying = false
    const { signal } = current
    /** Does nothing for an attempt that was left. */
    const go = (to: Machine.Step) => {
      if (!signal.aborted) dispatch({ _tag: "Went", to })
    }
    // If the payer leaves an attempt while choosing, it ends as if nothing was chosen.
    signal.addEventListener("abort", () => {
      chosen(undefined)
      closed(undefined)
    })
    return { signal, go }
  }

  /** Pays with known accounts. `wallet` is undefined if only the confirm is left. */
  const run = async (
    wallet: Wallet | undefined,
    accounts: ReadonlyArray<string>,
    notice?: Machine.Notice,
  ): Promise<void> => {
    const { signal, go } = begin()
    retry = () =>
      wallet?.remote?.isConnected() === false ? connectWith(wallet, false) : run(wallet, accounts)
    const kept = load()
    // If the wallet has no outputs yet, there is nothing to resume, and the payer chooses again.
    const isResumed =
      kept !== undefined && kept.resume.outputs.length > 0 && KeptPayment.isOf(kept, accounts)
    if (!isResumed && kept !== undefined && Machine.hasSent(kept.resume)) {
      return go({ _tag: "Idle", notice: { _tag: "OtherAccount" } })
    }
    let own = isResumed ? kept.resume : undefined
    isSending = own !== undefined && Machine.hasSent(own)
    isBeforePaying = !isSending
    /** When the chosen offer ends. An attempt is only resumed after its first step, and that is the one that sends. */
    let expiresAt = Infinity
    let amount = isResumed ? kept.amount : undefined
    go({ _tag: "Preparing" })
    if (amount !== undefined) dispatch({ _tag: "Chose", amount })

    let asks: Asks = "sign"
    const onProgress = (progress: Progress) => {
      if (progress._tag === "Executed") {
        own = progress.resume
        if (asks === "send") unsure.delete(signal)
        // The outputs of an attempt that was left are dropped, unless the money was sent, or the wallet has since done
        // every step.
        if (!signal.aborted || asks === "send" || KeptPayment.isComplete(progress)) {
          keep(wallet?.id ?? "", progress.resume, amount)
        }
        const hash = sentHash(own)
        if (hash !== undefined) {
          SentMoney.note(store, paymentId, {
            walletId: wallet?.id ?? "",
            account: own.account,
            hash,
            ...(amount === undefined ? {} : { amount }),
            stage: KeptPayment.isComplete(progress) ? "signed" : "sent",
          })
          learn()
          if (!signal.aborted) isBeforePaying = false
          // The payer must not pay again in a newer attempt, which may be past the choice.
          else if (asks === "send" && isBeforePaying) leave()
        }
      } else if (progress._tag === "Executing" && wallet !== undefined) {
        const { resume, step, steps } = progress
        asks = asksOf(resume)
        if (asks === "send") {
          isSending = true
          unsure.add(signal)
          keep(wallet.id, resume, amount)
          learn()
        }
        go({ _tag: "Asking", wallet, step, steps, asks, mayLeave: !Machine.hasSent(resume) })
      } else if (progress._tag === "Confirming") {
        if (!signal.aborted) isBeforePaying = false
        go({ _tag: "Confirming" })
      } else if (progress._tag === "Processing") {
        if (own !== undefined) handedIn(own)
        if (amount !== undefined) AcceptedAmount.save(store, paymentId, amount)
        if (!signal.aborted) isSending = false
        dispatch({ _tag: "Accepted" })
      }
    }
    const release = wallet?.remote?.hold()
    const result = await payById(paymentId, {
      ...connection,
      accounts,
      includeCosts: true,
      signer: InjectedWallet.signer(wallet?.provider ?? gone, () => {
        if (isOver || signal.aborted) return "attempt"
        return asks === "send" && now() > expiresAt - marginInMs ? "option" : undefined
      }),
      maxPollMs: heldForInMs,
      signal,
      onProgress,
      ...(own === undefined ? {} : { resume: own }),
      chooseOption: (options) =>
        new Promise((resolve) => {
          chosen = (option) => {
            if (option !== undefined) {
              amount = option.amount
              expiresAt = option.expiresAt * 1000
              if (!signal.aborted) dispatch({ _tag: "Chose", amount })
              go({ _tag: "Preparing" })
            }
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
    }).finally(release)
    if ("paidHere" in result) AcceptedAmount.remove(store, paymentId)
    const isLate = result._tag === "OptionExpired"
    const isHeard = isLate || result._tag === "AlreadyFinal" || "paidHere" in result
    const isSentLate = isLate && own !== undefined && Machine.hasSent(own)
    if (isHeard && own !== undefined) {
      // Money that was sent for an expired offer stays stored, so that it is not sent again.
      if (isSentLate) noteKnown(own)
      else handedIn(own)
    }
    // If the payer declines, that is certain for this attempt only.
    if (Outcome.isUnsent(result) && unsure.delete(signal) && unsure.size === 0) {
      KeptPayment.settle(store, paymentId)
      learn()
    }
    if (signal.aborted) return
    if (unsure.has(signal)) go({ _tag: "Idle" })
    // A payer who sent the money must not see that nothing happened, with an offer to send again.
    else if (isSentLate) go({ _tag: "Halted", notice: { _tag: "SentLate" }, mayLeave: false })
    else await ended(result, wallet, accounts, go)
  }

  const ended = (
    result: PayResult,
    wallet: Wallet | undefined,
    accounts: ReadonlyArray<string>,
    go: (to: Machine.Step) => void,
  ): Promise<void> | void => {
    const outcome = Outcome.of(result, wallet, unsure.size > 0)
    switch (outcome._tag) {
      case "Go":
        return go(outcome.to)
      case "Heard":
        return dispatch(outcome)
      case "ChooseAgain":
        return wallet === undefined
          ? go({ _tag: "Idle", notice: outcome.notice })
          : run(wallet, accounts, outcome.notice)
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
        await run(
          wallet,
          wallet.remote?.accounts() ?? InjectedWallet.accounts(held, chains({ page, store })),
        )
      } else if (!silent) {
        go({ _tag: "Halted", notice: { _tag: "NoAccount" }, mayLeave: true })
      }
    } catch (error) {
      const notice = Outcome.noticeOfWallet(error)
      if (silent) return
      go(
        notice._tag === "Rejected"
          ? { _tag: "Idle", notice }
          : { _tag: "Halted", notice, mayLeave: true },
      )
    }
  }

  const leave = () => {
    const kept = load()
    const isForgettable =
      kept !== undefined &&
      kept.mayBeSent !== true &&
      !Machine.hasSent(kept.resume) &&
      !KeptPayment.isComplete(kept)
    if (isForgettable) KeptPayment.remove(store, paymentId)
    const { go } = begin()
    go({ _tag: "Idle" })
  }

  return {
    resume: async () => {
      const kept = load()
      if (kept === undefined) return
      // A signature is not handed in by itself while the wallet may have sent the money in another attempt.
      const isSafe = kept.mayBeSent !== true || Machine.hasSent(kept.resume)
      if (KeptPayment.isComplete(kept) && isSafe) await run(undefined, [kept.resume.account])
      else dispatch({ _tag: "Went", to: { _tag: "Idle", notice: { _tag: "GoOn" } } })
    },
    announced: async (wallet) => {
      if (seen.has(wallet.id)) return
      seen.add(wallet.id)
      dispatch({ _tag: "Announced", wallet })
      const kept = load()
      // An attempt that may have sent the payment is resumed only when the payer asks for it.
      const goesOn = kept?.walletId === wallet.id && kept.mayBeSent !== true
      if (goesOn && !KeptPayment.isComplete(kept)) {
        await connectWith(wallet, true)
      }
    },
    connect: (wallet) => connectWith(wallet, false),
    pick: (option) => {
      // The wallet may only now have reported that it sent the money in an attempt that was left.
      const kept = load()
      if (kept !== undefined && Machine.hasSent(kept.resume)) leave()
      else chosen(option)
    },
    collected: (isDone) => closed(isDone ? "completed" : undefined),
    again: () => retry(),
    leave,
    cancel: async () => {
      const kept = load()
      const isMoneyOut =
        isSending ||
        unsure.size > 0 ||
        SentMoney.load(store, paymentId).length > 0 ||
        (kept !== undefined && (KeptPayment.isComplete(kept) || Machine.hasSent(kept.resume)))
      if (isMoneyOut) return
      try {
        await gateway.cancel(paymentId)
        isOver = true
        current.abort()
        const status = { status: "cancelled", isFinal: true, info: null } as const
        dispatch({ _tag: "Heard", status })
      } catch (error) {
        // If it cannot be cancelled any more, the page hears why by watching.
        const isRefused = error instanceof Refused
        dispatch({
          _tag: "Went",
          to: { _tag: "Idle", notice: { _tag: isRefused ? "Service" : "Offline" } },
        })
      }
    },
    stop: () => {
      isOver = true
      if (!isSending) current.abort()
    },
  }
}
