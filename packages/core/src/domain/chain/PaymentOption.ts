/**
 * One way for one account to pay a payment: the token, the quantity, the receiver and the deadline.
 *
 * An option is never stored. Its id contains all of it, sealed, so any process accepts an id that another issued, and
 * nobody can forge one.
 *
 * @module
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Limits from "../ground/Limits.ts"
import * as Money from "../ground/Money.ts"
import * as PayerSession from "../ground/PayerSession.ts"
import * as PaymentId from "../ground/PaymentId.ts"
import * as Remembered from "../ground/Remembered.ts"
import * as Seal from "../ground/Seal.ts"
import * as Caip from "./Caip.ts"
import * as Packing from "./Packing.ts"

/** How the money moves: the name of one of the ways of the chain's family. */
export type Flow = typeof Flow.Type
export const Flow = Schema.String.check(Schema.isPattern(/^[a-z0-9-]{1,32}$/u))

/** The ways in which a token is taken, each once, preferred ones first. */
export type Flows = readonly [Flow, ...ReadonlyArray<Flow>]

/** One way, or several. */
export const flowsOf = (chosen: Flow | Flows): Flows =>
  typeof chosen === "string" ? [chosen] : chosen

export interface PaymentOption extends Schema.Schema.Type<typeof PaymentOption> {}
export const PaymentOption = Schema.Struct({
  paymentId: PaymentId.PaymentId,
  account: Caip.Account,
  /** The account as the wallet wrote it; responses repeat it in this form. */
  accountText: Schema.String,
  token: Caip.Token,
  flow: Flow,
  quantity: Money.Quantity,
  /** The fixed part of the fee in this token, at the rate with which the option was priced. */
  fixedFee: Money.Quantity,
  /** The collecting account that receives the money. */
  payTo: Caip.Address,
  /** The account's number in the token, with which the payer signs; only for numbered ways. */
  permitNonce: Schema.optionalKey(Money.Quantity),
  /** The session whose form data counts for it; only if the account's payer must give data. */
  session: Schema.optionalKey(PayerSession.PayerSession),
  /** The account's own code decides whether its signature is valid; set if we send for an account that has code. */
  hasCode: Schema.optionalKey(Schema.Literal(true)),
  /** Unix seconds. */
  issuedAt: Schema.Int,
  /** Unix seconds; from then on the option is refused. */
  expiresAt: Schema.Int,
})

/** Unknown, forged, or issued for another payment: the error does not distinguish the three. */
export class OptionNotFound extends Schema.TaggedError<OptionNotFound>()("OptionNotFound", {
  message: Schema.String,
}) {}

/** Authentic, but expired. */
export class OptionExpired extends Schema.TaggedError<OptionExpired>()("OptionExpired", {
  message: Schema.String,
}) {}

const version = 2
/** Flags that are added to the version number: for an option with a session, and for an account that has code. */
const withSession = 1
const withCode = 2

/** Which letters of its account the wallet wrote in the other case: enough to return the account exactly as it came. */
const caseBits = ({ account: { address, chainId }, accountText }: PaymentOption): Uint8Array => {
  const bytes = new Uint8Array(Math.ceil(address.length / 8))
  if (accountText.endsWith(address)) return bytes
  for (let index = 0; index < address.length; index++) {
    if (accountText.charAt(chainId.length + 1 + index) !== address.charAt(index)) {
      bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (0x80 >> (index & 7))
    }
  }
  return bytes
}

