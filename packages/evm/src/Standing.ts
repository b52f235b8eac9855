/**
 * How a transfer stands before it is sent: all that its token will ask, read in one request, and a call of exactly what
 * will be sent.
 *
 * Nothing here proves that money will move. It can only tell that it would not. Answers about the newest block may come
 * from several machines behind one address, of which some are behind: what they say against a transfer is asked again of
 * one block, which no machine that is behind can answer.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/Caip"
import * as Details from "@florin/core/domain/eip155/Details"
import type * as PaymentOption from "@florin/core/domain/PaymentOption"
import type * as Transfer from "@florin/core/domain/Transfer"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { encodeFunctionData, toHex } from "viem/utils"
import * as Abi from "./Abi.ts"
import * as AuthorizationState from "./AuthorizationState.ts"
import * as Calls from "./Calls.ts"
import { assetOf } from "./ChainConfig.ts"
import * as CollectGas from "./CollectGas.ts"
import * as Head from "./Head.ts"
import * as Holdings from "./Holdings.ts"
import type { Link } from "./Link.ts"
import * as Permit from "./Permit.ts"
import * as Queries from "./Queries.ts"
import * as Rpc from "./Rpc.ts"
import * as Views from "./Views.ts"

const feeRateData = encodeFunctionData({ abi: Abi.feeSwitch, functionName: "basisPointsRate" })

/**
 * Whether a token would deliver less than is sent: the owner of some may let it keep a part of each transfer. Of a token
 * that was removed from the configuration nobody knows, so its contract is asked.
 */
const takesFee = Effect.fnUntraced(function* (
  { config, rpc }: Link,
  token: Caip.Token,
  at: Queries.At,
) {
  const asset = assetOf(config, token)
  if (asset !== undefined && !Details.of(asset).issuer.switches.includes("basisPointsRate"))
    return false
  const [rate] = yield* Views.ask(rpc, [{ to: token.address, data: feeRateData }], at)
  return rate !== null && rate !== undefined && rate > 0n
})

/**
 * Why a call would revert, or null where it would not, within the gas that it may take. What else a node will not do is no
 * answer.
 */
export const refusal = Effect.fnUntraced(function* (
  { config, rpc }: Link,
  call: Calls.ContractCall,
  at: Queries.At,
  most: bigint = config.gas.most,
) {
  const gas = toHex(most)
  const simulated = yield* rpc.attempt(Queries.call({ ...call, gas }, at))
  if (Result.isSuccess(simulated)) return null
  return Rpc.isRevert(simulated.failure)
    ? simulated.failure
    : yield* Rpc.unavailable(rpc.chainId)(simulated.failure)
})

/** How a transfer from our own account stands. */
export const ofTransfer = (link: Link, movement: Transfer.Movement, at: Queries.At) =>
  Effect.all(
    {
      held: Holdings.balance(link, movement.token, movement.from, at),
      takesFee: takesFee(link, movement.token, at),
      refusal: refusal(link, Calls.send(movement), at),
    },
    { concurrency: "unbounded" },
  )

/** How much of the payment may be taken: EIP-3009 needs no allowance. */
const allowed = (
  link: Link,
  { account, flow, quantity, token }: PaymentOption.PaymentOption,
  at: Queries.At,
) => (flow === "permit2" ? Holdings.allowance(link, account, token, at) : Effect.succeed(quantity))

/**
 * Whether the payer's account is a contract, and what its token objects to about what it signed. The token is called in
 * another way for a contract, and with less gas: an account that changed since its option was offered costs a second
 * request.
 */
const collecting = Effect.fnUntraced(function* (
  link: Link,
  option: PaymentOption.PaymentOption,
  signature: string,
  at: Queries.At,
) {
  const refusalOf = Effect.fnUntraced(function* (isContract: boolean) {
    const call = Calls.collect(option, signature, isContract)
    const most = isContract ? yield* CollectGas.most(link, call) : undefined
    return yield* refusal(link, call, at, most)
  })
  const isGuessed = option.hasCode === true
  const { code, refused } = yield* Effect.all(
    {
      code: link.rpc.ask(Queries.code(option.account.address, at)),
      refused: refusalOf(isGuessed),
    },
    { concurrency: "unbounded" },
  )
  const isContract = code !== "0x"
  return { isContract, refusal: isContract === isGuessed ? refused : yield* refusalOf(isContract) }
})

/**
 * How a permit stands, what is due of it, and what the token objects to about that. Before the permit is used, the money
 * cannot be taken yet: the payer's own transfer shows what would be in its way.
 */
export const ofPermit = Effect.fnUntraced(function* (
  link: Link,
  option: PaymentOption.PaymentOption,
  signature: string,
  at: Queries.At,
) {
  const { newest, own, permit, state, take, ...standing } = yield* Effect.all(
    {
      newest: Head.latest(link.rpc),
      state: Permit.stateOf(link, option, at),
      held: Holdings.balance(link, option.token, option.account.address, at),
      takesFee: takesFee(link, option.token, at),
      permit: collecting(link, option, signature, at),
      own: refusal(link, Calls.own(option), at),
      take: refusal(link, Calls.take(option), at),
    },
    { concurrency: "unbounded" },
  )
  const step = Permit.stepOf(option, state)
  return {
    ...standing,
    isContract: permit.isContract,
    nowInS: newest.timestamp,
    step,
    isSpent: step === "none",
    // What may be taken is what the permit says.
    allowed: option.quantity,
    isApproved: state.isApproved,
    refusal: step === "take" ? take : (permit.refusal ?? own),
  }
})

/** How a payer's authorization stands. */
export const ofAuthorization = Effect.fnUntraced(function* (
  link: Link,
  option: PaymentOption.PaymentOption,
  signature: string,
  at: Queries.At,
) {
  const { asked, newest, ...standing } = yield* Effect.all(
    {
      newest: Head.latest(link.rpc),
      isSpent: link.rpc.ask(AuthorizationState.isSpent(option, at)),
      held: Holdings.balance(link, option.token, option.account.address, at),
      allowed: allowed(link, option, at),
      takesFee: takesFee(link, option.token, at),
      asked: collecting(link, option, signature, at),
    },
    { concurrency: "unbounded" },
  )
  return { ...standing, ...asked, nowInS: newest.timestamp }
})
