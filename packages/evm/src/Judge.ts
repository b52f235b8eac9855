/**
 * Judges the outputs of a payer's wallet as the token itself will judge them.
 *
 * The signed message is rebuilt from the option; the client's claim of what was signed is never read. A plain account's
 * signature must come from its key. If the account is a contract, or delegates to one, the contract judges: exactly the
 * call that will be sent is simulated.
 *
 * @module
 */
import type * as ActionResult from "@florin/core/domain/chain/ActionResult"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as Eip712 from "@florin/core/domain/eip155/Eip712"
import * as Outputs from "@florin/core/domain/eip155/Outputs"
import * as Money from "@florin/core/domain/ground/Money"
import * as Payment from "@florin/core/domain/payment/Payment"
import {
  AttemptRefused,
  type ChainUnavailable,
  type Funds,
  type Judged,
} from "@florin/core/ports/Chain"
import { bytesToHex } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { assetOf } from "./config/ChainConfig.ts"
import * as Rpc from "./node/Rpc.ts"
import * as Together from "./node/Together.ts"
import * as Abi from "./read/Abi.ts"
import * as Head from "./read/Head.ts"
import type { Link } from "./read/Link.ts"
import * as LogRange from "./read/LogRange.ts"
import * as Logs from "./read/Logs.ts"
import * as Queries from "./read/Queries.ts"
import { hex } from "./read/Queries.ts"
import * as Standing from "./Standing.ts"
import * as Authorization from "./token/Authorization.ts"
import * as AuthorizationState from "./token/AuthorizationState.ts"
import * as Holdings from "./token/Holdings.ts"
import * as Refusals from "./token/Refusals.ts"
import * as Signature from "./token/Signature.ts"

type Judgement = Effect.Effect<void, AttemptRefused | ChainUnavailable>

const { another } = Refusals
const messages = {
  misfit: "the outputs are not those of this option's actions",
  notSigned: "the signature is not by the option's account: sign exactly what its actions contain",
  notDeployed:
    "the account is a contract that is not on this chain yet: deploy it first, or pay from another account",
  notServed: "the token is not accepted any more: ask for the payment's options again",
  spent: "the authorization was used or revoked: ask for the payment's options again",
  late: "the authorization has expired: ask for the payment's options again",
  fee: `the token keeps a part of each transfer now: ${another}`,
  short: "the account holds too little: add to it, or choose another option",
  ownContract:
    "this token accepts no permit from an account that is a contract: choose another option, or pay from another account",
  uncollected: `the account has already approved some of this token for the service: an earlier payment is not collected yet, or left an approval behind: wait a moment, or ${another}`,
  notApproved: "the account's approval for Permit2 is too low: approve first, as the actions ask",
  committed: `the token accepts a new approval only after the old one is used, which is for an earlier payment: wait until that is collected, or ${another}`,
  contract:
    "the account's contract does not accept the signature, or takes too much gas for that, or the token refuses the transfer: sign again, or choose another option",
  newCode: `the account has code now, and had none when the option was offered: ${another}`,
  notAsked: "the transaction is not the transfer of this option: send what it asks for",
  older: "the transaction is older than the option: it pays something else",
  nothing: "the transaction moved no such money: ask for the payment's options again",
  taken:
    "the transfer already counts for another payment, or as money to return: send another one for this option",
} as const

export const refuse = (why: keyof typeof messages) =>
  Effect.fail(new AttemptRefused({ message: messages[why] }))

/** Explains why the token refuses it. If the token gives no reason, a contract account may be the cause. */
const explain = Effect.fnUntraced(function* (
  link: Link,
  option: PaymentOption.PaymentOption,
  { isContract, refusal }: { readonly isContract: boolean; readonly refusal: Rpc.NodeRefused },
  at: Queries.At,
) {
  const why = yield* Refusals.explain(link, Refusals.ofOption(option, isContract), refusal, at)
  if (isContract && why === "unsaid") return yield* refuse("contract")
  return yield* new AttemptRefused({ message: Refusals.forPayer[why] })
})

/**
 * The value that a contract returns from `isValidSignature` if the signature is its own. Without code nothing is
 * returned.
 */
const magic = `0x1626ba7e${"0".repeat(56)}`

/** Whether an account that is a contract accepts a signature as its own. */
const isAccepted = Effect.fnUntraced(function* (
  { rpc }: Link,
  to: Caip.Address,
  digest: Uint8Array,
  signature: string,
  at: Queries.At,
) {
  const data = Abi.calls.isValidSignature([hex(`0x${bytesToHex(digest)}`), hex(signature)])
  const response = yield* Rpc.called(rpc, Queries.call({ to, data }, at))
  return Result.isSuccess(response) && response.success === magic
})

/** No wallet contract takes more. */
const textSignature = /^0x(?:[0-9a-f]{2}){1,4096}$/u

