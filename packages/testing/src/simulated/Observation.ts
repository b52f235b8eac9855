/**
 * Where a movement stands, read from the part of a simulated chain that one look sees.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Money from "@florin/core/domain/ground/Money"
import * as Lane from "@florin/core/domain/outflow/Lane"
import type { Sought, SoughtLate } from "@florin/core/ports/Chain"
import * as Result from "effect/Result"
import { roleOf } from "../Kit.ts"
import type * as Blockchain from "./Blockchain.ts"
import type * as Delivery from "./Delivery.ts"
import * as Tokens from "./Tokens.ts"
import * as Transaction from "./Transaction.ts"

type Logged = Blockchain.Mined["logs"][number]

const unseen: Transfer.Observation = { _tag: "Unseen" }
const impossible = (reason: string): Transfer.Observation => ({ _tag: "Impossible", reason })

/** A log with its position. */
export const locate = (mined: Blockchain.Mined, log: Logged): Transfer.Log => ({
  movement: { token: log.token, from: log.from, to: log.to, quantity: log.quantity },
  txHash: mined.hash,
  logIndex: log.logIndex,
  blockNumber: mined.blockNumber,
  blockHash: mined.blockHash,
})

const evidence = (mined: Blockchain.Mined, log: Logged): Transfer.Evidence => ({
  ...locate(mined, log),
  txNonce: mined.transaction.nonce,
})

/** A log that is exactly a movement. */
export const isMovement =
  (movement: Transfer.Movement) =>
  (log: Tokens.Log): boolean =>
    log.token.chainId === movement.token.chainId &&
    log.token.address === movement.token.address &&
    log.from === movement.from &&
    log.to === movement.to &&
    log.quantity === movement.quantity

