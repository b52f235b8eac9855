/**
 * Runs a whole payment in a wallet: options, the payer's data, build actions, the wallet's own steps, confirm, and
 * waiting for the end.
 *
 * The wallet is never asked twice for something that it has signed or sent. From the first output on, every result
 * except that of a confirmed payment carries a {@link Resume}, with which `pay` continues where it stopped.
 *
 * @module
 */
import type * as Option from "@florin/api/wire/Option"
import type * as Payment from "@florin/api/wire/Payment"
import * as CollectForm from "./CollectForm.ts"
import type * as Connection from "./Connection.ts"
import { Aborted, isFailure, Refused, type Failure } from "./Failure.ts"
import { parsePaymentLink, type Link } from "./Link.ts"
import * as Retry from "./Retry.ts"
import {
  execute,
  readAction,
  SignerFailed,
  UnsafeAction,
  type Signer,
  type SignerRequest,
} from "./Signer.ts"
import { makeWallet, type Wallet } from "./Wallet.ts"

/**
 * A payment between the wallet's steps, as plain JSON. Store it as carefully as its content: signatures, and the
 * payer's data if the wallet's own form collected any.
 */
export interface Resume {
  readonly paymentId: string
  readonly optionId: string
  readonly account: string
  readonly actions: ReadonlyArray<Option.WalletRpc>
  /** The outputs of the first actions: signatures and transaction hashes. */
  readonly outputs: ReadonlyArray<string>
  readonly collectedData?: { readonly fields: ReadonlyArray<Option.CollectedField> }
}

/** The data to collect, and the option that needs it. */
export interface CollectRequest extends Option.CollectData {
  readonly option: Option.PaymentOption
}

export interface PayOptions extends Connection.Options {
  /** The host of payment links that you trust. Its subdomains are trusted, too. */
  readonly payLinkHost: string
  /** Further origins to trust during development, such as `http://localhost:3000`. */
  readonly localOrigins?: ReadonlyArray<string>
  /** All of the payer's accounts on all chains, such as `eip155:8453:0x…`. More accounts give more options. */
  readonly accounts: ReadonlyArray<string>
  readonly signer: Signer
  /** Whether each option also says what the account holds, and what the payer pays the network in addition. */
  readonly includeCosts?: boolean
  /** Collects the payer's data. Without it, options that need data are not offered. */
  readonly collectData?: (request: CollectRequest) => Promise<CollectForm.Collected>
  /**
   * Lets the payer choose an option; undefined if the payer wants none. Without it `pay` takes the first, which is the
   * simplest.
   */
  readonly chooseOption?: (
    options: ReadonlyArray<Option.PaymentOption>,
    info: Payment.Info | undefined,
  ) => Option.PaymentOption | undefined | Promise<Option.PaymentOption | undefined>
  /** Called on every step. Its exceptions are ignored, as the payment must continue. */
  readonly onProgress?: (progress: Progress) => void
  /** The `resume` of an earlier call's result. `pay` continues from there, and does not ask for any signature again. */
  readonly resume?: Resume
  /** How long the service may hold a call until something changes. */
  readonly maxPollMs?: number
  /**
   * Stops immediately, except during a step that the payer is looking at: `pay` waits for its output, which must not be
   * lost.
   */
  readonly signal?: AbortSignal | undefined
}

/** Options without those that say which links to trust. */
export type PayByIdOptions = Omit<PayOptions, "localOrigins" | "payLinkHost">

/** A step of the wallet, counted from 1. */
interface Step {
  readonly step: number
  readonly steps: number
  readonly method: SignerRequest["method"]
}

