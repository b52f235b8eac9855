/**
 * Checks a transfer before it is sent: everything that its token will check, read in one request, and a simulation of
 * exactly the call that will be sent.
 *
 * These checks cannot prove that money will move; they can only show that it would not. Several machines behind one
 * address may respond about the newest block, and some are behind. So an objection to the transfer is checked again at
 * one block, which a machine that is behind cannot serve.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Payment from "@florin/core/domain/payment/Payment"
import type { ChainUnavailable } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { toHex } from "viem/utils"
import { assetOf } from "./config/ChainConfig.ts"
import * as Rpc from "./node/Rpc.ts"
import * as Together from "./node/Together.ts"
import * as Abi from "./read/Abi.ts"
import * as Head from "./read/Head.ts"
import type { Link } from "./read/Link.ts"
import * as Queries from "./read/Queries.ts"
import * as Views from "./read/Views.ts"
import * as CollectGas from "./send/CollectGas.ts"
import * as AuthorizationState from "./token/AuthorizationState.ts"
import * as Calls from "./token/Calls.ts"
import * as Holdings from "./token/Holdings.ts"
import * as Permit from "./token/Permit.ts"

/**
 * Whether a token would deliver less than is sent: some tokens' owners may keep a part of each transfer. If the token
 * was removed from the configuration, its contract is asked.
 */
const takesFee = ({ config, rpc }: Link, token: Caip.Token, at: Queries.At) => {
  const asset = assetOf(config, token)
  return asset !== undefined && !Details.of(asset).issuer.switches.includes("basisPointsRate")
    ? Effect.succeed(false)
    : Effect.map(
        Views.ask(rpc, [{ to: token.address, data: Abi.switches.basisPointsRate([]) }], at),
        ([rate = null]) => rate !== null && rate > 0n,
      )
}

/**
 * Why a call would revert; null if it would succeed within its gas limit. Any other refusal by the node counts as no
 * response.
 */
export const refusal = (
  { config, rpc }: Link,
  call: Calls.ContractCall,
  at: Queries.At,
  most: bigint = config.gas.most,
) =>
  Effect.map(Rpc.called(rpc, Queries.call({ ...call, gas: toHex(most) }, at)), (simulated) =>
    Result.isSuccess(simulated) ? null : simulated.failure,
  )

/** Checks a transfer from our own account. */
export const ofTransfer = (link: Link, movement: Transfer.Movement, at: Queries.At) =>
  Together.all({
    held: Holdings.balance(link, movement.token, movement.from, at),
    takesFee: takesFee(link, movement.token, at),
    refusal: refusal(link, Calls.send(movement), at),
  })

/** Why the token refuses the call that collects a payment. It is called in another way, with less gas, for a contract. */
const collectingRefusal = Effect.fnUntraced(function* (
  link: Link,
  option: PaymentOption.PaymentOption,
  signature: string,
  isContract: boolean,
  at: Queries.At,
) {
  const call = Calls.collect(option, signature, isContract)
  const most = isContract ? yield* CollectGas.most(link, call) : undefined
  return yield* refusal(link, call, at, most)
})

/** Whether nothing more is taken by an option that we send: its money has moved, or its authorization is used up. */
export const isSpent = (link: Link, option: PaymentOption.PaymentOption, at: Queries.At) =>
  option.flow === "permit"
    ? Effect.map(
        Permit.stateOf(link, option, at),
        (state) => Permit.stepOf(option, state) === "none",
      )
    : link.rpc.ask(AuthorizationState.isSpent(option, at))

/** What is so after exactly this block: asked by the block's hash, or by its number if the node takes no hash. */
export const after = <A>(
  { hash, number }: Pick<Queries.Block, "hash" | "number">,
  ask: (at: Queries.At) => Effect.Effect<A, ChainUnavailable>,
) => Effect.catchTag(ask({ blockHash: hash }), "ChainUnavailable", () => ask(number))

/**
 * How far an authorization is, with the objections to the payer's own transfer and to taking what a permit allows.
 * Before a permit is used, the money cannot be taken, so the payer's own transfer is simulated to find obstacles.
 */
const progressOf = (link: Link, option: PaymentOption.PaymentOption, at: Queries.At) =>
  option.flow === "permit"
    ? Effect.map(
        Together.all({
          state: Permit.stateOf(link, option, at),
          own: refusal(link, Calls.send(Payment.movement({ option })), at),
          take: refusal(link, Calls.take(option), at),
        }),
        ({ own, state, take }) => {
          const step = Permit.stepOf(option, state)
          return { step, isSpent: step === "none", isApproved: state.isApproved, own, take }
        },
      )
    : Effect.map(isSpent(link, option, at), (spent) => ({
        step: "permit" as const,
        isSpent: spent,
        isApproved: false,
        own: null,
        take: null,
      }))

/** Checks what a payer signed. An account whose code changed since its option was offered costs a second request. */
export const ofOption = Effect.fnUntraced(function* (
  link: Link,
  option: PaymentOption.PaymentOption,
  signature: string,
  at: Queries.At,
) {
  const { account, flow, hasCode = false, quantity, token } = option
  const { asOffered, code, newest, progress, ...standing } = yield* Together.all({
    newest: Head.latest(link.rpc),
    progress: progressOf(link, option, at),
    held: Holdings.balance(link, token, account.address, at),
    // EIP-3009 needs no allowance, and a permit itself limits what may be taken.
    allowed:
      flow === "permit2" ? Holdings.allowance(link, account, token, at) : Effect.succeed(quantity),
    takesFee: takesFee(link, token, at),
    code: link.rpc.ask(Queries.code(account.address, at)),
    asOffered: collectingRefusal(link, option, signature, hasCode, at),
  })
  const { own, take, ...rest } = progress
  const isContract = code !== "0x"
  const collecting =
    isContract === hasCode
      ? asOffered
      : yield* collectingRefusal(link, option, signature, isContract, at)
  return {
    ...standing,
    ...rest,
    isContract,
    nowInS: newest.timestamp,
    refusal: rest.step === "take" ? take : (collecting ?? own),
  }
})
