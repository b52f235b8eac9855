/**
 * `florin pay <link>`: a wallet in a terminal, built from the same parts as any wallet that supports Florin.
 *
 * @module
 */
import { join } from "node:path"
import { stdin, stdout } from "node:process"
import {
  asksOf,
  makeWallet,
  parsePaymentLink,
  pay,
  Refused,
  sentHash,
  SignerFailed,
  Unreachable,
  type Collected,
  type PayOptions,
  type PayResult,
  type Progress,
} from "@florin/client"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Wallet from "@florin/testing/Wallet"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as ServiceAccess from "../access/ServiceAccess.ts"
import type * as LocalChains from "../dev/LocalChains.ts"
import * as Failure from "../Failure.ts"
import * as OwnTransaction from "../pay/OwnTransaction.ts"
import * as Payer from "../pay/Payer.ts"
import * as PayerData from "../pay/PayerData.ts"
import * as Unfinished from "../pay/Unfinished.ts"
import * as Ways from "../pay/Ways.ts"
import * as Choice from "../terminal/Choice.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Prompt from "../terminal/Prompt.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as WireAmount from "../terminal/WireAmount.ts"

const failed = (message: string) => new Failure.CommandFailed({ message })
const notUnderstood = (message: string) => new Failure.NotUnderstood({ message })

const chainOf = (text: string): Option.Option<LocalChains.Reached> => {
  const [, id = "", rpcUrl = ""] = /^([1-9][0-9]{0,14})=(https?:\/\/.+)$/u.exec(text) ?? []
  return URL.canParse(rpcUrl) ? Option.some({ chainId: Number(id), rpcUrl }) : Option.none()
}

/** The nodes for a wallet that sends transactions. */
export const rpc = Flag.String("rpc").pipe(
  Flag.withMetavar("CHAIN=URL"),
  Flag.withDescription("Chain to pay on, and its node; repeat for several: 8453=https://…"),
  Flag.filterMap(chainOf, () => "a chain id and the address of its node: 8453=https://…"),
  Flag.atLeast(0),
)

const flags = {
  link: Argument.String("link").pipe(Argument.withDescription("Payment link or payment id")),
  url: ServiceAccess.url,
  keyFile: Flag.String("key-file").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("File with the wallet's private key, instead of FLORIN_WALLET_KEY"),
    Flag.optional,
  ),
  rpc,
  payLinkHost: Flag.String("pay-link-host").pipe(
    Flag.withMetavar("HOST"),
    Flag.withDescription("Trusted host of payment links [FLORIN_PAY_LINK_HOST]"),
    Flag.optional,
  ),
  yes: Flags.toggle("yes", "Pay in the first way that is offered, without questions"),
  abandon: Flags.toggle(
    "abandon",
    "Cancel the unconfirmed transaction of an earlier run instead of paying",
  ),
  data: Flag.String("data").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("JSON file with the payer's data, if the payment asks for it"),
    Flag.optional,
  ),
  directory: Flags.directory,
  json: Flags.json,
}

type Given = Command.Command.Config.Infer<typeof flags>

/** A person's wallet, and everything that it needs to pay. */
interface Pocket {
  readonly wallet: Wallet.Wallet
  readonly chains: ReadonlyArray<LocalChains.Reached>
  /** The host whose links are payment links. */
  readonly payLinkHost: string
  /** Undefined for a command that only takes a transaction back, which calls no service. */
  readonly service: Pick<PayOptions, "apiKey" | "baseUrl"> | undefined
  /** How often a node is asked for a transaction. The user's own node may be asked often. */
  readonly pollInMs: number
}

export const readWallet = (text: string) =>
  /^(?:0x)?[0-9a-fA-F]{64}$/u.test(text)
    ? Effect.mapError(Effect.fromResult(Result.try(() => Wallet.make(text))), () =>
        failed("the wallet's key is not a valid secp256k1 key: check it"),
      )
    : Effect.fail(failed("a wallet's key is 0x and 64 hex digits"))

