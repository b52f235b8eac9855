/**
 * `florin pay <link>`: a wallet in a terminal, made of the same parts as any wallet that takes Florin in.
 *
 * @module
 */
import { join } from "node:path"
import { stdin, stdout } from "node:process"
import {
  parsePaymentLink,
  pay,
  SignerFailed,
  type PayOptions,
  type PayResult,
  type Progress,
} from "@florin/client"
import * as Caip from "@florin/core/domain/Caip"
import * as Wallet from "@florin/testing/Wallet"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Choice from "../Choice.ts"
import * as Failure from "../Failure.ts"
import type * as LocalChains from "../LocalChains.ts"
import * as Payer from "../Payer.ts"
import * as Printable from "../Printable.ts"
import * as ServiceAccess from "../ServiceAccess.ts"
import * as Terminal from "../Terminal.ts"
import * as Unfinished from "../Unfinished.ts"
import * as WireAmount from "../WireAmount.ts"
import * as Flags from "./Flags.ts"

const failed = (message: string) => new Failure.CommandFailed({ message })
const notUnderstood = (message: string) => new Failure.NotUnderstood({ message })

const chainOf = (text: string): Option.Option<LocalChains.Reached> => {
  const [, id = "", rpcUrl = ""] = /^([1-9][0-9]{0,14})=(https?:\/\/.+)$/u.exec(text) ?? []
  return URL.canParse(rpcUrl) ? Option.some({ chainId: Number(id), rpcUrl }) : Option.none()
}

const flags = {
  link: Argument.String("link").pipe(
    Argument.withDescription("The payment link, or the payment's id"),
  ),
  url: ServiceAccess.url,
  keyFile: Flag.String("key-file").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("A file with the wallet's private key, where FLORIN_WALLET_KEY has none"),
    Flag.optional,
  ),
  rpc: Flag.String("rpc").pipe(
    Flag.withMetavar("CHAIN=URL"),
    Flag.withDescription("A chain to pay on, and its node, may be repeated: 8453=https://…"),
    Flag.filterMap(chainOf, () => "a chain id and the address of its node: 8453=https://…"),
    Flag.atLeast(0),
  ),
  payLinkHost: Flag.String("pay-link-host").pipe(
    Flag.withMetavar("HOST"),
    Flag.withDescription("The host of links that are trusted (FLORIN_PAY_LINK_HOST)"),
    Flag.optional,
  ),
  yes: Flag.Boolean("yes").pipe(
    Flag.withoutNegation,
    Flag.withDescription("Pay in the first way that is offered, and ask nothing"),
    Flag.withDefault(false),
  ),
  directory: Flags.directory,
  json: Flags.json,
}

type Given = Command.Command.Config.Infer<typeof flags>

/** A person's wallet, and everything that it pays with. */
interface Pocket {
  readonly wallet: Wallet.Wallet
  readonly chains: ReadonlyArray<LocalChains.Reached>
  readonly connection: Pick<PayOptions, "apiKey" | "baseUrl" | "localOrigins" | "payLinkHost">
  /** How often a node is asked for a transaction: one of one's own may be asked often. */
  readonly pollInMs: number
}

const readWallet = (text: string) =>
  /^(?:0x)?[0-9a-fA-F]{64}$/u.test(text)
    ? Effect.mapError(Effect.fromResult(Result.try(() => Wallet.make(text))), () =>
        failed("the wallet's key is no key of the curve"),
      )
    : Effect.fail(failed("a wallet's key is 0x and 64 hex digits"))

const givenWalletKey = ({ keyFile }: Given) =>
  Option.match(keyFile, {
    onNone: () => ServiceAccess.setting("FLORIN_WALLET_KEY"),
    onSome: (path) => Effect.map(ServiceAccess.fileText(path), Option.some),
  })

const ownPollInMs = 100
const othersPollInMs = 2000

