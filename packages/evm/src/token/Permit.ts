/**
 * Collects by an EIP-2612 permit, and reads from the token how far its two transactions are.
 *
 * A permit sets how much the collecting account may take, and does not name the payment. So an allowance counts only if
 * this permit, and no later one, set it: the nonce must be the next one. The transaction that takes the money names the
 * payment in bytes after its call data, which the token does not read.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import { ChainUnavailable } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import { parseTransaction } from "viem/utils"
import * as Abi from "../read/Abi.ts"
import type { Link } from "../read/Link.ts"
import type * as Queries from "../read/Queries.ts"
import { type Hex, hex } from "../read/Queries.ts"
import * as Views from "../read/Views.ts"

/** The view of an owner's nonce. Polygon's USDT uses its own spelling, and each token has one of the two. */
const noncesOf = (to: Caip.Address, owner: Caip.Address): ReadonlyArray<Views.View> => [
  { to, data: Abi.calls.nonces([hex(owner)]) },
  { to, data: Abi.calls.getNonce([hex(owner)]) },
]

/** How much of a token an account lets another take. */
export const allowanceOf = (
  to: Caip.Address,
  owner: Caip.Address,
  spender: Caip.Address,
): Views.View => ({
  to,
  data: Abi.calls.allowance([hex(owner), hex(spender)]),
})

/**
 * What an account's permits are signed with, and how much each spender may take of it already, all as words of one
 * query.
 */
export const viewsOf = (
  { address: to }: Caip.Token,
  owner: Caip.Address,
  spenders: ReadonlyArray<Caip.Address>,
): ReadonlyArray<Views.View> => [
  ...noncesOf(to, owner),
  ...spenders.map((spender) => allowanceOf(to, owner, spender)),
]

/** Reads the results of {@link viewsOf}; null if one of them is missing. */
export const read = (
  words: ReadonlyArray<bigint | null>,
): { readonly nonce: bigint; readonly allowed: ReadonlyArray<bigint> } | null => {
  const [nonces = null, getNonce = null, ...rest] = words
  const nonce = nonces ?? getNonce
  const allowed = rest.filter((each) => each !== null)
  return nonce === null || allowed.length < rest.length ? null : { nonce, allowed }
}

/** The token's state for an option, read in one block. */
export interface State {
  readonly nonce: bigint
  /** How much the collecting account may take from the payer. */
  readonly allowed: bigint
  /** Whether any of our accounts may take something from the payer. */
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
    return yield* ChainUnavailable.of(rpc.chainId, "the token does not report the allowance")
  }
  const { allowed, nonce } = known
  const [mine = 0n] = allowed
  const state: State = { nonce, allowed: mine, isApproved: allowed.some((each) => each > 0n) }
  return state
})

/**
 * The next step:
 *
 * - `permit`: submit the permit.
 * - `take`: take the money.
 * - `early`: nothing yet, because a reorganisation took back an earlier nonce of the account.
 * - `none`: nothing any more, because the nonce was used and nothing is allowed by it. Either the money was taken, or
 *   the payer used the nonce for something else.
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

/** Takes the money. The bytes after the call name the payment: no token reads them, and a search can find them. */
export const takeData = (option: PaymentOption.PaymentOption): Hex => {
  const { account, payTo, quantity } = option
  const data = Abi.calls.transferFrom([hex(account.address), hex(payTo), quantity])
  return hex(`${data}${PaymentOption.authorizationNonce(option).slice(2)}`)
}

/** Whether our signed transaction is the one that takes the money. */
export const isTake = (option: PaymentOption.PaymentOption, raw: string): boolean =>
  parseTransaction(hex(raw)).data === takeData(option)