const givenWalletKey = ({ keyFile }: Given) =>
  Option.match(keyFile, {
    onNone: () => ServiceAccess.readVariable("FLORIN_WALLET_KEY"),
    onSome: (path) => Effect.map(ServiceAccess.fileText(path), Option.some),
  })

const ownPollInMs = 100
const othersPollInMs = 2000

const open = Effect.fnUntraced(function* (given: Given) {
  const find = ServiceAccess.find(given.url, Option.none(), given.directory)
  const access = given.abandon ? Option.getOrUndefined(yield* Effect.option(find)) : yield* find
  const ready = access?._tag === "Running" ? access.ready : undefined
  const key = yield* givenWalletKey(given)
  const text = Option.getOrElse(key, () => ready?.wallets[0]?.privateKey)
  if (text === undefined) {
    return yield* failed("no wallet key: set FLORIN_WALLET_KEY or --key-file")
  }
  const chains = given.rpc.length > 0 ? given.rpc : (ready?.chains ?? [])
  if (chains.length === 0) {
    return yield* failed("no chain to pay on: set --rpc 8453=https://… with the node's address")
  }
  const host = Option.isSome(given.payLinkHost)
    ? given.payLinkHost
    : yield* ServiceAccess.readVariable("FLORIN_PAY_LINK_HOST")
  const payLinkHost = Option.getOrElse(host, () => ready?.payLinkHost)
  if (payLinkHost === undefined) {
    return yield* failed("no trusted host: set FLORIN_PAY_LINK_HOST or --pay-link-host")
  }
  const pocket: Pocket = {
    wallet: yield* readWallet(text),
    chains,
    payLinkHost,
    service:
      access?._tag === "Running"
        ? { baseUrl: access.ready.baseUrl, apiKey: access.ready.walletKey }
        : access,
    pollInMs: given.rpc.length > 0 ? othersPollInMs : ownPollInMs,
  }
  return pocket
})

/** The service that the wallet calls to make a payment. */
type Connection = Pick<Pocket, "payLinkHost"> & NonNullable<Pocket["service"]>

type Offered = Extract<Progress, { readonly _tag: "Offered" }>

const showOffer = ({ info, options }: Offered): void => {
  Terminal.heading(
    info === undefined
      ? "Ways to pay:"
      : `${Printable.from(info.merchant.name)} asks for ${WireAmount.toText(info.amount)}`,
  )
  for (const [index, line] of Ways.lines(options).entries()) Terminal.step(index + 1, line)
}

const methods: {
  readonly [M in Extract<Progress, { readonly _tag: "Executing" }>["method"]]: string
} = {
  eth_signTypedData_v4: "Signing",
  eth_sendTransaction: "Sending a transaction and waiting for its block",
  personal_sign: "Signing a message",
}

/** Prints each step once. */
const narrator = () => {
  let last = ""
  const say = (text: string): void => {
    if (text !== last) Terminal.plain(text)
    last = text
  }
  return (progress: Progress): void => {
    switch (progress._tag) {
      case "Offered":
        return showOffer(progress)
      case "Executing":
        return say(`${methods[progress.method]} (${progress.step} of ${progress.steps})…`)
      case "Confirming":
        return say("Submitting the payment…")
      case "Processing":
        return say("Waiting for confirmation…")
      case "CollectingData":
      case "Executed":
        return undefined
    }
  }
}

/** Errors whose messages are written for a person. */
const ours = [Wallet.WalletRefused, Failure.CommandFailed, Refused, Unreachable]

/** The message of a node or of the wallet, and nothing else, because the address of a node may hold a key. */
const causeOf = (cause: unknown): string => {
  if (typeof cause !== "object" || cause === null) return ""
  if ("shortMessage" in cause && typeof cause.shortMessage === "string") {
    return `: ${Printable.from(cause.shortMessage)}`
  }
  const isOurs = ours.some((kind) => cause instanceof kind)
  return isOurs && cause instanceof Error ? `: ${cause.message}` : ""
}

