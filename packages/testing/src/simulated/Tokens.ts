/**
 * How token contracts, and the contract through which we collect, execute a transaction, including their quirks.
 *
 * @module
 */
import type * as Action from "@florin/core/domain/chain/Action"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Money from "@florin/core/domain/ground/Money"
import { type SimulatedKit, type Role, roleOf } from "../Kit.ts"
import type * as Transaction from "./Transaction.ts"

/** A Transfer event, and the authorization that moved the money, if there was one. */
export interface Log {
  readonly token: Caip.Token
  readonly from: Caip.Address
  readonly to: Caip.Address
  readonly quantity: Money.Quantity
  readonly authorization: string | null
}

/** The result of a transaction. A reverted one writes nothing and logs nothing. */
export interface Outcome {
  readonly succeeded: boolean
  readonly logs: ReadonlyArray<Log>
  /** The authorization that it used, whether money moved or not. */
  readonly authorization: string | null
}

/** What the tokens' owners set. */
export interface Rules {
  readonly kit: SimulatedKit
  readonly catalog: Catalog.Catalog
  /** Blocked addresses: plain ones for all tokens, and keys of {@link blockKey} for one token. */
  readonly blocked: ReadonlySet<string>
  /** Keys of {@link tokenKey}. */
  readonly paused: ReadonlySet<string>
  /** Hundredths of a percent that a token keeps of each transfer, by {@link tokenKey}. */
  readonly fees: ReadonlyMap<string, bigint>
}

/** The chain's memory, as of one block. */
export interface Memory {
  readonly balance: (token: Caip.Address, owner: Caip.Address) => bigint
  /** What an owner lets a spender take. The default spender is the contract through which we collect. */
  readonly allowance: (token: Caip.Address, owner: Caip.Address, spender?: Caip.Address) => bigint
  /** The nonce of the owner's next permit. */
  readonly permitNonce: (token: Caip.Address, owner: Caip.Address) => bigint
}

export interface WritableMemory extends Memory {
  readonly setBalance: (token: Caip.Address, owner: Caip.Address, quantity: bigint) => void
  readonly setAllowance: (
    token: Caip.Address,
    owner: Caip.Address,
    quantity: bigint,
    spender?: Caip.Address,
  ) => void
  readonly setPermitNonce: (token: Caip.Address, owner: Caip.Address, nonce: bigint) => void
  readonly isUsed: (authorization: string) => boolean
}

/** Where a token's transfer fee goes. */
export const feeCollector = Caip.Address.make(`0x${"fee".padStart(40, "0")}`)

export const blockKey = (token: Caip.Token, address: Caip.Address): string =>
  `${Caip.tokenKey(token)}:${address}`

/**
 * The key of an option's authorization: direct ones belong to a token, allowed ones to the owner. The key of a permit's
 * `take` names the payment.
 */
export const authorizationKey = (
  kit: SimulatedKit,
  option: PaymentOption.PaymentOption,
): string => {
  const { account, flow, token } = option
  const scopes: { readonly [R in Role]: string } = {
    direct: token.address,
    sent: token.address,
    allowed: "contract",
    permitted: `permit:${token.address}`,
  }
  const scope = scopes[roleOf(kit, flow) ?? "sent"]
  return `${scope}:${account.address}:${PaymentOption.authorizationNonce(option)}`
}

/**
 * The next step of a permit: the permit itself, then `take`. `early` while an earlier nonce is not used; `none` if its
 * own nonce was used and nothing is allowed.
 */
export type Step = "early" | "permit" | "take" | "none"

export const stepOf = (
  memory: Memory,
  { account: { address }, payTo, permitNonce, quantity, token }: PaymentOption.PaymentOption,
): Step => {
  if (permitNonce === undefined) return "none"
  const nonce = memory.permitNonce(token.address, address)
  if (nonce <= permitNonce) return nonce < permitNonce ? "early" : "permit"
  const isAllowed = memory.allowance(token.address, address, payTo) >= quantity
  return nonce === permitNonce + 1n && isAllowed ? "take" : "none"
}

/** The first second at which the option's authorization is refused. */
export const authorizationRefusedFrom = (
  kit: SimulatedKit,
  option: PaymentOption.PaymentOption,
): number =>
  PaymentOption.authorizationEndsAt(option) + (roleOf(kit, option.flow) === "direct" ? 0 : 1)

/** Whether one of these accounts may take something from an owner. */
export const isApproved = (
  memory: Memory,
  { address }: Caip.Token,
  owner: Caip.Address,
  spenders: ReadonlyArray<Caip.Address>,
): boolean => spenders.some((spender) => memory.allowance(address, owner, spender) > 0n)

/** Whether a signature is the account's own for an option's authorization, in the only spelling that tokens accept. */
export const isAuthorizedBy = (
  kit: SimulatedKit,
  chosen: Action.Chosen,
  signature: string,
): boolean =>
  roleOf(kit, chosen.option.flow) !== "sent" &&
  kit.family.spelled(signature) === signature &&
  kit.isSigned(chosen, signature)

/** The same for an option alone, whose asset the chain knows. */
export type IsAuthorized = (option: PaymentOption.PaymentOption, signature: string) => boolean

/** For a used authorization, Paxos tokens return success and do nothing. */
const ignoresUsed = (asset: Asset.Asset): boolean =>
  asset.symbol === "PYUSD" || asset.symbol === "USDG"

