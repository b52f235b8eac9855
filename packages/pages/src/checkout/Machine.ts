/**
 * The checkout page's state machine: its state, its events, and the screen for each state. Pure.
 *
 * The payment's own status always takes precedence over what the payer is doing here: a payment that was made from a
 * phone, or that expired, shows immediately.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import type * as HostedPage from "@florin/api/wire/HostedPage"
import type * as Option from "@florin/api/wire/Option"
import type * as Payment from "@florin/api/wire/Payment"
import type { Asks } from "@florin/client"
import type { InjectedWallet } from "./InjectedWallet.ts"
import type * as SentMoney from "./SentMoney.ts"

/** What the page reports to the payer about its present state. */
export type Notice =
  | { readonly _tag: "WrongNetwork"; readonly chain: string }
  | {
      readonly _tag:
        | "Rejected"
        | "Pending"
        | "NoAccount"
        | "OtherAccount"
        | "WalletFailed"
        | "Unreachable"
        | "Disconnected"
        | "Offline"
        | "Stale"
        | "Unsafe"
        | "Service"
        | "OptionExpired"
        | "FormClosed"
        | "GoOn"
        | "MayBeSent"
        | "Sent"
        | "Unsigned"
        | "SentLate"
    }

/** What the payer is doing on this page. */
export type Step =
  | { readonly _tag: "Idle"; readonly notice?: Notice | undefined }
  | { readonly _tag: "Connecting"; readonly wallet: InjectedWallet }
  | { readonly _tag: "Preparing" }
  | {
      readonly _tag: "Choosing"
      readonly wallet: InjectedWallet
      readonly options: ReadonlyArray<Option.PaymentOption>
      readonly notice?: Notice | undefined
    }
  | { readonly _tag: "Collecting"; readonly url: string }
  | {
      readonly _tag: "Asking"
      readonly wallet: InjectedWallet
      readonly step: number
      readonly steps: number
      readonly asks: Asks
      readonly mayLeave: boolean
    }
  | { readonly _tag: "Confirming" }
  | { readonly _tag: "NoFit"; readonly wallet: InjectedWallet }
  | { readonly _tag: "Refused" }
  /** `mayLeave` is false once the wallet has sent the money, and while not all of its outputs are submitted. */
  | { readonly _tag: "Halted"; readonly notice: Notice; readonly mayLeave: boolean }

/** What this tab knows about money that was sent for the payment. */
export interface Money {
  readonly transfers: ReadonlyArray<SentMoney.Transfer>
  /** A wallet was asked to send, and it is not known whether it did. */
  readonly mayBeSent: boolean
}

export interface State {
  readonly status: Payment.StatusResponse
  /** The transaction that pays; null while none is known, and once the payment is final. */
  readonly progress: HostedPage.Progress | null
  readonly money: Money
  readonly wallets: ReadonlyArray<InjectedWallet>
  /** The amount that the payer chose to pay with, while that attempt is in progress. */
  readonly chosen: Amount.Amount | undefined
  readonly step: Step
}

export type Event =
  | { readonly _tag: "Announced"; readonly wallet: InjectedWallet }
  | { readonly _tag: "Chose"; readonly amount: Amount.Amount }
  | { readonly _tag: "Went"; readonly to: Step }
  | {
      readonly _tag: "Heard"
      readonly status: Payment.StatusResponse
      /** Absent if only the status was asked for. */
      readonly progress?: HostedPage.Progress | null | undefined
    }
  | { readonly _tag: "Learned"; readonly money: Money }
  | { readonly _tag: "Accepted" }

export type Screen =
  | Exclude<Step, { readonly _tag: "Idle" }>
  | { readonly _tag: "Waiting"; readonly notice?: Notice | undefined }
  | { readonly _tag: "Processing"; readonly progress: HostedPage.Progress | null }
  | {
      readonly _tag: "Succeeded"
      readonly paid: NonNullable<Payment.StatusResponse["info"]>
      readonly notice: Notice | undefined
    }
  | {
      readonly _tag: "Unpaid"
      readonly how: "failed" | "declined" | "expired" | "cancelled"
      readonly notice: Notice | undefined
    }

/** How far an attempt to pay is. */
export type Phase = "connecting" | "unpaid" | "sending" | "sent" | "signed" | "accepted"

/** What happens to an attempt: the wallet is asked to send, has sent, has done every step; the service accepts. */
export type Happening = "askedToSend" | "sent" | "signed" | "accepted"

interface PhaseRow {
  /** Money may be on its way that the service has not received a report of: the payment's end must not stop it. */
  readonly isSending?: true
  /** Neither was money sent nor a signature submitted: it must give way to money that an older attempt sent. */
  readonly isBeforePaying?: true
  readonly on: { readonly [Each in Happening]?: Phase }
}

export const phases: { readonly [Each in Phase]: PhaseRow } = {
  connecting: { on: {} },
  unpaid: {
    isBeforePaying: true,
    on: { askedToSend: "sending", sent: "sent", signed: "signed", accepted: "accepted" },
  },
  sending: {
    isSending: true,
    isBeforePaying: true,
    on: { sent: "sent", signed: "sent", accepted: "accepted" },
  },
  sent: { isSending: true, on: { accepted: "accepted" } },
  signed: { on: { askedToSend: "sent", accepted: "accepted" } },
  accepted: { on: {} },
}

export const initial = (
  status: Payment.StatusResponse,
  money: Money,
  chosen?: Amount.Amount | undefined,
): State => ({
  status,
  progress: null,
  money,
  wallets: [],
  chosen,
  step: { _tag: "Idle" },
})