/** The payment no longer accepts anything that was signed or sent for it. */
type Ended = Extract<PayResult, { readonly _tag: "Failed" | "AlreadyFinal" | "OptionExpired" }>

const isEnded = (result: PayResult): result is Ended =>
  ["Failed", "AlreadyFinal", "OptionExpired"].includes(result._tag)

const endOf = (result: Ended): string => {
  switch (result._tag) {
    case "Failed":
      return result.failureCode === "declined_user"
        ? "the payment was declined"
        : "the payment failed"
    case "AlreadyFinal":
      return `the payment is ${result.status} already`
    case "OptionExpired":
      return "the payment timed out"
  }
}

/** What went wrong, and what to do. */
export const whyNot = (result: Exclude<PayResult, { readonly _tag: "Succeeded" }>): string => {
  switch (result._tag) {
    case "NotAPaymentLink":
      return result.link._tag === "InvalidLink"
        ? result.link.message
        : "this is not a payment link of the trusted host: check where the link came from"
    case "Failed":
      return `${endOf(result)}: ask the merchant for a new payment link`
    case "AlreadyFinal":
      return endOf(result)
    case "NoOption":
      return "the wallet cannot pay now: it does not hold enough of any token that is offered on these chains"
    case "DataNeeded":
      return "every way to pay needs data about the payer: set --data to a file with it, or omit --yes"
    case "DataMissing":
      return `the payment needs more data about the payer: ${result.fields.join(", ")}`
    case "Declined":
      return result.at === "data"
        ? "the payer's details were not given"
        : "no way to pay was chosen, and nothing was paid"
    case "OptionExpired":
      return `${endOf(result)}: pay again; the earlier signature is void`
    case "Stopped":
      if (!(result.error instanceof SignerFailed)) return Printable.from(result.error.message)
      return result.error.cause instanceof Payer.Undone ||
        result.error.cause instanceof Payer.MayLand
        ? result.error.cause.message
        : `${result.error.message}${causeOf(result.error.cause)}`
    case "Unwatched":
      return `the payment is in progress, but its status could not be read until it was final (${Printable.from(result.error.message)})`
  }
}

/** Whether everything that was signed or sent is settled or void. */
const isOver = (result: PayResult): boolean =>
  result._tag === "Succeeded" ||
  isEnded(result) ||
  (result._tag === "Stopped" &&
    result.error instanceof SignerFailed &&
    result.error.cause instanceof Payer.Undone)

const goesOn = "what was signed or sent is saved: run the same command again to resume"

const takesBack = ", or run it with --abandon to cancel the transaction if no block has it yet"

const cameLate = (hash: string): string =>
  `the money that was sent in ${hash} did not pay. The transaction was reported to the service. Send this hash to the merchant before you pay again, so that the operator can return the money`

/** The money that the wallet itself sent without paying, or not yet; `left` is what was stored at the end. */
const unpaidIn = (
  result: PayResult,
  left: Unfinished.Unfinished | undefined,
): string | undefined => {
  const hash = left === undefined ? undefined : sentHash(left.begun)
  const isPaid = result._tag === "Succeeded" && (result.paid === null || result.paid.txId === hash)
  return isPaid ? undefined : hash
}

/**
 * The same as `whyNot`, with the fate of what the wallet signed or sent. Undefined if the payment succeeded and no
 * other money was sent for it.
 */
const whyNotWith = (
  result: PayResult,
  left: Unfinished.Unfinished | undefined,
): string | undefined => {
  const hash = unpaidIn(result, left)
  if (result._tag === "Succeeded") {
    return hash === undefined || result.paid === null
      ? undefined
      : `the payment was paid in ${Printable.from(result.paid.txId)}, and ${cameLate(hash)}`
  }
  if (isEnded(result)) {
    return hash === undefined ? whyNot(result) : `${endOf(result)}, and ${cameLate(hash)}`
  }
  if (left === undefined || isOver(result)) return whyNot(result)
  return `${hash === undefined ? "" : `the money was sent in ${hash}: `}${whyNot(result)}; ${goesOn}${left.signed === undefined ? "" : takesBack}`
}