const open = Effect.fnUntraced(function* (given: Given) {
  const access = yield* ServiceAccess.find(given.url, Option.none(), given.directory)
  const ready = access._tag === "Running" ? access.ready : undefined
  const key = yield* givenWalletKey(given)
  const text = Option.getOrElse(key, () => ready?.wallets[0]?.privateKey)
  if (text === undefined) {
    return yield* failed("no wallet: set FLORIN_WALLET_KEY, or name a --key-file")
  }
  const chains = given.rpc.length > 0 ? given.rpc : (ready?.chains ?? [])
  if (chains.length === 0) {
    return yield* failed("no chain to pay on: add --rpc 8453=https://…, with the node's address")
  }
  const host = Option.isSome(given.payLinkHost)
    ? given.payLinkHost
    : yield* ServiceAccess.setting("FLORIN_PAY_LINK_HOST")
  const payLinkHost = Option.getOrElse(host, () => ready?.payLinkHost)
  if (payLinkHost === undefined) {
    return yield* failed("no host to trust: set FLORIN_PAY_LINK_HOST, or add --pay-link-host")
  }
  const pocket: Pocket = {
    wallet: yield* readWallet(text),
    chains,
    connection: {
      payLinkHost,
      ...(access._tag === "Given"
        ? { baseUrl: access.baseUrl, apiKey: access.apiKey }
        : {
            baseUrl: access.ready.baseUrl,
            apiKey: access.ready.walletKey,
            localOrigins: [access.ready.baseUrl],
          }),
    },
    pollInMs: given.rpc.length > 0 ? othersPollInMs : ownPollInMs,
  }
  return pocket
})

type Offered = Extract<Progress, { readonly _tag: "Offered" }>

const showOffer = ({ info, options }: Offered): void => {
  Terminal.heading(
    info === undefined
      ? "Ways to pay:"
      : `${Printable.from(info.merchant.name)} asks for ${WireAmount.toText(info.amount)}`,
  )
  for (const [index, { amount, etaS }] of options.entries()) {
    Terminal.step(index + 1, `${WireAmount.toText(amount)}, in about ${etaS} s`)
  }
}

const methods: {
  readonly [M in Extract<Progress, { readonly _tag: "Executing" }>["method"]]: string
} = {
  eth_signTypedData_v4: "Signing",
  eth_sendTransaction: "Sending a transaction, and waiting for it",
  personal_sign: "Signing a message",
}

/** Tells each step once. */
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
        return say("Handing it in…")
      case "Processing":
        return say("Waiting until it is final…")
      case "CollectingData":
      case "Executed":
        return undefined
    }
  }
}

/** What a node or the wallet itself says; never more, as the address of a node may hold a key. */
const causeOf = ({ cause }: SignerFailed): string => {
  if (typeof cause !== "object" || cause === null) return ""
  if ("shortMessage" in cause && typeof cause.shortMessage === "string") {
    return `: ${Printable.from(cause.shortMessage)}`
  }
  return cause instanceof Wallet.WalletRefused ? `: ${cause.message}` : ""
}

/** What went wrong, and what to do. */
const whyNot = (result: Exclude<PayResult, { readonly _tag: "Succeeded" }>): string => {
  switch (result._tag) {
    case "NotAPaymentLink":
      return result.link._tag === "InvalidLink"
        ? result.link.message
        : "that is no payment link of the trusted host: look at where it came from"
    case "Failed":
      return result.failureCode === "declined_user"
        ? "the payment was declined: ask the merchant for a new one"
        : "the payment failed: ask the merchant for a new one"
    case "AlreadyFinal":
      return `the payment is ${result.status} already`
    case "NoOption":
      return "the wallet holds nothing that the payment can be paid with on these chains"
    case "DataNeeded":
    case "DataMissing":
      return "every way to pay needs data about the payer: open the link in a browser"
    case "Declined":
      return "nothing was chosen, and nothing was paid"
    case "OptionExpired":
      return "it took too long: pay again, what was signed is void"
    case "Stopped":
      return `${result.error.message}${result.error instanceof SignerFailed ? causeOf(result.error) : ""}`
    case "Unwatched":
      return `the payment is under way, and could not be watched to its end (${result.error.message}): run the same command again`
  }
}