/** Whether an account signed a text (EIP-191): by its key or, if it is a contract, by its own check (ERC-1271). */
export const isSignedBy = Effect.fnUntraced(function* (
  link: Link,
  address: Caip.Address,
  text: string,
  given: string,
) {
  if (!textSignature.test(given.toLowerCase())) return false
  const signature = Signature.effective(given.toLowerCase())
  const digest = Signature.messageDigest(text)
  if ((yield* Signature.recover(digest, signature)) === address) return true
  return yield* isAccepted(link, address, digest, signature, "latest")
})

/** A used authorization is good if it moved exactly this payment, no matter who submitted it. */
const judgeSpent = Effect.fnUntraced(function* (link: Link, option: PaymentOption.PaymentOption) {
  const used = yield* Authorization.usedIn(link, option)
  // Only we can submit it, and what we collected is known: without logs, it counts as revoked.
  if (used === LogRange.noLogs) return yield* refuse("spent")
  if (used?.logs.some(Logs.isMovement(Payment.movement({ option }))) === true) return
  if (used !== null || (yield* Authorization.revokedIn(link, option)) !== null) {
    return yield* refuse("spent")
  }
  // It is spent, and no log shows how: the node's logs are behind its state.
  return yield* Head.unsound(link.config.chainId)
})

const judgeAuthorized = Effect.fnUntraced(function* (
  link: Link,
  option: PaymentOption.PaymentOption,
  outputs: ActionResult.Outputs & { readonly _tag: "Authorized" },
  at: Queries.At,
) {
  const asset = assetOf(link.config, option.token)
  if (asset === undefined) return yield* refuse("notServed")
  const data = Actions.typedData({ asset, option })
  if (data === undefined) return yield* refuse("misfit")
  const { address } = option.account
  const digest = Eip712.digest(data)
  const signature = Signature.effective(outputs.signature)
  const isByKey = (yield* Signature.recover(digest, signature)) === address
  const isPermit = option.flow === "permit"
  // Read before the allowance, because one of them may be mined in between.
  const approvals =
    outputs.approvals.length === 0
      ? []
      : yield* Together.each(outputs.approvals, (hash) => link.rpc.ask(Queries.receipt(hash)))
  const { allowed, held, isApproved, isContract, isSpent, nowInS, refusal, step, takesFee } =
    yield* Standing.ofOption(link, option, signature, at)
  if (!isContract && !isByKey) {
    const isWrapped = signature !== outputs.signature
    return yield* refuse(isWrapped && !isPermit ? "notDeployed" : "notSigned")
  }
  // Tokens with EIP-3009 take bytes for both; the others only recover a key.
  if (isPermit && isContract && asset.flow !== "eip3009") return yield* refuse("ownContract")
  /** If the token does not judge the signature, the account's own check counts. */
  const requireSigned = (): Judgement =>
    isContract
      ? Effect.flatMap(isAccepted(link, address, digest, signature, at), (isSigned) =>
          isSigned ? Effect.void : refuse("notSigned"),
        )
      : Effect.void
  if (isSpent && !isPermit) {
    yield* requireSigned()
    return yield* judgeSpent(link, option)
  }
  if (isContract && option.hasCode !== true) return yield* refuse("newCode")
  // A permit counts only before it is used, and only while none of our accounts may take anything from the payer. So one
  // payment of an account is collected before the next is accepted, and nothing is taken for another payment.
  if (step !== "permit") return yield* refuse("spent")
  if (nowInS >= AuthorizationState.refusedFrom(option)) return yield* refuse("late")
  if (takesFee) return yield* refuse("fee")
  if (held < option.quantity) return yield* refuse("short")
  if (isApproved) return yield* refuse("uncollected")
  if (allowed < option.quantity) {
    // An approval that is not mined yet may still raise the allowance.
    return yield* approvals.includes(null) ? requireSigned() : refuse("notApproved")
  }
  if (refusal !== null) return yield* explain(link, option, { isContract, refusal }, at)
})

/**
 * Judges a transfer that the wallet sent itself: the account must have signed the statement, and the transaction must
 * be the requested one.
 */