const accountText = (
  { address, chainId }: { readonly address: string; readonly chainId: string },
  bits: Uint8Array,
): string => {
  if (bits.every((each) => each === 0)) return `${chainId}:${address}`
  let text = `${chainId}:`
  for (let index = 0; index < address.length; index++) {
    const letter = address.charAt(index)
    const isOther = ((bits[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0
    const lower = letter.toLowerCase()
    text += isOther ? (letter === lower ? letter.toUpperCase() : lower) : letter
  }
  return text
}

/** The id of an option: everything it holds, sealed. */
export const id = (option: PaymentOption, key: Seal.SealKeys): string => {
  const { hasCode, permitNonce, session } = option
  const bytes = new Packing.Writer()
  bytes.number(
    version + (session === undefined ? 0 : withSession) + (hasCode === true ? withCode : 0),
    1,
  )
  if (session !== undefined) bytes.bytes(PayerSession.bytes(session))
  bytes
    .text(option.flow)
    .text(option.paymentId)
    .account(option.account)
    .bytes(caseBits(option))
    .text(option.token.address)
    .text(option.payTo)
    .number(option.issuedAt, 5)
    .number(option.expiresAt, 5)
    .quantity(option.quantity)
    .quantity(option.fixedFee)
  if (permitNonce !== undefined) bytes.quantity(permitNonce)
  return Seal.seal(key, "option", bytes.written())
}

const isOption = Schema.is(Schema.toType(PaymentOption))

/** The error for an id that is not one of our options. */
export const notFound = () =>
  new OptionNotFound({ message: "Option not found: ask for the payment's options again" })

const fromBytes = (bytes: Uint8Array): Result.Result<PaymentOption, OptionNotFound> => {
  const read = Packing.reader(bytes)
  const added = read.int(1) - version
  const session =
    (added & withSession) === 0
      ? undefined
      : PayerSession.ofBytes(read.take(PayerSession.byteCount))
  const [flow, paymentId] = [read.text(), read.text()]
  const account = read.account()
  const bits = read.take(Math.ceil(account.address.length / 8))
  const [token, payTo] = [read.text(), read.text()]
  const [issuedAt, expiresAt] = [read.int(5), read.int(5)]
  const [quantity, fixedFee] = [read.quantity(), read.quantity()]
  const permitNonce = read.ended() ? undefined : read.quantity()
  const isKnown = added >= 0 && added <= withSession + withCode
  if (!isKnown || !read.ended()) return Result.fail(notFound())
  const option = {
    paymentId,
    account,
    accountText: accountText(account, bits),
    token: { chainId: account.chainId, address: token },
    flow,
    quantity,
    fixedFee,
    payTo,
    issuedAt,
    expiresAt,
    ...(permitNonce !== undefined && { permitNonce }),
    ...(session !== undefined && { session }),
    ...((added & withCode) !== 0 && { hasCode: true }),
  }
  return isOption(option) ? Result.succeed(option) : Result.fail(notFound())
}

/** Reads an authentic option id of a payment, expired or not. One of another payment is not found, like a forged one. */
export const read = (
  text: string,
  paymentId: PaymentId.PaymentId,
  key: Seal.SealKeys,
): Result.Result<PaymentOption, OptionNotFound> => {
  if (text.length > Limits.optionIdMaxLength) return Result.fail(notFound())
  const bytes = Seal.open(key, "option", text)
  if (Result.isFailure(bytes)) return Result.fail(notFound())
  return Result.flatMap(fromBytes(bytes.success), (option) =>
    option.paymentId === paymentId ? Result.succeed(option) : Result.fail(notFound()),
  )
}

/** Refuses an expired option. */
export const requireLive = (
  option: PaymentOption,
  nowInS: number,
): Result.Result<PaymentOption, OptionExpired> =>
  nowInS >= option.expiresAt
    ? Result.fail(
        new OptionExpired({
          message: "the option has expired: ask for the payment's options again",
        }),
      )
    : Result.succeed(option)

/** When the payer's signature becomes unusable, in unix seconds. */
export const authorizationEndsAt = (option: PaymentOption): number =>
  option.expiresAt + Limits.authorizationGraceInS

/**
 * The nonce of the payer's authorization, as 32 bytes of hex. It is derived from payment and option, so a signature
 * fits only one payment, and the event on chain identifies it.
 */
export const authorizationNonce = Remembered.memoize(
  (option: PaymentOption) =>
    `0x${bytesToHex(
      keccak_256(
        utf8ToBytes(
          [
            "florin/authorization/1",
            option.paymentId,
            option.token.chainId,
            option.account.address,
            option.token.address,
            option.payTo,
            option.quantity,
            option.issuedAt,
            option.expiresAt,
          ].join("\n"),
        ),
      ),
    )}`,
)

/** Whether something was mined before the option existed, so that it cannot have been sent for it. */
export const isAfter = (
  { issuedAt }: Pick<PaymentOption, "issuedAt">,
  minedAtInS: number,
): boolean => minedAtInS < issuedAt - Limits.chainClockBehindMaxInS