/** The progress of a payment. */
export type Progress =
  | {
      readonly _tag: "Offered"
      readonly options: ReadonlyArray<Option.PaymentOption>
      readonly info: Payment.Info | undefined
    }
  | { readonly _tag: "CollectingData"; readonly option: Option.PaymentOption }
  /**
   * `resume` is the state before the step. If you store it, you know after a crash that the wallet was asked, and may
   * have sent.
   */
  | ({ readonly _tag: "Executing"; readonly resume: Resume } & Step)
  /** Store `resume` until `pay` returns, so that a crash of the wallet loses nothing. */
  | ({ readonly _tag: "Executed"; readonly resume: Resume } & Step)
  | { readonly _tag: "Confirming" }
  | { readonly _tag: "Processing" }

interface Ending {
  readonly paymentId: string
  /** Set if the wallet signed or sent something that the service has not accepted. */
  readonly resume?: Resume
}

interface Watched extends Ending {
  /** False if another confirm was already in progress: this call only watched. */
  readonly paidHere: boolean
}

/** The result of a payment. */
export type PayResult =
  | ({ readonly _tag: "Succeeded"; readonly paid: Payment.StatusResponse["info"] } & Watched)
  | ({ readonly _tag: "Failed"; readonly failureCode: "declined_user" | null } & Watched)
  /** The payment was final before it could be confirmed here: `status` is its final status. */
  | ({ readonly _tag: "AlreadyFinal"; readonly status: Payment.StatusResponse["status"] } & Ending)
  /** The text is no trusted payment link: `link` says what it is. */
  | { readonly _tag: "NotAPaymentLink"; readonly link: Link }
  /** None of the accounts can pay now. */
  | ({ readonly _tag: "NoOption"; readonly info: Payment.Info | undefined } & Ending)
  /** Every option needs data about the payer, and there is no `collectData`. */
  | ({ readonly _tag: "DataNeeded" } & Ending)
  /** Required fields are missing, or the terms were not accepted: the data was not sent. */
  | ({ readonly _tag: "DataMissing"; readonly fields: ReadonlyArray<string> } & Ending)
  /** The payer chose no option, or gave no data. */
  | ({ readonly _tag: "Declined"; readonly at: "option" | "data" } & Ending)
  /**
   * The chosen option expired. Pay again without `resume`, as what was signed for it is void. But if `sentHash` finds
   * money in it, that money was sent in vain: show the payer the hash, and do not offer to pay again.
   */
  | ({ readonly _tag: "OptionExpired"; readonly error: Refused } & Ending)
  /** An error stopped the payment. If there is a `resume`, pass it to `pay` once the cause is gone. */
  | ({ readonly _tag: "Stopped"; readonly error: Failure | SignerFailed | UnsafeAction } & Ending)
  /** The payment is in progress, and only the watching stopped: call `pay` again to continue watching. */
  | ({ readonly _tag: "Unwatched"; readonly error: Failure } & Watched)

type Ended = Exclude<PayResult, { readonly _tag: "NotAPaymentLink" }>

interface Flow {
  readonly paymentId: string
  readonly options: PayByIdOptions
  readonly wallet: Wallet
  readonly report: (progress: Progress) => void
}

const defaultMaxPollMs = 20_000
const defaultPollInMs = 1000

const hold = ({ maxPollMs = defaultMaxPollMs, signal }: PayByIdOptions) => ({ maxPollMs, signal })

/** Waits for the end of a payment that is in progress. */
const watch = async (
  { paymentId, options, wallet, report }: Flow,
  first: Payment.StatusResponse,
  paidHere: boolean,
): Promise<Ended> => {
  const { timing = Retry.timing, signal } = options
  const untilFinal = async (response: Payment.StatusResponse): Promise<Payment.StatusResponse> => {
    if (response.isFinal) return response
    report({ _tag: "Processing" })
    await timing.sleep(response.pollInMs ?? defaultPollInMs, signal)
    return untilFinal(await wallet.status(paymentId, hold(options)))
  }
  try {
    const { status, info, failureCode } = await untilFinal(first)
    if (status === "succeeded") return { _tag: "Succeeded", paid: info, paymentId, paidHere }
    if (status !== "failed") return { _tag: "AlreadyFinal", status, paymentId }
    // The response to confirm does not contain why a payment failed, but the status does.
    const why = failureCode ?? (await wallet.status(paymentId, { signal })).failureCode ?? null
    return { _tag: "Failed", failureCode: why, paymentId, paidHere }
  } catch (error) {
    if (isFailure(error)) return { _tag: "Unwatched", error, paymentId, paidHere }
    throw error
  }
}

