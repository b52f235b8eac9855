/**
 * Simulates an order right before it is signed, and reports why it would fail. Success is no promise that it will go
 * through, and pays nothing.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Limits from "@florin/core/domain/ground/Limits"
import type * as Payment from "@florin/core/domain/payment/Payment"
import { type ChainUnavailable, type Order, TransferRefused } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import { assetOf } from "./config/ChainConfig.ts"
import type { NodeRefused } from "./node/Rpc.ts"
import * as Head from "./read/Head.ts"
import type { Link } from "./read/Link.ts"
import type * as Queries from "./read/Queries.ts"
import * as Views from "./read/Views.ts"
import * as Standing from "./Standing.ts"
import * as Calls from "./token/Calls.ts"
import * as Refusals from "./token/Refusals.ts"
import * as Signature from "./token/Signature.ts"

/** Refuses a transfer of a token. */
const refusing = ({ config }: Link, token: Caip.Token) => {
  const symbol = assetOf(config, token)?.symbol ?? token.address
  return (reason: TransferRefused["reason"], message: string) =>
    Effect.fail(
      new TransferRefused({ reason, message: `${symbol} on chain ${token.chainId}: ${message}` }),
    )
}

/**
 * The meaning of each refusal for the work that waits for the money. Whether the payee is at fault is checked
 * separately.
 */
const reasons: { readonly [W in Refusals.Why]: TransferRefused["reason"] } = {
  paused: "paused",
  payer: "barred",
  ours: "blocked",
  permit2: "blocked",
  payee: "payee",
  someone: "blocked",
  domain: "blocked",
  removed: "blocked",
  unsaid: "blocked",
}

/** The token's own objection. */
const judge = Effect.fnUntraced(function* (
  link: Link,
  refused: Refusals.Refused,
  { refusal, takesFee }: { readonly takesFee: boolean; readonly refusal: NodeRefused | null },
  at: Queries.At,
) {
  const refuse = refusing(link, refused.token)
  if (takesFee) {
    return yield* refuse(
      "blocked",
      "basisPointsRate() is above 0: the token keeps a part of each transfer, so the payee would get less",
    )
  }
  if (refusal !== null) {
    const why = yield* Refusals.explain(link, refused, refusal, at)
    return yield* refuse(reasons[why], `${Refusals.forOperator[why]} (${refusal.message})`)
  }
})

const collect = Effect.fnUntraced(function* (
  link: Link,
  { option, outputs }: Payment.Attempt,
  at: Queries.At,
) {
  const { quantity } = option
  const refuse = refusing(link, option.token)
  const signature = Signature.effective(outputs.signature)
  const { allowed, held, isContract, isSpent, nowInS, ...rest } = yield* Standing.ofOption(
    link,
    option,
    signature,
    at,
  )
  if (isSpent) return yield* refuse("spent", "the authorization was used or revoked")
  const leftInS = PaymentOption.authorizationEndsAt(option) - nowInS
  if (leftInS <= Limits.authorizationSendMarginInS) {
    return yield* refuse(
      "late",
      `the authorization ends in ${leftInS} s by the chain's time, and nothing is sent in the last ${Limits.authorizationSendMarginInS} s`,
    )
  }
  if (held < quantity) {
    return yield* refuse("short", `the payer holds ${held} of ${quantity} units`)
  }
  if (allowed < quantity) {
    return yield* refuse(
      "short",
      `the payer's approval for Permit2 is ${allowed} of ${quantity} units`,
    )
  }
  if (isContract && option.hasCode !== true) {
    const message = "the payer's account has code now, and had none when its option was offered"
    return yield* refuse("blocked", message)
  }
  yield* judge(link, Refusals.ofOption(option, isContract), rest, at)
})

/**
 * Finds out who is at fault. Tokens' reasons do not always name an account, and a payee's contract may give any reason.
 * So the same transfer is simulated to ourselves: the payee is at fault exactly if that would go through.
 */
const blame = Effect.fnUntraced(function* (
  link: Link,
  movement: Transfer.Movement,
  refused: TransferRefused,
  at: Queries.At,
) {
  const { message, reason } = refused
  if (reason === "paused") return yield* refused
  const toUs = Calls.send({ ...movement, to: movement.from })
  if ((yield* Standing.refusal(link, toUs, at)) !== null) {
    return yield* new TransferRefused({ reason: "blocked", message })
  }
  return yield* new TransferRefused({
    reason: "payee",
    message:
      reason === "payee"
        ? message
        : `${message}; another account can be paid, so the destination is at fault: ask the merchant for another one`,
  })
})

const send = Effect.fnUntraced(function* (link: Link, movement: Transfer.Movement, at: Queries.At) {
  const { from, quantity, token } = movement
  const refuse = refusing(link, token)
  const standing = yield* Standing.ofTransfer(link, movement, at)
  if (standing.held < quantity) {
    return yield* refuse("short", `${from} holds ${standing.held} of ${quantity} units: add to it`)
  }
  const judged = judge(link, Refusals.ofMovement(movement), standing, at)
  yield* standing.takesFee
    ? judged
    : judged.pipe(
        Effect.catchTag("TransferRefused", (refused) => blame(link, movement, refused, at)),
      )
})

const rehearseAt = (
  link: Link,
  order: Order,
  at: Queries.At,
): Effect.Effect<void, TransferRefused | ChainUnavailable> =>
  order._tag === "Send" ? send(link, order.movement, at) : collect(link, order.attempt, at)

/** Whether a final block shows that the token bars the payer. If no node shows it, it is not certain. */
const isBarredFinally = Effect.fnUntraced(
  function* ({ config, rpc }: Link, { account, token }: PaymentOption.PaymentOption) {
    const asset = assetOf(config, token)
    if (asset === undefined) return false
    const newest = yield* Head.latest(rpc)
    const { final } = yield* Head.read(rpc, config, newest)
    if (final === null) return false
    const views = Refusals.blocklistView(asset, account.address)
    const [word] = yield* Views.ask(rpc, views, final.number)
    return word === 1n
  },
  Effect.orElseSucceed(() => false),
)

/** Reports a payer as barred for certain only if a final block shows it, too. */
const certain = Effect.fnUntraced(function* (link: Link, order: Order, refused: TransferRefused) {
  const { message, reason } = refused
  if (reason !== "barred") return yield* refused
  const isCertain = order._tag === "Collect" && (yield* isBarredFinally(link, order.attempt.option))
  return yield* isCertain ? refused : new TransferRefused({ reason: "blocked", message })
})

/**
 * Refuses an order that would fail now. A payout whose payee is at fault is held until an operator looks, and a payment
 * whose payer the token bars ends. So the token's objection is checked again at one block.
 */
export const rehearse = (link: Link, order: Order) =>
  rehearseAt(link, order, "latest").pipe(
    Effect.catchIf(
      (error) =>
        error._tag === "TransferRefused" &&
        ["paused", "payee", "blocked", "barred"].includes(error.reason),
      () =>
        Effect.flatMap(Head.latest(link.rpc), ({ number }) => rehearseAt(link, order, number)).pipe(
          Effect.catchTag("TransferRefused", (refused) => certain(link, order, refused)),
        ),
    ),
  )