/** What programs read; what was signed stays here. */
const asJson = (result: PayResult) => ({
  result: result._tag,
  ...("paymentId" in result && { paymentId: result.paymentId }),
  ...(result._tag === "Succeeded" ? { paid: result.paid } : { message: whyNot(result) }),
})

const receipt = (result: Extract<PayResult, { readonly _tag: "Succeeded" }>): void => {
  if (result.paid === null) return Terminal.done("Paid.")
  Terminal.done(`Paid ${WireAmount.toText(result.paid.optionAmount)}.`)
  Terminal.fact("payment", result.paymentId)
  Terminal.fact("in", result.paid.txId)
}

/** Ends as the payment does; whoever stops it is waited for, so that what the wallet sends is not lost. */
const paying = (link: string, options: PayOptions) =>
  Effect.suspend(() => {
    const controller = new AbortController()
    const result = pay(link, { ...options, signal: controller.signal })
    return Effect.tryPromise({
      try: () => result,
      catch: (error) => failed(error instanceof Error ? error.message : "it did not work"),
    }).pipe(
      Effect.onInterrupt(() => {
        controller.abort()
        return Effect.promise(() => result.catch(() => undefined))
      }),
    )
  })

const choose = (yes: boolean): NonNullable<PayOptions["chooseOption"]> =>
  yes
    ? ([first]) => first
    : async (options) => {
        const question = `\n  Which way (1 to ${options.length}, or nothing to stop)? `
        const chosen = await Choice.ask(question, options.length, { input: stdin, output: stdout })
        return chosen === undefined ? undefined : options[chosen - 1]
      }

/** What is kept is of use while the payment may still be confirmed with it. */
const isWorthKeeping = (result: PayResult): boolean =>
  "resume" in result && (result._tag === "Stopped" || result._tag === "Unwatched")

const run = Effect.fnUntraced(function* (given: Given) {
  if (given.json && !given.yes) {
    return yield* notUnderstood("--json asks nothing: add --yes to take the first way to pay")
  }
  if (!given.yes && !stdin.isTTY) {
    return yield* notUnderstood(
      "nobody is there to choose: add --yes to take the first way to pay, or run it in a terminal",
    )
  }
  const { chains, connection, pollInMs, wallet } = yield* open(given)
  const link = parsePaymentLink(given.link, connection)
  const file =
    "paymentId" in link
      ? Unfinished.file(join(given.directory, "unfinished"), link.paymentId)
      : undefined
  const resume = file?.read()
  const tell = given.json ? () => undefined : narrator()
  if (resume !== undefined && !given.json) {
    Terminal.note("Going on where the last attempt stopped: nothing is signed or sent twice.")
  }
  const result = yield* paying(given.link, {
    ...connection,
    accounts: chains.map(({ chainId }) => Caip.formatAccount(wallet.account(chainId))),
    signer: Payer.signer(wallet, chains, pollInMs),
    chooseOption: choose(given.yes),
    onProgress: (progress) => {
      tell(progress)
      if (progress._tag === "Executed") file?.write(progress.resume)
    },
    ...(resume !== undefined && { resume }),
  })
  if (!isWorthKeeping(result)) file?.remove()
  if (given.json) Terminal.json(asJson(result))
  if (result._tag !== "Succeeded") return yield* failed(whyNot(result))
  if (!given.json) receipt(result)
})

export const command = Command.make("pay", flags, run).pipe(
  Command.withDescription(
    "Pays a payment link from this terminal: shows what is asked for and the ways to pay it, asks which, signs, and waits for the end. The wallet's private key is in FLORIN_WALLET_KEY, the service's address and the wallet's API key are in FLORIN_URL and FLORIN_API_KEY; with neither, what runs in --directory is used, with its first test wallet. When it is stopped after something was sent, the same command goes on from there.",
  ),
  Command.withShortDescription("Pay a payment link"),
  Command.withExamples([
    { command: "florin pay 'https://pay.localhost/?pid=pay_…'" },
    { command: "florin pay --yes --json --rpc 8453=https://node.example 'https://…'" },
  ]),
)
