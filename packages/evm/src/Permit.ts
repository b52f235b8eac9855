/**
 * Collecting by an EIP-2612 permit: how far its two transactions are, as the token itself keeps it.
 *
 * A permit sets what the collecting account may take, and says nothing of the payment. So only what the token knows after
 * this permit and no later one counts as its allowance: the nonce must be the next one. The transaction that takes the
 * money names the payment behind its call, where the token does not look.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/Caip"
import * as PaymentOption from "@florin/core/domain/PaymentOption"
import { ChainUnavailable } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import { getAbiItem, parseTransaction } from "viem/utils"
import * as Abi from "./Abi.ts"
import * as Calldata from "./Calldata.ts"
import type { Link } from "./Link.ts"
import type * as Queries from "./Queries.ts"
import { type Hex, hex } from "./Queries.ts"
import * as Views from "./Views.ts"

const functions = {
  nonces: Calldata.of(getAbiItem({ abi: Abi.permit, name: "nonces" })),
  getNonce: Calldata.of(getAbiItem({ abi: Abi.permit, name: "getNonce" })),
  allowance: Calldata.of(getAbiItem({ abi: Abi.erc20, name: "allowance" })),
  transferFrom: Calldata.of(getAbiItem({ abi: Abi.permit, name: "transferFrom" })),
}

/** An owner's nonce: Polygon's USDT spells it in its own way, and each token has one of the two. */
const noncesOf = (to: Caip.Address, owner: Caip.Address): ReadonlyArray<Views.View> => [
  { to, data: functions.nonces([hex(owner)]) },
  { to, data: functions.getNonce([hex(owner)]) },
]

const allowanceOf = (to: Caip.Address, owner: Caip.Address, spender: Caip.Address): Views.View => ({
  to,
  data: functions.allowance([hex(owner), hex(spender)]),
})

/**
 * What an account's permits are signed with, and what each spender may take of it already: all words of one question.
 */
export const viewsOf = (
  { address: to }: Caip.Token,
  owner: Caip.Address,
  spenders: ReadonlyArray<Caip.Address>,
): ReadonlyArray<Views.View> => [
  ...noncesOf(to, owner),
  ...spenders.map((spender) => allowanceOf(to, owner, spender)),
]

/** Reads the answers to {@link viewsOf}; null where one of them is missing. */
export const read = (
  words: ReadonlyArray<bigint | null>,
): { readonly nonce: bigint; readonly allowed: ReadonlyArray<bigint> } | null => {
  const [nonces = null, getNonce = null, ...rest] = words
  const nonce = nonces ?? getNonce
  const allowed = rest.filter((each) => each !== null)
  return nonce === null || allowed.length < rest.length ? null : { nonce, allowed }
}

/** What a token keeps for an option, read in one block. */
export interface State {
  readonly nonce: bigint
  /** What the collecting account may take of the payer. */
  readonly allowed: bigint
  /** Whether any account of ours may take something of the payer. */
  readonly isApproved: boolean
}

export const stateOf = Effect.fnUntraced(function* (
  { config, rpc }: Link,
  { account, payTo, token }: PaymentOption.PaymentOption,
  at: Queries.At = "latest",
) {
  const spenders = new Set([payTo, ...config.accounts.keys()])
  const words = yield* Views.ask(rpc, viewsOf(token, account.address, [...spenders]), at)
  const known = read(words)
  if (known === null) {
    return yield* new ChainUnavailable({
      chainId: rpc.chainId,
      message: `chain ${rpc.chainId}: the token does not report the allowance`,
    })
  }
  const { allowed, nonce } = known
  const [mine = 0n] = allowed
  const state: State = { nonce, allowed: mine, isApproved: allowed.some((each) => each > 0n) }
  return state
})

/** The same after exactly this block: by its hash, or by its number where the node takes no hash. */
export const stateIn = (
  link: Link,
  option: PaymentOption.PaymentOption,
  { hash, number }: Pick<Queries.Block, "hash" | "number">,
) =>
  Effect.catchTag(stateOf(link, option, { blockHash: hash }), "ChainUnavailable", () =>
    stateOf(link, option, number),
  )

/**
 * What is due: the permit; then to take the money. `early`: nothing yet, as an earlier nonce of the account was taken back
 * by a reorganisation. `none`: nothing any more, as the nonce was used and nothing is allowed by it: the money was taken, or
 * the payer used the nonce for something else.
 */
export type Step = "early" | "permit" | "take" | "none"

export const stepOf = (
  { permitNonce, quantity }: PaymentOption.PaymentOption,
  { allowed, nonce }: State,
): Step => {
  if (permitNonce === undefined) return "none"
  if (nonce <= permitNonce) return nonce < permitNonce ? "early" : "permit"
  return nonce === permitNonce + 1n && allowed >= quantity ? "take" : "none"
}

/** Takes the money. What follows the call names the payment: no token reads it, and whoever looks for it finds it. */
export const takeData = (option: PaymentOption.PaymentOption): Hex => {
  const { account, payTo, quantity } = option
  const data = functions.transferFrom([hex(account.address), hex(payTo), quantity])
  return hex(`${data}${PaymentOption.authorizationNonce(option).slice(2)}`)
}

/** Whether our signed transaction is the one that takes the money. */
export const isTake = (option: PaymentOption.PaymentOption, raw: string): boolean =>
  parseTransaction(hex(raw)).data === takeData(option)