/** The result for programs, without anything that was signed. */
const asJson = (
  result: PayResult,
  message: string | undefined,
  left?: Unfinished.Unfinished | undefined,
) => {
  const unpaid = unpaidIn(result, left)
  return {
    result: result._tag,
    ...("paymentId" in result && { paymentId: result.paymentId }),
    ...(result._tag === "Succeeded" && { paid: result.paid }),
    ...(unpaid !== undefined && { unpaid }),
    ...(message !== undefined && { message }),
  }
}

const receipt = (result: Extract<PayResult, { readonly _tag: "Succeeded" }>): void => {
  if (result.paid === null) return Terminal.writeSuccess("Paid.")
  Terminal.writeSuccess(`Paid ${WireAmount.toText(result.paid.optionAmount)}.`)
  Terminal.fact("payment", result.paymentId)
  Terminal.fact("in", result.paid.txId)
}

type Choose = NonNullable<PayOptions["chooseOption"]>

const choosing =
  (yes: boolean, prompt: Prompt.Prompt): Choose =>
  async (options) => {
    if (yes) return options[0]
    const question = `\n  Which way (1 to ${options.length}, or nothing to stop)? `
    const chosen = await Choice.ask(prompt, question, options.length)
    return chosen === undefined ? undefined : options[chosen - 1]
  }

type Collect = (needed: PayerData.Needed) => Promise<Collected>

/** The inputs of an attempt. */
interface Start {
  readonly paymentId: PaymentId.PaymentId
  readonly file: ReturnType<typeof Unfinished.file>
  readonly kept: Unfinished.Unfinished | undefined
  /** The payer's data from a file. */
  readonly data: PayerData.Values | undefined
}

/** A transaction is not sent this close to the deadline, because it takes time to get into a block. */
const marginInMs = 30_000

/** Pays, or resumes where an earlier process stopped. Stores in the file what the next process needs. */
const attempt = async (
  { json, yes }: Given,
  { chains, pollInMs, wallet }: Pocket,
  connection: Connection,
  { data, file, kept, paymentId }: Start,
  clock: Clock.Clock,
  signal: AbortSignal,
): Promise<PayResult> => {
  const prompt = Prompt.make({ input: stdin, output: stdout }, signal)
  const choose = choosing(yes, prompt)
  const fromPerson: Collect | undefined = yes
    ? undefined
    : (needed) => PayerData.ask(needed, prompt)
  const collect: Collect | undefined =
    data === undefined ? fromPerson : (needed) => Effect.runPromise(PayerData.fit(needed, data))

  let { begun, expiresAt, needed, signed } = { expiresAt: 0, ...kept }
  const save = (): void => {
    if (begun === undefined) return
    file.write({
      begun,
      expiresAt,
      ...(needed !== undefined && { needed }),
      ...(signed !== undefined && { signed }),
    })
  }
  const keeping: Payer.Keeping = {
    signed: () => signed,
    keep: (raw) => {
      signed = raw
      save()
    },
    standing: async () => {
      const { status } = await makeWallet(connection).status(paymentId, { signal })
      const leftInMs = expiresAt * 1000 - clock.currentTimeMillisUnsafe()
      if (status !== "requires_action" || leftInMs < 0) return "Over"
      return leftInMs < marginInMs ? "Closing" : "Open"
    },
    sendsMoney: () => begun !== undefined && asksOf(begun) === "send",
  }

  const collected = kept?.needed === undefined ? undefined : await collect?.(kept.needed)
  if (kept?.needed !== undefined && collected === undefined) {
    return collect === undefined
      ? { _tag: "DataNeeded", paymentId }
      : { _tag: "Declined", at: "data", paymentId }
  }
  const report = json ? () => undefined : narrator()
  return pay(paymentId, {
    ...connection,
    accounts: chains.map(({ chainId }) => Eip155.formatAccount(wallet.account(chainId))),
    signer: Payer.signer(wallet, chains, { pollInMs, keeping, signal }),
    signal,
    chooseOption: async (options, info) => {
      const option = await choose(options, info)
      if (option !== undefined) expiresAt = option.expiresAt
      return option
    },
    ...(collect !== undefined && {
      collectData: (request) => {
        const { fields, schema, url } = request
        needed = { fields, schema, url }
        return collect(request)
      },
    }),
    onProgress: (progress) => {
      report(progress)
      if (progress._tag === "Executing") begun = progress.resume
      if (progress._tag === "Executed") {
        begun = progress.resume
        signed = undefined
        save()
      }
    },
    ...(kept !== undefined && {
      resume: { ...kept.begun, ...(typeof collected === "object" && { collectedData: collected }) },
    }),
  })
}