/**
 * Why the payment no longer takes this confirm: it is final, or another confirm is in progress. Undefined if neither is
 * the case.
 */
const closed = async (flow: Flow): Promise<Ended | undefined> => {
  const { paymentId, options, wallet } = flow
  const response = await wallet.status(paymentId, { signal: options.signal })
  if (response.isFinal) return { _tag: "AlreadyFinal", status: response.status, paymentId }
  return response.status === "processing" ? watch(flow, response, false) : undefined
}

type Collected = Pick<Resume, "collectedData">

/** The data that confirm must carry: none if none is needed, or if the hosted form has sent it. */
const collect = async (
  { paymentId, options, report }: Flow,
  option: Option.PaymentOption,
): Promise<Collected | Ended> => {
  const { collectData: needed } = option
  if (needed === null || options.collectData === undefined) return {}
  report({ _tag: "CollectingData", option })
  const collected = await options.collectData({ ...needed, option })
  if (collected === undefined) return { _tag: "Declined", at: "data", paymentId }
  if (collected === "completed") return {}
  const missing = CollectForm.missingFields(needed, collected.fields)
  return missing.length > 0
    ? { _tag: "DataMissing", fields: missing, paymentId }
    : { collectedData: { fields: collected.fields } }
}

/** All steps of an option, after fetching those that depend on the chain. */
const resolve = async (
  { paymentId, options, wallet }: Flow,
  option: Option.PaymentOption,
): Promise<ReadonlyArray<Option.WalletRpc>> => {
  const steps = await Promise.all(
    option.actions.map(async (action) => {
      if (action.type !== "build") return [action]
      const request = { optionId: option.id, data: action.data }
      const { actions } = await wallet.fetch(paymentId, request, { signal: options.signal })
      return actions
    }),
  )
  return steps.flat()
}

/** Everything before the wallet's first step. */
const prepare = async (flow: Flow): Promise<Resume | Ended> => {
  const { paymentId, options, wallet, report } = flow
  const { accounts, chooseOption, collectData, includeCosts, signal } = options
  const how = { includePaymentInfo: true, includeCosts, signal }
  const { info, options: all } = await wallet.options(paymentId, { accounts }, how)
  const none: Ended = { _tag: "NoOption", info, paymentId }
  if (all === null) return (await closed(flow)) ?? none
  const offered = all.filter((option) => collectData !== undefined || option.collectData === null)
  const [simplest] = offered
  if (simplest === undefined) return all.length === 0 ? none : { _tag: "DataNeeded", paymentId }
  report({ _tag: "Offered", options: offered, info })

  const option = chooseOption === undefined ? simplest : await chooseOption(offered, info)
  if (option === undefined) return { _tag: "Declined", at: "option", paymentId }
  const collected = await collect(flow, option)
  if ("_tag" in collected) return collected

  const actions = await resolve(flow, option)
  return {
    paymentId,
    optionId: option.id,
    account: option.account,
    actions,
    outputs: [],
    ...collected,
  }
}