/** Whether an attempt with the chosen option is in progress. */
const isUnderWay = ({ _tag }: Step): boolean =>
  _tag !== "Idle" && _tag !== "Connecting" && _tag !== "Choosing"

export const reduce = (state: State, event: Event): State => {
  switch (event._tag) {
    case "Announced": {
      // A wallet may announce itself repeatedly, but still counts once.
      const others = state.wallets.filter(({ id }) => id !== event.wallet.id)
      return others.length === state.wallets.length
        ? { ...state, wallets: [...others, event.wallet] }
        : state
    }
    case "Chose":
      return { ...state, chosen: event.amount }
    case "Went":
      return {
        ...state,
        chosen: isUnderWay(event.to) ? state.chosen : undefined,
        step: event.to,
      }
    case "Heard": {
      if (state.status.isFinal) return state
      // A status other than `requires_action` ends what the payer was doing. The response may be older than this page's
      // confirm, so the page keeps asking.
      const isOpen = event.status.status === "requires_action"
      const step = isOpen ? state.step : ({ _tag: "Idle" } as const)
      // If the payment stopped being open before this page's own confirm, somebody may have paid it in another way.
      const isElsewhere =
        !isOpen && state.status.status === "requires_action" && state.step._tag !== "Confirming"
      const progress = event.progress === undefined ? state.progress : event.progress
      return {
        ...state,
        status: event.status,
        progress: event.status.isFinal ? null : progress,
        chosen: isElsewhere ? undefined : state.chosen,
        step,
      }
    }
    case "Learned":
      return { ...state, money: event.money }
    case "Accepted":
      return state.status.isFinal
        ? state
        : { ...state, status: { ...state.status, status: "processing" } }
  }
}

/** What the payer of an open payment must see first; undefined if no money was sent. */
const noticeOfMoney = ({ transfers, mayBeSent }: Money): Notice | undefined => {
  if (transfers.some(({ stage }) => stage !== "known")) return { _tag: "Sent" }
  if (transfers.length > 0) return { _tag: "SentLate" }
  return mayBeSent ? { _tag: "MayBeSent" } : undefined
}

/** What the payer of a finished payment must see: why a transfer is not reported to the service yet. */
const noticeAtEnd = (state: State): Notice | undefined => {
  const { step } = state
  if (otherTransfers(state).every(({ standing }) => standing === "reported")) return undefined
  if (step._tag === "Halted") return step.notice
  if (step._tag !== "Idle") return undefined
  // The other notices only concern paying.
  return step.notice?._tag === "Rejected" || step.notice?._tag === "OtherAccount"
    ? step.notice
    : undefined
}

export const screenOf = (state: State): Screen => {
  const { status: response, step, money } = state
  switch (response.status) {
    case "requires_action":
      return step._tag === "Idle"
        ? { _tag: "Waiting", notice: noticeOfMoney(money) ?? step.notice }
        : step
    case "processing":
      // A page whose token is too old to see the end says so.
      return step._tag === "Halted" && step.notice._tag === "Stale"
        ? step
        : { _tag: "Processing", progress: state.progress }
    case "succeeded":
      return response.info === null
        ? { _tag: "Processing", progress: state.progress }
        : { _tag: "Succeeded", paid: response.info, notice: noticeAtEnd(state) }
    case "failed": {
      const how = response.failureCode === "declined_user" ? "declined" : "failed"
      return { _tag: "Unpaid", how, notice: noticeAtEnd(state) }
    }
    case "expired":
    case "cancelled":
      return { _tag: "Unpaid", how: response.status, notice: noticeAtEnd(state) }
  }
}

/** The state of a transfer: what is missing before it can pay or, once the payment is over, be returned. */
export type Standing = "unsigned" | "unreported" | "unsignedLate" | "unreportedLate" | "reported"

/** A transfer that has not paid, and its state. */
export interface OtherTransfer {
  readonly transfer: SentMoney.Transfer
  readonly standing: Standing
}

const standingOf = ({ stage }: SentMoney.Transfer, isFinal: boolean): Standing => {
  switch (stage) {
    case "sent":
      return isFinal ? "unsignedLate" : "unsigned"
    case "signed":
      return isFinal ? "unreportedLate" : "unreported"
    case "known":
      return "reported"
  }
}

/** Every transfer except the one that paid. */
export const otherTransfers = ({ money, status }: State): ReadonlyArray<OtherTransfer> =>
  money.transfers
    .filter(({ hash }) => hash.toLowerCase() !== status.info?.txId.toLowerCase())
    .map((transfer) => ({ transfer, standing: standingOf(transfer, status.isFinal) }))

/**
 * Whether the page itself must watch the payment: not while `pay` hands it in, and not after the end. `pay` also waits
 * for the end, but does not see the transaction's progress.
 */
export const isWatching = ({ status, step }: State): boolean =>
  !status.isFinal &&
  !(step._tag === "Confirming" && status.status === "requires_action") &&
  !(step._tag === "Halted" && step.notice._tag === "Stale")

/** Whether money may be on its way that the service does not know about: then the payer should stay. */
export const mayBeSending = (state: State): boolean =>
  state.money.mayBeSent ||
  (state.step._tag === "Confirming" && state.status.status === "requires_action") ||
  otherTransfers(state).some(({ standing }) => standing !== "reported")

/** How many steps an option takes: one that must be built may begin with an approval. */
export const stepsOf = ({
  actions,
}: Option.PaymentOption): { readonly least: number; readonly most: number } => ({
  least: actions.length,
  most: actions.length + actions.filter(({ type }) => type === "build").length,
})