/** The obstacle that keeps a token from moving, if there is one. */
export const obstacle = (
  memory: Memory,
  rules: Rules,
  movement: {
    readonly token: Caip.Token
    readonly from: Caip.Address
    readonly to: Caip.Address
    readonly quantity: bigint
  },
): "paused" | "payee" | "blocked" | "short" | undefined => {
  const { token, from, to, quantity } = movement
  const isBlocked = (address: Caip.Address): boolean =>
    rules.blocked.has(address) || rules.blocked.has(blockKey(token, address))
  if (rules.paused.has(Caip.tokenKey(token))) return "paused"
  if (isBlocked(from)) return "blocked"
  if (isBlocked(to)) return "payee"
  return memory.balance(token.address, from) < quantity ? "short" : undefined
}

const reverted: Outcome = { succeeded: false, logs: [], authorization: null }
const silent: Outcome = { succeeded: true, logs: [], authorization: null }

/** Executes one call. A sequence of blocks runs calls one after another; `at` is the block's time in unix seconds. */
export const execute = (
  transaction: Transaction.Transaction,
  at: number,
  memory: WritableMemory,
  rules: Rules,
  isAuthorized: IsAuthorized,
): Outcome => {
  const { call, chainId, sender } = transaction
  const { kit } = rules

  const move = (
    token: Caip.Token,
    from: Caip.Address,
    to: Caip.Address,
    quantity: Money.Quantity,
    authorization: string | null,
  ): Outcome => {
    // A contract that is not one of our assets moves and logs like any other token. Readers must tell them apart.
    const stopped = obstacle(memory, rules, { token, from, to, quantity })
    if (token.chainId !== chainId || stopped !== undefined) return reverted
    const basisPoints = rules.fees.get(Caip.tokenKey(token)) ?? 0n
    const fee = Money.Quantity.make((quantity * basisPoints) / 10_000n)
    const log = (recipient: Caip.Address, received: bigint): Log => {
      const balance = memory.balance(token.address, recipient)
      memory.setBalance(token.address, recipient, balance + received)
      return {
        token,
        from,
        to: recipient,
        quantity: Money.Quantity.make(received),
        authorization,
      }
    }
    memory.setBalance(token.address, from, memory.balance(token.address, from) - quantity)
    const logs = [log(to, quantity - fee), ...(fee > 0n ? [log(feeCollector, fee)] : [])]
    return { succeeded: true, logs, authorization }
  }

  const collect = (
    option: PaymentOption.PaymentOption,
    signature: string,
    by: "payee" | "anyone",
  ): Outcome => {
    const authorization = authorizationKey(kit, option)
    const owner = option.account.address
    const asset = rules.catalog.find(option.token)
    const role = roleOf(kit, option.flow)
    const isHandedIn = role === "direct" || role === "allowed"
    if (!isHandedIn || asset === undefined) return reverted
    const mayCall = sender === option.payTo || (by === "anyone" && role === "direct")
    if (!mayCall || at >= authorizationRefusedFrom(kit, option)) return reverted
    if (memory.isUsed(authorization)) return ignoresUsed(asset) ? silent : reverted
    if (!isAuthorized(option, signature)) return reverted
    if (role === "direct") {
      return move(option.token, owner, option.payTo, option.quantity, authorization)
    }
    const allowance = memory.allowance(option.token.address, owner)
    if (allowance < option.quantity) return reverted
    const moved = move(option.token, owner, option.payTo, option.quantity, authorization)
    if (moved.succeeded && allowance !== Limits.maxQuantity) {
      memory.setAllowance(option.token.address, owner, allowance - option.quantity)
    }
    return moved
  }

  const permit = (option: PaymentOption.PaymentOption, signature: string): Outcome => {
    const owner = option.account.address
    if (at >= authorizationRefusedFrom(kit, option) || !isAuthorized(option, signature))
      return reverted
    if (stepOf(memory, option) !== "permit") return reverted
    memory.setPermitNonce(option.token.address, owner, (option.permitNonce ?? 0n) + 1n)
    memory.setAllowance(option.token.address, owner, option.quantity, option.payTo)
    return silent
  }

  const take = (option: PaymentOption.PaymentOption): Outcome => {
    const owner = option.account.address
    const allowance = memory.allowance(option.token.address, owner, sender)
    if (sender !== option.payTo || allowance < option.quantity) return reverted
    const moved = move(option.token, owner, sender, option.quantity, authorizationKey(kit, option))
    if (moved.succeeded) {
      memory.setAllowance(option.token.address, owner, allowance - option.quantity, sender)
    }
    return moved
  }

  switch (call._tag) {
    case "Permit":
      return permit(call.option, call.signature)
    case "Take":
      return take(call.option)
    case "Collect":
      return collect(call.option, call.signature, call.by)
    case "Cancel": {
      const authorization = authorizationKey(kit, call.option)
      const { address } = call.option.token
      if (roleOf(kit, call.option.flow) === "permitted") {
        memory.setPermitNonce(address, sender, memory.permitNonce(address, sender) + 1n)
        return silent
      }
      return sender === call.option.account.address && !memory.isUsed(authorization)
        ? { succeeded: true, logs: [], authorization }
        : reverted
    }
    case "Transfer":
      return move({ chainId, address: call.token }, sender, call.to, call.quantity, null)
    case "Batch": {
      const logs = call.transfers.flatMap(
        ({ quantity, to, token: address }) =>
          move({ chainId, address }, sender, to, quantity, null).logs,
      )
      return { succeeded: true, logs, authorization: null }
    }
    case "Approve": {
      const asset = rules.catalog.find({ chainId, address: call.token })
      if (asset === undefined) return silent
      const allowance = memory.allowance(call.token, sender, call.spender)
      if (kit.approveResets(asset) && allowance > 0n && call.quantity > 0n) return reverted
      memory.setAllowance(call.token, sender, call.quantity, call.spender)
      return silent
    }
    case "Other":
      return silent
  }
}