/** Reads one chain through one view, without some logs. */
export const make = (
  chain: Blockchain.Blockchain,
  view: Delivery.View,
  except: Sought["except"] = [],
) => {
  const { kit } = chain.rules
  const isFinal = (blockNumber: number): boolean => blockNumber <= view.head - chain.finalityDepth
  /** Nothing that is absent up to here can still appear in a final block. */
  const settled = Math.min(view.head, view.indexed) - chain.finalityDepth
  const visible = (mined: Blockchain.Mined | undefined): Blockchain.Mined | undefined =>
    mined !== undefined && mined.blockNumber <= view.indexed ? mined : undefined

  /** The result of a mined transaction: the log that counts or, once final, that there is none. */
  const read = (
    mined: Blockchain.Mined,
    counts: (log: Logged) => boolean,
    otherwise: string,
    isBetter: (log: Logged) => boolean = counts,
  ): Transfer.Observation => {
    const all = mined.logs.filter(
      (each) =>
        counts(each) && !Transfer.isOneOf(except, { txHash: mined.hash, logIndex: each.logIndex }),
    )
    const log = all.find(isBetter) ?? all[0]
    if (log === undefined) {
      return isFinal(mined.blockNumber)
        ? {
            _tag: "Impossible",
            reason: otherwise,
            txHash: mined.hash,
            ...(mined.succeeded && { movedOtherwise: true }),
          }
        : unseen
    }
    return {
      _tag: isFinal(mined.blockNumber) ? "Final" : "Included",
      evidence: evidence(mined, log),
    }
  }

  /** Whether another transaction than these finally used an account's nonce. */
  const isReplaced = (
    sender: Lane.Lane["sender"],
    nonce: number,
    hashes: ReadonlyArray<string>,
  ): boolean => {
    const winner = visible(chain.minedByNonce(sender, nonce))
    return winner !== undefined && !hashes.includes(winner.hash) && winner.blockNumber <= settled
  }

  const movedBy = (mined: Blockchain.Mined, movement: Transfer.Movement): Transfer.Moved => {
    const nothing = Money.zero
    const sought = {
      movement: { ...movement, quantity: nothing },
      txHash: mined.hash,
      logIndex: 0,
      blockNumber: mined.blockNumber,
      blockHash: mined.blockHash,
      txNonce: mined.transaction.nonce,
    }
    const ours = mined.logs
      .map((log) => evidence(mined, log))
      .filter(
        ({ movement: { from, to, token } }) =>
          Caip.sameToken(token, movement.token) && from === movement.from && to !== from,
      )
    return Transfer.movedBy(ours, sought) ?? { transfer: sought, left: nothing, transfers: [] }
  }

  const own = (movement: Transfer.Movement, relayed: Lane.Transaction): Transfer.Observation => {
    const hashes = Lane.hashes(relayed)
    const [mined] = hashes.flatMap((hash) => visible(chain.mined(hash)) ?? [])
    if (mined !== undefined) {
      const observation = read(mined, isMovement(movement), "the transaction moved no such money")
      return observation._tag === "Impossible" && observation.movedOtherwise === true
        ? { ...observation, moved: movedBy(mined, movement) }
        : observation
    }
    return isReplaced(relayed.lane.sender, relayed.nonce, hashes) ? { _tag: "Replaced" } : unseen
  }

  const authorized = (
    movement: Transfer.Movement,
    option: PaymentOption.PaymentOption,
    relayed: Lane.Transaction | null,
  ): Transfer.Observation => {
    const authorization = Tokens.authorizationKey(kit, option)
    const used = visible(chain.minedByAuthorization(authorization))
    if (used !== undefined) {
      const counts = isMovement(movement)
      return read(
        used,
        (log) => log.authorization === authorization && counts(log),
        "the authorization was used up without this transfer",
      )
    }
    const ours = relayed === null ? unseen : own(movement, relayed)
    const refusedFrom = Tokens.authorizationRefusedFrom(kit, option)
    const failed = ours._tag === "Impossible" && ours.txHash !== undefined ? ours.txHash : null
    const failedAt = failed === null ? null : (chain.mined(failed)?.at ?? null)
    // The reason is the same at every look. A transaction that came too late is not a reason of its own.
    if (failedAt !== null && failedAt < refusedFrom) return ours
    return failedAt !== null || chain.timeOf(settled) >= refusedFrom
      ? impossible("the authorization has expired")
      : ours
  }

  const takes = (relayed: Lane.Transaction): boolean => {
    const decoded = Transaction.decode(kit, relayed.raw)
    return Result.isSuccess(decoded) && decoded.success.transaction.call._tag === "Take"
  }

  const permitted = (
    movement: Transfer.Movement,
    option: PaymentOption.PaymentOption,
    relayed: Lane.Transaction | null,
  ): Transfer.Observation => {
    const used = visible(chain.minedByAuthorization(Tokens.authorizationKey(kit, option)))
    if (used !== undefined) return read(used, isMovement(movement), "it moved something else")
    if (relayed !== null && takes(relayed)) return own(movement, relayed)
    const hashes = relayed === null ? [] : Lane.hashes(relayed)
    const [sent] = hashes.flatMap((hash) => visible(chain.mined(hash)) ?? [])
    if (
      relayed !== null &&
      sent === undefined &&
      isReplaced(relayed.lane.sender, relayed.nonce, hashes)
    ) {
      return { _tag: "Replaced" }
    }
    const step = Tokens.stepOf(chain.memory(Math.min(view.head, view.indexed)), option)
    const before = Tokens.stepOf(chain.memory(settled), option)
    if (step === "none" && before === "none") {
      return impossible("the payer used the permit's nonce otherwise")
    }
    const isLate = chain.timeOf(settled) >= Tokens.authorizationRefusedFrom(kit, option)
    if (isLate && before !== "none") return impossible("the permit has expired")
    const isRefused = sent?.succeeded === false && isFinal(sent.blockNumber)
    if (isRefused && step !== "take" && (before === "permit" || before === "early")) {
      return impossible("the token refused the permit")
    }
    return step === "take" || (step === "permit" && relayed === null) ? { _tag: "Due" } : unseen
  }

  /** A transfer that a wallet sent itself, by the hash that the wallet named. */
  const named = (
    txHash: string,
    option: Pick<PaymentOption.PaymentOption, "account" | "payTo">,
    counts: (log: Logged) => boolean,
    mayBeOurs: boolean,
    isBetter?: (log: Logged) => boolean,
  ): Transfer.Observation => {
    const mined = visible(chain.mined(txHash))
    if (mined !== undefined) {
      const { sender } = mined.transaction
      const isPayers = sender === option.account.address
      return read(
        mined,
        (log) => (isPayers || (mayBeOurs && sender === option.payTo)) && counts(log),
        "the transaction is not this transfer by the payer",
        isBetter,
      )
    }
    const waiting = chain.transaction(txHash)
    return waiting !== undefined && isReplaced(waiting.sender, waiting.nonce, [txHash])
      ? impossible("the wallet replaced the transaction")
      : unseen
  }

  return {
    look: ({ movement, relayed, attempt }: Sought): Transfer.Observation => {
      if (attempt === null) return relayed === null ? unseen : own(movement, relayed)
      const { option, outputs } = attempt
      if (outputs._tag === "Authorized") {
        return roleOf(kit, option.flow) === "permitted"
          ? permitted(movement, option, relayed)
          : authorized(movement, option, relayed)
      }
      const mined = visible(chain.mined(outputs.txHash))
      const isTooOld = mined !== undefined && PaymentOption.isAfter(option, mined.at)
      const counts = isMovement(movement)
      return named(outputs.txHash, option, (log) => !isTooOld && counts(log), false)
    },
    /** Late money counts with any quantity: it is kept for the payer, and pays nothing. */
    lookLate: ({ option, txHash }: SoughtLate): Transfer.Observation =>
      named(
        txHash,
        option,
        (log) =>
          log.token.address === option.token.address &&
          log.from === option.account.address &&
          log.to === option.payTo &&
          log.quantity > 0n,
        true,
        (log) => log.quantity === option.quantity,
      ),
  }
}