/** Lets the wallet execute the remaining steps in order; `keep` gets every output immediately. */
const run = async (
  { options, report }: Flow,
  start: Resume,
  keep: (resume: Resume) => void,
): Promise<Resume> => {
  // All steps are read before the first is executed, so that no approval is sent for a step that cannot follow.
  const requests = start.actions.map((action) => readAction(action, start.account))
  const isOwn = options.accounts.some(
    (account) => account.toLowerCase() === start.account.toLowerCase(),
  )
  if (!isOwn || requests.length === 0) {
    throw new UnsafeAction("the option has no step, or is not for an account of this wallet")
  }
  const next = async (resume: Resume): Promise<Resume> => {
    const request = requests[resume.outputs.length]
    if (request === undefined) return resume
    if (options.signal?.aborted === true) throw new Aborted()
    const { method } = request
    const step = { step: resume.outputs.length + 1, steps: requests.length, method }
    report({ _tag: "Executing", ...step, resume })
    const output = await execute(options.signer, request)
    const executed = { ...resume, outputs: [...resume.outputs, output] }
    keep(executed)
    report({ _tag: "Executed", ...step, resume: executed })
    return next(executed)
  }
  return next(start)
}

const confirm = (
  { paymentId, options, wallet, report }: Flow,
  { optionId, outputs, collectedData }: Resume,
): Promise<Payment.ConfirmResponse> => {
  report({ _tag: "Confirming" })
  const results = outputs.map((output) => ({ type: "walletRpc" as const, data: [output] }))
  const request = { optionId, results, ...(collectedData === undefined ? {} : { collectedData }) }
  return wallet.confirm(paymentId, request, hold(options))
}

const isPayError = (error: unknown): error is Failure | SignerFailed | UnsafeAction =>
  isFailure(error) || error instanceof SignerFailed || error instanceof UnsafeAction

/** The result for an error. Errors of the wallet's own callbacks are thrown to the caller. */
const endingOf = async (flow: Flow, error: unknown): Promise<Ended> => {
  if (!isPayError(error)) throw error
  const { paymentId } = flow
  const stopped: Ended = { _tag: "Stopped", error, paymentId }
  if (!(error instanceof Refused)) return stopped
  if (error.code === "quote_expired") return { _tag: "OptionExpired", error, paymentId }
  if (error.code === "payment_expired") {
    return { _tag: "AlreadyFinal", status: "expired", paymentId }
  }
  if (error.code !== "invalid_state") return stopped
  try {
    return (await closed(flow)) ?? stopped
  } catch {
    return stopped
  }
}

/**
 * Pays what a payment link asks for, and returns the result. Rejects only with errors of the wallet's own callbacks,
 * and if an option is wrong.
 *
 * @example
 * const result = await pay(scanned, {
 *   baseUrl: "https://api.florin.example",
 *   apiKey,
 *   payLinkHost: "pay.florin.example",
 *   accounts: ["eip155:8453:0x…"],
 *   signer: { request: ({ chainId, ...rpc }) => providerOf(chainId).request(rpc) },
 * })
 * if (result._tag === "Succeeded") show(result.paid)
 */
export const pay = async (text: string, options: PayOptions): Promise<PayResult> => {
  const link = parsePaymentLink(text, options)
  return "paymentId" in link ? payById(link.paymentId, options) : { _tag: "NotAPaymentLink", link }
}

/**
 * Pays a payment that the service itself named, as it names that of a hosted page. For a link that somebody else shows,
 * use `pay`. It reads no links, so a page that pays by id loads less.
 */
export const payById = async (paymentId: string, options: PayByIdOptions): Promise<Ended> => {
  if (options.resume !== undefined && options.resume.paymentId !== paymentId) {
    throw new TypeError("resume is of another payment than the link")
  }
  const flow: Flow = {
    paymentId,
    options,
    wallet: makeWallet(options),
    report: (progress) => {
      try {
        options.onProgress?.(progress)
      } catch {
        // An error in the display of the payment must not lose it.
      }
    },
  }
  let kept = options.resume
  try {
    const prepared = kept ?? (await prepare(flow))
    if ("_tag" in prepared) return prepared
    const executed = await run(flow, prepared, (resume) => {
      kept = resume
    })
    return await watch(flow, await confirm(flow, executed), true)
  } catch (error) {
    const ending = await endingOf(flow, error)
    return kept === undefined ? ending : { ...ending, resume: kept }
  }
}