/** Completes with the work. An interruption waits for the work to stop, so that no sent transaction is lost. */
const stoppable = <A>(
  work: (signal: AbortSignal) => Promise<A>,
  stopped: () => void,
  why: (error: unknown) => string,
) =>
  Effect.suspend(() => {
    const controller = new AbortController()
    const result = work(controller.signal)
    return Effect.tryPromise({
      try: () => result,
      catch: (error) => failed(why(error)),
    }).pipe(
      Effect.onInterrupt(() => {
        controller.abort()
        return Effect.promise(() => result.then(stopped, stopped))
      }),
    )
  })

const isOf = (
  { chainId }: LocalChains.Reached,
  { wallet }: Pocket,
  { begun }: Unfinished.Unfinished,
) => Eip155.formatAccount(wallet.account(chainId)).toLowerCase() === begun.account.toLowerCase()

/** Why a transaction moved nothing, and never will. */
const forGood: {
  readonly [F in Exclude<OwnTransaction.TakenBack, "Succeeded">]: (hash: string) => string
} = {
  Reverted: (hash) => `The chain reverted the transaction ${hash}, so it moved nothing.`,
  Emptied: (hash) =>
    `The transaction ${hash} can never be mined: the empty transaction used its nonce.`,
  Replaced: (hash) =>
    `The transaction ${hash} can never be mined: another transaction of the wallet used its nonce. Check what that one moved.`,
}

/** Cancels the stored transaction, and deletes it once it can never be mined. */
const abandon = Effect.fnUntraced(function* (
  { json }: Given,
  { pollInMs, wallet }: Pocket,
  { file, kept, paymentId }: Start,
  node: LocalChains.Reached | undefined,
) {
  const end = (result: string, message: string) =>
    json ? Terminal.json({ result, paymentId, message }) : Terminal.writeSuccess(message)
  const refuse = (message: string) => {
    if (json) end("NotTakenBack", message)
    return failed(message)
  }
  if (kept === undefined || node === undefined) {
    return end(
      "NothingKept",
      "No unfinished attempt of this payment is saved: there is nothing to cancel.",
    )
  }
  const { begun, signed } = kept
  if (signed === undefined) {
    const sent = sentHash(begun)
    return yield* refuse(
      sent === undefined
        ? "no transaction of this payment can be cancelled: run the same command without --abandon to resume with what was signed"
        : `the money was sent in ${sent}, and the transaction cannot be cancelled: run the same command without --abandon to submit it`,
    )
  }
  const raw = OwnTransaction.hex(signed)
  const hash = OwnTransaction.hashOf(raw)
  if (!json) Terminal.plain("Cancelling the transaction, and waiting until that is final…")
  const client = OwnTransaction.connect(wallet, node, pollInMs)
  let { instead = [] } = kept
  const keep = (empty: string): void => {
    instead = [...instead, empty]
    file.write({ ...kept, instead })
  }
  const fate = yield* stoppable(
    (signal) => OwnTransaction.takeBack(client, raw, { kept: () => instead, keep }, signal),
    () => Terminal.writeFailure(`stopped; ${goesOn}`),
    (cause) => `the transaction ${hash} is not cancelled yet${causeOf(cause)}: try again`,
  ).pipe(Effect.catch(({ message }) => refuse(message)))
  if (fate === "Succeeded") {
    return yield* refuse(
      `the transaction ${hash} is in a block, and cannot be cancelled: run the same command without --abandon to resume`,
    )
  }
  file.remove()
  end("TakenBack", forGood[fate](hash))
})

