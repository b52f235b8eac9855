/**
 * Explains why a token refuses a transfer: from the contract's reason, and from its state and that of the accounts that
 * take part.
 *
 * A revert's reason names no account, and some tokens give none. So the token is asked for its switch, its blocklist
 * and its domain. That takes one more request, and only when a transfer is refused.
 *
 * @module
 */
import type * as Asset from "@florin/core/domain/chain/Asset"
import type * as Caip from "@florin/core/domain/chain/Caip"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type { ChainUnavailable } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import { assetOf } from "../config/ChainConfig.ts"
import type { NodeRefused } from "../node/Rpc.ts"
import * as Abi from "../read/Abi.ts"
import type { Link } from "../read/Link.ts"
import * as Queries from "../read/Queries.ts"
import * as Views from "../read/Views.ts"

/** An account that takes part in a transfer and may be on the token's blocklist. */
type Party = "ours" | "permit2" | "payer" | "payee"

export type Why = Party | "someone" | "paused" | "domain" | "removed" | "unsaid"

export const another = "ask for the payment's options again, and choose another"

/** The message for the payer. */
export const forPayer: Readonly<Record<Why, string>> = {
  paused: `the token is paused by its issuer: ${another}`,
  payer: `the token's issuer blocks the account: pay from another account, or ${another}`,
  ours: `the token's issuer blocks our account: ${another}`,
  permit2: `the token's issuer blocks Permit2: ${another}`,
  payee: `the token's issuer blocks the recipient: ${another}`,
  someone: `the token's issuer blocks one of the accounts: ${another}`,
  domain: `the token was upgraded, and what was signed does not fit it any more: ${another}`,
  removed: `the token does not have this way to pay any more: ${another}`,
  unsaid: `the token refuses the transfer: ${another}`,
}

/** The message for the operator. The contract's own reason follows it. */
export const forOperator: Readonly<Record<Why, string>> = {
  paused: "the token is paused: wait until its issuer resumes it",
  payer: "the payer's account is on the token's blocklist: ask the payer for another payment",
  ours: "our account is on the token's blocklist: set it to draining, and let another account collect",
  permit2: "Permit2 is on the token's blocklist: choose another way to pay for the token",
  payee: "the destination is on the token's blocklist: ask the merchant for another one",
  someone: "an account is on the token's blocklist",
  domain:
    "the token's domain is not the one that was signed for: its issuer upgraded it, so compare its row",
  removed:
    "the token does not have the function that takes the money: its issuer removed it, so compare its row",
  unsaid: "the token refuses the transfer",
}

/** A transfer that was refused. */
export interface Refused {
  readonly token: Caip.Token
  /** In the order in which they are reported if several are on the blocklist. */
  readonly parties: ReadonlyArray<{ readonly party: Party; readonly address: Caip.Address }>
  /** Whether the token itself judged a plain account's signature: it then gives a reason for each refusal. */
  readonly isSigned: boolean
}

/** A payer's authorization that was refused. */
export const ofOption = (
  { account, flow, payTo, token }: PaymentOption.PaymentOption,
  isContract: boolean,
): Refused => ({
  token,
  parties: [
    { party: "ours", address: payTo },
    ...(flow === "permit2" ? [{ party: "permit2", address: Eip155.permit2Address } as const] : []),
    { party: "payer", address: account.address },
  ],
  isSigned: flow !== "permit2" && !isContract,
})

/** A transfer from our own account that was refused. */
export const ofMovement = ({ from, to, token }: Transfer.Movement): Refused => ({
  token,
  parties: [
    { party: "ours", address: from },
    { party: "payee", address: to },
  ],
  isSigned: false,
})

/** Asks whether a token's blocklist names an account; a token without a blocklist is not asked. */
export const blocklistView = (
  asset: Asset.Asset,
  account: Caip.Address,
): ReadonlyArray<Views.View> => {
  const { blocklist } = Details.of(asset).issuer
  return blocklist === null
    ? []
    : [{ to: asset.token.address, data: Abi.blocklists[blocklist]([Queries.hex(account)]) }]
}

/** Asks for the token's current domain separator, if it must be one known word. */
export const separatorView = (
  asset: Asset.Asset,
): { readonly functionName: string; readonly view: Views.View; readonly word: bigint } | null => {
  const { domain, separatorPin } = Details.of(asset)
  if (separatorPin === undefined) return null
  const functionName = domain?.salt === undefined ? "DOMAIN_SEPARATOR" : "getDomainSeperator"
  const view = { to: asset.token.address, data: Abi.calls[functionName]([]) }
  return { functionName, view, word: BigInt(separatorPin) }
}

/** The state of the token and of the accounts, read through the token's own functions. */
const factsOf = Effect.fnUntraced(function* (
  { config, rpc }: Link,
  { parties, token }: Refused,
  at: Queries.At,
) {
  const asset = assetOf(config, token)
  if (asset === undefined) return { isPaused: false, barred: [], isOtherDomain: false }
  const to = asset.token.address
  const hasPause = Details.of(asset).issuer.switches.includes("paused")
  const separator = separatorView(asset)
  const views = {
    pause: hasPause ? [{ to, data: Abi.switches.paused([]) }] : [],
    separator: separator === null ? [] : [separator.view],
    bars: parties.flatMap(({ address }) => blocklistView(asset, address)),
  }
  const [found] = yield* Views.askNamed(rpc, [views], at)
  const domain = found?.separator[0] ?? separator?.word
  return {
    isPaused: found?.pause[0] === 1n,
    isOtherDomain: domain !== separator?.word,
    barred: parties.filter((_, index) => found?.bars[index] === 1n).map(({ party }) => party),
  }
})

const saysPaused = /paus/iu
const saysBarred = /black|block(?:ed|list)|froze|freez|denied|sanction/iu
const saysRemoved =
  /function (?:does not|not|selector)|function(?:notfound|doesnotexist)|facet|not implemented/iu
const saysSigned = /signature|signer|ecrecover|permit/iu

/** Whether a node reports a revert without a reason from the contract. */
const isSilent = ({ data, message }: NodeRefused): boolean =>
  (data === null || data === "0x") &&
  /^\W*(?:evmerror\W+|execution |vm )?revert(?:ed)?\W*$/iu.test(message)

/** Why a token refuses a transfer at a block. */
export const explain = Effect.fnUntraced(function* (
  link: Link,
  refused: Refused,
  refusal: NodeRefused,
  at: Queries.At,
): Effect.fn.Return<Why, ChainUnavailable> {
  const { barred, isOtherDomain, isPaused } = yield* factsOf(link, refused, at)
  const { message } = refusal
  const [someone] = barred
  if (saysPaused.test(message)) return "paused"
  if (saysBarred.test(message)) return someone ?? "someone"
  if (saysRemoved.test(message)) return "removed"
  if (saysSigned.test(message)) return isOtherDomain ? "domain" : "unsaid"
  if (isPaused) return "paused"
  if (someone !== undefined) return someone
  if (isOtherDomain) return "domain"
  return refused.isSigned && isSilent(refusal) ? "removed" : "unsaid"
})
