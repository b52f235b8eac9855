/**
 * The wallet of `florin pay` and `florin trigger`: a test wallet of `florin dev`, or one with test tokens.
 *
 * It forgets what it signed when the process ends. So it pays with test keys only, and with a key of the user's own
 * only on local chains and test networks.
 *
 * @module
 */
import { SignerFailed, type PayResult } from "@florin/client"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as AssetFile from "@florin/evm/AssetFile"
import * as Wallet from "@florin/testing/Wallet"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { BaseError } from "viem"
import type * as ReadyFile from "../access/ReadyFile.ts"
import * as ServiceAccess from "../access/ServiceAccess.ts"
import * as Variables from "../access/Variables.ts"
import * as LocalChains from "../dev/LocalChains.ts"
import * as Payer from "../dev/Payer.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"

const chainOf = (text: string): Option.Option<ReadyFile.Reached> => {
  const [, id = "", rpcUrl = ""] = /^([1-9][0-9]{0,14})=(https?:\/\/.+)$/u.exec(text) ?? []
  return URL.canParse(rpcUrl) ? Option.some({ chainId: Number(id), rpcUrl }) : Option.none()
}

/** The nodes for tokens that the wallet sends itself. */
export const rpc = Flags.string(
  "rpc",
  "CHAIN=URL",
  "Node of a test network, for tokens that the wallet sends itself; repeat for several: 84532=https://…",
).pipe(
  Flag.filterMap(chainOf, () => "a chain id and the address of its node: 84532=https://…"),
  Flag.atLeast(0),
)

const readKey = (text: string) =>
  Effect.mapError(Effect.fromResult(Result.try(() => Wallet.make(text))), () =>
    Failure.make("FLORIN_WALLET_KEY is not a valid private key: it is 0x and 64 hex digits"),
  )

const isTestNetwork = (chainId: number): boolean =>
  Result.match(AssetFile.parse("{}", [chainId]), {
    onFailure: () => false,
    onSuccess: ({ catalog }) => catalog.network(Eip155.chainId(chainId))?.isTest === true,
  })

/** Opens the wallet for the chains of a service. Refuses live keys, and the user's own key on real chains. */
export const open = Effect.fnUntraced(function* (
  { apiKey, ready }: Pick<ServiceAccess.Opened, "apiKey" | "ready">,
  nodes: ReadonlyArray<ReadyFile.Reached>,
  offered: ReadonlyArray<number>,
) {
  if (ServiceAccess.isLive(apiKey)) {
    return yield* Failure.make(
      "the key is for live payments: set FLORIN_API_KEY to a test key, flr_test_…, or pay the link in your own wallet",
    )
  }
  const key = yield* Variables.read("FLORIN_WALLET_KEY")
  const wallet = Option.isSome(key) ? yield* readKey(key.value) : LocalChains.payer
  // The keys of the test wallets are public, so they hold nothing on a real chain.
  const isOwnKey = Option.isSome(key) && ready === null
  const chainIds = isOwnKey ? offered.filter(isTestNetwork) : offered
  if (isOwnKey && chainIds.length === 0) {
    return yield* Failure.make(
      "FLORIN_WALLET_KEY is used on test networks only: name one with --rpc 84532=https://…, or pay the link in your own wallet",
    )
  }
  return {
    accounts: chainIds.map((chainId) => Eip155.formatAccount(wallet.account(chainId))),
    signer: Payer.signer(wallet, nodes.length > 0 ? nodes : (ready?.chains ?? [])),
  }
})

/** The message of a node or of the wallet, and nothing else, because the address of a node may hold a key. */
const causeOf = (cause: unknown): string => {
  if (cause instanceof Wallet.WalletRefused || cause instanceof Failure.CommandFailed) {
    return `: ${cause.message}`
  }
  return cause instanceof BaseError ? `: ${Printable.from(cause.shortMessage)}` : ""
}

/** What went wrong, and what to do. */
export const whyNot = (result: Exclude<PayResult, { readonly _tag: "Succeeded" }>): string => {
  switch (result._tag) {
    case "NotAPaymentLink":
      return result.link._tag === "InvalidLink"
        ? result.link.message
        : "this is not a payment link of the service: check where the link came from"
    case "Failed":
      return `the payment ${result.failureCode === "declined_user" ? "was declined" : "failed"}: ask the merchant for a new payment link`
    case "AlreadyFinal":
      return `the payment is ${result.status} already`
    case "NoOption":
      return "the wallet cannot pay now: it does not hold enough of any token that is offered on these chains"
    case "DataNeeded":
    case "DataMissing":
      return `the payment needs data about the payer: add ${"fields" in result ? result.fields.map((id) => `--data ${Printable.from(id)}=…`).join(" ") : "--data"}`
    case "Declined":
      return "no way to pay was chosen, and nothing was paid"
    case "OptionExpired":
      return "the payment timed out: pay again; the earlier signature is void"
    case "Stopped":
      return result.error instanceof SignerFailed
        ? `${result.error.message}${causeOf(result.error.cause)}`
        : Printable.from(result.error.message)
    case "Unwatched":
      return `the payment is in progress, but its status could not be read until it was final (${Printable.from(result.error.message)})`
  }
}