const run = Effect.fnUntraced(function* (given: Given) {
  if (given.json && !given.yes && !given.abandon) {
    return yield* notUnderstood("--json asks no questions: add --yes to pay in the first way")
  }
  if (!given.yes && !given.abandon && !stdin.isTTY) {
    return yield* notUnderstood(
      "there is no terminal to ask in: add --yes to pay in the first way, or run the command in a terminal",
    )
  }
  const pocket = yield* open(given)
  const data = Option.isSome(given.data) ? yield* PayerData.read(given.data.value) : undefined
  const clock = yield* Clock.Clock
  const link = parsePaymentLink(given.link, pocket)
  if (!("paymentId" in link)) {
    const result: PayResult = { _tag: "NotAPaymentLink", link }
    const message = whyNot(result)
    if (given.json) Terminal.json(asJson(result, message))
    return yield* failed(message)
  }
  yield* Unfinished.lockPayment(join(given.directory, "paying"), link.paymentId)
  const file = Unfinished.file(join(given.directory, "unfinished"), link.paymentId)
  const kept = yield* file.read()
  const node = kept && pocket.chains.find((each) => isOf(each, pocket, kept))
  if (kept !== undefined && node === undefined) {
    return yield* failed(
      `an unfinished attempt of this payment is saved for the account ${Printable.from(kept.begun.account)}: set its key, and a node of its chain with --rpc. If nobody has that key any more, find out what happened to the attempt, then remove ${file.path}`,
    )
  }
  const start: Start = { paymentId: link.paymentId, file, kept, data }
  const { payLinkHost, service } = pocket
  if (given.abandon || service === undefined) return yield* abandon(given, pocket, start, node)
  if (kept !== undefined && !given.json) {
    Terminal.note("Resuming the last attempt: nothing is signed or sent twice.")
  }
  const result = yield* stoppable(
    (signal) => attempt(given, pocket, { payLinkHost, ...service }, start, clock, signal),
    () => Terminal.writeFailure(file.exists() ? `stopped; ${goesOn}` : "stopped; nothing was paid"),
    (error) =>
      error instanceof Error ? error.message : "the command failed for an unknown reason",
  )
  const left = yield* file.read()
  if (isOver(result)) file.remove()
  const message = whyNotWith(result, left)
  if (given.json) Terminal.json(asJson(result, message, left))
  if (message !== undefined) return yield* failed(message)
  if (!given.json && result._tag === "Succeeded") receipt(result)
}, Effect.scoped)

export const command = Command.make("pay", flags, run).pipe(
  Command.withDescription(
    "Pay a payment link from this terminal: show the amount and the ways to pay, ask which to use, sign, and wait for the result. Set FLORIN_WALLET_KEY to the wallet's private key, FLORIN_URL to the service's address, and FLORIN_API_KEY to the wallet's API key. Without these, the command uses the service that runs in --directory and its first test wallet. If a payment asks for the payer's data, the command asks for each field, or reads --data. If the command stops after something was signed or sent, run it again to resume. --abandon cancels a transaction that no block has yet, with an empty transaction of the same nonce.",
  ),
  Command.withExamples([
    { command: "florin pay 'http://localhost:3000/?pid=pay_…'" },
    { command: "florin pay --yes --data payer.json 'http://localhost:3000/?pid=pay_…'" },
    { command: "florin pay --yes --json --rpc 8453=https://node.example 'https://…'" },
    { command: "florin pay --abandon 'http://localhost:3000/?pid=pay_…'" },
  ]),
)
