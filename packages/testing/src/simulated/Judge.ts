/**
 * How a simulated chain judges signatures and orders before anything is sent.
 *
 * @module
 */
import type * as ActionResult from "@florin/core/domain/chain/ActionResult"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Payment from "@florin/core/domain/payment/Payment"
import { AttemptRefused, type Judged, type Order, TransferRefused } from "@florin/core/ports/Chain"
import * as Result from "effect/Result"
import { roleOf } from "../Kit.ts"
import type * as Blockchain from "./Blockchain.ts"
import * as Observation from "./Observation.ts"
import * as Tokens from "./Tokens.ts"

type Refusal = TransferRefused["reason"]

const messages: { readonly [Reason in Refusal]: string } = {
  paused: "the token is paused",
  payee: "the payee may not receive this token",
  blocked: "a party may not send or receive this token",
  barred: "the payer may not send this token",
  short: "the account does not hold enough, or its approval is too low",
  spent: "the authorization was used or revoked",
  late: "the authorization ends too soon to be sent",
}

const refuseAttempt = (message: string) => Result.fail(new AttemptRefused({ message }))
const accept: Result.Result<void> = Result.succeed(undefined)

export const make = (
  chain: Blockchain.Blockchain,
  isAuthorized: Tokens.IsAuthorized,
  collecting: (chainId: Caip.ChainId) => ReadonlyArray<Caip.Address>,
  nowInS: number,
) => {
  const memory = chain.memory(chain.head())
  const { kit } = chain.rules

  const shortOfAllowance = (option: PaymentOption.PaymentOption): boolean =>
    roleOf(kit, option.flow) === "allowed" &&
    memory.allowance(option.token.address, option.account.address) < option.quantity

  const collectRefusal = (option: PaymentOption.PaymentOption): Refusal | undefined => {
    if (roleOf(kit, option.flow) === "permitted" && Tokens.stepOf(memory, option) === "none")
      return "spent"
    if (chain.minedByAuthorization(Tokens.authorizationKey(kit, option)) !== undefined)
      return "spent"
    const endsAt = PaymentOption.authorizationEndsAt(option)
    if (nowInS + Limits.authorizationSendMarginInS >= endsAt) return "late"
    const obstacle = Tokens.obstacle(memory, chain.rules, Payment.movement({ option }))
    // We are the payee here, so an obstacle on the payee's side is reported as `blocked`.
    if (obstacle === "payee") return "blocked"
    return obstacle ?? (shortOfAllowance(option) ? "short" : undefined)
  }

  const verifyAuthorized = (
    option: PaymentOption.PaymentOption,
    signature: string,
    approvals: ReadonlyArray<string>,
  ): Result.Result<void, AttemptRefused> => {
    if (!isAuthorized(option, signature)) {
      return refuseAttempt("the signature is not by the option's account")
    }
    const used = chain.minedByAuthorization(Tokens.authorizationKey(kit, option))
    if (used !== undefined) {
      return used.logs.some(Observation.isMovement(Payment.movement({ option })))
        ? accept
        : refuseAttempt("the authorization was used or revoked")
    }
    if (nowInS >= Tokens.authorizationRefusedFrom(kit, option)) {
      return refuseAttempt("the authorization has expired")
    }
    const obstacle = Tokens.obstacle(memory, chain.rules, Payment.movement({ option }))
    if (obstacle !== undefined) return refuseAttempt(messages[obstacle])
    if (roleOf(kit, option.flow) === "permitted") {
      const { account, token } = option
      if (Tokens.stepOf(memory, option) !== "permit") return refuseAttempt(messages.spent)
      return Tokens.isApproved(memory, token, account.address, collecting(token.chainId))
        ? refuseAttempt("the account lets a collecting account take something already")
        : accept
    }
    const mayRise = approvals.some((hash) => chain.mined(hash) === undefined)
    return shortOfAllowance(option) && !mayRise
      ? refuseAttempt("the account's approval is too low: approve first")
      : accept
  }

  const isAskedTransfer = (
    option: PaymentOption.PaymentOption,
    txHash: string,
    except: NonNullable<Judged["except"]>,
  ): Result.Result<void, AttemptRefused> => {
    const transaction = chain.transaction(txHash)
    // The transaction is not known here yet: only its mining can decide.
    if (transaction === undefined) return accept
    const { call, sender } = transaction
    const isTransfer =
      call._tag === "Transfer" &&
      call.token === option.token.address &&
      call.to === option.payTo &&
      call.quantity === option.quantity
    // The logs of a contract's batch show what it moves.
    const isAsked = isTransfer || call._tag === "Batch"
    if (!isAsked || sender !== option.account.address)
      return refuseAttempt("the transaction is not the transfer of this option")
    const mined = chain.mined(txHash)
    if (mined === undefined) return accept
    if (PaymentOption.isAfter(option, mined.at)) {
      return refuseAttempt("the transaction is older than the option")
    }
    const equal = mined.logs.filter(Observation.isMovement(Payment.movement({ option })))
    if (equal.length === 0) return refuseAttempt("the transaction moved no such money")
    return equal.every(({ logIndex }) => Transfer.isOneOf(except, { txHash, logIndex }))
      ? refuseAttempt("the transfer counts already")
      : accept
  }

  const verifySent = (
    option: PaymentOption.PaymentOption,
    txHash: string,
    signature: string,
    except: NonNullable<Judged["except"]>,
  ): Result.Result<void, AttemptRefused> => {
    const asset = chain.rules.catalog.find(option.token)
    if (asset === undefined) return refuseAttempt("the token is not taken any more")
    return kit.isSigned({ asset, option }, signature)
      ? isAskedTransfer(option, txHash, except)
      : refuseAttempt("the statement is not signed by the account for this option")
  }

  const orderRefusal = (order: Order): Refusal | undefined => {
    if (order._tag === "Send") {
      const { movement } = order
      const obstacle = Tokens.obstacle(memory, chain.rules, movement)
      // The payee is the obstacle only if another account could be paid.
      return obstacle === "payee"
        ? (Tokens.obstacle(memory, chain.rules, { ...movement, to: movement.from }) ?? "payee")
        : obstacle
    }
    return collectRefusal(order.attempt.option)
  }

  return {
    verify: ({
      except = [],
      option,
      outputs,
    }: Judged): Result.Result<ActionResult.Outputs, AttemptRefused> => {
      if ((outputs._tag === "Sent") !== (roleOf(kit, option.flow) === "sent")) {
        return refuseAttempt("the outputs are not those of this option's actions")
      }
      // No account has code here, so every signature has one spelling.
      const signature = kit.family.spelled(outputs.signature)
      const judged =
        outputs._tag === "Sent"
          ? verifySent(option, outputs.txHash, signature, except)
          : verifyAuthorized(option, signature, outputs.approvals)
      return Result.map(judged, () => ({ ...outputs, signature }))
    },
    rehearse: (order: Order): Result.Result<void, TransferRefused> => {
      const reason = orderRefusal(order)
      return reason === undefined
        ? accept
        : Result.fail(new TransferRefused({ reason, message: messages[reason] }))
    },
    balance: (token: Caip.Token, address: Caip.Address): bigint =>
      memory.balance(token.address, address),
  }
}