const judgeSent = Effect.fnUntraced(function* (
  link: Link,
  option: PaymentOption.PaymentOption,
  { signature: given, txHash }: ActionResult.Outputs & { readonly _tag: "Sent" },
  except: NonNullable<Judged["except"]>,
  at: Queries.At,
) {
  const { rpc } = link
  const { address } = option.account
  const asset = assetOf(link.config, option.token)
  if (asset === undefined) return yield* refuse("notServed")
  const digest = Signature.messageDigest(Actions.statement({ asset, option }))
  const signature = Signature.effective(given)
  const isByKey = (yield* Signature.recover(digest, signature)) === address
  const [isSigned, code, transaction, receipt] = yield* Together.all([
    isByKey ? Effect.succeed(true) : isAccepted(link, address, digest, signature, at),
    rpc.ask(Queries.code(address, at)),
    rpc.ask(Queries.transaction(txHash)),
    rpc.ask(Queries.receipt(txHash)),
  ])
  const isContract = code !== "0x"
  if (!isSigned) {
    return yield* refuse(signature === given || isContract ? "notSigned" : "notDeployed")
  }
  // Not known here yet: only mining can show its result.
  if (transaction === null) return
  // Bytes after the call data do not change the call; wallets append their own tags.
  const isAsked =
    transaction.from === address &&
    transaction.to === option.token.address &&
    transaction.input.startsWith(Actions.transferData(option.payTo, option.quantity))
  // Another account sends a contract's transfer for it: only its log can show the result.
  if (!isAsked && !isContract) return yield* refuse("notAsked")
  if (receipt === null) return
  const block = yield* rpc.ask(Queries.block(receipt.blockNumber))
  if (block?.hash !== receipt.blockHash) return yield* Head.unsound(rpc.chainId)
  if (PaymentOption.isAfter(option, block.timestamp)) return yield* refuse("older")
  const equal = receipt.logs.filter(Logs.isMovement(Payment.movement({ option })))
  if (equal.length === 0) return yield* refuse("nothing")
  if (equal.every((log) => Transfer.isOneOf(except, Logs.nameOf(log))))
    return yield* refuse("taken")
})

/** The newest block that any output shows, so that its state includes these transactions. */
const newestOf = Effect.fnUntraced(function* ({ rpc }: Link, outputs: ActionResult.Outputs) {
  const hashes = outputs._tag === "Sent" ? [outputs.txHash] : outputs.approvals
  const [{ number }, receipts] = yield* Together.all([
    Head.latest(rpc),
    Together.each(hashes, (hash) => rpc.ask(Queries.receipt(hash))),
  ])
  return Math.max(number, ...receipts.map((receipt) => receipt?.blockNumber ?? 0))
})

/**
 * What an account has for an option, including approvals that are mined, and which other options are finished. If the
 * option's own authorization is spent, nothing will be taken by it again.
 */
export const funds = Effect.fnUntraced(function* (
  link: Link,
  { option, outputs }: Pick<Payment.Attempt, "option" | "outputs">,
  others: ReadonlyArray<PaymentOption.PaymentOption>,
) {
  const at = yield* newestOf(link, outputs)
  const isSpent = (each: PaymentOption.PaymentOption) => Standing.isSpent(link, each, at)
  const { isMoved, spent, ...held } = yield* Together.all({
    balance: Holdings.balance(link, option.token, option.account.address, at),
    allowance:
      option.flow === "permit2"
        ? Holdings.allowance(link, option.account, option.token, at)
        : Effect.succeed(Money.largest),
    isMoved: isSpent(option),
    spent: Effect.filter(others, isSpent, { concurrency: "unbounded" }),
  })
  const taken = spent.map(({ paymentId }) => paymentId)
  const result: Funds = isMoved
    ? { balance: Money.largest, allowance: Money.largest, taken }
    : { ...held, taken }
  return result
})

/** Any objection to the outputs of an option's actions is checked again at one block. */
const judge = (link: Link, { except = [], option, outputs }: Judged): Judgement => {
  if ((outputs._tag === "Sent") !== (option.flow === "transfer")) return refuse("misfit")
  const judgeAt = (at: Queries.At): Judgement =>
    outputs._tag === "Sent"
      ? judgeSent(link, option, outputs, except, at)
      : judgeAuthorized(link, option, outputs, at)
  return judgeAt("latest").pipe(
    Effect.catchTag("AttemptRefused", () => Effect.flatMap(newestOf(link, outputs), judgeAt)),
  )
}

/**
 * Judges the outputs of an option's actions, and returns them with the signature in the form in which it will be
 * submitted. For an account without code, a signature has one spelling. For an account with code, the bytes count as
 * they were sent; the canonical spelling is tried only if the contract refuses them.
 */
export const verify = Effect.fnUntraced(function* (link: Link, judged: Judged) {
  const { option, outputs } = judged
  const given = Signature.effective(outputs.signature)
  const signature = Outputs.canonicalSignature(given)
  if (signature === given) {
    yield* judge(link, judged)
    return outputs
  }
  const spelled: ActionResult.Outputs = { ...outputs, signature }
  const code = yield* link.rpc.ask(Queries.code(option.account.address, "latest"))
  const asSent = yield* Effect.result(code === "0x" ? refuse("notSigned") : judge(link, judged))
  if (Result.isSuccess(asSent)) return outputs
  if (asSent.failure._tag === "ChainUnavailable") return yield* asSent.failure
  yield* judge(link, { ...judged, outputs: spelled })
  return spelled
})
