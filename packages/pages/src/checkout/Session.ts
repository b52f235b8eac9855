/**
 * A payer's attempts to pay on this page: each runs `pay` with an injected wallet, and reports to the state machine.
 *
 * Only the newest attempt is shown. An older attempt that the payer left while its wallet was asking may still finish:
 * what the payer signed in it is stored all the same.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"
import type * as Option from "@florin/api/wire/Option"
import {
  asksOf,
  makeWallet,
  payById,
  sentHash,
  type PayOptions,
  type PayResult,
  type Progress,
  Refused,
  type Resume,
} from "@florin/client"
import * as Amounts from "../shared/Amounts.ts"
import * as AcceptedAmount from "./AcceptedAmount.ts"
import * as Attempt from "./Attempt.ts"
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
  const unsure = new Set<Attempt.Attempt | "before">(load()?.mayBeSent === true ? ["before"] : [])
  const keep = ({ amount }: Attempt.Attempt, walletId: string, resume: Resume) => {
    const kept = load()?.resume
    // This attempt must not overwrite a transfer of another attempt.
    if (kept !== undefined && KeptPayment.hasSent(kept) && sentHash(kept) !== sentHash(resume))
      return
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
  const noteHandedIn = (own: Resume) => {
    KeptPayment.handedIn(store, own)
    noteKnown(own)
  }
  let current = Attempt.make(dispatch)
  /** Whether the payment needs nothing more from this page. */
  let isOver = false

  const begin = (retry?: () => Promise<void>) => {
    current.abort()
    current = Attempt.make(dispatch, retry)
    return current
  }

  const onExecuted = (attempt: Attempt.Attempt, walletId: string, resume: Resume) => {
    const { amount, asks, signal } = attempt
    const isComplete = KeptPayment.isComplete({ resume })
    attempt.own = resume
    if (asks === "send") unsure.delete(attempt)
    // The outputs of an attempt that was left are dropped, unless the money was sent, or the wallet has since done
    // every step.
    if (!signal.aborted || asks === "send" || isComplete) keep(attempt, walletId, resume)
    const hash = sentHash(resume)
    if (hash === undefined) return
    SentMoney.note(store, paymentId, {
      walletId,
      account: resume.account,
      hash,
      ...(amount === undefined ? {} : { amount }),
      stage: isComplete ? "signed" : "sent",
    })
    learn()
    attempt.note("sent")
    // The payer must not pay again in a newer attempt, which may be past the choice.
    const isNewerUnpaid = attempt !== current && Machine.phases[current.phase].isBeforePaying
    if (asks === "send" && isNewerUnpaid) leave()
  }

  const onProgressed = (
    attempt: Attempt.Attempt,
    wallet: Wallet | undefined,
    progress: Progress,
  ): void => {
    switch (progress._tag) {
      case "Executed":
        return onExecuted(attempt, wallet?.id ?? "", progress.resume)
      case "Executing": {
        if (wallet === undefined) return
        const { resume, step, steps } = progress
        const asks = asksOf(resume)
        attempt.asks = asks
        if (asks === "send") {
          attempt.note("askedToSend")
          unsure.add(attempt)
          keep(attempt, wallet.id, resume)
          learn()
        }
        const mayLeave = !KeptPayment.hasSent(resume)
        return attempt.go({ _tag: "Asking", wallet, step, steps, asks, mayLeave })
      }
      case "Confirming":
        attempt.note("signed")
        return attempt.go({ _tag: "Confirming" })
      case "Processing": {
        const { amount, own } = attempt
        if (own !== undefined) noteHandedIn(own)
        if (amount !== undefined) AcceptedAmount.save(store, paymentId, amount)
        attempt.note("accepted")
        return dispatch({ _tag: "Accepted" })
      }
    }
  }

  /** Pays with known accounts. `wallet` is undefined if only the confirm is left. */
  const run = async (
    wallet: Wallet | undefined,
    accounts: ReadonlyArray<string>,
    notice?: Machine.Notice,
  ): Promise<void> => {
    const attempt = begin(() =>
      wallet?.remote?.isConnected() === false ? connectWith(wallet, false) : run(wallet, accounts),
    )
    const { signal, go } = attempt
    const kept = load()
    const isSent = kept !== undefined && KeptPayment.hasSent(kept.resume)
    // If the wallet has no outputs yet, there is nothing to resume, and the payer chooses again.
    const resumed =
      kept !== undefined && kept.resume.outputs.length > 0 && KeptPayment.isOf(kept, accounts)
        ? kept
        : undefined
    if (resumed === undefined && isSent) {
      return go({ _tag: "Idle", notice: { _tag: "OtherAccount" } })
    }
    attempt.phase = isSent ? "sent" : "unpaid"
    attempt.own = resumed?.resume
    attempt.amount = resumed?.amount
    go({ _tag: "Preparing" })
    if (resumed?.amount !== undefined) dispatch({ _tag: "Chose", amount: resumed.amount })

    const release = wallet?.remote?.hold()
    const result = await payById(paymentId, {
      ...connection,
      accounts,
      includeCosts: true,
      signer: InjectedWallet.signer(wallet?.provider ?? gone, () => {
        if (isOver || signal.aborted) return "attempt"
        const isLate = attempt.asks === "send" && now() > attempt.expiresAt - marginInMs
        return isLate ? "option" : undefined
      }),
      maxPollMs: heldForInMs,
      signal,
      onProgress: (progress) => onProgressed(attempt, wallet, progress),
      ...(resumed === undefined ? {} : { resume: resumed.resume }),
      chooseOption: (options) =>
        new Promise((resolve) => {
          attempt.pick = (option) => {
            if (option !== undefined) {
              attempt.amount = option.amount
              attempt.expiresAt = option.expiresAt * 1000
              attempt.dispatch({ _tag: "Chose", amount: option.amount })
              go({ _tag: "Preparing" })
            }
            resolve(option)
          }
          if (wallet !== undefined) go({ _tag: "Choosing", wallet, options, notice })
        }),
      collectData: ({ url }) =>
        new Promise((resolve) => {
          attempt.close = resolve
          const form = formOf(url)
          if (form === undefined) resolve(undefined)
          else go({ _tag: "Collecting", url: form })
        }),
    }).finally(release)
    await onEnded(attempt, result, wallet, accounts)
  }

  const onEnded = (
    attempt: Attempt.Attempt,
    result: PayResult,
    wallet: Wallet | undefined,
    accounts: ReadonlyArray<string>,
  ): Promise<void> | void => {
    const { go, own, signal } = attempt
    if ("paidHere" in result) AcceptedAmount.remove(store, paymentId)
    const isLate = result._tag === "OptionExpired"
    const isHeard = isLate || result._tag === "AlreadyFinal" || "paidHere" in result
    const isSentLate = isLate && own !== undefined && KeptPayment.hasSent(own)
    if (isHeard && own !== undefined) {
      // Money that was sent for an expired offer stays stored, so that it is not sent again.
      if (isSentLate) noteKnown(own)
      else noteHandedIn(own)
    }
    // If the payer declines, that is certain for this attempt only.
    if (Outcome.isUnsent(result) && unsure.delete(attempt) && unsure.size === 0) {
      KeptPayment.settle(store, paymentId)
      learn()
    }
    if (signal.aborted) return
    if (unsure.has(attempt)) return go({ _tag: "Idle" })
    // A payer who sent the money must not see that nothing happened, with an offer to send again.
    if (isSentLate) return go({ _tag: "Halted", notice: { _tag: "SentLate" }, mayLeave: false })
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
    const { signal, go } = begin(() => connectWith(wallet, false))
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
      !KeptPayment.hasSent(kept.resume) &&
      !KeptPayment.isComplete(kept)
    if (isForgettable) KeptPayment.remove(store, paymentId)
    begin().go({ _tag: "Idle" })
  }

  return {
    resume: async () => {
      const kept = load()
      if (kept === undefined) return
      // A signature is not handed in by itself while the wallet may have sent the money in another attempt.
      const isSafe = kept.mayBeSent !== true || KeptPayment.hasSent(kept.resume)
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
      if (kept !== undefined && KeptPayment.hasSent(kept.resume)) leave()
      else current.pick(option)
    },
    collected: (isDone) => current.close(isDone ? "completed" : undefined),
    again: () => current.retry(),
    leave,
    cancel: async () => {
      const kept = load()
      const isMoneyOut =
        Machine.phases[current.phase].isSending ||
        unsure.size > 0 ||
        SentMoney.load(store, paymentId).length > 0 ||
        (kept !== undefined && (KeptPayment.isComplete(kept) || KeptPayment.hasSent(kept.resume)))
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
      if (!Machine.phases[current.phase].isSending) current.abort()
    },
  }
}
